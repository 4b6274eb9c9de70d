"""The phrases that text, tables and figures share."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader

from bakeoff.comparisons.advice import INFLATED
from bakeoff.comparisons.run_tests import Comparison, Decision, measured
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.errors import joined
from bakeoff.report.family import B_NOT_INFERIOR, NOT_INFERIOR, Family
from bakeoff.report.numbers import (
    MINUS,
    capital,
    clean,
    count,
    fixed,
    number,
    p_equals,
    percent,
    spread,
    words,
)
from bakeoff.report.sentences import Sentence
from bakeoff.report.study import Study
from bakeoff.scores import Metric
from bakeoff.stats import Entry, as_float, catalogue
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.datasets.rank_tests import EXCHANGEABLE

_COMMON = {
    "binomial", "row-wise", "combined", "corrected", "cost-sensitive", "difference", "equivalence",
    "half-sample", "multivariate", "non-inferiority", "one-sample", "one-way", "paired", "pairwise",
    "repeated-measures", "resampled", "sign", "stratified", "two-sample",
}  # fmt: skip
"""Words with which titles of tests begin that are no names."""
_OF_DIFFERENCES = (
    "metric_difference", "mean_difference", "recipe_difference", "recipe_mean_difference",
)  # fmt: skip
"""Tests that are named by the metric whose difference they test."""
_CODE = re.compile(r"\b[a-z]\w*\b")
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
PLANS = {
    "cv_5x2": "5 × 2-fold cross-validation",
    "kfold": "cross-validation",
    "halves": "random halvings",
    "resampled": "random splits",
    "seeds": "training runs",
    "holdout": "held-out test rows",
}
HALVES = ("cross-validation inside random halves", "cross-validation of all rows")
"""The parts of the plan `halves`."""
WHY_UNDECIDED = {
    "ok": "there is an interval but no p-value, because no test by this metric is known to hold "
    "its level",
    "zero_variance": "the difference does not vary, so its variance cannot be estimated",
    "too_few": "there are fewer observations than the test needs",
    "undefined": "the test statistic is undefined for these data",
    "undefined_metric": "the metric is undefined on a fold",
}
"""Why a comparison has no result, by its status."""
SAME = ("no_discordant_pairs", "identical_scores")
_SIMULTANEOUS = "simultaneous"
_MOST_PAIRS = 3
"""Pairs that a sentence on their intervals names."""
CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "sidak": "Šidák",
    "holm-sidak": "Holm-Šidák",
    "BH": "Benjamini-Hochberg",
    "BY": "Benjamini-Yekutieli",
    "max-t": "max-t",
    "shaffer": "Shaffer",
    "sign-flips": "Westfall-Young (joint sign flips)",
}

ABOUT = {
    "models": "these fitted models",
    "recipes": "the methods when retrained on the same rows",
    "algorithms": "the methods when retrained",
}
"""What a test answers for."""

DECISIONS = {
    Decision.A_BETTER: "A better",
    Decision.B_BETTER: "B better",
    Decision.DIFFERENT: "they differ",
    Decision.NOT_SHOWN: "not shown",
    Decision.EQUIVALENT: "equivalent",
    Decision.UNDECIDED: "undecided",
}

TEMPLATES = Environment(
    loader=PackageLoader("bakeoff.report"),
    autoescape=lambda name: str(name).endswith(".html.j2"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)

# --- names of tests and of scores


def title(test: Entry, measure: Metric | None = None) -> str:
    """Write a test's name as part of a sentence; only words that are no names lose capitals."""
    if test.name in _OF_DIFFERENCES:
        if measure:
            return f"test of the difference in {measure.title}"
        return "test of the difference"
    text = test.title
    first = text.split()[0]
    if first.lower() in _COMMON:
        return f"{text[0].lower()}{text[1:]}"
    return text


def the(test: Entry, measure: Metric | None = None) -> str:
    """Write a test's name with its article."""
    text = title(test, measure)
    if text.split()[0].endswith(("'s", "s'")):
        return text
    return f"the {text}"


