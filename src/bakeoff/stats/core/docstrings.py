"""What the docstrings of many functions have in common, written once and filled in.

A parameter that is described here needs no line in the docstring of a function: `fill_docstring`
adds it in the order of the signature, unless the docstring describes it otherwise. The arrays of a
test are described by its evidence. A docstring without a section on errors gets the usual one.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = """
alpha : float
    Level of the test.
alternative : {"two-sided", "greater", "less"}
    ``"greater"``: A, the first of a pair or the control, is better. A one-sided test has
    one-sided intervals.
both_correct, only_a_correct, only_b_correct, both_wrong : int
    Counts of rows: right for both models, for A alone, for B alone, for neither.
beta : float
    For ``fbeta``: how many times recall weighs as much as precision.
confidence_level : float
    Level of the intervals.
control : int, optional
    Column of a control: only it is compared, as A, with each other model as B.
correct : array_like, shape (n, M)
    Right or wrong (booleans or 0/1) for n rows and M ≥ 2 models.
correct_a, correct_b : array_like of bool or 0/1, shape (n,)
    Whether A and B are right on each row, in the same row order.
correction : str
    A method of `adjust_pvalues`.
cost : array_like, shape (K, K), optional
    For ``cost`` and ``expected_cost``: what predicting a class (columns) for a true one
    (rows) costs.
criteria : sequence of str, optional
    Names of the criteria, for messages.
decimals : int, optional
    Round scores to this many decimals first (float noise is removed in any case).
full_repeats : int
    R, the number of cross-validations of all rows; 0 will do for ``"halves"``.
greater_is_better : bool
    False for losses, costs and error rates.
groups : array_like, shape (n,), optional
    The group of each row (patient, user, day), where rows are not independent.
k : int
    For ``top_k_accuracy``.
labels : array_like, optional
    The classes in the order of the columns; sorted if not given.
margin : float
    The largest difference that does not matter, in the unit of the scores, above 0. Choose it
    before seeing the data.
metric : str
    A metric of `bakeoff.stats.test_set_metrics()`.
missing : {"raise", "omit"}
    ``omit`` leaves NaN cells out, so models may have different numbers of scores.
mu0 : float
    The expected score under the null hypothesis, in the unit of the scores.
n_resamples : int
    Number of random draws.
n_train, n_test : float or array_like of the shape of the scores, optional
    Rows in the training and test sets. By default their ratio is 1/(k − 1), where a single
    axis is taken for the k folds of one cross-validation: give the sizes for random splits.
nan_policy : {"raise", "omit"}
    ``"omit"``: a NaN is a missing fold, so models may have unequal numbers of them.
positive : object, optional
    The positive class of two; the last if not given.
priors : array_like, shape (K,), optional
    For ``expected_cost``: how frequent each class is where the models will be used.
row_counts : array_like, shape (n,), optional
    How often each row occurs, for tables of patterns.
seed : int
    Seed of the random draws: the same seed gives the same result.
simultaneous : bool
    True: all intervals hold together at `confidence_level`. False: each by itself does.
times : array_like, shape (n,), optional
    The time of each row, in any unit that sorts.
y_true : array_like, shape (n,)
    The true classes.
"""
_OF_EVIDENCE = {
    "dataset_scores": """
scores : array_like, shape (N, k)
    One row per data set, one column per model.
scores_a, scores_b : array_like, shape (N,)
    One score per data set, in the same order of data sets.
""",
    "fold_correctness": """
fold : array_like, shape (5, n)
    The half, 1 or 2, in which a row was tested in each replication.
correct_a, correct_b : array_like of bool or 0/1, shape (5, n)
    Whether A and B are right on each row, in each replication.
""",
    "fold_criteria": """
scores : array_like, shape (J, M, m)
    One row per fold, one column per model, m criteria.
greater_is_better : bool or sequence of bool
    False for criteria where smaller is better; one for all or one each.
""",
    "fold_scores": """
scores : array_like, shape (J, M)
    Rows are folds, columns are models.
scores_a, scores_b : array_like, shape (J,)
    Scores of A and B on the same splits.
""",
    "costed_labels": """
pred_a, pred_b : array_like, shape (n,)
    The classes that A and B predict, in the same rows.
""",
    "probabilities": """
score_a, score_b : array_like, shape (n,)
    The scores of A and B, larger for the positive class.
""",
    "predictions": """
predicted_a, predicted_b : array_like, shape (n,) or (n, K)
    What A and B predict, in the same rows, as in `influence`.
""",
    "runs": """
runs_a, runs_b : sequence of array_like, or Runs
    What each run of A and of B predicts for the rows, as in `influence`. The numbers of runs may
    differ. ``Runs([values], deterministic=True)`` is a model whose training has no random part.
paired : bool
    Whether runs of A and B with the same place share their random part (initialisation, order of
    the data); they are then compared run by run.
""",
    "run_values": """
