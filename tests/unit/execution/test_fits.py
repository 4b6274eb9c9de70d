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
from bakeoff.execution.needs import Needs
from bakeoff.execution.pool import Pool
from bakeoff.execution.store import Store
from bakeoff.spec import Fit, load_experiment


class Pretending(Fitter):
    """Does nothing for a fit but note it."""

    def __init__(self, tiny: dict[str, Any], meeting: int = 1) -> None:
        needs = Needs(load_experiment({**tiny, "execution": {"jobs_per": "dataset"}}))
        recipes = dict.fromkeys(tiny["datasets"], dict.fromkeys(tiny["models"], "recipe"))
        super().__init__(Store(needs, recipes), Pool())
        self.meeting = threading.Barrier(meeting)
        self.done: list[Fit] = []

    def _fit(self, fit: Fit, data: str, splits: str, output: str, log: str, pool: Any) -> None:
        self.meeting.wait(5)
        if fit.model == "tree":
            raise UserError(f"{fit.split} is too hard")
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        Path(output).touch()
        self.done.append(fit)

    def batch(self, fits: Sequence[Fit], at_a_time: int = 1) -> list[str]:
        forgotten: list[str] = []
        self.fit_batch(fits, "data", "record.txt", "log.txt", at_a_time, forgotten.append)
        return forgotten


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_failure_does_not_keep_the_others_from_being_done(tiny: dict[str, Any]) -> None:
    fits = list(load_experiment(tiny).fits())
    fitter = Pretending(tiny)
    with pytest.raises(UserError) as caught:
        fitter.batch(fits, 3)
    assert len(fitter.done) == 22
    told = str(caught.value).splitlines()
    assert told[0] == "11 of 33 fits failed:"
    assert told[-1] == "and 6 more fits"
    assert len(Path("log.txt").read_text().splitlines()) == 11
    assert not Path("record.txt").exists()


def test_as_many_at_a_time_as_wanted(tiny: dict[str, Any]) -> None:
    fits = [fit for fit in load_experiment(tiny).fits() if fit.model == "bayes"][:4]
    fitter = Pretending(tiny, meeting=2)
    forgotten = fitter.batch(fits, at_a_time=2)
    assert sorted(forgotten) == sorted(fitter._needs.prediction(fit) for fit in fits)
    assert len(Path("record.txt").read_text().splitlines()) == 4


def test_wildcards_name_a_fit() -> None:
    place = {"dataset": "iris", "model": "tree"}
    assert fit_of(SimpleNamespace(**place)) == Fit("iris", "tree", "holdout", 1, 1)
    seeded = SimpleNamespace(**place, plan="kfold", repeat="1", fold="3", seed="2")
    assert fit_of(seeded) == Fit("iris", "tree", "kfold", 1, 3, 2)
