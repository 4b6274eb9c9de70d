"""The methods paragraph: what was done, sentence by sentence, as text and LaTeX with its sources.

Sources are named as Pandoc has them. `methods` has the sentences in their order.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bakeoff.comparisons.choose import ON_ROWS
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import capital, clean, count, percent, spread, words
from bakeoff.report.preparation import encodes, preparations
from bakeoff.report.study import Study
from bakeoff.report.tables import latex
from bakeoff.spec import PlannedTest
from bakeoff.spec.models import AS_PASSED, Model, Tune
from bakeoff.spec.resampling import Cv5x2, Halves, KFold, Resampled
from bakeoff.stats.core.citations import BIBTEX

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 100
_KEY = f"@(?:{'|'.join(BIBTEX)})"
_CITED = re.compile(rf" \[({_KEY}(?:; {_KEY})*)\]")
_ACCENTS = dict(zip("'`\"^~v", "\u0301\u0300\u0308\u0302\u0303\u030c", strict=True))
MOST = 8
"""Names that a sentence lists; of more it gives the number."""
_MOST_PARAMS = 4
_MOST_PROGRAMS = 20
_PLAIN = (str, int, float)
"""Types of parameters that are shown."""
_PROGRAMS = {"bakeoff": "bakeoff", "snakemake": "snakemake", "python": "Python"}
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
"""What of the environment stands in another place, or computes nothing."""
_OWN_FORM = (
    "The standard errors of {} have a part from the tested rows and a part from the choice of the "
    "training rows; their form is bakeoff's own and was chosen by simulation (docs/fold-rows.md of "
    "bakeoff)."
)
_SET_APART = {"column": ", as a column says", "test file": " of a file of their own"}
"""How held-out rows were divided, where nothing was drawn."""


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
        # splitting by a group yields texts at even places and citations at odd ones
        for i, part in enumerate(parts):
            if i % 2:
                keys = ",".join(_keys(part))
                parts[i] = rf"~\citep{{{keys}}}"
            else:
                parts[i] = latex(part)
        return "% needs \\usepackage{natbib}\n" + textwrap.fill(
            "".join(parts), _WIDTH, break_long_words=False, break_on_hyphens=False
        )


def _keys(cited: str) -> list[str]:
    return re.findall(r"@(\w+)", cited)


def cited(*keys: str | None) -> str:
    """Name sources, each once; those that are no keys of `BIBTEX` are passed over."""
    sources = []
    for key in dict.fromkeys(keys):
        if key in BIBTEX:
            sources.append(f"@{key}")
    if sources:
        return f" [{'; '.join(sources)}]"
    return ""


def author_year(key: str) -> str:
    """Write a source as authors and year: ``Nadeau and Bengio 2003``."""
    named = re.search(r"author = \{(.*?)\}, \w+ = ", BIBTEX[key])
    # names without the commands and braces of their accents
    accent = r"\{\\(['`\"^~v])\{?(\w)\}?\}"
    composed = re.sub(accent, lambda m: m[2] + _ACCENTS[m[1]], named[1] if named else key)
    authors = unicodedata.normalize("NFC", re.sub(r"[{}]", "", composed)).split(" and ")
    names = []
    for author in authors:
        name, _, _ = author.partition(",")
        # the comma in the name of a company divides no family name from a first name
        if "Inc." in author:
            name = author
        names.append(name)
    who = " and ".join(names)
    if len(names) > 2:
        who = f"{names[0]} et al."
    year = re.search(r"year = \{(\d+)\}", BIBTEX[key])
    if year:
        return f"{who} {year[1]}"
    return who


def wrapped(key: str) -> str:
    """Write the BibTeX entry of a source, one field a line."""
    head, _, body = BIBTEX[key].partition(", ")
    fields = re.split(r", (?=\w+ = \{)", body.removesuffix("}"))
    lines = [head]
    for field in fields:
        lines.append(textwrap.indent(field, "  "))
    return ",\n".join(lines) + "\n}"


def methods(study: Study) -> Methods:
    """Say what was done in a study."""
    sentences = [_models(study)]
    sentences += _trained_elsewhere(study)
    sentences += _data(study)
    sentences += _preparation(study)
    sentences += _choices(study)
    sentences += _design(study)
    sentences += _related_rows(study)
    sentences.append(_metrics(study))
    for test in study.planned:
        sentences.append(_test(study, test))
    sentences += _level(study)
    sentences += _dependence(study)
    sentences += _subgroups_and_failures(study)
    sentences.append(_programs(study))
    return Methods(" ".join(filter(None, sentences)))


def _words(names: Iterable[str], most: int = MOST) -> str:
    return words(list(names), most)


def _were(n: int) -> str:
    if n == 1:
        return "was"
    return "were"


# --- the models


def _models(study: Study) -> str:
    """Name the models, with their classes where they were fitted here."""
    fitted = study.analysis.fitted
    models = []
    for model in study.models:
        name = study.name(model)
        models.append(f"{name} ({_estimator(fitted[model])})" if model in fitted else name)
    compared = "evaluated"
    if len(models) > 1:
        compared = "compared"
    return f"We {compared} {count(len(models), 'model')}: {_words(models)}."


def _estimator(model: Model) -> str:
    """Name the classes of a model's steps, and the parameters that were set where they are few."""
    steps = []
    for step in model.parts:
        if step.name == AS_PASSED:
            continue
        name = step.estimator.rpartition(".")[2]
        plain = []
        for k, v in step.params.items():
            if isinstance(v, _PLAIN):
                plain.append(f"{k} = {clean(str(v))}")
        # parameters are listed all or not at all: of a part one would take the others for defaults
        if plain and len(plain) == len(step.params) <= _MOST_PARAMS:
            name += f" with {words(plain)}"
        elif step.params:
            name += " with parameters of its own"
        steps.append(name)
    return ", then ".join(steps)


