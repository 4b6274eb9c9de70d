"""What a batch of fits does when some fail, and that it does several at a time."""

import threading
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import NO_LIMITS, StepError, Workers, result
from bakeoff.spec import load_experiment


class Pretending(Workers):
    """Does nothing for a fit but note it; those of trees fail."""

    def __init__(self, meeting=1):
        super().__init__()
        self.meeting = threading.Barrier(meeting)
        self.messages = []
        self.done = []

    def do(self, what, step, log=None, limits=NO_LIMITS):
        if step.func is steps.fit:
            return result(what, self._fit(step.args[0]), log)
        self.messages.append(len(step.args[0]))
        return [self._fit(one.args[0]) for one, _ in step.args[0]]

    def _fit(self, task):
        self.meeting.wait(60)
        if task.fit.model == "tree":
            return UserError(f"{task.fit.split} is too hard")
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


def test_a_message_to_a_worker_holds_many_fits(tiny):
    workers = Pretending()
    batch(tiny, workers, of_bayes(tiny))
    assert workers.messages == [11]


def test_fits_of_a_worker_that_died_are_done_alone(tiny):
    class Dying(Pretending):
        def do(self, what, step, log=None, limits=NO_LIMITS):
            if what == "fits":
                raise StepError(what, "the worker process was killed", log, died=True)
            return super().do(what, step, log, limits)

    workers = Dying()
    batch(tiny, workers, of_bayes(tiny))
    assert workers.done == [str(fit) for fit in of_bayes(tiny)]


def test_a_fit_that_may_have_to_be_ended_is_alone_in_its_message(tiny):
    workers = Pretending()
    batch(tiny, workers, of_bayes(tiny), timeout=60)
    assert len(workers.done) == 11
    assert not workers.messages
