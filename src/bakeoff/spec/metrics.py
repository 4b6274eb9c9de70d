"""Metrics of an experiment: built-in ones by name, descriptions, and the user's own functions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_serializer, model_validator

from bakeoff.errors import unknown
from bakeoff.keys import DOTTED, Label, SpecSection, said
from bakeoff.sources.common.base import ColumnName

_PASSING = re.compile(r"pass([@^])([1-9]\d*)")
_ACCURACY = "accuracy"
_MEAN_ACCURACY = "mean_accuracy"
"""What the mean over items of the share of their right runs is called beside pass@k."""


class GivenMetric(SpecSection):
    """A metric of given scores that is not computed here, such as RMSE or C-index."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z]\w*$", max_length=60)]
    """What it is called in the files of `scores:`."""
    greater_is_better: bool = Field(description="Which way is better: it decides who wins.")
    label: Label | None = None
    unit: Label | None = None
    """What a difference of two values is measured in, shown after it; `percentage points` for what
    is a share from 0 to 1."""
    range: Annotated[list[float | None], Field(min_length=2, max_length=2)] = Field([None, None])
    """The least and the greatest possible value; other values are refused, an empty end is open:
    `[0, null]`."""

    mixed_units: bool = False
    """Whether its values are in other units on other data sets (an error that is a log loss on one
    and an RMSE on another): they are ranked on each, and never averaged."""

    @model_validator(mode="after")
    def _low_before_high(self) -> Self:
        low, high = self.limits
        if not low < high:
            raise said(f"found range: [{low:g}, {high:g}], expected [low, high] with low < high")
        return self

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest possible value."""
        low, high = self.range
        if low is None:
            low = -math.inf
        if high is None:
            high = math.inf
        return low, high


class Passing(GivenMetric):
    """How probably at least one of k runs of an item is right (pass@k), or every one (pass^k)."""

    k: int = Field(ge=1, description="Runs that are drawn.")
    every: bool = Field(description="Whether all of them must be right.")
    marks: Literal["accuracy", "error"] = Field("accuracy", description="What a 1 stands for.")

    @model_serializer
    def _written(self) -> str:
        if self.name == _MEAN_ACCURACY:
            return _ACCURACY
        return str(self.label)


class PassingRuns(NamedTuple):
    """What is measured of the runs of items: pass@k or pass^k, one or several of them."""

    metrics: tuple[Passing, ...]
    """The first one ranks the models."""

    @property
    def marks(self) -> str:
        """What a 1 stands for."""
        return self.metrics[0].marks

    @property
    def most_runs(self) -> int:
        """How many runs of an item are drawn at most."""
        return max(metric.k for metric in self.metrics)

    def label_of(self, name: str) -> str:
        """Return what sentences call a metric."""
        labels = {metric.name: str(metric.label) for metric in self.metrics}
        return labels[name]

    def marked(self, marks: str) -> PassingRuns:
        """Return the same of numbers in which a 1 says that a run is right, or wrong."""
        metrics = [metric.model_copy(update={"marks": marks}) for metric in self.metrics]
        return PassingRuns(tuple(metrics))


def passing_of(name: Any) -> Passing | None:
    """Return the metric that ``pass@k`` or ``pass^k`` names."""
    if not isinstance(name, str):
        return None
    match = _PASSING.fullmatch(name)
    if match is None:
        return None
    sign, k = match.groups()
    # @ and ^ are no part of a name
    word = {"@": "at", "^": "hat"}[sign]
    return Passing(
        name=f"pass_{word}_{k}",
        label=name,
        greater_is_better=True,
        unit="percentage points",
        range=[0, 1],
        k=int(k),
        every=sign == "^",
        marks="accuracy",
    )


def passing_runs(metrics: Sequence[Any]) -> PassingRuns | None:
    """Return what metrics measure of the runs of items; None where none of them is about runs.

    Accuracy beside these is the mean over items of the share of their runs that are right, so that
    all of them are about the same items.
    """
    passing = [passing_of(metric) or metric for metric in metrics]
    if not any(isinstance(metric, Passing) for metric in passing):
        return None
    found: dict[str, Passing] = {}
    for share in over_runs(passing):
        if not isinstance(share, Passing):
            raise ValueError(
                f"{share} is not about runs of items, as pass@k, pass^k and accuracy are: ask for "
                "it without these"
            )
        found[share.name] = share
    return PassingRuns(tuple(found.values()))


def kind_of_values(measured: Sequence[GivenMetric | str]) -> Kind:
    """Return what numbers per row are, by the metrics of an experiment."""
    passing = None
    with suppress(ValueError):  # other metrics are told as problems of the experiment
        passing = passing_runs(measured)
    return passing or measured[0]


def over_runs(measured: list[GivenMetric | str]) -> list[GivenMetric | str]:
    """Take accuracy beside pass@k for the mean over items of the share of their right runs."""
    if not any(isinstance(metric, Passing) for metric in measured):
        return measured
    metrics = list(measured)
    for place, metric in enumerate(metrics):
        if metric == _ACCURACY:
            metrics[place] = _mean_accuracy()
    return metrics


def _mean_accuracy() -> Passing:
    """Return the mean over items of the share of their runs that are right."""
    share = passing_of("pass@1")
    assert share is not None
    label = "accuracy (mean over runs)"
    return share.model_copy(update={"name": _MEAN_ACCURACY, "label": label})


def _kind(value: Any) -> str:
    if isinstance(value, Passing):
        return "passing"
    if isinstance(value, (Mapping, SpecSection)):
        return "described"
    return "name"


AnyMetric = Annotated[
    Annotated[str, Tag("name")]
    | Annotated[Passing, Tag("passing")]
    | Annotated[GivenMetric, Tag("described")],
    Discriminator(_kind),
    BeforeValidator(lambda value: passing_of(value) or value),
]

RIGHT_OR_WRONG = ("wrong", "right")
"""The classes that stand for numbers which say whether a row is right."""
RIGHT: Mapping[str, int] = {"accuracy": 1, "error": 0}
"""The number of a right row, by the metrics of numbers 0 and 1."""


Kind: TypeAlias = GivenMetric | PassingRuns | str
"""What numbers per row are: values of a metric, marks (of `RIGHT`), or marks of the runs of
items."""


class OwnMetric(SpecSection):
    """A function of what is true and of what a model predicts."""

    function: str = Field(pattern=DOTTED)
    """Import path, e.g. mymetrics.profit for `profit` in mymetrics.py beside this file. It takes
    `y_true`, what `needs` says and the `columns` by name, and returns a number; a ValueError or NaN
    says that the metric has no value on these rows."""
    label: Label | None = None
    greater_is_better: bool = Field(description="Which way is better: it decides who wins.")
    unit: Label | None = Field(None, description="What it is measured in.")
    needs: Literal["labels", "probabilities", "numbers"] = "labels"
    """What the second argument is: predicted classes, or probabilities of all classes in their
    order, of two classes those of the positive one; or predicted numbers, of a regression."""
    columns: list[ColumnName] = Field([])
    """Columns of the data that it takes too, by name."""
    reads: list[str] = Field([])
    """Files and folders that the function reads: when their contents change, the scores are
    computed again. Relative like the paths of data."""
    smooth: bool = True
    """`false` for medians, best thresholds and whatever jumps when a row is left out: their
    intervals come from the bootstrap, and no test is made."""


WORDS: Mapping[str, Mapping[str, Any]] = {
    "higher": {"greater_is_better": True},
    "lower": {"greater_is_better": False},
    "probabilities": {"needs": "probabilities"},
    "numbers": {"needs": "numbers"},
    "jumps": {"smooth": False},
}
"""What may follow the place of a function, and the keys of `own_metrics:` it stands for."""


def keys_of(place: str, words: Iterable[str]) -> dict[str, Any]:
    """Return the keys of an own metric for which the words behind its function's place stand."""
    keys: dict[str, Any] = {}
    for word in words:
        if word not in WORDS:
            raise ValueError(f"{place}: {unknown('word', word, WORDS)}")
        keys |= WORDS[word]
    if "greater_is_better" not in keys:
        raise ValueError(
            f"{place}: is a higher or a lower value better? Write {place}:higher or {place}:lower"
        )
    return keys


