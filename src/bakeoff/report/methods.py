"""The methods paragraph: facts for templates/methods.txt.j2, as text and LaTeX with its sources."""

from __future__ import annotations

import dataclasses
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import capital, count, percent, spread, words
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.tables import latex
from bakeoff.spec import PlannedTest
from bakeoff.spec.models import ChosenThreshold, Model
from bakeoff.spec.related import dependent
from bakeoff.spec.resampling import Halves, KFold, Plan, Resampled
from bakeoff.stats.core.citations import BIBTEX

REFORMS, TRIPOD = "REFORMS", "TRIPOD+AI"
CHECKLISTS = {REFORMS: "kapoor2024", TRIPOD: "collins2024"}
"""The checklists and their sources."""
_WIDTH = 100


_KEY = f"@(?:{'|'.join(BIBTEX)})"
_CITED = re.compile(rf" \[({_KEY}(?:; {_KEY})*)\]")


@dataclasses.dataclass(frozen=True)
class Sentence:
    """One sentence."""

    text: str
    """Its words; sources are named as Pandoc has them: `` [@dietterich1998]``."""
    reforms: tuple[str, ...] = ()
    tripod: tuple[str, ...] = ()
    """The items of the two checklists that it answers."""

    @property
    def keys(self) -> list[str]:
        """The sources that it names."""
        return [key for found in _CITED.findall(self.text) for key in _keys(found)]

    @property
    def plain(self) -> str:
        """It with authors and years in brackets."""
        return _CITED.sub(lambda m: f" ({'; '.join(map(author_year, _keys(m[1])))})", self.text)

    @property
    def latex(self) -> str:
        """It for LaTeX, with the keys of the sources."""
        parts = _CITED.split(self.text)
        parts[::2] = map(latex, parts[::2])
        parts[1::2] = (rf"~\citep{{{','.join(_keys(part))}}}" for part in parts[1::2])
        return "".join(parts)


def _keys(cited: str) -> list[str]:
    return [key.removeprefix("@") for key in cited.split("; ")]


def cited(*keys: str | None) -> str:
    """Name sources, each once; those that are no keys of `BIBTEX` are passed over."""
    known = dict.fromkeys(key for key in keys if key in BIBTEX)
    return f" [{'; '.join(f'@{key}' for key in known)}]" if known else ""


def author_year(key: str) -> str:
    """Write a source as authors and year: ``Nadeau and Bengio 2003``."""
    entry = BIBTEX[key]
    found = re.search(r"author = \{(.*?)\}, \w+ = ", entry)
    authors = _plain(found[1] if found else key).split(" and ")
    last = [author.split(",")[0] if "Inc." not in author else author for author in authors]
    who = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
    year = re.search(r"year = \{(\d+)\}", entry)
    return f"{who} {year[1]}" if year else who


def wrapped(key: str) -> str:
    """Write the BibTeX entry of a source, one field a line."""
    head, _, body = BIBTEX[key].partition(", ")
    fields = re.split(r", (?=\w+ = \{)", body.removesuffix("}"))
    return head + ",\n" + ",\n".join(textwrap.indent(field, "  ") for field in fields) + "\n}"


_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    '"': "\u0308",
    "^": "\u0302",
    "~": "\u0303",
    "v": "\u030c",
}


def _plain(name: str) -> str:
    """Write a name of BibTeX without its accents' commands and braces."""
    accent = r"\{\\(['`\"^~v])\{?(\w)\}?\}"
    composed = re.sub(accent, lambda m: m[2] + _ACCENTS[m[1]], name)
    return unicodedata.normalize("NFC", re.sub(r"[{}]", "", composed))


