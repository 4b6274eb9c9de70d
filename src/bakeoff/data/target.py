"""The target of a data set, classes or a quantity: the only module where the two differ."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import yaml
from numpy.typing import NDArray
from pandas.api import types

from bakeoff.data import columns
from bakeoff.errors import Place, Problem, joined
from bakeoff.keys import alike_classes, name_of, spelled
from bakeoff.sources import DataSet
from bakeoff.sources.common.identifiers import names

_NEGATIVE = {
    "0", "-1", "no", "n", "false", "f", "negative", "neg", "absent", "absence", "benign",
    "healthy", "normal", "control", "good", "ham", "legitimate", "genuine", "alive", "survived",
    "none", "never", "off", "stay", "stayed", "retained", "reject", "rejected", "fail", "failed",
    "loss", "lost", "low", "unlikely", "inactive", "paid",
}  # fmt: skip
_POSITIVE = {
    "1", "yes", "y", "true", "t", "positive", "pos", "present", "presence", "malignant",
    "sick", "ill", "disease", "diseased", "abnormal", "case", "bad", "spam", "fraud", "fake",
    "dead", "died", "on", "leave", "left", "churn", "churned", "accept", "accepted", "pass",
    "passed", "win", "won", "high", "likely", "active", "default", "defaulted", "anomaly",
}  # fmt: skip
_NOT = re.compile(r"(?i)^(no|not|non|without)[\s_-]+(?=\w)")
_WHOLE = re.compile(r"-?\d+")
BY_NAME = "by its name"
BY_NUMBER = "the larger number"
_TRUTH_VALUES = (("0", "1"), ("False", "True"), ("false", "true"), ("FALSE", "TRUE"))
"""How tables and arrays write what is not true and what is."""
_SAME = 1e-6
"""How far two files may differ in a number, relatively: some round, or store single precision."""
_MOST_SPELLINGS = 4
"""Classes whose spellings a message lists."""
_MANY_CLASSES = 100
"""So many classes there may be of any number of rows."""


# --- the positive class


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
    # the shorter name first, so that the order of the counts decides nothing
    first, second = sorted(counts, key=lambda name: (len(name), name))
    for negative, positive in ((first, second), (second, first)):
        if _is_opposite(negative, positive):
            return Positive(positive, BY_NAME)
    if all(_WHOLE.fullmatch(name) for name in counts):
        return Positive(max(counts, key=int), BY_NUMBER)
    # of what is looked for there is mostly less: the sick, the churned, the fraud
    if counts[first] == counts[second]:
        return Positive(max(counts), "the last by name, both are equally frequent")
    return Positive(min(counts, key=lambda name: counts[name]), "the rarer class")


def _is_opposite(negative: str, positive: str) -> bool:
    """Tell names like no and yes, or like "not sick" and sick."""
    bare = negative.strip().strip(".").lower()
    word = positive.strip().strip(".").lower()
    if bare in _NEGATIVE and word in _POSITIVE:
        return True
    without_not = _NOT.sub("", negative).strip().strip(".").lower()
    return without_not != bare and without_not == word


class ClassOrder(NamedTuple):
    """Classes in order, of two the positive one last; none of numbers."""

    names: tuple[str, ...]
    sure: bool
    """Whether it is known which class is the positive one, and not only guessed."""


def positive_last(classes: Sequence[str], positive: Any, counts: Mapping[str, int]) -> ClassOrder:
    """Order classes, of two the positive one last: the one that is named, or `positive_of`."""
    if len(classes) != 2:
        if positive is not None:
            raise Problem(("positive",), f"there are {len(classes)} classes, not two")
        return ClassOrder(tuple(classes), sure=False)
    if positive is None:
        counts_of_two = {name: int(counts.get(name, 0)) for name in classes}
        guess = positive_of(counts_of_two)
        last = guess.name
        is_sure = guess.sure
    else:
        last = spelled_as(name_of(positive), classes)
        is_sure = True
        if last not in classes:
            columns.check_values([positive], classes, "class", ("positive",))
    names = sorted(classes, key=lambda name: name == last)
    return ClassOrder(tuple(names), is_sure)


def spelled_as(name: str, classes: Collection[str]) -> str:
    """Return a truth value as the classes spell it: True as 1 where these are 0 and 1."""
    if name in classes:
        return name
    for own in _TRUTH_VALUES:
        if name not in own:
            continue
        for pair in _TRUTH_VALUES:
            if set(pair) == set(classes):
                return pair[own.index(name)]
    return name


# --- answers: what is true, or predicted, of rows


@dataclasses.dataclass(frozen=True)
class Answers:
    """What is true, or predicted, of rows: labels as codes, or numbers, which have no classes."""

    classes: tuple[str, ...]
    values: NDArray[Any]

    @classmethod
    def of_labels(cls, column: pa.ChunkedArray) -> Answers:
        """Encode a column; its distinct values alone are written as texts."""
        if pa.types.is_null(column.type):  # a column without a value
            column = column.cast(pa.string())
        encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        texts = names(pd.Series(encoded.dictionary.to_pandas()))
        # values of several spellings, like 1 and 1.0, may have the same text
        code_of_place, classes = pd.factorize(texts)
        return cls(tuple(map(str, classes)), _codes(code_of_place, len(classes))[places])

    def among(self, classes: Sequence[str]) -> NDArray[Any]:
        """Return labels as positions in other classes, -1 where they are none of them; numbers."""
        if self.numbers or tuple(classes) == self.classes:
            return self.values
        places = {name: place for place, name in enumerate(classes)}
        place_of_code = []
        for name in self.classes:
            place_of_code.append(places.get(spelled_as(name, places), -1))
        # the code -1 of a missing label takes the last place, which is -1 too
        return np.asarray(_codes(place_of_code, len(classes))[self.values])

    def __getitem__(self, rows: Any) -> Answers:
        return Answers(self.classes, self.values[rows])

    @property
    def numbers(self) -> bool:
        """Whether they are numbers."""
        return self.values.dtype.kind == "f"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether a row has no label or number, shape (n,)."""
        if self.numbers:
            return np.asarray(np.isnan(self.values))
        return np.asarray(self.values < 0)

    def unlike(self, other: Answers) -> NDArray[np.bool_]:
        """Tell in which rows another column has another answer, but for rounding, shape (n,)."""
        if self.numbers:
            return np.asarray(~np.isclose(other.values, self.values, rtol=_SAME, atol=0))
        return np.asarray(other.among(self.classes) != self.values)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each label."""
        counted = np.bincount(self.values[~self.missing], minlength=len(self.classes))
        return dict(zip(self.classes, counted.tolist(), strict=True))

    def named(self, row: int) -> str:
        """Return the label or number of a row, for messages."""
        value = self.values[row]
        if self[row].missing:
            return ""
        if self.numbers:
            return f"{value:.9g}"
        return str(self.classes[value])


def _codes(places: Iterable[int], n_classes: int) -> NDArray[Any]:
    """Return codes in the smallest integer type, with -1 at the end for a missing label.

    So 50 models of a million rows take 50 MB.
    """
    codes = [*places, -1]
    return np.array(codes, dtype=np.min_scalar_type(-1 - n_classes))


# --- the target of an experiment


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

    def strata(self, answers: NDArray[Any]) -> NDArray[np.intp]:
        """Return the strata of divisions: the classes; of numbers a single one."""
        if self.numbers:
            return np.zeros(len(answers), dtype=np.intp)
        return answers

    def encoded(self, answers: NDArray[Any]) -> TrainingTarget:
        """Encode the answers of a training part."""
        if self.numbers:
            return TrainingTarget(
                answers,
                np.array([], np.intp),
                (),
                self.strata(answers),
            )
        # learners such as XGBoost want labels without gaps, whatever the training part holds
        present, labels = np.unique(answers, return_inverse=True)
        classes = tuple([self.classes[code] for code in present])
        return TrainingTarget(labels, present, classes, labels)

    def lacking(self, answers: NDArray[Any]) -> str:
        """Say why nothing can be learned from a training part; empty if it can."""
        present = np.unique(answers)
        if len(present) > 1:
            return ""
        if self.numbers:
            text = f"only the number {answers[0]:g}, expected two different ones"
        elif len(present):
            text = f"only the class {self.classes[present[0]]!r}, expected two classes"
        else:
            text = "no class, expected two classes"
        return f"the training part has {text}"

    def described(self, answers: NDArray[Any]) -> Mapping[str, Any]:
        """Count the rows of each class, or describe the numbers of some rows."""
        if not self.numbers:
            counts = np.bincount(answers[answers >= 0], minlength=len(self.classes))
            return {"classes": dict(zip(self.classes, counts.tolist(), strict=True))}
        if not len(answers):  # a training part, where all rows are test rows
            return {"numbers": {}}
        sd = 0.0
        if len(answers) > 1:
            sd = answers.std(ddof=1)
        facts = {
            "mean": answers.mean(),
            "median": np.median(answers),
            "sd": sd,
            "min": answers.min(),
            "max": answers.max(),
        }
        return {"numbers": _rounded(facts)}

    def off_constant(self, train: NDArray[Any], test: NDArray[Any]) -> Mapping[str, Any]:
        """Tell how far numbers of test rows are from the median of training: mean and median."""
        if not self.numbers or not len(train):
            return {}
        off = np.abs(test - np.median(train))
        return {"off_median": _rounded({"mean": off.mean(), "median": np.median(off)})}

    def difference(self, train: NDArray[Any], test: NDArray[Any]) -> float:
        """Return the largest difference of a share of a class, or that of means in SD."""
        if self.numbers:
            sd = np.concatenate([train, test]).std()
            return float(abs(train.mean() - test.mean()) / sd)
        n_classes = len(self.classes)
        of_train = np.bincount(train, minlength=n_classes) / len(train)
        of_test = np.bincount(test, minlength=n_classes) / len(test)
        return float(np.abs(of_train - of_test).max())


def _rounded(facts: Mapping[str, Any]) -> dict[str, float]:
    # the last digits differ between processors
    return {name: float(f"{value:.12g}") for name, value in facts.items()}


# --- numbers


def looks_like_a_quantity(column: columns.Series) -> bool:
    """Tell numbers with a fraction, or with too many different values for classes."""
    if types.is_bool_dtype(column.dtype) or not types.is_numeric_dtype(column.dtype):
        return False
    present = column.dropna()
    if not types.is_integer_dtype(present.dtype) and not bool((present % 1 == 0).all()):
        return True
    return present.nunique() > most_classes(len(present))


def most_classes(rows: int) -> int:
    """Return how many different values may still be classes."""
    return max(_MANY_CLASSES, rows // 2)


def read_numbers(column: columns.Series) -> tuple[columns.Series, Target]:
    """Check the numbers to predict."""
    at = ("target",)
    numbers = column
    if column.dtype != bool:
        numbers = pd.to_numeric(column, errors="coerce")
    texts = column[numbers.isna()]
    if len(texts):
        raise Problem(
            at,
            f"{len(texts)} of {len(column)} values of {column.name!r} are no numbers, first "
            f"{texts.iloc[0]!r}: mend or drop them, or leave `task: regression` out to predict "
            "classes",
        )
    numbers = numbers.astype(np.float64)
    infinite = ~np.isfinite(numbers)
    if infinite.any():
        n_infinite = int(infinite.sum())
        raise Problem(at, f"{n_infinite} of {len(column)} values of {column.name!r} are infinite")
    largest = numbers.abs().max()
    if largest > columns.LARGEST:
        raise Problem(at, f"{column.name!r} has {columns.beyond(largest)}")
    check_spread(numbers.to_numpy(), at)
    return numbers, Target(numbers=True)


def check_spread(numbers: NDArray[Any], place: Place) -> None:
    """Refuse a target that is the same number for all rows."""
    if numbers.min(initial=np.inf) == numbers.max(initial=-np.inf):
        text = f"the target is {numbers[0]:g} in every row: nothing is to be predicted"
        raise Problem(place, text)


# --- classes


def read_labels(target: columns.Series, spec: DataSet) -> tuple[columns.Series, Target]:
    """Turn labels into strings and merge, select and order the classes."""
    labels = names(target)
    order = columns.sorted_names(target)
    if types.is_float_dtype(target) and "." in "".join(order):
        raise _quantity(order, target)
    pools = _pools(spec, order)
    labels = labels.map(lambda name: pools.get(name, name))
    # a pool stands where the first of its classes stood
    with_pools: dict[str, None] = {}
    for name in order:
        with_pools[pools.get(name, name)] = None
    order = list(with_pools)
    if spec.classes is not None:
        columns.check_values(spec.classes, order, "class", ("classes",))
        wanted = set(map(name_of, spec.classes))
        labels = labels[labels.isin(wanted)]
        order = [name for name in order if name in wanted]
    else:
        spellings = unclear_spellings(order)
        if spellings:
            text = spelling_advice(str(target.name), spellings, counted(labels))
            raise Problem(("target",), text)
    if len(order) > most_classes(len(labels)):
        raise _quantity(order, labels)
    if len(order) < 2:
        raise Problem(("target",), f"only one class, {order[0]!r}: nothing to compare")
    classes = positive_last(order, spec.positive, counted(labels))
    return labels, Target(classes.names)


def _pools(spec: DataSet, order: Sequence[str]) -> dict[str, str]:
    """Map the classes that are merged to the names of their pools."""
    pools: dict[str, str] = {}
    for new, pooled in spec.merge.items():
        at = ("merge", new)
        columns.check_values(pooled, order, "class", at)
        for name in map(name_of, pooled):
            if pools.setdefault(name, new) != new:
                raise Problem(at, f"class {name!r} is merged into {pools[name]!r} already")
    for new in spec.merge:
        if pools.get(new, new) != new:
            text = f"{new!r} is itself merged into {pools[new]!r}: use one name"
            raise Problem(("merge", new), text)
    return pools


def _quantity(order: list[str], target: columns.Series) -> Problem:
    """Say that labels look like numbers to predict."""
    return Problem(
        ("target",),
        f"{len(order)} different values in {len(target)} rows look like a quantity, not like "
        "classes: write `task: regression` to predict them as numbers; if they are classes, store "
        "them as texts",
    )


def counted(labels: columns.Series) -> dict[str, int]:
    """Count the rows of each label, by its name."""
    counts = {}
    for name, n_rows in names(labels).value_counts().items():
        counts[str(name)] = int(n_rows)
    return counts


# --- classes in several spellings


def unclear_spellings(names: Iterable[str], listed: Collection[str] = ()) -> list[list[str]]:
    """List the labels that may be one class in several spellings, unless all of them are listed."""
    unclear = []
    for group in alike_classes(names):
        if not set(group) <= set(listed):
            unclear.append(group)
    return unclear


def said_of_spellings(
    what: str,
    spellings: Sequence[Sequence[str]],
    counts: Mapping[str, int],
    of: str = "class",
) -> str:
    """Say which names may be those of one class, or subgroup, and how many rows have each."""
    classes = []
    for group in spellings[:_MOST_SPELLINGS]:
        parts = []
        for name, written in zip(group, spelled(group), strict=True):
            n_rows = counts.get(name, 0)
            rows = "rows"
            if n_rows == 1:
                rows = "row"
            parts.append(f"{written} ({n_rows:,} {rows})")
        classes.append(joined(parts))
    n_more = len(spellings) - len(classes)
    if n_more:
        classes.append(f"and {n_more:,} more")
    return f"{what} may hold one {of} in several spellings: {'; '.join(classes)}"


def spelling_advice(
    column: str,
    spellings: Sequence[Sequence[str]],
    counts: Mapping[str, int],
) -> str:
    """Say which labels of a column may be one class, and which keys of a data set settle it."""
    return (
        f"{said_of_spellings(repr(column), spellings, counts)}. Write each class in one way in the "
        f"data, or pool its spellings, `merge: {_pooled(spellings)}`; if these are different "
        "classes, list all classes under `classes:`"
    )


def _pooled(spellings: Sequence[Sequence[str]]) -> str:
    """Write the key `merge` that pools spellings, under the one without blanks at its ends."""
    pools = {}
    has_code_points = False
    for group in spellings:
        name_of_pool = min(group, key=lambda name: name != name.strip())
        pools[name_of_pool] = list(group)
        if any("U+" in written for written in spelled(group)):
            has_code_points = True
    text = yaml.safe_dump(
        pools,
        default_flow_style=True,
        width=10**6,
        sort_keys=False,
        allow_unicode=not has_code_points,
    )
    return text.strip()
