"""What the documentation shows of the simulations: one summary table of each, from its CSV files.

`python -m benchmarks` writes docs/error-rates.md, two parts of other pages, and
src/bakeoff/stats/error_rates.csv, which the catalogue reads. A cell has the worst rate of many
settings, which lies above the true one by chance; the CSV files hold every rate.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import mean, median

from bakeoff.spec.learners import REGRESSION
from bakeoff.stats import ErrorRate, TypeOneError
from benchmarks import any_metric, speed
from benchmarks.crossval import rates as crossval
from benchmarks.crossval import row_tables
from benchmarks.dependent import rates as dependent
from benchmarks.harness import DOCS, HERE, Row, liberal, markdown, read, renewed
from benchmarks.levels import THROUGH, levels
from benchmarks.type1 import rates_by_setting

ENOUGH = any_metric.ENOUGH
"""A cell where a smaller share of the studies has an answer is left out."""


def share(row: Row, count: str, of: str = "answered") -> float:
    """Return a count of a row as a share of another one."""
    return int(row[count]) / max(1, int(row[of]))


def answered(rows: Iterable[Row], of: str = "runs") -> list[Row]:
    """Keep the rows with enough answers."""
    return [row for row in rows if int(row["answered"]) >= ENOUGH * int(row[of])]


def groups(rows: Iterable[Row], *keys: str) -> dict[tuple[str, ...], list[Row]]:
    """Return the rows by what they have in some columns, in the order of the file."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def extreme(rates: Iterable[float], choose: Callable[..., float] = max) -> str:
    """Return the largest rate, or the smallest; a dash where there is none."""
    known = list(rates)
    return f"{choose(known):.3f}" if known else "–"


# Every test ---------------------------------------------------------------------------------------


def error_rates() -> str:
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
    """Return what is said of each test, and with what it is inflated."""
    lines = []
    for test, one in levels().items():
        high = [r for r in one.rates if r.verdict is TypeOneError.LIBERAL]
        inflated = ", ".join(f"{r.label} ({r.rate:.2f})" for r in high) or "–"
        low, upper = one.highest.interval
        rate = f"{one.highest.rate:.3f} [{low:.3f}, {upper:.3f}]"
        through = f"; through `{THROUGH[test]}`" if test in THROUGH else ""
        lines.append((f"`{test}`", one.word.short, inflated, rate + through))
    heads = "test", "level", "inflated with (highest rate)", "highest rate, 95 % interval"
    return markdown(heads, lines)


def variants() -> str:
    """Return how often each variant of McNemar's test rejects a true null, by setting."""
    rates: dict[str, list[str]] = {}
    shown = []
    for setting, rows in rates_by_setting().items():
        own = [row for row in rows if (row["test"], row["on"]) == ("mcnemar", "pair")]
        if own:
            shown.append(setting.removeprefix("Two models, ").removeprefix("one test set: "))
        for row in own:
            name = f"`{row['options'].removeprefix('variant=')}`"
            rates.setdefault(name, []).append(f"{share(row, 'rejected', 'runs'):.3f}")
    return markdown(("variant", *shown), ((name, *own) for name, own in rates.items()), 1)


def on_folds(numbers: bool) -> str:
    """Return the highest rate and the mean power of each procedure, of one task."""
    rates = [r for r in crossval.load() if r.family.endswith(REGRESSION) == numbers]
    lines = []
    for procedure in crossval.PROCEDURES:
        own = [r for r in rates if r.procedure == procedure.name]
        level = [r for r in own if r.kind == "level"]
        if not level:
            continue
        worst = max(level, key=lambda r: r.rate)
        low, high = worst.interval
        power = [r.rate for r in own if r.kind == "power"]
        lines.append(
            (
                f"{procedure.name} (`{procedure.test}`)",
                f"{procedure.cost:g}",
                "liberal" if liberal(level) else "holds",
                f"{worst.rate:.3f} [{low:.3f}, {high:.3f}]",
                worst.regime,
                f"{mean(power):.2f}" if power else "–",
            )
        )
    heads = "test", "cost", "level", "highest rate, 95 % interval", "in", "mean power"
    return markdown(heads, lines)


# Dependent rows -----------------------------------------------------------------------------------


