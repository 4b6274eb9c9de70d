"""The methods paragraph: what was done, in sentences for a paper."""

from __future__ import annotations

import dataclasses
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import capital, count, percent, spread, words
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.tables import latex
from bakeoff.spec import PlannedTest
from bakeoff.spec.models import ChosenThreshold, Model, Tune
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
_IN_WORDS = dict(enumerate(_NUMBERS, 1))
_LEFT_OUT = {
    "rows_filtered": "by a filter",
    "rows_dropped_without_target": "without a label",
    "rows_of_other_classes": "of other classes",
}
_ELSEWHERE = {
    "predictions": "their predictions",
    "values": "a number for each row",
    "scores": "their scores",
    "results": "the predictions of another run",
}


def data(study: Study) -> Iterator[Sentence]:
    """Say what was compared and describe the data sets."""
    yield _models(study)
    yield from _given(study)
    if any(card["rows"] for card in study.cards.values()):  # of scores alone none are known
        yield _rows(study)
    yield from _left_out(study)
    yield from _missing(study)


def _models(study: Study) -> Sentence:
    fitted = study.experiment.fitted
    named = [
        f"{study.name(model)} ({_estimator(fitted[model])})"
        if model in fitted
        else study.name(model)
        for model in study.models
    ]
    verb = "compared" if len(named) > 1 else "evaluated"
    done = f"We {verb} {few(len(named), 'model')}: {words(named, MOST)}."
    return Sentence(done, ("5a",), ("12c",))


def few(n: int, noun: str) -> str:
    """Count things, few of them in words."""
    return f"{_IN_WORDS[n]} {noun}{'s' if n > 1 else ''}" if n in _IN_WORDS else count(n, noun)


def _estimator(model: Model) -> str:
    """Name the classes of a model's steps, and the parameters that were set where they are few."""
    said = []
    for step in model.parts:
        what = step.estimator.rpartition(".")[2]
        plain = {k: v for k, v in step.params.items() if isinstance(v, str | int | float)}
        if plain and plain == step.params and len(plain) <= _MOST_PARAMS:
            what += " with " + words([f"{k} = {clean(str(v))}" for k, v in plain.items()])
        elif step.params:
            what += " with parameters of its own"
        said.append(what)
    return ", then ".join(said)


def _given(study: Study) -> Iterator[Sentence]:
    kinds: dict[str, list[str]] = {}
    for model, spec in study.experiment.given.items():
        kind = next(kind for kind in _ELSEWHERE if getattr(spec, kind) is not None)
        kinds.setdefault(kind, []).append(study.name(model))
    for kind, models in kinds.items():
        everyone = len(models) == len(study.models)
        who = "All models" if everyone and len(models) > 1 else words(models, MOST)
        were = "were" if len(models) > 1 else "was"
        brought = _ELSEWHERE[kind] if len(models) > 1 else _ELSEWHERE[kind].replace("their", "its")
        said = f"{who} {were} trained elsewhere and represented by {brought}."
        yield Sentence(said, (), ("12g",))


def _rows(study: Study) -> Sentence:
    cards = study.cards
    if len(cards) > 1:
        names = [study.dataset_label(dataset) for dataset in cards]
        rows = spread([card["rows"] for card in cards.values()])
        listed = words(names, MOST if len(names) <= MOST else 4)
        said = f"They were evaluated on {few(len(cards), 'data set')} of {rows} rows: {listed}."
        return Sentence(said, ("3e",))
    ((dataset, card),) = cards.items()
    features = card.get("features")
    of = f" and {count(len(features), 'feature')}" if features else ""
    said = f"The data set {study.dataset_label(dataset)} has {count(card['rows'], 'row')}{of}"
    classes = card.get("classes", {})
    if 1 < len(classes) <= MOST and any(classes.values()):
        said += "; the classes are " + words(
            [f"{clean(str(c))} ({n:,} rows)" for c, n in classes.items()], MOST
        )
        return Sentence(f"{said}.", ("3d", "3e"), ("21",))
    return Sentence(f"{said}.", ("3e",))


