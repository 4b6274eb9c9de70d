"""The settings of the study, and the rates of each."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from bakeoff import stats
from bakeoff.stats.core.two_by_two import midp_pvalue
from benchmarks.dependent import draw, pairs
from benchmarks.harness import read, write

CSV = Path(__file__).with_name("rates.csv")
SIZES = (3, 20)
ACCURACIES = (0.6, 0.8, 0.95)
TIMES = (40, 100, 400, 1000)
PHIS = (0.0, 0.3, 0.6, 0.9)
UNDER_NOISE = (100, 200, 300, 1000)
"""Numbers of times of series whose dependence hides under noise."""
PROCESSES: Mapping[str, tuple[Callable[..., draw.Array], tuple[float, ...]]] = {
    "tilt": (draw.tilted, PHIS),
    "lasting": (draw.lasting, PHIS),
    "independent": (draw.hidden, (0.0,)),
    "hidden": (draw.hidden, (0.6, 0.9, 0.98)),
    "spells": (draw.favoured, (0.6, 0.9, 0.98)),
    "spells, few errors": (draw.rarely_wrong, (0.9,)),
    "skewed losses": (draw.skewed, (0.0, 0.6, 0.9)),
    "volatility": (draw.volatile, (0.9,)),
    "season": (draw.seasonal, (0.6, 0.9)),
}
"""How rows in time are drawn, and with what φ."""
ONE_BY_ONE = ("tilt", "lasting")
"""Those on which the other tests are run too, one call at a time."""
MANY = {"spells": draw.favoured, "one persistent model": draw.one_persistent}
MANY_PHIS = (0.0, 0.9)
"""How rows in time are drawn for several models."""
KINDS = ("pair", "single", "time", "pairs in time", "question")
COVERAGE = (
    "newcombe_effective",
    "robust_t interval",
    "Newcombe (rows)",
    "wilson_effective",
    "Wilson (rows)",
)
UNFLAGGED = ", no assumption failed"


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to draw rows, and what is asked of them.

    `shape` says whether groups have one size, or names the process in time; times are groups of one
    row. `dependence` is the intraclass correlation or φ, and A is worse by `difference`.
    """

    kind: str
    shape: str
    effects: str
    groups: int
    mean_size: int
    dependence: float
    accuracy: float
    difference: float = 0.0

    @property
    def name(self) -> str:
        """A name for its file."""
        return "-".join(str(v) for v in dataclasses.astuple(self)).replace(" ", "").replace("%", "")


@dataclasses.dataclass(frozen=True)
class Rate:
    """How often a test rejected a true null, or an interval covered what is true."""

    setting: Setting
    test: str
    runs: int
    rate: float

    @property
    def error(self) -> float:
        """Standard error of the rate, where it is near .05 or .95."""
        return float((0.05 * 0.95 / self.runs) ** 0.5)


def settings() -> list[Setting]:
    """List every setting, small ones first."""
    two = itertools.product(
        draw.GROUPS, SIZES, draw.SHAPES, draw.EFFECTS, draw.ICCS, ACCURACIES, (0.0, 0.1)
    )
    found = [
        Setting("pair", shape, effects, k, mean, icc, accuracy, difference)
        for k, mean, shape, effects, icc, accuracy, difference in two
        if effects == "normal" or (icc and accuracy == 0.8 and not difference)
    ]
    found += [
        Setting("single", shape, "normal", k, mean, icc, accuracy)
        for k, mean, shape, icc, accuracy in itertools.product(
            draw.GROUPS, SIZES, draw.SHAPES, draw.ICCS, ACCURACIES
        )
    ]
    found += [
        Setting("time", process, "normal", n, 1, phi, 0.7)
        for process, (_, phis) in PROCESSES.items()
        for n in (TIMES if process in ONE_BY_ONE else UNDER_NOISE)
        for phi in phis
    ]
    found += [
        Setting("pairs in time", process, "normal", n, 1, phi, 0.75)
        for n, process, phi in itertools.product(UNDER_NOISE, MANY, MANY_PHIS)
        if phi or process == "spells"
    ]
    found += [
        Setting("question", shape, "normal", k, 8, icc, 0.8)
        for k, shape, icc in itertools.product(draw.GROUPS, draw.SHAPES, draw.ICCS)
    ]
    return found


