"""What the simulations show of every test's type I error.

The rule is that of docs/error-rates.md, for all tests alike. What comes out goes into
src/bakeoff/stats/error_rates.csv, which the catalogue reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from bakeoff.spec.learners import LEARNERS, REGRESSION
from bakeoff.stats import ErrorRate, TypeOneError, catalogue
from bakeoff.stats.core.error_rates import overall
from benchmarks.any_metric import ENOUGH
from benchmarks.crossval import rates as crossval
from benchmarks.crossval import row_cells, row_tables
from benchmarks.crossval.row_values import OF_NUMBERS
from benchmarks.harness import HERE, Rejections, liberal
from benchmarks.harness import read as read_table

THROUGH = {
    "diebold_mariano_means": "diebold_mariano",
    "mean_difference": "metric_difference",
    "recipe_mean_difference": "recipe_difference",
    "suite_difference": "suite_mean_difference",
    "wilcoxon_log_ratios": "wilcoxon_signed_rank",
}
"""Other forms of a test, with its standard error and its reference distribution: studied by it."""

NAMED = {
    "AUC": "roc_auc",
    "Brier score": "brier",
    "log loss": "log_loss",
    "balanced accuracy": "balanced_accuracy",
    "F1": "f1",
}
"""The metrics that families of learners are simulated by, from their titles there."""

REGRESSORS = "regression.csv"
"""The study of predicted numbers, where each form of a test has metrics of its own."""

OF_RUNS, COVERAGE = "recipes.csv", 0.94
"""The study of intervals of training runs; a situation holds where all its cells cover as often."""

FEW_ROWS = 100
"""With fewer rows heavy tails of errors do not show."""


@dataclasses.dataclass(frozen=True)
class Rate(Rejections):
    """How often one test rejected a true null in one regime of a study."""

    test: str
    family: str
    regime: str
    runs: int
    rejected: int
    study: str


@dataclasses.dataclass(frozen=True)
class Level:
    """What all rates of a test say together, and those of each family."""

    rates: tuple[ErrorRate, ...]
    highest: Rate

    @property
    def word(self) -> TypeOneError:
        """What is said of the test."""
        return overall(rate.verdict for rate in self.rates)

    @property
    def liberal_for(self) -> tuple[str, ...]:
        """The families that it is liberal for."""
        return tuple(r.label for r in self.rates if r.verdict is TypeOneError.LIBERAL)


def read() -> list[Rate]:
    """Return the rates of all studies."""
    return [
        *_type1(),
        *_crossval(),
        *_fold_rows(),
        *_dependent(),
        *_uneven(),
        *_blocks(),
        *_any_metric(),
        *_any_metric_families(),
        *_recipes(),
        *_regression(),
        *_suites(),
    ]


def level(rates: Iterable[Rate]) -> Level:
    """Apply the rule to the rates of one test."""
    own = list(rates)
    too_high = {rate.family for rate in liberal(own)}
    too_high |= {r.family for r in own if r.study == OF_RUNS and r.rate > 1 - COVERAGE}
    by_family: dict[str, list[Rate]] = {}
    for rate in own:
        by_family.setdefault(rate.family, []).append(rate)
    found = tuple(_setting(part, family in too_high) for family, part in by_family.items())
    return Level(found, max(own, key=lambda rate: rate.rate))


def _setting(rates: Sequence[Rate], too_high: bool) -> ErrorRate:
    """Sum up the rates of one test in one family."""
    worst = max(rates, key=lambda rate: rate.rate)
    if too_high:
        verdict = TypeOneError.LIBERAL
    elif all(rate.verdict() is TypeOneError.CONSERVATIVE for rate in rates):
        verdict = TypeOneError.CONSERVATIVE
    else:
        verdict = TypeOneError.HOLDS
    setting, _, by = worst.family.partition(" by ")
    studies = tuple(dict.fromkeys(rate.study for rate in rates))
    counts = worst.runs, worst.rejected
    return ErrorRate(setting, NAMED.get(by, ""), by, verdict, worst.regime, *counts, studies)


@cache
def levels() -> dict[str, Level]:
    """Apply the rule to every test that was simulated, by its name."""
    by_test: dict[str, list[Rate]] = {}
    for rate in read():
        by_test.setdefault(rate.test, []).append(rate)
    for form, test in THROUGH.items():
        through = [rate for rate in by_test[test] if rate.study != REGRESSORS]
        by_test[form] = [*by_test.get(form, []), *through]
    found = {test: level(own) for test, own in by_test.items()}
    return dict(sorted(found.items()))


# Studies ---------------------------------------------------------------------------------------


def _type1() -> Iterator[Rate]:
    for row in read_table(HERE / "type1/rates.csv"):
        if row["default"] == "yes":
            counts = int(row["runs"]), int(row["rejected"])
            yield Rate(row["test"], row["family"], row["setting"], *counts, "type1/rates.csv")


def _crossval() -> Iterator[Rate]:
    default = {procedure.name for procedure in crossval.PROCEDURES if procedure.by_default}
    for rate in crossval.load():
        if rate.kind == "level" and rate.procedure in default:
            counts = rate.runs, rate.rejected
            yield Rate(rate.test, rate.family, rate.regime, *counts, "crossval/rates.csv")


def _fold_rows() -> Iterator[Rate]:
    by = {metric: f" by {title}" for title, metric in NAMED.items()}
    for row in row_tables.null():
        family, metric = row_cells.KINDS[row["learner"]], row["metric"]
        if row["kind"] == "groups":
            family = "rows in groups"
        if metric in OF_NUMBERS:
            family += REGRESSION
        elif family in LEARNERS or row["kind"] == "groups":
            family += by.get(metric, "")
        regime = f"{row_tables.named(row)}, {row['plan']}, by {row_tables.TITLES[metric]}"
        counts = int(row["tested_rule"]), int(row["rejected_rule"])
        if counts[0] >= ENOUGH * int(row["sets"]):
            study = "crossval/row_intervals.csv"
            yield Rate("fold_rows_difference", family, regime, *counts, study)


SITUATIONS = {"equal": "groups of one size", "one group 30 %": "groups of unlike size"}


def _dependent() -> Iterator[Rate]:
    for row in read_table(HERE / "dependent/rates.csv"):
        test = DEFAULTS.get(row["test"])
        if test is None or float(row["difference"]):
            continue
        in_time = row["kind"] in ("time", "pairs in time")
        weak = "autocorrelation" if float(row["dependence"]) < 0.9 else "strong autocorrelation"
        many = "rows in time" if in_time else "groups"
        runs = int(row["runs"])
        yield Rate(
            test,
            weak if in_time else SITUATIONS[row["shape"]],
            f"{row['shape']}, {row['groups']} {many}, dependence {float(row['dependence']):g}",
            runs,
            round(float(row["rate"]) * runs),
            "dependent/rates.csv",
        )


def _uneven() -> Iterator[Rate]:
    for row in read_table(HERE / "dependent/uneven.csv"):
        true_null = not float(row["difference"]) or row["question"] == "noninferiority"
        if row["test"] in catalogue() and true_null:
            yield Rate(
                row["test"],
                "groups of one size" if row["sizes"] == "equal" else "groups of unlike size",
                f"{row['question']}, {row['groups']} groups, {row['sizes']}, group effects: "
                f"{row['effects']}",
                int(row["runs"]),
                int(row["rejected"]),
                "dependent/uneven.csv",
            )


def _blocks() -> Iterator[Rate]:
    for row in read_table(HERE / "dependent/blocks.csv"):
        test = row["test"].partition(",")[0]
        if test not in catalogue():
            continue
        regime = f"{row['question']}, {row['effects']}, {row['rows']} rows"
        if row["sizes"] == "blocks of time":
            phi = float(row["effects"].split()[1])
            if not phi:
                continue
            situation = "autocorrelation" if phi < 0.9 else "strong autocorrelation"
        else:
            situation = SITUATIONS.get(row["sizes"], "groups of unlike size")
            regime += f" in {row['groups']} groups, {row['sizes']}"
        counts = int(row["runs"]), int(row["rejected"])
        yield Rate(test, situation, regime, *counts, "dependent/blocks.csv")


DEFAULTS = {
    "sign_flip": "mcnemar",
    "binomial_test": "binomial_test",
    "diebold_mariano ewc_corrected": "diebold_mariano",
    "diebold_mariano ewc_corrected, 6 models": "diebold_mariano",
    "diebold_mariano ewc_corrected, 10 models": "diebold_mariano",
    "cochran_q sign_flip, 4 models": "cochran_q",
    "mcnemar of all pairs, 4 models": "mcnemar",
    "cost_sensitive": "cost_sensitive",
    "mean_difference sign_flip": "mean_difference",
    "tost_paired, at the margin": "tost_paired",
    "noninferiority, at the margin": "noninferiority",
}
"""The tests that run by default on rows in groups or in time, by their names in rates.csv."""


def _any_metric() -> Iterator[Rate]:
    for row in read_table(HERE / "any_metric.csv"):
        if int(row["answered"]) >= ENOUGH * int(row["replicates"]):
            yield Rate(
                "metric_difference",
                row["metric"],
                f"{row['metric']}, {row['null']} null, {row['n']} rows, "
                f"{row['prevalence']} positive",
                int(row["answered"]),
                int(row["rejected"]),
                "any_metric.csv",
            )


def _any_metric_families() -> Iterator[Rate]:
    for row in read_table(HERE / "any_metric_families.csv"):
        if row["skill"] != "equal":
            continue
        answered = int(row["answered"])
        yield Rate(
            row["test"],
            row["metric"],
            f"{row['metric']}, {row['models']} models, {row['n']} rows, "
            f"{row['prevalence']} positive",
            answered,
            round(float(row["max-t"]) * answered),
            "any_metric_families.csv",
        )


def _recipes() -> Iterator[Rate]:
    for row in read_table(HERE / OF_RUNS):
        counts = int(row["answered"]), int(row["two_t"])
        what = row["shape"] or f"{row['metric']} {row['skill_a']}, R = {row['ratio']}"
        regime = f"{row['runs_a']} and {row['runs_b']} runs, {row['n']} rows, {what}"
        yield Rate("recipe_difference", row["situation"], regime, *counts, OF_RUNS)


_OF_REGRESSION = {"metric_difference", "metric_equivalence"}


def _regression() -> Iterator[Rate]:
    for row in read_table(HERE / REGRESSORS):
        test, family, answered = row["test"], row["metric"], int(row["answered"])
        if row["kind"] == "time" and test == "ewc_corrected":
            strong = row["noise"] == "autoregression 0.9"
            test = "diebold_mariano_means"
            family = "strong autocorrelation" if strong else "autocorrelation"
        elif test not in _OF_REGRESSION or answered < ENOUGH * int(row["sets"]):
            continue
        elif row["kind"] == "rare":
            family = f"rare large errors{REGRESSION}"
        elif int(row["n"]) < FEW_ROWS:
            family = f"few rows{REGRESSION}"
        drawn = ", ".join(filter(None, (row["metric"], row["null"], row["noise"])))
        regime = f"{drawn}, {row['n']} rows"
        counts = answered, int(row["counted"])
        yield Rate(test, family, regime, *counts, REGRESSORS)
        if test == "metric_difference" and row["metric"] in ("mse", "mae"):
            yield Rate("mean_difference", family, regime, *counts, REGRESSORS)  # of their losses


_OF_SUITES = {
    "signs": ("sign_test", "all pairs of models with sign flips"),
    "stratified t": ("suite_mean_difference", "fixed tasks of unlike sizes"),
    "welch": ("seeds_difference", "training runs of unlike spread"),
}
"""Tests and their situations by what suites.csv counts: rejections, or intervals that cover."""


def _suites() -> Iterator[Rate]:
    for row in read_table(HERE / "suites.csv"):
        if row["of"] not in _OF_SUITES or row["what"] == "power":
            continue
        test, situation = _OF_SUITES[row["of"]]
        runs = int(row["runs"])
        rejected = int(row["counted"])
        if row["what"] == "coverage":
            rejected = runs - rejected
        yield Rate(test, situation, f"{row['case']}, {row['size']}", runs, rejected, "suites.csv")


# What is written -------------------------------------------------------------------------------