def in_words(study: Study, text: str) -> str:
    """Write the names of tests and metrics in a sentence as people read them."""
    words = {}
    for name, entry in catalogue().items():
        if "_" in name:
            words[name] = the(entry)
    for name in study.analysis.metrics:
        title_of_metric = study.metrics[name].title
        # a metric that is called like a word of its title may be an ordinary word here
        if name not in title_of_metric.split():
            words[name] = title_of_metric
    return _CODE.sub(lambda code: words.get(code[0], code[0]), text)


def of_model(metric: str, model: str) -> str:
    """Name a model's value of a metric, which may be about one class."""
    name, of_class, called = metric.partition(" for class ")
    return f"{name} of {model}{of_class}{called}"


def of_target(card: Mapping[str, Any], unit: str | None, most: int = 4) -> str:
    """Say which classes a data set has, or how large its numbers are; empty for scores alone."""
    if card.get("numbers"):
        written = {key: number(value) for key, value in card["numbers"].items()}
        in_unit = ""
        if unit:
            in_unit = f" {clean(unit)}"
        ends = f"{written['min']} to {written['max']}{in_unit}"
        return f"{ends}, mean {written['mean']}, SD {written['sd']}"
    classes = list(card.get("classes", {}).items())
    text = ", ".join(f"{clean(str(name))}: {n:,}" for name, n in classes[:most])
    if len(classes) > most:
        text += f" and {count(len(classes) - most, 'other')}"
    return text


def why_undecided(row: Comparison) -> str:
    """Say why a comparison cannot tell which model is better."""
    if row.decision is Decision.DIFFERENT:
        p = p_equals(row.pvalue_adjusted)
        return f"the test finds that they differ ({p}), but neither has the better mean"
    reason = str(row.result.get("reason") or "")
    if not reason and row.status == "too_few":
        reason = _too_few_groups(row)
    if not reason:
        reason = WHY_UNDECIDED.get(row.status, row.status.replace("_", " "))
    return reason.rstrip(".")


def _too_few_groups(row: Comparison) -> str:
    """Return what an assumption says of how much there is and how much is needed."""
    for check in row.result.get("assumptions", ()):
        if check["holds"] is False and check["name"].startswith("enough groups"):
            return str(check["detail"])
    return ""


def unit(family: Family) -> str:
    """Name what a family's estimates are differences of."""
    return family.entry.unit or family.written.named


def gap_of(family: Family, value: float) -> str:
    """Write the size of a difference in the unit of a family's estimates."""
    if not family.entry.unit:
        return family.written.gap(value)
    size = fixed(abs(value), 2)
    if unit(family) == "average rank":
        return f"{size} average ranks"
    return f"{size} ({unit(family)})"


def gap_with_interval(row: Comparison, family: Family) -> str:
    """Write A's advantage with its interval, in one unit."""
    text = gap_of(family, row.estimate)
    if family.entry.unit or math.isnan(row.ci_low):
        return text
    # turned to the side of the one who is ahead, as the size is
    sign = 1 if row.estimate >= 0 else -1
    low, high = sorted((sign * row.ci_low, sign * row.ci_high))
    return f"{text} ({level_of(row)} {family.written.gap_interval(low, high)})"


def level_of(row: Comparison) -> str:
    """Name the interval of a comparison: its level, and whether it holds for the whole family."""
    # a test of all pairs makes its intervals to hold together at their own level
    method = (row.result.get("ci") or {}).get("method")
    of_all = method is not None and method in (row.test, row.correction)
    # two one-sided tests at a level belong to an interval that misses at twice this level
    level = 1 - (row.alpha if math.isnan(row.margin) else 2 * row.alpha)
    wider = row.confidence > level + 1e-9
    if row.family_size > 1 and (wider or of_all):
        return f"{_SIMULTANEOUS} {percent(level)} CI"
    return f"{percent(row.confidence)} CI"


