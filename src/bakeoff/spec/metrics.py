"""Metrics of an experiment: built-in ones by name, descriptions, and the user's own functions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_serializer, model_validator

from bakeoff.keys import DOTTED, Label, SpecSection, said
from bakeoff.sources.common.base import ColumnName


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
        return -math.inf if low is None else low, math.inf if high is None else high


class Passing(GivenMetric):
    """How probably at least one of k runs of an item is right (pass@k), or every one (pass^k)."""

    k: int = Field(ge=1, description="Runs that are drawn.")
    every: bool = Field(description="Whether all of them must be right.")
    marks: Literal["accuracy", "error"] = Field("accuracy", description="What a 1 stands for.")

    @model_serializer
    def _written(self) -> str:
        return str(self.label)


def passing_of(name: Any) -> Passing | None:
    """Return the metric that ``pass@k`` or ``pass^k`` names."""
    match = re.fullmatch(r"pass([@^])([1-9]\d*)", name) if isinstance(name, str) else None
    if match is None:
        return None
    k, every = int(match[2]), match[1] == "^"
    keys = {"name": f"pass_{'hat' if every else 'at'}_{k}", "range": [0, 1], "label": name}
    keys |= {"unit": "percentage points", "greater_is_better": True, "k": k, "every": every}
    return Passing.model_validate(keys)


def _kind(value: Any) -> str:
    described = "passing" if isinstance(value, Passing) else "described"
    return described if isinstance(value, (Mapping, SpecSection)) else "name"


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


Kind: TypeAlias = GivenMetric | str
"""What numbers per row are: values of a metric, marks (of `RIGHT`), or with a metric `Passing`
marks of the runs of items."""


class OwnMetric(SpecSection):
    """A function of what is true and of what a model predicts."""

    function: str = Field(pattern=DOTTED)
    """Import path, e.g. mymetrics.profit for `profit` in mymetrics.py beside this file. It takes
    `y_true`, what `needs` says and the `columns` by name, and returns a number; a ValueError or NaN
    says that the metric has no value on these rows."""
    label: Label | None = None
    greater_is_better: bool = Field(True, description="Which way is better.")
    unit: Label | None = Field(None, description="What it is measured in.")
    needs: Literal["labels", "probabilities", "numbers"] = "labels"
    """What the second argument is: predicted classes, or probabilities of all classes in their
    order, of two classes those of the positive one; or predicted numbers, of a regression."""
    columns: list[ColumnName] = Field([])
    """Columns of the data that it takes too, by name."""
    smooth: bool = True
    """`false` for medians, best thresholds and whatever jumps when a row is left out: their
    intervals come from the bootstrap, and no test is made."""


def with_own_metrics(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take an import path among the metrics for an own metric that is named like its function."""
    listed, described = config.get("metrics"), config.get("own_metrics", {})
    if not isinstance(listed, list) or not isinstance(described, Mapping):
        return config
    names, functions = list(listed), dict(described)
    for i, path in enumerate(listed):
        if not isinstance(path, str) or "." not in path or not re.fullmatch(DOTTED, path):
            continue
        name = path.rpartition(".")[2]
        if name in functions:
            raise said(
                f"metrics[{i}]: {path} would be called {name!r} as another metric is; give it a "
                f"name of its own: `own_metrics: {{my_name: {{function: {path}}}}}`"
            )
        names[i], functions[name] = name, {"function": path}
    return {**config, "metrics": names, "own_metrics": functions} if functions else config


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
METRICS_OF: Mapping[str, str] = {
    **{scoring: name for name, scoring in SCORINGS.items() if name != "error"},
    **{other: name for name, others in _OTHER_NAMES.items() for other in others.split()},
}
"""Our names of metrics that scikit-learn and others call otherwise; `neg_…` are losses with another
sign."""


def standard_name(name: str) -> str:
    """Return our name of a metric that others call otherwise; any other name as it is."""
    return METRICS_OF.get(name.casefold(), name)


def with_standard_names(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Call the metrics of an experiment by our names, but those that it defines itself."""
    listed, own = config.get("metrics"), config.get("own_metrics", {})
    if not isinstance(listed, list) or not isinstance(own, Mapping):
        return config
    names = [
        standard_name(one) if isinstance(one, str) and one not in own else one for one in listed
    ]
    return {**config, "metrics": names}
