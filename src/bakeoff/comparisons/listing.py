"""The tests of an experiment as plain data: what runs, how, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bakeoff.comparisons.setup import corrects, setup_of
from bakeoff.spec import ChosenTest, Experiment
from bakeoff.stats import Entry, catalogue


def list_tests(experiment: Experiment, chosen: Sequence[ChosenTest]) -> list[dict[str, Any]]:
    """Return what tests.json holds: one entry per test, post hoc tests inside their omnibus."""
    known = catalogue()
    return [
        {
            **_settings(known[test.name], experiment),
            "plan": test.plan,
            "metrics": list(test.metrics),
            "evidence": test.evidence,
            "about": known[test.name].about,
            "why": test.why,
            "caution": known[test.name].caution,
            "posthoc": _settings(known[test.posthoc], experiment) if test.posthoc else None,
        }
        for test in chosen
    ]


def _settings(entry: Entry, experiment: Experiment) -> dict[str, Any]:
    how = setup_of(entry, experiment.tests, len(experiment.models))
    return {
        "test": entry.name,
        "title": entry.title,
        "alpha": how.alpha,
        "correction": how.correction if corrects(entry) else None,
        "versus": how.versus,
        "options": dict(how.options),
    }
