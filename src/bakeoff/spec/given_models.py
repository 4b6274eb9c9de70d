"""The entries of `datasets:`, and models that were trained elsewhere: predictions or scores."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias, Union

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    model_validator,
)

from bakeoff.errors import shown
from bakeoff.files import files_at, locate
from bakeoff.keys import ID, ClassName, Label, SpecSection, ValueOrKeys, name_of, said
from bakeoff.options import OPTIONS
from bakeoff.sources import SOURCES, DataSet
from bakeoff.sources.common.base import ColumnName, Costs, Subgroups, Unit
from bakeoff.spec.models import Model

DATASET = "{dataset}"
CLASS = "{class}"
SEED = "{seed}"
LOGS = (".eval", ".json", ".jsonl")
"""Endings of the logs of evaluations that a folder may hold."""
_KINDS = ("predictions", "values", "scores")
"""What a model may be given by."""
_WHICH_PLAN = (
    "`resampling:` must say which plan the {} come from, e.g. `resampling: {{kfold: {{folds: "
    "10}}}}`"
)

Text = Annotated[str, Field(min_length=1)]


def _name_of_class(value: Any) -> Any:
    """Write the name of a class, which may be a number or, as YAML reads them, yes or no."""
    # a bool is an int, too
    # yes and no are a bool, which is an int too
    if isinstance(value, (int, float)):
        return name_of(value)
    return value


def _with_class(pattern: str) -> str:
    """Refuse a pattern of columns that is the same for all classes."""
    if CLASS not in pattern:
        raise said(
            f"found {shown(pattern)}, expected a name with {CLASS} in it, like p_{CLASS}, or one "
            "column for each class, like {cat: p1, dog: p2}"
        )
    return pattern


_Pattern = Annotated[ColumnName, AfterValidator(_with_class)]
_ClassName = Annotated[str, BeforeValidator(_name_of_class)]
_ColumnsByClass = Annotated[dict[_ClassName, ColumnName], Field(min_length=1)]


class GivenColumns(SpecSection):
    """What the columns of a file of predictions are called."""

    retired: ClassVar[Mapping[str, str]] = {
        "true": "write `truth`",
        "group": "write `groups`",
        "run": "write `runs`",
        "seed": "write `seeds`",
    }
    id: ColumnName | None = Field(None, description=OPTIONS["id"].help)
    truth: ColumnName | None = Field(None, description=OPTIONS["truth"].help)
    predicted: ColumnName | None = Field(None, description=OPTIONS["predicted"].help)
    probabilities: ValueOrKeys[_Pattern, _ColumnsByClass] | None = None
    """Class probabilities: a pattern like `p_{class}`, or the column of each class; of two classes
    one is enough. Default: `p_{class}`, `p:{class}`, `prob_{class}` or `proba_{class}`, where the
    file has them."""
    value: ColumnName | None = Field(None, description=OPTIONS["value"].help)
    groups: ColumnName | None = Field(
        None, description=OPTIONS["groups"].help + " With `source: given` only."
    )
    time: ColumnName | None = Field(
        None, description=OPTIONS["time"].help + " With `source: given` only."
    )
    repeat: ColumnName | None = None
    """In which repeat of the plan a row was predicted; without `fold`, of `resampled`."""
    fold: ColumnName | None = None
    """In which fold a row was predicted, by a fit on the repeat's other folds."""
    seeds: ColumnName | None = Field(
        None, description=OPTIONS["seeds"].help + " How many there are is said by `seeds`."
    )
    subgroups: Subgroups = Field([])
    """Columns whose values divide the test rows into subgroups; with `source: given` only."""
    runs: ColumnName | None = Field(None, description=OPTIONS["runs"].help)
    tasks: ColumnName | None = None
    """Which of several fixed tasks a row is of, such as `task` of a folder of logs: models are
    compared in the mean over tasks, which `tests: {task_weights: …}` weighs; with `source: given`
    only."""