# What is asked, one call of the package per replication ----------------------------------------

Trial = Callable[[np.random.Generator, int, str, float], Any]
_CUT = special.ndtri(0.2)


def _cochran(variant: str) -> Trial:
    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, _ = draw.drawn_rows(rng, groups, shape, icc, 4)
        return stats.cochran_q(z > _CUT, groups=codes, variant=variant, n_resamples=499)

    return run


def _pairwise(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
    z, codes, _ = draw.drawn_rows(rng, groups, shape, icc, 4)
    return stats.all_pairs("mcnemar", z > _CUT, groups=codes)


def _auc(variant: str) -> Trial:
    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, y = draw.drawn_rows(rng, groups, shape, icc, 2)
        return stats.delong(y, z[:, 0] + 1.2 * y, z[:, 1] + 1.2 * y, groups=codes, variant=variant)

    return run


def _plain_auc(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
    z, _, y = draw.drawn_rows(rng, groups, shape, icc, 2)
    return stats.delong(y, z[:, 0] + 1.2 * y, z[:, 1] + 1.2 * y)


def _costs(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
    z, codes, y = draw.drawn_rows(rng, groups, shape, icc, 2)
    a, b = (np.where(z[:, j] > _CUT, y, 1 - y) for j in range(2))
    return stats.cost_sensitive(y, a, b, groups=codes, cost=[[0, 1], [3, 0]])


def _losses(variant: str) -> Trial:
    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, _ = draw.drawn_rows(rng, groups, shape, icc, 2)
        return stats.mean_difference(
            z[:, 0], z[:, 1], groups=codes, variant=variant, n_resamples=499
        )

    return run


def _margin(one_sided: bool) -> Trial:
    """Draw a pair whose true difference is the margin: declaring it equal is the error."""
    function = stats.noninferiority if one_sided else stats.tost_paired

    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, _ = draw.drawn_rows(rng, groups, shape, icc, 2)
        worse = special.ndtri(1 - 0.75)
        return function(z[:, 0] > worse, z[:, 1] > _CUT, groups=codes, margin=0.05)

    return run


QUESTIONS: Mapping[str, tuple[Trial, bool]] = {
    "cochran_q sign_flip, 4 models": (_cochran("sign_flip"), True),
    "cochran_q robust_f, 4 models": (_cochran("robust_f"), True),
    "mcnemar of all pairs, 4 models": (_pairwise, True),
    "delong influence_t": (_auc("influence_t"), False),
    "delong robust_t": (_auc("robust_t"), False),
    "delong obuchowski": (_auc("obuchowski"), False),
    "delong (rows)": (_plain_auc, False),
    "cost_sensitive": (_costs, True),
    "mean_difference sign_flip": (_losses("sign_flip"), True),
    "mean_difference sign_flip_exact": (_losses("sign_flip_exact"), True),
    "mean_difference influence_t": (_losses("influence_t"), True),
    "mean_difference robust_t": (_losses("robust_t"), False),
    "tost_paired, at the margin": (_margin(False), True),
    "noninferiority, at the margin": (_margin(True), True),
}
"""Tests run one call at a time, and whether they are the recommended ones."""


SEVERAL = (6, 10)
"""Numbers of models of which all pairs are compared in time."""


def rejects_rows(right: draw.Array) -> bool:
    """Whether McNemar's mid-p test rejects, which takes the rows for independent."""
    a, b = right
    return bool(midp_pvalue(np.sum(a & ~b), np.sum(b & ~a), "two-sided") <= pairs.ALPHA)


def rejects(result: Any) -> bool:
    """Whether a result rejects; for all pairs, whether any of them does."""
    if isinstance(result, stats.PairwiseResult):
        return any(pair.pvalue_adjusted <= pairs.ALPHA for pair in result.pairs)
    return bool(result.pvalue <= pairs.ALPHA)


def _in_blocks(right: draw.Array) -> bool:
    blocks = stats.time_blocks(np.arange(right.shape[1]))
    return rejects(stats.mcnemar(*right, groups=blocks))


TIMED: Mapping[str, Callable[[draw.Array], bool]] = {
    "McNemar mid-p (rows)": rejects_rows,
    "diebold_mariano hln": lambda right: rejects(stats.diebold_mariano(*right, variant="hln")),
    "mcnemar of 8 time_blocks": _in_blocks,
}
"""Tests of rows in the order of time that are run one call at a time: whether they reject."""


# Rates -----------------------------------------------------------------------------------------


def rates(setting: Setting, runs: int, seed: int, known: Collection[str] = ()) -> list[Rate]:
    """Simulate one setting; where tests are run one by one, those that are not known yet."""
    rng = np.random.default_rng([seed, *setting.name.encode()])
    one_by_one = {"question": _question, "time": _time}
    if setting.kind in one_by_one:
        found = one_by_one[setting.kind](setting, runs, rng, known)
    else:
        functions = {"pair": _pair, "single": _single, "pairs in time": _pairs_in_time}
        found = {} if known else functions[setting.kind](setting, runs, rng)
    return [Rate(setting, test, runs, round(rate, 5)) for test, rate in found.items()]


def _pair(s: Setting, runs: int, rng: np.random.Generator) -> dict[str, float]:
    return pairs.pair_rates(
        rng,
        s.groups,
        s.mean_size,
        s.shape,
        s.dependence,
        s.accuracy,
        runs,
        difference=s.difference,
        effects=s.effects,
    )


def _single(s: Setting, runs: int, rng: np.random.Generator) -> dict[str, float]:
    return pairs.single_rates(rng, s.groups, s.mean_size, s.shape, s.dependence, s.accuracy, runs)


def _question(
    s: Setting, runs: int, rng: np.random.Generator, known: Collection[str]
) -> dict[str, float]:
    return {
        test: sum(rejects(trial(rng, s.groups, s.shape, s.dependence)) for _ in range(runs)) / runs
        for test, (trial, _) in QUESTIONS.items()
        if test not in known
    }


def _time(
    s: Setting, runs: int, rng: np.random.Generator, known: Collection[str]
) -> dict[str, float]:
    values = np.array([PROCESSES[s.shape][0](rng, s.groups, s.dependence) for _ in range(runs)])
    found: dict[str, float] = {}
    if pairs.TEST not in known:
        p, flag = pairs.rejections(values[:, 0].astype(float) - values[:, 1])
        rejected = p <= pairs.ALPHA
        found[pairs.TEST] = float(rejected.mean())
        found[pairs.TEST + UNFLAGGED] = float((rejected & ~flag).mean())
    for test, rejects in TIMED.items():
        if s.shape in ONE_BY_ONE and test not in known:
            found[test] = float(np.mean([rejects(right) for right in values]))
    return found


def _pairs_in_time(s: Setting, runs: int, rng: np.random.Generator) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for models, _ in itertools.product(SEVERAL, range(runs)):
        values = MANY[s.shape](rng, s.groups, s.dependence, models)
        counts.update(pairs.any_pair(values))
    return {test: count / runs for test, count in counts.items()}


_NUMBERS = {"groups": int, "mean_size": int, "dependence": float, "accuracy": float}
_NUMBERS |= {"difference": float}
_FIELDS = [field.name for field in dataclasses.fields(Setting)]


def save(found: Iterable[Rate], path: Path = CSV) -> None:
    """Write rates as CSV, in one go."""
    rows = ({**vars(r.setting), "test": r.test, "runs": r.runs, "rate": r.rate} for r in found)
    write(path, rows)


def load(path: Path = CSV) -> list[Rate]:
    """Read what `save` wrote."""
    return [
        Rate(
            Setting(**{k: _NUMBERS.get(k, str)(row[k]) for k in _FIELDS}),
            row["test"],
            int(row["runs"]),
            float(row["rate"]),
        )
        for row in read(path)
    ]


def make(chosen: Iterable[Setting], folder: Path, runs: int, seed: int) -> Iterator[str]:
    """Simulate what is not in the folder yet; yield the name of each setting."""
    folder.mkdir(parents=True, exist_ok=True)
    for setting in chosen:
        path = folder / f"{setting.name}.csv"
        there = load(path)
        found = rates(setting, runs, seed, {rate.test for rate in there})
        if found:
            save([*there, *found], path)
            yield setting.name
