"""What of an experiment's fits is there, and what of it must be made again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bakeoff.execution import remake
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import StepError
from bakeoff.files import whole, write_text
from bakeoff.spec import Fit, load_experiment

FIT = Fit("iris", "tree", "cv_5x2", 1, 2)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Made:
    """What is asked of an experiment whose fits are all made by one digest."""

    def __init__(self, tiny: dict[str, Any], per: str = "fold", **changes: Any) -> None:
        experiment = load_experiment({**tiny, "execution": {"jobs_per": per}, **changes})
        self.needs = RuleInputs(experiment)
        fits = dict.fromkeys(experiment.fitted, "digest")
        self.made_by = dict.fromkeys(experiment.datasets, fits)

    def again(self, find: remake.FindOutdated = lambda stamps: []) -> set[str]:
        return remake.to_remake(self.needs, self.made_by, find)

    def note(self, outcome: bool | StepError) -> None:
        Fitter(self.needs, self.made_by, None)._note(FIT, outcome)


def note_batch(made: Made, fits: list[Fit]) -> str:
    (record,) = made.needs.batches("iris")
    remake.note_batch(record, list(map(made.needs.prediction, fits)))
    return record


def test_batch_holds_while_its_files_are_as_its_record_says(tiny: dict[str, Any]) -> None:
    made = Made(tiny, "dataset")
    fits = list(made.needs.experiment.fits())
    files = [Path(made.needs.prediction(fit)) for fit in fits]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (record,) = made.needs.batches("iris")
    assert made.again() == set(), "what is not there is no matter of this"
    note_batch(made, fits)
    assert made.again() == set()
    with whole(files[0]) as part:
        part.write_text("newer")
    assert made.again() == {record}
    note_batch(made, fits)
    assert made.again() == set()
    files[1].unlink()
    assert made.again() == {record}


def test_files_of_batches_are_looked_at_where_each_fit_is_a_job(tiny: dict[str, Any]) -> None:
    made = Made(tiny)
    asked: list[Mapping[str, Mapping[str, str]]] = []

    def find(stamps: Mapping[str, Mapping[str, str]]) -> list[str]:
        asked.append(stamps)
        return [made.needs.prediction(FIT)]

    assert made.again(find) == set()
    assert not asked, "there was no batch: Snakemake knows its own jobs"
    remake.note_batch(made.needs.paths.batch("iris"), [])
    assert made.again(find) == {made.needs.prediction(FIT)}
    assert list(asked[0].values()) == [{"fingerprint": "digest"}] * 33


@pytest.mark.parametrize(
    ("changes", "again"),
    [
        ({"on_error": "exclude"}, False),
        ({"on_error": "exclude", "timeout": 5}, True),
        ({"on_error": "exclude", "memory": 500}, True),
        ({"on_error": "stop"}, True),
    ],
)
def test_failed_fit_is_tried_again_under_other_limits(
    tiny: dict[str, Any], changes: dict[str, Any], again: bool
) -> None:
    Made(tiny, on_error="exclude").note(StepError(FIT, "no luck today"))
    made = Made(tiny, **changes)
    paths = made.needs.paths
    wanted = {made.needs.prediction(FIT), paths.batch("iris"), paths.batch("iris/tree")}
    assert made.again() == (wanted if again else set())
    made.note(True)
    assert made.again() == set()


def test_failure_of_a_model_that_is_gone_is_no_matter(tiny: dict[str, Any]) -> None:
    Made(tiny, on_error="exclude").note(StepError(FIT, "no luck today"))
    del tiny["models"]["tree"]
    assert Made(tiny).again() == set()


def test_batches_divide_the_fits(tiny: dict[str, Any]) -> None:
    tiny["datasets"]["wine"] = {"source": "sklearn", "name": "wine"}
    needs = Made(tiny, "fold").needs
    assert needs.batches("iris") == []
    assert len(needs.fitted("iris", "cv_5x2")) == 30
    needs = Made(tiny, "dataset").needs
    assert needs.fitted("wine", "cv_5x2") == ["results/tiny/batches/wine.txt"]
    needs = Made(tiny, "model").needs
    assert needs.all_fitted("wine") == [
        f"results/tiny/batches/wine/{model}.txt" for model in tiny["models"]
    ]


def test_damaged_files_are_made_again(tiny: dict[str, Any]) -> None:
    made = Made(tiny)
    paths = made.needs.paths
    table, card, test = paths.data("iris"), paths.card("iris"), paths.test("mcnemar")
    for path, text in ((table, "PAR1 and PAR1"), (card, "{}"), (test, "[]")):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    assert made.again() == set()
    Path(table).write_text("garbage")
    Path(test).write_text("[half")
    assert made.again() == {table, test}
    Path(table).write_bytes(b"")
    Path(card).write_bytes(b"\xff\xfe")
    assert made.again() == {table, card, test}


def test_record_of_a_batch_that_says_nothing_does_not_hold(tiny: dict[str, Any]) -> None:
    made = Made(tiny, "dataset")
    (record,) = made.needs.batches("iris")
    note_batch(made, [])
    Path(record).write_text("garbage\n")
    assert made.again() == {record}


def test_batch_holds_not_where_a_file_has_another_size_and_its_old_date(
    tiny: dict[str, Any],
) -> None:
    made = Made(tiny, "dataset")
    fits = list(made.needs.experiment.fits())
    for fit in fits:
        write_text(made.needs.prediction(fit), "predictions")
    (record,) = made.needs.batches("iris")
    note_batch(made, fits)
    assert made.again() == set()
    truncate(Path(made.needs.prediction(fits[0])), 5)
    assert made.again() == {record}


def truncate(file: Path, size: int) -> None:
    """Cut a file, and keep its date."""
    before = file.stat()
    file.write_bytes(file.read_bytes()[:size])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("size", [0, 5])
def test_files_of_another_size_are_made_again(tiny: dict[str, Any], size: int) -> None:
    made = Made(tiny)
    names = "scores.csv", "predictions/iris/tree/a.parquet", "logs/a.log", ".note", "verdict.txt"
    files = [Path("results/tiny", name) for name in names]
    for file in files:
        write_text(file, "some contents")
    remake.note_sizes(made.needs)
    assert made.again() == set()
    for file in files[:-1]:
        truncate(file, size)
    files[-1].unlink()  # what is gone Snakemake sees
    assert made.again() == {file.as_posix() for file in files[:2]}
    Path(made.needs.paths.sizes).unlink()  # as a run does that may be killed
    assert made.again() == set()