def _trained_elsewhere(study: Study) -> Iterator[str]:
    """Say which models came with predictions, numbers or scores."""
    names_by_kind = defaultdict[str, list[str]](list)
    for name, model in study.analysis.models.items():
        if model.brings:
            names_by_kind[_ELSEWHERE[model.brings]].append(study.name(name))
    for kind, names in names_by_kind.items():
        were = _were(len(names))
        yield f"{_words(names)} {were} trained elsewhere and represented by {kind}."


# --- the data


def _data(study: Study) -> Iterator[str]:
    """Say how large the data sets are, and what was left out and merged."""
    cards = list(study.cards.values())
    if not any(card["rows"] for card in cards):
        return
    if len(cards) > 1:
        rows = spread([card["rows"] for card in cards])
        labels = _words(map(study.dataset_label, study.cards), 4 if len(cards) > MOST else MOST)
        yield f"They were evaluated on {len(cards)} data sets of {rows} rows: {labels}."
    else:
        yield _data_set(study.dataset_label(next(iter(study.cards))), cards[0])
    for dataset, card in study.cards.items():
        gone = []
        for key, why in _LEFT_OUT.items():
            if card.get(key):
                gone.append(f"{card[key]:,} {why}")
        if gone:
            yield f"Rows of {study.dataset_label(dataset)} were left out: {words(gone)}."
    for dataset, card in study.cards.items():
        pooled = []
        for new, old in card.get("merged", {}).items():
            pooled.append(f"{_words(map(clean, old))} as {clean(new)}")
        if pooled:
            yield f"Classes of {study.dataset_label(dataset)} were pooled: {words(pooled)}."
    missing = percent(round(max(map(_missing_share, cards)), 4))
    if max(map(_missing_share, cards)):
        if len(cards) > 1:
            yield f"Up to {missing} of the feature values of a data set are missing."
        else:
            yield f"{missing} of the feature values are missing."


def _data_set(label: str, card: Mapping[str, Any]) -> str:
    """Say how many rows, features and rows of each class a data set has."""
    has = f"The data set {label} has"
    if label.startswith("the "):  # a name with an article
        has = f"{capital(label)} {'have' if label.endswith('data') else 'has'}"
    text = f"{has} {count(card['rows'], 'row')}"
    if card["features"]:
        text += f" and {count(len(card['features']), 'feature')}"
    classes = card.get("classes", {})
    if 1 < len(classes) <= MOST and any(classes.values()):
        counted = []
        for name, n in classes.items():
            counted.append(f"{clean(str(name))} ({n:,} rows)")
        text += f"; the classes are {_words(counted)}"
    return f"{text}."


