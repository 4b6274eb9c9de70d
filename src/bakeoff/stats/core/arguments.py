"""What arguments may be, declared once: a function checks what it is annotated with.

`checked` (and `register`, for the tests of the catalogue) checks each argument by the annotation of
its parameter before the function runs. The options of an experiment and their schema are checked
and made from the same annotations (`bakeoff.comparisons.settings`). Arrays are checked where they
are used (`bakeoff.stats.core.checks`), because that makes new arrays.

Parameters that many functions share, the arrays of a test and the usual errors need no line in the
docstring of a function: `fill_docstring` adds them, unless the docstring describes them otherwise.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
import operator
import re
import typing
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, Unpack, get_args, get_origin

import numpy as np
from annotated_types import Ge, Gt, Le, Lt, Predicate

from bakeoff.stats.core.checks import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])

Paragraphs = dict[tuple[str, ...], str]
"""Descriptions of parameters by the names that they describe."""

Finite = Annotated[float, Predicate(math.isfinite)]
Level = Annotated[float, Gt(0), Lt(1)]
"""A probability that is neither 0 nor 1."""
Alpha = Annotated[float, Gt(0), Lt(0.5)]
"""The level of one-sided tests whose interval has level 1 − 2 alpha."""
AtLeast0 = Annotated[float, Ge(0)]
Count = Annotated[int, Ge(0)]
PositiveInt = Annotated[int, Ge(1)]
PositiveFloat = Annotated[float, Gt(0)]
Share = Annotated[float, Gt(0), Le(1)]
Seed = Annotated[int, Ge(0)]
Resamples = Annotated[int, Ge(99)]
"""Draws of a bootstrap, enough for a level of 1%."""
Decimals = Annotated[int, Ge(-15), Le(15)]

Relation = Literal["independent", "groups", "time"]
"""How the rows of a test set hang together."""
IN_GROUPS = "rows in groups"

_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_BOUNDS: dict[type, tuple[Callable[[Any, Any], bool], str, str]] = {
    Gt: (operator.gt, "above", "gt"),
    Ge: (operator.ge, "of at least", "ge"),
    Lt: (operator.lt, "below", "lt"),
    Le: (operator.le, "at most", "le"),
}

_SHARED = """
alpha : float
    Level of the test. Of equivalence it is below 0.5, and the interval has level 1 − 2 alpha.
alternative : {"two-sided", "greater", "less"}
    ``"greater"``: A, the first of a pair or the control, is better. A one-sided test has
    one-sided intervals.
both_correct, only_a_correct, only_b_correct, both_wrong : int
    Counts of rows: right for both models, for A alone, for B alone, for neither.
confidence_level : float
    Level of the intervals.
control : int, optional
    Column of a control: only it is compared, as A, with each other model as B.
correct : array_like, shape (n, M)
    Right or wrong (booleans or 0/1) for n rows and M ≥ 2 models.
correct_a, correct_b : array_like of bool or 0/1, shape (n,)
    Whether A and B are right on each row, in the same row order.
correction : str
    A method of `adjust_pvalues`.
cost : array_like, shape (K, K), optional
    For ``cost`` and ``expected_cost``: what predicting a class (columns) for a true one
    (rows) costs.
criteria : sequence of str, optional
    Names of the criteria, for messages.
decimals : int, optional
    Round scores to this many decimals first (float noise is removed in any case).
full_repeats : int
    R, the number of cross-validations of all rows; 0 will do for ``"halves"``.
greater_is_better : bool
    False for losses, costs and error rates.
groups : array_like, shape (n,), optional
    The group of each row (patient, user, day), where rows are not independent.
labels : array_like, optional
    The classes in the order of the columns; sorted if not given.
margin : float
    The largest difference that does not matter, in the unit of the scores (of accuracy 0.01 is a
    percentage point), above 0. Choose it before seeing the data.
metric : str
    A metric of `bakeoff.stats.test_set_metrics()`.
missing : {"raise", "omit"}
    ``omit`` leaves NaN cells out, so models may have different numbers of scores.
mu0 : float
    The expected score under the null hypothesis, in the unit of the scores.
n_resamples : int
    Number of random draws.
n_train, n_test : float or array_like of the shape of the scores, optional
    Rows in the training and test sets. By default their ratio is 1/(k − 1), where a single
    axis is taken for the k folds of one cross-validation: give the sizes for random splits.
nan_policy : {"raise", "omit"}
    ``"omit"``: a NaN is a missing fold, so models may have unequal numbers of them.
positive : object, optional
    The positive class of two; the last if not given.
priors : array_like, shape (K,), optional
    For ``expected_cost``: how frequent each class is where the models will be used.