def naive() -> str:
    """Say how often McNemar's test rejects a true null where rows belong to groups."""
    found: dict[float, list[float]] = {}
    for rate in dependent.load():
        s = rate.setting
        if (s.kind, s.difference, s.mean_size) == ("pair", 0, 20) and rate.test == dependent.NAIVE:
            found.setdefault(s.dependence, []).append(rate.rate)
    told = " and ".join(f"{median(found[icc]):.0%} if it is {icc:g}" for icc in found if icc)
    return (
        "In simulations with 20 rows per group on average, McNemar's test for independent rows "
        "rejects a true null hypothesis at the .05 level with a probability that depends on the "
        f"intraclass correlation of the difference per row: {told} (medians over accuracies, "
        "numbers and sizes of groups)."
    )


def in_groups() -> str:
    """Return the worst rates of tests on groups, and the least coverage of their intervals."""
    lines = []
    rates = [r for r in dependent.load() if r.setting.kind in ("pair", "question", "single")]
    for test in dict.fromkeys(r.test for r in rates):
        covers = test in dependent.COVERAGE
        cells = []
        for shape in ("equal", "one group 30 %"):
            own = [
                r.rate
                for r in rates
                if (r.test, r.setting.shape) == (test, shape)
                and (covers or not r.setting.difference)
            ]
            cells.append(extreme(own, min if covers else max))
        name = f"`{test}`, coverage" if covers else f"`{test}`"
        lines.append((f"**{name}**" if test in dependent.RECOMMENDED else name, *cells))
    return markdown(("test or interval", "groups of one size", "30 % of the rows in one"), lines, 1)


def uneven() -> str:
    """Return the worst rates of groups of very unequal sizes and of blocks of time."""
    lines = []
    rows = answered(read(HERE / "dependent/uneven.csv"))
    for (question, test), own in groups(rows, "question", "test").items():
        null = [r for r in own if not float(r["difference"]) or question == "noninferiority"]
        covered = [share(r, "covered") for r in own if int(r["covered"])]
        rates = [[share(r, of) for r in null] for of in ("rejected", "rejected_unflagged")]
        lines.append((question, f"`{test}`", *map(extreme, rates), extreme(covered, min)))
    blocks = read(HERE / "dependent/blocks.csv")
    for (question, test, sizes), own in groups(
        ({**r, "sizes": "blocks of time" * (r["sizes"] == "blocks of time")} for r in blocks),
        *("question", "test", "sizes"),
    ).items():
        asked = f"{question}, eight blocks of time" if sizes else question
        rates = [[share(r, of, "runs") for r in own] for of in ("rejected", "rejected_unflagged")]
        lines.append((asked, f"`{test}`", *map(extreme, rates), "–"))
    heads = "question", "test", "rejected: worst", "without a warning", "covered: least"
    return markdown(heads, lines, 2)


def in_time() -> str:
    """Return the worst rates of rows in the order of time, by the strength of the dependence."""
    rates = [r for r in dependent.load() if "time" in r.setting.kind and r.setting.groups >= 100]
    strengths: dict[str, Callable[[dependent.Setting], bool]] = {
        "φ = 0": lambda s: s.dependence == 0,
        "up to .6": lambda s: 0 < s.dependence <= 0.6,
        ".9": lambda s: s.dependence == 0.9,
        ".98": lambda s: s.dependence > 0.9,
        ".9 and .98, 1,000 times": lambda s: s.dependence >= 0.9 and s.groups == 1000,
    }
    lines = []
    for test in dict.fromkeys(r.test for r in rates):
        own = [r for r in rates if r.test == test]
        found = [extreme(r.rate for r in own if within(r.setting)) for within in strengths.values()]
        lines.append((f"`{test}`", *found))
    return markdown(("test, 100 times or more", *strengths), lines, 1)


# One test set -------------------------------------------------------------------------------------


def any_test_set() -> str:
    """Return for each metric the worst rejection and the least coverage."""
    lines = []
    rows = any_metric.counted(read(any_metric.RATES))
    for (metric,), own in groups(rows, "metric").items():
        found = list(map(any_metric.shares, own))
        worst = (extreme(one[key] for one in found) for key in ("rejected", "rejected silently"))
        least = (extreme((one[key] for one in found), min) for key in any_metric.COVERED)
        lines.append((f"`{metric}`", *worst, *least))
    heads = "metric", "rejected: worst", "without a warning", "difference covered: least"
    return markdown((*heads, "one model", "one model, but for misses with a warning"), lines, 1)