def _missing_share(card: Mapping[str, Any]) -> float:
    """Return the share of the feature values that are missing."""
    cells = card["rows"] * len(card.get("features", ()))
    if cells:
        return float(card["missing_cells"] / cells)
    return 0.0


# --- training


def _preparation(study: Study) -> Iterator[str]:
    """Say what was done to the columns before models were fitted."""
    for done, names in preparations(study).items():
        if done:
            yield prose.prepared(done, names, MOST)
        else:
            yield f"{_words(names)} used the columns without preprocessing."


def _choices(study: Study) -> Iterator[str]:
    """Say what models chose on training rows, and how often they were fitted."""
    for model, spec in study.analysis.fitted.items():
        name = study.name(model)
        if spec.tune:
            yield _tuned(name, spec.tune)
        if isinstance(spec.threshold, int | float):
            yield f"{name} predicts the positive class at scores of {spec.threshold:g} or more."
        elif spec.threshold:
            yield (
                f"The threshold of {name} was chosen to optimise {spec.threshold.choose} on "
                f"{spec.threshold.cv}-fold out-of-fold predictions of the training rows."
            )
        if spec.class_weight:
            weighted = "as set"
            if spec.class_weight == "balanced":
                weighted = "inversely to their frequency"
            yield f"In training {name}, classes were weighted {weighted}."
        if spec.seeds > 1:
            fits = f"{spec.seeds} seeds in every fold"
            yield f"{name} was fitted with {fits}; its score is the mean over seeds."


def _tuned(name: str, tune: Tune) -> str:
    """Say how parameters were searched, and on which rows."""
    on = f"{tune.cv}-fold cross-validation inside each training part"
    if tune.validation:
        on = f"{percent(tune.validation)} of each training part, set apart for validation"
    were = _were(len(tune.space))
    search = f"a {tune.search} search for {tune.scoring}"
    return f"{_words(tune.space)} of {name} {were} chosen by {search} on {on}."


# --- the design


def _design(study: Study) -> Iterator[str]:
    """Say how rows were divided for training and testing."""
    plans = study.analysis.plans
    plans_of_given_scores = study.analysis.scores_of_plans
    done = "tested"
    if study.analysis.fitted:
        done = "trained and tested"
    for plan in plans:
        if plan in plans_of_given_scores:
            yield f"The scores come from {_folds(study, plan)} done elsewhere."
        elif plan == "holdout":
            yield _holdout(study)
        else:
            source = ""
            if plan == "cv_5x2":
                source = " [@dietterich1998]"
            yield f"Models were {done} by {_folds(study, plan)}{source}."
    # of given scores nobody knows the rows
    if len(study.models) > 1 and not plans_of_given_scores >= plans.keys():
        yield f"All models were {done} on the same rows."


def _related_rows(study: Study) -> Iterator[str]:
    """Say where groups were kept together, and where later rows were tested."""
    plans = study.analysis.plans
    grouped = []
    timed = []
    for division in study.divisions:
        if division["plan"] in plans and division["groups"]:
            grouped.append(division["dataset"])
        if division["plan"] in plans and division["method"] == "time":
            timed.append(division["dataset"])
    if grouped:
        names = _datasets(study, grouped)
        yield f"No group of rows of {names} was divided between training and test."
    if timed:
        names = _datasets(study, timed)
        yield f"Test rows of {names} are later than the rows that the models were trained on."


def _datasets(study: Study, names: Iterable[str]) -> str:
    """Name data sets, each once."""
    return _words(map(study.dataset_label, dict.fromkeys(names)))


