"""What the simulations show of every test's type I error: `python -m benchmarks.levels`.

One rule for all tests, on the rates in the CSV files of this folder at a level of .05. A test *is
liberal for* the families with a regime whose rate is surely above .06 (the lower end of Wilson's
95 % interval is; of a family of learners for all its regimes together). Else it is *conservative*
where every rate is surely below .03, and else it *holds*. A test is judged as it runs by default,
not by its other variants. What comes out goes into the catalogue (src/bakeoff/stats/_levels.py) and
docs/stats/type1-error.md.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bakeoff.stats import TypeOneError, catalogue
from benchmarks.crossval import rates as crossval
from benchmarks.crossval.regimes import REGIMES
from benchmarks.rejections import Rejections, liberal
from benchmarks.type1.rates import rates_by_setting
from benchmarks.type1.settings import SETTINGS

HERE = Path(__file__).parent
MODULE = HERE.parent / "src" / "bakeoff" / "stats" / "_levels.py"
PAGE = HERE.parent / "docs" / "stats" / "type1-error.md"

THROUGH = {
    "pairwise_cv5x2_mcnemar": "cv5x2_mcnemar",
    "tost_cv5x2": "cv5x2_mcnemar",
    "half_sample_one_t": "half_sample_t",
    "tost_half_samples": "half_sample_t",
    "compare_values": "compare_models",
    "diebold_mariano_means": "diebold_mariano",
    "mean_difference": "metric_difference",
}
"""Other forms of a test, with its standard error and its reference distribution: studied by it."""

ANSWERED = 0.2
"""A cell in which a test hardly ever answers says nothing of its answers."""


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
    """What all rates of a test say together."""

    word: TypeOneError
    liberal_for: tuple[str, ...]
    studies: tuple[str, ...]
    highest: Rate


def read() -> list[Rate]:
    """Return the rates of all studies."""
    return [
        *_type1(),
        *_crossval(),
        *_dependent(),
        *_uneven(),
        *_folds_of_groups(),
        *_any_metric(),
        *_any_metric_families(),
    ]


def level(rates: Iterable[Rate]) -> Level:
    """Apply the rule to the rates of one test."""
    own = list(rates)
    found = liberal(own)
    if found:
        word = TypeOneError.LIBERAL
    elif all(rate.verdict() is TypeOneError.CONSERVATIVE for rate in own):
        word = TypeOneError.CONSERVATIVE
    else:
        word = TypeOneError.HOLDS
    return Level(
        word,
        tuple(dict.fromkeys(rate.family for rate in found)),
        tuple(dict.fromkeys(rate.study for rate in own)),
        max(own, key=lambda rate: rate.rate),
    )


def levels(rates: Iterable[Rate]) -> dict[str, Level]:
    """Apply the rule to every test that was simulated, by its name."""
    by_test: dict[str, list[Rate]] = {}
    for rate in rates:
        by_test.setdefault(rate.test, []).append(rate)
    found = {test: level(own) for test, own in by_test.items()}
    found |= {form: found[test] for form, test in THROUGH.items() if test in found}
    return dict(sorted(found.items()))


# Studies ---------------------------------------------------------------------------------------


def _rows(name: str) -> Iterator[Mapping[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _type1() -> Iterator[Rate]:
    for row in _rows("type1/rates.csv"):
        if row["default"] == "yes":
            counts = int(row["runs"]), int(row["rejected"])
            yield Rate(row["test"], row["family"], row["setting"], *counts, "type1/rates.csv")


def _crossval() -> Iterator[Rate]:
    default = {procedure.name for procedure in crossval.PROCEDURES if procedure.by_default}
    by_auc = {regime.name for regime in REGIMES if regime.metric == "auc"}
    for rate in crossval.load():
        if rate.kind == "level" and rate.procedure in default:
            family = rate.family + " by AUC" * (rate.regime in by_auc)
            counts = rate.runs, rate.rejected
            yield Rate(rate.test, family, rate.regime, *counts, "crossval/rates.csv")


SITUATIONS = {"equal": "groups of one size", "one group 30 %": "groups of unlike size"}


def _dependent() -> Iterator[Rate]:
    for row in _rows("dependent/rates.csv"):
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
    for row in _rows("dependent/uneven.csv"):
        true_null = not float(row["difference"]) or row["question"] == "noninferiority"
        if row["test"] in catalogue() and true_null:
            yield Rate(
                row["test"],
                "groups of one size" if row["sizes"] == "equal" else "groups of unlike size",
                f"{row['question']}, {row['groups']} groups, {row['sizes']}, leanings: "
                f"{row['effects']}",
                int(row["runs"]),
                int(row["rejected"]),
                "dependent/uneven.csv",
            )


def _folds_of_groups() -> Iterator[Rate]:
    for row in _rows("dependent/folds.csv"):
        test = row["test"].partition(",")[0].partition(" ")[0]
        regime = f"{row['learner']}, {row['groups']} groups, {row['shape']}"
        counts = int(row["runs"]), int(row["rejected"])
        yield Rate(test, "rows in groups", regime, *counts, "dependent/folds.csv")


def _of_dependent_rows(row: Mapping[str, str]) -> str | None:
    """Name the test of a row; None for another variant, or a test of independent rows."""
    if float(row["difference"]) or row["test"].endswith("no assumption failed"):
        return None
    told = row["test"].partition(",")[0]
    pair = row["kind"] == "pair"
    test, _, variant = (f"clustered_mcnemar {told}" if pair else told).partition(" ")
    if test not in catalogue() or variant == "(rows)":
        return None
    option = catalogue()[test].options.get("variant")
    named = variant and not variant.startswith("of ")
    return None if named and option is not None and variant != option.default else test


def _any_metric() -> Iterator[Rate]:
    for row in _rows("any_metric.csv"):
        if int(row["answered"]) >= ANSWERED * int(row["replicates"]):
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
    for row in _rows("any_metric_families.csv"):
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


# What is written -------------------------------------------------------------------------------


def module(found: Mapping[str, Level]) -> str:
    """Return the module that the catalogue reads."""
    lines = [
        '"""What simulations show of each test: written by `python -m benchmarks.levels`."""',
        "",
        "from __future__ import annotations",
        "",
        "LEVELS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {",
    ]
    for test, one in found.items():
        lines.append(f'    "{test}": (')
        lines.append(f'        "{one.word.value}",')
        lines += (f"        {_tuple(part)}," for part in (one.liberal_for, one.studies))
        lines.append("    ),")
    return "\n".join(
        [*lines, "}", '"""The word, the families it is liberal for, the studies."""\n']
    )


def _tuple(parts: tuple[str, ...]) -> str:
    inner = ", ".join(f'"{part}"' for part in parts)
    line = f"({inner}{',' * (len(parts) == 1)})"
    if len(line) <= 91:
        return line
    return "\n".join(["(", *(f'            "{part}",' for part in parts), "        )"])


INTRODUCTION = """\
# Type I error: how often does each test reject a true null?

