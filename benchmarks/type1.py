"""Measure how often each test rejects a null that is true.

Tests of the catalogue are run on evidence drawn under their nulls; the rates at alpha = .05 go to
type1.csv, and from there by `make generate` into the catalogue and docs/stats/type1-error.md:

    python -m benchmarks.type1          # the settings that the file does not hold yet
    python -m benchmarks.type1 --again  # all of them

Fold scores come from real refits of fast classifiers on synthetic data.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.stats import PairwiseResult, catalogue

ALPHA = 0.05
CSV = Path(__file__).with_suffix(".csv")
Array = np.ndarray[Any, np.dtype[Any]]
Evidence = Mapping[str, tuple[Any, ...]]
Draw = Callable[[np.random.Generator], Evidence]


@dataclasses.dataclass(frozen=True)
class Trial:
    """One test on one kind of evidence of a setting.

    `expected` is ``"holds"`` (a rate up to .06) or ``"liberal"``; `share` is the part of the
    replications that an expensive test gets.
    """

    evidence: str
    test: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    expected: str = "holds"
    share: float = 1.0

    @property
    def by_default(self) -> bool:
        """Whether this is the variant that the test runs by default."""
        own = catalogue()[self.test].options.get("variant")
        return own is None or self.options.get("variant", own.default) == own.default

    @property
    def label(self) -> str:
        """Name the options that a reader needs to tell the rows apart."""
        shown = {k: v for k, v in self.options.items() if isinstance(v, (str, bool))}
        return ", ".join(f"{k}={v}" for k, v in shown.items())


@dataclasses.dataclass(frozen=True)
class Setting:
    """A way to draw evidence under the null, and the tests that are run on it.

    `family` names what it stands for, where a test is liberal there: a family of learners, or a
    situation.
    """

    title: str
    about: str
    draw: Draw
    trials: tuple[Trial, ...]
    family: str


@dataclasses.dataclass(frozen=True)
class Row:
    """The outcome of one trial."""

    setting: Setting
    trial: Trial
    replications: int
    rejected: int
    undecided: int

    @property
    def rate(self) -> float:
        """The rejection rate; an undecided test does not reject."""
        return self.rejected / self.replications

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rejection rate."""
        n, z = self.replications, 1.959963984540054
        centre = (self.rate + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z / (1 + z**2 / n) * math.sqrt(self.rate * (1 - self.rate) / n + (z / (2 * n)) ** 2)
        return max(0.0, centre - reach), min(1.0, centre + reach)

    @property
    def as_expected(self) -> bool:
        """Whether the interval is compatible with the expectation."""
        low, _ = self.interval
        return low > ALPHA if self.trial.expected == "liberal" else low <= 0.06

    @property
    def facts(self) -> dict[str, object]:
        """Its line of the CSV."""
        return {
            "setting": self.setting.title,
            "family": self.setting.family,
            "test": self.trial.test,
            "on": self.trial.evidence,
            "options": self.trial.label,
            "default": "yes" if self.trial.by_default else "no",
            "runs": self.replications,
            "rejected": self.rejected,
            "undecided": self.undecided,
        }


def run(setting: Setting, replications: int, seed: int) -> Iterator[Row]:
    """Run the trials of a setting on the same evidence; each draw has its own generator."""
    tests = catalogue()
    runs = [max(1, round(replications * trial.share)) for trial in setting.trials]
    rejected, undecided = [0] * len(runs), [0] * len(runs)
    for replication in range(replications):
        evidence = setting.draw(np.random.default_rng([seed, replication]))
        for i, trial in enumerate(setting.trials):
            if replication < runs[i]:
                function = tests[trial.test].function
                p = _pvalue(function, evidence[trial.evidence], trial.options)
                rejected[i] += p < ALPHA
                undecided[i] += math.isnan(p)
    for trial, *counts in zip(setting.trials, runs, rejected, undecided, strict=True):
        yield Row(setting, trial, *counts)


def _pvalue(
    function: Callable[..., Any], data: tuple[Any, ...], options: Mapping[str, Any]
) -> float:
    """Return the p-value, of all pairs the smallest: one false rejection is one too many.

    What a test refuses, such as criteria that are one and the same on these folds, is undecided.
    """
    try:
        result = function(*data, **options)
    except ValueError:
        return math.nan
    if isinstance(result, PairwiseResult):
        return min(pair.pvalue_adjusted for pair in result.pairs)
    return float(result.pvalue)


# Two models on one test set ------------------------------------------------------------------

MCNEMAR = tuple(
    Trial("pair", "mcnemar", {"variant": v}, share=0.75)
    for v in ("midp", "exact", "asymptotic", "corrected")
)


def paired_correctness(
    n: int, accuracy: float, phi: float
) -> Callable[[np.random.Generator], Evidence]:
    """Two models of one accuracy whose correctness has the correlation phi."""
    both = accuracy**2 + phi * accuracy * (1 - accuracy)
    cells = [both, accuracy - both, accuracy - both, 1 - 2 * accuracy + both]

    def draw(rng: np.random.Generator) -> Evidence:
        counts = rng.multinomial(n, cells)
        return {
            "pair": (np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)),
        }

    return draw


