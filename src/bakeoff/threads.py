"""How many threads BLAS and OpenMP may use."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
T = TypeVar("T")


def at_most(threads: int) -> AbstractContextManager[Any]:
    """Let what is loaded use so many threads at most, for as long as a `with` lasts."""
    limited: AbstractContextManager[Any] = _pools(len(sys.modules)).limit(limits=threads)
    return limited


def on_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function compute on one thread."""
    # BLAS cuts a long sum into as many parts as it has threads: the last digits would hang on the
    # number of cores. And its threads wait by spinning, which takes cores from other workers.

    @functools.wraps(function)
    def limited(*args: P.args, **options: P.kwargs) -> T:
        with at_most(1):
            return function(*args, **options)

    return limited


@lru_cache(maxsize=1)
def _pools(modules: int) -> ThreadpoolController:
    """Find the thread pools of this process; libraries bring theirs as they are imported."""
    return ThreadpoolController()