def levels_of(rows: Iterable[Comparison]) -> str:
    """Name the intervals of several comparisons, of which some may have none."""
    with_ci = []
    for row in rows:
        if not math.isnan(row.confidence):
            with_ci.append(row)
    if with_ci:
        return level_of(with_ci[0])
    return "CI"


def p_name(row: Comparison) -> str:
    """Say whether a p-value is adjusted."""
    if row.family_size > 1 and row.correction != "none":
        return "adjusted p"
    return "p"


def extreme_p(rows: Sequence[Comparison], *, largest: bool = False) -> str:
    """Write the p-value that decides a comparison, or the smallest or largest one of several."""
    pvalues = [row.pvalue_adjusted for row in rows]
    name = p_name(rows[0])
    if len(rows) == 1:
        return p_equals(pvalues[0], name)
    if largest:
        return f"largest {p_equals(max(pvalues), name)}"
    return f"smallest {p_equals(min(pvalues), name)}"


def take_care(study: Study, families: Sequence[Family]) -> Iterator[Sentence]:
    """Say what simulations say against the one test of some families, and what to use instead."""
    entry = families[0].entry
    metrics = {family.metric for family in families}
    metric = families[0].metric if len(metrics) == 1 else None
    models = list[str]()
    rows = list[Comparison]()
    for family in families:
        models += family.models
        rows += family.rows
    against = study.cautions(entry, metric)
    parts = {
        "inflated": against._replace(unknown=()),
        "not_simulated": against._replace(inflated=()),
    }
    for code, part in parts.items():
        for text in part.sentences(dict.fromkeys(models), the, study.name, _on_plan):
            yield Sentence(f"Caution: {text}", code)
    failing = list(filter(None, map(measured, rows)))
    if failing:
        where = "here"
        if len(rows) > 1:
            where = f"here in {len(failing)} of {len(rows)} comparisons"
        why = "; ".join(failing[0])
        text = INFLATED.format(test=the(entry), where=where, why=why)
        yield Sentence(f"Caution: {text}", "inflated_here")


def _on_plan(plan: str) -> str:
    """Say in words on which plan a test would run."""
    return f"on {PLANS[plan]}"


def of_omnibus(row: Comparison) -> Iterator[Sentence]:
    """Say what speaks against the finding of a test of all models, where it stands alone."""
    for check in row.result.get("assumptions", ()):
        if check["name"] == EXCHANGEABLE and check["holds"] is not True:
            yield Sentence(f"Caution: {check['detail']}.", "not_exchangeable")


def disagreement(study: Study, rows: Sequence[Comparison]) -> str:
    """Say that a test and the interval beside it disagree; empty, or a sentence after a space."""
    adjusted_away = [row for row in rows if _is_adjusted_away(row)]
    if adjusted_away:
        return _on_intervals_of_pairs(study, adjusted_away)
    for row in rows:
        for check in row.result.get("assumptions", ()):
            if check["name"] == AGREE and check["detail"]:
                return f" {capital(check['detail'])}."
    return ""


def _is_adjusted_away(row: Comparison) -> bool:
    """Tell whether the interval of a pair alone excludes its null, and the adjusted p does not."""
    is_of_pair = row.family_size > 1 and not level_of(row).startswith(_SIMULTANEOUS)
    disagrees = any(check["name"] == AGREE for check in row.result.get("assumptions", ()))
    return is_of_pair and disagrees and row.pvalue <= row.alpha < row.pvalue_adjusted


def _on_intervals_of_pairs(study: Study, rows: Sequence[Comparison]) -> str:
    """Say that intervals of single pairs are not adjusted, and that no difference is shown."""
    pairs = []
    for row in rows[:_MOST_PAIRS]:
        pairs.append(f"{study.name(row.model_a)} vs {study.name(row.model_b)}")
    if len(rows) > _MOST_PAIRS:
        pairs.append(count(len(rows) - _MOST_PAIRS, "other pair"))
    lies = "the interval of each lies"
    if len(rows) == 1:
        lies = "its interval lies"
    return (
        " Each interval holds for its pair alone; p-values are adjusted for "
        f"{rows[0].family_size:,} pairs, and these decide: no difference is shown for "
        f"{joined(pairs)}, although {lies} on one side of no difference."
    )


