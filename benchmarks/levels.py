"""What the simulations show of every test's type I error.

One rule for all tests, on the rates in the CSV files of this folder at a level of .05. A test *is
liberal for* the families with a regime whose rate is surely above .06 (the lower end of Wilson's
95 % interval is; of a family of learners for all its regimes together). Of training runs it is one
for every situation with a cell whose intervals cover less than .94. Else it is *conservative* where
every rate is surely below .03, and else it *holds*. A test is judged as it runs by default,
not by its other variants. What comes out goes into src/bakeoff/stats/error_rates.csv, which the
catalogue reads, docs/stats/type1-error.md and the tables of other pages.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from statistics import median

from bakeoff.spec.learners import REGRESSION
from bakeoff.stats import Entry, ErrorRate, TypeOneError, catalogue
from bakeoff.stats.core.error_rates import overall
from benchmarks.any_metric import ENOUGH
from benchmarks.crossval import rates as crossval
from benchmarks.harness import HERE, Rejections, Row, liberal, markdown
from benchmarks.harness import read as read_table
from benchmarks.type1.settings import SETTINGS
from benchmarks.type1.trials import rates_by_setting

THROUGH = {
    "diebold_mariano_means": "diebold_mariano",
    "mean_difference": "metric_difference",
    "recipe_mean_difference": "recipe_difference",
}
"""Other forms of a test, with its standard error and its reference distribution: studied by it."""

NAMED = {"AUC": "roc_auc", "Brier score": "brier"}
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

    @property
    def studies(self) -> tuple[str, ...]:
        """The files that show it."""
        return tuple(dict.fromkeys(study for rate in self.rates for study in rate.studies))


def read() -> list[Rate]:
    """Return the rates of all studies."""
    return [
        *_type1(),
        *_crossval(),
        *_dependent(),
        *_uneven(),
        *_blocks(),
        *_any_metric(),
        *_any_metric_families(),
        *_recipes(),
        *_regression(),
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


SITUATIONS = {"equal": "groups of one size", "one group 30 %": "groups of unlike size"}


def _dependent() -> Iterator[Rate]:
    for row in read_table(HERE / "dependent/rates.csv"):
        test = _of_dependent_rows(row)
        if test is None:
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


def _of_dependent_rows(row: Row) -> str | None:
    """Name the test of a row; None for another variant, or a test of independent rows."""
    if float(row["difference"]) or row["test"].endswith("no assumption failed"):
        return None
    told = row["test"].partition(",")[0]
    pair = row["kind"] == "pair"
    test, _, variant = (f"mcnemar {told}" if pair else told).partition(" ")
    if test not in catalogue() or variant in ("(rows)", "of 8 time_blocks"):
        return None  # what runs in time is diebold_mariano
    named = variant and not variant.startswith("of ")
    return None if named and variant != _default(catalogue()[test]) else test


def _default(entry: Entry) -> str:
    """Return the variant that runs on rows in groups or in time."""
    if entry.variants is not None:
        return entry.variants.groups[0]
    option = entry.options.get("variant")
    return "" if option is None else option.default


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


# What is written -------------------------------------------------------------------------------

STUDIES = {
    "type1/rates.csv": "below",
    "crossval/rates.csv": "[cross-validation](../cross-validation.md)",
    "dependent/rates.csv": "[dependent rows](type1-dependent.md)",
    "dependent/blocks.csv": "[dependent rows](type1-dependent.md)",
    "dependent/uneven.csv": "[dependent rows](type1-dependent.md)",
    "any_metric.csv": "[any metric](any-metric.md)",
    "any_metric_families.csv": "[any metric](any-metric.md)",
    "recipes.csv": "[training runs](recipes.md)",
    "regression.csv": "[regression](type1-regression.md)",
}


def table() -> str:
    """Return the file that the catalogue reads."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["test", *(field.name for field in dataclasses.fields(ErrorRate))])
    for test, one in levels().items():
        for rate in one.rates:
            *facts, studies = dataclasses.astuple(rate)
            writer.writerow([test, *facts, " ".join(studies)])
    return text.getvalue()