Generated by `python -m benchmarks.levels`; do not edit.

A test that holds its level rejects at most one true null in twenty at α = .05. What the catalogue,
`bakeoff tests NAME` and the report say of a test follows one rule from the simulations in
`benchmarks/`. A test is

- *liberal for* the families with a regime whose rejection rate is surely above .06 (the lower end
  of Wilson's 95 % interval is; of a family of learners for all its regimes together: Bonferroni);
- else *conservative*, where the rate is surely below .03 in every regime;
- else it *holds*: no regime has a rate that is surely above .06.

A test is judged as it runs by default; its other variants stand in the tables of the studies. For
procedures on all pairs the rate is that of at least one false rejection (family-wise). An undecided
test (p NaN, for example where all folds differ by the same amount) does not reject.

```python
from bakeoff.stats import catalogue

for name, test in catalogue().items():
    if test.type1 == "liberal":
        print(f"{name}: {test.level}")
```

## Every test

"""
STUDIES = {
    "type1/rates.csv": "below",
    "crossval/rates.csv": "[cross-validation](../cross-validation.md)",
    "dependent/rates.csv": "[dependent rows](type1-dependent.md)",
    "dependent/uneven.csv": "[dependent rows](type1-dependent.md)",
    "dependent/folds.csv": "[dependent rows](type1-dependent.md)",
    "any_metric.csv": "[any metric](any-metric.md)",
    "any_metric_families.csv": "[any metric](any-metric.md)",
}


def words(one: Level) -> str:
    """Return the word, with the families it is liberal for."""
    return (
        f"{one.word.short} for {', '.join(one.liberal_for)}" if one.liberal_for else one.word.short
    )


def summary(found: Mapping[str, Level]) -> str:
    """Return the table of all tests: what is said of each, and where it is seen."""
    lines = [
        "| test | its level | highest rate, 95 % interval | where | shown by |",
        "|---|---|---|---|---|",
    ]
    for test, one in found.items():
        low, high = one.highest.interval
        through = f", through `{THROUGH[test]}`" if test in THROUGH else ""
        shown = ", ".join(dict.fromkeys(STUDIES[study] for study in one.studies))
        rate = f"{one.highest.rate:.3f} [{low:.3f}, {high:.3f}]"
        lines.append(
            f"| `{test}` | {words(one)} | {rate} | {one.highest.regime} | {shown}{through} |"
        )
    return "\n".join(lines) + "\n"


def page(found: Mapping[str, Level]) -> str:
    """Return the page: the rule, all tests, and the settings of type1/rates.csv."""
    parts = [INTRODUCTION + summary(found)]
    rows = rates_by_setting()
    for setting in SETTINGS:
        lines = [
            "| test | on | options | rejected | 95 % interval | runs | undecided | seen |",
            "|---|---|---|---:|---|---:|---:|---|",
        ]
        for row in rows.get(setting.title, []):
            runs = int(row["runs"])
            rate = Rate(row["test"], "", "", runs, int(row["rejected"]), "")
            low, high = rate.interval
            lines.append(
                f"| {row['test']} | {row['on']} | {row['options']} | {rate.rate:.4f} | "
                f"[{low:.4f}, {high:.4f}] | {runs} | {row['undecided']} | {rate.verdict().short} |"
            )
        parts.append(f"## {setting.title}\n\n{setting.about}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Write the module and the page."""
    found = levels(read())
    MODULE.write_text(module(found), encoding="utf-8")
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