class GivenModel(SpecSection):
    """A model that was trained elsewhere; it is not fitted here."""

    retired: ClassVar[Mapping[str, str]] = {
        "results": "name the files of the other run in `predictions:`"
    }
    predictions: Text | None = None
    """File with the predictions on the test rows of the plan `holdout`, or of all folds of another
    with `columns: {repeat: …, fold: …}`: ids, true labels or numbers, predicted labels, class
    probabilities or numbers. CSV, TSV, Parquet or Feather, also compressed. With several data sets
    a path with `{dataset}` in it. Also a log of evaluations, or a folder of logs."""
    values: Text | None = None
    """File with a number for each row: a loss, partial credit, right or wrong (0 and 1), or a log
    or a folder of logs; ids as in `predictions`. What the numbers are is said under `metrics`:
    `{name: token_f1, greater_is_better: true}`, `accuracy`, `pass@5`."""
    columns: GivenColumns = Field(default_factory=lambda: GivenColumns.model_validate({}))
    """What the columns of `predictions` or `values` are called, where not as usual."""
    missing_values: list[str] | None = None
    """Texts of `predictions` or `values` that mean a missing value, beside empty ones; default: NA,
    N/A, NaN, null, None and their like; `[]` where a class has such a name."""
    scores: Text | None = None
    """File with scores from elsewhere, one row per repeat, fold and metric: columns `repeat`,
    `fold`, `metric`, `value`; also `n_train` and `n_test` for tests that need the sizes; `dataset`,
    `model` and `plan` where the file holds several."""
    model: Text | None = None
    """What the model is called in a folder of logs, a log of several models or a long table;
    default: its id here."""
    tasks: Annotated[list[Text], Field(min_length=1)] | None = None
    """Of logs of several tasks in `values` those to compare, and the metric of each that has
    several: `[arc=acc_norm, "gsm8k=exact_match,strict-match"]`; default: all."""
    label: Label | None = None
    seeds: int = Field(1, ge=1, le=1000)
    """How many training runs of the model there are: files whose path has `{seed}` in it, numbered
    from 1, or the values of `columns: {seeds: …}`."""
    deterministic: bool | None = None
    """Whether training had no random part, so that one run is all there is of it; comparisons of
    recipes take such a model for fixed."""
    _trained: Model | None = PrivateAttr(None)

    def trained_by(self, model: Model | None) -> Self:
        """Add the learner, where a call from Python knows it."""
        self._trained = model
        return self

    @property
    def learner(self) -> Model | None:
        """What was trained, where it is known: cautions about learners hang on it."""
        return self._trained

    @model_validator(mode="after")
    def _gives_something(self) -> Self:
        if self.path is None and self.scores is None:
            raise said("expected `predictions:`, `values:` or `scores:`, the path of a file")
        if self.values is not None and (self.predictions or self.scores):
            raise said("`values` stands alone: leave out `predictions` and `scores`")
        if self.model is not None and self.path is None:
            raise said("`model` goes with logs or long tables as `predictions` or `values`")
        if self.tasks is not None and self.values is None:
            raise said("`tasks` goes with logs as `values`")
        if self.missing_values is not None and self.path is None:
            raise said("`missing_values` goes with `predictions` or `values`")
        return self

    @model_validator(mode="after")
    def _training_runs(self) -> Self:
        by_path = self.path is not None and SEED in self.path
        by_column = self.columns.seeds is not None
        has_runs = by_path or by_column
        # they are told in one way, are as many as `seeds` says, and are of one test set
        if (by_path and by_column) or has_runs != (self.seeds > 1) or (has_runs and self.by_folds):
            raise said(
                "several training runs go by `seeds: 10` with either `{seed}` in the path of the "
                "file of each run or the column of the runs, `columns: {seeds: …}`, on one test set"
            )
        # without a random part all runs would be one
        # without a random part all runs would be one
        if self.deterministic and self.seeds > 1:
            raise said("`deterministic: true` makes all `seeds` the same: leave one of them out")
        return self

    @model_validator(mode="after")
    def _columns_of_a_file(self) -> Self:
        if self.path is None and self.columns != GivenColumns.model_validate({}):
            raise said("`columns` goes with `predictions`; the columns of `scores` have one name")
        return self

    @property
    def kind(self) -> str:
        """What it is given by: predictions, values or scores."""
        if self.predictions is not None:
            return "predictions"
        if self.values is not None:
            return "values"
        return "scores"

    @property
    def by_folds(self) -> bool:
        """Whether the predictions are of the folds of a plan, not of one test set."""
        columns = self.columns
        names_folds = columns.repeat is not None or columns.fold is not None
        return self.predictions is not None and names_folds

    def predicts(self, plan: str) -> bool:
        """Tell whether the predictions are of the rows that a plan tests."""
        return self.path is not None and self.by_folds == (plan != "holdout")

    def beside(self, folder: Path, dataset: str) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        moved = {}
        for key in _KINDS:
            path = getattr(self, key)
            if path is None:
                continue
            # where one data set's first file is, there are the others
            example = _with_names(path, dataset, 1)
            if locate(example, folder) != example:
                moved[key] = os.path.relpath(folder / path)
        return self.model_copy(update=moved)

    @property
    def path(self) -> str | None:
        """The path of the predictions, or numbers, with what stands for data sets and runs."""
        return self.predictions or self.values

    def predictions_on(self, dataset: str, seed: int) -> str:
        """Return the path of the predictions, or numbers, of a training run on one data set."""
        assert self.path is not None
        return _with_names(self.path, dataset, seed)

    def scores_on(self, dataset: str) -> str:
        """Return the path of the scores on one data set."""
        assert self.scores is not None
        return self.scores.replace(DATASET, dataset)

    def files(self, dataset: str) -> list[str]:
        """List the files that are read for one data set."""
        files: list[str] = []
        for pattern in (self.path, self.scores):
            if pattern is None:
                continue
            # of a path without the mark of a run this is one file, several times
            # a path without the mark of a run names one file for all of them
            for seed in range(1, self.seeds + 1):
                files += files_at(_with_names(pattern, dataset, seed), LOGS)
        return list(dict.fromkeys(files))


