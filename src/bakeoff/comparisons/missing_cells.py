"""Tests over data sets where scores are missing, or where data sets belong together."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.errors import Place, Problem, listed, unknown
from bakeoff.spec import Experiment, PlannedTest
from bakeoff.stats import Entry, Evidence

ON_RANKS = (
    "conover_friedman",
    "friedman",
    "friedman_posthoc",
    "iman_davenport",
    "nemenyi",
    "sign_test",
)
"""Tests that look at nothing but the order of the models on each data set."""


def check_cells(test: PlannedTest, entry: Entry, experiment: Experiment, place: Place) -> None:
    """Refuse tests over data sets that cannot follow the policy for missing cells."""
    if entry.evidence is not Evidence.DATASET_SCORES or experiment.tests.missing_cells != "failed":
        return
    if entry.name not in ON_RANKS or "decimals" in test.options:
        raise Problem(
            place,
            f"{entry.name} looks at the size of scores, and `missing_cells: failed` ranks a "
            f"failure last and gives it none; use {listed(ON_RANKS, 'or')}, without `decimals`",
        )


def missing_cells(experiment: Experiment) -> str:
    """Return the policy for missing cells of the score matrix.

    Where a failed fit excludes its model, the tests over data sets leave that model out too.
    """
    default = "drop_model" if experiment.on_error == "exclude" else "error"
    return experiment.tests.missing_cells or default


def wrong_groups(experiment: Experiment) -> Iterator[Problem]:
    """Refuse groups of data sets that are not there, or are in two groups."""
    seen: dict[str, str] = {}
    for name, members in experiment.tests.dataset_groups.items():
        place: Place = ("tests", "dataset_groups", name)
        if name in experiment.datasets and name not in members:
            yield Problem(
                place, f"{name} is a data set that is not in this group: rename the group"
            )
        for i, one in enumerate(members):
            if one not in experiment.datasets:
                yield Problem((*place, i), unknown("data set", one, experiment.datasets))
            elif one in seen:
                yield Problem((*place, i), f"{one} is in the group {seen[one]} already")
            seen[one] = name