def with_own_metrics(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take an import path among the metrics for an own metric that is named like its function."""
    metrics = config.get("metrics")
    described = config.get("own_metrics", {})
    if not isinstance(metrics, list) or not isinstance(described, Mapping):
        return config
    names = list(metrics)
    functions = dict(described)
    for i, text in enumerate(metrics):
        if not isinstance(text, str):
            continue
        path, *words = text.split(":")
        if not re.fullmatch(DOTTED, path):
            continue
        # functions of two modules may have one name
        _, _, name = path.rpartition(".")
        if name in functions:
            raise said(
                f"metrics[{i}]: {path} would be called {name!r} as another metric is; give it a "
                f"name of its own: `own_metrics: {{my_name: {{function: {path}, greater_is_better: "
                "…}}`"
            )
        try:
            keys = keys_of(path, words)
        except ValueError as error:
            raise said(f"metrics[{i}]: {error}") from None
        names[i] = name
        functions[name] = {"function": path, **keys}
    if not functions:
        return config
    return {**config, "metrics": names, "own_metrics": functions}


# --- what others call metrics


SCORINGS: Mapping[str, str] = {
    "error": "accuracy",
    "mcc": "matthews_corrcoef",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "mae": "neg_mean_absolute_error",
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "msle": "neg_mean_squared_log_error",
    "rmsle": "neg_root_mean_squared_log_error",
    "mape": "neg_mean_absolute_percentage_error",
    "median_absolute_error": "neg_median_absolute_error",
    "max_error": "neg_max_error",
    "poisson_deviance": "neg_mean_poisson_deviance",
    "gamma_deviance": "neg_mean_gamma_deviance",
}
"""The names that scikit-learn's scorers have, of metrics that are called otherwise here."""

_OTHER_NAMES: Mapping[str, str] = {
    "accuracy": "accuracy_score acc",
    "average_precision": "pr_auc auc_pr auprc prauc average_precision_score",
    "balanced_accuracy": "balanced_accuracy_score",
    "brier": "brier_score brier_score_loss",
    "error": "error_rate misclassification_error",
    "explained_variance": "explained_variance_score",
    "f1": "f1_score",
    "f1_macro": "macro_f1 f1_score_macro",
    "f1_weighted": "weighted_f1 f1_score_weighted",
    "jaccard": "jaccard_score",
    "kappa": "cohens_kappa cohen_kappa cohen_kappa_score",
    "log_loss": "logloss cross_entropy",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "mcc": "matthews_correlation",
    "mse": "mean_squared_error",
    "npv": "negative_predictive_value",
    "pearson": "pearsonr",
    "precision": "precision_score ppv positive_predictive_value",
    "r2": "r2_score",
    "recall": "recall_score sensitivity",
    "rmse": "root_mean_squared_error",
    "roc_auc": "auc auroc rocauc auc_roc roc_auc_score",
    "spearman": "spearmanr",
}


def _names_of_others() -> dict[str, str]:
    """Map what scikit-learn and others call metrics to our names."""
    names = {scoring: name for name, scoring in SCORINGS.items() if name != "error"}
    for name, others in _OTHER_NAMES.items():
        for other in others.split():
            names[other] = name
    return names


METRICS_OF: Mapping[str, str] = _names_of_others()
"""Our names of metrics that scikit-learn and others call otherwise; `neg_…` are losses with another
sign."""


def standard_name(name: str) -> str:
    """Return our name of a metric that others call otherwise; any other name as it is."""
    return METRICS_OF.get(name.casefold(), name)


def with_standard_names(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Call the metrics of an experiment by our names, but those that it defines itself."""
    metrics = config.get("metrics")
    own = config.get("own_metrics", {})
    if not isinstance(metrics, list) or not isinstance(own, Mapping):
        return config
    names = list(metrics)
    for i, name in enumerate(metrics):
        # a metric of the user's own keeps its name, whatever others call so
        if isinstance(name, str) and name not in own:
            names[i] = standard_name(name)
    return {**config, "metrics": names}