def _left_out(study: Study) -> Iterator[Sentence]:
    several = len(study.cards) > 1
    for dataset, card in study.cards.items():
        found = [
            f"{count(int(card[key]), 'row')} {why}"
            for key, why in _LEFT_OUT.items()
            if card.get(key)
        ]
        pooled = [
            f"{words([clean(old) for old in olds], MOST)} were pooled as {clean(new)}"
            for new, olds in card.get("merged", {}).items()
        ]
        of = f"Of {study.dataset_label(dataset)}, " if several else ""
        if found:
            said = f"{of}{words(found)} {'was' if found[0].startswith('1 ') else 'were'} left out."
            yield Sentence(capital(said), ("4a",))
        if pooled:
            said = f"{of}{'the ' if of else 'The '}classes {words(pooled)}."
            yield Sentence(said, ("4c",), ("7",))


def _missing(study: Study) -> Iterator[Sentence]:
    sized = [
        (c["missing_cells"], c["rows"] * len(c.get("features", ()))) for c in study.cards.values()
    ]
    largest = max((missing / cells for missing, cells in sized if cells), default=0.0)
    if not largest:
        return
    most = percent(round(largest, 4))
    where = f"Up to {most} of the feature values of a data set" if len(study.cards) > 1 else most
    of = "" if len(study.cards) > 1 else " of the feature values"
    yield Sentence(f"{where}{of} are missing.", ("3f",), ("11",))


_SEARCHES = {
    "grid": "a grid search",
    "random": "a random search",
    "halving": "a search by successive halving",
}


def design(study: Study) -> Iterator[Sentence]:
    """Say how models were prepared, and how rows were divided for training and testing."""
    yield from _preprocessing(study)
    for model, spec in study.experiment.fitted.items():
        yield from _choices(study, model, spec)
    yield from _plans(study)
    yield from _together(study)


def _preprocessing(study: Study) -> Iterator[Sentence]:
    fitted = study.experiment.fitted
    by: dict[str, list[str]] = {}
    for model, spec in fitted.items():
        if spec.steps is not None and spec.preprocessing == "none":
            continue  # its steps, named with the model, are all that is done
        own = [step.estimator.rpartition(".")[2] for step in spec.own_preprocessing]
        said = f"by {', then '.join(own)}" if own else str(spec.preprocessing)
        by.setdefault(said, []).append(study.name(model))
    if "auto" in by:
        yield Sentence(_automatic(study, by["auto"], len(fitted)), ("4c", "6a"), ("12b",))
    for said, models in by.items():
        who = _who(models, len(fitted))
        if said == "none":
            yield Sentence(
                capital(f"{who} used the columns without preprocessing."), ("4c",), ("12b",)
            )
        elif said not in ("auto", "none"):
            text = f"Columns were prepared for {who} {said}, fitted on training rows only."
            yield Sentence(text, ("4c", "6a"), ("12b",))


def _who(models: list[str], everyone: int) -> str:
    return "all models" if len(models) == everyone > 1 else words(models, MOST)


def _automatic(study: Study, models: list[str], everyone: int) -> str:
    features = [f for card in study.cards.values() for f in card["features"].values()]
    steps = []
    if any(feature["kind"] != "number" for feature in features):
        steps.append("columns of text, categories and dates were encoded as numbers")
    if any(feature["missing"] for feature in features):
        steps.append(
            "missing values were imputed by the median with an indicator for estimators that do "
            "not accept them"
        )
    steps.append("numbers were standardised, except for models made of trees")
    for_whom = "" if len(models) == everyone else f"for {words(models, MOST)}, "
    return capital(f"{for_whom}{words(steps)}; all of this was fitted on training rows only.")


