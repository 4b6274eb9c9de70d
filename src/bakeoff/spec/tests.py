"""Which tests run, and how: the `tests:` part of an experiment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from bakeoff.errors import shown
from bakeoff.keys import Id, SpecSection, said, with_numbers

Correction = Literal[
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "sidak",
    "holm-sidak",
    "BH",
    "BY",
    "shaffer",
    "max-t",
    "none",
]
RECOMMENDED = "recommended"
MissingCells = Literal["error", "drop_dataset", "drop_model", "failed"]


def _as_list(value: Any) -> Any:
    if value == RECOMMENDED:
        return [value]
    if isinstance(value, str):
        raise said(
            f"found {shown(value)}, expected `recommended` or a list of tests like [mcnemar]"
        )
    return value


class HypothesisTests(SpecSection):
    """Which tests run, and what they share."""

    alpha: float = Field(0.05, gt=0, lt=1, description="Significance level of every decision.")
    run: Annotated[list[str], Field(min_length=1), BeforeValidator(_as_list)] = Field(
        [RECOMMENDED],
        description="Names of tests. `recommended` stands for the tests that fit what the "
        "experiment offers, with the reasons in tests.json; others can be named beside it.",
    )
    correction: Correction | None = Field(
        None,
        description="How the p-values of a family of models or pairs are adjusted. Default: "
        "`bonferroni` on folds and on independent rows; `holm` over data sets, over training runs, "
        "on rows with groups or times, and for `noninferiority` and `metric_equivalence`; `max-t` "
        "for `metric_difference` and `mean_difference`. `shaffer` is for two-sided tests of all "
        "pairs.",
    )
    versus: Id | None = Field(
        None,
        description="A model: only it is compared, as A, with each other model as B; default: all "
        "pairs.",
    )
    alternative: Literal["two-sided", "greater", "less"] = Field(
        "two-sided",
        description="`greater`: the tests are one-sided, for A being better. A is the model that "
        "comes first in `models:`, or that of `versus`.",
    )
    rope: float | None = Field(
        None,
        ge=0,
        description="Half-width of the region of practical equivalence of the Bayesian test, in "
        "the unit of the metric; default 0.01.",
    )
    margin: float | None = Field(
        None,
        gt=0,
        description="The largest difference that does not matter, in the unit of the metric, for "
        "the equivalence tests; choose it before seeing results.",
    )
    missing_cells: MissingCells | None = Field(
        None,
        description="When a model has no score on a data set: stop (`error`), leave that data set "
        "or that model out of the tests over data sets, or rank those last that `failed`. The "
        "results say so. Default: `error`; with `on_error: exclude` `drop_model`.",
    )
    dataset_groups: dict[str, Annotated[list[str], Field(min_length=2)]] = Field(
        {},
        description="Data sets that belong together, such as versions of one, by the name of the "
        "group: tests over data sets take the mean score of a group for one.",
    )
    options: Annotated[dict[str, dict[str, Any]], BeforeValidator(with_numbers)] = Field(
        {},
        description="Options of single tests, by name: `mcnemar: {variant: exact}`. Besides those "
        "of the test: `metrics`, `plan`, `alpha`, `correction`, `versus`.",
    )

    def units(self, datasets: Iterable[str]) -> dict[str, list[str]]:
        """Map what tests over data sets count as one, a data set or a group, to its data sets."""
        groups = {one: name for name, members in self.dataset_groups.items() for one in members}
        found: dict[str, list[str]] = {}
        for dataset in datasets:
            found.setdefault(groups.get(dataset, dataset), []).append(dataset)
        return found

    def of(self, test: str) -> dict[str, Any]:
        """Return a test's own options."""
        return self.options.get(test, {})
