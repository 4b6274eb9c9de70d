"""The target of a data set, classes or a quantity: the only module where the two differ."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from bakeoff.data import columns
from bakeoff.errors import Place, Problem, UserError
from bakeoff.keys import name_of
from bakeoff.sources import DataSet
from bakeoff.sources.common.identifiers import names

_NEGATIVE = {
    *("0", "-1", "no", "n", "false", "f", "negative", "neg", "absent", "absence", "benign"),
    *("healthy", "normal", "control", "good", "ham", "legitimate", "genuine", "alive", "survived"),
    *("none", "never", "off", "stay", "stayed", "retained", "reject", "rejected", "fail", "failed"),
    *("loss", "lost", "low", "unlikely", "inactive", "paid"),
}
_POSITIVE = {
    *("1", "yes", "y", "true", "t", "positive", "pos", "present", "presence", "malignant"),
    *("sick", "ill", "disease", "diseased", "abnormal", "case", "bad", "spam", "fraud", "fake"),
    *("dead", "died", "on", "leave", "left", "churn", "churned", "accept", "accepted", "pass"),
    *("passed", "win", "won", "high", "likely", "active", "default", "defaulted", "anomaly"),
}
_NOT = re.compile(r"(?i)^(no|not|non|without)[\s_-]+(?=\w)")
BY_NAME, BY_NUMBER = "by its name", "the larger number"


class Positive(NamedTuple):
    """The positive class of two, and why it is taken for it."""

    name: str
    why: str

    @property
    def sure(self) -> bool:
        """Whether the names of the classes decide, and not how frequent they are."""
        return self.why in (BY_NAME, BY_NUMBER)


def positive_of(counts: Mapping[str, int]) -> Positive:
    """Choose the positive one of two classes where nobody names it, everywhere alike."""
    first, second = sorted(counts, key=lambda name: (len(name), name))
    for one, other in ((first, second), (second, first)):
        if _bare(one) in _NEGATIVE and _bare(other) in _POSITIVE:
            return Positive(other, BY_NAME)
        if _NOT.sub("", one) != one and _bare(_NOT.sub("", one)) == _bare(other):
            return Positive(other, BY_NAME)
    if all(re.fullmatch(r"-?\d+", name) for name in counts):
        return Positive(max(counts, key=int), BY_NUMBER)
    if counts[first] == counts[second]:
        return Positive(max(counts), "the last by name, both are equally frequent")
    return Positive(min(counts, key=lambda name: counts[name]), "the rarer class")


def _bare(name: str) -> str:
    return name.strip().strip(".").lower()


Codes: TypeAlias = "NDArray[np.signedinteger[Any]]"
"""Classes of rows: their places among the classes."""
_SAME = 1e-6
"""How far two files may differ in a number, relatively: some round, or store single precision."""


@dataclasses.dataclass(frozen=True)
class Labels:
    """Labels of rows, as codes."""

    classes: tuple[str, ...]
    codes: Codes
    what: ClassVar[str] = "true label"

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> Labels:
        """Encode a column; its distinct values alone are written as texts."""
        if pa.types.is_null(column.type):  # a column without a value
            column = column.cast(pa.string())
        encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        texts = names(pd.Series(encoded.dictionary.to_pandas()))
        same, classes = pd.factorize(texts)
        return cls(tuple(map(str, classes)), _codes([*same, -1], len(classes))[places])

    def among(self, classes: Sequence[str]) -> Codes:
        """Return the codes as positions in other classes; -1 where a label is none of them."""
        if tuple(classes) == self.classes:
            return self.codes
        places = {name: place for place, name in enumerate(classes)}
        positions = [places.get(name, -1) for name in self.classes]
        return _codes([*positions, -1], len(classes))[self.codes]

    def __getitem__(self, rows: Any) -> Labels:
        return Labels(self.classes, self.codes[rows])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether a row has no label, shape (n,)."""
        return np.asarray(self.codes < 0)

    def unlike(self, other: Labels) -> NDArray[np.bool_]:
        """Tell in which rows another column has another label, shape (n,)."""
        return np.asarray(other.among(self.classes) != self.codes)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each label."""
        counted = np.bincount(self.codes[~self.missing], minlength=len(self.classes))
        return dict(zip(self.classes, counted.tolist(), strict=True))

    def named(self, row: int) -> str:
        """Return the label of a row, for messages."""
        return "" if self.codes[row] < 0 else self.classes[self.codes[row]]


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Numbers of rows, in place of `Labels`."""

    values: NDArray[np.float64]
    classes: ClassVar[tuple[str, ...]] = ()
    what: ClassVar[str] = "true number"

    def among(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the numbers, which are among no classes."""
        return self.values

    def __getitem__(self, rows: Any) -> Numbers:
        return Numbers(self.values[rows])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether a row has no number, shape (n,)."""
        return np.isnan(self.values)

    def unlike(self, other: Numbers) -> NDArray[np.bool_]:
        """Tell in which rows another column has another number, but for rounding, shape (n,)."""
        return ~np.isclose(other.values, self.values, rtol=_SAME, atol=0)

    def named(self, row: int) -> str:
        """Return the number of a row, for messages."""
        return "" if np.isnan(self.values[row]) else f"{self.values[row]:.9g}"


Answers: TypeAlias = Labels | Numbers
"""What is true, or predicted, of rows."""


def _codes(places: Sequence[int], classes: int) -> Codes:
    """Return codes in the smallest integer type: 50 models of a million rows take 50 MB."""
    return np.array(places, dtype=np.min_scalar_type(-1 - classes))


class TrainingTarget(NamedTuple):
    """The target of a training part, encoded as estimators need it."""

    y: NDArray[Any]
    present: NDArray[np.intp]
    classes: tuple[str, ...]
    strata: NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class Target:
    """What the models of an experiment predict: classes, or numbers."""

    classes: tuple[str, ...] = ()
    numbers: bool = False

    def answers(self, column: columns.Series) -> NDArray[Any]:
        """Return the true answers of rows: positions in `classes`, or numbers."""
        if self.numbers:
            return column.to_numpy(dtype=np.float64)
        codes = pd.Categorical(column, categories=list(self.classes)).codes
        return np.asarray(codes, dtype=np.intp)

    def stored(self, answers: NDArray[Any]) -> Any:
        """Return answers as tables hold them."""
        if self.numbers:
            return answers
        return pd.Categorical.from_codes(answers, pd.Index(self.classes, dtype=object))

    def column(self, answers: NDArray[Any]) -> Answers:
        """Return answers as a column of a file holds them."""
        return Numbers(answers) if self.numbers else Labels(self.classes, answers.astype(np.int32))

    def strata(self, answers: NDArray[Any]) -> NDArray[np.intp]:
        """Return the strata of divisions: the classes; of numbers a single one."""
        return np.zeros(len(answers), dtype=np.intp) if self.numbers else answers

    def encoded(self, answers: NDArray[Any]) -> TrainingTarget:
        """Encode the answers of a training part."""
        if self.numbers:
            return TrainingTarget(answers, np.array([], np.intp), (), self.strata(answers))
        # learners such as XGBoost want labels without gaps, whatever the training part holds
        present, labels = np.unique(answers, return_inverse=True)
        return TrainingTarget(
            labels, present, tuple(self.classes[code] for code in present), labels
        )

    def lacking(self, answers: NDArray[Any]) -> str:
        """Say why nothing can be learned from a training part; empty if it can."""
        present = np.unique(answers)
        if len(present) > 1:
            return ""
        if self.numbers:
            held, expected = f"only the number {answers[0]:g}", "two different ones"
        else:
            held = f"only the class {self.classes[present[0]]!r}" if len(present) else "no class"
            expected = "two classes"
        return f"the training part has {held}, expected {expected}"

    def described(self, answers: NDArray[Any]) -> Mapping[str, Any]:
        """Count the rows of each class, or describe the numbers of some rows."""
        if not self.numbers:
            counts = np.bincount(answers[answers >= 0], minlength=len(self.classes))
            return {"classes": dict(zip(self.classes, counts.tolist(), strict=True))}
        if not len(answers):  # a training part, where all rows are test rows
            return {"numbers": {}}
        spread = answers.std(ddof=1) if len(answers) > 1 else 0.0
        found = {"mean": answers.mean(), "median": np.median(answers), "sd": spread}
        found |= {"min": answers.min(), "max": answers.max()}
        return {"numbers": {name: float(f"{value:.12g}") for name, value in found.items()}}

    def off_constant(self, train: NDArray[Any], test: NDArray[Any]) -> Mapping[str, Any]:
        """Tell how far numbers of test rows are from the median of training: mean and median."""
        if not self.numbers or not len(train):
            return {}
        off = np.abs(test - np.median(train))
        found = {"mean": off.mean(), "median": np.median(off)}
        return {"off_median": {name: float(f"{value:.12g}") for name, value in found.items()}}

    def difference(self, train: NDArray[Any], test: NDArray[Any]) -> float:
        """Return the largest difference of a share of a class, or that of means in SD."""
        if self.numbers:
            return float(abs(train.mean() - test.mean()) / np.concatenate([train, test]).std())
        k = len(self.classes)
        shares = [np.bincount(part, minlength=k) / len(part) for part in (train, test)]
        return float(np.abs(shares[0] - shares[1]).max())


def looks_like_a_quantity(column: columns.Series) -> bool:
    """Tell numbers with a fraction, or with too many different values for classes."""
    if types.is_bool_dtype(column.dtype) or not types.is_numeric_dtype(column.dtype):
        return False
    present = column.dropna()
    whole = types.is_integer_dtype(present.dtype) or bool((present % 1 == 0).all())
    return not whole or present.nunique() > most_classes(len(present))


def most_classes(rows: int) -> int:
    """Return how many different values may still be classes."""
    return max(100, rows // 2)


def read_target(
    column: columns.Series, spec: DataSet, place: Place, *, numbers: bool
) -> tuple[columns.Series, Target]:
    """Check the column to predict."""
    if numbers:
        return _numbers(column, place), Target(numbers=True)
    labels, classes = _labels(column, spec, place)
    return labels, Target(classes)


def _numbers(column: columns.Series, place: Place) -> columns.Series:
    at = (*place, "target")
    found = pd.to_numeric(column, errors="coerce") if column.dtype != bool else column
    texts = column[found.isna()]
    if len(texts):
        raise Problem(
            at,
            f"{len(texts)} of {len(column)} values of {column.name!r} are no numbers, first "
            f"{texts.iloc[0]!r}: mend or drop them, or leave `task: regression` out to predict "
            "classes",
        )
    numbers = found.astype(np.float64)
    if not np.isfinite(numbers).all():
        wrong = int((~np.isfinite(numbers)).sum())
        raise Problem(at, f"{wrong} of {len(column)} values of {column.name!r} are infinite")
    if (largest := numbers.abs().max()) > columns.LARGEST:
        raise Problem(at, f"{column.name!r} has {columns.beyond(largest)}")
    check_spread(numbers.to_numpy(), at)
    return numbers


def check_spread(numbers: NDArray[Any], place: Place) -> None:
    """Refuse a target that is the same number for all rows."""
    if numbers.min(initial=np.inf) == numbers.max(initial=-np.inf):
        raise Problem(
            place, f"the target is {numbers[0]:g} in every row: nothing is to be predicted"
        )


def _labels(
    target: columns.Series, spec: DataSet, place: Place
) -> tuple[columns.Series, tuple[str, ...]]:
    """Turn labels into strings and merge, select and order the classes."""
    labels, order = names(target), columns.sorted_names(target)
    if types.is_float_dtype(target) and any("." in name for name in order):
        raise _quantity(order, target, place)
    labels, order = _merged(labels, order, spec, place)
    if spec.classes is not None:
        _check_classes(spec.classes, order, (*place, "classes"))
        wanted = {name_of(name) for name in spec.classes}
        labels, order = labels[labels.isin(wanted)], [name for name in order if name in wanted]
    if len(order) > most_classes(len(labels)):
        raise _quantity(order, labels, place)
    plain: dict[str, str] = {}
    for name in order:
        first = plain.setdefault(" ".join(name.split()), name)
        if first != name:
            raise Problem(
                (*place, "target"),
                f"the classes {first!r} and {name!r} of {str(target.name)!r} differ only in white "
                f"space: mend the data, or pool them with `merge: {{{' '.join(name.split())}: "
                f"[{first!r}, {name!r}]}}`",
            )
    if len(order) < 2:
        raise Problem((*place, "target"), f"only one class, {order[0]!r}: nothing to compare")
    return labels, positive_last(order, spec.positive, place, counted(labels))


def counted(labels: columns.Series) -> dict[str, int]:
    """Count the rows of each label, by its name."""
    return {str(name): int(n) for name, n in names(labels).value_counts().items()}


def positive_last(
    order: Sequence[str], positive: Any, place: Place, counts: Mapping[str, int]
) -> tuple[str, ...]:
    """Return classes in order, of two the positive one last: the named one, or `positive_of`."""
    if positive is None and len(order) == 2:
        positive = positive_of({name: int(counts.get(name, 0)) for name in order}).name
    if positive is None:
        return tuple(order)
    if len(order) != 2:
        raise Problem((*place, "positive"), f"there are {len(order)} classes, not two")
    _check_classes([positive], list(order), (*place, "positive"))
    return tuple(sorted(order, key=lambda name: name == name_of(positive)))


def _merged(
    labels: columns.Series, order: list[str], spec: DataSet, place: Place
) -> tuple[columns.Series, list[str]]:
    """Pool classes; the pool stands where the first of its classes stood."""
    into: dict[str, str] = {}
    for new, pooled in spec.merge.items():
        at = (*place, "merge", new)
        _check_classes(pooled, order, at)
        for name in map(name_of, pooled):
            if into.setdefault(name, new) != new:
                raise Problem(at, f"class {name!r} is merged into {into[name]!r} already")
    for new in spec.merge:
        if into.get(new, new) != new:
            text = f"{new!r} is itself merged into {into[new]!r}: use one name"
            raise Problem((*place, "merge", new), text)
    merged = dict.fromkeys(into.get(name, name) for name in order)
    return labels.map(lambda name: into.get(name, name)), list(merged)


def _check_classes(wanted: Any, order: list[str], at: Place) -> None:
    try:
        columns.check_values(wanted, order, "class")
    except UserError as error:
        raise Problem(at, str(error)) from None


def _quantity(order: list[str], target: columns.Series, place: Place) -> Problem:
    return Problem(
        (*place, "target"),
        f"{len(order)} different values in {len(target)} rows look like a quantity, not like "
        "classes: write `task: regression` to predict them as numbers; if they are classes, store "
        "them as texts",
    )