def correction(family: Family) -> str:
    """Say how the p-values of a family were adjusted."""
    row = family.rows[0]
    if row.family_size < 2:
        return "a single hypothesis"
    size = f"{row.family_size:,} hypotheses"
    if row.correction == "none":
        return f"{size} without correction, so some false positives are expected"
    if family.leader_only:
        size += f" of which the {len(family.rows):,} of the best model were tested"
    name = CORRECTIONS.get(row.correction, row.correction.replace("-", " "))
    return f"{size}, {name} correction"


def evidence(study: Study, family: Family) -> str:
    """Say what a family was computed from."""
    if not family.dataset:
        return study.counted_datasets(row.n for row in family.rows)
    if not family.entry.evidence.on_rows:
        name = study.dataset_label(family.dataset)
        return f"{_divided(study, family.plan)} of {name}"
    row = family.rows[0]
    name = study.dataset_label(family.dataset)
    tasks = row.result.get("details", {}).get("tasks", ())
    if tasks:
        return f"the mean over {count(len(tasks), 'task')} of {row.n:,} rows of {name}"
    rows = f"{row.n:,} held-out rows of {name}{worth(study, row)}"
    if family.entry.about != "recipes":
        return rows
    return f"{_training_runs(family)} and {rows}"


def _divided(study: Study, plan: str) -> str:
    """Name a plan with its numbers of folds and repeats."""
    spec = study.analysis.plans.get(plan)
    divided = PLANS[plan]
    if spec is None:
        return divided
    if plan in ("halves", "resampled"):
        return f"{spec.repeats} {divided}"
    if plan == "seeds":
        on_each = ""
        if spec.folds > 1:
            on_each = f" on each of {spec.folds} data sets"
        return f"{spec.repeats} {divided}{on_each}"
    if plan == "kfold" and not study.analysis.in_time:
        times = ""
        if spec.repeats > 1:
            times = f"{spec.repeats} × "
        return f"{times}{spec.folds}-fold {divided}"
    return divided


def _training_runs(family: Family) -> str:
    """Say how many training runs of each model there are."""
    runs = set[int]()
    for row in family.rows:
        details = row.result.get("details", {})
        runs |= {details[key] for key in ("runs_a", "runs_b") if key in details}
    if not runs:
        return "training runs"
    return f"{spread(sorted(runs))} training runs of each model"


def prepared(done: str, models: Sequence[str], most: int = 4) -> str:
    """Say what was done to columns before models were fitted."""
    names = words(list(models), most)
    if done.startswith("by "):
        return f"Columns were prepared for {names} {done}, fitted on training rows only."
    return f"Columns were prepared for {names} on training rows only: {done}."


def over_runs(study: Study) -> str:
    """Say that scores on held-out rows are means over several training runs, where they are."""
    if not study.has_runs:
        return ""
    return (
        "Scores on held-out rows of models that were trained several times are means over their "
        "training runs, with intervals for other seeds and other rows."
    )


def scored(study: Study) -> str:
    """Name what the models are ranked by; of halves and all rows, the one that is tested."""
    if study.plan == "halves":
        return HALVES[study.by_full]
    return PLANS[study.plan]


def trained_on(study: Study, dataset: str, plan: str) -> str:
    """Say on how many rows the scored models were trained; empty where on all, or not known."""
    rows = study.cards.get(dataset, {}).get("rows", 0)
    sizes = study.scored_on[dataset, plan]["n_train"].dropna()
    if not rows or sizes.empty or not 0 < sizes.min() < rows:
        return ""
    return f", trained on {spread(list(sizes))} of {count(rows, 'row')}"