row_counts : array_like, shape (n,), optional
    How often each row occurs, for tables of patterns.
seed : int
    Seed of the random draws: the same seed gives the same result.
y_true : array_like, shape (n,)
    The true classes.
"""
_OF_EVIDENCE = {
    "rows": """
pred_a, pred_b : array_like, shape (n,)
    The classes that A and B predict, in the same rows.
score_a, score_b : array_like, shape (n,)
    The scores of A and B, larger for the positive class.
predicted_a, predicted_b : array_like, shape (n,) or (n, K)
    What A and B predict, in the same rows, as in `influence`.
values_a, values_b : array_like, shape (n,)
    What A and B have on each row, in the same row order.
""",
    "runs": """
runs_a, runs_b : sequence of array_like, or Runs
    What each run of A and of B predicts for the rows, as in `influence`, or the number that it has
    on each. The numbers of runs may differ. ``Runs([values], deterministic=True)`` is a model whose
    training has no random part.
paired : bool
    Whether runs of A and B with the same place share their random part (initialisation, order of
    the data); they are then compared run by run.
""",
    "fold_scores": """
scores : array_like, shape (J, M)
    Rows are folds, columns are models.
scores_a, scores_b : array_like, shape (J,)
    Scores of A and B on the same splits.
""",
    "fold_rows": """
fold : array_like, shape (5, n)
    The half, 1 or 2, in which a row was tested in each replication.
correct_a, correct_b : array_like of bool or 0/1, shape (5, n)
    Whether A and B are right on each row, in each replication.
""",
    "datasets": """
scores : array_like, shape (N, k)
    One row per data set, one column per model.
scores_a, scores_b : array_like, shape (N,)
    One score per data set, in the same order of data sets.
""",
}
_OF_ONE = """
scores : array_like, shape (J,)
    One score per fold.
alternative : {"two-sided", "greater", "less"}
    ``"greater"``: the expected score is above the value. For a loss or an error rate that speaks
    against the algorithm, as it does in `binomial_test`.
"""
_RAISES = """\
ValueError
    On missing values, unequal lengths, another shape or kind of values than described, too few
    of them, or an option that is unknown, out of range or does not fit the others. The message
    names the argument, what was found and what is allowed.
"""
_RETURNS = {
    "fold_scores": """
Result
    `estimate` is the mean difference A − B and `ci` its interval.
""",
    "datasets": """
PairwiseResult
    Each pair's `estimate` is by how much a's average rank is better than b's, `statistic` its z or
    t. Single-step corrections also give `ci` and ``details["critical_difference"]``.
""",
    "one": """
Result
    `estimate` is the mean score and `ci` its interval, in the unit of the scores;
    ``effect_sizes["difference"]`` is how far above `mu0` it is.
""",
}
_SECTIONS = ("Parameters", "Returns", "Raises", "Warnings", "Notes", "References", "Examples")
_TITLES = re.compile(rf"^({'|'.join(_SECTIONS)})\n-+$", re.MULTILINE)


class Default(NamedTuple):
    """The default of an argument that a record declares; without it, None."""

    value: Any


# Checks


def checked(function: F) -> F:
    """Check the arguments of a function by their annotations, and fill in its docstring."""
    return checking(fill_docstring(spread_record(function)))


def checking(function: F, finish: Callable[[Any], Any] | None = None) -> F:
    """Return the function with the check of its arguments before it, and `finish` after it."""

    @functools.cache
    def declared() -> tuple[dict[str, Any], bool]:
        """Return the annotations of the parameters in order, and whether others are taken."""
        annotations = annotations_of(function)
        kinds: dict[str, Any] = {}
        takes_others = False
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                takes_others = True
            else:
                kinds[name] = annotations.get(name)
        return kinds, takes_others

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        kinds, takes_others = declared()
        for name, value in options.items():
            if name in kinds:
                options[name] = check_argument(value, name, kinds[name])
            elif not takes_others:
                raise TypeError(f"{function.__name__}() got an unexpected argument {name!r}")
        positional = list(args)
        for place, (name, value) in enumerate(zip(kinds, args, strict=False)):
            positional[place] = check_argument(value, name, kinds[name])
        if "alternative" in kinds and options.get("alternative", "two-sided") != "two-sided":
            _check_one_sided_level(options.get("confidence_level", 1))
        result = function(*positional, **options)
        if finish is None:
            return result
        return finish(result)

    return typing.cast(F, call)


def _check_one_sided_level(level: float) -> None:
    if level < 0.5:
        raise ArgumentError(
            "confidence_level",
            f"found {level!r}; a one-sided interval needs at least 0.5, below it the limit "
            "passes the estimate",
        )


def check_argument(value: Any, name: str, kind: Any) -> Any:
    """Check a value by an annotation, one of the types above; others are handed on as they are."""
    bounds: list[Any] = []
    if get_origin(kind) is Annotated:
        kind, *bounds = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        first, *others = get_args(kind)
        if others == [NoneType] and value is not None:
            return check_argument(value, name, first)
        return value
    if get_origin(kind) is Literal:
        return check_choice(value, get_args(kind), name)
    if kind is bool:
        return _check_bool(value, name)
    if kind is float and not bounds:
        return check_number(value, name)
    if kind in (int, float):
        return _check_bounded(kind, bounds, value, name)
    return value


def check_choice(value: Any, allowed: tuple[Any, ...], name: str) -> Any:
    """Check that an option is one of the allowed names."""
    if not isinstance(value, type(allowed[0])) or value not in allowed:
        raise ArgumentError(name, f"found {value!r}, allowed: {', '.join(map(repr, allowed))}")
    return value


def check_number(value: Any, name: str) -> float:
    """Check that an option is one real number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ArgumentError(name, f"found {value!r}, must be a number")
    return float(value)


