"""What arguments may be, declared once: a function checks what it is annotated with.

The types below are for annotations. `checked` (and `register`, for the tests of the catalogue)
checks every argument that is given by the annotation of its parameter before the function runs,
and describes shared parameters in its docstring. The options of an experiment and their schema
are checked and made from the same annotations (`bakeoff.comparisons.settings`).

Arrays are checked where they are used (`bakeoff.stats.core.checks`), because that makes new arrays.

A parameter that many functions share needs no line in the docstring of a function:
`fill_docstring` adds it in the order of the signature, unless the docstring describes it otherwise.
The arrays of a test are described by its evidence. A docstring without a section on errors gets the
usual one.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
import re
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, Unpack, get_args, get_origin

import numpy as np
from annotated_types import Ge, Gt, Le, Lt, Predicate

from bakeoff.stats.core.checks import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = """
alpha : float
    Level of the test.
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
    The largest difference that does not matter, in the unit of the scores, above 0. Choose it
    before seeing the data.
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
simultaneous : bool
    True: all intervals hold together at `confidence_level`. False: each by itself does.
times : array_like, shape (n,), optional
    The time of each row, in any unit that sorts.
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
values : array_like, shape (n, M)
    One row per row of the test set, one column per model.
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
_OF_TYPE = {
    "Alpha": """
alpha : float
    Level of the test, below 0.5; the interval has level 1 − 2 alpha.
""",
    "Level": """
margin : float
    The largest difference in accuracy that does not matter, between 0 and 1. Choose it before
    seeing the data.
""",
}
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
    "one": """
Result
    `estimate` is the mean score and `ci` its interval, in the unit of the scores;
    ``effect_sizes["difference"]`` is how far above `mu0` it is.
""",
}
_SECTIONS = ("Parameters", "Returns", "Raises", "Warnings", "Notes", "References", "Examples")
_TITLES = re.compile(rf"^({'|'.join(_SECTIONS)})\n-+$", re.MULTILINE)


def _paragraphs(text: str) -> dict[tuple[str, ...], str]:
    """Cut the descriptions of parameters at their names."""
    found = re.split(r"\n(?=[\w*])", text.strip()) if text.strip() else []
    return {
        tuple(re.split(r" : |\n", paragraph)[0].replace("*", "").split(", ")): paragraph
        for paragraph in found
    }


_KNOWN = {"": _paragraphs(_SHARED)}
_KNOWN |= {
    kind: _KNOWN[""] | _paragraphs(text) for kind, text in {**_OF_EVIDENCE, "one": _OF_ONE}.items()
}


def facts_of(function: Callable[..., Any]) -> dict[str, str]:
    """Read a test's title, question and caution: first line, paragraph that asks, ``Warnings``."""
    summary, *parts = _TITLES.split(inspect.cleandoc(function.__doc__ or ""))
    title, *rest = (" ".join(paragraph.split()) for paragraph in summary.strip().split("\n\n"))
    warned = " ".join(dict(zip(parts[::2], parts[1::2], strict=True)).get("Warnings", "").split())
    asked = next((paragraph for paragraph in rest if paragraph.endswith("?")), "")
    facts = {"title": title.rstrip("."), "answers": asked, "caution": warned}
    return {name: text for name, text in facts.items() if text}


def fill_docstring(function: F, kind: str = "") -> F:
    """Add shared parameters and the usual errors to a docstring that does not describe them."""
    # It is filled in before the function is wrapped: programs that write pages unwrap it.
    # `kind` is the evidence of a test, or ``"one"`` for a test of one algorithm.
    if not function.__doc__:
        return function
    summary, *parts = _TITLES.split(inspect.cleandoc(function.__doc__))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    known, returns = _KNOWN.get(kind, _KNOWN[""]), _RETURNS.get(kind, "")
    names = list(inspect.signature(function).parameters)
    told = _paragraphs(sections.get("Parameters", ""))
    types = {name: str(kind) for name, kind in function.__annotations__.items()}
    for kind, text in _OF_TYPE.items():
        known = known | {k: v for k, v in _paragraphs(text).items() if types.get(k[0]) == kind}
    parameters = "\n".join(_in_order(names, told, known))
    usual = {"Returns": returns, "Raises": _RAISES}
    filled = usual | sections | {"Parameters": parameters}
    function.__doc__ = "\n\n".join(
        [summary.strip()]
        + [
            f"{title}\n{'-' * len(title)}\n{filled[title].strip()}"
            for title in _SECTIONS
            if filled.get(title)
        ]
    )
    return function


