"""Batches of fits: what is done, what is kept, and what of it must be made again."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import UserError
from bakeoff.execution import remake, steps
from bakeoff.execution.fits import Fitter, run_in_process
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import NO_LIMITS, StepError, Workers
from bakeoff.files import whole, write_json, write_text
from bakeoff.fit.fit_task import importance_of, kept_of
from bakeoff.fit.predictions import Predictions
from bakeoff.spec import Fit, load_experiment


class Pretending(Workers):
    """Does nothing for a fit but note it; those of trees fail."""

    def __init__(self, meeting=1, fails=lambda fit: fit.model == "tree"):
        super().__init__()
        self.meeting, self.fails, self.done = threading.Barrier(meeting), fails, []

    def do(self, what, step, log=None, limits=NO_LIMITS, attempts=1):
        if step.func is steps.note_failure:
            return
        self.attempts = attempts
        (task,) = step.args
        self.meeting.wait(60)
        if self.fails(task.fit):
            raise StepError(what, f"{task.fit.split} is too hard", log)
        Path(task.output).parent.mkdir(parents=True, exist_ok=True)
        Path(task.output).touch()
        self.done.append(task.fit)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


FIT = Fit("iris", "tree", "cv_5x2", 1, 2)
WHOLE = "PAR1 and PAR1"


class Made:
    """What is asked of an experiment whose fits are all made by one digest."""

    def __init__(self, tiny, per="fold", **changes):
        experiment = load_experiment({**tiny, "execution": {"jobs_per": per}, **changes})
        self.needs = RuleInputs(experiment)
        self.paths = self.needs.paths
        fits = dict.fromkeys(experiment.fitted, "digest")
        self.needs.made_by = dict.fromkeys(experiment.datasets, fits)

    def again(self):
        return remake.to_remake(self.needs)

    def fitter(self, workers=None):
        return Fitter(self.needs, workers or Pretending())


@pytest.mark.parametrize(
    ("fails", "head", "last"),
    [
        (lambda fit: fit.fold == 2, "5 of 11 fits failed:", "cv_5x2.repeat-5.fold-2 is too hard"),
        (lambda fit: True, "11 of 11 fits failed:", "and 6 more fits"),
    ],
)
def test_failure_does_not_keep_the_others_from_being_done(tiny, fails, head, last):
    made = Made(tiny)
    workers = Pretending(fails=fails)
    with pytest.raises(UserError) as caught:
        made.fitter(workers).fit_batch("iris", "tree", 3, "record.txt", "log.txt")
    fits = list(made.needs.experiment.fits(model="tree"))
    assert sorted(workers.done) == [fit for fit in fits if not fails(fit)]
    told = caught.value.args[0].splitlines()
    assert told[0] == head
    assert last in " ".join(told[1:])
    assert ("more fits" in told[-1]) == ("more fits" in last)
    assert Path("log.txt").read_text().count("is too hard") == sum(map(fails, fits))
    assert not Path("record.txt").exists()


@pytest.mark.parametrize(("threads", "each"), [(2, 1), (5, 2), (1, 2)])
def test_as_many_at_a_time_as_threads_allow(tiny, threads, each):
    tiny["resampling"] = {"cv_5x2": {}}
    tiny["tests"] = {"run": ["cv5x2_f"]}
    tiny["models"]["bayes"]["threads"] = each
    fitter = Made(tiny).fitter(Pretending(meeting=max(1, threads // each)))
    with mock.patch("bakeoff.execution.fits.ThreadPoolExecutor", wraps=ThreadPoolExecutor) as pool:
        fitter.fit_batch("iris", "bayes", threads, "record.txt", "log.txt")
    pool.assert_called_once_with(max(1, threads // each))
    assert len(Path("record.txt").read_text().splitlines()) == 10
    assert fitter._workers.attempts == 1


def test_batch_holds_while_its_files_are_as_its_record_says(tiny):
    made = Made(tiny, "model")
    fits = made.needs.experiment.fits(model="tree")
    record, files = made.paths.batch("iris", "tree"), list(map(made.needs.prediction, fits))
    for file in files:
        write_text(file, WHOLE)
    assert made.again() == set(), "what is not there is no matter of this"
    remake.note_batch(record, files)
    assert made.again() == set()
    with whole(files[0]) as part:
        part.write_text(f"{WHOLE} and PAR1")
    assert made.again() == {record}
    remake.note_batch(record, files)
    assert made.again() == set()
    truncate(Path(files[0]), 2)
    assert made.again() >= {record, files[0]}
    remake.note_batch(record, files)
    write_text(files[0], WHOLE)
    Path(files[1]).unlink()
    assert made.again() == {record}
    Path(record).write_text("garbage\n")
    assert made.again() == {record}


def test_files_of_batches_are_looked_at_where_each_fit_is_a_job(tiny):
    made = Made(tiny)
    none = np.array([], dtype=np.intp)
    for fold, digest in ((1, "digest"), (2, "another")):
        path = made.needs.prediction(FIT._replace(fold=fold))
        Predictions(none, none, none, (), None, None, {"fingerprint": digest}).write(path)
    assert made.again() == set(), "there was no batch: Snakemake knows its own jobs"
    remake.note_batch(made.paths.batch("iris", "tree"), [])
    assert made.again() == {made.needs.prediction(FIT)}


@pytest.mark.parametrize(
    ("changes", "again"),
    [
        ({"on_error": "exclude"}, False),
        ({"on_error": "exclude", "timeout": 5}, True),
        ({"on_error": "exclude", "memory": 500}, True),
        ({"on_error": "stop"}, True),
    ],
)
def test_failed_fit_is_tried_again_under_other_limits(tiny, capsys, changes, again):
    fitter = Made(tiny, on_error="exclude").fitter()
    fitter.fit(FIT)
    assert fitter._workers.attempts == 2, "who killed its process may have done so by chance"
    assert capsys.readouterr().err.endswith("on_error: exclude leaves tree out here\n")
    made = Made(tiny, **changes)
    wanted = {made.needs.prediction(FIT), made.paths.batch("iris", "tree")}
    assert made.again() == (wanted if again else set())
    tiny_without = {**tiny, "models": {k: v for k, v in tiny["models"].items() if k != "tree"}}
    assert Made(tiny_without).again() == set(), "a model that is gone is no matter"
    made.fitter(Pretending(fails=lambda fit: False)).fit(FIT)
    Path(made.needs.prediction(FIT)).write_text(WHOLE)
    assert made.again() == set()


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
    os.utime(made.paths.sizes())  # as in a copy: dates tell nothing
    assert made.again() == {file.as_posix() for file in files[1:3]} | batches
    Path(made.paths.sizes()).unlink()  # as a run does that may be killed
    assert made.again() == {file.as_posix() for file in files[1:3]} | batches
    for damage in (b"", b"[half", b"\xff\xfe"):
        files[1].write_bytes(damage)
        assert files[1].as_posix() in made.again()
    write_text(files[2], WHOLE)
    assert files[2].as_posix() not in made.again()
    write_text(files[2].with_suffix(".timing.json"), "[half")
    assert files[2].as_posix() in made.again()


def test_fits_that_left_less_than_they_now_have_to_are_done_again(tiny):
    tiny["resampling"] = {"holdout": {}}
    tiny["tests"] = {"run": ["mcnemar"]}
    fits = {m: Fit("iris", m, "holdout", 1, 1) for m in tiny["models"]}
    for fit in fits.values():
        write_text(Made(tiny).needs.prediction(fit), WHOLE)
    assert Made(tiny).again() == set()
    tree, bayes, stump = (Made(tiny).needs.prediction(fit) for fit in fits.values())
    tiny["models"]["bayes"] |= {"keep": False}
    assert Made(tiny, keep=True).again() >= {tree, stump}
    assert bayes not in Made(tiny, keep=True).again()
    tiny["models"]["tree"] |= {"keep": True, "importance": True}
    assert tree in Made(tiny).again()
    write_text(kept_of(tree), "a model")
    assert tree in Made(tiny).again(), "its importance is not there"
    for metric, again in (("accuracy", False), ("f1_macro", True)):
        write_json(importance_of(tree), {"metric": metric, "losses": {}})
        assert (tree in Made(tiny).again()) == again
    write_json(importance_of(tree), {"metric": "accuracy", "losses": {}})
    made = Made(tiny)
    remake.note_sizes(made.needs)
    kept_of(tree).write_text("another model")
    assert tree in made.again()
    del tiny["models"]["tree"]["keep"], tiny["models"]["tree"]["importance"]
    kept_of(tree).unlink()
    assert Made(tiny).again() == set(), "nothing is made again for what need not be there"


def test_scores_that_models_bring_are_compared_in_this_process_too():
    for name, values in {"a": [1, 2, 3, 4, 5], "b": [3, 1, 4, 1, 5]}.items():
        fold = {"repeat": 1, "fold": range(1, 6), "n_train": 80, "n_test": 20}
        table = pd.DataFrame({**fold, "metric": "rmse", "value": values})
        table.to_csv(f"{name}.csv", index=False)
    given = {
        "experiment": "scores",
        "models": {name: {"scores": f"{name}.csv"} for name in "ab"},
        "resampling": {"kfold": {"folds": 5}},
        "metrics": [{"name": "rmse", "greater_is_better": False}],
    }
    study = run_in_process(load_experiment(given), "results", 1, lambda done, of: None)
    assert study.scores.groupby("model")["value"].mean().to_dict() == {"a": 3, "b": 2.8}
    assert len(study.planned) == 1