def _folds(study: Study, plan: str) -> str:
    """Name a plan with its folds and repeats."""
    spec = study.analysis.plans[plan]
    divisions = []
    for division in study.divisions:
        if division["plan"] == plan:
            divisions.append(division)
    stratified = ""
    if divisions and all(division["stratified"] for division in divisions):
        stratified = "stratified "
    if isinstance(spec, Cv5x2):
        return f"five replications of {stratified}2-fold cross-validation"
    if isinstance(spec, Halves):
        inside = f"{stratified}{spec.folds}-fold cross-validation inside both halves"
        halvings = f"{spec.repeats} random halvings of the rows"
        return f"{inside} of {halvings}, and {spec.full_repeats} times of all rows"
    if isinstance(spec, Resampled):
        share = percent(spec.test_size)
        return f"{spec.repeats} random {stratified}divisions with {share} of the rows for testing"
    if not isinstance(spec, KFold):
        return "one test set"
    text = f"{stratified}{spec.folds}-fold cross-validation"
    # as many folds as rows
    if {division["rows"] for division in divisions} == {spec.folds}:
        text = "leave-one-out cross-validation"
    if spec.repeats > 1:
        text = f"{spec.repeats} repeats of {text}"
    if spec.column:
        text += f" with the folds of {study.splitter or f'the column {spec.column}'}"
    return text


def _holdout(study: Study) -> str:
    """Say on how many rows models were fitted and tested once."""
    scores = study.scores[study.scores["plan"] == "holdout"]
    n_train = _sizes(scores["n_train"])
    tested = f"tested on {_sizes(scores['n_test'])} held-out rows"
    if not study.analysis.fitted:
        return f"Models were {tested}."
    methods = {division["method"] for division in study.divisions if division["plan"] == "holdout"}
    # data sets that were divided in several ways share no phrase
    if len(methods) == 1:
        tested += _SET_APART.get(methods.pop(), "")
    if n_train:
        return f"Models were fitted once on {n_train} rows and {tested}."
    return f"Models were {tested}."


def _sizes(sizes: pd.Series[int]) -> str:
    """Give the least and the largest size; empty where one is not known."""
    if sizes.empty or sizes.isna().any():
        return ""
    return spread(list(sizes))


# --- the analysis


def _metrics(study: Study) -> str:
    """Say what models were ranked by, and what else was computed."""
    first, *others = [study.written(metric).label for metric in study.analysis.metrics]
    text = f"Models were ranked by {first}"
    if others:
        text += f"; {_words(others)} {_were(len(others))} also computed"
    return f"{text}."


def _test(study: Study, test: PlannedTest) -> str:
    """Say what a test compared, on what, and what followed it."""
    alone = []
    for family in study.of_test(test.name):
        if not family.rows[0].follows:
            alone.append(family)
    if not alone:  # told with the test that it follows
        return ""
    first = alone[0]
    by = f"{_compared(study, first)} by {_named(alone)}"
    evidence = prose.PLANS[first.plan]
    if not first.dataset:
        on = f"one score per data set, from {evidence}"
    elif study.several:
        on = f"{evidence}, in each data set"
    else:
        on = evidence
    after = []
    if test.posthoc:
        after = study.of_test(test.posthoc.name)
    followed = ""
    if after:
        followed = f", followed by {_named(after)} of {_pairs(after[0])}"
    return f"{by} on {on}{_options(first, test)}{followed}{_adjusted([*alone, *after])}."


def _compared(study: Study, first: Family) -> str:
    """Say what was compared in which metrics."""
    metrics = dict[str, None]()
    for family in study.families:
        if family.entry == first.entry and family.role == first.role:
            metrics[family.measure.title] = None
    by = _words(metrics)
    if first.role == "single":
        return f"{capital(by)} of each model was tested against a value"
    if first.role == "omnibus":
        return f"All models were compared at once in {by}"
    if first.control:
        return f"{study.name(first.control)} was compared with each other model in {by}"
    models = "The two models"
    if len(study.models) > 2:
        models = "Pairs of models"
    return f"{models} were compared in {by}"


def _named(families: Sequence[Family]) -> str:
    """Name a test with its sources."""
    entry = families[0].entry
    used = []
    for family in families:
        for row in family.rows:
            # a form of a test may have a source of its own, which its results name
            used.append(row.result.get("method"))
    return f"{prose.the(entry)}{cited(entry.citation, *used)}"


def _pairs(family: Family) -> str:
    """Say which pairs a test compared that followed another one."""
    if family.leader_only:
        return "the best model with each other one"
    if family.control:
        return "each with the control"
    return "every pair"


