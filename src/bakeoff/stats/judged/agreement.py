"""How well a judge agrees with people: percent, kappa, AC1, alpha, errors for each model.

p_kl is the share of items with the mark k by people and l by the judge, w_kl how well two marks
agree (1 for the same mark).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, Resamples, Seed, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_array, as_floats, is_missing
from bakeoff.stats.core.result import Result
from bakeoff.stats.design.groups import spread
from bakeoff.stats.metrics.differences import mean_difference

Weights = Literal["identity", "linear", "quadratic"]
FEWEST_ITEMS = 30
FEWEST_OF_A_MARK = 5
"""Items that intervals of kappa need: of all, and with the rarest of people's marks."""
_PSEUDO_ROWS = 1.0
"""Items that are spread evenly over the table before an interval is computed."""
_NONE = (math.nan, math.nan)


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Agreement of a judge with people on the items that both marked.

    Attributes
    ----------
    n : int
        The items.
    categories : tuple
        The marks in order.
    table : ndarray, shape (q, q)
        Items by the mark of people (row) and of the judge (column).
    percent : float
        The share of items on which both say the same.
    kappa, kappa_se, ac1, ac1_se : float
        Cohen's kappa and Gwet's AC1 (AC2 with weights), with their usual standard errors.
    kappa_ci, ac1_ci : tuple of float
        Their intervals, which are good for few items too; NaN where people gave a mark to fewer
        than 5 items, or there are fewer than 30.
    """

    n: int
    categories: tuple[Any, ...]
    table: FloatArray
    percent: float
    kappa: float
    kappa_se: float
    kappa_ci: tuple[float, float]
    ac1: float
    ac1_se: float
    ac1_ci: tuple[float, float]

    @property
    def rarest(self) -> int:
        """The items with the rarest of people's marks."""
        return int(self.table.sum(axis=1).min())


class _Coefficient(NamedTuple):
    """An agreement beyond chance, and the influence of an item in each cell of the table."""

    value: float
    influence: FloatArray


@checked
def agreement(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    confidence_level: Level = 0.95,
) -> Agreement:
    """Measure how well the marks of a judge agree with those of people.

    Parameters
    ----------
    human, judge : array_like, shape (n,)
        The marks of the same items; items without a mark of people are left out.
    categories : array_like, optional
        The marks in order; default: those that occur, sorted.
    weights : {"identity", "linear", "quadratic"}
        How much of an agreement two different marks are: none, or the more the nearer they are.

    Returns
    -------
    Agreement

    Notes
    -----
    With p_o = Σ w p, kappa is (p_o − p_e)/(1 − p_e), p_e = Σ w p_k· p_·l (Cohen 1960, its standard
    error of Fleiss, Cohen & Everitt 1969); AC1 has p_e = Σ w /(q(q − 1)) Σ π_k(1 − π_k), π the mean
    shares of both (Gwet 2008). kappa falls where one mark is rare, AC1 does not. Intervals: one
    item spread evenly over the table, the influence of each item, t and Fisher's z.

    Examples
    --------
    >>> human, judge = [1] * 70 + [0] * 30, [1] * 66 + [0] * 30 + [1] * 4
    >>> found = agreement(human, judge)
    >>> found.percent, round(found.kappa, 3), round(found.ac1, 3)
    (0.92, 0.81, 0.862)
    """
    people = as_array(human, "human")
    marks = as_array(judge, "judge")
    if people.shape != marks.shape or people.ndim != 1:
        message = f"has shape {marks.shape}, human has {people.shape}: one mark an item"
        raise ArgumentError("judge", message)
    both = ~(is_missing(people) | is_missing(marks))
    if not both.any():
        raise ArgumentError("human", "no item has a mark of both people and judge")
    people = people[both]
    marks = marks[both]
    names = _categories(people, marks, categories)
    place = {name: number for number, name in enumerate(names)}
    q = len(names)
    table = np.zeros((q, q))
    for of_people, of_judge in zip(people.tolist(), marks.tolist(), strict=True):
        table[place[of_people], place[of_judge]] += 1
    w = _weights(names, weights)
    found: dict[str, Any] = {}
    enough = len(people) >= FEWEST_ITEMS and table.sum(axis=1).min() >= FEWEST_OF_A_MARK
    for name, coefficient in (("kappa", _kappa), ("ac1", _ac1)):
        plain = coefficient(table / table.sum(), w)
        # of Gwet's coefficient with n − 1, as its author has it
        freedom = max(len(people) - (name == "ac1"), 1)
        squares = float((table * np.square(plain.influence)).sum())
        found[name] = plain.value
        found[f"{name}_se"] = math.sqrt(squares / (len(people) * freedom))
        found[f"{name}_ci"] = _NONE
        if enough:
            found[f"{name}_ci"] = _interval(table, w, coefficient, confidence_level)
    percent = float(table.trace() / table.sum())
    return Agreement(n=len(people), categories=names, table=table, percent=percent, **found)


