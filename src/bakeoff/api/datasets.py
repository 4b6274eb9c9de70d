"""A table of scores, data sets × models, compared at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Literal

from bakeoff.api.findings import Findings
from bakeoff.api.of_tables import ARGUMENTS, study_of
from bakeoff.api.settings import one_spelling
from bakeoff.api.tables import read_scores
from bakeoff.errors import UserError, named

MISSING = ("refuse", "failed", "drop_dataset", "drop_model")


def compare_datasets(
    table: Any,
    *,
    datasets: str | None = None,
    values: Literal["higher", "lower"] | None = None,
    metric: str | Sequence[str] = (),
    metrics: str | Sequence[str] = (),
    models: Sequence[str] | None = None,
    repeats: str | Sequence[str] = (),
    groups: str | None = None,
    missing: Literal["refuse", "failed", "drop_dataset", "drop_model"] = "refuse",
    versus: str | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: str | None = None,
    alpha: float = 0.05,
    tests: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    decimals: int | None = None,
    name: str = "the table",
) -> Findings:
    """Compare learning algorithms by a table with one score per data set and model.

    The tests are those of the workflow over several data sets, with the same numbers.

    Parameters
    ----------
    table : DataFrame or Mapping of str to Mapping
        Wide, with a column per model (of a mapping: per model the scores by data set), or long,
        with a row per score and the columns `model` (or `method`, `algorithm`, `framework`) and
        `value` (or `score`, `result`), perhaps `metric`. Results of AMLB, TabArena, WEKA and mlr3
        are recognised by their columns.
    datasets : str, optional
        The column that names the data sets; default: the index, or that of a known format.
    values : {"higher", "lower"}, optional
        Which scores are better; not needed for a metric of bakeoff.
    metric, metrics : str or sequence of str
        What the scores are, such as ``"accuracy"``; of a long table those to compare, each with its
        direction: ``["auc:higher", "log_loss:lower"]``. The first one decides.
    models : sequence of str, optional
        The models to compare; default: all.
    repeats : str or sequence of str
        Columns that count folds or seeds: their mean is one score, they are never data sets.
    groups : str, optional
        The column that says which data sets belong together, such as versions of one: tests take
        the mean score of a group for one data set.
    missing : {"refuse", "failed", "drop_dataset", "drop_model"}
        What it means that a model has no score on a data set. ``failed``: a crash or a limit, which
        ranks last. The others leave out the data set or the model.
    versus : str, optional
        A model: it alone is compared with each other one; default: all pairs.
    alternative : {"two-sided", "greater", "less"}
        Whether the first model of a pair is better.
    correction : str, optional
        How p-values of several pairs are adjusted; default: ``"holm"``.
    alpha : float
        The significance level.
    tests : sequence of str
        Names of tests, in place of the recommended ones; see ``bakeoff tests``.
    options : Mapping of str to Mapping, optional
        Options of single tests: ``{"wilcoxon_signed_rank": {"zeros": "wilcox"}}``.
    decimals : int, optional
        Round the scores first, so that what differs by less is tied.
    name : str
        What to call the table.

    Returns
    -------
    Findings

    Raises
    ------
    UserError
        A table that cannot be read, missing scores without a word on them, a test that does not
        fit.

    Examples
    --------
    >>> import bakeoff
    >>> scores = {
    ...     "tree": {"a": 0.71, "b": 0.84, "c": 0.62, "d": 0.93, "e": 0.55, "f": 0.78, "g": 0.66},
    ...     "forest": {"a": 0.75, "b": 0.88, "c": 0.69, "d": 0.95, "e": 0.61, "f": 0.8, "g": 0.7},
    ... }
    >>> found = bakeoff.compare_datasets(scores, metric="accuracy")
    >>> print(found.verdict.splitlines()[0])
    forest is better than tree by accuracy.
    >>> print(*found.comparisons.loc[0, ["test", "n", "pvalue"]])
    wilcoxon_signed_rank 7 0.015625
    """
    arguments = {key: value for key, value in locals().items() if key != "table"}
    if missing not in MISSING:
        raise UserError(f"missing: found {missing!r}, expected one of {', '.join(MISSING)}")
    try:
        scores = read_scores(
            table,
            datasets=datasets,
            values=values,
            metrics=one_spelling(metrics, metric),
            models=models,
            repeats=[repeats] if isinstance(repeats, str) and repeats else list(repeats),
            groups=groups,
            decimals=decimals,
        )
        study = study_of(
            scores,
            _call(arguments),
            name=name,
            tests=tests,
            versus=versus,
            missing=missing,
            alternative=alternative,
            correction=correction,
            alpha=alpha,
            options=dict(options or {}),
        )
    except UserError as error:
        raise named(error, ARGUMENTS) from None
    return Findings(study)


def _call(arguments: Mapping[str, Any]) -> str:
    """Write the call, without the arguments that have their defaults."""
    defaults = {k: p.default for k, p in signature(compare_datasets).parameters.items()}
    said = [f"{k}={v!r}" for k, v in arguments.items() if v != defaults[k]]
    return f"bakeoff.compare_datasets({', '.join(['table', *said])})"
