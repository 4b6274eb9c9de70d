"""The page: all exhibits bound together, as HTML and as Markdown."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bakeoff.report import citations, prose
from bakeoff.report.exhibits import COUNTING, tests_of
from bakeoff.report.family import Family
from bakeoff.report.figures.draw import Drawing
from bakeoff.report.figures.style import adopt
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import p_equals, short
from bakeoff.report.selection import COUNTED, counted_pairs, families_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.report.tables import Table, markdown, to_markdown
from bakeoff.report.verdict import Verdict
from bakeoff.stats import Entry

_MOST_TABLES = 6


@dataclasses.dataclass(frozen=True)
class Fourfold:
    """A 2×2 table of rows that two models have right or wrong."""

    a: str
    b: str
    counts: tuple[int, ...]
    p: str


@dataclasses.dataclass(frozen=True)
class Part:
    """What the page says of one test."""

    entry: Entry
    exhibits: tuple[Exhibit, ...]
    fourfold: tuple[Fourfold, ...]
    shows: str


@dataclasses.dataclass(frozen=True)
class OneDataset:
    """What the page shows of one of several data sets: which rows the models have right."""

    label: str
    figure: Exhibit
    fourfold: tuple[Fourfold, ...]


def parts(study: Study, exhibits: Sequence[Exhibit]) -> list[Part]:
    """Group the exhibits of comparisons by test."""
    found = []
    for entry in tests_of(study.experiment):
        own = tuple(e for e in exhibits if e.test == entry.name)
        if not own:
            continue
        families = families_of(study, entry.name)
        single = len(families) == 1 and entry.name in COUNTING
        found.append(
            Part(
                entry,
                own,
                _fourfolds(study, families[0]) if single else (),
                what_is_shown(study, families, []) if len(families) > 1 else "",
            )
        )
    return found


def by_dataset(study: Study, exhibits: Sequence[Exhibit]) -> list[OneDataset]:
    """Bring together what is drawn and counted of each of several data sets."""
    counting = [entry.name for entry in tests_of(study.experiment) if entry.name in COUNTING]
    families = families_of(study, counting[0]) if counting else []
    known = {family.dataset: family for family in families}
    return [
        OneDataset(
            study.dataset_label(e.dataset),
            e,
            _fourfolds(study, known[e.dataset]) if e.dataset in known else (),
        )
        for e in exhibits
        if e.dataset
    ]


def _fourfolds(study: Study, family: Family) -> tuple[Fourfold, ...]:
    found = []
    for a, b in counted_pairs(study, [family], _MOST_TABLES)[0][:_MOST_TABLES]:
        row = family.between(a, b)
        details = row.result.get("details", {}) if row else {}
        if row is None or not set(COUNTED) <= set(details):
            continue
        both, only_a, only_b, neither = (int(details[key]) for key in COUNTED)
        if family.turned(a, b):
            only_a, only_b = only_b, only_a
        counts = both, only_a, only_b, neither
        p = p_equals(row.pvalue_adjusted, "adjusted p" if row.family_size > 1 else "p")
        found.append(Fourfold(study.label(a), study.label(b), counts, p))
    return tuple(found)


def html(
    study: Study,
    verdict: Verdict,
    exhibits: Sequence[Exhibit],
    drawings: Mapping[str, Drawing],
    tables: Mapping[str, Table],
    pictures: Mapping[str, str],
) -> str:
    """Write the page; `pictures` are the drawings as SVG files."""
    adopted = {
        name: Markup(adopt(picture, f"fig-{name}", drawings[name].alt))
        for name, picture in pictures.items()
    }
    return _render("report.html.j2", study, verdict, exhibits, drawings, tables, pictures=adopted)


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
        by_dataset=by_dataset(study, exhibits),
        each=prose.each(study),
        resolved=yaml.safe_dump(study.experiment.resolved(), sort_keys=False, allow_unicode=True),
        bibtex=citations.bibtex(study),
        command=command(study),
        **more,
    )


def command(study: Study) -> str:
    """Return the command that reproduces the experiment."""
    if not study.file or study.file == "config/config.yaml":
        return "snakemake --cores all"
    return f"snakemake --cores all --configfile {shlex.quote(study.file)}"