def _categories(
    human: FloatArray, judge: FloatArray, categories: ArrayLike | None
) -> tuple[Any, ...]:
    """Return the marks in order, two of them at least."""
    occurring = sorted({*human.tolist(), *judge.tolist()})
    if categories is None:
        names = occurring
    else:
        names = as_array(categories, "categories").tolist()
        strange = [mark for mark in occurring if mark not in names]
        if strange:
            raise ArgumentError("categories", f"found the mark {strange[0]!r}, expected {names}")
    if len(names) < 2:
        raise ArgumentError("human", f"people and judge say {names[0]!r} of all items")
    return tuple(names)


def _weights(names: tuple[Any, ...], kind: Weights) -> FloatArray:
    """Return how well each two marks agree, shape (q, q)."""
    if kind == "identity":
        return np.eye(len(names))
    try:
        scale = np.array(names, dtype=np.float64)
    except ValueError:
        scale = np.arange(len(names), dtype=np.float64)
    apart = np.abs(scale[:, None] - scale) / (scale.max() - scale.min())
    if kind == "quadratic":
        apart = np.square(apart)
    return np.asarray(1 - apart)


def _beyond_chance(
    shares: FloatArray, w: FloatArray, expected: float, slope: FloatArray
) -> _Coefficient:
    """Return (p_o − p_e)/(1 − p_e), where an item of each cell moves p_e by `slope`."""
    observed = float((w * shares).sum())
    if expected >= 1:
        return _Coefficient(math.nan, np.full(w.shape, math.nan))
    value = (observed - expected) / (1 - expected)
    # the derivatives by p_o and by p_e, of an item in each cell
    influence = (w - observed) / (1 - expected) - (1 - value) * slope / (1 - expected)
    return _Coefficient(value, influence)


def _kappa(shares: FloatArray, w: FloatArray) -> _Coefficient:
    """Cohen's kappa of a table of shares."""
    of_human = shares.sum(axis=1)
    of_judge = shares.sum(axis=0)
    by_row = w @ of_judge
    by_column = of_human @ w
    expected = float(of_human @ w @ of_judge)
    slope = by_row[:, None] + by_column - 2 * expected
    return _beyond_chance(shares, w, expected, slope)


def _ac1(shares: FloatArray, w: FloatArray) -> _Coefficient:
    """Gwet's AC1 of a table of shares, AC2 with weights."""
    q = len(w)
    mean = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    scale = w.sum() / (q * (q - 1))
    expected = float(scale * (mean * (1 - mean)).sum())
    # d Σ π(1 − π)/d p_kl = (1 − 2π_k)/2 + (1 − 2π_l)/2, less its mean
    half = scale * (0.5 - mean)
    slope = half[:, None] + half
    return _beyond_chance(shares, w, expected, slope - (shares * slope).sum())