def difference_at_margin(rng: np.random.Generator) -> Evidence:
    """Two models whose accuracies differ by exactly the margin of .05."""
    counts = rng.multinomial(1000, [0.75, 0.05, 0.10, 0.10])
    return {"pair": (np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts))}


def labels_and_scores(rng: np.random.Generator) -> Evidence:
    """Two exchangeable models: class scores with common and own noise."""
    y = rng.permutation(np.repeat([0, 1], 100))
    noise = rng.normal(size=200)
    a, b = (1.5 * y + noise + rng.normal(size=200) for _ in range(2))
    return {"labels": (y, (a > 0.75).astype(int), (b > 0.75).astype(int)), "scores": (y, a, b)}


def one_model(rng: np.random.Generator) -> Evidence:
    """One model with an accuracy of exactly .8."""
    return {"one": (rng.random(200) < 0.8,)}


# Several models on one test set ---------------------------------------------------------------


def several_correctness(
    n: int, models: int, accuracy: float, common: float
) -> Callable[[np.random.Generator], Evidence]:
    """Models of one accuracy; a row's outcome is shared with the probability `common`."""

    def draw(rng: np.random.Generator) -> Evidence:
        own = rng.random((n, models)) < accuracy
        shared = rng.random((n, 1)) < accuracy
        return {"many": (np.where(rng.random((n, 1)) < common, shared, own),)}

    return draw


# Folds: real refits ---------------------------------------------------------------------------

ROWS, OWN, COMMON = 200, 4, 2
FitPredict = Callable[[Array, Array, Array, np.random.Generator], Array]


