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
from bakeoff.report.numbers import MINUS, clean, count, fixed, number, p_equals, percent, spread
from bakeoff.report.study import B_NOT_INFERIOR, NOT_INFERIOR, Family, Study
from bakeoff.scores import Metric
from bakeoff.stats import Entry, as_float
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.datasets.rank_tests import EXCHANGEABLE

_COMMON = {
    "binomial", "row-wise", "combined", "corrected", "cost-sensitive", "difference", "equivalence",
    "half-sample", "multivariate", "non-inferiority", "one-sample", "one-way", "paired", "pairwise",
    "repeated-measures", "resampled", "sign", "two-sample",
}  # fmt: skip


def title(test: Entry, measure: Metric | None = None) -> str:
    """Write a test's name as part of a sentence; only words that are no names lose capitals."""
    if re.fullmatch("(metric|mean|recipe|recipe_mean)_difference", test.name):
        return f"test of the difference{f' in {measure.title}' if measure else ''}"
    text = test.title
    first = text.split()[0]
    return text[0].lower() + text[1:] if first.lower() in _COMMON else text


def the(test: Entry, measure: Metric | None = None) -> str:
    """Write a test's name with its article."""
    text = title(test, measure)
    return text if text.split()[0].endswith(("'s", "s'")) else f"the {text}"


def of_model(metric: str, model: str) -> str:
    """Name a model's value of a metric, which may be about one class."""
    name, of_class, called = metric.partition(" for class ")
    return f"{name} of {model}{of_class}{called}"


