"""Battles of models, in memory or in a file: who is preferred, or how they rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.api.frames import as_pandas
from bakeoff.api.judged_findings import JudgedFindings
from bakeoff.api.signature import in_arguments
from bakeoff.comparisons.preferences import compare_many, compare_two
from bakeoff.data.battles import Battles, battles_of, read_battles
from bakeoff.data.open_table import PLAIN
from bakeoff.errors import UserError, shown, some
from bakeoff.options import Interface, InterfaceKind, used_by
from bakeoff.report.judged.answer import Answer
from bakeoff.report.judged.preferences import answer_of_many, answer_of_two

_ARGUMENTS = (
    *("prompt", "winner", "models", "first", "judge", "groups", "missing", "alpha", "order"),
    "preferences",
)


def compare_preferences(
    frame: pd.DataFrame | str | Path,
    *,
    prompt: str | None = None,
    winner: str | None = None,
    models: Sequence[str] | None = None,
    first: str | None = None,
    judge: str | None = None,
    groups: str | None = None,
    missing: str | None = None,
    alpha: float = 0.05,
) -> JudgedFindings:
    """Compare models by battles: votes on which of two answers is better.

    Parameters
    ----------
    frame : DataFrame or path
        A row for each vote, in one of the shapes that `bakeoff compare` reads: with the columns
        `model_a`, `model_b` and `winner` (also those of Kaggle, FastChat and AlpacaEval).
    prompt : str, optional
        The column of prompts, of which each counts once; default: `prompt`, `question_id` and the
        like.
    winner : str, optional
        The column that says who wins; default: `winner`.
    models : sequence of str, optional
        Those to compare; default: all. Two models are compared by the share of prompts on which
        one is preferred, more by Bradley and Terry's model.
    first : str, optional
        The column that says which answer was shown first; ``"model_a"``: that of every row;
        ``"unknown"`` goes on without an adjustment. Default: `first`, else as exports of arenas
        and of FastChat have it.
    judge : str, optional
        The column of judges; default: `judge`.
    groups : str, optional
        Which prompts belong together (a user, a document).
    missing : {"common"}, optional
        Leaves out rows without a winner.
    alpha : float
        Significance level of every decision.

    Returns
    -------
    JudgedFindings

    Raises
    ------
    UserError
        On a mistake. The message names the argument, what was found and what is allowed.

    Examples
    --------
    >>> import bakeoff
    >>> import pandas as pd
    >>> votes = pd.DataFrame({"prompt": list(range(30)) * 2, "model_a": "ours", "model_b": "base"})
    >>> votes["winner"] = ["model_a", "model_a", "tie", "model_b", "model_a"] * 12
    >>> votes["first"] = ["model_a"] * 30 + ["model_b"] * 30
    >>> found = bakeoff.compare_preferences(votes)
    >>> found.comparisons[["share", "decision"]].to_dict("records")
    [{'share': 0.7, 'decision': 'a_better'}]
    """
    with used_by(Interface(InterfaceKind.PYTHON, frozenset(_ARGUMENTS))), in_arguments(_ARGUMENTS):
        check_alpha(alpha)
        columns = {"prompt": prompt, "winner": winner, "order": first, "judge": judge}
        columns |= {"groups": groups, "missing": missing}
        if isinstance(frame, str | Path):
            battles = read_battles(str(frame), PLAIN, columns)
        else:
            passed = as_pandas(frame)
            if not isinstance(passed, pd.DataFrame):
                kind = type(frame).__name__
                raise UserError(f"frame: found {kind}, expected a table with a row for each vote")
            battles = battles_of(passed, "the table", **columns)
        command = "bakeoff.compare_preferences(frame, …)"
        return JudgedFindings(answer_of_battles(battles, models, alpha, command))


def answer_of_battles(
    battles: Battles, models: Sequence[str] | None, alpha: float, command: str
) -> Answer:
    """Compare two models, or rank more."""
    if models is not None:
        names = list(models)
        if len(set(names)) < max(2, len(names)):
            raise UserError(f"models: found {some(names)}, expected two different names at least")
        battles = battles.among(names)
    else:
        names = battles.models
    present = battles.models
    if len(present) < 2:
        raise UserError(f"models: found {some(present)}, comparing needs two models")
    if len(names) == 2:
        comparison = compare_two(battles, names[0], names[1], alpha)
        # nobody said which is to be the first: the one that is preferred more often
        if models is None and comparison.result.estimate < 0:
            comparison = compare_two(battles, names[1], names[0], alpha)
        return answer_of_two(comparison, command)
    return answer_of_many(compare_many(battles, alpha), command)


def check_alpha(alpha: Any) -> None:
    """Refuse a level that is none."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 0.5:
        raise UserError(f"alpha: found {shown(alpha)}, must lie strictly between 0 and 0.5")


def columns_named(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of battles that the options of a command name."""
    names = ("prompt", "winner", "order", "judge", "groups", "missing")
    return {name: options.get(name) for name in names}
