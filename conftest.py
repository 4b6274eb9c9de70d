"""Import what registers itself, so that pytest finds it made, and leave each process one core.

With ``--import-mode=importlib`` pytest executes a module anew whose package imported it on the way:
``pytest src/bakeoff/stats/metrics/differences.py`` alone would register its tests twice.
"""

import pytest

import bakeoff.scores
import bakeoff.stats  # noqa: F401
from bakeoff.threads import at_most


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Run a test on one thread: those of BLAS wait by spinning, on the cores of other processes."""
    with at_most(1):
        return (yield)
