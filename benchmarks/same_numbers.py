"""Compare the results of two releases number by number.

``python -m benchmarks.same_numbers run FOLDER`` runs in FOLDER the shipped experiments and small
ones that cover plans × relations of rows × numbers of models. ``python -m benchmarks.same_numbers
compare OLD NEW`` lists every number that is not the same in both, and exits with 1 if there is one;
``--renamed old=new`` says of a test that it has another name in NEW.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

ROOT = Path(__file__).parents[1]
SHIPPED = ("config", "arrhythmia", "attrition", "demsar", "vowels")
MODELS = {
    "lr": {"estimator": "sklearn.linear_model.LogisticRegression"},
    "nb": {"estimator": "sklearn.naive_bayes.GaussianNB"},
    "tree": {
        "estimator": "sklearn.tree.DecisionTreeClassifier",
        "params": {"max_depth": 3},
    },
    "knn": {"estimator": "sklearn.neighbors.KNeighborsClassifier"},
    "dummy": {"estimator": "sklearn.dummy.DummyClassifier"},
    "again": {"estimator": "sklearn.naive_bayes.GaussianNB"},
}
HOLDOUT = {"holdout": {"test_size": 0.5}}
COLUMNS = ("patient", "day", "site", "y")
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [4, 0]]}


def small_experiments() -> dict[str, dict[str, Any]]:
    """Return the small experiments by name."""
    scores = ["accuracy", "f1", "roc_auc", "log_loss"]
    return {
        "two_default": experiment(2, {"cv_5x2": {}} | HOLDOUT, metrics=scores),
        "three_holdout": experiment(3, HOLDOUT, metrics=scores, costs=COSTS),
        "six_holdout": experiment(
            6, HOLDOUT, run=["cochran_q", "looney_f", "metric_difference"], metrics=["mcc"]
        ),
        "folds": experiment(
            4,
            {"kfold": {"folds": 10}, "resampled": {"repeats": 15, "test_size": 0.2}},
            run=[
                *("anova_oneway", "anova_repeated_measures", "tukey_hsd", "corrected_kfold_t"),
                *("corrected_resampled_t", "kfold_t", "resampled_t", "bayes_correlated_t"),
            ],
        ),
        "five_by_two": experiment(
            3, {"cv_5x2": {}}, run=["cv5x2_f", "cv5x2_t", "cv5x2_mcnemar", "cv5x2_z"]
        ),
        "halves": experiment(3, {"halves": {}}, metrics=scores),
        "margins": experiment(
            2,
            HOLDOUT | {"kfold": {"folds": 10}},
            run=["tost_paired", "tost_folds"],
            margin=0.05,
        ),
        "groups_two": experiment(2, HOLDOUT, groups="patient", metrics=scores, costs=COSTS),
        "groups_many": experiment(4, HOLDOUT, groups="patient", metrics=scores),
        "time_two": experiment(2, HOLDOUT, time="day", metrics=scores),
        "time_many": experiment(4, HOLDOUT, time="day", metrics=scores),
        "subgroups": experiment(2, HOLDOUT, subgroups=["site"]),
        "datasets_two": experiment(2, {"kfold": {"folds": 5}}, datasets=8),
        "datasets_many": experiment(4, {"kfold": {"folds": 5}}, datasets=7),
    }


def experiment(
    models: int,
    resampling: dict[str, Any],
    *,
    run: str | list[str] = "recommended",
    metrics: list[str] | None = None,
    datasets: int = 1,
    costs: dict[str, Any] | None = None,
    margin: float | None = None,
    **related: Any,
) -> dict[str, Any]:
    """Return one small experiment as the content of its file."""
    source: dict[str, Any] = {"source": "file", "target": "y", "positive": "yes"} | related
    kept = [value for value in related.values() if isinstance(value, str)]
    kept += list(related.get("subgroups", ()))
    dropped = [name for name in COLUMNS[:-1] if name not in kept]
    return {
        "seed": 5,
        "datasets": {
            f"d{i}": {**source, "path": f"d{i}.csv", "drop": dropped} for i in range(datasets)
        },
        "models": dict(list(MODELS.items())[:models]),
        "resampling": resampling,
        "metrics": [*(metrics or ["accuracy"]), *(["cost"] if costs else [])],
        **({"costs": costs} if costs else {}),
        "tests": {"run": run, **({"margin": margin} if margin else {})},
    }


def table(seed: int, rows: int = 360) -> pd.DataFrame:
    """Return rows of 24 patients on 30 days, whose effects are shared."""
    rng = np.random.default_rng(seed)
    patient, day = rng.integers(24, size=rows), np.sort(rng.integers(30, size=rows))
    shared = rng.normal(size=24)[patient] + 0.5 * rng.normal(size=30)[day]
    x = rng.normal(size=(rows, 5)).round(6)
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.7 * shared + rng.normal(size=rows) > 0.3
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(5)])
    site = np.array(["north", "south"])[patient % 2]
    return frame.assign(patient=patient, day=day, site=site, y=np.where(y, "yes", "no"))


def run(folder: Path) -> None:
    """Run all experiments in a folder."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "config", folder / "config")
    for i in range(8):
        table(i).to_csv(folder / f"d{i}.csv", index=False)
    files = [folder / "config" / f"{name}.yaml" for name in SHIPPED]
    for name, content in small_experiments().items():
        files.append(folder / f"{name}.yaml")
        text = yaml.safe_dump({"experiment": name, **content}, sort_keys=False)
        files[-1].write_text(text, encoding="utf-8")
    for file in files:
        command = [sys.executable, "-m", "bakeoff", "run", str(file.relative_to(folder))]
        done = subprocess.run(
            command, cwd=folder, env=os.environ, capture_output=True, text=True, check=False
        )
        print(f"{file.stem}: {'done' if done.returncode == 0 else done.stderr[-2000:]}", flush=True)


def numbers(folder: Path, renamed: dict[str, str]) -> dict[str, Any]:
    """Return every number of the results by its place."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("results/*/comparisons.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        found.update(leaves(content, file.parent.name + "/comparisons", renamed))
    for name in ("scores", "intervals"):
        for file in sorted(folder.glob(f"results/*/{name}.csv")):
            rows = pd.read_csv(file, dtype=str).to_dict("records")
            found.update(leaves(rows, f"{file.parent.name}/{name}", renamed))
    return found


def leaves(value: Any, place: str, renamed: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the numbers below a place; what says which test it is of is part of the place."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, f"{place}/{renamed.get(key, key)}", renamed)
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from leaves(below, f"{place}/{i}", renamed)
    elif isinstance(value, bool | int | float) or (isinstance(value, str) and is_number(value)):
        yield place, str(value)
    elif place.endswith(("/test", "/status")):
        yield place, renamed.get(str(value), value)


def is_number(text: str) -> bool:
    """Tell whether a cell of a table is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def main(argv: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run").add_argument("folder", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--renamed", nargs="*", default=[])
    args = parser.parse_args(argv)
    if args.command == "run":
        run(args.folder)
        return 0
    renamed = dict(pair.split("=") for pair in args.renamed)
    old, new = numbers(args.old, renamed), numbers(args.new, {})
    places = [place for place in old | new if old.get(place) != new.get(place)]
    for place in places:
        print(f"{place}: {old.get(place, 'absent')} → {new.get(place, 'absent')}")
    print(f"{len(places)} of {len(old | new)} numbers differ")
    return int(bool(places))


if __name__ == "__main__":
    sys.exit(main())
