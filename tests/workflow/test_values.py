"""Numbers per row that other systems bring, through the real workflow."""

import json

import numpy as np
import pandas as pd
import pytest

from bakeoff.cli import main
from bakeoff.stats import mean_difference, mean_interaction
from tests.workflow.test_run import executed

COLUMNS = {"group": "patient", "subgroups": ["site"]}
CONFIG = {
    "experiment": "numbers",
    "seed": 3,
    "models": {
        "small": {"values": "small.csv", "columns": COLUMNS},
        "large": {"values": "large.csv", "columns": {"group": "patient"}},
    },
    "metrics": [{"name": "loss", "greater_is_better": False}],
}


@pytest.fixture
def losses(snakemake):
    """Write the losses of two systems on the same rows, of one in another order."""
    rng = np.random.default_rng(0)
    patient = np.arange(120) // 6
    hard = rng.normal(size=20)[patient]
    frame = pd.DataFrame({"id": np.arange(120), "patient": patient, "site": patient % 2})
    for system, shift in (("small", 0.0), ("large", -0.3)):
        frame[system] = np.round(np.exp(0.5 * hard + shift + 0.4 * rng.normal(size=120)), 4)
        own = frame.drop(columns="small", errors="ignore") if system == "large" else frame
        own = own.rename(columns={system: "value"})
        own.sample(frac=1, random_state=len(system)).to_csv(
            snakemake.folder / f"{system}.csv", index=False
        )
    return frame


def compared(runner):
    """Return the comparison and the subgroups of a run."""
    folder = runner.results("numbers")
    (_, row), *_ = pd.read_csv(folder / "comparisons.csv").iterrows()
    return row, pd.read_csv(folder / "subgroups.csv")


@pytest.mark.slow
def test_values_through_the_workflow_are_those_of_python_and_of_compare(
    snakemake, losses, monkeypatch, capsys
):
    run = snakemake(CONFIG)
    assert run.returncode == 0, run.stderr
    row, parts = compared(snakemake)
    assert (row["test"], row["variant"], row["n"]) == ("mean_difference", "sign_flip", 120)
    both = losses["small"], losses["large"]
    how = {"groups": losses["patient"], "greater_is_better": False}
    direct = mean_difference(*both, **how)
    assert (row["estimate"], row["ci_low"]) == pytest.approx((direct.estimate, direct.ci.low))
    assert row["pvalue"] == pytest.approx(direct.pvalue)
    whole = mean_interaction(*both, losses["site"], **how)
    assert parts["pvalue"].iloc[0] == pytest.approx(whole.pvalue)
    assert parts["subgroup"].dropna().astype(str).str[0].tolist() == ["0", "1"]

    page = (snakemake.results("numbers") / "report.html").read_text()
    for told in ("effective sample size", "Differences by subgroup", "interaction: "):
        assert told in page

    monkeypatch.chdir(snakemake.folder)
    options = ("--values", "lower", "--groups", "patient", "--subgroups", "site", "--json")
    assert main(["compare", "small.csv", "large.csv", *options]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["comparisons"][0]["estimate"] == pytest.approx(row["estimate"])
    assert [x["pvalue"] for x in said["subgroups"]] == pytest.approx(parts["pvalue"].tolist())

    changed = pd.read_csv(snakemake.folder / "large.csv")
    changed["value"] += 1
    changed.to_csv(snakemake.folder / "large.csv", index=False)
    run = snakemake(CONFIG, "--until", "compare")
    assert run.returncode == 0, run.stderr
    assert not any(rule.startswith("fit") for rule in executed(run))
    assert compared(snakemake)[0]["estimate"] == pytest.approx(row["estimate"] + 1)