def _options(family: Family, test: PlannedTest) -> str:
    """Name the side of a test, its value, its margin and its region of equivalence."""
    row = family.rows[0]
    options = []
    if row.alternative != "two-sided":
        options.append("one-sided")
    for value, name in ((row.margin, "a margin"), (row.rope, "a region of practical equivalence")):
        if not math.isnan(value):
            options.append(f"{name} of ±{value:g} {family.written.unit}".rstrip())
    # the values that a share, or a mean, of a single model is tested against
    for name, value in test.options.items():
        if name in ("p0", "mu0"):
            options.append(f"{name} = {value:g}")
    if options:
        return f" ({', '.join(options)})"
    return ""


def _adjusted(families: Sequence[Family]) -> str:
    """Say how the p-values of pairs were adjusted; empty for single ones."""
    pairs = []
    for family in families:
        if family.role == "pair" and not family.bayesian:
            pairs.append(family)
    if not pairs or pairs[0].rows[0].family_size < 2:
        return ""
    row = pairs[0].rows[0]
    if row.correction == "none":
        return f"; the {row.family_size} p-values were not corrected"
    name = prose.CORRECTIONS.get(row.correction, row.correction.replace("-", " "))
    hypotheses = f"p-values of {row.family_size:,} hypotheses"
    source = cited(_CORRECTED.get(row.correction))
    return f"; {hypotheses} were adjusted by the {name} procedure{source}"


def _level(study: Study) -> Iterator[str]:
    """Say where standard errors come from, and how tests decide."""
    if any(family.entry.name == ON_ROWS for family in study.families):
        yield _OWN_FORM.format("the row-wise t test and of the intervals of expected scores")
    elif not study.fold_intervals.empty:
        yield _OWN_FORM.format("the intervals of expected scores")
    if any(family.bayesian for family in study.families):
        level = percent(1 - study.alpha)
        yield f"Bayesian tests decide by a posterior probability of {level} or more."
    if not all(family.bayesian for family in study.families):
        yield f"The level of every test is {percent(study.alpha)}."


def _dependence(study: Study) -> Iterator[str]:
    """Say of which data sets rows are related, and what tests made of it."""
    for dataset, relation in study.analysis.related.items():
        first_rows = []
        for family in study.families:
            if family.dataset == dataset and family.entry.evidence.on_rows:
                first_rows.append(family.rows[0])
        if not first_rows:
            continue
        come = "follow each other in time"
        if relation.kind == "group":
            come = "come in groups"
        tests = "the tests on rows account for this"
        if any(INDEPENDENT in row.result for row in first_rows):
            tests = "tests on rows nevertheless treated them as independent"
        label = study.dataset_label(dataset)
        yield f"Rows of {label} {come} by {clean(relation.column)}; {tests}."


def _subgroups_and_failures(study: Study) -> Iterator[str]:
    """Say which subgroups were compared, and which models are left out."""
    if not study.subgroups.empty:
        columns = study.subgroups["column"].drop_duplicates().astype(str)
        names = _words(map(clean, columns))
        yield (
            f"Differences were estimated in the subgroups by {names}, with a test of the "
            "interaction [@welch1951], adjusted by the Holm procedure [@holm1979]."
        )
    if not study.failed.empty:
        failed = dict.fromkeys(zip(study.failed["model"], study.failed["dataset"], strict=True))
        left_out = []
        for model, dataset in failed:
            left_out.append(f"{study.name(model)} on {study.dataset_label(dataset)}")
        yield f"Left out because fits failed: {_words(left_out)}."


def _programs(study: Study) -> str:
    """Say which programs computed it, and where randomness comes from."""
    versions = study.environment
    # skrub only encodes columns, and scikit-learn is for fits
    unused = ["skrub"]
    if encodes(study):
        unused = []
    if not study.analysis.fitted:
        unused.append("scikit-learn")
    programs = []
    for key, name in _PROGRAMS.items():
        if key in versions:
            programs.append(f"{name} {versions[key]}")
    for key, version in versions.items():
        if key not in _NOT_LIBRARIES and key not in unused:
            programs.append(f"{key} {version}")
    by = ""
    if versions:
        by = f" with {words(programs, _MOST_PROGRAMS)}"
    return f"Computed{by}; every random number comes from the seed {study.analysis.seed}."