def _check_bool(value: Any, name: str) -> bool:
    # a word such as "no" would count as True
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(name, f"found {value!r}, must be true or false")
    return bool(value)


def _check_bounded(kind: type, bounds: list[Any], value: Any, name: str) -> Any:
    """Check a whole number, or a finite one, by the bounds of its annotation."""
    limits = [_limit(bound) for bound in bounds if type(bound) in _BOUNDS]
    if kind is float:
        number = check_number(value, name) + 0.0  # no negative zero
    else:
        number = _whole_number(value)
    within = all(limit.holds(number, limit.value) for limit in limits)
    if not within or not math.isfinite(number):
        raise ArgumentError(name, f"found {value!r}, must {_allowed(kind, limits)}")
    return number


def _whole_number(value: Any) -> float:
    """Return a whole number as an int; infinity for anything else."""
    array = np.asarray(value)
    if array.ndim > 0 or array.dtype.kind not in "iuf":
        return math.inf
    if array != np.floor(array) or not np.isfinite(array):
        return math.inf
    return int(array)


class _Limit(NamedTuple):
    """One bound of an annotation."""

    holds: Callable[[Any, Any], bool]
    word: str
    value: Any


def _limit(bound: Any) -> _Limit:
    holds, word, attribute = _BOUNDS[type(bound)]
    return _Limit(holds, word, getattr(bound, attribute))


def _allowed(kind: type, limits: list[_Limit]) -> str:
    """Say what a number must be."""
    if [limit.word for limit in limits] == ["above", "below"]:
        return f"lie strictly between {limits[0].value} and {limits[1].value}"
    noun = "whole number"
    if kind is float:
        noun = "finite number"
    words = " and ".join(f"{limit.word} {limit.value}" for limit in limits)
    return f"be a {noun} {words}".strip()


def check_fields(record: Any) -> None:
    """Check the fields of a frozen dataclass by their annotations."""
    kinds = _declared(record.__class__)
    for field in dataclasses.fields(record):
        value = check_argument(getattr(record, field.name), field.name, kinds[field.name])
        object.__setattr__(record, field.name, value)


# Options that depend on how the rows hang together


@dataclasses.dataclass(frozen=True)
class Variants:
    """The values of an option by how the rows hang together, the default ones first."""

    independent: tuple[str, ...]
    groups: tuple[str, ...]

    def choose(self, value: str | None, relation: Relation, option: str = "variant") -> Any:
        """Return the value that is used; None asks for the default one."""
        allowed = self.groups
        others = self.independent
        rows = IN_GROUPS
        other_rows = "independent rows"
        if relation == "independent":
            allowed = self.independent
            others = self.groups
            rows = "independent rows"
            other_rows = IN_GROUPS
        if value is None:
            return allowed[0]
        if value in allowed:
            return value
        elsewhere = ""
        if value in others:
            elsewhere = f"which is for {other_rows}; "
        names = ", ".join(map(repr, allowed))
        raise ArgumentError(option, f"found {value!r}, {elsewhere}allowed for {rows}: {names}")


# Annotations


def choices_of(annotation: Any) -> tuple[Any, ...]:
    """Return the names that an annotation allows; none where it is no list of names."""
    for part in (annotation, *get_args(annotation)):
        if get_origin(part) is Literal:
            return get_args(part)
    return ()


