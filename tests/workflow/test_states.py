"""Whatever was edited, reordered, deleted or damaged before: what a fresh run makes, comes out."""

import os
import shutil

import pandas as pd
import pytest

from tests.conftest import Runner
from tests.workflow.test_run import executed, tables


def shown(results):
    """Return the bytes of all that people look at, but of times."""
    kinds = (".svg", ".csv", ".tex", ".txt", ".json", ".yaml")
    files = [p for p in results.rglob("*") if p.suffix in kinds and "predictions" not in p.parts]
    return {
        str(p.relative_to(results)): p.read_bytes()
        for p in sorted(files)
        if not p.name.endswith("timings.csv")
    }


@pytest.mark.slow
def test_edits_of_all_but_fits_give_what_a_fresh_run_gives_and_refit_nothing(
    finished_copy, tiny, tmp_path_factory
):
    """Lists in another order, a label, a metric, a level; the fresh run has more cores.

    Figures for print that were asked for once are made again with the others.
    """
    assert finished_copy(tiny, "print_figures").returncode == 0
    figures = finished_copy.results() / "figures"
    asked = max(p.stat().st_mtime for p in figures.glob("*.p*"))
    tiny["models"]["tree"]["label"] = "A tree"
    tiny["metrics"] += ["mcc"]
    tiny["tests"]["alpha"] = 0.01
    tiny["models"] = dict(reversed(tiny["models"].items()))
    tiny["metrics"].reverse()
    tiny["tests"]["run"].remove("cochran_q")  # and what it left goes
    tiny["tests"]["run"].reverse()
    run = finished_copy(tiny)
    assert run.returncode == 0, run.stderr
    assert not executed(run) & {"load_dataset", "split_dataset", "fit"}
    made = pd.read_csv(finished_copy.results() / "comparisons.csv")
    assert set(made["alpha"]) == {0.01}
    fresh = Runner(tmp_path_factory.mktemp("fresh"))
    assert fresh(tiny, cores=2).returncode == 0
    here, there = shown(finished_copy.results()), shown(fresh.results())
    assert sorted(here) == sorted(there)
    assert {name for name in here if here[name] != there[name]} == set()
    drawn, *prints = ({p.stem for p in figures.glob(f"*.{kind}")} for kind in ("svg", "pdf", "png"))
    assert prints == [drawn, drawn]
    assert min(p.stat().st_mtime for p in figures.glob("*.p*")) > asked
    assert not list((fresh.results() / "figures").glob("*.p*"))


def test_what_is_deleted_comes_back_and_what_is_damaged_is_made_again(finished_copy, tiny):
    before, pictures = (
        tables(finished_copy.results()),
        set((finished_copy.results() / "figures").iterdir()),
    )
    shutil.rmtree(finished_copy.results() / "figures")
    for name in ("verdict.txt", "timings.csv", "comparisons.json"):
        (finished_copy.results() / name).unlink()
    (finished_copy.results() / "data/iris.parquet").write_text("garbage")
    flipped = bytearray((finished_copy.results() / "scores.csv").read_bytes())
    flipped[50] ^= 1
    (finished_copy.results() / "scores.csv").write_bytes(flipped)
    run = finished_copy(tiny)
    assert run.returncode == 0, run.stderr
    assert "load_dataset" in executed(run)
    assert set((finished_copy.results() / "figures").iterdir()) == pictures
    assert (finished_copy.results() / "verdict.txt").is_file()
    assert tables(finished_copy.results()) == before


MODEL = """
import numpy as np
from sklearn.dummy import DummyClassifier

class Constant(DummyClassifier):
    def __init__(self):
        super().__init__(strategy="constant", constant=0)
"""


def replaced_inputs(folder):
    """Write an experiment that names files by as many keys as one can have."""
    ids = range(40)
    part = {"train.csv": ids[:20], "test.csv": ids[20:]}
    for name, rows in part.items():
        table = pd.DataFrame({"id": rows, "x": rows, "y": ["no", "yes"] * (len(rows) // 2)})
        table.to_csv(folder / name, index=False)
    pd.DataFrame({"id": ids, "z": [1, 2] * 20}).to_csv(folder / "extra.csv", index=False)
    answers = pd.DataFrame({"id": part["test.csv"], "y_true": ["no", "yes"] * 10, "y_pred": "no"})
    answers.to_csv(folder / "answers.csv", index=False)
    (folder / "mymodel.py").write_text(MODEL)
    join = [{"path": "extra.csv", "key": "id"}]
    own = {"source": "file", "path": "train.csv", "test_path": "test.csv", "join": join}
    return {
        "experiment": "tiny",
        "seed": 1,
        "datasets": {"d": own | {"id": "id", "target": "y"}},
        "models": {
            "given": {"predictions": "answers.csv"},
            "constant": {"estimator": "mymodel.Constant"},
            "tree": {"estimator": "sklearn.tree.DecisionTreeClassifier"},
        },
        "resampling": {"holdout": {}},
        "metrics": ["accuracy"],
        "tests": {"run": ["mcnemar"]},
    }


def replace(file, old, new, seconds):
    """Put another file in the place of one, whose date is as much later, or earlier."""
    text, now = file.read_text(), file.stat()
    other = file.with_name("other")
    other.write_text(text.replace(old, new))
    assert other.read_text() != text
    moment = now.st_mtime_ns + seconds * 10**9
    os.utime(other, ns=(moment, moment))
    other.replace(file)


def test_files_count_by_what_they_hold_whatever_their_dates(snakemake):
    experiment, folder = replaced_inputs(snakemake.folder), snakemake.folder

    def scores():
        table = pd.read_csv(snakemake.results() / "scores.csv")
        return dict(zip(table["model"], table["value"], strict=True))

    until = "--until", "all_scores"
    run = snakemake(experiment, *until)
    assert run.returncode == 0, run.stderr
    assert scores() == {"given": 0.5, "constant": 0.5, "tree": 1.0}

    replace(folder / "extra.csv", "1\n", "3\n", -3600)  # as large, and older
    replace(folder / "mymodel.py", "constant=0", "constant=1", 0)
    replace(folder / "answers.csv", "no,no", "no,yes", 0)
    run = snakemake(experiment, *until)
    assert run.returncode == 0, run.stderr
    assert {"load_dataset", "fit", "take_predictions"} <= executed(run)
    table = pd.read_parquet(snakemake.results() / "data/d.parquet")
    assert set(table["z"]) == {2, 3}
    assert scores() == {"given": 0.0, "constant": 0.5, "tree": 1.0}
    constant = pd.read_parquet(snakemake.results() / "predictions/d/constant/holdout.parquet")
    assert set(constant["y_pred"]) == {"yes"}

    for file in folder.glob("*.*"):
        file.touch()
    assert executed(snakemake(experiment, *until)) == set()