def several_models() -> str:
    """Say what the families of models show."""
    rows = read(any_metric.FAMILIES)
    equal, rising = ([r for r in rows if r["skill"] == skill] for skill in any_metric.SKILLS)
    errors = [float(r["max-t"]) for r in equal]
    power = (f"{mean(float(r[c]) for r in rising):.3f} ({c})" for c in any_metric.CORRECTIONS)
    kept = min(float(r["best_kept"]) for r in rising)
    return (
        f"All pairs of 5 or 20 equal models: {min(errors):.3f} to {max(errors):.3f} of the studies "
        "find any difference with `max-t`. The share of true differences that are found is "
        f"{', '.join(power)}, and the best model is in the set of possible best models in at least "
        f"{kept:.3f} of the studies."
    )


def best() -> str:
    """Return how often a best model is in the set of possible best models, by metric."""
    lines = []
    rows = [r for r in read(HERE / "best_models.csv") if r["tested"] != "0"]
    for (metric,), own in groups(rows, "metric").items():
        told = [r for r in own if share(r, "tested", "studies") >= ENOUGH and r["in_set"]]
        kinds = (("alike",), ("unlike",), ("heavy", "in groups"))
        least = [
            extreme((float(r["in_set"]) for r in told if r["kind"] in some), min) for some in kinds
        ]
        lines.append((f"`{metric}`", *least))
    heads = "metric", "models alike: worst", "unlike", "heavy tails or in groups"
    return markdown(heads, lines, 1)


def numbers() -> str:
    """Return the worst rates of predicted numbers, by metric."""
    every = [r for r in read(HERE / "regression.csv") if r["metric"]]
    rows = answered(every, "sets")

    def worst(what: str = "counted", **facts: str) -> str:
        own = (r for r in rows if r[what] and facts.items() <= r.items())
        return extreme(share(r, what) for r in own)

    lines = [
        (
            f"`{metric}`",
            worst(kind="level", metric=metric),
            worst("silent", kind="rare", metric=metric, n="100"),
            worst("silent", kind="rare", metric=metric, n="1000"),
            worst(kind="margin", metric=metric),
            worst(kind="interval", metric=metric, noise="normal"),
            worst(kind="interval", metric=metric),
            worst("silent", kind="interval", metric=metric, n="1000"),
        )
        for metric in ("mse", "rmse", "mae", "r2", "spearman")
    ]
    heads = (
        "metric",
        "difference",
        "rare large errors, 100 rows, no warning",
        "1,000 rows",
        "equivalence at the margin",
        "interval misses, normal noise",
        "any noise",
        "1,000 rows, no warning",
    )
    return markdown(heads, lines, 1)


def training_runs() -> str:
    """Return the worst rate of each situation of training runs."""
    said = {rate.setting: rate for rate in levels()["recipe_difference"].rates}
    lines = []
    for (situation,), own in groups(read(HERE / "recipes.csv"), "situation").items():
        found = [share(r, "two_t") for r in own]
        fits = extreme(share(r, "fits") for r in own)
        level = said[situation].verdict.short
        shown = situation.replace("recipe", "algorithm")
        lines.append((shown, level, extreme(found), f"{mean(found):.3f}", fits))
    heads = "situation", "level", "worst", "mean", "test of these fits: worst"
    return markdown(heads, lines, 2)


def gate() -> str:
    """Return the worst rates of wrong release decisions."""
    lines = []
    for (metric,), own in groups(read(HERE / "gate.csv"), "metric").items():
        given = any_metric.span([float(r["limits"]) for r in own], 2)
        wrong = (extreme(float(r[of]) for r in own) for of in ("ship", "ship_silent", "block"))
        lines.append((metric, given, *wrong))
    heads = "metric", "limits given", "false ship: worst", "without a warning", "false block: worst"
    return markdown(heads, lines)


def few_rows() -> str:
    """Return what tests on few rows do."""
    cochran = read(HERE / "cochran_few.csv")
    q = (extreme(share(r, of, "draws") for r in cochran) for of in ("chi_square", "permutation"))
    of_tost = groups(read(HERE / "equivalence.csv"), "n")
    tost = [extreme(float(r["rejected"]) for r in own) for own in of_tost.values()]
    rows = read(HERE / "passes.csv")
    plain = [share(r, "rejected", "replicates") for r in rows if not r["silent"]]
    rare = [r for r in rows if r["silent"]]
    loud, silent = (extreme(share(r, of, "replicates") for r in rare) for of in _OF_RARE)
    sizes = ", ".join(n for (n,) in of_tost)
    lines = [
        ("`cochran_q`, χ², 5 to 100 informative rows", next(q)),
        ("`cochran_q`, permutation (the default up to 30)", next(q)),
        (f"`tost_paired` at the margin, {sizes} rows", ", ".join(tost)),
        ("`mean_difference` of pass@k, equal runs", extreme(plain)),
        ("the same, rare passes and unequal runs (without a warning)", f"{loud} ({silent})"),
    ]
    return markdown(("test", "rejected at .05: worst"), lines, 1)


