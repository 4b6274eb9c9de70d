"""What models say of rows: the one frame that files, arrays, folds and experiments become.

The rows of a file are observed in its own order. `pairing.paired` brings the files of several
models, which must be about the same rows, into one order; what is compared afterwards is one frame
again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.data.asked import Asked, cautions
from bakeoff.data.columns import in_order
from bakeoff.data.describe import named_like_groups
from bakeoff.data.predicted import NO_ANSWER, Predicted, in_classes
from bakeoff.data.records import TASK, Records
from bakeoff.data.target import Answers, Target, check_spread
from bakeoff.errors import Place, Problem, some
from bakeoff.options import setting
from bakeoff.spec.experiment import Task, run_of

_OTHERS = {
    "0": "1",
    "1": "0",
    "False": "True",
    "True": "False",
    "no": "yes",
    "yes": "no",
}
"""The class that there might be beside an only one."""


@dataclasses.dataclass(frozen=True)
class Missing:
    """The items that models lack, where that is allowed."""

    handled: str
    """``wrong``: they count as wrong; ``common``: the items of all models are compared."""
    items: int
    """How many items there are for any model."""
    lacking: Mapping[str, int]
    """How many of them a model lacks; of several training runs in all."""
    shares: Mapping[str, float]
    """Of all its items; larger where a log says that it is not whole."""
    compared: int
    """How many items are compared."""
    tasks: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """The tasks that a model lacks wholly, of the models that lack one."""

    def called(self, names: Mapping[str, str]) -> Missing:
        """Give the models other names."""
        lacking = {names[model]: n for model, n in self.lacking.items()}
        shares = {names[model]: share for model, share in self.shares.items()}
        tasks = {names[model]: of_model for model, of_model in self.tasks.items()}
        return dataclasses.replace(self, lacking=lacking, shares=shares, tasks=tasks)

    @property
    def sentence(self) -> str:
        """What is done about them; empty where no item is missing."""
        parts = []
        for model, n_lacking in self.lacking.items():
            if n_lacking:
                parts.append(f"{n_lacking:,} of {model}")
        counts = ", ".join(parts)
        if not counts:
            return ""
        if self.handled == "wrong":
            text = f"Missing items are counted as wrong: {counts} (of {self.items:,})."
        else:
            text = (
                f"{self.compared:,} of {self.items:,} items are compared, which all models have; "
                f"missing are {counts}."
            )
        for model, tasks in self.tasks.items():
            text += f" {without_tasks(model, tasks)}."
        return text


def without_tasks(name: str, tasks: Sequence[str]) -> str:
    """Say which tasks a model, or its file, lacks wholly."""
    noun = "task"
    if len(tasks) > 1:
        noun = "tasks"
    return f"{name} has no item of the {noun} {some(tasks)}"


@dataclasses.dataclass(frozen=True)
class Observations:
    """What the training runs of models say of rows, and what is known of the rows."""

    name: str
    """What messages call the rows."""
    ids: NDArray[Any]
    true: Answers | None
    models: Mapping[str, tuple[Predicted, ...]] = dataclasses.field(default_factory=dict)
    records: Records = dataclasses.field(default_factory=lambda: Records("", pa.table({}), ()))
    related: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    """Groups or times of the rows, by their role."""
    folds: NDArray[np.intp] | None = None
    """Repeats and folds, from 1, shape (n, 2)."""
    items: NDArray[Any] | None = None
    """The item that each row is a run of."""
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    left_out: NDArray[Any] = dataclasses.field(default_factory=lambda: np.array([], np.int64))
    """The ids of rows without truth."""
    like_groups: Sequence[Mapping[str, Any]] = ()
    """Columns beside that look like ids of groups, where none is named: see `group_columns`."""
    in_order: bool = True
    preparation: tuple[str, ...] = ()
    """What was done with items before they are compared, a sentence each."""
    missing: Missing | None = None
    """The items that models lack, where it is said what becomes of them."""
    asked: Mapping[str, Mapping[str, Asked]] = dataclasses.field(default_factory=dict)
    """How each model was asked in the log of each task."""

    @classmethod
    def of_records(
        cls,
        records: Records,
        model: str = "",
        *,
        drop_unlabelled: bool = False,
        numbers: bool = False,
        values: bool = False,
        may_lack: bool = False,  # a number or a prediction
    ) -> Observations:
        """Observe what one training run of a model says, in a file of its own."""
        ids = records.require("id")
        true = None
        run = Predicted()
        # a number of each row, or labels and perhaps the truth
        if values:
            value = records.require("value")
            numbers_of_rows = records.numbers(value, "value", may_lack=may_lack)
            run = Predicted(values=numbers_of_rows, column=value)
            taken: list[str | None] = [ids, value]
        else:
            truth = records.find("truth")
            predicted = records.find("predicted")
            if truth is not None:
                true = records.answers(
                    truth,
                    "truth",
                    numbers=numbers,
                    may_lack=drop_unlabelled,
                )
            if predicted is not None:
                run = Predicted(records.answers(predicted, numbers=numbers, may_lack=may_lack))
            taken = [ids, truth, predicted]
        name, _ = run_of(model)
        return cls.of_rows(
            records,
            ids,
            true,
            {name: (run,)},
            taken,
            folds_in(records),
        )

    @classmethod
    def of_rows(
        cls,
        records: Records,
        ids: str | None,
        true: Answers | None,
        models: Mapping[str, tuple[Predicted, ...]],
        taken: Iterable[str | None],
        folds: NDArray[np.intp] | None = None,
    ) -> Observations:
        """Take what is known of the rows of a file; without a column of ids they are counted."""
        # rows without ids stand in one table, and are told apart by their place
        keys = np.arange(1, records.table.num_rows + 1)
        items = None
        has_runs = records.roles.runs is not None
        if ids is not None:
            keys = records.ids(ids, records.related("runs"), folds)
            if has_runs:
                items = records.row_ids(ids)
        grouped = records
        if has_runs and records.roles.groups is None:  # runs of an item belong together
            grouped = records.with_roles(groups=ids)
        related = {}
        for role in ("groups", "time"):
            values = grouped.related(role)
            if values is not None:
                related[role] = values
        # a hint that rows may belong together, unless somebody said how they do
        like_groups: Sequence[Mapping[str, Any]] = ()
        if not related:
            like_groups = named_like_groups(records.table, records.unclaimed(taken))
        return cls(
            repr(records.path),
            keys,
            true,
            models,
            records,
            related,
            folds,
            items,
            like_groups=like_groups,
        )

    def called(self, names: Sequence[str]) -> Observations:
        """Give the models other names, in their order."""
        # what logs say of a model is told by its new name, too
        new_names = dict(zip(self.models, names, strict=True))
        models = {}
        for model, runs in self.models.items():
            models[new_names[model]] = runs
        asked = {}
        for model, by_task in self.asked.items():
            asked[new_names.get(model, model)] = by_task
        missing = self.missing
        if missing is not None:
            missing = missing.called(new_names)
        return dataclasses.replace(
            self,
            models=models,
            missing=missing,
            asked=asked,
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was done with items before they are compared, the missing ones too."""
        if self.missing is None or not self.missing.sentence:
            return self.preparation
        return (self.missing.sentence, *self.preparation)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What was asked differently, and which logs are not whole, a sentence each."""
        return cautions(self.asked)

    @property
    def place(self) -> Place:
        """Where problems with them are."""
        return self.records.place

    @property
    def only(self) -> Predicted:
        """What the only model says."""
        ((run,),) = self.models.values()
        return run

    def only_says(self, run: Predicted, **parts: Any) -> Observations:
        """Let the only model say something else."""
        return dataclasses.replace(self, models=dict.fromkeys(self.models, (run,)), **parts)

    def __getitem__(self, rows: NDArray[np.intp]) -> Observations:
        """Return some of the rows."""
        models: dict[str, tuple[Predicted, ...]] = {}
        for model, runs in self.models.items():
            models[model] = tuple([run[rows] for run in runs])
        some = dataclasses.replace(
            self,
            ids=self.ids[rows],
            models=models,
            records=self.records.with_table(self.records.table.take(rows)),
            related={role: values[rows] for role, values in self.related.items()},
            subgroups={name: values[rows] for name, values in self.subgroups.items()},
        )
        # what is known of some rows alone
        if self.true is not None:
            some = dataclasses.replace(some, true=self.true[rows])
        if self.folds is not None:
            some = dataclasses.replace(some, folds=self.folds[rows])
        if self.items is not None:
            some = dataclasses.replace(some, items=self.items[rows])
        return some

    @property
    def tasks(self) -> NDArray[Any] | None:
        """The task of each row, where a column says it."""
        column = self.records.roles.tasks or TASK
        if column not in self.records.names:
            return None
        return np.asarray(self.records.column(column).astype(str))

    def once(self) -> Observations:
        """Return each row once, however many folds predict it."""
        if self.folds is None:
            return self
        return self[np.flatnonzero(~pd.Series(self.ids).duplicated().to_numpy())]

    def fold(self, repeat: int, fold: int) -> Observations:
        """Return the rows of one fold; all where there are no folds."""
        if self.folds is None:
            return self
        return self[np.flatnonzero((self.folds == (repeat, fold)).all(axis=1))]

    def labelled(self) -> Observations:
        """Return ids and truth of the rows that have one, and note the ids of the others."""
        if self.true is None:
            return self
        missing = self.true.missing
        if not missing.any():
            return self
        return Observations(
            self.name,
            self.ids[~missing],
            self.true[~missing],
            left_out=self.ids[missing],
        )

    def among(
        self, classes: Sequence[str], *, sure: bool | None = None
    ) -> dict[str, tuple[Predicted, ...]]:
        """Return what models say by the places of classes; `sure`: the positive one is known."""
        models: dict[str, tuple[Predicted, ...]] = {}
        for model, runs in self.models.items():
            by_place = []
            for run in runs:
                by_place.append(in_classes(run, self.records, self.ids, classes, sure))
            models[model] = tuple(by_place)
        return models

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in order, of two the positive one last; none of numbers."""
        if self.true is None:
            return ()
        return self.true.classes

    @property
    def truth(self) -> NDArray[Any]:
        """The true classes by their places, or numbers, shape (n,)."""
        assert self.true is not None
        return self.true.among(self.classes)

    @property
    def several_runs(self) -> bool:
        """Whether a model was trained several times."""
        return max(map(len, self.models.values()), default=0) > 1

    @property
    def oddities(self) -> list[str]:
        """What is odd about the predictions, a sentence for each training run that is."""
        oddities = []
        for model, runs in self.models.items():
            for run in runs:
                oddity = run.oddity(model, self.truth)
                if oddity:
                    oddities.append(oddity)
        return oddities

    @property
    def target(self) -> Target:
        """What is predicted."""
        # a missing answer is no class of the target
        classes = [name for name in self.classes if name != NO_ANSWER]
        return Target(tuple(classes), self.task.numbers)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        if self.true is not None and self.true.numbers:
            return Task.REGRESSION
        return Task.CLASSIFICATION

    def check_answers(self) -> None:
        """Refuse labels of one class, by which no prediction can be wrong, and one number alone."""
        if self.task.numbers:
            check_spread(self.truth, ("truth",))
        if len(self.classes) == 1:
            (only,) = self.classes
            with_another = ",".join(in_order([only, _OTHERS.get(only, "…")]))
            raise Problem(
                ("classes",),
                f"{self.name} has only one class, {only!r}, so that no prediction can "
                f"be wrong: name the other classes, like {setting('classes', with_another)}, "
                "or use rows of several classes",
            )


def folds_in(records: Records) -> NDArray[np.intp] | None:
    """Return repeats and their folds, numbered in the order of their values; None without any."""
    repeat = records.related("repeat")
    fold = records.related("fold")
    if repeat is None and fold is None:
        return None
    n_rows = records.table.num_rows
    if repeat is None:
        repeat = np.full(n_rows, "1", dtype=object)
    if fold is None:
        fold = np.full(n_rows, "1", dtype=object)
    # columns are the repeat and the fold in it, both from 1
    numbers = np.ones((n_rows, 2), dtype=np.intp)
    for number, name in enumerate(in_order(set(repeat.tolist())), start=1):
        in_repeat = repeat == name
        names = in_order(set(fold[in_repeat].tolist()))
        numbers[in_repeat, 0] = number
        numbers[in_repeat, 1] = pd.Categorical(fold[in_repeat], categories=names).codes + 1
    return numbers
