"""A Slurm controller that is away for a while changes nothing for the jobs it runs.

Before each look at its jobs, snakemake-executor-plugin-slurm asks the controller how long it
remembers ended jobs. With no answer it turns from squeue to sacct, and where there is no accounting
it then asks in vain until it gives its jobs up, long after the controller is back. The controller's
last answer is as good as a new one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_QUESTION = "get_min_job_age"


def bridge(executor: Any) -> None:
    """Let an executor that asks a Slurm controller remember its last answer.

    Parameters
    ----------
    executor : object
        Snakemake's executor; others than Slurm's stay as they are.
    """
    plugin = sys.modules[type(executor).__module__]
    ask = getattr(plugin, _QUESTION, None)
    if ask is not None:
        setattr(plugin, _QUESTION, _remembered(ask))


def _remembered(ask: Callable[[], int | None]) -> Callable[[], int | None]:
    last = ask()

    def answer() -> int | None:
        nonlocal last
        new = ask()
        last = last if new is None else new
        return last

    return answer