runs_a, runs_b : sequence of array_like, or Runs
    The number of each row in each run of A and of B. The numbers of runs may
    differ. ``Runs([values], deterministic=True)`` is a model whose training has no random part.
paired : bool
    Whether runs of A and B with the same place share their random part (initialisation, order of
    the data); they are then compared run by run.
""",
    "values": """
values : array_like, shape (n, M)
    One row per row of the test set, one column per model.
values_a, values_b : array_like, shape (n,)
    What A and B have on each row, in the same row order.
""",
}
_OF_ONE = """
scores : array_like, shape (J,)
    One score per fold.
alternative : {"two-sided", "greater", "less"}
    ``"greater"``: the expected score is above the value. For a loss or an error rate that speaks
    against the algorithm, as it does in `binomial_test`.
"""
_OF_TYPE = {
    "Alpha": """
alpha : float
    Level of the test, below 0.5; the interval has level 1 − 2 alpha.
""",
    "Level": """
margin : float
    The largest difference in accuracy that does not matter, between 0 and 1. Choose it before
    seeing the data.
""",
}
_RAISES = """\
ValueError
    On missing values, unequal lengths, another shape or kind of values than described, too few
    of them, or an option that is unknown, out of range or does not fit the others. The message
    names the argument, what was found and what is allowed.
"""
_RETURNS = {
    "fold_scores": """
Result
    `estimate` is the mean difference A − B and `ci` its interval.
""",
    "one": """
Result
    `estimate` is the mean score and `ci` its interval, in the unit of the scores;
    ``effect_sizes["difference"]`` is how far above `mu0` it is.
""",
}
_SECTIONS = ("Parameters", "Returns", "Raises", "Warnings", "Notes", "References", "Examples")
_TITLES = re.compile(rf"^({'|'.join(_SECTIONS)})\n-+$", re.MULTILINE)


def _paragraphs(text: str) -> dict[tuple[str, ...], str]:
    """Cut the descriptions of parameters at their names."""
    found = re.split(r"\n(?=[\w*])", text.strip()) if text.strip() else []
    return {
        tuple(re.split(r" : |\n", paragraph)[0].replace("*", "").split(", ")): paragraph
        for paragraph in found
    }


_KNOWN = {"": _paragraphs(_SHARED)}
_KNOWN |= {
    kind: _KNOWN[""] | _paragraphs(text) for kind, text in {**_OF_EVIDENCE, "one": _OF_ONE}.items()
}


def facts_of(function: Callable[..., Any]) -> dict[str, str]:
    """Read a test's title, question and caution: first line, paragraph that asks, ``Warnings``."""
    summary, *parts = _TITLES.split(inspect.cleandoc(function.__doc__ or ""))
    title, *rest = (" ".join(paragraph.split()) for paragraph in summary.strip().split("\n\n"))
    warned = " ".join(dict(zip(parts[::2], parts[1::2], strict=True)).get("Warnings", "").split())
    asked = next((paragraph for paragraph in rest if paragraph.endswith("?")), "")
    facts = {"title": title.rstrip("."), "answers": asked, "caution": warned}
    return {name: text for name, text in facts.items() if text}


def fill_docstring(function: F, kind: str = "") -> F:
    """Add shared parameters and the usual errors to a docstring that does not describe them."""
    # It is filled in before the function is wrapped: programs that write pages unwrap it.
    # `kind` is the evidence of a test, or ``"one"`` for a test of one algorithm.
    if not function.__doc__:
        return function
    summary, *parts = _TITLES.split(inspect.cleandoc(function.__doc__))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    known, returns = _KNOWN.get(kind, _KNOWN[""]), _RETURNS.get(kind, "")
    names = list(inspect.signature(function).parameters)
    told = _paragraphs(sections.get("Parameters", ""))
    types = {name: str(kind) for name, kind in function.__annotations__.items()}
    for kind, text in _OF_TYPE.items():
        known = known | {k: v for k, v in _paragraphs(text).items() if types.get(k[0]) == kind}
    parameters = "\n".join(_in_order(names, told, known))
    usual = {"Returns": returns, "Raises": _RAISES}
    filled = usual | sections | {"Parameters": parameters}
    function.__doc__ = "\n\n".join(
        [summary.strip()]
        + [
            f"{title}\n{'-' * len(title)}\n{filled[title].strip()}"
            for title in _SECTIONS
            if filled.get(title)
        ]
    )
    return function


def _in_order(
    names: list[str], told: Mapping[tuple[str, ...], str], known: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    """Yield the description of each parameter, in the order of the signature."""
    own = {name: group for group in told for name in group}
    shared = {name: group for group in known for name in group}
    done: set[str] = set()
    for name in names:
        if name in done:
            continue
        if name in own:
            done |= {*own[name]}
            yield told[own[name]]
        elif name in shared:
            here = [other for other in shared[name] if other in names and other not in own]
            done |= {*here}
            yield known[shared[name]].replace(", ".join(shared[name]), ", ".join(here), 1)