def _interval(table: FloatArray, w: FloatArray, coefficient: Any, level: float) -> Any:
    """Return limits by Fisher's z, with one item spread evenly over the table."""
    # a good judge makes no error on few items: one item lies spread over all cells
    padding = np.full(table.shape, _PSEUDO_ROWS / table.size)
    padded = table + padding
    estimate = coefficient(padded / padded.sum(), w)
    spread_of_estimate = spread(
        estimate.influence.ravel(),
        weights=table.ravel(),
        pseudo=(estimate.influence.ravel(), padding.ravel()),
    )
    if not (spread_of_estimate.se > 0 and abs(estimate.value) < 1):
        return _NONE
    # Fisher's z = artanh κ has the standard error se/(1 − κ²)
    reach = (
        -float(special.stdtrit(spread_of_estimate.df, (1 - level) / 2))
        * spread_of_estimate.se
        / (1 - estimate.value**2)
    )
    centre = math.atanh(estimate.value)
    return math.tanh(centre - reach), math.tanh(centre + reach)


# --- three raters or more, or missing ratings


@dataclasses.dataclass(frozen=True)
class RatersAgreement:
    """Agreement of several raters, some of whose ratings may be missing.

    Attributes
    ----------
    raters, items : int
        Raters, and items with two ratings at least.
    alpha : float
        Krippendorff's alpha.
    alpha_ci : tuple of float
        Its interval by drawing items with replacement.
    ac1, ac1_se : float
        Gwet's AC1 with its standard error.
    """

    raters: int
    items: int
    alpha: float
    alpha_ci: tuple[float, float]
    ac1: float
    ac1_se: float


Scale = Literal["nominal", "ordinal", "interval"]


@checked
def raters_agreement(
    ratings: ArrayLike,
    *,
    scale: Scale = "nominal",
    confidence_level: Level = 0.95,
    n_resamples: Resamples = 1_999,
    seed: Seed = 0,
) -> RatersAgreement:
    """Measure how well several raters agree, some of whose ratings may be missing.

    Parameters
    ----------
    ratings : array_like, shape (raters, n)
        The rating of each item by each rater, a number; NaN where there is none.
    scale : {"nominal", "ordinal", "interval"}
        Whether ratings are names, ranks or amounts.

    Returns
    -------
    RatersAgreement

    Notes
    -----
    Krippendorff's alpha is 1 − D_o/D_e, the observed disagreement of the ratings of one item over
    that of any two. AC1 with missing ratings is that of Gwet (2008).

    Examples
    --------
    >>> found = raters_agreement([[1, 2, 1, 2], [1, 2, 1, 1], [1, 2, float("nan"), 2]])
    >>> round(found.alpha, 3)
    0.667
    """
    table = as_floats(ratings, "ratings")
    if table.ndim != 2 or len(table) < 2:
        raise ArgumentError("ratings", f"expected two raters at least, found shape {table.shape}")
    values = np.unique(table[~np.isnan(table)])
    if len(values) < 2:
        raise ArgumentError("ratings", "all ratings are the same")
    counts = (table[:, :, None] == values).sum(axis=0).astype(np.float64)  # items × values
    often = counts.sum(axis=1) >= 2
    if not often.any():
        raise ArgumentError("ratings", "no item has two ratings")
    rated = counts[often]
    rng = np.random.default_rng(seed)
    drawn = np.empty(n_resamples)
    for place in range(n_resamples):
        drawn[place] = _alpha(rated[rng.integers(0, len(rated), len(rated))], values, scale)
    tail = (1 - confidence_level) / 2
    limits = np.nanquantile(drawn, [tail, 1 - tail])
    ac1, ac1_se = _ac1_of_raters(counts)
    return RatersAgreement(
        raters=len(table),
        items=int(often.sum()),
        alpha=_alpha(rated, values, scale),
        alpha_ci=(float(limits[0]), float(limits[1])),
        ac1=ac1,
        ac1_se=ac1_se,
    )


def _alpha(counts: FloatArray, values: FloatArray, scale: Scale) -> float:
    """Krippendorff's alpha of how often each item has each value; NaN without variation."""
    # each pair of ratings of one item counts 1/(its ratings − 1)
    of_item = counts.sum(axis=1)
    weighted = counts / (of_item - 1)[:, None]
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    totals = coincidences.sum(axis=1)
    distance = _distances(values, totals, scale)
    expected = float(totals @ distance @ totals) / (totals.sum() - 1)
    if expected == 0:
        return math.nan
    observed = float((coincidences * distance).sum())
    return float(1 - observed / expected)