def _choices(study: Study, model: str, spec: Model) -> Iterator[Sentence]:
    who = study.name(model)
    if spec.tune is not None:
        yield Sentence(_search(who, spec.tune), ("5d", "5e", "6a"), ("12c",))
    if isinstance(spec.threshold, ChosenThreshold):
        said = (
            f"The threshold of {who} was chosen to optimise {spec.threshold.choose} on "
            f"{spec.threshold.cv}-fold out-of-fold predictions of the training rows."
        )
        yield Sentence(said, ("5d", "6a"), ("15",))
    elif spec.threshold is not None:
        said = f"{who} predicts the positive class at scores of {spec.threshold:g} or more."
        yield Sentence(said, (), ("15",))
    if spec.class_weight is not None:
        how = "inversely to their frequency" if spec.class_weight == "balanced" else "as set"
        yield Sentence(f"In training {who}, classes were weighted {how}.", ("5a",), ("13",))
    if spec.early_stopping is not None:
        stopping = spec.early_stopping
        said = (
            f"Training of {who} stopped when the score on {percent(stopping.fraction)} of the "
            f"training rows, held out, did not improve for {stopping.rounds} rounds."
        )
        yield Sentence(said, ("5e", "6a"), ("12c",))
    if spec.seeds > 1:
        seeds = f"{who} was fitted with {spec.seeds} seeds in every fold"
        said = f"{seeds}; its score is the mean over seeds."
        yield Sentence(said, ("5a",), ("12c",))


def _search(who: str, tune: Tune) -> str:
    if tune.validation is None:
        by = f"{tune.cv}-fold cross-validation inside each training part"
    elif isinstance(tune.validation, float):
        by = f"{percent(tune.validation)} of each training part, set aside"
    else:
        by = f"the training rows that the column {tune.validation.column} names"
    space = words(list(tune.space), MOST)
    return (
        f"{space} of {who} {'was' if len(tune.space) == 1 else 'were'} chosen by "
        f"{_SEARCHES[tune.search]} for {tune.scoring} on {by}."
    )


def _plans(study: Study) -> Iterator[Sentence]:
    experiment = study.experiment
    for plan, spec in experiment.resampling.plans().items():
        if experiment.by_scores(plan):
            said = f"The scores come from {_plan(study, plan, spec)} done elsewhere."
            yield Sentence(said, ("5c",), ("12a",))
            continue
        if plan == "holdout":
            yield Sentence(f"{_holdout(study)}.", ("5c",), ("12a",))
            continue
        done = "trained and tested" if experiment.fitted else "tested"
        source = cited("dietterich1998") if plan == "cv_5x2" else ""
        said = f"Models were {done} by {_plan(study, plan, spec)}{source}."
        yield Sentence(said, ("5c",), ("12a",))
    if len(study.models) > 1 and not all(map(experiment.by_scores, experiment.resampling.plans())):
        done = "trained and tested" if experiment.fitted else "tested"
        yield Sentence(f"All models were {done} on the same rows.", ("5c",), ("12a",))


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
    rows = {d["rows"] for d in known}
    what = "leave-one-out" if rows == {spec.folds} else f"{kind}{spec.folds}-fold"
    said = f"{what} cross-validation"
    if spec.columns:
        return f"{said} with the folds of the column {words(list(spec.columns))}"
    return said if spec.repeats == 1 else f"{spec.repeats} repeats of {said}"


def _holdout(study: Study) -> str:
    rows = study.scores[study.scores["plan"] == "holdout"]
    tested = spread(list(rows["n_test"]))
    if not study.experiment.fitted:
        return f"Models were tested on {tested} held-out rows"
    methods = {d["method"] for d in study.divisions if d["plan"] == "holdout"}
    chosen = {"column": ", as a column says", "test file": " of a file of their own"}
    how = chosen.get(next(iter(methods)), "") if len(methods) == 1 else ""
    trained = spread(list(rows["n_train"]))
    return f"Models were fitted once on {trained} rows and tested on {tested} held-out rows{how}"


def _together(study: Study) -> Iterator[Sentence]:
    """Say where divisions went by groups or by time."""
    grouped = _datasets(study, (d["dataset"] for d in study.divisions if d["groups"]))
    timed = _datasets(study, (d["dataset"] for d in study.divisions if d["method"] == "time"))
    if grouped:
        said = f"No group of rows{grouped} was divided between training and test."
        yield Sentence(said, ("6b",), ("12a",))
    if timed:
        said = f"Test rows{timed} are later than the rows that the models were trained on."
        yield Sentence(said, ("6b",), ("12a",))


def _datasets(study: Study, found: Iterable[str]) -> str:
    names = list(dict.fromkeys(found))
    if not names:
        return ""
    alike = len(names) == study.several
    where = "any data set" if alike else words([study.dataset_label(n) for n in names], MOST)
    return f" of {where}"


