"""What a Slurm controller said last is remembered while it is away."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

import pytest

from bakeoff.run.outage import bridge


def test_last_answer_counts_while_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([300, None, None, 600, None])
    plugin = ModuleType("plugin")
    vars(plugin)["get_min_job_age"] = lambda: next(answers)
    monkeypatch.setitem(sys.modules, "plugin", plugin)
    bridge(type("Executor", (), {"__module__": "plugin"})())
    assert [plugin.get_min_job_age() for _ in range(4)] == [300, 300, 600, 600]


def test_other_executors_stay_as_they_are() -> None:
    before = dict(vars(sys.modules[__name__]))
    bridge(type("Executor", (), {"__module__": __name__})())
    assert vars(sys.modules[__name__]) == before


def test_the_plugin_asks_so() -> None:
    plugin = pytest.importorskip("snakemake_executor_plugin_slurm")
    assert "get_min_job_age()" in inspect.getsource(plugin.Executor.check_active_jobs)
    assert plugin.Executor.__module__ == plugin.__name__
