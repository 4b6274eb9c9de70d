"""What the answer says beside the tests: constant answers, subgroups, what is left out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.report.baseline import (
    Baseline,
    baselines,
    looks_reversed,
    nearly_perfect,
    worse_than_constant,
)
from bakeoff.report.numbers import count, p_equals, words
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.scores.metrics import Metric, Need


def against_constant(study: Study) -> Iterator[str]:
    """Say what a constant answer scores, and which models are not shown to beat it."""
    found = {metric: baselines(study, metric) for metric in study.experiment.metrics}
    if study.several:
        for each in found.values():
            yield from _over_datasets(study, each)
        return
    first = found.pop(study.metric.name)
    if first:
        yield _on_one(study, first[0])
    yield from _by_others(study, [one for each in found.values() for one in each if one.models])


def none_better(study: Study) -> str:
    """Say as a headline that no model is shown to beat a constant prediction; else empty."""
    found, n = baselines(study, study.metric.name), len(study.models)
    known = (not all(math.isnan(line.pvalue) for line in one.models) for one in found)
    if looks_reversed(study):
        *_, positive = study.cards[study.datasets[0]]["classes"]
        return (
            "Every model is significantly worse than a constant prediction by "
            f"{study.metric.title}, and the reverse of its predictions would not be: are the two "
            f"classes exchanged? The positive class is {clean(positive)!r}."
        )
    if (
        len(found) < len(study.datasets)
        or any(len(one.open) < n for one in found)
        or not all(known)
    ):
        return ""
    than = f"than a constant prediction by {study.metric.title}"
    if study.several:
        return f"On none of the {len(found)} data sets is a model shown to be better {than}."
    if n > 1 and len(_worse(study, found[0])[0]) == n:
        return f"Every model is significantly worse {than}."
    none = {1: study.name(study.models[0]), 2: "Neither model"}.get(n, f"None of the {n} models")
    return f"{none} is shown to be better {than}."


def _by_others(study: Study, found: list[Baseline]) -> Iterator[str]:
    """Say by which of the other metrics which models are not shown to beat it."""
    by_result: dict[str, list[str]] = {}
    for one in found:
        by_result.setdefault(_result(study, one), []).append(study.metrics[one.metric].title)
    for result, titles in by_result.items():
        yield f"By {words(titles)}, {result} than a constant prediction."


def _result(study: Study, one: Baseline) -> str:
    """Say which of the tested models are not shown to be better, or which are if all are."""
    worse, unclear = _worse(study, one)
    told = {"significantly worse": worse, "not shown to be better": unclear}
    if one.open:
        parts = [f"{study.names(own)} {_are(own)} {says}" for says, own in told.items() if own]
        return " and ".join(parts)
    tested = [line.model for line in one.models]
    who = f"{study.names(tested)} {_are(tested)}"
    if len(tested) == len(study.models):
        who = "every model is"
    return f"{who} significantly better"


def _worse(study: Study, one: Baseline) -> tuple[list[str], list[str]]:
    """Divide the models that are not shown to be better: those shown to be worse, and the rest."""
    worse = worse_than_constant(study, one)
    return worse, [model for model in one.open if model not in worse]


def _are(models: list[str]) -> str:
    return "is" if len(models) == 1 else "are"


def the_constant(metric: Metric, answer: str) -> str:
    """Describe a constant answer."""
    if metric.needs is Need.NUMBERS:
        return f"Predicting {answer} for every row"
    if metric.by_order:
        return "Predicting the class shares as probabilities for every row"
    return f"Predicting {clean(answer)!r} for every row"


def _on_one(study: Study, one: Baseline) -> str:
    metric = study.metrics[one.metric]
    scored = study.written(one.metric, one.dataset).told(one.score)
    text = f"{the_constant(metric, one.answer)} gives {_a(metric.title)} of {scored}"
    if not one.models:
        return f"{text}; the models were not tested against this."
    if not one.open:
        return f"{text}; {_result(study, one)}."
    asked = _worse(study, one)[1]
    if not asked:
        return f"{text}; {_result(study, one)}."
    ps = [line.pvalue_adjusted for line in one.models if line.model in asked]
    known = [p for p in ps if not math.isnan(p)]
    if not known:
        return f"{text}; whether {study.names(asked)} {_are(asked)} better is undecided."
    smallest = "smallest " if len(known) > 1 else ""
    p = p_equals(min(known), "adjusted p" if len(one.models) > 1 else "p")
    return f"{text}; {_result(study, one)} ({smallest}{p})."


def _over_datasets(study: Study, found: Sequence[Baseline]) -> Iterator[str]:
    tested = [one for one in found if one.models]
    beaten_by_none = [one for one in tested if len(one.open) == len(one.models)]
    if beaten_by_none:
        where = words([study.dataset_label(one.dataset) for one in beaten_by_none])
        yield (
            f"On {len(beaten_by_none)} of {len(tested)} data sets ({where}) no model is shown "
            f"to be better than a constant prediction by {study.metrics[tested[0].metric].title}."
        )


def _a(title: str) -> str:
    """Put the article before the name of a metric."""
    vowel = title[0] in "aeiouAEIO" or title.startswith(("F1", "F2", "R²"))
    return f"{'an' if vowel else 'a'} {title}"


def too_good(study: Study) -> Iterator[str]:
    """Warn of scores that are perfect or nearly so."""
    by_model: dict[str, list[str]] = {}
    for metric, model, mean in nearly_perfect(study):
        shown = study.written(metric.name).told(mean)
        by_model.setdefault(model, []).append(f"{metric.title} {shown}")
    if by_model:
        told = [f"{study.name(m)}: {words(scores)}" for m, scores in by_model.items()]
        yield (
            f"Scores are perfect or nearly so ({words(told, 3)}). This is often a sign of leakage: "
            "check whether a feature is known only after the class, and whether test rows repeat "
            "training rows."
        )


def failed(study: Study) -> Iterator[str]:
    """Say which models were excluded, where and why: nobody is to overlook it."""
    if study.failed.empty:
        return
    for key, rows in study.failed.groupby(["model", "dataset"], sort=False):
        model, dataset = map(str, key)
        why = dict.fromkeys(map(clean, rows["why"]))
        reason = (
            f"{next(iter(why)).removesuffix('.')}{' (and other reasons)' if len(why) > 1 else ''}"
        )
        yield (
            f"{study.name(model)} was excluded on {study.dataset_label(dataset)}, where "
            f"{count(len(rows), 'fit')} failed: {reason}."
        )


def left_out(study: Study) -> Iterator[str]:
    """Say which models and data sets the ranking and the tests over data sets lack."""
    told = set() if study.failed.empty else set(study.failed["model"])
    ranked_last = study.missing.get("policy") == "failed"
    for model, reason in () if ranked_last else study.excluded.items():
        if model in told and not study.several:
            continue
        yield f"{study.name(model)} is left out of the ranking: {reason}."
    spanning = (row for row in study.comparisons if not row.dataset)
    for note in dict.fromkeys(n for row in spanning for n in row.result.get("left_out", ())):
        yield f"In the tests over data sets, the {clean(note)}."


MOST = 2
"""Sentences for a data set; the table has all."""


def by_subgroup(study: Study) -> Iterator[str]:
    """Say for each data set whether the difference differs between subgroups."""
    found = study.subgroups
    if found.empty:
        return
    asked = found[(found["role"] == INTERACTION) & (found["metric"] == study.metric.name)]
    for dataset, lines in asked.groupby("dataset", sort=False):
        on = f"On {study.dataset_label(str(dataset))}: " if study.several else ""
        shown = lines[lines["decision"] == Decision.DIFFERENT.value]
        known = lines[lines["pvalue_adjusted"].notna()]
        columns = " or ".join(repr(c) for c in dict.fromkeys(lines["column"]))
        if len(shown):
            clearest = shown.sort_values("pvalue_adjusted", kind="stable")[:MOST]
            for line in clearest.to_dict("records"):
                a, b = study.name(line["model_a"]), study.name(line["model_b"])
                yield (
                    f"{on}The difference in {study.metric.title} between {a} and {b} depends on "
                    f"{line['column']!r} ({p_equals(line['pvalue_adjusted'], _called(line))}), so "
                    "the mean difference does not describe every subgroup."
                )
            if len(shown) > MOST:
                rest = count(len(shown) - MOST, "more significant interaction")
                yield f"{on}The report has {rest}."
        elif len(known):
            p = p_equals(float(known["pvalue_adjusted"].min()), _called(known.iloc[0]))
            smallest = "smallest " if len(known) > 1 else ""
            yield (
                f"{on}The difference is not shown to depend on {columns} ({smallest}{p}). This "
                "does not prove that it is the same in all subgroups."
            )
        else:
            yield f"{on}There are too few rows to compare the models by {columns}."


def _called(line: Any) -> str:
    return "adjusted p" if line["family_size"] > 1 else "p"