_TESTS = (("7c",), ("12e",))
_CORRECTED = {
    "holm": "holm1979",
    "hochberg": "hochberg1988",
    "hommel": "hommel1988",
    "shaffer": "shaffer1986",
    "max-t": "hothorn2008",
}
_NOT_LIBRARIES = ("python", "bakeoff", "snakemake", "platform", "machine", "matplotlib")


def analysis(study: Study) -> Iterator[Sentence]:
    """Say what was measured, what was tested, and by which programs."""
    yield _metrics(study)
    for test in study.analysis:
        yield from _test(study, test)
    yield from _level(study)
    yield from _related(study)
    yield from _subgroups(study)
    yield from _without(study)
    yield _programs(study)


def _metrics(study: Study) -> Sentence:
    first, *others = (study.written(metric).label for metric in study.experiment.metrics)
    said = f"Models were ranked by {first}"
    if others:
        said += f"; {words(others, MOST)} {'was' if len(others) == 1 else 'were'} also computed"
    return Sentence(f"{said}.", ("7a",), ("12e",))


def _test(study: Study, test: PlannedTest) -> Iterator[Sentence]:
    """Say what a test compared, on what, and what followed it."""
    posthoc = test.posthoc
    after = study.of_test(posthoc.name) if posthoc else []
    own = [f for f in study.of_test(test.name) if not f.rows[0].follows]
    if not own:  # told with the test that it follows
        return
    said = f"{capital(_those_compared(study, own[0]))} by {prose.the(own[0].entry)}{_sources(own)}"
    said += f" on {_on(study, own[0])}{_options(own, test)}"
    if after:
        of = "each with the control" if after[0].control else "every pair"
        of = "the best model with each other one" if after[0].leader_only else of
        said += f", followed by {prose.the(after[0].entry)}{_sources(after)} of {of}"
    adjusted = next((f for f in (*own, *after) if f.role == "pair" and not f.bayesian), None)
    if adjusted is not None:
        said += _correction(adjusted.rows[0])
    yield Sentence(f"{said}.", *_TESTS)


def _those_compared(study: Study, family: Family) -> str:
    alike = (f for f in study.families if f.entry == family.entry and f.role == family.role)
    by = words(list(dict.fromkeys(f.measure.title for f in alike)), MOST)
    if family.role == "single":
        return f"{by} of each model was tested against a value"
    if family.role == "omnibus":
        return f"all models were compared at once in {by}"
    if family.control:
        return f"{study.name(family.control)} was compared with each other model in {by}"
    return f"{'pairs of' if len(study.models) > 2 else 'the two'} models were compared in {by}"


def _on(study: Study, family: Family) -> str:
    if not family.dataset:
        return f"one score per data set, from {prose.PLANS[family.plan]}"
    each = ", in each data set" if study.several else ""
    return f"{prose.PLANS[family.plan]}{each}"


def _sources(families: Sequence[Family]) -> str:
    entry = families[0].entry
    used = (row.result.get("method") for family in families for row in family.rows)
    return cited(entry.citation, *used)


def _options(families: Sequence[Family], test: PlannedTest) -> str:
    """Name the form of a test, its side, its margin and its region of equivalence."""
    row = families[0].rows[0]
    said = []
    variants = list(dict.fromkeys(r.variant for f in families for r in f.rows if r.variant))
    if variants:
        said.append(f"variant {words(variants)}")
    if row.alternative != "two-sided":
        said.append("one-sided")
    for value, what in ((row.margin, "a margin"), (row.rope, "a region of practical equivalence")):
        if value == value and value is not None:
            said.append(f"{what} of ±{value:g} {families[0].written.unit}".rstrip())
    asked = {key: v for key, v in test.options.items() if key in ("p0", "mu0")}
    said += [f"{key} = {value:g}" for key, value in asked.items()]
    return f" ({', '.join(said)})" if said else ""


