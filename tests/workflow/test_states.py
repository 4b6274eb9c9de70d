"""Whatever was edited, reordered, deleted or damaged before: what a fresh run makes, comes out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import Runner
from tests.workflow.test_run import executed, tables


def shown(results: Path) -> dict[str, bytes]:
    """Return the bytes of all that people look at, but of times."""
    kinds = (".svg", ".csv", ".tex", ".txt", ".json", ".yaml")
    files = [p for p in results.rglob("*") if p.suffix in kinds and "predictions" not in p.parts]
    timed = ("timings.csv", "times.csv", "times.tex")
    return {
        str(p.relative_to(results)): p.read_bytes()
        for p in sorted(files)
        if not p.name.endswith(timed)
    }


@pytest.mark.slow
def test_edits_of_all_but_fits_give_what_a_fresh_run_gives_and_refit_nothing(
    finished_copy: Runner, tiny: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
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
    assert not executed(run) & {"load_dataset", "split_dataset", "fit_fold", "fit_holdout"}
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


def test_what_is_deleted_comes_back_and_what_is_damaged_is_made_again(
    finished_copy: Runner, tiny: dict[str, Any]
) -> None:
    before, pictures = (
        tables(finished_copy.results()),
        set((finished_copy.results() / "figures").iterdir()),
    )
    shutil.rmtree(finished_copy.results() / "figures")
    for name in ("verdict.txt", "timings.csv", "comparisons.json"):
        (finished_copy.results() / name).unlink()
    (finished_copy.results() / "data/iris.parquet").write_text("garbage")
    run = finished_copy(tiny)
    assert run.returncode == 0, run.stderr
    assert "load_dataset" in executed(run)
    assert set((finished_copy.results() / "figures").iterdir()) == pictures
    assert (finished_copy.results() / "verdict.txt").is_file()
    assert tables(finished_copy.results()) == before


def test_results_stay_with_their_file_and_files_are_not_merged(
    finished_copy: Runner, tiny: dict[str, Any]
) -> None:
    other = finished_copy.folder / "other.yaml"
    other.write_text("experiment: tiny\nseed: 8\n")
    before = tables(finished_copy.results())
    merged = finished_copy(
        tiny, "--configfile", str(finished_copy.folder / "experiment.yaml"), str(other)
    )
    assert merged.returncode == 1
    assert "--configfile: found 2 files" in merged.stderr
    (finished_copy.folder / "experiment.yaml").rename(finished_copy.folder / "first.yaml")
    (finished_copy.results() / ".experiment-file").write_text("first.yaml\n")
    taken = finished_copy({**tiny, "seed": 9})
    assert taken.returncode == 1
    assert "experiment.yaml: experiment: the results in results/tiny/ are those of" in taken.stderr
    assert "Traceback" not in taken.stderr + merged.stderr
    assert tables(finished_copy.results()) == before
