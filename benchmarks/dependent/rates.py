"""The settings of the study, and the rates of each."""

from __future__ import annotations

import csv
import dataclasses
import itertools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.dependent import draw, pairs, questions

CSV = Path(__file__).with_name("rates.csv")
SIZES = (3, 20)
ACCURACIES = (0.6, 0.8, 0.95)
TIMES = (40, 100, 400, 1000)
PHIS = (0.0, 0.3, 0.6, 0.9)
PROCESSES = {"tilt": draw.tilted, "lasting": draw.lasting}
COVERAGE = (
    "newcombe_effective",
    "robust_t interval",
    "Newcombe (rows)",
    "wilson_effective",
    "Wilson (rows)",
)
UNFLAGGED = ", no assumption failed"
ROWS = "McNemar mid-p (rows)"


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to draw rows.

    Attributes
    ----------
    kind : {"pair", "single", "question", "time"}
        What is asked of the rows.
    shape : str
        Whether groups have one size, or the process in time.
    effects : str
        The distribution of group effects.
    groups, mean_size : int
        Groups, and rows of a group on average; times, one row each.
    dependence, accuracy, difference : float
        Intraclass correlation or φ, accuracy of the models, and by how much A is worse.
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
        for n, process, phi in itertools.product(TIMES, PROCESSES, PHIS)
    ]
    found += [
        Setting("question", shape, "normal", k, 8, icc, 0.8)
        for k, shape, icc in itertools.product(draw.GROUPS, draw.SHAPES, draw.ICCS)
    ]
    return found


def rates(setting: Setting, runs: int, seed: int, known: Collection[str] = ()) -> list[Rate]:
    """Simulate one setting; where tests are run one by one, those that are not known yet."""
    rng = np.random.default_rng([seed, *setting.name.encode()])
    if setting.kind == "question":
        found = _question(setting, runs, rng, known)
    else:
        functions = {"pair": _pair, "single": _single, "time": _time}
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
        test: sum(
            questions.rejects(trial(rng, s.groups, s.shape, s.dependence)) for _ in range(runs)
        )
        / runs
        for test, (trial, _) in questions.QUESTIONS.items()
        if test not in known and (s.shape == "equal" or test != questions.CROSSED)
    }


def _time(s: Setting, runs: int, rng: np.random.Generator) -> dict[str, float]:
    counts = dict.fromkeys([ROWS, *questions.TIMED], 0)
    counts |= {test + UNFLAGGED: 0 for test in questions.ANSWERED}
    for _ in range(runs):
        right = PROCESSES[s.shape](rng, s.groups, s.dependence)
        counts[ROWS] += questions.rejects_rows(right)
        for test, function in questions.TIMED.items():
            result = function(right)
            rejected = questions.rejects(result)
            counts[test] += rejected
            if test in questions.ANSWERED:
                counts[test + UNFLAGGED] += rejected and not questions.flagged(result)
    return {test: count / runs for test, count in counts.items()}


_NUMBERS = {"groups": int, "mean_size": int, "dependence": float, "accuracy": float}
_NUMBERS |= {"difference": float}
_FIELDS = [field.name for field in dataclasses.fields(Setting)]


def write(found: Iterable[Rate], path: Path = CSV) -> None:
    """Write rates as CSV, in one go."""
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*_FIELDS, "test", "runs", "rate"])
        for rate in found:
            writer.writerow([*dataclasses.astuple(rate.setting), rate.test, rate.runs, rate.rate])
    partial.replace(path)


def load(path: Path = CSV) -> list[Rate]:
    """Read what `write` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Rate(
                Setting(**{k: _NUMBERS.get(k, str)(row[k]) for k in _FIELDS}),
                row["test"],
                int(row["runs"]),
                float(row["rate"]),
            )
            for row in csv.DictReader(file)
        ]


def make(chosen: Iterable[Setting], folder: Path, runs: int, seed: int) -> Iterator[str]:
    """Simulate what is not in the folder yet; yield the name of each setting."""
    folder.mkdir(parents=True, exist_ok=True)
    for setting in chosen:
        path = folder / f"{setting.name}.csv"
        there = load(path) if path.exists() else []
        found = rates(setting, runs, seed, {rate.test for rate in there})
        if found:
            write([*there, *found], path)
            yield setting.name