def _in_order(
    names: list[str], told: Mapping[tuple[str, ...], str], known: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    """Yield the description of each parameter, in the order of the signature."""
    own = {name: group for group in told for name in group}
    shared = {name: group for group in known for name in group}
    done: set[str] = set()
    for name in names:
        if name in done:
            continue
        if name in own:
            done |= {*own[name]}
            yield told[own[name]]
        elif name in shared:
            here = [other for other in shared[name] if other in names and other not in own]
            done |= {*here}
            yield known[shared[name]].replace(", ".join(shared[name]), ", ".join(here), 1)


Check = Callable[[Any, str], Any]

Finite = Annotated[float, Predicate(math.isfinite)]
Level = Annotated[float, Gt(0), Lt(1)]
"""A probability that is neither 0 nor 1."""
Alpha = Annotated[float, Gt(0), Lt(0.5)]
"""The level of one-sided tests whose interval has level 1 − 2 alpha."""
Margin = Annotated[float, Gt(0)]
Rope = Annotated[float, Ge(0)]
Count = Annotated[int, Ge(0)]
PositiveInt = Annotated[int, Ge(1)]
PositiveFloat = Annotated[float, Gt(0)]
Share = Annotated[float, Gt(0), Le(1)]
Seed = Annotated[int, Ge(0)]
Resamples = Annotated[int, Ge(99)]
"""Draws of a bootstrap, enough for a level of 1%."""
Decimals = Annotated[int, Ge(-15), Le(15)]


class Default(NamedTuple):
    """The default of an argument that a record declares; without it, None."""

    value: Any


def spread_record(function: F) -> F:
    """Give a function with ``**asked: Unpack[Record]`` the record's parameters."""
    signature = inspect.signature(function)
    *before, last = signature.parameters.values()
    if str(last.annotation).startswith("Unpack["):
        record = function.__globals__[last.annotation[len("Unpack[") : -1]]
        spread = signature.replace(parameters=[*before, *_parameters(record)])
        function.__signature__ = spread  # type: ignore[attr-defined]
    return function


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the evaluated annotations of a function, those of a record one by one."""
    found = typing.get_type_hints(function, include_extras=True)
    records = [get_args(kind)[0] for kind in found.values() if get_origin(kind) is Unpack]
    return found | {k: kind for record in records for k, kind in _declared(record).items()}


def keywords_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the keyword-only parameters of a function, with their evaluated annotations."""
    kinds = annotations_of(function)
    return {
        name: parameter.replace(annotation=kinds.get(name, parameter.empty))
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def _parameters(record: type) -> Iterator[inspect.Parameter]:
    for name, kind in _declared(record).items():
        default = next((note.value for note in get_args(kind) if isinstance(note, Default)), None)
        written = record.__annotations__[name].__forward_arg__
        short = written.removeprefix("Annotated[").split(", Default")[0]
        keyword = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, keyword, default=default, annotation=short)


@functools.cache
def _declared(record: type) -> dict[str, Any]:
    return typing.get_type_hints(record, include_extras=True)


def checked(function: F) -> F:
    """Check the arguments of a function by their annotations, and fill in its docstring."""
    return checking(fill_docstring(spread_record(function)))


def checking(function: F, finish: Callable[[Any], Any] | None = None) -> F:
    """Return the function with the check of its arguments before it, and `finish` after it."""
    keywords: dict[str, Check] = {}
    places: list[tuple[int, str, Check]] = []
    known: Collection[str] | None = None
    sided = False
    ready = False

    def read() -> None:
        nonlocal known, sided, ready
        kinds = annotations_of(function)
        parameters = inspect.signature(function).parameters
        for place, (name, parameter) in enumerate(parameters.items()):
            check = check_of(kinds.get(name))
            if check and parameter.kind is not parameter.VAR_KEYWORD:
                keywords[name] = check
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                    places.append((place, name, check))
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            known = parameters.keys()
        sided = {"alternative", "confidence_level"} <= keywords.keys()
        ready = True

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not ready:
            read()
        for name, value in options.items():
            if name in keywords:
                options[name] = keywords[name](value, name)
            elif known is not None and name not in known:
                raise TypeError(f"{function.__name__}() got an unexpected argument {name!r}")
        if places and len(args) > places[0][0]:
            given = list(args)
            for place, name, check in places:
                if place < len(given):
                    given[place] = check(given[place], name)
            args = tuple(given)
        level = options.get("confidence_level", 1) if sided else 1
        if level < 0.5 and options.get("alternative", "two-sided") != "two-sided":
            raise ArgumentError(
                "confidence_level",
                f"found {level!r}; a one-sided interval needs at least 0.5, below it the limit "
                "passes the estimate",
            )
        result = function(*args, **options)
        return result if finish is None else finish(result)

    return typing.cast(F, call)


def check_argument(value: Any, name: str, kind: Any) -> Any:
    """Check a value by one of the types above."""
    check = check_of(kind)
    return check(value, name) if check else value


def check_fields(record: Any) -> None:
    """Check the fields of a frozen dataclass by their annotations."""
    for name, check in _field_checks(record.__class__).items():
        object.__setattr__(record, name, check(getattr(record, name), name))


@functools.cache
def _field_checks(kind: Any) -> Mapping[str, Check]:
    hints = typing.get_type_hints(kind, include_extras=True)
    checks = {field.name: check_of(hints[field.name]) for field in dataclasses.fields(kind)}
    return {name: check for name, check in checks.items() if check}


@functools.cache
def check_of(annotation: Any) -> Check | None:
    """Return the check of an annotation; None where it declares nothing that is checked here."""
    base, *bounds = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    if get_origin(base) in (Union, UnionType):
        kinds = get_args(base)
        inner = check_of(kinds[0]) if len(kinds) == 2 and kinds[1] is NoneType else None
        return inner and functools.partial(_unless_none, inner)
    if get_origin(base) is Literal:
        return lambda value, name: check_choice(value, get_args(base), name)
    if base is bool:
        return check_flag
    if base is int:
        return functools.partial(_whole, _Bounds.from_annotation(bounds))
    if base is float:
        return (
            functools.partial(_number, _Bounds.from_annotation(bounds)) if bounds else check_number
        )
    return None


def choices_of(annotation: Any) -> tuple[Any, ...]:
    """Return the names that an annotation allows; none where it is no list of names."""
    parts = (annotation, *get_args(annotation))
    return next((get_args(part) for part in parts if get_origin(part) is Literal), ())


def check_flag(value: Any, name: str) -> bool:
    """Check that an option is True or False: a word such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(name, f"found {value!r}, must be true or false")
    return bool(value)


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


def check_count(value: Any, name: str, *, least: int = 0) -> int:
    """Check one count: a whole number, and not below the least that makes sense."""
    return _whole(_Bounds(least), value, name)


def _unless_none(check: Check, value: Any, name: str) -> Any:
    return None if value is None else check(value, name)


def _whole(bounds: _Bounds, value: Any, name: str) -> int:
    number: int | None = None
    if type(value) is int:
        number = value
    else:
        found = np.asarray(value)
        if found.ndim == 0 and found.dtype.kind in "iuf" and np.isfinite(found):
            number = int(found) if found == np.floor(found) else None
    if number is None or not bounds.low <= number <= bounds.high:
        what = "a whole number"
        if bounds.high < math.inf:
            what += f" from {bounds.low} to {bounds.high}"
        elif bounds.low > -math.inf:
            what = f"a count (a whole number >= {bounds.low})"
        raise ArgumentError(name, f"found {value!r}, must be {what}")
    return number


def _number(bounds: _Bounds, value: Any, name: str) -> float:
    number: float = value if type(value) is float else check_number(value, name)
    if not (bounds.low <= number <= bounds.high and math.isfinite(number)) or (
        (number == bounds.low and bounds.above) or (number == bounds.high and bounds.below)
    ):
        raise ArgumentError(name, f"found {value!r}, must {bounds.sentence()}")
    return number + 0.0  # no negative zero, which some distributions refuse


@dataclasses.dataclass(frozen=True)
class _Bounds:
    """The bounds of a number, and whether it lies strictly above and below them."""

    low: Any = -math.inf
    high: Any = math.inf
    above: bool = False
    below: bool = False

    @classmethod
    def from_annotation(cls, metadata: list[Any]) -> _Bounds:
        """Read the bounds that an annotation declares."""
        found: dict[str, Any] = {}
        for bound in metadata:
            match bound:
                case Gt(gt=low):
                    found |= {"low": low, "above": True}
                case Ge(ge=low):
                    found |= {"low": low}
                case Lt(lt=high):
                    found |= {"high": high, "below": True}
                case Le(le=high):
                    found |= {"high": high}
        return cls(**found)

    def sentence(self) -> str:
        """Say what a number must be: lie strictly between 0 and 1."""
        if self.above and self.below:
            return f"lie strictly between {self.low} and {self.high}"
        if self.above and self.low == 0 and self.high == math.inf:
            return "be a positive number"
        words = [f"{'above' if self.above else 'of at least'} {self.low}"]
        words *= self.low > -math.inf
        if self.high < math.inf:
            words.append(f"{'below' if self.below else 'at most'} {self.high}")
        return " ".join(["be a finite number", " and ".join(words)]).strip()
