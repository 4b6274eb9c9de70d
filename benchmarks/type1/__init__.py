"""How often tests of the catalogue reject a null that is true: `python -m benchmarks type1`.

Tests are run on evidence drawn under their nulls: models on one test set, algorithms on several
data sets, or fast classifiers that are refitted on synthetic data. `SETTINGS` says how evidence is
drawn and which tests are run on it; the rates at the level .05 go to rates.csv.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.stats import Arity, PairwiseResult, all_pairs, catalogue
from benchmarks.crossval.data import accuracy
from benchmarks.crossval.learners import Learner, nearest_centroid, neighbours
from benchmarks.harness import Array, Row, read, write

CSV = Path(__file__).with_name("rates.csv")
ALPHA = 0.05
COLUMNS = (
    *("setting", "family", "test", "on", "options", "default"),
    *("runs", "rejected", "undecided"),
)
Evidence = Mapping[str, tuple[Any, ...]]
Draw = Callable[[np.random.Generator], Evidence]


@dataclasses.dataclass(frozen=True)
class Trial:
    """One test on one kind of evidence of a setting.

    `share` is the part of the replications that an expensive test gets.
    """

    evidence: str
    test: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
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


def run(setting: Setting, replications: int, seed: int) -> Iterator[Row]:
    """Run the trials of a setting on the same evidence; each draw has its own generator."""
    tests = catalogue()
    runs = [max(1, round(replications * trial.share)) for trial in setting.trials]
    rejected, undecided = [0] * len(runs), [0] * len(runs)
    for replication in range(replications):
        evidence = setting.draw(np.random.default_rng([seed, replication]))
        for i, trial in enumerate(setting.trials):
            if replication < runs[i]:
                entry = tests[trial.test]
                many = trial.evidence == "many" and entry.arity is Arity.PAIR
                function = partial(all_pairs, entry.name) if many else entry.function
                p = _pvalue(function, evidence[trial.evidence], trial.options)
                rejected[i] += p < ALPHA
                undecided[i] += math.isnan(p)
    for trial, *counts in zip(setting.trials, runs, rejected, undecided, strict=True):
        facts = setting.title, setting.family, trial.test, trial.evidence, trial.label
        values = *facts, "yes" if trial.by_default else "no", *counts
        yield dict(zip(COLUMNS, map(str, values), strict=True))


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


def rates_by_setting() -> dict[str, list[Row]]:
    """Return what is in the file, by the title of the setting."""
    found: dict[str, list[Row]] = {}
    for row in read(CSV):
        found.setdefault(row["setting"], []).append(row)
    return found


# Evidence under the null -----------------------------------------------------------------------


def paired_correctness(n: int, accuracy: float, phi: float) -> Draw:
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


def few_positives(n: int, positives: int) -> Draw:
    """Two exchangeable models, as above, and few rows of the positive class."""

    def draw(rng: np.random.Generator) -> Evidence:
        y = rng.permutation(np.repeat([0, 1], [n - positives, positives]))
        noise = rng.normal(size=n)
        a, b = (1.5 * y + noise + rng.normal(size=n) for _ in range(2))
        return {"labels": (y, (a > 1.2).astype(int), (b > 1.2).astype(int)), "scores": (y, a, b)}

    return draw


def one_model(rng: np.random.Generator) -> Evidence:
    """One model with an accuracy of exactly .8."""
    return {"one": (rng.random(200) < 0.8,)}


def several_correctness(n: int, models: int, accuracy: float, common: float) -> Draw:
    """Models of one accuracy; a row's outcome is shared with the probability `common`."""

    def draw(rng: np.random.Generator) -> Evidence:
        own = rng.random((n, models)) < accuracy
        shared = rng.random((n, 1)) < accuracy
        return {"many": (np.where(rng.random((n, 1)) < common, shared, own),)}

    return draw


def datasets(n: int, algorithms: int, decimals: int) -> Draw:
    """Scores of exchangeable algorithms on data sets of unlike difficulty and spread."""

    def draw(rng: np.random.Generator) -> Evidence:
        level = rng.uniform(0.6, 0.95, (n, 1))
        spread = rng.uniform(0.005, 0.03, (n, 1))
        scores = (level + spread * rng.standard_t(4, (n, algorithms))).round(decimals)
        return {"many": (scores,), "pair": (scores[:, 0], scores[:, 1])}

    return draw


def incomplete(n: int, algorithms: int, decimals: int, missing: float) -> Draw:
    """Leave out scores at random; every data set and every algorithm keeps one."""
    whole = datasets(n, algorithms, decimals)

    def draw(rng: np.random.Generator) -> Evidence:
        (scores,) = whole(rng)["many"]
        gaps = rng.random(scores.shape) < missing
        gaps[np.arange(n), rng.integers(algorithms, size=n)] = False
        gaps[np.arange(algorithms) % n, np.arange(algorithms)] = False
        table = np.where(gaps, np.nan, scores)
        return {"many": (table,), "pair": (table[:, 0], table[:, 1])}

    return draw


# Refits ----------------------------------------------------------------------------------------

ROWS, OWN, COMMON = 200, 4, 2


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


def accuracies(fit: Learner, x: Array, y: Array, test: Array, rng: np.random.Generator) -> Array:
    """Return the accuracy on the test rows of each split."""
    return accuracy(fit(x, y, ~test, test, rng), y, test)


