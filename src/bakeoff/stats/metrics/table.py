"""The metrics of one test set: how each is computed, and what it needs to be trusted."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Literal

from bakeoff.stats.core.checks import check_choice
from bakeoff.stats.metrics import decisions
from bakeoff.stats.metrics.left_out import MetricFunction

Form = Literal["decisions", "ranking", "rows", "own"]
Needs = Literal["", "positive", "negative", "every"]


@dataclasses.dataclass(frozen=True)
class MetricFormula:
    """One metric of a test set.

    Attributes
    ----------
    name : str
        Its key.
    form : {"decisions", "ranking", "rows", "own"}
        A function of the table of truth and predicted class (with pseudo-rows), of how rows are
        ranked (with the intervals of areas), a mean of a value per row, or a function of its own.
    predictions : {"classes", "probabilities"}
        What it is computed from.
    function : Callable or None
        Of a metric of decisions: from `Cells` to a `Functional`.
    greater_is_better : bool
        Which way is better.
    range : tuple of float
        Its least and greatest value.
    classes : {"", "positive", "negative", "every"}
        The class whose rows it is conditional on; fewer than five of them are too few.
    binary : bool
        Whether it is for two classes only.
    own : MetricFunction or None
        A function of its own.
    """

    name: str
    form: Form
    predictions: Literal["classes", "probabilities"] = "classes"
    function: Callable[..., Any] | None = None
    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    classes: Needs = ""
    binary: bool = False
    own: MetricFunction | None = None


def _decision(function: Callable[..., Any], **facts: Any) -> MetricFormula:
    return MetricFormula(function.__name__, "decisions", "classes", function, **facts)


def _ranking(name: str, **facts: Any) -> MetricFormula:
    return MetricFormula(name, "ranking", "probabilities", **facts)


def _loss(name: str, *, greatest: float = math.inf, **facts: Any) -> MetricFormula:
    return MetricFormula(name, "rows", greater_is_better=False, range=(0.0, greatest), **facts)


METRICS = {
    metric.name: metric
    for metric in (
        _decision(decisions.accuracy),
        _decision(decisions.error, greater_is_better=False),
        _decision(decisions.balanced_accuracy, classes="every"),
        _decision(decisions.precision, classes="positive", binary=True),
        _decision(decisions.recall, classes="positive", binary=True),
        _decision(decisions.specificity, classes="negative", binary=True),
        _decision(decisions.f1, classes="positive", binary=True),
        _decision(decisions.fbeta, classes="positive", binary=True),
        _decision(decisions.f2, classes="positive", binary=True),
        _decision(decisions.f05, classes="positive", binary=True),
        _decision(decisions.recall_weighted),
        _decision(decisions.jaccard, classes="positive", binary=True),
        _decision(decisions.youden, classes="every", binary=True, range=(-1.0, 1.0)),
        _decision(decisions.gmean, classes="every"),
        _decision(decisions.mcc, classes="every", range=(-1.0, 1.0)),
        _decision(decisions.kappa, classes="every", range=(-1.0, 1.0)),
        _decision(decisions.precision_macro, classes="every"),
        _decision(decisions.precision_weighted, classes="every"),
        _decision(decisions.recall_macro, classes="every"),
        _decision(decisions.f1_macro, classes="every"),
        _decision(decisions.f1_weighted, classes="every"),
        _decision(
            decisions.expected_cost,
            classes="every",
            greater_is_better=False,
            range=(0.0, math.inf),
        ),
        _ranking("roc_auc", classes="every", binary=True),
        _ranking("roc_auc_ovr", classes="every"),
        _ranking("roc_auc_ovo", classes="every"),
        _ranking("average_precision", classes="positive", binary=True),
        _ranking("average_precision_macro", classes="every"),
        _loss("log_loss", predictions="probabilities"),
        _loss("brier", greatest=2.0, predictions="probabilities"),
        _loss("brier_root", greatest=math.sqrt(2), predictions="probabilities"),
        _loss("cost", predictions="classes"),
        MetricFormula("top_k_accuracy", "rows", "probabilities"),
        MetricFormula("top_2_accuracy", "rows", "probabilities"),
        MetricFormula("top_3_accuracy", "rows", "probabilities"),
    )
}


def metric_called(name: str | MetricFunction) -> MetricFormula:
    """Return the metric of a name, or say which there are."""
    if isinstance(name, MetricFunction):
        return MetricFormula(
            name.name,
            "own",
            name.predictions,
            greater_is_better=name.greater_is_better,
            range=(-math.inf, math.inf),
            own=name,
        )
    return METRICS[check_choice(name, tuple(METRICS), "metric")]
