"""The pages on p-values from cross-validation: their tables and a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from bakeoff.spec.learners import REGRESSION
from benchmarks.crossval.data import Logit
from benchmarks.crossval.rates import PROCEDURES, Rate, load
from benchmarks.crossval.regimes import LEVEL, REGIMES, UNBALANCED
from benchmarks.harness import liberal, markdown, short


def families(found: Iterable[Rate]) -> list[str]:
    """List the kinds of learners and the situations, in the order of the study."""
    return list(dict.fromkeys(rate.family for rate in found if rate.kind == "level"))


def summary(found: Sequence[Rate]) -> str:
    """Return the highest rate and the mean power, one line per procedure."""
    lines = []
    for procedure in PROCEDURES:
        own = [r for r in found if r.procedure == procedure.name]
        level = [r for r in own if r.kind == "level"]
        if not level:
            continue
        worst = max(level, key=lambda r: r.rate)
        low, high = worst.interval
        power = [r.rate for r in own if r.kind == "power"]
        cells = [
            procedure.name,
            f"{procedure.cost:g}",
            f"{worst.rate:.3f} [{low:.3f}, {high:.3f}]",
            worst.regime,
            "liberal" if liberal(level) else "holds",
            f"{sum(power) / len(power):.2f}" if power else "",
        ]
        lines.append(cells)
    heads = "test", "cost", "highest rate, 95 % interval", "in", "verdict", "power"
    return markdown(heads, lines)


def by_family(found: Sequence[Rate]) -> str:
    """Return the highest rates, one line per kind of learner or situation."""
    names = _names(found)
    level = [r for r in found if r.kind == "level"]
    lines = []
    for family in families(found):
        of_family = [r for r in level if r.family == family]
        cells = [_highest([r for r in of_family if r.procedure == name]) for name in names]
        lines.append((family.removesuffix(REGRESSION), *cells))
    return markdown(("", *names), lines, 1)


def _names(found: Iterable[Rate]) -> list[str]:
    known = {rate.procedure for rate in found}
    return [procedure.name for procedure in PROCEDURES if procedure.name in known]


def _highest(own: Sequence[Rate]) -> str:
    if not own:
        return "–"
    shown = f"{max(r.rate for r in own):.3f}"
    return f"**{shown}**" if liberal(own) else shown


def sentences(found: Sequence[Rate]) -> str:
    """Say which procedures hold everywhere, and where each of the others does not."""
    lines = []
    for procedure in PROCEDURES:
        level = [r for r in found if r.procedure == procedure.name and r.kind == "level"]
        if not level:
            continue
        if inflated := _by_family(liberal(level)):
            parts = (
                f"{family.removesuffix(REGRESSION)} ({short(rate, 2)})"
                for family, rate in inflated.items()
            )
            text = f"has an inflated type I error with {', '.join(parts)}"
        else:
            rates = max(r.rate for r in level)
            regimes = len({_regime(r) for r in level})
            text = f"held its level in all {regimes} regimes (at most {short(rates, 2)})"
        lines.append(f"- {procedure.name} (`{procedure.test}`) {text}.")
    return "\n".join(lines)


def _by_family(rates: Iterable[Rate]) -> dict[str, float]:
    highest: dict[str, float] = {}
    for rate in rates:
        highest[rate.family] = max(rate.rate, highest.get(rate.family, 0.0))
    return highest


def _regime(rate: Rate) -> str:
    """Return the regime of a rate, without the one of its metrics."""
    return rate.regime.partition(" by ")[0]


def details(found: Sequence[Rate]) -> str:
    """Return every rate, one line per regime: that of its metric, or the highest of several."""
    names = _names(found)
    lines = []
    for regime in dict.fromkeys(map(_regime, found)):
        of_regime = sorted((r for r in found if _regime(r) == regime), key=lambda r: r.rate)
        own = {r.procedure: r for r in of_regime}
        cells = [f"{own[name].rate:.3f}" if name in own else "–" for name in names]
        runs = sorted({rate.runs for rate in own.values()})
        drawn = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        lines.append((regime, drawn, *cells))
    return markdown(("regime", "data sets", *names), lines, 1)


_BESIDE = (
    "5×2cv z",
    "5×2cv McNemar",
    "corrected t, 5×2",
    "larger p, McNemar and corrected t",
    "5×2cv F",
    "half-sample t, halves",
)
"""Procedures for the accuracy of classifiers, beside that which is recommended for 5×2cv."""


def beside(found: Sequence[Rate]) -> str:
    """Return the highest rates over the numbers of rows, by learner and share of positive rows."""
    moving = [r for r in LEVEL if isinstance(r.population, Logit) or r.family == UNBALANCED]
    level = [r for r in found if r.kind == "level"]
    lines = []
    for name in dict.fromkeys(regime.name.rpartition(" ")[0] for regime in moving):
        own = [r for r in level if r.regime.rpartition(" ")[0] == name]
        if own:
            cells = [_highest([r for r in own if r.procedure == one]) for one in _BESIDE]
            lines.append((name, *cells))
    return markdown(("learner, positive rows", *_BESIDE), lines, 1)


def power(found: Sequence[Rate]) -> str:
    """Return how often each procedure finds a difference that is there."""
    rates = {(r.regime, r.procedure): r.rate for r in found if r.kind == "power"}
    lines = []
    for regime in dict.fromkeys(regime for regime, _ in rates):
        known = [rates.get((regime, one)) for one in _BESIDE]
        cells = ["–" if rate is None else f"{rate:.2f}" for rate in known]
        lines.append((regime.removeprefix("better "), *cells))
    return markdown(("the better algorithm", *_BESIDE), lines, 1)


def budget(found: Sequence[Rate]) -> str:
    """Say what the numbers of data sets of the regimes mean, and which have none yet."""
    drawn, numbers = {_regime(rate) for rate in found}, of_numbers(found[0])
    of_task = [r.name for r in REGIMES if (len(r.metrics) > 1) == numbers]
    none = [name for name in of_task if name not in drawn]
    yet = f" Not drawn yet: {', '.join(none)}." if none else ""
    return (
        "The table of every regime says how many data sets it has; with 1,000 a rate of .05 is "
        f"within .014 of the truth, with 100 within .044, with 50 within .062.{yet}"
    )


def of_numbers(rate: Rate) -> bool:
    """Tell whether a rate is one of a regression."""
    return rate.family.endswith(REGRESSION)


def tables(found: Sequence[Rate]) -> str:
    """Return all that is said of the rates of one task."""
    every = f"<details><summary>Every regime</summary>\n\n{details(found)}\n\n</details>"
    return "\n\n".join((sentences(found), summary(found), by_family(found), budget(found), every))


def _of(numbers: bool, make: Callable[[Sequence[Rate]], str]) -> str:
    return make([rate for rate in load() if of_numbers(rate) == numbers])


PAGES = {
    "cross-validation.md": {
        "rates": partial(_of, False, tables),
        "beside": partial(_of, False, beside),
        "power": partial(_of, False, power),
    },
    "stats/type1-regression.md": {"folds": partial(_of, True, tables)},
}
