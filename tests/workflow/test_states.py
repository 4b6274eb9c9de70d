"""Whatever was edited, reordered, deleted or damaged before: what a fresh run makes, comes out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.workflow.test_run import executed, tables


@pytest.fixture
def again(finished: Runner, tmp_path: Path) -> Runner:
    """Return a copy of the finished run, to be changed."""
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    return Runner(tmp_path)


def shown(results: Path) -> dict[str, bytes]:
    """Return the bytes of all that people look at, but of times."""
    kinds = (".svg", ".csv", ".tex", ".txt", ".json", ".yaml")
    files = [p for p in results.rglob("*") if p.suffix in kinds and "predictions" not in p.parts]
    timed = ("timings.csv", "times.csv", "times.tex", "stages.csv", "stages.tex")
    return {
        str(p.relative_to(results)): p.read_bytes()
        for p in sorted(files)
        if not p.name.endswith(timed)
    }


def test_reordered_lists_give_what_a_fresh_run_gives_and_refit_nothing(
    again: Runner, tiny: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tiny["models"] = dict(reversed(tiny["models"].items()))
    tiny["metrics"].reverse()
    tiny["tests"]["run"].remove("cochran_q")  # and what it left goes
    tiny["tests"]["run"].reverse()
    run = again(tiny)
    assert run.returncode == 0, run.stderr
    assert not executed(run) & {"load_dataset", "split_dataset", "fit_fold", "fit_holdout"}
    fresh = Runner(tmp_path_factory.mktemp("fresh"))
    assert fresh(tiny).returncode == 0
    here, there = shown(again.results()), shown(fresh.results())
    assert sorted(here) == sorted(there)
    assert {name for name in here if here[name] != there[name]} == set()


def test_what_is_deleted_comes_back_and_what_is_damaged_is_made_again(
    again: Runner, tiny: dict[str, Any]
) -> None:
    before, pictures = tables(again.results()), set((again.results() / "figures").iterdir())
    shutil.rmtree(again.results() / "figures")
    for name in ("verdict.txt", "timings.csv", "comparisons.json"):
        (again.results() / name).unlink()
    (again.results() / "data/iris.parquet").write_text("garbage")
    run = again(tiny)
    assert run.returncode == 0, run.stderr
    assert "load_dataset" in executed(run)
    assert set((again.results() / "figures").iterdir()) == pictures
    assert (again.results() / "verdict.txt").is_file()
    assert tables(again.results()) == before


def test_results_stay_with_their_file_and_files_are_not_merged(
    again: Runner, tiny: dict[str, Any]
) -> None:
    other = again.folder / "other.yaml"
    other.write_text("experiment: tiny\nseed: 8\n")
    before = tables(again.results())
    merged = again(tiny, "--configfile", str(again.folder / "experiment.yaml"), str(other))
    assert merged.returncode == 1
    assert "--configfile: found 2 files" in merged.stderr
    (again.folder / "experiment.yaml").rename(again.folder / "first.yaml")
    (again.results() / ".experiment-file").write_text("first.yaml\n")
    taken = again({**tiny, "seed": 9})
    assert taken.returncode == 1
    assert "experiment.yaml: experiment: the results in results/tiny/ are those of" in taken.stderr
    assert "Traceback" not in taken.stderr + merged.stderr
    assert tables(again.results()) == before
