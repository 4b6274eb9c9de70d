"""Choices on the training part of a fit: tuning, threshold, early stopping."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from bakeoff.keys import ClassName, SpecSection, has_keys, name_of, said
from bakeoff.sources.common.base import ColumnName

Choices = Annotated[list[Any], Field(min_length=1)]
Range = Annotated[list[float], Field(min_length=2, max_length=2)]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
WholeRange = Annotated[list[Whole], Field(min_length=2, max_length=2)]
Criterion = Literal[
    "accuracy", "balanced_accuracy", "cost", "f1", "jaccard", "kappa", "mcc", "youden"
]


class ChosenThreshold(SpecSection):
    """A threshold that each fit chooses on its training part."""

    choose: Criterion = Field(
        description="What the out-of-fold predictions of the training rows are to make best: "
        "accuracy, balanced accuracy, F1, Jaccard index, Cohen's kappa, Matthews correlation, "
        "Youden's J, or the cost by the experiment's `costs:`."
    )
    cv: int = Field(5, ge=2, le=100, description="Inner folds that make these predictions.")


class Distribution(SpecSection):
    """Values to draw from; one of the three."""

    uniform: Range | None = Field(None, description="[low, high], any number between.")
    loguniform: Range | None = Field(
        None, description="[low, high], both above 0; the logarithm is uniform."
    )
    randint: WholeRange | None = Field(None, description="[low, high], whole numbers, both ends.")

    @model_validator(mode="after")
    def _one_range(self) -> Distribution:
        given = {k: v for k, v in self.model_dump().items() if v is not None}
        if len(given) != 1:
            raise said("expected a list of values or one of uniform, loguniform, randint")
        ((kind, (low, high)),) = given.items()
        if not low < high or (kind == "loguniform" and low <= 0):
            least = "0 < low < high" if kind == "loguniform" else "low < high"
            raise said(f"found {kind}: [{low:g}, {high:g}], expected [low, high] with {least}")
        return self


class ValidationRows(SpecSection):
    """The rows that a column of the data sets aside for a search."""

    column: ColumnName = Field(
        description="The column that says which rows these are; the same for all models. Not a "
        "feature unless listed in `features`."
    )
    values: Annotated[list[ClassName], Field(min_length=1)] = Field(
        ["validation"], description="Its values in these rows."
    )

    @property
    def names(self) -> list[str]:
        """The values as the canonical tables write them."""
        return [name_of(value) for value in self.values]


class Tune(SpecSection):
    """Search for parameters inside each training part: nested cross-validation."""

    search: Literal["grid", "random", "halving"] = Field(
        "grid",
        description="`grid`: every combination; `random`: `n_iter` drawn ones; `halving`: many on "
        "few rows, the better ones on more.",
    )
    space: Annotated[
        dict[
            str,
            Annotated[
                Annotated[Choices, Tag("values")] | Annotated[Distribution, Tag("distribution")],
                Discriminator(lambda v: "distribution" if has_keys(v) else "values"),
            ],
        ],
        Field(min_length=1),
    ] = Field(
        description="Values of the estimator's own parameters: a list, or `{loguniform: [1e-4, "
        "10]}`, `{uniform: [0, 1]}`, `{randint: [1, 20]}`. A parameter of another step is written "
        "`<step>__<parameter>`."
    )
    cv: int = Field(5, ge=2, le=100, description="Inner stratified folds.")
    validation: (
        Annotated[
            Annotated[float, Field(gt=0, lt=1), Tag("share")]
            | Annotated[ValidationRows, Tag("column")],
            Discriminator(lambda v: "column" if has_keys(v) else "share"),
        ]
        | None
    ) = Field(
        None,
        description="Instead of `cv`: the share of the training rows that every combination is "
        "tried on, the same rows for all; whole groups of data with `groups:`, the last rows of "
        "data with `time:`. Or the rows that a "
        "column names: `{column: part, values: [validation]}`.",
    )
    scoring: str = Field(
        "accuracy",
        description="What to search for: the name of a metric, or of a scorer of scikit-learn.",
    )
    n_iter: int | None = Field(
        None,
        ge=1,
        description="Combinations to draw; default: 10 for `random`, as many as the rows allow "
        "for `halving`.",
    )

    @model_validator(mode="after")
    def _search_fits_space(self) -> Tune:
        if self.validation is not None and "cv" in self.model_fields_set:
            raise said("give either `cv` (inner folds) or `validation` (one part), not both")
        drawn = [name for name, v in self.space.items() if isinstance(v, Distribution)]
        if self.search == "grid" and drawn:
            raise said(f"a grid needs lists of values, {drawn[0]} has none: use `search: random`")
        if self.search == "grid" and self.n_iter is not None:
            raise said("`n_iter` is for `search: random` and `halving`; a grid tries everything")
        return self


class EarlyStopping(SpecSection):
    """Stop adding trees or epochs when an inner part of the training rows gains no more."""

    fraction: float = Field(
        0.1,
        gt=0,
        lt=1,
        description="Share of the training rows kept for watching: stratified; whole groups where "
        "the data set has `groups:`, the last rows where it has `time:`.",
    )
    rounds: int = Field(10, ge=1, description="Rounds without gain after which to stop.")