def every_test() -> str:
    """Return what is said of each test, and where it is seen."""
    lines = []
    for test, one in levels().items():
        low, high = one.highest.interval
        families = f" for {', '.join(one.liberal_for)}" if one.liberal_for else ""
        rate = f"{one.highest.rate:.3f} [{low:.3f}, {high:.3f}]"
        shown = ", ".join(dict.fromkeys(STUDIES[study] for study in one.studies))
        shown += f", through `{THROUGH[test]}`" if test in THROUGH else ""
        lines.append((f"`{test}`", one.word.short + families, rate, one.highest.regime, shown))
    heads = "test", "its level", "highest rate, 95 % interval", "where", "shown by"
    return markdown(heads, lines)


def settings() -> str:
    """Return the rates of the settings of type1/rates.csv."""
    heads = "test", "on", "options", "rejected", "95 % interval", "runs", "undecided", "seen"
    parts, rows = [], rates_by_setting()
    for setting in SETTINGS:
        lines = []
        for row in rows.get(setting.title, []):
            rate = Rate(row["test"], "", "", int(row["runs"]), int(row["rejected"]), "")
            low, high = rate.interval
            counted = f"{rate.rate:.4f}", f"[{low:.4f}, {high:.4f}]", rate.runs, row["undecided"]
            lines.append((row["test"], row["on"], row["options"], *counted, rate.verdict().short))
        parts += [f"## {setting.title}", setting.about, markdown(heads, lines, 3)]
    return "\n\n".join(parts)


def part(*tests: str) -> str:
    """Return the type I error of some tests: with which learners it is inflated, and how far."""
    lines = []
    for test in tests:
        found = levels()[test]
        own = [r for r in found.rates if r.verdict is TypeOneError.LIBERAL]
        inflated = ", ".join(f"{r.label} ({r.rate:.2f})" for r in own) or "–"
        word = f"{found.word.short}, highest rate {found.highest.rate:.2f}"
        lines.append((f"`{test}`", word, inflated))
    return markdown(("test", "type I error at .05", "inflated (highest rate)"), lines)


def variants() -> str:
    """Return how often each variant of McNemar's test rejects a true null, by setting."""
    rates: dict[str, list[str]] = {}
    shown = []
    for setting, rows in rates_by_setting().items():
        own = [row for row in rows if (row["test"], row["on"]) == ("mcnemar", "pair")]
        if own:
            shown.append(setting.removeprefix("Two models, ").removeprefix("one test set: "))
        for row in own:
            rate = int(row["rejected"]) / int(row["runs"])
            name = f"`{row['options'].removeprefix('variant=')}`"
            rates.setdefault(name, []).append(f"{rate:.3f}")
    return markdown(("`variant`", *shown), ((name, *own) for name, own in rates.items()), 1)


def rows_as_if_independent() -> str:
    """Return how often McNemar's test rejects a true null where rows belong to groups."""
    found: dict[float, list[float]] = {}
    for row in read_table(HERE / "dependent/rates.csv"):
        naive = row["kind"] == "pair" and row["test"] == "McNemar mid-p (rows)"
        if naive and float(row["difference"]) == 0 and float(row["mean_size"]) == 20:
            found.setdefault(float(row["dependence"]), []).append(float(row["rate"]))
    told = [f"{median(found[icc]):.0%} if it is {icc:g}" for icc in sorted(found) if icc]
    return (
        "In simulations with 20 rows per group on average, McNemar's test for independent rows "
        "rejects a true null hypothesis at the .05 level with a probability that depends on the "
        f"intraclass correlation of the difference per row: {' and '.join(told)} (medians over "
        "accuracies, numbers and sizes of groups; [all rates](stats/type1-dependent.md))."
    )


PAGES = {
    "../src/bakeoff/stats/error_rates.csv": {"": table},
    "stats/type1-error.md": {"tests": every_test, "settings": settings},
    "stats/resampled.md": {
        "rates": partial(
            part,
            "cv5x2_f",
            "cv5x2_t",
            "corrected_kfold_t",
            "corrected_repeated_kfold_t",
            "corrected_resampled_t",
            "kfold_t",
            "resampled_t",
        )
    },
    "stats/halves.md": {"rates": partial(part, "cv5x2_z", "cv5x2_mcnemar", "half_sample_t")},
    "stats/paired.md": {"variants": variants},
    "dependent-rows.md": {"naive": rows_as_if_independent},
}
