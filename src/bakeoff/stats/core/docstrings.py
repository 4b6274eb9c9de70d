"""What the docstrings of many tests have in common, written once and filled in.

A docstring names shared parameters in one line, ``alternative, confidence_level : shared``; one
without a section on errors gets the usual one.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = """
scores : array_like, shape (N, k)
    One row per data set, one column per model.
correct : array_like, shape (n, M)
    Right or wrong (booleans or 0/1) for n rows and M ≥ 2 models.
correct_a, correct_b : array_like of bool or 0/1, shape (n,)
    Whether A and B are right on each row, in the same row order.
row_counts : array_like, shape (n,), optional
    How often each row occurs, for tables of patterns.
n_train, n_test : float or array_like of the shape of the scores, optional
    Rows in the training and test sets. By default their ratio is 1/(k − 1), where a single
    axis is taken for the k folds of one cross-validation: give the sizes for random splits.
control : int, optional
    Column of a control: only it is compared, as A, with each other model as B.
correction : str
    A method of `adjust_pvalues`.
alternative : {"two-sided", "greater", "less"}
    ``"greater"``: A, the first of a pair or the control, is better. A one-sided test has
    one-sided intervals.
confidence_level : float
    Level of the intervals.
greater_is_better : bool
    False for losses and error rates.
decimals : int, optional
    Round scores to this many decimals first (float noise is removed in any case).
missing : {"raise", "omit"}
    ``omit`` leaves NaN cells out, so models may have different numbers of scores.
criteria : sequence of str, optional
    Names of the criteria, for messages.
margin : float
    The largest difference that does not matter, in the unit of the scores, above 0. Choose it
    before seeing the data.
alpha : float
    Level of the test.
mu0 : float
    The expected score under the null hypothesis, in the unit of the scores.
y_true : array_like, shape (n,)
    The true classes.
metric : str
    A metric of `bakeoff.stats.test_set_metrics()`.
positive : object, optional
    The positive class of two; the last if not given.
labels : array_like, optional
    The classes in the order of the columns; sorted if not given.
groups : array_like, shape (n,), optional
    Which rows belong together; their influence values are summed.
beta : float
    For ``fbeta``: how many times recall weighs as much as precision.
k : int
    For ``top_k_accuracy``.
cost : array_like, shape (K, K), optional
    For ``cost`` and ``expected_cost``: what predicting a class (columns) for a true one
    (rows) costs.
priors : array_like, shape (K,), optional
    For ``expected_cost``: how frequent each class is where the models will be used.
"""

_PARAGRAPHS = {
    name: paragraph
    for paragraph in re.split(r"\n(?=\w)", _SHARED.strip())
    for name in paragraph.partition(" : ")[0].split(", ")
}


_RAISES = """\
Raises
------
ValueError
    On missing values, unequal lengths, another shape or kind of values than described, too few
    of them, or an option that is unknown, out of range or does not fit the others. The message
    names the argument, what was found and what is allowed.

"""


def fill_docstring(function: F) -> F:
    """Put the shared paragraphs into the docstring of a function."""
    if function.__doc__:
        doc = inspect.cleandoc(function.__doc__)
        doc = re.sub(r"^(\w[\w, ]*) : shared$", _paragraphs, doc, flags=re.MULTILINE)
        if not re.search(r"^Raises\n---", doc, re.MULTILINE):
            rest = r"^(?=(Notes|References|Examples)\n---)|\Z"
            doc = re.sub(rest, _RAISES, doc + "\n\n", count=1, flags=re.MULTILINE).rstrip()
        function.__doc__ = doc
    return function


def _paragraphs(names: re.Match[str]) -> str:
    return "\n".join(dict.fromkeys(_PARAGRAPHS[name] for name in names[1].split(", ")))
