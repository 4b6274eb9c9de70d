"""Write the page of the documentation from the rates."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence

from bakeoff.stats.rows.ordered import MOST_BETWEEN
from benchmarks.dependent import blocks, folds, pairs, uneven
from benchmarks.dependent.draw import GROUPS, ICCS, SHAPES
from benchmarks.dependent.questions import QUESTIONS, SEVERAL
from benchmarks.dependent.rates import (
    COVERAGE,
    KINDS,
    MANY,
    ONE_BY_ONE,
    PHIS,
    PROCESSES,
    TIMES,
    UNDER_NOISE,
    UNFLAGGED,
    Rate,
    load,
)
from benchmarks.harness import markdown, read, short

DEFAULT = pairs.TEST
IN_TIME = {DEFAULT, DEFAULT + UNFLAGGED, *(f"{DEFAULT}, {models} models" for models in SEVERAL)}
RECOMMENDED = {
    *("sign_flip", "robust_t", "newcombe_effective", "wilson_effective", "binomial_test"),
    *(name for name, (_, good) in QUESTIONS.items() if good),
    *IN_TIME,
}
BOUND, LEAST_COVERED = 0.06, 0.937
BOUNDS = {
    "sign_flip": 0.061,
    "robust_t": 0.061,
    "cochran_q sign_flip, 4 models": 0.067,
    "cochran_q robust_f, 4 models": 0.067,
    "mean_difference sign_flip": 0.069,
    "mean_difference influence_t": 0.069,
    "cost_sensitive": 0.069,
    "tost_paired, at the margin": 0.095,
    "noninferiority, at the margin": 0.095,
}
"""The largest rate that a recommended test was to have anywhere; `BOUND` where not named."""
NOISE = 3.5
"""Standard errors that the worst of many settings may be above its bound."""
TITLES = {"equal": "groups of one size", "one group 30 %": "30 % of the rows in one group"}
DRAWN = {
    "lasting": "the difference itself stays as it was with probability φ, three rows of ten differ",
    "tilt": "the models' tilt is a latent AR(1) series",
    "independent": "the differences are independent",
    "hidden": "a quarter of the variance is an AR(1) series, the rest white noise",
    "spells": "each model has good and bad spells",
    "spells, few errors": "each model has good and bad spells, accuracy .95",
    "skewed losses": "log-normal losses, each model with an AR(1) series under noise",
    "volatility": "the spread of the difference is an AR(1) series, its mean is not",
    "season": "a week of seven days, and an AR(1) series, under noise",
    "one persistent model": "one model has good and bad spells, the others have none",
}
Reduce = Callable[[list[float]], float]


def page() -> str:
    """Format the page."""
    found = load()
    own = {kind: [r for r in found if r.setting.kind == kind] for kind in KINDS}
    runs = {kind: f"{min(r.runs for r in rates):,}" for kind, rates in own.items()}
    parts = [
        INTRODUCTION.format(**runs, worst=_worst_unflagged(own["time"])),
        "## The recommended forms against their bounds\n",
    ]
    parts += [AGAINST, _against_bounds(found)]
    level = [r for r in own["pair"] if r.test not in COVERAGE]
    normal = [r for r in level if r.setting.effects == "normal"]
    for shape in SHAPES:
        mine = [r for r in normal if r.setting.shape == shape]
        parts += [f"## Two models, {TITLES[shape]}: worst setting\n", _by_groups(mine, max)]
    for icc in ICCS:
        mine = [r for r in normal if r.setting.dependence == icc]
        parts.append(f"## Two models, intraclass correlation {icc:g}: mean over the settings\n")
        parts.append(_by_groups(mine, statistics.mean))
    mine = [r for r in level if r.setting.effects != "normal"]
    parts += ["## Two models, group effects with heavy tails: worst setting\n"]
    parts += [HEAVY, _by_groups(mine, max)]
    for shape in SHAPES:
        mine = [r for r in own["question"] if r.setting.shape == shape]
        parts.append(f"## Other questions, {TITLES[shape]}: worst intraclass correlation\n")
        parts.append(_by_groups(mine, max))
    alone = [r for r in own["single"] if r.test not in COVERAGE]
    parts += ["## One model against its true accuracy: worst setting\n", _by_groups(alone, max)]
    covered = [r for r in own["pair"] + own["single"] if r.test in COVERAGE]
    parts += ["## Coverage of 95 % intervals: worst setting\n", COVERED]
    for shape in SHAPES:
        mine = [r for r in covered if r.setting.shape == shape and r.setting.effects == "normal"]
        parts += [f"{TITLES[shape].capitalize()}:\n", _by_groups(mine, min)]
    parts += ["Mean over all settings:\n", _by_groups(covered, statistics.mean)]
    for process in ONE_BY_ONE:
        for n in TIMES:
            mine = [r for r in own["time"] if (r.setting.shape, r.setting.groups) == (process, n)]
            if not mine:
                continue
            parts.append(f"## {n:,} rows in the order of time; {DRAWN[process]}\n")
            parts.append(_table(mine, "dependence", PHIS, max, "φ ="))
    parts += ["## Dependence under noise\n", NOISY, _under_noise(own["time"])]
    parts += ["## All pairs of several models in the order of time\n"]
    parts += [MANY_MODELS.format(runs=f"{min(r.runs for r in own['pairs in time']):,}")]
    parts += [_several(own["pairs in time"])]
    rows = read(uneven.CSV)
    parts += ["## One dominant group, strong group effects\n", UNEVEN.format(runs=rows[0]["runs"])]
    parts.append(uneven.table(rows))
    further = read(blocks.CSV)
    timed = [row for row in further if row["sizes"] == blocks.IN_TIME]
    grouped = [row for row in further if row["sizes"] != blocks.IN_TIME]
    told = {"runs": further[0]["runs"], "most": MOST_BETWEEN, **blocks.seen_and_unseen(timed)}
    parts += ["## Blocks of time\n", IN_BLOCKS.format(**told), blocks.table(timed)]
    parts += ["## All pairs, one model\n", PAIRS_AND_ONE, blocks.table(grouped)]
    of_folds = folds.load()
    parts += ["## Fold scores, folds of whole groups\n", FOLDS.format(runs=of_folds[0].runs)]
    parts += [folds.table(of_folds), ""]
    return "\n".join(parts)


def held(found: Sequence[Rate]) -> dict[str, list[Rate]]:
    """Return the rates of each recommended test that are to be within its bound."""
    tests = RECOMMENDED - set(COVERAGE) - IN_TIME
    return {test: [r for r in found if r.test == test] for test in sorted(tests)}


def above(rate: Rate) -> bool:
    """Whether a rate is above the bound of its test by more than chance."""
    return rate.rate > BOUNDS.get(rate.test, BOUND) + NOISE * rate.error


def _against_bounds(found: Sequence[Rate]) -> str:
    lines = []
    for test, rates in held(found).items():
        worst = max(rates, key=lambda rate: rate.rate)
        s = worst.setting
        where = f"{s.groups:,} {'rows' if s.kind == 'time' else 'groups'}, {s.shape}"
        where += f", dependence {s.dependence:g} ({worst.runs:,} data sets)"
        bound = BOUNDS.get(test, BOUND)
        surely = ", ".join(str(r.setting.groups) for r in rates if above(r)) or "nowhere"
        lines.append((test, f"{bound:.3f}", f"{worst.rate:.3f}", where, surely))
    return f"{markdown(('test', 'bound', 'worst rate', 'in', 'surely above'), lines)}\n"


def _under_noise(found: Sequence[Rate]) -> str:
    """Return a line per process, φ and test, a column per number of times."""
    lines = []
    for process, (_, phis) in PROCESSES.items():
        for phi, test in itertools.product(phis, (DEFAULT, DEFAULT + UNFLAGGED)):
            if process not in ONE_BY_ONE:
                cells = _cells(found, process, phi, test)
                lines.append((DRAWN[process], f"{phi:g}", _named(test), *cells))
    return f"{markdown(('difference', 'φ', 'test', *_TIMES), lines, 3)}\n"


def _several(found: Sequence[Rate]) -> str:
    lines = []
    settings = dict.fromkeys((r.setting.shape, r.setting.dependence, r.test) for r in found)
    for process, phi, test in sorted(settings, key=lambda s: (list(MANY).index(s[0]), s[1])):
        drawn = DRAWN[process] if phi else DRAWN["independent"]
        lines.append((drawn, f"{phi:g}", _named(test), *_cells(found, process, phi, test)))
    return f"{markdown(('models', 'φ', 'test', *_TIMES), lines, 3)}\n"


_TIMES = [f"{n:,} times" for n in UNDER_NOISE]


def _named(test: str) -> str:
    return f"**{test}**" if test in RECOMMENDED else test


def _cells(found: Sequence[Rate], process: str, phi: float, test: str) -> list[str]:
    """Return the rates of a test in one process, by the number of times."""
    of = process, phi, test
    own = [r for r in found if (r.setting.shape, r.setting.dependence, r.test) == of]
    rates = {r.setting.groups: r.rate for r in own}
    return [short(rates[n]) if n in rates else "–" for n in UNDER_NOISE]


def _worst_unflagged(found: Sequence[Rate]) -> str:
    """Say how often the default rejects without a flag at worst, by the number of times."""
    parts = []
    for n in sorted({r.setting.groups for r in found}):
        own = [r for r in found if r.setting.groups == n and r.test == DEFAULT + UNFLAGGED]
        parts.append(f"{short(max(r.rate for r in own))} at {n:,} times")
    return ", ".join(parts)


def _by_groups(rates: Sequence[Rate], reduce: Reduce) -> str:
    return _table(rates, "groups", GROUPS, reduce, "K =")


def _table(
    rates: Sequence[Rate], column: str, levels: Sequence[float], reduce: Reduce, prefix: str
) -> str:
    lines = []
    for test in dict.fromkeys(r.test for r in rates):
        cells = []
        for level in levels:
            own = [r.rate for r in rates if r.test == test and getattr(r.setting, column) == level]
            cells.append(short(reduce(own)) if own else "–")
        lines.append((_named(test), *cells))
    heads = "test", *(f"{prefix} {level:g}" for level in levels)
    return f"{markdown(heads, lines, 1)}\n"


INTRODUCTION = """\
# Type I error on dependent rows