def spread_record(function: F) -> F:
    """Give a function with ``**options: Unpack[Record]`` the record's parameters."""
    signature = inspect.signature(function)
    *parameters, last = signature.parameters.values()
    if not str(last.annotation).startswith("Unpack["):
        return function
    record = function.__globals__[last.annotation[len("Unpack[") : -1]]
    for name, kind in _declared(record).items():
        default = None
        for note in get_args(kind):
            if isinstance(note, Default):
                default = note.value
        written = record.__annotations__[name].__forward_arg__
        short = written.removeprefix("Annotated[").split(", Default")[0]
        parameters.append(inspect.Parameter(name, _KEYWORD, default=default, annotation=short))
    spread = signature.replace(parameters=parameters)
    function.__signature__ = spread  # type: ignore[attr-defined]
    return function


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the evaluated annotations of a function, those of a record one by one."""
    kinds = typing.get_type_hints(function, include_extras=True)
    for kind in list(kinds.values()):
        if get_origin(kind) is Unpack:
            kinds |= _declared(get_args(kind)[0])
    return kinds


def keywords_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the keyword-only parameters of a function, with their evaluated annotations."""
    kinds = annotations_of(function)
    keywords = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is _KEYWORD:
            keywords[name] = parameter.replace(annotation=kinds.get(name, parameter.empty))
    return keywords


@functools.cache
def _declared(record: type) -> dict[str, Any]:
    return typing.get_type_hints(record, include_extras=True)


# Docstrings


def descriptions(function: Callable[..., Any]) -> dict[str, str]:
    """Read what a docstring says of each parameter."""
    _, sections = _sections(function)
    descriptions_by_name: dict[str, str] = {}
    for names, paragraph in _paragraphs(sections.get("Parameters", "")).items():
        _, _, text = paragraph.partition("\n")
        description = _one_line(text).replace("``", "`")
        descriptions_by_name |= dict.fromkeys(names, description)
    return descriptions_by_name


def facts_of(function: Callable[..., Any]) -> dict[str, str]:
    """Read a test's title, question and caution: first line, paragraph that asks, ``Warnings``."""
    summary, sections = _sections(function)
    title, *paragraphs = [_one_line(paragraph) for paragraph in summary.split("\n\n")]
    questions = [paragraph for paragraph in paragraphs if paragraph.endswith("?")]
    facts = {"title": title.rstrip(".")}
    if questions:
        facts["answers"] = questions[0]
    if "Warnings" in sections:
        facts["caution"] = _one_line(sections["Warnings"])
    return facts


def fill_docstring(function: F, kind: str = "") -> F:
    """Add shared parameters and the usual errors to a docstring that does not describe them."""
    # It is filled in before the function is wrapped: programs that write pages unwrap it.
    # `kind` is the evidence of a test, or ``"one"`` for a test of one algorithm.
    if not function.__doc__:
        return function
    summary, sections = _sections(function)
    paragraphs = _KNOWN.get(kind, _KNOWN[""]) | _paragraphs(sections.get("Parameters", ""))
    filled = {"Returns": _RETURNS.get(kind, ""), "Raises": _RAISES}
    filled |= sections
    filled["Parameters"] = _described(list(inspect.signature(function).parameters), paragraphs)
    texts = [summary]
    for title in _SECTIONS:
        text = filled.get(title, "").strip()
        if text:
            texts.append(f"{title}\n{'-' * len(title)}\n{text}")
    function.__doc__ = "\n\n".join(texts)
    return function


def _described(names: list[str], paragraphs: Paragraphs) -> str:
    """Join the descriptions of parameters, in their order; each names those that are there."""
    group_of_name = {name: group for group in paragraphs for name in group}
    texts = {}
    for name in names:
        if name in group_of_name:
            group = group_of_name[name]
            names_present = [
                other for other in group if other in names and group_of_name[other] == group
            ]
            texts[group] = paragraphs[group].replace(", ".join(group), ", ".join(names_present), 1)
    return "\n".join(texts.values())


def _sections(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Cut a docstring into what stands before the sections, and these by their titles."""
    summary, *parts = _TITLES.split(inspect.cleandoc(function.__doc__ or ""))
    titles = parts[::2]
    texts = parts[1::2]
    return summary.strip(), dict(zip(titles, texts, strict=True))


def _paragraphs(text: str) -> Paragraphs:
    """Cut the descriptions of parameters at their names."""
    paragraphs = {}
    for paragraph in re.split(r"\n(?=[\w*])", text.strip()):
        if paragraph:
            names = re.split(r" : |\n", paragraph)[0].replace("*", "")
            paragraphs[tuple(names.split(", "))] = paragraph
    return paragraphs


def _one_line(text: str) -> str:
    return " ".join(text.split())


_KNOWN: dict[str, Paragraphs] = {"": _paragraphs(_SHARED)}
for _kind, _text in {**_OF_EVIDENCE, "one": _OF_ONE}.items():
    _KNOWN[_kind] = _KNOWN[""] | _paragraphs(_text)
