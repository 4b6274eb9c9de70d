"""How rows are divided, how the fits become jobs, and what is measured of the fitted models."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from bakeoff.keys import ClassName, SpecSection, name_of, said
from bakeoff.sources.common.base import ColumnName

Split = tuple[int, int]
"""Repeat and fold, both counted from 1."""
_TEST_SIZE = 0.3
"""The share of a holdout that is tested on, where nobody says it."""
_KEYS_OF_DIVISION = ("column", "train", "test", "test_size")
"""Keys of a holdout without which, or with null, the defaults hold."""


class Plan(SpecSection):
    """What every plan shares."""

    stratify: bool = True
    """Keep the class shares the same in every part; with `groups:` as nearly as the groups allow.
    Divisions by `time:` and given ones are what they are."""
    repeats: int = 1
    folds: int = 1

    @property
    def rounds(self) -> int:
        """How many times rows are divided into the folds; each is a `repeat` of the results."""
        return self.repeats

    def splits(self) -> list[Split]:
        """List (repeat, fold), both from 1."""
        repeats = range(1, self.rounds + 1)
        folds = range(1, self.folds + 1)
        return list(product(repeats, folds))


class Cv5x2(Plan):
    """Five replications of 2-fold cross-validation (Dietterich 1998)."""

    repeats: Literal[5] = Field(5, description="Always 5; for another number use `kfold`.")
    folds: Literal[2] = Field(2, description="Always 2; for another number use `kfold`.")


class KFold(Plan):
    """k-fold cross-validation, once or repeated; forward chaining for data with `time:`."""

    folds: int = Field(10, ge=2, le=10000)
    """Number of folds, k; as many as rows: leave-one-out, for metrics that are a mean over rows,
    such as accuracy, cost or log_loss."""
    repeats: int = Field(1, ge=1, le=1000, description="How often, each with a new division.")
    column: ColumnName | None = None
    """A column that says in which fold a row is tested, in place of a draw; it holds `folds`
    different values. Not a feature unless listed in `features`."""

    @model_validator(mode="after")
    def _one_column_for_one_repeat(self) -> KFold:
        if self.column is not None and self.repeats > 1:
            raise said("`repeats` goes with drawn folds: a column is one division")
        return self


class Halves(Plan):
    """Cross-validation inside disjoint halves of the rows, and of all rows."""

    repeats: int = Field(20, ge=2, le=1000)
    """Number of random halvings; 10 where fits are dear."""
    folds: int = Field(5, ge=3, le=100, description="Folds inside each half, and of all rows.")
    full_repeats: int = Field(3, ge=1, le=1000, description="Cross-validations of all rows.")

    @property
    def rounds(self) -> int:
        """Two per halving, and those of all rows."""
        return 2 * self.repeats + self.full_repeats


class Resampled(Plan):
    """Repeated random train/test divisions."""

    repeats: int = Field(30, ge=2, le=10000, description="Number of divisions.")
    test_size: float = Field(0.2, gt=0, lt=1, description="Share of the rows that is tested on.")
    folds: Literal[1] = Field(1, description="Always 1; for more use `kfold`.")


class Seeds(Plan):
    """Training runs on data sets that are divided once, of which only scores are known.

    Calls with a table of scores make it: a repeat is a seed, a fold a data set.
    """


class Holdout(Plan):
    """One training set and one test set."""

    test_size: float | None = Field(None, gt=0, lt=1)
    """Share of the rows that is tested on: drawn at random, or the last ones of data with `time:`.
    0.3 unless `column` is given."""
    column: ColumnName | None = None
    """A column that says which rows are for training and which for testing. Not a feature unless
    listed in `features`."""
    train: Annotated[list[ClassName], Field(min_length=1)] | None = None
    """With `column`: its values for training; default: `[train]`."""
    test: Annotated[list[ClassName], Field(min_length=1)] | None = None
    """With `column`: its values for testing; default: `[test]`. Rows with another value are in
    neither part."""
    repeats: Literal[1] = Field(1, description="Always 1; for more use `resampled`.")
    folds: Literal[1] = Field(1, description="Always 1; for more use `kfold`.")

    @model_validator(mode="before")
    @classmethod
    def _drawn_or_given(cls, values: Any) -> Any:
        """Fill in the defaults of either way; refuse a mixture of both."""
        if not isinstance(values, Mapping):
            return values
        keys = dict(values)
        for key in _KEYS_OF_DIVISION:
            # null stands for a key that is left out
            if keys.get(key, "") is None:
                del keys[key]
        if "column" not in keys:
            for key in ("test", "train"):
                if key in keys:
                    raise said(f"`{key}` goes with `column`, the column that holds these values")
            return {"test_size": _TEST_SIZE, **keys}
        if "test_size" in keys:
            raise said("give either `test_size` (drawn) or `column` (given), not both")
        return {"train": ["train"], "test": ["test"], **keys}

    @model_validator(mode="after")
    def _apart(self) -> Holdout:
        # 1 and 1.0 are one value of a column
        train = set(map(name_of, self.train or []))
        test = set(map(name_of, self.test or []))
        both = train & test
        if both:
            raise said(f"{min(both)!r} is a value for training and for testing: choose one")
        return self


class Resampling(SpecSection):
    """The plans of an experiment, any number of them."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    cv_5x2: Cv5x2 | None = Field(None, description="Five replications of 2-fold cross-validation.")
    kfold: KFold | None = Field(None, description="k-fold cross-validation, once or repeated.")
    halves: Halves | None = None
    """Cross-validation inside random halves and of all rows, for half_sample_t."""
    resampled: Resampled | None = Field(None, description="Repeated random divisions.")
    holdout: Holdout | None = Field(None, description="One training set and one test set.")

    @model_validator(mode="before")
    @classmethod
    def _at_least_one(cls, values: Any) -> Any:
        """Refuse `cv_5x2:` without a value: it may mean the plan or that there is none."""
        if not isinstance(values, Mapping):
            return values
        for key, value in values.items():
            if value is None and key in cls.model_fields:
                raise said(f"`{key}` has no value: write `{key}: {{}}` for its defaults")
        if not values:
            raise said(f"no plan at all; name one of {', '.join(cls.model_fields)}")
        return values

    def plans(self) -> dict[str, Plan]:
        """Return the plans asked for, by name."""
        return {name: plan for name, plan in self if plan is not None}

    @property
    def given_by(self) -> dict[str, ColumnName]:
        """The columns of the data that plans go by, of those that are not drawn."""
        columns = {}
        for name, plan in (("kfold", self.kfold), ("holdout", self.holdout)):
            if plan is not None and plan.column:
                columns[name] = plan.column
        return columns


class Execution(SpecSection):
    """How the fits become jobs. No result depends on it."""

    jobs_per: Literal["fold", "model"] | None = None
    """How many fits one job does: `fold`: one; `model`: all of a model on a data set. Default:
    `fold`, and `model` where the fits are jobs of a cluster. The files are the same, and changing
    it refits nothing. Many short fits want `model`."""