Generated by `python -m benchmarks`; do not edit. Every number is in
[rates.csv](../../benchmarks/dependent/rates.csv) with its runs.

How often does a two-sided test at α = .05 reject a true null when rows of one group are alike or
follow each other in time? Two exchangeable models; accuracies .6, .8 and .95, 3 and 20 rows per
group on average (8 for other questions), intraclass correlations of the difference per row 0, .1
and .5. The forms in bold are the recommended ones; those marked *(rows)* and the CR1 and CR0 forms
are what one would use without them. An undecided test does not reject: `sign_flip` below six
groups, `robust_t` below four degrees of freedom.

A setting has at least {pair} data sets of two models, {single} of one, {question} for other
questions and {time} in time. A rate of .05 has a standard error of .003 (4,000 data sets), .005
(2,000), .007 (1,000), .009 (600) or .010 (500): the worst of many true .05 is two or three of them
higher.

`diebold_mariano` with strong dependence: equal-weighted cosines alone underestimate the long-run
variance if the dependence extends over much of the series, or if noise conceals it. The
default, `ewc_corrected`, multiplies it by a factor for that. An assumption fails where the times
are worth fewer than 30 independent ones or the lag-1 autocorrelation exceeds .7; the lines *no
assumption failed* count rejections without such a flag. Their worst rates are {worst}.
`delong influence_t` has an inflated type I error if one group has 30 % of the rows, and so, more
strongly, has `robust_t`, whose degrees of freedom depend on the shares alone. The default,
`t_and_flips`, takes the larger p-value of `influence_t` and of sign flips; its rates are below,
under [one dominant group](#one-dominant-group-strong-group-effects).

```python
from bakeoff.stats import catalogue

print(catalogue()["mcnemar"].caution)
```
"""

AGAINST = f"""\
The worst of all settings, each with its own bound: that of the tables which the forms were chosen
by, {BOUND:g} where these have none. The worst of many is above the true rate; *surely above* lists
the groups where it is so by more than {NOISE:g} standard errors.
"""

HEAVY = """\
Student's t with three degrees of freedom in place of normal effects; accuracy .8, intraclass
correlations .1 and .5.
"""

NOISY = """\
Rejections of a true null where a persistent component is weak compared with independent noise, so
that the lag-1 autocorrelation of the sum is small. φ is the autocorrelation of the persistent
component; a spell ends with probability (1 − φ)/2. Dependence with a time scale of 1/(1 − φ) is
corrected for if the series is some 30 times as long. In shorter series the default is liberal, and
the data cannot show it: below 300 times the assumption "dependence that fades" is unknown, and its
detail always says which dependence would remain undetected. A strong season hides dependence in
longer series, too.
"""

MANY_MODELS = """\
Rejections of any true null by Holm's method at .05, {runs} data sets a setting, models of accuracy
.75. The factor of the default is the larger of the pair's own and one that all pairs give together.
Sign flips of eight blocks of time cannot reach .05/15, so that they never reject.
"""

COVERED = """\
True differences 0 and .1 of two models; `wilson_effective` is the interval of one model's
accuracy.
"""

UNEVEN = """\
The group effect is the expected difference of the two models within a group. Its distribution is
a U-shaped beta distribution (beta), has the two values −.7 and .7 (two values) or is uniform
(even). The groups have one size, or the largest has 30 or 50 % of the rows, or sizes
fall as 1/k; 10 rows per group on average, {runs} data sets for each distribution and size
(`benchmarks/dependent/uneven.csv`). *Rejected* is the share of true null hypotheses rejected at .05
(of non-inferiority: a model worse by the margin of .1 called not inferior), mean and worst of the
cells with one number of groups; *covered* is the mean and the least coverage of 95 % intervals;
*disagree* is the largest share of data sets in which the test rejects and the interval holds 0, or
neither. The default forms are in bold. A rate of .05 in a single cell has a standard error of .014.
"""

IN_BLOCKS = """\
Rows in the order of time are cut into eight blocks, which the tests of costs, areas, other metrics,
equivalence and non-inferiority treat as groups; the expected difference of the two models in a row
is the hyperbolic tangent of an AR(1) series with the coefficient named (0: independent). If a block
is not much longer than the dependence lasts, neighbouring blocks are correlated and the type I
error of these tests is inflated. *Flagged* results say that "dependence that fades within a block"
does not hold: the variance of the mean is estimated at more than {most:g} times that of independent
blocks. The largest share of independent series that are flagged is
{false};
the largest rates of rejections without a flag are
{quiet},
because short series do not show persistence that is weak compared with the noise. In blocks of
fewer than 100 times the assumption is therefore unknown unless it fails. {runs} data sets a cell
(`benchmarks/dependent/blocks.csv`).
"""

PAIRS_AND_ONE = """\
The share of families of four models in groups with any pair called different (maximum statistic),
of 95 % intervals of one model that miss the true value, and of bounds of the best of four equally
good models that lie above it; mean and worst of groups of one size and with 30 or 50 % of the rows
in one. A *flag* is an assumption that the result says does not hold, such as enough groups. The
rates are in the same file.
"""

FOLDS = """\
Two copies of a learner see features of one distribution; rows of a group share a shift, classes
are mixed inside groups; 8 rows per group on average, {runs} data sets a setting, 10, 20 or 50
groups, *uneven* where 30 % of the rows are in one (`python -m benchmarks.dependent folds`). Bold:
surely above .06. Halves of 10 uneven groups cannot be divided into five folds each: the package
refuses them.
"""

PAGES = {"stats/type1-dependent.md": {"": page}}
