"""Every sentence of a verdict, in the order of the page: its slots are the arguments.

Which of them a verdict has is decided in `bakeoff.report.verdict` and `bakeoff.report.answers`;
tests/unit/report/sentences.txt lists all with examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec

from bakeoff.report.numbers import capital

P = ParamSpec("P")


class Sentence(str):
    """A sentence with a code, which stays when the words change."""

    code: str

    def __new__(cls, text: str, code: str) -> Sentence:
        """Make it of its text."""
        sentence = super().__new__(cls, text)
        sentence.code = code
        return sentence


def _coded(write: Callable[P, str]) -> Callable[P, Sentence]:
    """Give the sentences that a function writes its name as their code."""

    @functools.wraps(write)
    def coded(*args: P.args, **kwargs: P.kwargs) -> Sentence:
        return Sentence(write(*args, **kwargs), write.__name__)

    return coded


def _optional(start: str, text: str, end: str = "") -> str:
    """Write what a sentence may have; nothing where there is no text."""
    if text:
        return f"{start}{text}{end}"
    return ""


# --- headlines


@_coded
def than_baseline(models: str, shown: str, name: str, metric: str, where: str = "") -> str:
    """Say how models compare with a constant prediction."""
    if models in ("no model", "every model"):
        models = capital(models)
    named = _optional(" (", name, ")")
    return f"{models} {shown} than the baseline{named} by {metric}{where}."


@_coded
def is_better(models: str, verb: str, better: str, metric: str, but: str = "") -> str:
    """Say that models are better than others, or the best."""
    return f"{models} {verb} {better} by {metric}{but}."


@_coded
def has_the_best(models: str, verb: str, metric: str, but: str) -> str:
    """Say who has the best score, and why this is not the answer."""
    return f"{models} {verb} the best {metric}, but {but}."


@_coded
def models_differ(metric: str, but: str) -> str:
    """Say that there are differences, but no answer to which model is the best."""
    return f"The models differ by {metric}, but {but}."


@_coded
def conflict(leader: str, metric: str, other: str) -> str:
    """Say that the scores and the test disagree."""
    return f"{leader} has the best {metric}, but {other} better by the test."


@_coded
def identical(models: str, metric: str, evidence: str) -> str:
    """Say that nothing tells the models apart."""
    return f"{models} have identical results by {metric} on {evidence}."


@_coded
def not_decided(question: str, because: str = "") -> str:
    """Say that no test statistic can be computed."""
    reason = _optional(", because ", because)
    return f"It is undecided {question}{reason}."


@_coded
def equivalent(models: str, metric: str, probably: str = "") -> str:
    """Say that the difference is shown to be small."""
    return f"{models} are {probably}practically equivalent by {metric}."


@_coded
def not_shown(question: str) -> str:
    """Say that no difference is significant."""
    return f"The data do not show {question}."


# --- evidence


@_coded
def ahead(score: str, far: str, other: str, test: str) -> str:
    """Compare the score of one model with that of another."""
    return f"The {score} is {far} that of {other} ({test})."


@_coded
def best_rank(where: str, models_have: str, rank: str, followed: str = "", test: str = "") -> str:
    """Say who has the best average rank over data sets."""
    tested = _optional("; ", test)
    return f"Over {where}, {models_have} average rank ({rank}){followed}{tested}."


@_coded
def over_datasets(comparison: str, test: str) -> str:
    """Compare two models over data sets by the estimate of their test."""
    return f"{comparison} ({test})."


@_coded
def score_is(score: str, value: str, test: str = "") -> str:
    """Give the score of one model."""
    tested = _optional("; ", test)
    return f"The {score} is {value}{tested}."


@_coded
def undecided(models: str, test: str, why: str = "") -> str:
    """Say that a test has no result."""
    reason = _optional(": ", why)
    return f"The comparison of {models} by {test} is undecided{reason}."


@_coded
def posterior(a: str, b: str, p_better: str, alike: str, p_worse: str, test: str) -> str:
    """Give the posterior probabilities of two models."""
    return (
        f"The posterior probability that {a} is better than {b} is {p_better}{alike}, and that "
        f"it is worse is {p_worse} ({test})."
    )


# --- what a reader has to know, and what to do next


@_coded
def excluded(model: str, dataset: str, fits: str, why: str) -> str:
    """Say that a model could not be fitted."""
    return f"{model} was excluded on {dataset}, where {fits} failed: {why}."


@_coded
def exchanged(positive: str) -> str:
    """Warn that the labels of two classes may be exchanged."""
    return (
        "The reverse of the predictions would not be worse than the baseline: check whether the "
        f"classes are exchanged (the positive class is {positive})."
    )


@_coded
def constant(predicts: str, score: str, result: str) -> str:
    """Say what the baseline predicts and scores, and what the models are beside it."""
    return f"The baseline, which predicts {predicts} for every row, has {score}; {result}."


@_coded
def leakage(perfect: str) -> str:
    """Warn of scores that are too good."""
    return (
        f"Nearly perfect scores are often a sign of leakage ({perfect}): check whether a feature "
        "is known only after the answer, and whether test rows repeat training rows."
    )


@_coded
def check_scores() -> str:
    """Say what to do where the scores and the test disagree."""
    return "Check the single scores before trusting either result."


@_coded
def none_possible(adjusted: str, smallest: str, level: str, remedy: str = "") -> str:
    """Say that the test could not have found a difference, and what would help."""
    needed = _optional("; ", remedy, " would be needed")
    return (
        "No two models could have differed significantly, because the smallest possible "
        f"{adjusted}p-value is {smallest}, above {level}{needed}."
    )


@_coded
def no_proof(result: str, difference: str = "", needed: str = "") -> str:
    """Say that no difference is no equality, and which one would be found, or by how many rows."""
    detectable = _optional(": ", difference, " would be found with a probability of 80%")
    shown = _optional(
        " If the difference seen is the true one, about ",
        needed,
        " would show it with that probability.",
    )
    return f"{result} does not prove that the models are equal{detectable}.{shown}"


@_coded
def recommended(test: str) -> str:
    """Recommend a test over data sets."""
    return f"The recommended test over these data sets is {test}."


@_coded
def too_few_datasets(least: str, level: str, units: str) -> str:
    """Say how many data sets a test over them needs."""
    return (
        f"A signed-rank test needs at least {least} data sets to reach the {level} level; "
        f"there are {units}."
    )


# --- the folded part


@_coded
def significantly_better(model: str, others: str, metric: str, p: str) -> str:
    """Say than which models one is significantly better."""
    return f"{model} is significantly better than {others}{metric} ({p})."


@_coded
def not_different(models: str, where: str, test: str = "") -> str:
    """Say where a difference is not significant."""
    tested = _optional(" (", test, ")")
    return f"{models} not differ significantly {where}{tested}."


@_coded
def uncorrected(metrics: str) -> str:
    """Say that every metric is one more chance to find a difference."""
    return f"The p-values are not corrected for the {metrics} metrics."


@_coded
def within_margin(verb: str, models: str, margin: str, test: str) -> str:
    """Say whether models are shown to differ by less than a margin."""
    return f"It {verb} shown that {models} the margin of {margin} ({test})."


@_coded
def of_seeds(share: str) -> str:
    """Say how much of the error of a difference more training runs would reduce."""
    return (
        f"Of the variance of the difference, {share} is due to the seeds, which more training "
        "runs reduce, and the rest to the rows."
    )


@_coded
def left_out(model: str, reason: str) -> str:
    """Say why a model is not ranked."""
    return f"{model} is left out of the ranking: {reason}."


@_coded
def left_out_over_datasets(what: str) -> str:
    """Say what tests over data sets had to do without."""
    return f"In the tests over data sets, the {what}."


@_coded
def depends_on(dataset: str, metric: str, a: str, b: str, column: str, p: str) -> str:
    """Say that a difference is not the same in all subgroups."""
    return (
        f"{dataset}The difference in {metric} between {a} and {b} depends on {column} ({p}), so "
        "that the mean difference does not describe every subgroup."
    )
