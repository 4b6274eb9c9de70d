"""What of an experiment's fits is there, and what of it must be made again."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from bakeoff.execution import remake
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import StepError
from bakeoff.files import whole, write_text
from bakeoff.spec import Fit, load_experiment

FIT = Fit("iris", "tree", "cv_5x2", 1, 2)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Made:
    """What is asked of an experiment whose fits are all made by one digest."""

    def __init__(self, tiny, per="fold", **changes):
        experiment = load_experiment({**tiny, "execution": {"jobs_per": per}, **changes})
        self.needs = RuleInputs(experiment)
        fits = dict.fromkeys(experiment.fitted, "digest")
        self.made_by = dict.fromkeys(experiment.datasets, fits)

    def again(self, find=lambda stamps: []):
        return remake.to_remake(self.needs, self.made_by, find)

    def note(self, outcome):
        workers = SimpleNamespace(do=lambda what, step: None)
        Fitter(self.needs, self.made_by, workers)._note(FIT, outcome)


def note_batch(made, fits):
    (record,) = made.needs.batches("iris")
    remake.note_batch(record, list(map(made.needs.prediction, fits)))
    return record


def test_batch_holds_while_its_files_are_as_its_record_says(tiny):
    made = Made(tiny, "dataset")
    fits = list(made.needs.experiment.fits())
    files = [Path(made.needs.prediction(fit)) for fit in fits]
    for file in files:
        write_text(file, WHOLE)
    (record,) = made.needs.batches("iris")
    assert made.again() == set(), "what is not there is no matter of this"
    note_batch(made, fits)
    assert made.again() == set()
    with whole(files[0]) as part:
        part.write_text(f"{WHOLE} and PAR1")
    assert made.again() == {record}
    note_batch(made, fits)
    assert made.again() == set()
    truncate(files[0], 2)
    assert made.again() >= {record, files[0].as_posix()}
    note_batch(made, fits)
    write_text(files[0], WHOLE)
    files[1].unlink()
    assert made.again() == {record}
    Path(record).write_text("garbage\n")
    assert made.again() == {record}


def test_files_of_batches_are_looked_at_where_each_fit_is_a_job(tiny):
    made = Made(tiny)
    asked = []

    def find(stamps):
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
def test_failed_fit_is_tried_again_under_other_limits(tiny, changes, again):
    Made(tiny, on_error="exclude").note(StepError(FIT, "no luck today"))
    made = Made(tiny, **changes)
    paths = made.needs.paths
    wanted = {made.needs.prediction(FIT), paths.batch("iris"), paths.batch("iris/tree")}
    assert made.again() == (wanted if again else set())
    made.note(True)
    assert made.again() == set()


def test_failure_of_a_model_that_is_gone_is_no_matter(tiny):
    Made(tiny, on_error="exclude").note(StepError(FIT, "no luck today"))
    del tiny["models"]["tree"]
    assert Made(tiny).again() == set()


def test_damaged_files_are_made_again(tiny):
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


def truncate(file, size):
    """Cut a file, and keep its date."""
    before = file.stat()
    file.write_bytes(file.read_bytes()[:size])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


WHOLE = "PAR1 and PAR1"


def test_files_that_changed_since_the_last_run_are_made_again(tiny):
    made = Made(tiny)
    names = "scores.csv", "a.json", "predictions/iris/tree/a.parquet", "logs/a.log", ".note"
    files = [Path("results/tiny", name) for name in names]
    for file in files:
        write_text(file, WHOLE)
    remake.note_sizes(made.needs)
    assert made.again() == set()
    for file in files[1:]:
        truncate(file, 5)
    later = files[0].stat().st_mtime_ns + 10**9
    os.utime(files[0], ns=(later, later))  # as large, but written to
    batches = {f"results/tiny/batches/{name}.txt" for name in ("iris", "iris/tree")}
    assert made.again() == {file.as_posix() for file in files[:3]} | batches
    os.utime(made.needs.paths.sizes)  # as in a copy: dates tell nothing
    assert made.again() == {file.as_posix() for file in files[1:3]} | batches
    Path(made.needs.paths.sizes).unlink()  # as a run does that may be killed
    assert made.again() == {file.as_posix() for file in files[1:3]} | batches
    write_text(files[2], WHOLE)
    write_text(files[2].with_suffix(".timing.json"), "[half")
    assert files[2].as_posix() in made.again()
