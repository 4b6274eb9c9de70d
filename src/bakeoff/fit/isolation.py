"""Isolate the fits in one process from each other."""

from __future__ import annotations

import logging
import os
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import sklearn

from bakeoff.threads import at_most


@contextmanager
def isolated(seed: int, threads: int) -> Iterator[None]:
    """Seed the global random states, limit threads, and restore the global state after a fit."""
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    environment, folder, path = dict(os.environ), os.getcwd(), list(sys.path)  # noqa: PTH109
    level, depth = logging.root.level, sys.getrecursionlimit()
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(),
            sklearn.config_context(),
            at_most(threads),
        ):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(legacy)  # noqa: NPY002
        _restore(environment)
        os.chdir(folder)
        sys.path[:] = path
        logging.root.setLevel(level)
        sys.setrecursionlimit(depth)


def _restore(environment: dict[str, str]) -> None:
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