def _correction(row: Comparison) -> str:
    if row.family_size < 2:
        return ""
    if row.correction == "none":
        return f"; the {row.family_size} p-values were not corrected"
    how = prose.CORRECTIONS.get(row.correction, row.correction.replace("-", " "))
    by = f"the {how} procedure{cited(_CORRECTED.get(row.correction))}"
    return f"; p-values of {row.family_size:,} hypotheses were adjusted by {by}"


def _level(study: Study) -> Iterator[Sentence]:
    """State the level and the intervals, where anything was tested."""
    rows = [row for family in study.families if not family.bayesian for row in family.rows]
    if any(family.bayesian for family in study.families):
        said = (
            f"Bayesian tests decide by a posterior probability of {percent(1 - study.alpha)} or "
            "more."
        )
        yield Sentence(said, ("7b", "7c"), ("12e",))
    if not rows:
        return
    said = f"The level of every test is {percent(study.alpha)}"
    given = [row for row in rows if row.role == "pair" and not math.isnan(row.ci_low)]
    told: list[str] = []
    for tails in (1, 2):  # two one-sided tests at a level belong to an interval of twice this level
        own = [row for row in given if math.isnan(row.margin) == (tails == 1)]
        joint = any(prose.level_of(row).startswith("simultaneous") for row in own)
        kind = "simultaneous confidence intervals" if joint else "confidence intervals"
        whose = "those of the tests against a margin" if told else "differences are given"
        told += [f"{whose} with {percent(1 - tails * study.alpha)} {kind}"] if own else []
    if told:
        said += f", and {', '.join(told)}"
    yield Sentence(f"{said}.", ("7b",), ("12e",))


def _related(study: Study) -> Iterator[Sentence]:
    """Say what relates rows, and what the tests on rows made of it."""
    for dataset, kin in dependent(study.experiment).items():
        how = "come in groups" if kin.kind == "group" else "follow each other in time"
        on_rows = [
            f.rows[0] for f in study.families if f.dataset == dataset and f.entry.evidence.on_rows
        ]
        if not on_rows:
            continue
        said = f"Rows of {study.dataset_label(dataset)} {how} by {clean(kin.column)}"
        if any(INDEPENDENT in row.result for row in on_rows):
            said += "; tests on rows nevertheless treated them as independent"
        else:
            worth = prose.worth(study, on_rows[0]).partition(" sample size of ")[2]
            n = count(on_rows[0].n, "row")
            said += f"; the effective sample size of {n} is {worth}" if worth else ""
            said += "; the tests on rows account for this"
        yield Sentence(f"{said}.", ("6b", "7c"), ("12e",))


def _subgroups(study: Study) -> Iterator[Sentence]:
    if study.subgroups.empty:
        return
    columns = [clean(str(column)) for column in dict.fromkeys(study.subgroups["column"])]
    said = (
        f"Differences were estimated in the subgroups by {words(columns, MOST)}, with a test of "
        f"the interaction{cited('welch1951')}, adjusted by the Holm procedure{cited('holm1979')}."
    )
    yield Sentence(said, ("7b", "7c"), ("12d",))


def _without(study: Study) -> Iterator[Sentence]:
    """Name the models that dropped out."""
    if study.failed.empty:
        return
    pairs = dict.fromkeys(zip(study.failed["model"], study.failed["dataset"], strict=True))
    said = [f"{study.name(str(m))} on {study.dataset_label(str(d))}" for m, d in pairs]
    were = "was" if len(said) == 1 else "were"
    text = f"{words(said, MOST)} {were} left out because fits failed."
    yield Sentence(text, ("4a",))


def _programs(study: Study) -> Sentence:
    known = study.environment
    own = [
        f"{program} {known[program]}" for program in ("bakeoff", "snakemake") if program in known
    ]
    others = [
        f"{library} {version}"
        for library, version in known.items()
        if library not in _NOT_LIBRARIES
    ]
    python = [f"Python {known['python']}"] if "python" in known else []
    done = f"Computed with {words([*own, *python, *others], 20)}" if known else "Computed"
    seed = f"every random number comes from the seed {study.experiment.seed}"
    return Sentence(f"{done}; {seed}.", ("2c",))


def methods(study: Study) -> Methods:
    """Say what was done in a study."""
    return Methods((*data(study), *design(study), *analysis(study)))