_OF_RARE = "rejected", "silent"


def score_tables() -> str:
    """Return the rates of tests of tables of scores."""
    lines = []
    rows = read(HERE / "standings.csv")
    for row in rows:
        row["kind"] = row["case"].partition(" models, ")[2] or row["case"]
    for (what, kind, of), own in groups(rows, "what", "kind", "of").items():
        covers = what == "coverage"
        rates = (float(r["counted"]) / int(r["runs"]) for r in own)
        lines.append((TITLES[what], kind, of, extreme(rates, min if covers else max)))
    return markdown(("table", "models", "test or interval", "worst rate, or least coverage"), lines)


def suites() -> str:
    """Return the rates over few data sets, over tasks and over seeds."""
    lines = []
    for (what, case, of), own in groups(read(HERE / "suites.csv"), "what", "case", "of").items():
        rates = [float(row["counted"]) / int(row["runs"]) for row in own]
        sizes = [row["size"] for row in own]
        shown = sizes[0] if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        lowest, highest = (f"{rate:.3f}".lstrip("0") for rate in (min(rates), max(rates)))
        lines.append((WHAT[what], case, shown, of, lowest, highest))
    return markdown(("rate of", "case", "size", "test or interval", "least", "largest"), lines)


WHAT = {
    "level": "rejections of true null hypotheses",
    "power": "differences that are found",
    "coverage": "intervals that hold the truth (.95)",
}
TITLES = {
    "failures": "one model is missing where it is worst",
    "groups": "ten groups of three related data sets",
    "coverage": "nominal coverage .95",
    "families": "models that are equal on average",
    "few": "the same over 5 or 10 data sets",
}

JUDGED = {
    "preferences": "a preference of equal models",
    "rare losses": "interval of a share of .9 or .97, one vote a prompt",
    "strengths": "interval of strengths of six models, 30 or 100 prompts",
    "one model": "interval of one model, 20 or 50 labels",
    "difference": "interval of a difference, 20 to 100 labels",
    "agreement": "interval of agreement, 30 or 100 items",
    "looks": "a decision at any of 5 or 10 looks",
}
_FOUND = ("preferences", "looks")
"""Parts in which rejections are counted, and not intervals that hold the truth."""
_FEW_ANSWERED = 200


def judged() -> str:
    """Return the rates of judged evaluations."""
    lines = []
    rows = [row for row in read(HERE / "judged.csv") if int(row["answered"]) >= _FEW_ANSWERED]
    for (part, of), own in groups(rows, "part", "of").items():
        rates = [float(row["counted"]) / int(row["answered"]) for row in own]
        worst = extreme(rates, max if part in _FOUND else min)
        lines.append((JUDGED[part], of, worst))
    return markdown(("what", "method", "worst rate, or least coverage"), lines, 2)


PAGES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "../src/bakeoff/stats/error_rates.csv": {"": error_rates},
    "error-rates.md": {
        "tests": every_test,
        "variants": variants,
        "folds": partial(on_folds, False),
        "numbers on folds": partial(on_folds, True),
        "fold rows": row_tables.of_classes,
        "fold rows by kind": row_tables.by_kind,
        "fold rows of numbers": row_tables.of_numbers,
        "fold rows, power": row_tables.power,
        "fold rows above": row_tables.failures,
        "class shares": row_tables.class_shares,
        "class shares by learner": row_tables.by_learner,
        "class shares, few predicted": row_tables.few_predicted,
        "class shares of differences": row_tables.share_differences,
        "fold rows, flat": row_tables.flat,
        "fold rows, cautions": row_tables.cautions,
        "halved scores": row_tables.of_halves,
        "groups": in_groups,
        "uneven": uneven,
        "time": in_time,
        "any metric": any_test_set,
        "several": several_models,
        "best": best,
        "numbers": numbers,
        "runs": training_runs,
        "gate": gate,
        "few rows": few_rows,
        "scores": score_tables,
        "suites": suites,
    },
    "dependent-rows.md": {"naive": naive},
    "judged.md": {"judged": judged},
    "architecture.md": {"speed": speed.table},
}
"""Texts by page, below docs, and by the name in the marks of a part; "" is the whole file."""


def made() -> Iterator[tuple[Path, str]]:
    """Yield every page as the figures have it."""
    for name, parts in PAGES.items():
        file = (DOCS / name).resolve()
        yield file, renewed(file, {part: text() for part, text in parts.items()})
