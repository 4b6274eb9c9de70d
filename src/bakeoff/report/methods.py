"""The methods paragraph: facts for templates/methods.txt.j2, as text and LaTeX with its sources."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from bakeoff.comparisons.choose import ON_ROWS
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.report import prose
from bakeoff.report.numbers import capital, clean, count, percent, spread, words
from bakeoff.report.preparation import encodes, preparations
from bakeoff.report.study import Family, Study
from bakeoff.report.tables import latex
from bakeoff.spec import PlannedTest
from bakeoff.spec.models import AS_PASSED, Model
from bakeoff.stats.core.citations import BIBTEX

_WIDTH = 100
_KEY = f"@(?:{'|'.join(BIBTEX)})"
_CITED = re.compile(rf" \[({_KEY}(?:; {_KEY})*)\]")


class Methods(NamedTuple):
    """What was done, for the methods section of a paper."""

    pandoc: str
    """The paragraph; sources are named as Pandoc has them: `` [@dietterich1998]``."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The sources that are named."""
        return tuple(dict.fromkeys(_keys("; ".join(_CITED.findall(self.pandoc)))))

    @property
    def text(self) -> str:
        """The paragraph with authors and years in brackets."""
        return _CITED.sub(lambda m: f" ({'; '.join(map(author_year, _keys(m[1])))})", self.pandoc)

    @property
    def latex(self) -> str:
        """The paragraph for LaTeX with natbib; its keys are those of the page's BibTeX entries."""
        parts = _CITED.split(self.pandoc)
        parts[::2] = map(latex, parts[::2])
        parts[1::2] = (rf"~\citep{{{','.join(_keys(part))}}}" for part in parts[1::2])
        return "% needs \\usepackage{natbib}\n" + textwrap.fill(
            "".join(parts), _WIDTH, break_long_words=False, break_on_hyphens=False
        )


def _keys(cited: str) -> list[str]:
    return re.findall(r"@(\w+)", cited)


def cited(*keys: str | None) -> str:
    """Name sources, each once; those that are no keys of `BIBTEX` are passed over."""
    sources = dict.fromkeys(key for key in keys if key in BIBTEX)
    return f" [{'; '.join(f'@{key}' for key in sources)}]" if sources else ""


def author_year(key: str) -> str:
    """Write a source as authors and year: ``Nadeau and Bengio 2003``."""
    named = re.search(r"author = \{(.*?)\}, \w+ = ", BIBTEX[key])
    # names without the commands and braces of their accents
    accent = r"\{\\(['`\"^~v])\{?(\w)\}?\}"
    composed = re.sub(accent, lambda m: m[2] + _ACCENTS[m[1]], named[1] if named else key)
    authors = unicodedata.normalize("NFC", re.sub(r"[{}]", "", composed)).split(" and ")
    last = [author.split(",")[0] if "Inc." not in author else author for author in authors]
    who = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
    year = re.search(r"year = \{(\d+)\}", BIBTEX[key])
    return f"{who} {year[1]}" if year else who


def wrapped(key: str) -> str:
    """Write the BibTeX entry of a source, one field a line."""
    head, _, body = BIBTEX[key].partition(", ")
    fields = re.split(r", (?=\w+ = \{)", body.removesuffix("}"))
    return head + ",\n" + ",\n".join(textwrap.indent(field, "  ") for field in fields) + "\n}"


_ACCENTS = dict(zip("'`\"^~v", "\u0301\u0300\u0308\u0302\u0303\u030c", strict=True))
MOST = 8
"""Names that a sentence lists; of more it gives the number."""
_MOST_PARAMS = 4
_LEFT_OUT = {
    "rows_filtered": "by a filter",
    "rows_dropped_without_target": "without a label",
    "rows_of_other_classes": "of other classes",
}
_ELSEWHERE = {
    "predictions": "predictions",
    "values": "a number for each row",
    "scores": "scores",
}
_CORRECTED = {
    "holm": "holm1979",
    "hochberg": "hochberg1988",
    "hommel": "hommel1988",
    "shaffer": "shaffer1986",
    "max-t": "hothorn2008",
}
_NOT_LIBRARIES = ("python", "bakeoff", "snakemake", "platform", "machine", "matplotlib")


