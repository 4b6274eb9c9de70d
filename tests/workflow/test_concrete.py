"""docs/dependent-rows.md has the numbers of config/concrete.yaml and of two other divisions."""

import copy
import shutil

import pandas as pd
import pytest
import yaml

from bakeoff.report.numbers import pvalue
from tests.conftest import ROOT, Runner

PAGE = (ROOT / "docs/dependent-rows.md").read_text(encoding="utf-8")
SHIPPED = yaml.safe_load((ROOT / "config/concrete.yaml").read_text("utf-8"))
BARE, SPLIT, WHOLE = "concrete", "random", "whole"


def variant(name, *, grouped):
    """Return the experiment with ten folds in place of halves, its mixtures whole or divided."""
    config = copy.deepcopy(SHIPPED) | {"experiment": name}
    data = config["datasets"]["concrete"]
    if not grouped:
        data["drop"] = [data.pop("groups")]
    config["resampling"] = {"kfold": {"folds": 10}, "holdout": {"test_size": 0.3}}
    config["tests"]["run"] = ["kfold_t", "corrected_kfold_t", "metric_difference"]
    return config


def lines(results):
    """Write the rows of the page's two tables."""
    for name, said in ((SPLIT, "rows at random"), (WHOLE, "mixtures whole")):
        scores = pd.read_csv(results[name] / "scores.csv").query("metric == 'rmse'")
        means = scores[scores["plan"] == "kfold"].groupby("model")["value"].mean()
        cells = " | ".join(f"{means[model]:.2f}" for model in ("boosting", "forest", "ridge"))
        yield f"| {said} | {cells} |"
    told = (
        (SPLIT, "kfold_t", "10 folds, rows at random", "paired t"),
        (SPLIT, "corrected_kfold_t", "10 folds, rows at random", "corrected t"),
        (SPLIT, "metric_difference", "holdout, rows at random", "t on rows"),
        (WHOLE, "kfold_t", "10 folds, mixtures whole", "paired t"),
        (WHOLE, "corrected_kfold_t", "10 folds, mixtures whole", "corrected t"),
        (BARE, "half_sample_t", "**halves, mixtures whole**", "half-sample t"),
        (BARE, "metric_difference", "**holdout, mixtures whole**", "t on mixtures"),
    )
    for name, test, evidence, how in told:
        found = pd.read_csv(results[name] / "comparisons.csv")
        found = found[(found["test"] == test) & (found["metric"] == "rmse")]
        (row,) = found.query("model_a == 'boosting' and model_b == 'forest'").to_dict("records")
        yield f"| {evidence} | {how} | {row['estimate']:.2f} | {pvalue(row['pvalue'])} |"


@pytest.mark.slow
def test_page_has_the_numbers_of_real_runs(tmp_path):
    (tmp_path / "config/data").mkdir(parents=True)
    shutil.copy(ROOT / "config/data/concrete.csv", tmp_path / "config/data")
    results = {}
    for config in (SHIPPED, variant(SPLIT, grouped=False), variant(WHOLE, grouped=True)):
        made = Runner(tmp_path)(config, cores=2)
        assert made.returncode == 0, made.stderr
        name = config["experiment"]
        results[name] = Runner(tmp_path).results(name)
    for line in lines(results):
        assert line in PAGE
