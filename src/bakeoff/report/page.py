"""The page: all exhibits bound together, as HTML and as Markdown."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bakeoff.report import citations, prose
from bakeoff.report.exhibits import tests_of
from bakeoff.report.figures.draw import Drawing
from bakeoff.report.figures.style import inline
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import number, pvalue, short
from bakeoff.report.selection import families_of, order, what_is_shown
from bakeoff.report.study import Family, Study, as_float
from bakeoff.report.tables import Table, markdown, to_markdown
from bakeoff.report.verdict import Verdict
from bakeoff.stats import Entry

_MOST_TABLES = 6
_FOURFOLD = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")


@dataclasses.dataclass(frozen=True)
class Fourfold:
    """A 2×2 table of rows that two models have right or wrong."""

    a: str
    b: str
    counts: tuple[int, int, int, int]
    p: str


@dataclasses.dataclass(frozen=True)
class Facts:
    """Numbers that a test gives for either model of a pair, e.g. what its errors cost."""

    a: str
    b: str
    rows: tuple[tuple[str, str, str], ...]


@dataclasses.dataclass(frozen=True)
class Part:
    """What the page says of one test."""

    entry: Entry
    exhibits: tuple[Exhibit, ...]
    fourfold: tuple[Fourfold, ...]
    facts: tuple[Facts, ...]
    shows: str


def parts(study: Study, exhibits: Sequence[Exhibit]) -> list[Part]:
    """Group the exhibits of comparisons by test."""
    found = []
    for entry in tests_of(study.experiment):
        own = tuple(e for e in exhibits if e.test == entry.name)
        if not own:
            continue
        families = families_of(study, entry.name)
        single = families[0] if len(families) == 1 else None
        found.append(
            Part(
                entry,
                own,
                tuple(_fourfolds(study, single)) if single else (),
                tuple(_facts(study, single)) if single else (),
                what_is_shown(study, families, []) if len(families) > 1 else "",
            )
        )
    return found


def _shown_pairs(study: Study, family: Family) -> list[tuple[str, str]]:
    ranked = order(study)
    pairs = list(combinations(ranked, 2))
    if len(pairs) > _MOST_TABLES:
        pairs = [pair for pair in pairs if pair[0] == ranked[0]][:_MOST_TABLES]
    return [pair for pair in pairs if family.between(*pair) is not None]


def _fourfolds(study: Study, family: Family) -> list[Fourfold]:
    found = []
    for a, b in _shown_pairs(study, family):
        row = family.between(a, b)
        details = row.result.get("details", {}) if row else {}
        if row is None or not set(_FOURFOLD) <= set(details):
            continue
        both, only_a, only_b, neither = (int(details[key]) for key in _FOURFOLD)
        if family.turned(a, b):
            only_a, only_b = only_b, only_a
        p = pvalue(row.pvalue_adjusted)
        found.append(Fourfold(study.label(a), study.label(b), (both, only_a, only_b, neither), p))
    return found


def _facts(study: Study, family: Family) -> list[Facts]:
    found = []
    for a, b in _shown_pairs(study, family):
        row = family.between(a, b)
        details: Mapping[str, Any] = row.result.get("details", {}) if row else {}
        names = [
            key[:-2]
            for key, value in details.items()
            if key.endswith("_a") and f"{key[:-2]}_b" in details and _is_number(value)
        ]
        if not names or names == ["accuracy"]:
            continue
        sides = ("b", "a") if family.turned(a, b) else ("a", "b")
        rows = []
        for name in names:
            first, second = (number(as_float(details[f"{name}_{side}"])) for side in sides)
            rows.append((name.replace("_", " "), first, second))
        found.append(Facts(study.label(a), study.label(b), tuple(rows)))
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def html(
    study: Study,
    verdict: Verdict,
    exhibits: Sequence[Exhibit],
    drawings: Mapping[str, Drawing],
    tables: Mapping[str, Table],
) -> str:
    """Write the page."""
    pictures = {
        name: Markup(inline(drawing.figure, f"fig-{name}", drawing.alt))
        for name, drawing in drawings.items()
    }
    return _render("report.html.j2", study, verdict, exhibits, drawings, tables, pictures=pictures)


def document(
    study: Study,
    verdict: Verdict,
    exhibits: Sequence[Exhibit],
    drawings: Mapping[str, Drawing],
    tables: Mapping[str, Table],
) -> str:
    """Write the same as Markdown."""
    return _render("report.md.j2", study, verdict, exhibits, drawings, tables)


def _render(
    template: str,
    study: Study,
    verdict: Verdict,
    exhibits: Sequence[Exhibit],
    drawings: Mapping[str, Drawing],
    tables: Mapping[str, Table],
    **more: Any,
) -> str:
    env = Environment(
        loader=PackageLoader("bakeoff.report"),
        autoescape=template.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters |= {"longest": lambda value: max(map(len, value.split()), default=0)}
    env.filters |= {"md": markdown, "md_table": to_markdown, "short": short}
    env.globals |= {"prose": prose}
    return env.get_template(template).render(
        study=study,
        experiment=study.experiment,
        verdict=verdict,
        exhibits=list(exhibits),
        by_name={e.name: e for e in exhibits},
        drawings=drawings,
        tables=tables,
        parts=parts(study, exhibits),
        resolved=yaml.safe_dump(study.experiment.resolved(), sort_keys=False, allow_unicode=True),
        bibtex=citations.bibtex(study),
        command=command(study),
        **more,
    )


def command(study: Study) -> str:
    """Return the command that reproduces the experiment."""
    if not study.file or study.file == "config/config.yaml":
        return "snakemake --cores all"
    import shlex

    return f"snakemake --cores all --configfile {shlex.quote(study.file)}"
