"""Whether the models beat a constant answer, and whether a score is too good."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.report.baseline import Baseline, baselines, nearly_perfect
from bakeoff.report.numbers import p_equals, score, words
from bakeoff.report.study import Study, clean
from bakeoff.report.verdict.wording import name, names
from bakeoff.scores.metrics import Metric


def against_constant(study: Study, metric: str) -> Iterator[str]:
    """Say what a constant answer scores by a metric, and which models are not shown to beat it."""
    found = baselines(study, metric)
    if len(study.datasets) > 1:
        yield from _over_datasets(study, found)
    elif found:
        yield _on_one(study, found[0])


def the_constant(metric: Metric, answer: str) -> str:
    """Describe a constant answer."""
    if metric.by_order:
        return "Giving every row the class shares as probabilities"
    return f"Always answering {clean(answer)!r}"


def _on_one(study: Study, one: Baseline) -> str:
    metric = study.metrics[one.metric]
    text = f"{the_constant(metric, one.answer)} has {_a(metric.title)} of {score(one.score)}"
    if not one.models:
        return f"{text}; the models were not tested against that."
    if not one.open:
        return f"{text}; every model is shown to beat that."
    verb = "is" if len(one.open) == 1 else "are"
    ps = [line.pvalue_adjusted for line in one.models if line.model in one.open]
    smallest = "smallest " if len(ps) > 1 else ""
    p = p_equals(min(ps), "adjusted p" if len(one.models) > 1 else "p")
    return f"{text}; {names(study, one.open)} {verb} not shown to beat that ({smallest}{p})."


def _over_datasets(study: Study, found: list[Baseline]) -> Iterator[str]:
    tested = [one for one in found if one.models]
    beaten_by_none = [one for one in tested if len(one.open) == len(one.models)]
    if beaten_by_none:
        where = words([study.dataset_label(one.dataset) for one in beaten_by_none])
        yield (
            f"On {len(beaten_by_none)} of {len(tested)} data sets ({where}) no model is shown to "
            f"beat a constant answer by {study.metrics[tested[0].metric].title}."
        )


def _a(title: str) -> str:
    """Put the article before the name of a metric."""
    vowel = title[0] in "aeiouAEIO" or (title[0] == "F" and title[1:2].isdigit())
    return f"{'an' if vowel else 'a'} {title}"


def too_good(study: Study) -> Iterator[str]:
    """Warn of scores that are perfect or nearly so."""
    by_model: dict[str, list[str]] = {}
    for metric, model, mean in nearly_perfect(study):
        by_model.setdefault(model, []).append(f"{metric.title} {score(mean)}")
    if by_model:
        told = [f"{name(study, m)}: {words(scores)}" for m, scores in by_model.items()]
        yield (
            f"Scores are perfect or nearly so ({words(told, 3)}). This is often a sign of leakage: "
            "check whether a feature is known only once the answer is, and whether test rows "
            "repeat training rows."
        )
