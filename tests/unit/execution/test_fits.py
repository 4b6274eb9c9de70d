"""Batches of fits: what is done, what is kept, and what of it must be made again."""

import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from bakeoff.comparisons import plan_tests
from bakeoff.errors import UserError
from bakeoff.execution import remake
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import NO_LIMITS, StepError, Workers
from bakeoff.files import whole, write_text
from bakeoff.spec import Fit, load_experiment


class Pretending(Workers):
    """Does nothing for a fit but note it; those of trees fail."""

    def __init__(self, meeting=1):
        super().__init__()
        self.meeting = threading.Barrier(meeting)
        self.done = []

    def do(self, what, step, log=None, limits=NO_LIMITS):
        (task,) = step.args
        self.meeting.wait(60)
        if task.fit.model == "tree":
            raise StepError(what, f"{task.fit.split} is too hard", log)
        Path(task.output).parent.mkdir(parents=True, exist_ok=True)
        Path(task.output).touch()
        self.done.append(str(task.fit))
        return True


def batch(tiny, workers, fits, at_a_time=1, **changes):
    needs = RuleInputs(load_experiment({**tiny, **changes}))
    made_by = dict.fromkeys(tiny["datasets"], dict.fromkeys(tiny["models"], "digest"))
    Fitter(needs, made_by, workers).fit_batch(fits, "record.txt", "log.txt", at_a_time)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_failure_does_not_keep_the_others_from_being_done(tiny):
    fits = list(load_experiment(tiny).fits())
    workers = Pretending()
    with pytest.raises(UserError) as caught:
        batch(tiny, workers, fits, 3)
    assert sorted(workers.done) == sorted(str(fit) for fit in fits if fit.model != "tree")
    told = str(caught.value).splitlines()
    assert told[0] == "11 of 33 fits failed:"
    assert told[-1] == "and 6 more fits"
    assert Path("log.txt").read_text().count("is too hard") == 11
    assert not Path("record.txt").exists()


def of_bayes(tiny):
    return [fit for fit in load_experiment(tiny).fits() if fit.model == "bayes"]


def test_as_many_at_a_time_as_wanted(tiny):
    workers = Pretending(meeting=2)
    batch(tiny, workers, of_bayes(tiny)[:4], at_a_time=2)
    assert len(workers.done) == 4
    assert len(Path("record.txt").read_text().splitlines()) == 4


FIT = Fit("iris", "tree", "cv_5x2", 1, 2)
WHOLE = "PAR1 and PAR1"


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


def test_batch_holds_while_its_files_are_as_its_record_says(tiny):
    made = Made(tiny, "model")
    files = [Path(made.needs.prediction(fit)) for fit in made.needs.experiment.fits(model="tree")]
    for file in files:
        write_text(file, WHOLE)
    record = made.needs.paths.batch("iris", "tree")
    assert made.again() == set(), "what is not there is no matter of this"
    remake.note_batch(record, files)
    assert made.again() == set()
    with whole(files[0]) as part:
        part.write_text(f"{WHOLE} and PAR1")
    assert made.again() == {record}
    remake.note_batch(record, files)
    assert made.again() == set()
    truncate(files[0], 2)
    assert made.again() >= {record, files[0].as_posix()}
    remake.note_batch(record, files)
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
    remake.note_batch(made.needs.paths.batch("iris", "tree"), [])
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
    wanted = {made.needs.prediction(FIT), paths.batch("iris", "tree")}
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
    batches = {"results/tiny/batches/iris/tree.txt"}
    assert made.again() == {file.as_posix() for file in files[:3]} | batches
    os.utime(made.needs.paths.sizes)  # as in a copy: dates tell nothing
    assert made.again() == {file.as_posix() for file in files[1:3]} | batches
    Path(made.needs.paths.sizes).unlink()  # as a run does that may be killed
    assert made.again() == {file.as_posix() for file in files[1:3]} | batches
    write_text(files[2], WHOLE)
    write_text(files[2].with_suffix(".timing.json"), "[half")
    assert files[2].as_posix() in made.again()


def test_each_test_is_fed_what_it_looks_at(tiny):
    data = {name: {"source": "sklearn", "name": "iris"} for name in ("x", "y")}
    run = ["friedman", "cochran_q", "cv5x2_mcnemar", "cv5x2_f"]
    plans = {"cv_5x2": {}, "holdout": {}}
    made = {"datasets": data, "resampling": plans, "tests": {"run": run}}
    needs = RuleInputs(load_experiment(tiny | made))
    _, chosen = plan_tests(needs.experiment)
    fed = {test.name: needs.evidence(test) for test in chosen}
    root = needs.paths.root
    assert fed == {
        "friedman": {
            "matrix": f"{root}/score_matrix.csv",
            "holes": f"{root}/missing_scores.json",
        },
        "cochran_q": {d: f"{root}/collected/{d}.holdout.predictions.parquet" for d in data},
        "cv5x2_mcnemar": {d: f"{root}/collected/{d}.cv_5x2.predictions.parquet" for d in data},
        "cv5x2_f": {d: f"{root}/collected/{d}.cv_5x2.scores.csv" for d in data},
    }


def test_nothing_is_waited_for_where_models_bring_scores_alone(tiny):
    made = {
        "models": {name: {"scores": f"{name}.csv"} for name in "ab"},
        "resampling": {"kfold": {"folds": 5}},
        "metrics": ["accuracy"],
        "tests": {"run": ["kfold_t"]},
    }
    needs = RuleInputs(load_experiment(tiny | made))
    assert needs.fitted("iris", "kfold") == []
    assert needs.given_scores("iris", "kfold") == ["a.csv", "b.csv"]