def several_refits(fit: Learner) -> Draw:
    """Score four equivalent algorithms over 10 folds: accuracy, and recall of both classes."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 4)
        test = stratified_folds(rng, y, 10)
        fitted = [fit(view(x, m), y, ~test, test, rng) for m in range(4)]
        scores = np.column_stack([accuracy(f, y, test) for f in fitted])
        by_class = [test & (y == label) for label in (0, 1)]
        recalls = [np.column_stack([accuracy(f, y, rows) for rows in by_class]) for f in fitted]
        return {
            "10-fold": (scores,),
            "recalls": (np.stack(recalls, axis=1),),
        }

    return draw


def one_algorithm(fit: Learner) -> Draw:
    """Score one algorithm over 10 folds and over 30 random splits."""

    def draw(rng: np.random.Generator) -> Evidence:
        x, y = draw_data(rng, 1)
        plans = {
            "10-fold": stratified_folds(rng, y, 10),
            "30 splits": random_splits(rng, y, 30, 0.2),
        }
        return {name: (accuracies(fit, x, y, test, rng),) for name, test in plans.items()}

    return draw


CENTROID_ACCURACY = {180: 0.7992793423958842, 160: 0.798648283491417}
"""Nearest centroid's expected accuracy by training rows, from 20,000 fits."""
NEIGHBOUR_ACCURACY = {180: 0.7008, 160: 0.6996}
"""The nearest neighbour's by training rows, from 3,000 training sets: standard error .0005."""


# Settings ---------------------------------------------------------------------------------------

MCNEMAR = tuple(
    Trial("pair", "mcnemar", {"variant": v}, share=0.75)
    for v in ("midp", "exact", "asymptotic", "corrected")
)
OMNIBUS_ROWS = (
    Trial("many", "cochran_q"),
    Trial("many", "looney_f"),
    Trial("many", "mcnemar", {"correction": "holm"}),
)
DATASET_TESTS = (
    Trial("pair", "wilcoxon_signed_rank"),
    Trial("many", "friedman", share=0.25),
    Trial("many", "iman_davenport"),
    Trial("many", "quade"),
    Trial("many", "kruskal_wallis"),
    Trial("many", "nemenyi", share=0.5),
    Trial("many", "friedman_posthoc", {"correction": "holm"}),
    Trial("many", "conover_friedman", {"correction": "holm"}),
    Trial("many", "wilcoxon_signed_rank", {"correction": "holm"}, share=0.5),
)
SEVERAL_ON_FOLDS = (
    Trial("10-fold", "anova_repeated_measures"),
    Trial("10-fold", "anova_oneway"),
    Trial("10-fold", "tukey_hsd", {"blocks": True}, share=0.25),
    Trial("10-fold", "tukey_hsd", {"blocks": False}, share=0.25),
    Trial("recalls", "manova", {"blocks": True}),
    Trial("recalls", "manova", {"blocks": False}),
)


def one_on_folds(truth: Mapping[int, float]) -> tuple[Trial, ...]:
    """Return the tests of one algorithm against its accuracy on 180 and on 160 rows."""
    return (
        Trial("10-fold", "one_sample_t", {"mu0": truth[180]}),
        Trial("30 splits", "one_sample_t", {"mu0": truth[160]}),
    )


COST = ((0, 1), (5, 0))
UNLIKE_COST = ((0, 1), (20, 0))
BY_COST = {"metric": "cost", "cost": UNLIKE_COST, "labels": (0, 1)}


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
        (*MCNEMAR, Trial("pair", "proportion_difference")),
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
        "Two models, one test set: rare costly errors",
        "200 rows, 20 of them positive, exchangeable models; a false alarm costs 1, a miss 20.",
        few_positives(200, 20),
        (
            Trial("labels", "cost_sensitive", {"cost": UNLIKE_COST}, share=0.25),
            Trial("labels", "metric_difference", BY_COST, share=0.25),
        ),
        family="rare costly errors",
    ),
    Setting(
        "Two models, one test set: few rows of a class",
        "300 rows, 10 of them positive, exchangeable scores with common noise.",
        few_positives(300, 10),
        (
            Trial("scores", "delong"),
            Trial("scores", "metric_difference", {"metric": "roc_auc"}, share=0.25),
        ),
        family="few rows of a class",
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
        "One algorithm, refitted",
        "Nearest centroid, tested against its true expected accuracy.",
        one_algorithm(nearest_centroid),
        one_on_folds(CENTROID_ACCURACY),
        family="nearest centroid",
    ),
    Setting(
        "One algorithm, refitted: nearest neighbour",
        "The same with one nearest neighbour.",
        one_algorithm(neighbours(1)),
        one_on_folds(NEIGHBOUR_ACCURACY),
        family="k-nearest neighbours",
    ),
    Setting(
        "Four algorithms, refitted over 10 folds",
        "Nearest centroid, four exchangeable feature sets; the criteria are the recalls of the two "
        "classes.",
        several_refits(nearest_centroid),
        SEVERAL_ON_FOLDS,
        family="nearest centroid",
    ),
    Setting(
        "Four algorithms, refitted over 10 folds: nearest neighbour",
        "The same with one nearest neighbour.",
        several_refits(neighbours(1)),
        SEVERAL_ON_FOLDS,
        family="k-nearest neighbours",
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
    *(
        Setting(
            f"Five algorithms over {n} data sets, a fifth of the scores missing{tied}",
            f"The same with scores missing at random, {digits} decimals.",
            incomplete(n, 5, digits, 0.2),
            (Trial("many", "wilcoxon_signed_rank", {"missing": "omit"}, share=0.5),),
            family="ties" if tied else "several data sets",
        )
        for n in (12, 30)
        for digits, tied in ((4, ""), (2, ", with ties"))
    ),
)


def simulate(replications: int, seed: int = 1) -> Iterator[str]:
    """Simulate the settings that the file does not hold yet, and keep their order."""
    known = rates_by_setting()
    for setting in SETTINGS:
        if setting.title not in known:
            known[setting.title] = list(run(setting, replications, seed))
            write(CSV, [row for one in SETTINGS for row in known.get(one.title, [])])
            yield setting.title
