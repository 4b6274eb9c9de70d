"""Ctrl-C and SIGTERM end a run at once, wherever its jobs are.

By itself Snakemake lets running `run:` jobs finish, however long a fit takes, waits on SIGTERM for
jobs on a cluster instead of cancelling them, and sleeps up to three minutes between two looks at
them. What was finished is kept, so ending at once loses only the fits under way.
"""

from __future__ import annotations

import asyncio
import signal
import types
from typing import Any, NoReturn

from bakeoff.run.pool import Pool

LONGEST_SLEEP = 15.0
_STEP = 0.2


def end_at_once(pool: Pool, executor: Any) -> None:
    """Make signals end the warm workers, and let an executor of remote jobs wake up often.

    Parameters
    ----------
    pool : Pool
        The workers of this process.
    executor : object
        Snakemake's executor; remote ones have a coroutine `sleep` between two looks at their jobs.
    """

    def stop(number: int, frame: types.FrameType | None) -> NoReturn:
        pool.stop()
        # Snakemake cancels its remote jobs and leaves
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    if hasattr(executor, "sleep"):
        executor.sleep = lambda: _nap(executor)


async def _nap(executor: Any) -> None:
    """Sleep as long as the executor wants, but not too long, and not beyond its end."""
    left = min(executor.next_seconds_between_status_checks, LONGEST_SLEEP)
    while executor.wait and left > 0:
        await asyncio.sleep(min(left, _STEP))
        left -= _STEP
