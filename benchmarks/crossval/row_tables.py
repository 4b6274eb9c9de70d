"""What docs/error-rates.md shows of scores over folds, from the CSV files of their studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean, median

from benchmarks.crossval import class_shares as shares_study
from benchmarks.crossval import halved_scores, rows
from benchmarks.crossval import share_differences as differences_study
from benchmarks.crossval.row_values import OF_CLASSES, OF_NUMBERS
from benchmarks.harness import Row, markdown, read

TITLES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "roc_auc": "ROC AUC",
    "log_loss": "log loss",
    "brier": "Brier score",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
PLANS = {
    "5x2": "5×2, stratified",
    "5x2 plain": "5×2, not stratified",
    "5x5": "5×5",
    "10 splits": "10 random splits",
    "5-fold": "one 5-fold",
    "10-fold": "one 10-fold",
}
HIGH = 0.08
ENOUGH = 0.5
"""A cell where a smaller share of the data sets has an answer is left out."""
BY_SHARES = "balanced_accuracy", "f1"

Rate = Callable[[Row], float | None]


def share(row: Row, count: str, of: str) -> float | None:
    """Return a count as a share of another; None of few answers."""
    total = int(row[of])
    if total < ENOUGH * int(row["sets"]):
        return None
    return int(row[count]) / total


def level(method: str) -> Rate:
    """Return how often the tests of a method reject."""
    return lambda row: share(row, f"rejected_{method}", f"tested_{method}")


def misses(method: str) -> Rate:
    """Return how often the intervals of a method miss the expected score."""
    return lambda row: share(row, f"missed_{method}", f"intervals_{method}")


RATES: dict[str, Rate] = {
    "rejected, corrected t": level("corrected"),
    "**rejected, rows**": level("rule"),
    "missed, corrected interval": misses("corrected"),
    "**missed, rows**": misses("rule"),
}


def null() -> list[Row]:
    """Return the rows of equally good models."""
    return [row for row in read(rows.RATES) if row["power"] == "0"]


def summed(found: Sequence[float]) -> str:
    """Return mean, worst, and the number of cells above .08."""
    if not found:
        return "–"
    return f"{mean(found):.3f} {max(found):.3f} {sum(rate > HIGH for rate in found)}"


def known(of: Rate, own: Iterable[Row]) -> list[float]:
    """Return the rates of the cells that have one."""
    return [rate for rate in map(of, own) if rate is not None]


def by_metric(metrics: Sequence[str]) -> str:
    """Return the rates of each plan by each metric, and the width of the intervals."""
    lines = []
    for plan, title in PLANS.items():
        of_plan = {
            metric: [row for row in null() if (row["plan"], row["metric"]) == (plan, metric)]
            for metric in metrics
        }
        if not of_plan[metrics[0]]:
            continue
        plan_and_cells = f"{title}, {len(of_plan[metrics[0]])} cells"
        for name, of in RATES.items():
            found = [summed(known(of, of_plan[metric])) for metric in metrics]
            lines.append((plan_and_cells, name, *found))
            plan_and_cells = ""
        lines.append(("", "width", *(width(of_plan[metric]) for metric in metrics)))
    return markdown(("plan", "", *(TITLES[metric] for metric in metrics)), lines, 2)


def width(own: Sequence[Row]) -> str:
    """Return the median width of intervals by rows, and of corrected ones, over the ideal."""
    rule, corrected = (
        median(float(row[f"width_{method}"]) for row in own) for method in rows.METHODS
    )
    return f"{rule:.2f} ({corrected:.2f})"


def of_classes() -> str:
    """Return the rates of predicted classes."""
    return by_metric(OF_CLASSES)


def of_numbers() -> str:
    """Return the rates of predicted numbers."""
    return by_metric(OF_NUMBERS)


KINDS = {
    "basic": "independent rows, two classes",
    "tuned": "tuned by inner cross-validation",
    "three classes": "three classes",
    "groups": "rows in groups",
}


def by_kind() -> str:
    """Return the rates on 5×2 folds by the kind of data and learner."""
    lines = []
    for kind, title in KINDS.items():
        own = [row for row in null() if row["plan"] == "5x2" and row["kind"] == kind]
        shares = [row for row in own if row["metric"] in BY_SHARES]
        others = [row for row in own if row["metric"] not in BY_SHARES]
        cells = len(
            {tuple(row[key] for key in ("learner", "rows", "shares", "drawn")) for row in own}
        )
        found = (
            summed(known(level("rule"), own)),
            summed(known(misses("rule"), others)),
            summed(known(misses("rule"), shares)),
        )
        lines.append((f"{title}, {cells} cells", *found))
    heads = "5×2, stratified", "rejected", "missed", "missed, balanced accuracy and F1"
    return markdown(heads, lines, 1)


def named(row: Row) -> str:
    """Name a cell."""
    shares = [float(one) for one in row["shares"].split()]
    what = f"{row['learner']}, {row['rows']} rows"
    if len(shares) == 1:
        what += f", {shares[0]:.0%} positive"
    elif shares:
        what += ", classes " + "/".join(f"{one:.0%}" for one in (1 - sum(shares), *shares))
    return what if row["drawn"] == "normal" else f"{what}, {row['drawn']}"


def failures() -> str:
    """List the cells above .08, but for intervals of balanced accuracy and F1."""
    lines = []
    for what, rule, corrected in (
        ("rejected", level("rule"), level("corrected")),
        ("missed", misses("rule"), misses("corrected")),
    ):
        by_cell: dict[tuple[str, str], list[str]] = {}
        for row in null():
            rate, other = rule(row), corrected(row)
            if what == "missed" and row["metric"] in BY_SHARES:
                continue
            if rate is not None and rate > HIGH:
                beside = "–" if other is None else f"{other:.2f}"
                said = f"{TITLES[row['metric']]} {beside} → {rate:.2f}"
                by_cell.setdefault((PLANS[row["plan"]], named(row)), []).append(said)
        lines += [(what, *cell, "; ".join(said)) for cell, said in by_cell.items()]
    return markdown(("", "plan", "cell", "corrected t → rows"), lines)


OF_SHARES = {"balanced_accuracy": "balanced accuracy", "f1": "F1", "recall": "recall", "mcc": "MCC"}
SEEN = {"labels": "from labels alone", "probabilities": "**with probabilities**"}


def class_shares() -> str:
    """Return how often intervals with and without the part of the class shares miss, by plan."""
    every = read(shares_study.RATES)
    lines = []
    for plan, title in PLANS.items():
        own = [row for row in every if row["plan"] == plan and with_probabilities(row)]
        cells = len({tuple(row[key] for key in CELL) for row in own})
        what = f"{title}, {cells} cells"
        for method, name in SEEN.items():
            found = [summed(known(misses(method), of_metric(own, metric))) for metric in OF_SHARES]
            lines.append((what, f"missed, {name}", *found))
            what = ""
        widths = [of_widths(of_metric(own, metric)) for metric in OF_SHARES]
        lines.append(("", "width", *widths))
    return markdown(("plan", "", *OF_SHARES.values()), lines, 2)


CELL = "plan", "learner", "rows", "shares", "drawn"


def with_probabilities(row: Row) -> bool:
    """Say whether the learner of a cell gives probabilities."""
    return int(row["intervals_probabilities"]) > 0


def of_metric(rows_of_all: Iterable[Row], metric: str) -> list[Row]:
    """Return the rows of one metric."""
    return [row for row in rows_of_all if row["metric"] == metric]


def of_widths(own: Sequence[Row]) -> str:
    """Return the median widths with probabilities and from labels alone, over the ideal."""
    seen, alone = (
        median(float(row[f"width_{method}"]) for row in own)
        for method in ("probabilities", "labels")
    )
    return f"{seen:.2f} ({alone:.2f})"


def by_learner() -> str:
    """Return how often intervals of balanced accuracy and F1 miss, by the learner."""
    lines = []
    own = read(shares_study.RATES)
    for learner in dict.fromkeys(row["learner"] for row in own):
        found = []
        for metric in BY_SHARES:
            of_both = [row for row in of_metric(own, metric) if row["learner"] == learner]
            found += [summed(known(misses(method), of_both)) for method in SEEN]
        lines.append((learner, *found))
    heads = [f"{TITLES[metric]}, {name}" for metric in BY_SHARES for name in SEEN.values()]
    return markdown(("intervals missed, all plans", *heads), lines, 1)


def few_predicted() -> str:
    """Return how often intervals miss where a class is predicted for fewer than 5 rows."""
    lines = []
    every = read(shares_study.RATES)
    for metric in BY_SHARES:
        for method, name in SEEN.items():
            own = [row for row in of_metric(every, metric) if with_probabilities(row)]
            fired = per_set(own, "few_predicted")
            with_it = per_set(own, f"few_missed_{method}")
            missed = per_set(own, f"missed_{method}")
            others = per_set(own, f"intervals_{method}") - fired
            rates = f"{with_it / fired:.3f}", f"{(missed - with_it) / others:.3f}"
            lines.append((f"{TITLES[metric]}, {name}", *rates))
    heads = "intervals missed", "a class predicted for fewer than 5 rows", "otherwise"
    return markdown(heads, lines, 1)


def share_differences() -> str:
    """Return how often intervals of differences miss, and power, without and with the part."""
    every = read(differences_study.RATES)
    lines = []
    for cell in dict.fromkeys(tuple(row[key] for key in (*CELL, "second")) for row in every):
        own = [row for row in every if tuple(row[key] for key in (*CELL, "second")) == cell]
        first = own[0]
        pair = named(first)
        if first["learner"] != first["second"]:
            pair = pair.replace(first["learner"], f"{first['learner']} and {first['second']}")
        what = "rejected, one is better" if first["power"] == "1" else "missed"
        count = "rejected" if first["power"] == "1" else "missed"
        found = []
        for metric in BY_SHARES:
            (row,) = of_metric(own, metric)
            rates = [share(row, f"{count}_{method}", f"intervals_{method}") for method in SEEN]
            found.append(" → ".join("–" if rate is None else f"{rate:.2f}" for rate in rates))
        lines.append((what, PLANS[first["plan"]], pair, *found))
    heads = "", "plan", "models", *(TITLES[metric] for metric in BY_SHARES)
    return markdown(heads, lines, 3)


FEW_UNITS, FEW_GROUPS = 100, 50
"""Fewer rows, or groups, are few for models whose probabilities hardly spread."""


def few_units(row: Row) -> bool:
    """Say whether a cell has few rows, or groups."""
    _, grouped, size = row["drawn"].partition("groups of ")
    if not grouped:
        return int(row["rows"]) < FEW_UNITS
    return int(row["rows"]) / int(size.split()[0]) < FEW_GROUPS


def is_flat(row: Row) -> bool:
    """Say whether the probabilities of a cell spread little in most of its data sets."""
    return int(row["flat_tests"]) > ENOUGH * int(row["sets"])


def flat() -> str:
    """Return the levels by log loss and Brier score, by the spread of probabilities and rows."""
    own = [row for row in null() if row["metric"] in ("log_loss", "brier")]
    lines = []
    for narrow, spread in ((True, "below .15"), (False, ".15 and more")):
        for few, size in ((True, "fewer than 100 rows or 50 groups"), (False, "more")):
            some = [row for row in own if few_units(row) == few and is_flat(row) == narrow]
            corrected, ours = (
                summed(known(level(method), some)) for method in reversed(rows.METHODS)
            )
            lines.append((spread, size, len(some), corrected, ours))
    heads = (
        "spread of the probabilities",
        "",
        "rates",
        "rejected, corrected t",
        "**rejected, rows**",
    )
    return markdown(heads, lines, 2)


FIRING = {
    "few_predicted": ("a class is predicted for fewer than 5 rows", BY_SHARES),
    "flat": ("probabilities spread by less than .15", BY_SHARES),
    "zero": ("a probability is 0", ("log_loss",)),
    "zero_met": ("a true class has the probability 0", ("log_loss",)),
    "heavy": ("a row has a fifth of the variance", ("log_loss", "rmse", "r2")),
}
"""What is looked at, and the metrics it may matter for."""


def per_set(own: Iterable[Row], count: str) -> float:
    """Sum a count over cells, each divided by its data sets."""
    return sum(int(row[count]) / int(row["sets"]) for row in own)


def cautions() -> str:
    """Return how often each caution fires, and how often intervals miss with and without it."""
    lines = []
    for caution, (title, metrics) in FIRING.items():
        for metric in metrics:
            own = [row for row in null() if row["metric"] == metric]
            high = [row for row in own if (misses("rule")(row) or 0) > HIGH]
            low = [row for row in own if row not in high]
            found = []
            for some in (high, low):
                intervals = per_set(some, "intervals_rule")
                fired = per_set(some, caution)
                with_it = per_set(some, f"{caution}_missed")
                without = per_set(some, "missed_rule") - with_it
                found += [
                    f"{fired / intervals:.2f}" if intervals else "–",
                    f"{with_it / fired:.2f}" if fired else "–",
                    f"{without / (intervals - fired):.2f}" if intervals > fired else "–",
                ]
            lines.append((title, f"{TITLES[metric]}, {len(high)} of {len(own)}", *found))
    heads = (
        "caution",
        "cells above .08",
        "there: fires",
        "misses with it",
        "without",
        "elsewhere: fires",
        "misses with it",
        "without",
    )
    return markdown(heads, lines, 2)


def power() -> str:
    """Return the mean power by plan and metric."""
    lines = []
    every = [row for row in read(rows.RATES) if row["power"] == "1"]
    for plan, title in PLANS.items():
        own = [row for row in every if row["plan"] == plan and row["metric"] in OF_CLASSES]
        for method, name in (("corrected", "corrected t"), ("rule", "**rows**")):
            found = []
            for metric in OF_CLASSES:
                rates = known(level(method), (row for row in own if row["metric"] == metric))
                found.append(f"{mean(rates):.2f}" if rates else "–")
            if own:
                lines.append((title if method == "corrected" else "", name, *found))
    return markdown(("mean power", "", *(TITLES[metric] for metric in OF_CLASSES)), lines, 2)


def of_halves() -> str:
    """Return how often the intervals of one model from halves miss, and how often tests reject."""
    lines = []
    every = read(halved_scores.RATES)
    for what, of in (
        ("missed", lambda row: share(row, "missed", "intervals")),
        ("rejected", lambda row: share(row, "rejected", "tested")),
    ):
        for halves in ("by class", "plain"):
            own = [row for row in every if row["halves"] == halves]
            found = [
                summed(known(of, (row for row in own if row["metric"] == metric)))
                for metric in OF_CLASSES
            ]
            lines.append(
                (f"{what}, halves {'drawn plainly' if halves == 'plain' else halves}", *found)
            )
    return markdown(("", *(TITLES[metric] for metric in OF_CLASSES)), lines, 1)
