"""A score of cross-validation with its variance, from the rows that are tested and trained on.

The expected score of an algorithm on new rows varies with the sample in two ways. Other rows would
be tested, with other class shares; and other rows would be trained on. Stratified folds have equal
class shares and share most of their training rows, so the spread of fold scores shows neither. The
values of the rows do: each row has an influence value on the score of every fold that tests it.

One estimator serves the interval of a model's own score, the difference of two models and the
comparison with a baseline. The documentation derives it on a page of its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    IntArray,
    as_array,
    as_floats,
)
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import as_clusters
from bakeoff.stats.design.groups import FEWEST_CLUSTERS
from bakeoff.stats.folds.class_shares import are_most_probable, changes_by_shares, share_variance
from bakeoff.stats.metrics.influence import (
    NOISE,
    PLUS_FOUR,
    MetricArguments,
    Setting,
    left_out,
    not_carried_by_few,
    setting_of,
)
from bakeoff.stats.metrics.metric import (
    Cells,
    Codes,
    Form,
    Functional,
    Metric,
    Need,
    View,
    read_probabilities,
)

_NEITHER = -1
_ONLY_ROUNDING = 1e-12
"""A variance of training rows below this share of that of test rows is a rounding error."""
_PERFECT = 1e-9
"""How near to 0 or 1 an area takes the exact limit."""
_FEWEST_IN_COMMON = 2
_FEWEST_ROWS = 5
"""With fewer rows there is no answer."""
_FEW_CALLED = 5
_RECOMMENDED_GROUPS = 15
CLASS_SHARES = "class shares seen"
"""The assumption that the interval of a score of classes has a part for the class shares."""
_SPREAD = 0.15
"""Models whose probabilities spread less are compared on so many rows, or groups, at least."""
_ROWS_OF_FLAT = 100
_GROUPS_OF_FLAT = 50
_SQUARE_OR_LOG = ("log_loss", "brier")


# --- which rows are tested by which fit


@dataclasses.dataclass(frozen=True)
class FoldDesign:
    """Which fit tests each row in each repetition, and which rows are trained on.

    Attributes
    ----------
    fold : ndarray of int, shape (R, n)
        In each repetition the fit that tests a row, from 0 on; -1 where none does.
    in_use : ndarray of bool, shape (R, n)
        Whether a row is tested or trained on in a repetition. A fit is trained on the rows in use
        that it does not test.
    clusters : ndarray of int, shape (n,), or None
        The group of each row, where rows are not independent.
    """

    fold: IntArray
    in_use: BoolArray
    clusters: Codes | None = None

    @classmethod
    def read(cls, fold: ArrayLike, groups: ArrayLike | None = None) -> FoldDesign:
        """Read the fold that tests each row in each repetition, shape (R, n)."""
        numbers = as_floats(fold, "fold")
        if numbers.ndim != 2 or numbers.size == 0:
            raise ArgumentError(
                "fold",
                "expected shape (repetitions, rows), the number of the fold that tests each row, "
                f"found shape {numbers.shape}",
            )
        if not np.isfinite(numbers).all():
            missing = int((~np.isfinite(numbers)).sum())
            raise ArgumentError("fold", f"{missing} value(s) are missing")
        if (numbers != np.rint(numbers)).any() or numbers.min() < _NEITHER:
            raise ArgumentError(
                "fold",
                "expected whole numbers: from 1 on the fold that tests a row, 0 where none does, "
                "-1 where a row is neither tested nor trained on",
            )
        clusters = None
        if groups is not None:
            clusters = as_clusters(groups, numbers.shape[1]).codes
        fits = np.full(numbers.shape, -1)
        for repetition, row in enumerate(numbers):
            tested = row > 0
            if not tested.any():
                raise ArgumentError("fold", f"repetition {repetition + 1} tests no row")
            _, fits_of_row = np.unique(row[tested], return_inverse=True)
            fits[repetition, tested] = fits_of_row
        design = cls(fits, numbers != _NEITHER, clusters)
        for trained in design.trained:
            if not (trained > 0).all():
                raise ArgumentError("fold", "a fold tests all rows, and none are left to train on")
        return design

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])

    @property
    def repetitions(self) -> int:
        """The number of repetitions R."""
        return len(self.fold)

    @cached_property
    def tested(self) -> BoolArray:
        """Which rows are tested in each repetition, shape (R, n)."""
        return np.asarray(self.fold >= 0)

    @cached_property
    def sizes(self) -> list[FloatArray]:
        """The rows that each fit tests, by repetition."""
        return [np.bincount(row[row >= 0]).astype(np.float64) for row in self.fold]

    def rows_by_fit(self, repetition: int) -> list[IntArray]:
        """Return the rows that each fit of a repetition tests."""
        order = np.argsort(self.fold[repetition], kind="stable")
        starts = np.cumsum([np.sum(~self.tested[repetition]), *self.sizes[repetition]])
        return np.split(order, starts.astype(np.intp)[:-1])[1:]

    @cached_property
    def trained(self) -> list[FloatArray]:
        """The rows that each fit is trained on, by repetition."""
        in_use = self.in_use.sum(axis=1)
        return [rows - sizes for rows, sizes in zip(in_use, self.sizes, strict=True)]

    @cached_property
    def fits(self) -> int:
        """The number of fits F."""
        return sum(map(len, self.sizes))

    @cached_property
    def tests(self) -> float:
        """The number of tests of a row: each repetition counts."""
        return float(self.tested.sum())

    @cached_property
    def weights(self) -> FloatArray:
        """What each test of a row weighs in the mean of the fold scores, shape (R, n)."""
        weights = np.zeros(self.fold.shape)
        for repetition, sizes in enumerate(self.sizes):
            rows = self.tested[repetition]
            weights[repetition, rows] = 1 / (self.fits * sizes[self.fold[repetition, rows]])
        return weights

    @cached_property
    def factor(self) -> float:
        """c: the variance of the mean of F fold scores over σ²/n (heuristic of Nadeau & Bengio)."""
        # Fold scores correlate as if by the share of rows that is tested. Of R × k folds that is
        # 1 + (1 − 1/k)/R, of J random splits with the test share q it is taken for 1 + 1/(Jq).
        factor = 1 + self.n / self.tests
        if self.fits > self.repetitions:
            factor -= 1 / self.fits
        return factor

    @cached_property
    def ratio(self) -> float:
        """n_test/n_train, of the corrected t test."""
        return self.tests / sum(float(rows.sum()) for rows in self.trained)

    @cached_property
    def units(self) -> int:
        """The number of independent units: rows, or groups of rows."""
        if self.clusters is None:
            return self.n
        return int(self.clusters.max()) + 1

    def by_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each row within the groups, where there are groups."""
        if self.clusters is None:
            return values
        summed = np.bincount(self.clusters, weights=values, minlength=self.units)
        return summed.astype(np.float64)

    @cached_property
    def _most_fits(self) -> int:
        """The largest number of fits in a repetition, K."""
        return max(map(len, self.sizes))

    def pairs_with_later(self, repetition: int) -> tuple[BoolArray, IntArray]:
        """Pair a repetition with all later ones: the rows that both test, and a pair's number.

        Of shapes (later, n) and (rows of these,); the numbers are below later · K · K.
        """
        k = self._most_fits
        later = self.fold[repetition + 1 :]
        both = self.tested[repetition] & self.tested[repetition + 1 :]
        number_of_later = np.arange(len(later))[:, None]
        pair = (number_of_later * k + self.fold[repetition]) * k + later
        return both, pair[both]

    @cached_property
    def common(self) -> list[FloatArray]:
        """How many rows two fits both test: of each repetition with all later ones."""
        k = self._most_fits
        counts = []
        for repetition in range(self.repetitions - 1):
            size = (self.repetitions - repetition - 1) * k * k
            _, pair = self.pairs_with_later(repetition)
            counts.append(np.bincount(pair, minlength=size).astype(np.float64))
        return counts

    @cached_property
    def common_units(self) -> list[FloatArray]:
        """How many independent rows, or groups, two fits both test, in the same order."""
        if self.clusters is None:
            return self.common
        counts = []
        for repetition, of_pairs in enumerate(self.common):
            both, pair = self.pairs_with_later(repetition)
            clusters = np.broadcast_to(self.clusters, both.shape)[both]
            groups = np.unique(pair * self.units + clusters)
            of_groups = np.bincount(groups // self.units, minlength=len(of_pairs))
            counts.append(of_groups.astype(np.float64))
        return counts

    @cached_property
    def _training(self) -> tuple[float, float]:
        """Return the mean of a_fg over all fits, and Σ(a_ff + a_gg − 2a_fg) over comparable pairs.

        a_fg = |Tr_f ∩ Tr_g|/(|Tr_f||Tr_g|) with the training rows Tr of fits f and g; comparable
        are fits of different repetitions that both test two rows, or two groups, at least: one
        alone cannot show how much its difference varies.
        """
        k = self._most_fits
        total = 0.0
        spread = 0.0
        for r, trained in enumerate(self.trained):
            # of one repetition: all rows in use but those that one of the two tests
            in_use = float(self.in_use[r].sum())
            shared = in_use - self.sizes[r][:, None] - self.sizes[r]
            np.fill_diagonal(shared, trained)
            total += float((shared / np.multiply.outer(trained, trained)).sum())
        for r in range(self.repetitions - 1):
            common = self.common[r].reshape(-1, k, k)
            units = self.common_units[r].reshape(-1, k, k)
            for i, s in enumerate(range(r + 1, self.repetitions)):
                a = self._shared_training(r, s, common[i])
                total += 2 * float(a.sum())
                comparable = units[i][: a.shape[0], : a.shape[1]] >= _FEWEST_IN_COMMON
                apart = 1 / self.trained[r][:, None] + 1 / self.trained[s] - 2 * a
                spread += float(apart[comparable].sum())
        return total / self.fits**2, spread

    def _shared_training(self, r: int, s: int, common: FloatArray) -> FloatArray:
        """Return a_fg of the fits of two repetitions."""
        both = self.in_use[r] & self.in_use[s]
        # |Tr_f ∩ Tr_g| = rows in use in both − those tested by f − those by g + those by both
        without_f = np.bincount(self.fold[r, both & self.tested[r]], minlength=len(self.sizes[r]))
        without_g = np.bincount(self.fold[s, both & self.tested[s]], minlength=len(self.sizes[s]))
        tested = common[: len(self.sizes[r]), : len(self.sizes[s])]
        shared = float(both.sum()) - without_f[:, None] - without_g + tested
        return np.asarray(shared / np.multiply.outer(self.trained[r], self.trained[s]))

    @cached_property
    def training_overlap(self) -> float:
        """The mean of a_fg over all fits."""
        return self._training[0]

    @cached_property
    def training_spread(self) -> float:
        """Σ(a_ff + a_gg − 2a_fg) over comparable pairs; 0 where none differ in their training."""
        if self.repetitions == 1:
            return 0.0
        overlap, spread = self._training
        if spread > _ONLY_ROUNDING * overlap:
            return spread
        return 0.0

    @property
    def shows_training(self) -> bool:
        """Whether fits with different training rows test the same rows."""
        return self.training_spread > 0


# --- values of rows, and what they say of the mean score


@dataclasses.dataclass(frozen=True)
class Parts:
    """The mean of the fold scores, and the parts of its variance."""

    score: float
    variance_test: float
    variance_training: float | None
    """None where no fits with different training rows test the same rows."""
    variance_floor: float
    factor: float
    df: float

    def se(self, floor: float | None = None) -> float:
        """Return √c·max(√v_test + √v_training, √floor)."""
        if floor is None:
            floor = self.variance_floor
        roots = math.sqrt(self.variance_test) + math.sqrt(self.variance_training or 0.0)
        return math.sqrt(self.factor * max(roots**2, floor))


def degrees_of_freedom(second: float, fourth: float, count: float, most: float) -> float:
    """Return Satterthwaite's 2 s₂²/(s₄ − s₂²/count), at most `most`."""
    excess = fourth - second**2 / count
    if second <= 0 or excess <= 2 * second**2 / most:
        return most
    return 2 * second**2 / excess


@dataclasses.dataclass(frozen=True)
class FoldRows:
    """The values of rows in the folds that test them, by a metric: of one model or a difference.

    Attributes
    ----------
    setting : Setting
        The metric and the truth.
    design : FoldDesign
        Which fit tests each row.
    values : ndarray, shape (R, n)
        Where a fit tests the row, the score of its fold plus the influence of the row on it; else
        0. The mean of the tested rows is the fold's score. Losses are negated, so that greater is
        better.
    runs : tuple of views
        What each training run of one model predicts in each repetition; empty for a difference.
    """

    setting: Setting
    design: FoldDesign
    values: FloatArray
    noise: float = NOISE
    """What rounding errors alone make of a score."""
    runs: tuple[tuple[View, ...], ...] = ()

    def __sub__(self, other: FoldRows) -> FoldRows:
        noise = max(self.noise, other.noise)
        values = self.values - other.values
        return dataclasses.replace(self, values=values, noise=noise, runs=())

    @cached_property
    def scores(self) -> FloatArray:
        """The scores of the folds, shape (F,); losses negated."""
        scores = []
        for r, sizes in enumerate(self.design.sizes):
            rows = self.design.tested[r]
            fits = self.design.fold[r, rows]
            sums = np.bincount(fits, weights=self.values[r, rows], minlength=len(sizes))
            scores.append(sums / sizes)
        return np.concatenate(scores)

    @cached_property
    def identical(self) -> bool:
        """Whether no row has a value, as of models that do not differ."""
        return bool(np.abs(self.values).max() <= self.noise)

    @cached_property
    def parts(self) -> Parts:
        """The mean score with the parts of its variance."""
        design = self.design
        weights = design.weights
        score = float((weights * self.values).sum())
        deviations = np.where(design.tested, self.values - score, 0.0)
        # r_i = Σ_f w_f (ψ_fi − S) over the fits that test row i
        summed = design.by_unit((weights * deviations).sum(axis=0))
        units = len(summed)
        squares = summed**2
        second = float(squares.sum())
        fourth = float((squares**2).sum())
        df = degrees_of_freedom(second, fourth, units, units - 1)
        # of groups too one repetition alone: its deviations are summed before they are squared
        of_repetitions = np.array([design.by_unit(of_repetition) for of_repetition in deviations])
        floor = float((of_repetitions**2).sum()) / (design.tests * design.n)
        variance_test = units / max(units - 1, 1) * second
        if variance_test <= self.noise**2:
            variance_test = 0.0
            df = units - 1.0
        return Parts(
            score=score,
            variance_test=variance_test,
            variance_training=self._variance_training(variance_test),
            variance_floor=floor,
            factor=design.factor,
            df=df,
        )

    def _variance_training(self, variance_test: float) -> float | None:
        """Return what the choice of the training rows adds to the variance of the mean score."""
        # On the rows that two fits f, g of different repetitions both test they differ by their
        # training rows alone: δ_fg is the mean difference, o_fg its variance from these rows. With
        # v₁ the variance of one training row, E(δ² − o) = v₁ (a_ff + a_gg − 2a_fg).
        design = self.design
        if not design.shows_training:
            return None
        excess = sum(map(self._excess, range(design.repetitions - 1)))
        of_mean = excess / design.training_spread * design.training_overlap
        rounding = max(_ONLY_ROUNDING * variance_test, self.noise**2)
        if of_mean > rounding:
            return of_mean
        return 0.0

    def _excess(self, repetition: int) -> float:
        """Return Σ(δ² − o) over the pairs of a repetition's fits with those of later ones."""
        design = self.design
        both, pair = design.pairs_with_later(repetition)
        common = design.common[repetition]
        size = len(common)
        difference = (self.values[repetition] - self.values[repetition + 1 :])[both]
        units = design.common_units[repetition]
        comparable = units >= _FEWEST_IN_COMMON
        rows = np.maximum(common, 1)
        delta = np.bincount(pair, weights=difference, minlength=size) / rows
        deviations = difference - delta[pair]
        if design.clusters is not None:
            # deviations are summed in their groups before they are squared
            clusters = np.broadcast_to(design.clusters, both.shape)[both]
            groups, group_of_row = np.unique(pair * design.units + clusters, return_inverse=True)
            deviations = np.bincount(group_of_row, weights=deviations)
            pair = groups // design.units
        sums = np.bincount(pair, weights=deviations**2, minlength=size)
        variance = sums / rows**2 * units / np.maximum(units - 1, 1)
        return float((delta**2 - variance)[comparable].sum())

    @cached_property
    def pooled(self) -> tuple[Codes, Codes, FloatArray]:
        """Truth, predicted class and weight of all tests; the weights sum to n."""
        design = self.design
        truth: list[Codes] = []
        predicted: list[Codes] = []
        weights: list[FloatArray] = []
        for views in self.runs:
            for view, tested, weight in zip(views, design.tested, design.weights, strict=True):
                assert view.predicted is not None
                truth.append(self.setting.truth.values[tested])
                predicted.append(view.predicted[tested])
                weights.append(design.n / len(self.runs) * weight[tested])
        return np.concatenate(truth), np.concatenate(predicted), np.concatenate(weights)

    @property
    def has_probabilities(self) -> bool:
        """Whether every run gives probabilities."""
        for views in self.runs:
            if any(view.given is None for view in views):
                return False
        return bool(self.runs)

    @cached_property
    def spread_of_probabilities(self) -> float:
        """The root of the mean variance of a class's probability among the rows of a fold."""
        variances = []
        for views in self.runs:
            for repetition, view in enumerate(views):
                for rows in self.design.rows_by_fit(repetition):
                    variances.append(view.probabilities[rows].var(axis=0).mean())
        return float(np.sqrt(np.mean(variances)))

    @cached_property
    def changes_by_shares(self) -> FloatArray | None:
        """How a score of classes changes with the class shares of the training rows, (K, steps).

        None where it is not seen: without probabilities, or where another class is predicted than
        the most probable one.
        """
        if not self.setting.metric.of_table or not self.has_probabilities:
            return None
        # all tests in the order of `pooled`
        of_tests = []
        for views in self.runs:
            for view, tested in zip(views, self.design.tested, strict=True):
                of_tests.append(view.probabilities[tested])
        probabilities = np.concatenate(of_tests)
        _, predicted, _ = self.pooled
        if not are_most_probable(probabilities, predicted):
            return None
        errors = self._errors_of_log_odds()
        return changes_by_shares(errors, probabilities, predicted, self.padded_score)

    @property
    def class_shares(self) -> FloatArray:
        """The share of each class among the rows."""
        return np.asarray(self.setting.truth.counts / self.design.n)

    def _errors_of_log_odds(self) -> FloatArray:
        """Return the standard error of the log odds of each class's share; 0 where it has none."""
        truth = self.setting.truth
        design = self.design
        shares = self.class_shares
        errors = np.zeros(len(shares))
        for code in np.flatnonzero((shares > 0) & (shares < 1)):
            deviations = design.by_unit((truth.values == code) - shares[code])
            units = len(deviations)
            variance = units / max(units - 1, 1) * float((deviations**2).sum()) / design.n**2
            errors[code] = math.sqrt(variance) / (shares[code] * (1 - shares[code]))
        return errors

    def padded(self) -> tuple[float, float, float]:
        """Return θ⁺, its variance and degrees of freedom from the pooled table with pseudo-rows."""
        n = self.design.n
        units = self.design.units
        _, predicted, weights = self.pooled
        functional, counts, cell = self._padded_table(predicted)
        psi = functional.psi
        if self.design.clusters is not None:
            # each group counts once in each repetition, and a pseudo-row is none
            size = len(psi)
            sums, of_sums = self._by_group(psi[cell], weights)
            psi = np.concatenate([sums, psi])
            counts = np.concatenate([of_sums, np.full(size, PLUS_FOUR / size)])
        second = float(counts @ psi**2)
        df = degrees_of_freedom(second, float(counts @ psi**4), units + PLUS_FOUR, units - 1)
        return functional.value, second / (n + PLUS_FOUR) ** 2, df

    def padded_score(self, predicted: Codes) -> float:
        """Return θ⁺ if other classes were predicted in the pooled tests."""
        functional, _, _ = self._padded_table(predicted)
        return functional.value

    def _padded_table(self, predicted: Codes) -> tuple[Functional, FloatArray, Codes]:
        """Return the score of the pooled table, the weights of its cells and the cell of each test.

        Four pseudo-rows are spread evenly over the cells (for accuracy: Agresti & Coull 1998).
        """
        setting = self.setting
        truth, _, weights = self.pooled
        k = len(setting.truth.classes)
        is_true = np.bincount(truth, minlength=k) > 0
        is_called = is_true | (np.bincount(predicted, minlength=k) > 0)
        true = np.flatnonzero(is_true)
        called = np.flatnonzero(is_called)
        row_of_class = np.cumsum(is_true) - 1
        column_of_class = np.cumsum(is_called) - 1
        cell = row_of_class[truth] * len(called) + column_of_class[predicted]
        size = len(true) * len(called)
        counts = np.bincount(cell, weights=weights, minlength=size).astype(np.float64)
        counts += PLUS_FOUR / size
        cells = Cells(
            np.repeat(true, len(called)),
            np.tile(called, len(true)),
            counts,
            setting.truth.classes,
            setting.truth.positive,
            setting.options,
        )
        assert setting.metric.formula is not None
        return setting.metric.formula(cells), counts, cell

    def _by_group(self, values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sum values of the pooled tests in the groups of each repetition, with their weights."""
        design = self.design
        assert design.clusters is not None
        n_runs = len(self.runs)
        codes = []
        for i, tested in enumerate(np.tile(design.tested, (n_runs, 1))):
            codes.append(i * design.units + design.clusters[tested])
        _, first, group_of_test = np.unique(
            np.concatenate(codes), return_index=True, return_inverse=True
        )
        # one fit tests a whole group, so its rows weigh alike; of several runs the mean counts
        means = np.bincount(group_of_test, weights=values) / n_runs
        return means.astype(np.float64), weights[first] * n_runs


@checked
def fold_rows(
    y_true: ArrayLike,
    fold: ArrayLike,
    predicted: ArrayLike,
    *,
    probabilities: ArrayLike | None = None,
    **options: Unpack[MetricArguments],
) -> FoldRows:
    """Return the value of every row in every fold that tests it.

    Parameters
    ----------
    fold : array_like, shape (R, n)
        The number, from 1 on, of the fold that tests a row in each repetition; 0 where no fold
        does, as for random splits, and -1 where the row is not trained on either.
    predicted : array_like, shape (R, n) or (R, n, K)
        Predicted classes or numbers, or probabilities, as in `influence`, in each repetition; what
        stands for rows that are not tested is not looked at.
    probabilities : array_like, shape (R, n) or (R, n, K), optional
        Of predicted classes the probabilities behind them, where the model has any: of the positive
        class, or of each class. `fold_rows_score` sees in them how far the class shares of the
        training rows move the score.

    Returns
    -------
    FoldRows
        What `fold_rows_score` and `fold_rows_difference` take.

    Examples
    --------
    >>> fold = [[1, 1, 2, 2], [1, 2, 1, 2]]
    >>> fold_rows([1, 0, 1, 0], fold, [[1, 0, 0, 0], [1, 1, 1, 0]]).scores.tolist()
    [1.0, 0.5, 1.0, 0.5]
    """
    groups = options.pop("groups", None)
    design = FoldDesign.read(fold, groups)
    truth = as_array(y_true, "y_true")
    if truth.shape != (design.n,):
        raise ArgumentError("y_true", f"expected shape ({design.n},), found {truth.shape}")
    flat = _one_row_a_test(design, predicted, "predicted")
    every_truth = np.tile(truth, design.repetitions)
    setting, (rows,) = setting_of(every_truth, [("predicted", flat)], **options)
    behind = None
    if probabilities is not None:
        behind = [_probabilities_behind(setting, design, probabilities)]
    setting = dataclasses.replace(setting, truth=setting.truth.take(np.arange(design.n)))
    rows = rows.reshape(*design.fold.shape, *rows.shape[1:])
    return rows_of_runs(setting, design, [rows], behind)


def _probabilities_behind(
    setting: Setting, design: FoldDesign, probabilities: ArrayLike
) -> FloatArray:
    """Check the probabilities of predicted classes, shape (R, n, K)."""
    if setting.metric.form is not Form.DECISIONS:
        message = f"are for metrics of predicted classes, not for {setting.metric}"
        raise ArgumentError("probabilities", message)
    flat = _one_row_a_test(design, probabilities, "probabilities")
    behind = read_probabilities(setting.truth, flat, "probabilities")
    if behind.min() < 0:
        raise ArgumentError("probabilities", f"found {behind.min():g}, below 0")
    return behind.reshape(*design.fold.shape, -1)


def _one_row_a_test(design: FoldDesign, values: ArrayLike, name: str) -> NDArray[Any]:
    """Check what is given for each row in each repetition, and put the repetitions in one column.

    A row that is not tested has no prediction: any valid one stands there and is not looked at.
    """
    array = as_array(values, name)
    shape = design.fold.shape
    if array.shape[:2] != shape or array.ndim not in (2, 3):
        raise ArgumentError(
            name,
            f"expected shape {shape} or {(*shape, 'K')}, repetitions and rows of `fold`, "
            f"found {array.shape}",
        )
    flat = array.reshape(-1, *array.shape[2:]).copy()
    tested = design.tested.ravel()
    flat[~tested] = flat[tested][0]
    return flat


def rows_of_runs(
    setting: Setting,
    design: FoldDesign,
    runs: Sequence[Any],
    probabilities: Sequence[FloatArray] | None = None,
) -> FoldRows:
    """Return the values of rows, the mean over runs of what is predicted in each repetition.

    Of each run codes of classes, numbers, or probabilities, shape (R, n) or (R, n, K); of codes
    also the probabilities behind them. Raises `NoValue` where a fold has no score.
    """
    total = np.zeros(design.fold.shape)
    noise = NOISE
    all_views: list[tuple[View, ...]] = []
    for run, predicted in enumerate(runs):
        # `grouped` leaves out a factor of one test set from the influence on an area
        views = []
        for repetition, of_repetition in enumerate(predicted):
            view = dataclasses.replace(setting.view(of_repetition), grouped=True)
            if probabilities is not None:
                view = dataclasses.replace(view, given=probabilities[run][repetition])
            views.append(view)
        all_views.append(tuple(views))
        for repetition, view in enumerate(views):
            for rows in design.rows_by_fit(repetition):
                effect = _values_of(setting.metric, view.take(rows))
                total[repetition, rows] += effect.value + effect.psi
                if not setting.truth.classes or math.isinf(setting.metric.range[1]):
                    noise = max(noise, NOISE * abs(effect.value))
    values = total / len(runs)
    if not setting.metric.greater_is_better:
        values = -values
    return FoldRows(setting, design, values, noise, tuple(all_views))


def _values_of(metric: Metric, view: View) -> Functional:
    """Return the score of a fold and the influence of each of its rows."""
    if metric.form is Form.LEFT_OUT:

        def value(row_numbers: IntArray) -> float:
            return metric.value(view.take(row_numbers))

        functional, _ = left_out(value, view.truth.n, None)
        return functional
    assert metric.formula is not None
    if metric.form is not Form.DECISIONS:
        return metric.formula(view)
    assert view.predicted is not None
    cells = view.cells
    effect = metric.formula(cells)
    # a model that predicts one class only has a correlation of 0, and no influence is known
    psi = np.where(np.isfinite(effect.psi), effect.psi, 0.0)
    k = len(cells.classes)
    cell_of_row = np.searchsorted(cells.truth * k + cells.predicted, view.cell_of_rows)
    return Functional(effect.value, psi[cell_of_row])


# --- answers


def _check_values(rows: object, name: str) -> None:
    """Refuse what is not made by `fold_rows`."""
    if not isinstance(rows, FoldRows):
        message = f"found {type(rows).__name__}, expected what fold_rows returns"
        raise ArgumentError(name, message)


def _corrected(rows: FoldRows) -> Estimate | None:
    """Return the mean with the corrected standard error; None where folds do not vary."""
    scores = rows.scores
    if rows.design.shows_training or len(scores) < 2:
        return None
    sd = float(scores.std(ddof=1))
    if sd <= rows.noise:
        return None
    se = sd * math.sqrt(1 / len(scores) + rows.design.ratio)
    return Estimate(value=float(scores.mean()), se=se, df=len(scores) - 1)


def _status(rows: FoldRows, se: float) -> Status:
    """Name the case of a score or a difference with the standard error `se`."""
    design = rows.design
    fewest = FEWEST_CLUSTERS
    if design.clusters is None:
        fewest = _FEWEST_ROWS
    if design.units < fewest or rows.setting.lacks_rows_of_a_class or rows.parts.df < 1:
        return Status.TOO_FEW
    if se <= rows.noise:
        return Status.ZERO_VARIANCE
    return Status.OK


def _details(parts: Parts, se: float) -> dict[str, Any]:
    training = math.nan
    if parts.variance_training is not None:
        training = parts.variance_training
    return {
        "se": se,
        "variance_test": parts.variance_test,
        "variance_training": training,
        "variance_floor": parts.variance_floor,
        "factor": parts.factor,
    }


@checked
def fold_rows_score(rows: FoldRows, *, confidence_level: Level = 0.95) -> Result:
    """Return the mean score over folds, with an interval of the algorithm's expected score.

    The expected score is that of the algorithm, trained on as many rows as here, on new rows of
    this population. Its standard error has a part from the tested rows and a part from the rows
    that are trained on; degrees of freedom come from the tested rows (Satterthwaite 1946). Metrics
    of decisions are centred on the pooled table with four pseudo-rows. Those that are no shares of
    all rows, like F1, have a third part for the class shares of the training rows, where
    `fold_rows` is given the probabilities. The limits of other metrics are found on the scale that
    `metric_ci` takes. One cross-validation cannot show the second part: its interval is the hull of
    this one and of that of the corrected t test (Nadeau & Bengio 2003).

    Parameters
    ----------
    rows : FoldRows
        Of `fold_rows`.

    Returns
    -------
    Result
        `estimate` is the mean of the fold scores, `pvalue` NaN; ``details`` holds the parts of the
        variance. ``too_few``: fewer than five rows or groups, or rows of a class that the metric is
        conditional on; ``zero_variance``: no row differs from another.

    Notes
    -----
    The form is bakeoff's own and was chosen by simulation.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(100) % 2
    >>> fold = np.array([rng.permutation(np.arange(100) % 2) + 1 for _ in range(5)])
    >>> predicted = np.where(rng.random((5, 100)) < 0.8, y, 1 - y)
    >>> result = fold_rows_score(fold_rows(y, fold, predicted))
    >>> round(result.estimate, 3), round(result.ci.low, 3), round(result.ci.high, 3)
    (0.768, 0.67, 0.845)
    """
    _check_values(rows, "rows")
    setting = rows.setting
    parts = rows.parts
    metric = setting.metric
    sign = -1
    if metric.greater_is_better:
        sign = 1
    centre = sign * parts.score
    df = parts.df
    se = parts.se()
    details: dict[str, Any] = {}
    if metric.form is Form.DECISIONS and rows.runs:
        centre, variance_table, df = rows.padded()
        se = parts.se(variance_table)
        details = {"centre": centre, "variance_table": variance_table}
        if rows.changes_by_shares is not None:
            variance_share = share_variance(rows.class_shares, rows.changes_by_shares)
            se = math.sqrt(se**2 + variance_share)
            details["variance_share"] = variance_share
    status = _status(rows, se)
    ci = None
    if status is not Status.TOO_FEW:
        ci = _own_limits(rows, Estimate(value=centre, se=se, df=df), confidence_level)
    return Result(
        test="fold_rows_score",
        variant=metric.name,
        statistic=math.nan,
        pvalue=math.nan,
        df=df,
        estimate=sign * parts.score,
        ci=ci,
        n=rows.design.n,
        status=status,
        method="nadeau2003",
        assumptions=(*_assumptions(rows), *_cautions(rows)),
        details={**_details(parts, se), **details},
    )


def _own_limits(rows: FoldRows, score: Estimate, level: float) -> ConfidenceInterval | None:
    """Return the interval of one model's expected score, within the range of its metric."""
    metric = rows.setting.metric
    tail = tail_probability(level, "two-sided")
    if metric.by_pairs and min(score.value, 1 - score.value) < _PERFECT:
        # the exact limit of an area of 1, from the rows of the rarer class
        limit = float(tail ** (1 / min(rows.setting.truth.counts)))
        if score.value > 0.5:
            return ConfidenceInterval(limit, 1.0, level, "exact")
        return ConfidenceInterval(0.0, 1 - limit, level, "exact")
    if score.se <= rows.noise:
        return None
    reach = -float(special.stdtrit(score.df, tail)) * score.se
    limits = metric.scale.limits(score.value, reach)
    if limits is None:
        return None
    low, high = limits
    method = metric.scale.name
    corrected = _corrected(rows)
    if corrected is not None:
        other_low, other_high = corrected.limits(level, "two-sided")
        if not metric.greater_is_better:
            other_low, other_high = -other_high, -other_low
        low = min(low, other_low)
        high = max(high, other_high)
        method = "hull"
    low = max(low, metric.range[0])
    high = min(high, metric.range[1])
    return ConfidenceInterval(low, high, level, method)


@register(
    evidence=Evidence.FOLD_ROWS,
    citation="nadeau2003",
    better_test="half_sample_t",
    plans=("cv_5x2", "kfold", "resampled"),
    null_hypothesis="The two learning algorithms have the same expected score, trained on as many "
    "rows as here, on new rows of this population.",
)
def fold_rows_difference(
    rows_a: FoldRows,
    rows_b: FoldRows,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Row-wise t test.

    Does one algorithm have the higher expected score, by any metric with values of rows?

    t = d/se with the mean difference d of the fold scores and se² = c·max((√v_test + √v_training)²,
    v_row) + v_share: v_test is the variance from the tested rows, v_training what the choice of the
    training rows adds, v_row a floor and c a factor for overlapping folds; v_share is for metrics
    of classes that are no shares of all rows, like F1, and models with probabilities: what the
    class shares of the training rows do to their decisions. Student's t with Satterthwaite's
    degrees of freedom of the tested rows. One cross-validation cannot show v_training: its p-value
    is the larger one of this test and the corrected t test, and its interval the hull of both.

    Parameters
    ----------
    rows_a, rows_b : FoldRows
        Of `fold_rows`, for A and B on the same folds by the same metric.

    Returns
    -------
    Result
        `estimate` is A's advantage (for losses B − A); ``details`` holds the parts of the variance.
        ``too_few``: fewer than five rows or groups, or rows of a class that the metric is
        conditional on; ``identical_scores``: no row is treated differently, p 1.

    Warnings
    --------
    By log loss and Brier score, strongly shrunken learners on fewer than 100 rows or 50 groups are
    told apart too often: at the .05 level with a rate of .09 on five replications of two folds, and
    of .11 on five replications of five folds.

    Notes
    -----
    The factor c is the heuristic of Nadeau & Bengio (2003) on rows, the degrees of freedom those of
    Satterthwaite (1946). The form as a whole is bakeoff's own and was chosen by simulation. For
    accuracy on five replications of two folds it is `cv5x2_z` with Student's t.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(100) % 2
    >>> fold = np.array([rng.permutation(np.arange(100) % 2) + 1 for _ in range(5)])
    >>> a = fold_rows(y, fold, np.where(rng.random((5, 100)) < 0.85, y, 1 - y))
    >>> b = fold_rows(y, fold, np.where(rng.random((5, 100)) < 0.75, y, 1 - y))
    >>> result = fold_rows_difference(a, b)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.096, t = 1.528, p = 0.1297
    """
    _check_values(rows_a, "rows_a")
    _check_values(rows_b, "rows_b")
    if rows_a.setting.metric.name != rows_b.setting.metric.name:
        name_a = rows_a.setting.metric.name
        name_b = rows_b.setting.metric.name
        raise ArgumentError("rows_b", f"is by {name_b}, rows_a by {name_a}")
    same = np.array_equal(rows_a.design.fold, rows_b.design.fold)
    if not same or not np.array_equal(rows_a.setting.truth.values, rows_b.setting.truth.values):
        raise ArgumentError("rows_b", "has other folds or other true answers than rows_a")
    rows = rows_a - rows_b
    parts = rows.parts
    side = alternative
    se = parts.se()
    variance_share = None
    if rows_a.changes_by_shares is not None and rows_b.changes_by_shares is not None:
        changes = rows_a.changes_by_shares - rows_b.changes_by_shares
        variance_share = share_variance(rows_a.class_shares, changes)
        se = math.sqrt(se**2 + variance_share)
    status = _status(rows, se)
    if rows.identical and status is not Status.TOO_FEW:
        status = Status.IDENTICAL_SCORES
    difference = Estimate(value=parts.score, se=se, df=parts.df, status=status)
    statistic, pvalue = difference.test(side)
    details = _details(parts, se)
    if variance_share is not None:
        details["variance_share"] = variance_share
    ci = None
    if status is Status.OK:
        low, high = difference.limits(confidence_level, side)
        method = "student-t"
        corrected = _corrected(rows)
        if corrected is not None:
            details |= {"pvalue_rows": pvalue, "pvalue_corrected": corrected.pvalue(side)}
            pvalue = max(pvalue, corrected.pvalue(side))
            other_low, other_high = corrected.limits(confidence_level, side)
            low = min(low, other_low)
            high = max(high, other_high)
            method = "hull"
        ci = ConfidenceInterval(low, high, confidence_level, method)
    assumptions = _assumptions(rows)
    if rows_a.runs and rows_b.runs:
        assumptions += _cautions_of_two(rows_a, rows_b)
    return Result(
        variant=rows.setting.metric.name,
        statistic=statistic,
        df=parts.df,
        pvalue=pvalue,
        alternative=side,
        estimate=parts.score,
        ci=ci,
        n=rows.design.n,
        status=status,
        assumptions=tuple(assumptions),
        details=details,
    )


# --- what they assume, and where they do not hold


def _assumptions(rows: FoldRows) -> list[Assumption]:
    """Say what the rows tell of what intervals and tests assume."""
    design = rows.design
    parts = rows.parts
    checks = [INDEPENDENT_ROWS]
    if design.clusters is not None:
        detail = f"{design.units} groups; at least {_RECOMMENDED_GROUPS} are recommended"
        checks = [Assumption("enough groups", design.units >= _RECOMMENDED_GROUPS, detail)]
    carried = rows.setting.metric.carried
    if carried is not None:
        checks.append(not_carried_by_few(carried, parts.df, design.units))
    if parts.variance_training is None:
        detail = (
            "one cross-validation tests each row once and cannot show what the choice of training "
            "rows adds to the variance; repetitions show it"
        )
        checks.append(Assumption("stable fits", None, detail))
    return checks


def _cautions(rows: FoldRows) -> list[Assumption]:
    """Say where the interval of one model misses too often, as simulations show."""
    metric = rows.setting.metric
    if metric.of_table and rows.runs:
        return [_class_shares_are_seen(rows)]
    unbounded = math.isinf(metric.range[1])
    if metric.needs is Need.PROBABILITIES and unbounded and rows.runs:
        return [_no_probability_is_zero(rows)]
    return []


def _class_shares_are_seen(rows: FoldRows) -> Assumption:
    """Judge whether it is known how far the class shares of the training rows move the score."""
    setting = rows.setting
    if rows.changes_by_shares is not None:
        detail = "the standard error has a part for the class shares of the training rows"
        return Assumption(CLASS_SHARES, True, detail)
    reason = "the model gives no probabilities"
    if rows.has_probabilities:
        reason = "the model does not predict the most probable class, as with a tuned threshold"
    unseen = f"{reason}, and how many decisions other class shares would change is not seen"
    _, predicted, weights = rows.pooled
    called = np.bincount(predicted, weights=weights, minlength=len(setting.truth.classes))
    called = np.where(setting.truth.counts > 0, called, np.inf)
    rarest = setting.truth.classes[int(called.argmin())]
    if called.min() < _FEW_CALLED:
        detail = (
            f"{unseen}; {called.min():.0f} of {rows.design.n} rows are predicted {rarest!r}, and "
            f"with fewer than {_FEW_CALLED} the interval of its {setting.metric.title} often "
            "misses the expected score"
        )
        return Assumption(CLASS_SHARES, False, detail)
    detail = f"{unseen}; if many rows are near the threshold, the interval misses too often"
    return Assumption(CLASS_SHARES, None, detail)


def _cautions_of_two(rows_a: FoldRows, rows_b: FoldRows) -> list[Assumption]:
    """Say where the test of two models rejects too often, as simulations show."""
    metric = rows_a.setting.metric
    if metric.name in _SQUARE_OR_LOG:
        return [_probabilities_spread(rows_a, rows_b)]
    if not metric.of_table:
        return []
    of_both = [_class_shares_are_seen(rows) for rows in (rows_a, rows_b)]
    unseen = [caution for caution in of_both if not caution.holds]
    if not unseen:
        return of_both[:1]
    # two learners that follow class shares alike hold the level all the same
    detail = (
        "of one model at least it is not seen how many decisions other class shares would change: "
        "if many of its rows are near the threshold, and few of the other model's, the test "
        "rejects too often"
    )
    return [Assumption(CLASS_SHARES, None, detail)]


def _probabilities_spread(rows_a: FoldRows, rows_b: FoldRows) -> Assumption:
    """Judge whether a model is shrunken so strongly that few rows are not enough."""
    design = rows_a.design
    units = "groups"
    fewest = _GROUPS_OF_FLAT
    if design.clusters is None:
        units = "rows"
        fewest = _ROWS_OF_FLAT
    spread = min(rows_a.spread_of_probabilities, rows_b.spread_of_probabilities)
    detail = (
        f"the probabilities of a model have a standard deviation of {spread:.2f} within folds, of "
        f"{design.units} {units}; below {_SPREAD} and {fewest} {units} equally good models are "
        "told apart too often"
    )
    enough = spread >= _SPREAD or design.units >= fewest
    return Assumption("probabilities spread", enough, detail)


def _no_probability_is_zero(rows: FoldRows) -> Assumption:
    """Judge whether a rare and huge loss can be missing from the sample."""
    zeros = 0
    for views in rows.runs:
        for view, tested in zip(views, rows.design.tested, strict=True):
            probabilities = view.probabilities[tested]
            zeros += int((probabilities <= 0).any(axis=1).sum())
    detail = (
        f"{zeros} predictions give a class the probability 0: rows with the huge loss of a wrong "
        "one may be missing from the sample, and the interval misses them"
    )
    return Assumption("no probability is 0", zeros == 0, detail)