def methods(study: Study) -> Methods:
    """Say what was done in a study."""
    facts: dict[str, Any] = {"words": _words, "count": count, "percent": percent, "study": study}
    facts["corrections"] = prose.CORRECTIONS
    facts |= _data(study) | _design(study) | _analysis(study)
    return Methods(" ".join(prose.rendered("methods.txt.j2", facts)))


def _words(names: Iterable[str], most: int = MOST) -> str:
    return words(list(names), most)


def _data(study: Study) -> dict[str, Any]:
    """Describe the models with their preparation and choices, and the data."""
    asked, cards, fitted = study.analysis, study.cards, study.analysis.fitted
    models = [
        f"{study.name(m)} ({_estimator(fitted[m])})" if m in fitted else study.name(m)
        for m in study.models
    ]
    elsewhere = defaultdict[str, list[str]](list)
    for name, one in asked.models.items():
        if one.brings:
            elsewhere[_ELSEWHERE[one.brings]].append(study.name(name))
    facts: dict[str, Any] = {"models": models, "elsewhere": elsewhere, "cards": []}
    facts |= {"left_out": {}, "pooled": {}, "missing": 0.0, "prepared": preparations(study)}
    facts["choices"] = {study.name(model): spec for model, spec in fitted.items()}
    for dataset, card in cards.items() if any(card["rows"] for card in cards.values()) else ():
        label = study.dataset_label(dataset)
        facts["cards"].append({**card, "label": label, "who": _subject(label)})
        if gone := [f"{card[key]:,} {why}" for key, why in _LEFT_OUT.items() if card.get(key)]:
            facts["left_out"][label] = words(gone)
        merged = card.get("merged", {}).items()
        if pooled := [f"{_words(map(clean, old))} as {clean(new)}" for new, old in merged]:
            facts["pooled"][label] = words(pooled)
        cells = card["rows"] * len(card.get("features", ()))
        facts["missing"] = max(facts["missing"], card["missing_cells"] / cells if cells else 0)
    if len(facts["cards"]) > 1:
        facts["rows"] = spread([card["rows"] for card in cards.values()])
    elif facts["cards"]:
        classes = facts["cards"][0].get("classes", {})
        if 1 < len(classes) <= MOST and any(classes.values()):
            facts["classes"] = _words(f"{clean(str(c))} ({n:,} rows)" for c, n in classes.items())
    return facts


def _subject(label: str) -> str:
    """Begin a sentence on a data set, whose name may have an article, with its verb."""
    if not label.startswith("the "):
        return f"The data set {label} has"
    return f"{capital(label)} {'have' if label.endswith('data') else 'has'}"


def _estimator(model: Model) -> str:
    """Name the classes of a model's steps, and the parameters that were set where they are few."""
    steps = []
    for step in model.parts:
        if step.name == AS_PASSED:
            continue
        name = step.estimator.rpartition(".")[2]
        plain = {k: v for k, v in step.params.items() if isinstance(v, str | int | float)}
        if plain and plain == step.params and len(plain) <= _MOST_PARAMS:
            name += " with " + words([f"{k} = {clean(str(v))}" for k, v in plain.items()])
        elif step.params:
            name += " with parameters of its own"
        steps.append(name)
    return ", then ".join(steps)


def _design(study: Study) -> dict[str, Any]:
    """Say how rows were divided for training and testing."""
    plans = study.analysis.plans
    parts = [one for one in study.divisions if one["plan"] in plans]
    methods = {plan: {d["method"] for d in parts if d["plan"] == plan} for plan in plans}
    stratified = {
        plan: all(d["stratified"] for d in parts if d["plan"] == plan) and bool(methods[plan])
        for plan in plans
    }
    alone = {d["rows"] for d in parts if d["plan"] == "kfold"}
    holdout = study.scores[study.scores["plan"] == "holdout"]
    facts: dict[str, Any] = {"plans": plans, "stratified": stratified, "methods": methods}
    facts["leave_one_out"] = plans.get("kfold") is not None and alone == {plans["kfold"].folds}
    facts["given"] = {plan: plan in study.analysis.scores_of_plans for plan in plans}
    facts["done"] = "trained and tested" if study.analysis.fitted else "tested"
    facts["sizes"] = {
        side: "" if holdout[side].isna().any() or holdout.empty else spread(list(holdout[side]))
        for side in ("n_train", "n_test")
    }
    for key, names in {
        "grouped": [d["dataset"] for d in study.divisions if d["groups"]],
        "timed": [d["dataset"] for d in study.divisions if d["method"] == "time"],
    }.items():
        facts[key] = _words(map(study.dataset_label, dict.fromkeys(names))) if names else ""
    return facts