def _with_names(path: str, dataset: str, seed: int) -> str:
    """Put a data set and the number of a training run where their marks stand in a path."""
    return path.replace(DATASET, dataset).replace(SEED, str(seed))


class GivenData(SpecSection):
    """No data but what the models bring: each has `predictions:` or `scores:` of its own."""

    source: Literal["given"]
    label: Label | None = None
    positive: ClassName | None = Field(None, description=OPTIONS["positive"].help)
    unit: Unit = None
    classes: Annotated[list[ClassName], Field(min_length=2)] | None = None
    """All classes, in order; default: the true labels, sorted."""
    missing_target: Literal["error", "drop"] = Field(
        "error", description=OPTIONS["missing_target"].help
    )
    costs: Costs | None = None
    """What each kind of error costs on these data, in place of the experiment's `costs:`."""
    licence: str | None = Field(None, description="Licence of the data, shown on its card.")


if TYPE_CHECKING:
    AnyData: TypeAlias = DataSet | GivenData
else:
    AnyData = Annotated[
        Union[(*SOURCES.values(), GivenData)],
        Field(discriminator="source"),
    ]


# --- what follows where models bring their results


def is_given(value: Any) -> bool:
    """Tell an entry of `models:` with results from one that is to be fitted."""
    if isinstance(value, GivenModel):
        return True
    return isinstance(value, Mapping) and any(key in value for key in _KINDS)


def with_defaults(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in what follows when models bring their results: the data set and the plan."""
    models = config.get("models")
    if not isinstance(models, Mapping):
        return config
    given = [dict(model) for model in models.values() if is_given(model)]
    if not given:
        return config
    filled = dict(config)
    if len(given) == len(models) and "datasets" not in config:
        filled["datasets"] = _data_of_models(config)
    if "metrics" not in config and any("values" in model for model in given):
        raise said(
            "`metrics:` must say what the numbers of `values:` are: `metrics: [{name: token_f1, "
            "greater_is_better: true}]`, or `[accuracy]` where 1 is right and 0 is wrong"
        )
    if "resampling" not in config:
        _check_one_test_set(given)
        filled["resampling"] = {"holdout": {}}
    return filled


def _check_one_test_set(models: list[dict[str, Any]]) -> None:
    """Refuse results that may be of folds, where no plan is named."""
    if any(_names_folds(model.get("columns")) for model in models):
        raise said(_WHICH_PLAN.format("folds"))
    for model in models:
        if "predictions" not in model and "values" not in model:
            raise said(_WHICH_PLAN.format("scores"))


def _data_of_models(config: Mapping[str, Any]) -> dict[str, Any]:
    """Make the data set that the models bring, named like the experiment."""
    data = {"source": "given"}
    if "label" in config:
        data["label"] = config["label"]
    name = config.get("experiment")
    # a name that is no id is refused where the experiment is read
    # what is no name is refused where the experiment is read
    if not isinstance(name, str) or not re.fullmatch(ID, name):
        name = "given"
    return {name: data}


def _names_folds(columns: Any) -> bool:
    """Tell whether columns say in which repeat or fold a row was predicted."""
    return isinstance(columns, Mapping) and ("repeat" in columns or "fold" in columns)