def worth(study: Study, row: Comparison) -> str:
    """Say in how many groups or times the rows of a comparison come and what they are worth."""
    relation = study.analysis.datasets[row.dataset].relation if row.dataset else None
    if relation is None:
        return ""
    if INDEPENDENT in row.result:
        return f" treated as independent although {relation.column!r} relates them"
    result = {**row.result.get("details", {}), **row.result}
    n_units = result.get("n_clusters", result.get("n_times"))
    if n_units is None:
        return ""
    if "n_times" in result:
        where = f" at {n_units:,} times"
        unit = "times"
    elif relation.kind == "group":
        where = f" in {n_units:,} groups by {relation.column!r}"
        unit = "rows"
    else:
        return f" in {n_units:,} blocks of time"
    effective = as_float(result.get("n_effective"))
    if math.isnan(effective):
        return where
    return f"{where} with an effective sample size of about {effective:,.0f} {unit}"


def advantage(metrics: Iterable[Metric]) -> str:
    """Head a column of differences, which are positive where A is the better one."""
    ways = {metric.greater_is_better for metric in metrics}
    if len(ways) > 1:
        return "Advantage of A"
    if True in ways:
        return "A − B"
    return "B − A"


def advantage_of(families: Sequence[Family]) -> str:
    """Head a column of estimates of families: of average ranks the lower one is better."""
    if families[0].entry.unit:
        return "B − A"
    return advantage(family.measure for family in families)


def mean_of(metric: Metric) -> str:
    """Name the mean of a metric, which may be a mean by its name."""
    if metric.title.startswith("mean "):
        return metric.title
    return f"mean {metric.title}"


def tested_value(row: Comparison) -> float:
    """Return the value that a test of a single model tests against."""
    details = row.result.get("details", {})
    return as_float(details.get("p0", details.get("mu0")))


def side_of(row: Comparison) -> str:
    """Say on which side of that value a model is shown to be."""
    value = tested_value(row)
    side = "below"
    if row.estimate > value:
        side = "above"
    return f"{side} {value:g}"


def one_sided(row: Comparison) -> bool:
    """Tell whether a test against a margin shows of one model that it is no worse."""
    return row.result.get("verdict") in (NOT_INFERIOR, B_NOT_INFERIOR)


def decision(study: Study, row: Comparison) -> str:
    """Say what a comparison says."""
    if one_sided(row) and row.decision is Decision.EQUIVALENT:
        turned = row.result["verdict"] == B_NOT_INFERIOR
        return f"{study.label(row.model_b if turned else row.model_a)} not worse"
    if row.decision is Decision.A_BETTER:
        return f"{study.label(row.model_a)} better"
    if row.decision is Decision.B_BETTER:
        return f"{study.label(row.model_b)} better"
    if row.role == "single" and row.decision is Decision.DIFFERENT:
        return side_of(row)
    if row.role == "omnibus" and row.decision is Decision.DIFFERENT:
        return "not all equal"
    return DECISIONS[row.decision]


class Check(NamedTuple):
    """One assumption over several comparisons."""

    name: str
    holds: list[bool | None]
    """Whether it holds, of each comparison; None where that cannot be checked."""
    detail: str
    """Of the first where it fails, or else cannot be checked, or else of the first."""


def checked(rows: Iterable[Comparison]) -> Iterator[Check]:
    """Sum up the assumptions of comparisons, in the order in which they are named."""
    checks_by_name = defaultdict[str, list[Mapping[str, Any]]](list)
    for row in rows:
        for check in row.result.get("assumptions", ()):
            checks_by_name[check["name"]].append(check)
    worst_first = [False, None, True]
    for name, checks in checks_by_name.items():
        first = min(checks, key=lambda check: worst_first.index(check["holds"]))
        detail = clean(_MINUS.sub(MINUS, first["detail"]))
        yield Check(clean(name), [check["holds"] for check in checks], detail)