def _analysis(study: Study) -> dict[str, Any]:
    """Say what was measured, what was tested, and by which programs."""
    columns = [] if study.subgroups.empty else dict.fromkeys(study.subgroups["column"])
    out = []
    if not study.failed.empty:
        pairs = dict.fromkeys(zip(study.failed["model"], study.failed["dataset"], strict=True))
        out = [f"{study.name(m)} on {study.dataset_label(d)}" for m, d in pairs]
    related = []
    for dataset, relation in study.analysis.related.items():
        families = [f for f in study.families if f.dataset == dataset and f.entry.evidence.on_rows]
        if families:
            ignored = any(INDEPENDENT in family.rows[0].result for family in families)
            name, column = study.dataset_label(dataset), clean(relation.column)
            related.append((name, relation.kind, column, ignored))
    versions = study.environment
    named = {"bakeoff": "bakeoff", "snakemake": "snakemake", "python": "Python"}
    programs = [f"{name} {versions[key]}" for key, name in named.items() if key in versions]
    unused = [] if encodes(study) else ["skrub"]
    unused += [] if study.analysis.fitted else ["scikit-learn"]
    libraries = [key for key in versions if key not in (*_NOT_LIBRARIES, *unused)]
    programs += [f"{key} {versions[key]}" for key in libraries]
    return {
        "metrics": [study.written(metric).label for metric in study.analysis.metrics],
        "tests": [one for test in study.planned for one in _test(study, test)],
        "by_rows": any(family.entry.name == ON_ROWS for family in study.families),
        "own_intervals": not study.fold_intervals.empty,
        "related": related,
        "subgroups": _words(clean(str(column)) for column in columns) if columns else "",
        "failed": _words(out) if out else "",
        "programs": words(programs, 20) if versions else "",
    }


def _test(study: Study, test: PlannedTest) -> Iterator[dict[str, Any]]:
    """Say what a test compared, on what, and what followed it."""
    after = study.of_test(test.posthoc.name) if test.posthoc else []
    alone = [f for f in study.of_test(test.name) if not f.rows[0].follows]
    if not alone:  # told with the test that it follows
        return
    first = alone[0]
    alike = (f for f in study.families if f.entry == first.entry and f.role == first.role)
    row = next((f.rows[0] for f in (*alone, *after) if f.role == "pair" and not f.bayesian), None)
    yield {
        "family": first,
        "by": _words(dict.fromkeys(f.measure.title for f in alike)),
        "control": study.name(first.control) if first.control else "",
        "test": _named(alone),
        "evidence": prose.PLANS[first.plan],
        "options": _options(first, test),
        "after": after[0] if after else None,
        "followed": _named(after) if after else "",
        "row": row,
        "cited": cited(_CORRECTED.get(row.correction)) if row else "",
    }


def _named(families: Sequence[Family]) -> str:
    """Name a test with its sources."""
    entry = families[0].entry
    used = (row.result.get("method") for family in families for row in family.rows)
    return f"{prose.the(entry)}{cited(entry.citation, *used)}"


def _options(family: Family, test: PlannedTest) -> str:
    """Name the side of a test, its value, its margin and its region of equivalence."""
    row = family.rows[0]
    named = ["one-sided"] if row.alternative != "two-sided" else []
    for value, what in ((row.margin, "a margin"), (row.rope, "a region of practical equivalence")):
        if not math.isnan(value):
            named.append(f"{what} of ±{value:g} {family.written.unit}".rstrip())
    named += [f"{key} = {v:g}" for key, v in test.options.items() if key in ("p0", "mu0")]
    return f" ({', '.join(named)})" if named else ""