def draw_data(rng: np.random.Generator, models: int) -> tuple[Array, Array]:
    """Draw 200 rows of two classes; features are exchangeable, some common to all models.

    Algorithm m sees the common features and block m of its own. All blocks have one
    distribution, so the algorithms have exactly one expected accuracy at every training size.
    """
    y = np.repeat([0, 1], ROWS // 2)
    x = rng.normal(size=(ROWS, COMMON + OWN * models)) + 0.35 * (2 * y[:, None] - 1)
    return x, y


def view(x: Array, model: int) -> Array:
    """Return the features that an algorithm sees."""
    start = COMMON + OWN * model
    return np.hstack((x[:, :COMMON], x[:, start : start + OWN]))


def nearest_centroid(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Fit on each training set (a row of `train`) and say which rows are classified rightly."""
    weights = np.ones((len(train), x.shape[1]))
    return _centroids(x, y, train, weights)


def random_subspace(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Nearest centroid on three features that every fit draws anew."""
    weights = np.argsort(rng.random((len(train), x.shape[1])), axis=1) < 3
    return _centroids(x, y, train, weights.astype(float))


def linear_discriminant(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Fit Fisher's linear discriminant: the pooled covariance is estimated on every split."""
    weights = train.astype(float)
    means = []
    scatter = np.einsum("sn,ni,nj->sij", weights, x, x)
    for label in (0, 1):
        members = weights * (y == label)
        size = members.sum(axis=1, keepdims=True)
        mean = members @ x / size
        scatter -= size[:, :, None] * mean[:, :, None] * mean[:, None, :]
        means.append(mean)
    direction = np.linalg.solve(scatter, (means[1] - means[0])[:, :, None])[:, :, 0]
    middle = (direction * (means[0] + means[1]) / 2).sum(axis=1)
    right: Array = (direction @ x.T > middle[:, None]) == (y == 1)
    return right


def nearest_neighbour(x: Array, y: Array, train: Array, rng: np.random.Generator) -> Array:
    """Give each row the class of its nearest neighbour in the training set."""
    square = (x**2).sum(axis=1)
    distance = square[:, None] + square - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1)
    first = np.argmax(train[:, order], axis=2)
    nearest = order[np.arange(len(x))[None, :], first]
    right: Array = y[nearest] == y
    return right


def _centroids(x: Array, y: Array, train: Array, weights: Array) -> Array:
    means = []
    for label in (0, 1):
        members = (train & (y == label)).astype(float)
        means.append(members @ x / members.sum(axis=1, keepdims=True))
    direction = (means[1] - means[0]) * weights
    middle = (direction * (means[0] + means[1]) / 2).sum(axis=1)
    right: Array = (direction @ x.T > middle[:, None]) == (y == 1)
    return right


def stratified_folds(rng: np.random.Generator, y: Array, k: int) -> Array:
    """Return the test rows of k stratified folds, shape (k, n)."""
    fold = np.empty(len(y), dtype=int)
    for label in (0, 1):
        members = rng.permutation(np.flatnonzero(y == label))
        fold[members] = np.arange(len(members)) % k
    return fold == np.arange(k)[:, None]


def random_splits(rng: np.random.Generator, y: Array, n: int, test_share: float) -> Array:
    """Return the test rows of n stratified random splits, shape (n, rows)."""
    test = np.zeros((n, len(y)), dtype=bool)
    for label in (0, 1):
        members = np.flatnonzero(y == label)
        ranks = np.argsort(np.argsort(rng.random((n, len(members))), axis=1), axis=1)
        test[:, members] = ranks < round(test_share * len(members))
    return test


def accuracies(right: Array, test: Array) -> Array:
    """Return the accuracy on the test rows of each split."""
    scores: Array = (right & test).sum(axis=1) / test.sum(axis=1)
    return scores


def refits(fit: FitPredict, same_features: bool) -> Callable[[np.random.Generator], Evidence]:
    """Score two equivalent algorithms by refitting them under every plan on one data set."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 2)
        views = [view(x, 0), view(x, 0 if same_features else 1)]
        halves = np.vstack([stratified_folds(rng, y, 2) for _ in range(5)])
        repeated = np.vstack([stratified_folds(rng, y, 10) for _ in range(3)])
        plans = {
            "5x2": (halves, (5, 2)),
            "10-fold": (repeated[:10], (10,)),
            "3x10-fold": (repeated, (3, 10)),
            "30 splits": (random_splits(rng, y, 30, 0.2), (30,)),
        }
        return {
            name: tuple(accuracies(fit(v, y, ~test, rng), test).reshape(shape) for v in views)
            for name, (test, shape) in plans.items()
        }

    return draw


def several_refits(fit: FitPredict) -> Draw:
    """Score four equivalent algorithms over 10 folds: accuracy, and recall of both classes."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 4)
        test = stratified_folds(rng, y, 10)
        right = [fit(view(x, m), y, ~test, rng) for m in range(4)]
        scores = np.column_stack([accuracies(r, test) for r in right])
        by_class = [test & (y == label) for label in (0, 1)]
        recalls = [np.column_stack([accuracies(r, rows) for rows in by_class]) for r in right]
        return {
            "10-fold": (scores,),
            "recalls": (np.stack(recalls, axis=1),),
            "two recalls": (recalls[0], recalls[1]),
        }

    return draw


@functools.cache
def true_accuracy(rows: int) -> float:
    """Return nearest centroid's expected accuracy on `rows` training rows, from 20,000 fits."""
    rng = np.random.default_rng(12345)
    n, p = rows // 2, COMMON + OWN
    means = rng.normal(size=(2, 20_000, p)) / math.sqrt(n) + 0.35 * np.array([-1, 1])[:, None, None]
    direction = means[1] - means[0]
    middle = (direction * (means[0] + means[1]) / 2).sum(axis=1)
    length = np.linalg.norm(direction, axis=1)
    from scipy.special import ndtr

    signal = 0.35 * direction.sum(axis=1)
    return float((ndtr((signal - middle) / length) + ndtr((signal + middle) / length)).mean() / 2)


NEIGHBOUR_ACCURACY = {180: 0.7008, 160: 0.6996}
"""The nearest neighbour's by training rows, from 3,000 training sets: standard error .0005."""


def one_algorithm(fit: FitPredict) -> Draw:
    """Score one algorithm over 10 folds and over 30 random splits."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 1)
        plans = {
            "10-fold": stratified_folds(rng, y, 10),
            "30 splits": random_splits(rng, y, 30, 0.2),
        }
        return {name: (accuracies(fit(x, y, ~t, rng), t),) for name, t in plans.items()}

    return draw


def shifted(draw: Draw, margin: float) -> Draw:
    """Take the margin from A's scores: the algorithms then differ by exactly the margin."""

    def shift(rng: np.random.Generator) -> Evidence:
        return {name: (a - margin, b) for name, (a, b) in draw(rng).items()}

    return shift


# Several data sets ----------------------------------------------------------------------------


def datasets(n: int, algorithms: int, decimals: int) -> Callable[[np.random.Generator], Evidence]:
    """Scores of exchangeable algorithms on data sets of unlike difficulty and spread."""

    def draw(rng: np.random.Generator) -> Evidence:
        level = rng.uniform(0.6, 0.95, (n, 1))
        spread = rng.uniform(0.005, 0.03, (n, 1))
        scores = (level + spread * rng.standard_t(4, (n, algorithms))).round(decimals)
        return {"many": (scores,), "pair": (scores[:, 0], scores[:, 1])}

    return draw


# The study ------------------------------------------------------------------------------------

OMNIBUS_ROWS = (
    Trial("many", "cochran_q"),
    Trial("many", "looney_f"),
    Trial("many", "pairwise_mcnemar", {"correction": "holm"}),
)
FOLD_TESTS = (
    Trial("5x2", "cv5x2_f"),
    Trial("5x2", "cv5x2_t"),
    Trial("10-fold", "corrected_kfold_t"),
    Trial("3x10-fold", "corrected_repeated_kfold_t"),
    Trial("30 splits", "corrected_resampled_t", {"n_train": 160, "n_test": 40}),
)
STABLE = (
    *FOLD_TESTS,
    Trial("10-fold", "kfold_t"),
    Trial("30 splits", "resampled_t", expected="liberal"),
)
DATASET_TESTS = (
    Trial("pair", "wilcoxon_signed_rank"),
    Trial("pair", "sign_test"),
    Trial("many", "friedman", share=0.25),
    Trial("many", "iman_davenport"),
    Trial("many", "friedman_aligned_ranks"),
    Trial("many", "quade"),
    Trial("many", "kruskal_wallis"),
    Trial("many", "nemenyi", share=0.5),
    Trial("many", "friedman_posthoc", {"correction": "holm"}),
    Trial("many", "conover_friedman", {"correction": "holm"}),
    Trial("many", "pairwise_wilcoxon", {"correction": "holm"}, share=0.5),
    Trial("many", "pairwise_rank_sum", {"correction": "holm"}, share=0.5),
    Trial("many", "dunn", {"correction": "holm"}),
)
SEVERAL_ON_FOLDS = (
    Trial("10-fold", "anova_repeated_measures"),
    Trial("10-fold", "anova_oneway"),
    Trial("10-fold", "tukey_hsd", {"blocks": True}, share=0.25),
    Trial("10-fold", "tukey_hsd", {"blocks": False}, share=0.25),
    Trial("two recalls", "hotelling_t2"),
    Trial("two recalls", "hotelling_t2_unpaired"),
    Trial("recalls", "manova", {"blocks": True}),
    Trial("recalls", "manova", {"blocks": False}),
)


def one_on_folds(truth: Mapping[int, float], expected: str = "holds") -> tuple[Trial, ...]:
    """Return the tests of one algorithm against its accuracy on 180 and on 160 rows."""
    sizes = {"n_train": 160, "n_test": 40}
    return (
        Trial("10-fold", "one_sample_t", {"mu0": truth[180]}, expected),
        Trial("30 splits", "one_sample_t", {"mu0": truth[160]}, expected="liberal"),
        Trial("30 splits", "corrected_one_sample_t", {"mu0": truth[160], **sizes}, expected),
    )


COST = ((0, 1), (5, 0))

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "Two models, one test set: errors alike",
        "200 rows, both accuracies .8, correctness correlated at .6, as of models that find the "
        "same rows hard.",
        paired_correctness(200, 0.8, 0.6),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="errors alike",
    ),
    Setting(
        "Two models, one test set: independent errors",
        "200 rows, both accuracies .8, uncorrelated.",
        paired_correctness(200, 0.8, 0.0),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="independent errors",
    ),
    Setting(
        "Two models, one test set: errors on different rows",
        "200 rows, both accuracies .7, correctness correlated at -.4, as of models that split the "
        "hard rows between them.",
        paired_correctness(200, 0.7, -0.4),
        (*MCNEMAR, Trial("pair", "proportion_difference", expected="liberal")),
        family="errors on different rows",
    ),
    Setting(
        "Two models, small test set",
        "50 rows, both accuracies .9, correctness correlated at .4: about five discordant rows.",
        paired_correctness(50, 0.9, 0.4),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="few rows",
    ),
    Setting(
        "Two models, one test set: ranking and costs",
        "200 rows, exchangeable scores with common noise; costs 1 and 5.",
        labels_and_scores,
        (
            Trial("scores", "delong"),
            Trial("labels", "cost_sensitive", {"cost": COST}, share=0.25),
            Trial("labels", "cost_sensitive", {"cost": COST, "variant": "chi_square"}, share=0.25),
        ),
        family="ranking and costs",
    ),
    Setting(
        "Two models that differ by the margin of an equivalence test",
        "1000 rows, a true difference of exactly .05: showing equivalence within .05 is the error.",
        difference_at_margin,
        (Trial("pair", "tost_paired", {"margin": 0.05}),),
        family="models at the margin",
    ),
    Setting(
        "One model, one test set",
        "200 rows, accuracy .8, tested against .8.",
        one_model,
        (Trial("one", "binomial_test", {"p0": 0.8, "rate": "accuracy"}),),
        family="one model",
    ),
    Setting(
        "Five models, one test set",
        "200 rows, accuracies .8, half of the rows shared by all models.",
        several_correctness(200, 5, 0.8, 0.5),
        OMNIBUS_ROWS,
        family="five models",
    ),
    Setting(
        "Five models, small test set",
        "30 rows, accuracies .9, half of the rows shared by all models.",
        several_correctness(30, 5, 0.9, 0.5),
        OMNIBUS_ROWS,
        family="few rows",
    ),
    Setting(
        "Two algorithms, refitted: nearest centroid",
        "200 rows of two classes; each algorithm sees two common features and four of its own, "
        "drawn from one distribution. The learner is stable, so even the k-fold test holds.",
        refits(nearest_centroid, same_features=False),
        STABLE,
        family="linear",
    ),
    Setting(
        "Two algorithms, refitted: linear discriminant",
        "The same with a covariance to estimate.",
        refits(linear_discriminant, same_features=False),
        STABLE,
        family="linear",
    ),
    Setting(
        "Two algorithms, refitted: nearest neighbour (a hard case)",
        "The same with one nearest neighbour. Rows are often each other's nearest neighbours, so "
        "scores of different folds depend on each other more than any of these tests assumes: the "
        "two differences of a 2-fold replication correlate at .46 (nearest centroid: .09). Only "
        "the corrected k-fold test on a single cross-validation holds; the other recommended tests "
        "reject about twice as often as they should.",
        refits(nearest_neighbour, same_features=False),
        tuple(
            dataclasses.replace(
                trial, expected="holds" if trial.test == "corrected_kfold_t" else "liberal"
            )
            for trial in STABLE
        ),
        family="neighbours",
    ),
    Setting(
        "A randomised algorithm against itself",
        "Nearest centroid on three of six features, which every fit draws anew: two runs with "
        "different seeds. Fits hardly depend on each other, so little is left to correct.",
        refits(random_subspace, same_features=True),
        (*FOLD_TESTS, Trial("10-fold", "kfold_t"), Trial("30 splits", "resampled_t")),
        family="seeds alone",
    ),
    Setting(
        "Two algorithms that differ by the margin of an equivalence test",
        "Nearest centroid as above with .1 taken from A's scores; the margin is .1.",
        shifted(refits(nearest_centroid, same_features=False), 0.1),
        (Trial("10-fold", "tost_folds", {"margin": 0.1}),),
        family="linear",
    ),
    Setting(
        "One algorithm, refitted",
        "Nearest centroid, tested against its true expected accuracy.",
        one_algorithm(nearest_centroid),
        one_on_folds({180: true_accuracy(180), 160: true_accuracy(160)}),
        family="linear",
    ),
    Setting(
        "One algorithm, refitted: nearest neighbour",
        "The same with one nearest neighbour.",
        one_algorithm(nearest_neighbour),
        one_on_folds(NEIGHBOUR_ACCURACY, "liberal"),
        family="neighbours",
    ),
    Setting(
        "Nearest neighbours that differ by the margin of an equivalence test",
        "The same with one nearest neighbour.",
        shifted(refits(nearest_neighbour, same_features=False), 0.1),
        (Trial("10-fold", "tost_folds", {"margin": 0.1}),),
        family="neighbours",
    ),
    *(
        Setting(
            title,
            about,
            several_refits(fit),
            tuple(dataclasses.replace(trial, expected=expected) for trial in SEVERAL_ON_FOLDS),
            family=family,
        )
        for title, about, fit, family, expected in (
            (
                "Four algorithms, refitted over 10 folds",
                "Nearest centroid, four exchangeable feature sets; the criteria are the recalls "
                "of the two classes.",
                nearest_centroid,
                "linear",
                "holds",
            ),
            (
                "Four algorithms, refitted over 10 folds: nearest neighbour",
                "The same with one nearest neighbour.",
                nearest_neighbour,
                "neighbours",
                "liberal",
            ),
        )
    ),
    Setting(
        "Five algorithms over 15 data sets",
        "Data sets of unlike difficulty and spread, heavy-tailed scores with four decimals.",
        datasets(15, 5, 4),
        DATASET_TESTS,
        family="several data sets",
    ),
    Setting(
        "Five algorithms over 15 data sets, with ties",
        "The same with two decimals.",
        datasets(15, 5, 2),
        DATASET_TESTS,
        family="ties",
    ),
)