TEMPLATES = Environment(
    loader=PackageLoader("bakeoff.report"),
    autoescape=lambda name: str(name).endswith(".html.j2"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def rendered(template: str, facts: Mapping[str, Any]) -> list[str]:
    """Fill a template that has a sentence on each line; empty lines are left out."""
    return list(filter(None, TEMPLATES.get_template(template).render(facts).splitlines()))


PLANS = {
    "cv_5x2": "5 × 2-fold cross-validation",
    "kfold": "cross-validation",
    "halves": "random halvings",
    "resampled": "random splits",
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
SAME = ("no_discordant_pairs", "identical_scores")


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
}


def of_target(card: Mapping[str, Any], unit: str | None, most: int = 4) -> str:
    """Say which classes a data set has, or how large its numbers are; empty for scores alone."""
    if card.get("numbers"):
        low, high, mean, sd = (number(card["numbers"][key]) for key in ("min", "max", "mean", "sd"))
        return f"{low} to {high}{f' {clean(unit)}' if unit else ''}, mean {mean}, SD {sd}"
    classes = card.get("classes", {})
    shown = [f"{clean(str(c))}: {n:,}" for c, n in list(classes.items())[:most]]
    more = f" and {count(len(classes) - most, 'other')}" if len(classes) > most else ""
    return ", ".join(shown) + more


def why_undecided(row: Comparison) -> str:
    """Say why a comparison cannot tell which model is better."""
    if row.decision is Decision.DIFFERENT:
        p = p_equals(row.pvalue_adjusted)
        return f"the test finds that they differ ({p}), but neither has the better mean"
    reason = row.result.get("reason")
    if not reason and row.status == "too_few":
        # the assumption that says how much there is and how much is needed
        failing = (a for a in row.result.get("assumptions", ()) if a["holds"] is False)
        reason = next((a["detail"] for a in failing if a["name"].startswith("enough groups")), "")
    return str(reason or WHY_UNDECIDED.get(row.status, row.status.replace("_", " "))).rstrip(".")


def unit(family: Family) -> str:
    """Name what a family's estimates are differences of."""
    return family.entry.unit or family.written.named


def gap_of(family: Family, value: float) -> str:
    """Write the size of a difference in the unit of a family's estimates."""
    if not family.entry.unit:
        return family.written.gap(value)
    size = fixed(abs(value), 2)
    return f"{size} average ranks" if unit(family) == "average rank" else f"{size} ({unit(family)})"


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
    made = (row.result.get("ci") or {}).get("method")
    of_all = made is not None and made in (row.test, row.correction)
    # two one-sided tests at a level belong to an interval that misses at twice this level
    level = 1 - (row.alpha if math.isnan(row.margin) else 2 * row.alpha)
    joint = row.family_size > 1 and (row.confidence > level + 1e-9 or of_all)
    return f"simultaneous {percent(level)} CI" if joint else f"{percent(row.confidence)} CI"


def levels_of(rows: Iterable[Comparison]) -> str:
    """Name the intervals of several comparisons, of which some may have none."""
    with_ci = [row for row in rows if not math.isnan(row.confidence)]
    return level_of(with_ci[0]) if with_ci else "CI"


def p_name(row: Comparison) -> str:
    """Say whether a p-value is adjusted."""
    return "adjusted p" if row.family_size > 1 and row.correction != "none" else "p"


def extreme_p(rows: Sequence[Comparison], *, largest: bool = False) -> str:
    """Write the p-value that decides a comparison, or the smallest or largest one of several."""
    p = (max if largest else min)(row.pvalue_adjusted for row in rows)
    which = "" if len(rows) == 1 else "largest " if largest else "smallest "
    return f"{which}{p_equals(p, p_name(rows[0]))}"


def take_care(study: Study, families: Sequence[Family]) -> Iterator[str]:
    """Say what simulations say against the one test of some families, and what to use instead."""
    entry, metrics = families[0].entry, {family.metric for family in families}
    against = study.cautions(entry, metrics.pop() if len(metrics) == 1 else None)
    models = dict.fromkeys(model for family in families for model in family.models)
    yield from (f"Caution: {text}" for text in against.sentences(models, the, study.name))
    rows = [row for family in families for row in family.rows]
    if failing := [details for row in rows if (details := measured(row))]:
        several = f" in {len(failing)} of {len(rows)} comparisons" if len(rows) > 1 else ""
        where, why = f"here{several}", "; ".join(failing[0])
        yield f"Caution: {INFLATED.format(test=the(entry), where=where, why=why)}"


def of_omnibus(row: Comparison) -> Iterator[str]:
    """Say what speaks against the finding of a test of all models, where it stands alone."""
    for check in row.result.get("assumptions", ()):
        if check["name"] == EXCHANGEABLE and check["holds"] is not True:
            yield f"Caution: {check['detail']}."


def disagreement(rows: Iterable[Comparison]) -> str:
    """Say that a test and the interval beside it disagree; empty, or a sentence after a space."""
    checks = (check for row in rows for check in row.result.get("assumptions", ()))
    detail = next((check["detail"] for check in checks if check["name"] == AGREE), "")
    return f" {detail[0].upper()}{detail[1:]}." if detail else ""


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
    n = family.rows[0].n
    if not family.dataset:
        return study.counted_datasets(row.n for row in family.rows)
    name = study.dataset_label(family.dataset)
    if not family.entry.evidence.on_rows:
        spec, divided = study.analysis.plans.get(family.plan), PLANS[family.plan]
        if family.plan == "kfold" and spec is not None and not study.analysis.in_time:
            times = f"{spec.repeats} × " if spec.repeats > 1 else ""
            divided = f"{times}{spec.folds}-fold {divided}"
        elif family.plan in ("halves", "resampled") and spec is not None:
            divided = f"{spec.repeats} {divided}"
        return f"{divided} of {name}"
    rows = f"{n:,} held-out rows of {name}{worth(study, family.rows[0])}"
    if family.entry.about != "recipes":
        return rows
    details = [row.result.get("details", {}) for row in family.rows]
    runs = sorted({d[key] for d in details for key in ("runs_a", "runs_b") if key in d})
    of_each = f"{spread(runs)} training runs of each model" if runs else "training runs"
    return f"{of_each} and {rows}"


def over_runs(study: Study) -> str:
    """Say that scores on held-out rows are means over several training runs, where they are."""
    said = (
        "Scores on held-out rows of models that were trained several times are means over their "
        "training runs, with intervals for other seeds and other rows."
    )
    return said if study.has_runs else ""


def scored(study: Study) -> str:
    """Name what the models are ranked by; of halves and all rows, the one that is tested."""
    return HALVES[study.by_full] if study.plan == "halves" else PLANS[study.plan]


def trained_on(study: Study, dataset: str, plan: str) -> str:
    """Say on how many rows the scored models were trained; empty where on all, or not known."""
    rows = study.cards.get(dataset, {}).get("rows", 0)
    sizes = study.scored_on[dataset, plan]["n_train"].dropna()
    if not rows or sizes.empty or not 0 < sizes.min() < rows:
        return ""
    return f", trained on {spread(list(sizes))} of {count(rows, 'row')}"


def worth(study: Study, row: Comparison) -> str:
    """Say in how many groups or times the rows of a comparison come and what they are worth."""
    kin = study.analysis.datasets[row.dataset].relation if row.dataset else None
    if kin is None:
        return ""
    if INDEPENDENT in row.result:
        return f" treated as independent although {kin.column!r} relates them"
    result = {**row.result.get("details", {}), **row.result}
    timed, count = "n_times" in result, result.get("n_clusters", result.get("n_times"))
    if count is None:
        return ""
    if not timed and kin.kind != "group":
        return f" in {count:,} blocks of time"
    where = f" at {count:,} times" if timed else f" in {count:,} groups by {kin.column!r}"
    effective, unit = as_float(result.get("n_effective")), "times" if timed else "rows"
    if math.isnan(effective):
        return where
    return f"{where} with an effective sample size of about {effective:,.0f} {unit}"


ABOUT = {
    "models": "these fitted models",
    "recipes": "the methods when retrained on the same rows",
    "algorithms": "the methods when retrained",
}
"""What a test answers for."""


def advantage(metrics: Iterable[Metric]) -> str:
    """Head a column of differences, which are positive where A is the better one."""
    ways = {metric.greater_is_better for metric in metrics}
    return "Advantage of A" if len(ways) > 1 else "A − B" if ways == {True} else "B − A"


def advantage_of(families: Sequence[Family]) -> str:
    """Head a column of estimates of families: of average ranks the lower one is better."""
    if families[0].entry.unit:
        return "B − A"
    return advantage(family.measure for family in families)


def mean_of(metric: Metric) -> str:
    """Name the mean of a metric, which may be a mean by its name."""
    return metric.title if metric.title.startswith("mean ") else f"mean {metric.title}"


def tested_value(row: Comparison) -> float:
    """Return the value that a test of a single model tests against."""
    details = row.result.get("details", {})
    return as_float(details.get("p0", details.get("mu0")))


def side_of(row: Comparison) -> str:
    """Say on which side of that value a model is shown to be."""
    above = row.estimate > tested_value(row)
    return f"{'above' if above else 'below'} {tested_value(row):g}"


DECISIONS = {
    Decision.A_BETTER: "A better",
    Decision.B_BETTER: "B better",
    Decision.DIFFERENT: "they differ",
    Decision.NOT_SHOWN: "cannot tell",
    Decision.EQUIVALENT: "equivalent",
    Decision.UNDECIDED: "undecided",
}


def one_sided(row: Comparison) -> bool:
    """Tell whether a test against a margin shows of one model that it is no worse."""
    return row.result.get("verdict") in (NOT_INFERIOR, B_NOT_INFERIOR)


def decision(study: Study, row: Comparison) -> str:
    """Say what a comparison says."""
    if one_sided(row) and row.decision is Decision.EQUIVALENT:
        turned = row.result["verdict"] == B_NOT_INFERIOR
        return f"{study.label(row.model_b if turned else row.model_a)} not worse"
    if row.decision in (Decision.A_BETTER, Decision.B_BETTER):
        winner = row.model_a if row.decision is Decision.A_BETTER else row.model_b
        return f"{study.label(winner)} better"
    if row.role == "single" and row.decision is Decision.DIFFERENT:
        return side_of(row)
    if row.role == "omnibus" and row.decision is Decision.DIFFERENT:
        return "not all equal"
    return DECISIONS[row.decision]


_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


class Check(NamedTuple):
    """One assumption over several comparisons."""

    name: str
    holds: list[bool | None]
    """Whether it holds, of each comparison; None where that cannot be checked."""
    detail: str
    """Of the first where it fails, or else cannot be checked, or else of the first."""


def checked(rows: Iterable[Comparison]) -> Iterator[Check]:
    """Sum up the assumptions of comparisons, in the order in which they are named."""
    by_name = defaultdict[str, list[Mapping[str, Any]]](list)
    for row in rows:
        for one in row.result.get("assumptions", ()):
            by_name[one["name"]].append(one)
    for name, checks in by_name.items():
        first = min(checks, key=lambda one: (False, None, True).index(one["holds"]))
        detail = clean(_MINUS.sub(MINUS, first["detail"]))
        yield Check(clean(name), [one["holds"] for one in checks], detail)
