"""A verdict, and what stands in it beside the tests: failures, cautions, baseline and subgroups."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.advice import INFLATED
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import measured
from bakeoff.report import prose
from bakeoff.report.baseline import (
    Baseline,
    baselines,
    looks_reversed,
    nearly_perfect,
    worse_than_constant,
)
from bakeoff.report.family import Family
from bakeoff.report.numbers import count, p_equals, words
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.scores.metrics import Need

MOST = 3
"""Sentences that stand below the headline; the others are folded. Also the pairs that one names."""


class Kind(StrEnum):
    """What the answer is: docs/report.md says when it is which."""

    WINNER = "winner"
    PARTIAL = "partial"
    OTHERS = "others"
    CANNOT_TELL = "cannot_tell"
    CONFLICT = "conflict"
    SAME = "same"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    CONTROL = "control"
    AGAINST_VALUE = "against_value"
    UNTESTED = "untested"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer."""

    kind: Kind
    headline: str
    """One short sentence."""
    evidence: str
    """One line: the difference with its interval, the p-value, and what was tested."""
    main: tuple[str, ...]
    """At most three sentences: on the baseline, the main caution, and what to do next."""
    more: tuple[str, ...]
    """Everything else, for a folded part."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything below the headline."""
        return tuple(filter(None, (self.evidence, *self.main, *self.more)))

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, then the sentences."""
        return self.headline, *self.sentences


class Facts(defaultdict[str, Any]):
    """What fills the template: texts, and lists with the slots of a sentence each."""

    def __init__(self, study: Study) -> None:
        super().__init__(list)
        self.study = study

    def add(self, sentence: str, **slots: Any) -> None:
        """Add what fills a sentence once."""
        self[sentence].append(slots)


def are(many: Sequence[Any]) -> str:
    """Return the verb for one or several."""
    return "is" if len(many) == 1 else "are"


def take_care(study: Study, families: Sequence[Family]) -> Iterator[str]:
    """Say what simulations say against the one test of some families, and what to use instead."""
    entry, metrics = families[0].entry, {family.metric for family in families}
    known = study.cautions(entry, metrics.pop() if len(metrics) == 1 else None)
    models = dict.fromkeys(model for family in families for model in family.models)
    yield from (f"Caution: {text}" for text in known.of(models, prose.the, study.name))
    rows = [row for family in families for row in family.rows]
    if failing := [details for row in rows if (details := measured(row))]:
        several = f" in {len(failing)} of {len(rows)} comparisons" if len(rows) > 1 else ""
        where, why = f"here{several}", "; ".join(failing[0])
        yield f"Caution: {INFLATED.format(test=prose.the(entry), where=where, why=why)}"


def failed(facts: Facts) -> None:
    """Say which models were excluded or left out of the tests, where and why."""
    study, out = facts.study, set[str]()
    by = ["model", "dataset"]
    for key, rows in study.failed.groupby(by, sort=False) if len(study.failed) else ():
        model, dataset = map(str, key)
        out.add(model)
        reasons = dict.fromkeys(clean(why).removesuffix(".") for why in rows["why"])
        facts.add(
            "failed",
            model=study.name(model),
            dataset=study.dataset_label(dataset),
            fits=count(len(rows), "fit"),
            why="; ".join(reasons),
        )
    ranked_last = study.missing.get("policy") == "failed"
    for model, reason in () if ranked_last else study.excluded.items():
        if model not in out or study.several:
            facts["told"] += [f"{study.name(model)} is left out of the ranking: {reason}."]
    spanning = (row for row in study.comparisons if not row.dataset)
    for note in dict.fromkeys(n for row in spanning for n in row.result.get("left_out", ())):
        facts["told"] += [f"In the tests over data sets, the {clean(note)}."]


def baseline(facts: Facts) -> None:
    """Say what a constant prediction scores, and which models are not shown to beat it."""
    study = facts.study
    first, others = baselines(study, study.metric.name), study.experiment.metrics[1:]
    none_better = len(first) == len(study.datasets) and all(
        len(one.open) == len(study.models)
        and not all(math.isnan(line.pvalue) for line in one.models)
        for one in first
    )
    if looks_reversed(study):
        *_, positive = study.cards[study.datasets[0]]["classes"]
        facts["exchanged"] = repr(clean(positive))
    for metric in study.experiment.metrics if study.several else ():
        _on_datasets(facts, metric, first=none_better and metric == study.metric.name)
    if first and not study.several:
        results = [*_results(study, first[0])]
        if none_better or facts["exchanged"]:
            who, shown = results[0] if len(results) == 1 else ("No model", "is shown to be better")
            facts.add("baselines", place="headline", who=who, shown=shown, by=study.metric.title)
        facts["constant"] = _constant(study, first[0])
        by_result = defaultdict[tuple[str, str], list[str]](list)
        for metric in others:
            for one in baselines(study, metric):
                for result in _results(study, one):
                    by_result[result].append(study.metrics[metric].title)
        for (who, shown), titles in by_result.items():
            facts.add("baselines", place="more", who=who, shown=shown, by=words(titles))
    by_model = defaultdict[str, list[str]](list)
    for measure, model, mean in nearly_perfect(study):
        score = f"{measure.title} {study.written(measure.name).told(mean)}"
        by_model[study.name(model)].append(score)
    perfect = [f"{model}: {words(scores)}" for model, scores in by_model.items()]
    facts["perfect"] = words(perfect, MOST) if perfect else ""


def _on_datasets(facts: Facts, metric: str, *, first: bool) -> None:
    """Say on which data sets no model is better than the baseline."""
    tested = [one for one in baselines(facts.study, metric) if one.models]
    open_on = [one.dataset for one in tested if len(one.open) == len(one.models)]
    if open_on:
        labels = words([facts.study.dataset_label(dataset) for dataset in open_on])
        facts.add(
            "baselines",
            place="headline" if first else "main",
            who="No model",
            shown="is shown to be better",
            by=facts.study.metrics[metric].title,
            on=f" on {len(open_on)} of {len(tested)} data sets ({labels})",
        )


def _results(study: Study, one: Baseline) -> Iterator[tuple[str, str]]:
    """Say which models are not shown to be better than the baseline, or which are if all are."""
    worse = worse_than_constant(study, one)
    groups = {
        "significantly better": [] if one.open else [line.model for line in one.models],
        "significantly worse": worse,
        "not shown to be better": [model for model in one.open if model not in worse],
    }
    for shown, models in groups.items():
        if len(models) == len(study.models) > 1:
            everybody = "no model" if shown.startswith("not") else "every model"
            yield everybody, f"is {shown.removeprefix('not ')}"
        elif models:
            yield study.names(models), f"{are(models)} {shown}"


def _constant(study: Study, one: Baseline) -> dict[str, str]:
    """Give the score of the baseline by the first metric, and what the models are beside it."""
    metric, worse = study.metrics[one.metric], worse_than_constant(study, one)
    answer = clean(one.answer) if metric.needs is Need.NUMBERS else repr(clean(one.answer))
    vowel = metric.title[0] in "aeiouAEIO" or metric.title.startswith(("F1", "F2", "R²"))
    result = " and ".join(" ".join(each) for each in _results(study, one))
    unclear = [line for line in one.models if not line.better and line.model not in worse]
    pvalues = [line.pvalue_adjusted for line in unclear if not math.isnan(line.pvalue)]
    if pvalues:
        p = p_equals(min(pvalues), "adjusted p" if len(one.models) > 1 else "p")
        result += f" ({'smallest ' if len(pvalues) > 1 else ''}{p})"
    elif unclear:
        who = study.names([line.model for line in unclear])
        result = f"whether {who} {are(unclear)} better is undecided"
    scored = study.written(one.metric, one.dataset).told(one.score)
    return {
        "answer": "the class shares as probabilities" if metric.by_order else answer,
        "score": f"{'an' if vowel else 'a'} {metric.title} of {scored}",
        "result": result or "the models were not tested against it",
    }


_MOST_INTERACTIONS = 2
"""Sentences for a data set; the figure has all."""


def interactions(facts: Facts) -> None:
    """Say for each data set on which columns the difference depends."""
    study, lines = facts.study, facts.study.subgroups
    if lines.empty:
        return
    lines = lines[(lines["role"] == INTERACTION) & (lines["metric"] == study.metric.name)]
    lines = lines[lines["decision"] == Decision.DIFFERENT.value]
    for dataset, part in lines.groupby("dataset", sort=False):
        shown = part.sort_values("pvalue_adjusted", kind="stable")[:_MOST_INTERACTIONS]
        for line in shown.to_dict("records"):
            facts.add(
                "interactions",
                on=f"On {study.dataset_label(str(dataset))}: " if study.several else "",
                a=study.name(line["model_a"]),
                b=study.name(line["model_b"]),
                column=repr(line["column"]),
                p=p_equals(
                    line["pvalue_adjusted"], "adjusted p" if line["family_size"] > 1 else "p"
                ),
            )