def simulate(replications: int, again: bool) -> None:
    """Simulate the settings that the file does not hold yet, or all, and keep their order."""
    known = {} if again else rates_by_setting()
    for setting in SETTINGS:
        if setting.title not in known:
            start = time.perf_counter()
            rows = list(run(setting, replications, seed=1))
            known[setting.title] = [{k: str(v) for k, v in row.facts.items()} for row in rows]
            print(f"{setting.title} ({time.perf_counter() - start:.0f} s)", flush=True)
            for row in rows:
                surprise = "" if row.as_expected else "  (not as expected)"
                print(f"  {row.trial.test} {row.trial.label} {row.rate:.4f}{surprise}", flush=True)
            _write([row for one in SETTINGS for row in known.get(one.title, [])])


def _write(rates: list[dict[str, str]]) -> None:
    with CSV.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rates[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rates)


def rates_by_setting() -> dict[str, list[dict[str, str]]]:
    """Return what is in the file, by the title of the setting."""
    found: dict[str, list[dict[str, str]]] = {}
    if CSV.exists():
        with CSV.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["setting"], []).append(row)
    return found


def main() -> None:
    """Simulate what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=4000)
    parser.add_argument("--again", action="store_true", help="simulate all settings anew")
    options = parser.parse_args()
    simulate(options.replications, options.again)


if __name__ == "__main__":
    main()