@dataclasses.dataclass(frozen=True)
class Methods:
    """What was done, for the methods section of a paper."""

    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The paragraph as plain text."""
        return " ".join(sentence.plain for sentence in self.sentences)

    @property
    def latex(self) -> str:
        """The paragraph for LaTeX with natbib; its keys are those of the page's BibTeX entries."""
        body = " ".join(sentence.latex for sentence in self.sentences)
        return "% needs \\usepackage{natbib}\n" + textwrap.fill(
            body, _WIDTH, break_long_words=False, break_on_hyphens=False
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The sources that are named, those of the checklists last."""
        named = (key for sentence in self.sentences for key in sentence.keys)
        return tuple(dict.fromkeys([*named, *CHECKLISTS.values()]))

    @property
    def checklists(self) -> dict[str, str]:
        """The items of each checklist that the paragraph answers, by its name with its source."""
        items = {
            REFORMS: {item for sentence in self.sentences for item in sentence.reforms},
            TRIPOD: {item for sentence in self.sentences for item in sentence.tripod},
        }
        return {
            f"{name} ({author_year(CHECKLISTS[name])})": ", ".join(sorted(found, key=_number))
            for name, found in items.items()
        }


def _number(item: str) -> tuple[int, str]:
    number = re.match(r"\d+", item)
    return int(number[0]) if number else 0, item


MOST = 8
"""Names that a sentence lists; of more it gives the number."""
_MOST_PARAMS = 4
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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
_LINE = re.compile(r"\[(?P<reforms>[\w ]*)\| ?(?P<tripod>\w*)\] (?P<text>.*)")


def methods(study: Study) -> Methods:
    """Say what was done in a study."""
    facts = {"few": _few, "words": _words, "percent": percent} | _data(study)
    facts |= _preparation(study) | _design(study) | _analysis(study)
    lines = prose.rendered("methods.txt.j2", facts)
    found = (_LINE.fullmatch(line) for line in lines)
    return Methods(
        tuple(
            Sentence(line["text"], tuple(line["reforms"].split()), tuple(line["tripod"].split()))
            for line in found
            if line
        )
    )


def _few(n: int, noun: str) -> str:
    """Count things, few of them in words."""
    words_ = count(n, noun)
    return f"{_NUMBERS[n - 1]} {words_.split(' ', 1)[1]}" if n <= len(_NUMBERS) else words_


def _words(names: Iterable[str], most: int = MOST) -> str:
    return words(list(names), most)


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


def _data(study: Study) -> dict[str, Any]:
    """Describe the models and the data."""
    fitted, cards = study.experiment.fitted, study.cards
    models = [
        f"{study.name(model)} ({_estimator(fitted[model])})"
        if model in fitted
        else study.name(model)
        for model in study.models
    ]
    by_kind: dict[str, list[str]] = {}
    for model, spec in study.experiment.given.items():
        kind = next(kind for kind in _ELSEWHERE if getattr(spec, kind) is not None)
        by_kind.setdefault(kind, []).append(study.name(model))
    elsewhere = []
    for kind, own in by_kind.items():
        whose = "its " if len(own) == 1 else "their "
        who = "All models" if len(own) == len(study.models) > 1 else _words(own)
        whose = whose if kind in ("predictions", "scores") else ""
        elsewhere.append({"who": f"{who} {_were(len(own))}", "by": f"{whose}{_ELSEWHERE[kind]}"})
    facts: dict[str, Any] = {"models": models, "elsewhere": elsewhere}
    if any(card["rows"] for card in cards.values()):  # of scores alone none are known
        facts["rows"] = spread([card["rows"] for card in cards.values()])
        facts["datasets"] = [study.dataset_label(dataset) for dataset in cards]
    if len(cards) == 1 and facts.get("rows"):
        ((dataset, card),) = cards.items()
        features, classes = card.get("features"), card.get("classes", {})
        label = study.dataset_label(dataset)
        facts["name"] = "" if label.startswith("the ") else f" {label}"
        facts["rows"] = count(card["rows"], "row")
        facts["features"] = f" and {count(len(features), 'feature')}" if features else ""
        if 1 < len(classes) <= MOST and any(classes.values()):
            listed = _words(f"{clean(str(c))} ({n:,} rows)" for c, n in classes.items())
            facts["classes"] = f"; the classes are {listed}"
    return facts | _rows_left_out(study)


def _estimator(model: Model) -> str:
    """Name the classes of a model's steps, and the parameters that were set where they are few."""
    steps = []
    for step in model.parts:
        name = step.estimator.rpartition(".")[2]
        plain = {k: v for k, v in step.params.items() if isinstance(v, str | int | float)}
        if plain and plain == step.params and len(plain) <= _MOST_PARAMS:
            name += " with " + words([f"{k} = {clean(str(v))}" for k, v in plain.items()])
        elif step.params:
            name += " with parameters of its own"
        steps.append(name)
    return ", then ".join(steps)


def _rows_left_out(study: Study) -> dict[str, Any]:
    """Count the rows that are not used, and the values that are missing."""
    left_out, pooled, shares = [], [], [0.0]
    several = len(study.cards) > 1
    for dataset, card in study.cards.items():
        of = f"Of {study.dataset_label(dataset)}, " if several else ""
        gone = {why: int(card[key]) for key, why in _LEFT_OUT.items() if card.get(key)}
        if gone:
            rows = words([f"{count(n, 'row')} {why}" for why, n in gone.items()])
            one = _were(next(iter(gone.values())) if len(gone) == 1 else 2)
            left_out.append({"of": of, "rows": f"{rows} {one}"})
        merged = [
            f"{_words(map(clean, olds))} were pooled as {clean(new)}"
            for new, olds in card.get("merged", {}).items()
        ]
        if merged:
            pooled.append(
                {"of": of, "classes": f"{'the' if of else 'The'} classes {words(merged)}"}
            )
        cells = card["rows"] * len(card.get("features", ()))
        shares += [card["missing_cells"] / cells] if cells else []
    most = percent(round(max(shares), 4))
    where = f"Up to {most} of the feature values of a data set"
    missing = "" if not max(shares) else where if several else f"{most} of the feature values"
    return {"left_out": left_out, "pooled": pooled, "missing": missing}


def _preparation(study: Study) -> dict[str, Any]:
    """Say how columns were prepared, and what was chosen in training."""
    fitted = study.experiment.fitted
    by_way: dict[str, list[str]] = {}
    for model, spec in fitted.items():
        if spec.steps is not None and spec.preprocessing == "none":
            continue  # its steps, named with the model, are all that is done
        own = [step.estimator.rpartition(".")[2] for step in spec.own_preprocessing]
        way = f"by {', then '.join(own)}" if own else str(spec.preprocessing)
        by_way.setdefault(way, []).append(study.name(model))
    facts: dict[str, Any] = {"automatic": [], "unprepared": [], "prepared": [], "choices": []}
    for way, models in by_way.items():
        everyone = len(models) == len(fitted)
        who = "all models" if everyone and len(models) > 1 else _words(models)
        if way == "auto":
            whom = "" if everyone else f"for {who}, "
            facts["automatic"].append({"steps": capital(f"{whom}{_automatic(study)}")})
        elif way == "none":
            who = "All models" if who == "all models" else who
            facts["unprepared"].append({"who": who})
        else:
            facts["prepared"].append({"who": who, "how": way})
    facts["choices"] = [_choices(study.name(model), spec) for model, spec in fitted.items()]
    return facts


def _automatic(study: Study) -> str:
    """Say what was done with the kinds of columns that are there."""
    features = [f for card in study.cards.values() for f in card["features"].values()]
    kinds = {feature["kind"] for feature in features}
    others = [kind for kind in ("text", "category", "date") if kind in kinds]
    steps = []
    if others or kinds - {"number"}:
        named = {"text": "texts", "category": "categories", "date": "dates"}
        what = words([named[kind] for kind in others]) if others else "other columns"
        steps.append(f"{what} were encoded as numbers")
    if any(feature["missing"] for feature in features):
        steps.append(
            "missing values were imputed by the median with an indicator for estimators that do "
            "not accept them"
        )
    if "number" in kinds or not steps:
        steps.append("numbers were standardised, except for models made of trees")
    return words(steps)


def _choices(who: str, spec: Model) -> dict[str, Any]:
    """Say what was chosen in training a model."""
    facts: dict[str, Any] = {"who": who, "seeds": spec.seeds}
    if spec.class_weight is not None:
        balanced = spec.class_weight == "balanced"
        facts["weights"] = "inversely to their frequency" if balanced else "as set"
    if isinstance(spec.threshold, ChosenThreshold):
        facts["chosen"] = spec.threshold
    elif spec.threshold is not None:
        facts["threshold"] = f"{spec.threshold:g}"
    if spec.tune is None:
        return facts
    space = _words(spec.tune.space)
    return facts | {
        "space": space,
        "who": who,
        "search": f"a {spec.tune.search} search",
        "scoring": spec.tune.scoring,
        "folds": spec.tune.cv,
        "were": _were(len(spec.tune.space)),
    }


def _design(study: Study) -> dict[str, Any]:
    """Say how rows were divided for training and testing."""
    experiment = study.experiment
    plans = experiment.resampling.plans()
    done = "trained and tested" if experiment.fitted else "tested"
    told = []
    for plan, spec in plans.items():
        if experiment.by_scores(plan):
            told.append(f"The scores come from {_plan(study, plan, spec)} done elsewhere")
        elif plan == "holdout":
            told.append(_holdout(study))
        else:
            source = cited("dietterich1998") if plan == "cv_5x2" else ""
            told.append(f"Models were {done} by {_plan(study, plan, spec)}{source}")
    same = len(study.models) > 1 and not all(map(experiment.by_scores, plans))
    where = {
        "grouped": [d["dataset"] for d in study.divisions if d["groups"]],
        "timed": [d["dataset"] for d in study.divisions if d["method"] == "time"],
    }
    facts: dict[str, Any] = {"plans": told, "same_rows": done if same else ""}
    for key, found in where.items():
        names = list(dict.fromkeys(found))
        listed = _words(map(study.dataset_label, names)) if names else ""
        every = study.several and len(names) == len(study.datasets)
        facts[key] = f" of {'any data set' if every else listed}" if names else ""
    return facts


def _plan(study: Study, plan: str, spec: Plan) -> str:
    known = [d for d in study.divisions if d["plan"] == plan]
    kind = "stratified " if known and all(d["stratified"] for d in known) else ""
    if plan == "holdout":
        return "one test set"
    if plan == "cv_5x2":
        return f"five replications of {kind}2-fold cross-validation"
    if isinstance(spec, Halves):
        return (
            f"{kind}{spec.folds}-fold cross-validation inside both halves of {spec.repeats} random "
            f"halvings of the rows, and {spec.full_repeats} times of all rows"
        )
    if isinstance(spec, Resampled):
        return (
            f"{spec.repeats} random {kind}divisions with {percent(spec.test_size)} of the rows "
            "for testing"
        )
    assert isinstance(spec, KFold)
    leave_one_out = {d["rows"] for d in known} == {spec.folds}
    what = f"{'leave-one-out' if leave_one_out else f'{kind}{spec.folds}-fold'} cross-validation"
    if spec.columns:
        return f"{what} with the folds of the column {words(list(spec.columns))}"
    return what if spec.repeats == 1 else f"{spec.repeats} repeats of {what}"


def _holdout(study: Study) -> str:
    rows = study.scores[study.scores["plan"] == "holdout"]
    tested = f"tested on {spread(list(rows['n_test']))} held-out rows"
    if not study.experiment.fitted:
        return f"Models were {tested}"
    ways = {d["method"] for d in study.divisions if d["plan"] == "holdout"}
    chosen = {"column": ", as a column says", "test file": " of a file of their own"}
    how = chosen.get(next(iter(ways)), "") if len(ways) == 1 else ""
    trained = spread(list(rows["n_train"]))
    return f"Models were fitted once on {trained} rows and {tested}{how}"


def _analysis(study: Study) -> dict[str, Any]:
    """Say what was measured, what was tested, and by which programs."""
    columns = [] if study.subgroups.empty else dict.fromkeys(study.subgroups["column"])
    out = []
    if not study.failed.empty:
        pairs = dict.fromkeys(zip(study.failed["model"], study.failed["dataset"], strict=True))
        out = [f"{study.name(m)} on {study.dataset_label(d)}" for m, d in pairs]
    versions = study.environment
    named = {"bakeoff": "bakeoff", "snakemake": "snakemake", "python": "Python"}
    programs = [f"{name} {versions[key]}" for key, name in named.items() if key in versions]
    programs += [f"{key} {v}" for key, v in versions.items() if key not in _NOT_LIBRARIES]
    bayesian = any(family.bayesian for family in study.families)
    return {
        "metrics": [study.written(metric).label for metric in study.experiment.metrics],
        "tests": [told for test in study.analysis for told in _test(study, test)],
        "bayesian": percent(1 - study.alpha) if bayesian else "",
        "level": percent(study.alpha) if any(not f.bayesian for f in study.families) else "",
        "intervals": _intervals(study),
        "related": list(_related(study)),
        "subgroups": _words(clean(str(column)) for column in columns) if columns else "",
        "failed": f"{_words(out)} {_were(len(out))}" if out else "",
        "programs": f" with {words(programs, 20)}" if versions else "",
        "seed": study.experiment.seed,
    }


def _test(study: Study, test: PlannedTest) -> Iterator[dict[str, str]]:
    """Say what a test compared, on what, and what followed it."""
    after = study.of_test(test.posthoc.name) if test.posthoc else []
    own = [f for f in study.of_test(test.name) if not f.rows[0].follows]
    if not own:  # told with the test that it follows
        return
    first, followed, correction = own[0], "", ""
    alike = (f for f in study.families if f.entry == first.entry and f.role == first.role)
    by = _words(dict.fromkeys(f.measure.title for f in alike))
    compared = f"{'Pairs of' if len(study.models) > 2 else 'The two'} models were compared in {by}"
    if first.role == "single":
        compared = f"{by} of each model was tested against a value"
    elif first.role == "omnibus":
        compared = f"All models were compared at once in {by}"
    elif first.control:
        control = study.name(first.control)
        compared = f"{control} was compared with each other model in {by}"
    if after:
        of = "each with the control" if after[0].control else "every pair"
        of = "the best model with each other one" if after[0].leader_only else of
        followed = f", followed by {prose.the(after[0].entry)}{_sources(after)} of {of}"
    row = next((f.rows[0] for f in (*own, *after) if f.role == "pair" and not f.bayesian), None)
    if row is not None and row.family_size > 1:
        how = prose.CORRECTIONS.get(row.correction, row.correction.replace("-", " "))
        correction = f"; the {row.family_size} p-values were not corrected"
        if row.correction != "none":
            by = f"the {how} procedure{cited(_CORRECTED.get(row.correction))}"
            correction = f"; p-values of {row.family_size:,} hypotheses were adjusted by {by}"
    evidence = f"{prose.PLANS[first.plan]}{', in each data set' if study.several else ''}"
    if not first.dataset:
        evidence = f"one score per data set, from {prose.PLANS[first.plan]}"
    yield {
        "compared": capital(compared) if first.role == "single" else compared,
        "test": f"{prose.the(first.entry)}{_sources(own)}",
        "evidence": evidence,
        "options": _options(first, test),
        "followed": followed,
        "correction": correction,
    }


def _sources(families: Sequence[Family]) -> str:
    used = (row.result.get("method") for family in families for row in family.rows)
    return cited(families[0].entry.citation, *used)


def _options(family: Family, test: PlannedTest) -> str:
    """Name the side of a test, its value, its margin and its region of equivalence."""
    row = family.rows[0]
    named = ["one-sided"] if row.alternative != "two-sided" else []
    for value, what in ((row.margin, "a margin"), (row.rope, "a region of practical equivalence")):
        if not math.isnan(value):
            named.append(f"{what} of ±{value:g} {family.written.unit}".rstrip())
    asked = {key: value for key, value in test.options.items() if key in ("p0", "mu0")}
    named += [f"{key} = {value:g}" for key, value in asked.items()]
    return f" ({', '.join(named)})" if named else ""


def _intervals(study: Study) -> str:
    """State the levels of the intervals of differences, where there are any."""
    rows = [row for family in study.families if not family.bayesian for row in family.rows]
    given = [row for row in rows if row.role == "pair" and not math.isnan(row.ci_low)]
    told: list[str] = []
    for tails in (1, 2):  # two one-sided tests at a level belong to an interval of twice this level
        own = [row for row in given if math.isnan(row.margin) == (tails == 1)]
        joint = any(prose.level_of(row).startswith("simultaneous") for row in own)
        kind = "simultaneous confidence intervals" if joint else "confidence intervals"
        whose = "those of the tests against a margin" if told else "differences are given"
        told += [f"{whose} with {percent(1 - tails * study.alpha)} {kind}"] if own else []
    return f", and {', '.join(told)}" if told else ""


def _related(study: Study) -> Iterator[dict[str, str]]:
    """Say what relates rows, and what the tests on rows made of it."""
    for dataset, relation in dependent(study.experiment).items():
        families = [f for f in study.families if f.dataset == dataset and f.entry.evidence.on_rows]
        rows = [family.rows[0] for family in families]
        if not rows:
            continue
        tests = "tests on rows nevertheless treated them as independent"
        if not any(INDEPENDENT in row.result for row in rows):
            worth = prose.worth(study, rows[0]).partition(" sample size of ")[2]
            n = count(rows[0].n, "row")
            tests = f"the effective sample size of {n} is {worth}; " if worth else ""
            tests += "the tests on rows account for this"
        how = "come in groups" if relation.kind == "group" else "follow each other in time"
        name, column = study.dataset_label(dataset), clean(relation.column)
        yield {"dataset": name, "how": how, "column": column, "tests": tests}
