"""What the models are beside a prediction that ignores the features, as sentences."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from bakeoff.report import sentences
from bakeoff.report.answers.shared import are
from bakeoff.report.baseline import (
    Baseline,
    baselines,
    looks_reversed,
    named_alike,
    nearly_perfect,
    worse_than_constant,
)
from bakeoff.report.numbers import clean, p_equals, words
from bakeoff.report.study import Study

MOST_PERFECT = 3
"""Models whose nearly perfect scores are named."""
NO_MODEL = ("No model", "is shown to be better")
_VOWELS = ("a", "e", "i", "o", "u", "A", "E", "I", "O", "F1", "F2", "R²")
"""Beginnings of metrics before which the article is “an”."""


class AgainstBaseline:
    """Sentences on the baseline by the place that they have in a verdict."""

    def __init__(self) -> None:
        self.headline = ""
        self.by_dataset: list[str] = []
        self.constant = ""
        self.by_other_metrics: list[str] = []


def against_baseline(study: Study) -> AgainstBaseline:
    """Say what a constant prediction scores, and which models are not shown to beat it."""
    if study.several:
        return _on_datasets(study)
    against = AgainstBaseline()
    constants = baselines(study, study.metric.name)
    if not constants:
        return against
    constant = constants[0]
    results = list(_results(study, constant))
    if _none_better(study) or looks_reversed(study):
        # results[0] is about all models where there is no other result
        models, shown = results[0] if len(results) == 1 else NO_MODEL
        title = study.metric.title
        against.headline = sentences.than_baseline(models, shown, constant.label, title)
    against.constant = _constant(study, constant)
    by_result = defaultdict[tuple[str, str, str], list[str]](list)
    for metric in study.analysis.metrics[1:]:
        for other in baselines(study, metric):
            for models, shown in _results(study, other):
                by_result[models, shown, other.label].append(study.metrics[metric].title)
    for (models, shown, label), titles in by_result.items():
        text = sentences.than_baseline(models, shown, label, words(titles))
        against.by_other_metrics.append(text)
    return against


def _none_better(study: Study) -> bool:
    """Tell whether no model is shown to be better than the baseline, on no data set."""
    constants = baselines(study, study.metric.name)
    if len(constants) < len(study.datasets):
        return False
    for constant in constants:
        tested = any(not math.isnan(line.pvalue) for line in constant.models)
        if len(constant.open) < len(study.models) or not tested:
            return False
    return True


def _on_datasets(study: Study) -> AgainstBaseline:
    """Say by which metrics on which data sets no model is shown to be better."""
    against = AgainstBaseline()
    for metric in study.analysis.metrics:
        tested = []
        none_better = []
        for constant in baselines(study, metric):
            if not constant.models:
                continue
            tested.append(constant)
            if len(constant.open) == len(constant.models):
                none_better.append(constant)
        if not none_better:
            continue
        labels = words([study.dataset_label(constant.dataset) for constant in none_better])
        on = f" on {len(none_better)} of {len(tested)} data sets ({labels})"
        models, shown = NO_MODEL
        name = named_alike(none_better)
        text = sentences.than_baseline(models, shown, name, study.metrics[metric].title, on)
        if metric == study.metric.name and _none_better(study):
            against.headline = text
        else:
            against.by_dataset.append(text)
    return against


def _results(study: Study, constant: Baseline) -> Iterator[tuple[str, str]]:
    """Say which models are not shown to be better than the baseline, or which are if all are."""
    worse = worse_than_constant(study, constant)
    better = []
    if not constant.open:
        better = [line.model for line in constant.models]
    groups = {
        "significantly better": better,
        "significantly worse": worse,
        "not shown to be better": [model for model in constant.open if model not in worse],
    }
    for shown, models in groups.items():
        if len(models) == len(study.models) > 1:
            everybody = "every model"
            if shown.startswith("not"):
                everybody = "no model"
            yield everybody, f"is {shown.removeprefix('not ')}"
        elif models:
            yield study.names(models), f"{are(models)} {shown}"


def _constant(study: Study, constant: Baseline) -> str:
    """Give the score of the baseline by the first metric, and what the models are beside it."""
    title = study.metrics[constant.metric].title
    article = "a"
    if title.startswith(_VOWELS):
        article = "an"
    scored = study.written(constant.metric, constant.dataset).quantity(constant.score)
    score = f"{article} {title} of {scored}"
    return sentences.constant(constant.predicts, score, _beside_constant(study, constant))


def _beside_constant(study: Study, constant: Baseline) -> str:
    """Say what the models are beside the baseline, with the p-value of what is unclear."""
    results = list(_results(study, constant))
    worse = worse_than_constant(study, constant)
    unclear = []
    pvalues = []
    for line in constant.models:
        if not line.better and line.model not in worse:
            unclear.append(line.model)
            if not math.isnan(line.pvalue):
                pvalues.append(line.pvalue_adjusted)
    if unclear and not pvalues:
        return _undecided(study, results, unclear)
    result = " and ".join(f"{models} {shown}" for models, shown in results)
    if pvalues:
        p = p_equals(min(pvalues), "adjusted p" if len(constant.models) > 1 else "p")
        return f"{result} (smallest {p})" if len(pvalues) > 1 else f"{result} ({p})"
    if constant.perfect:
        return "no value is better, so that no model was tested against it"
    return result or "the models were not tested against it"


def _undecided(study: Study, results: Sequence[tuple[str, str]], unclear: Sequence[str]) -> str:
    """Say which models are worse, and of which nobody knows whether they are better."""
    texts = []
    for models, shown in results:
        if shown.endswith("significantly worse"):
            texts.append(f"{models} {shown}")
    texts.append(f"whether {study.names(unclear)} {are(unclear)} better is undecided")
    return " and ".join(texts)


def exchanged(study: Study) -> str:
    """Say that classes may be exchanged, where the reverse of the predictions is better."""
    if not looks_reversed(study):
        return ""
    # of two classes the positive one comes last
    classes = list(study.cards[study.datasets[0]]["classes"])
    return sentences.exchanged(repr(clean(classes[-1])))


def leakage(study: Study) -> str:
    """Warn of scores that are too good."""
    scores_by_model = defaultdict[str, list[str]](list)
    for measure, model, mean in nearly_perfect(study):
        score = f"{measure.title} {study.written(measure.name).quantity(mean)}"
        scores_by_model[study.name(model)].append(score)
    perfect = []
    for model, scores in scores_by_model.items():
        perfect.append(f"{model}: {words(scores)}")
    if perfect:
        return sentences.leakage(words(perfect, MOST_PERFECT))
    return ""
