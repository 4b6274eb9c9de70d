"""What a batch of fits does when some fail, and that it does several at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bakeoff.errors import UserError
from bakeoff.execution.fits import Fitter, fit_of
from bakeoff.execution.limits import NO_LIMITS, Limits
from bakeoff.execution.pool import Pool, StepError
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.store import Store
from bakeoff.spec import Fit, load_experiment


class PretendingPool(Pool):
    """Does nothing for a fit but note it, `at_once` of each message."""

    def __init__(self, meeting: int = 1, at_once: int = 5) -> None:
        super().__init__()
        self.meeting, self.at_once = threading.Barrier(meeting), at_once
        self.messages: list[int] = []
        self.done: list[str] = []

    def call_in_turn(self, tasks: Any, seconds: float) -> list[Any]:
        self.messages.append(len(tasks))
        return [self.call(task) for _, task, _ in tasks[: self.at_once]]

    def call(self, task: Any, log: Any = None, limits: Limits = NO_LIMITS) -> Any:
        self.meeting.wait(5)
        fit = task.args[0].fit
        if fit.model == "tree":
            return StepError(fit, f"{fit.split} is too hard", None, died=False)
        Path(task.args[0].output).parent.mkdir(parents=True, exist_ok=True)
        Path(task.args[0].output).touch()
        self.done.append(str(fit))
        return True


class Pretending(Fitter):
    """A batch by a pretending pool."""

    def __init__(self, tiny: dict[str, Any], pool: Pool, **changes: Any) -> None:
        spec = {**tiny, "execution": {"jobs_per": "dataset"}, **changes}
        needs = RuleInputs(load_experiment(spec))
        fingerprints = dict.fromkeys(tiny["datasets"], dict.fromkeys(tiny["models"], "fingerprint"))
        super().__init__(Store(needs, fingerprints), pool)

    def batch(self, fits: Sequence[Fit], at_a_time: int = 1) -> list[str]:
        forgotten: list[str] = []
        self.fit_batch(fits, "record.txt", "log.txt", at_a_time, forgotten.append)
        return forgotten


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_failure_does_not_keep_the_others_from_being_done(tiny: dict[str, Any]) -> None:
    fits = list(load_experiment(tiny).fits())
    pool = PretendingPool()
    with pytest.raises(UserError) as caught:
        Pretending(tiny, pool).batch(fits, 3)
    assert sorted(pool.done) == sorted(str(fit) for fit in fits if fit.model != "tree")
    told = str(caught.value).splitlines()
    assert told[0] == "11 of 33 fits failed:"
    assert told[-1] == "and 6 more fits"
    assert len(Path("log.txt").read_text().splitlines()) == 11
    assert not Path("record.txt").exists()


def test_as_many_at_a_time_as_wanted(tiny: dict[str, Any]) -> None:
    fits = [fit for fit in load_experiment(tiny).fits() if fit.model == "bayes"][:4]
    fitter = Pretending(tiny, PretendingPool(meeting=2, at_once=1))
    forgotten = fitter.batch(fits, at_a_time=2)
    assert sorted(forgotten) == sorted(fitter._needs.prediction(fit) for fit in fits)
    assert len(Path("record.txt").read_text().splitlines()) == 4


def test_a_message_to_a_worker_holds_many_fits(tiny: dict[str, Any]) -> None:
    fits = [fit for fit in load_experiment(tiny).fits() if fit.model == "bayes"]
    pool = PretendingPool(at_once=64)
    Pretending(tiny, pool).batch(fits)
    assert pool.messages == [len(fits)]


def test_what_a_worker_had_no_time_for_is_done_later_and_once(tiny: dict[str, Any]) -> None:
    fits = [fit for fit in load_experiment(tiny).fits() if fit.model == "bayes"]
    pool = PretendingPool(at_once=4)
    Pretending(tiny, pool).batch(fits)
    assert pool.done == [str(fit) for fit in fits]
    assert pool.messages == [11, 7, 3]


def test_a_fit_that_may_have_to_be_ended_is_alone_in_its_message(tiny: dict[str, Any]) -> None:
    fits = [fit for fit in load_experiment(tiny).fits() if fit.model == "bayes"]
    pool = PretendingPool()
    Pretending(tiny, pool, timeout=60).batch(fits)
    assert len(pool.done) == len(fits)
    assert not pool.messages


def test_wildcards_name_a_fit() -> None:
    place = {"dataset": "iris", "model": "tree"}
    assert fit_of(SimpleNamespace(**place)) == Fit("iris", "tree", "holdout", 1, 1)
    seeded = SimpleNamespace(**place, plan="kfold", repeat="1", fold="3", seed="2")
    assert fit_of(seeded) == Fit("iris", "tree", "kfold", 1, 3, 2)