def _distances(values: FloatArray, totals: FloatArray, scale: Scale) -> FloatArray:
    """Return the squared distance of each two values."""
    if scale == "nominal":
        return 1 - np.eye(len(values))
    place = values
    # the ratings between two values, with half of those that have them
    if scale == "ordinal":
        place = np.cumsum(totals) - totals / 2
    return np.square(place[:, None] - place)


def _ac1_of_raters(counts: FloatArray) -> tuple[float, float]:
    """Gwet's AC1 of how often each item has each value, with its standard error."""
    q = counts.shape[1]
    of_item = counts.sum(axis=1)
    kept = of_item > 0
    counts = counts[kept]
    of_item = of_item[kept]
    n = len(counts)
    often = of_item >= 2
    pairs = np.maximum(of_item * (of_item - 1), 1)
    agreeing = np.where(often, (counts * (counts - 1)).sum(axis=1) / pairs, 0.0)
    observed = agreeing.sum() / often.sum()
    share = (counts / of_item[:, None]).mean(axis=0)
    expected = float((share * (1 - share)).sum()) / (q - 1)
    value = float((observed - expected) / (1 - expected))
    # what each item adds to the coefficient (Gwet, Handbook of Inter-Rater Reliability, chapter 5)
    own = np.where(often, n / often.sum() * (agreeing - expected) / (1 - expected), 0.0)
    chance = (counts / of_item[:, None]) @ (1 - share) / (q - 1)
    added = own - 2 * (1 - value) * (chance - expected) / (1 - expected)
    variance = float(np.square(added - value).sum()) / (n * (n - 1))
    return value, math.sqrt(variance)


# --- the errors of a judge, model by model


class ErrorRates(NamedTuple):
    """How often a judge passes what people mark as wrong, and fails what they mark as right."""

    passed: int
    wrong: int
    failed: int
    right: int

    @property
    def passes_wrong(self) -> float:
        """The share of wrong answers that the judge passes; NaN without wrong answers."""
        return _share(self.passed, self.wrong)

    @property
    def fails_right(self) -> float:
        """The share of right answers that the judge fails; NaN without right answers."""
        return _share(self.failed, self.right)


def _share(part: int, whole: int) -> float:
    """Return a share; NaN of nothing."""
    if not whole:
        return math.nan
    return part / whole


def error_rates_of_judge(judge: ArrayLike, human: ArrayLike) -> ErrorRates:
    """Count the errors of a judge on the items that people marked right (1) or wrong (0)."""
    marks = as_floats(judge, "judge")
    people = as_floats(human, "human")
    return ErrorRates(
        passed=int(np.count_nonzero((people == 0) & (marks == 1))),
        wrong=int(np.count_nonzero(people == 0)),
        failed=int(np.count_nonzero((people == 1) & (marks == 0))),
        right=int(np.count_nonzero(people == 1)),
    )


@checked
def judge_favour(
    judge_a: ArrayLike,
    judge_b: ArrayLike,
    human_a: ArrayLike,
    human_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> Result:
    """Test whether a judge favours one of two models, beyond what people's marks say.

    Parameters
    ----------
    judge_a, judge_b, human_a, human_b : array_like, shape (N,)
        As in `corrected_difference`.

    Returns
    -------
    Result
        `estimate` is the mean over labelled items of judge less people for A, less that for B.

    Examples
    --------
    >>> judge, human = [1, 1, 1, 0] * 10, [1, 0, 1, 0] * 10
    >>> judge_favour(judge, human, human, human).estimate
    0.25
    """
    arrays = [
        as_floats(values, name)
        for name, values in (
            ("judge_a", judge_a),
            ("judge_b", judge_b),
            ("human_a", human_a),
            ("human_b", human_b),
        )
    ]
    labelled = ~(np.isnan(arrays[2]) | np.isnan(arrays[3]))
    of_a = (arrays[0] - arrays[2])[labelled]
    of_b = (arrays[1] - arrays[3])[labelled]
    inside = None
    if groups is not None:
        inside = as_array(groups, "groups")[labelled]
    result = mean_difference(of_a, of_b, groups=inside, confidence_level=confidence_level)
    return dataclasses.replace(result, test="judge_favour")
