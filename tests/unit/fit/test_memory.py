"""The peak of a process's memory, in MiB."""

import os
import resource

import numpy as np
import pytest

from bakeoff.fit.memory import peak_memory_mb, reset_peak_memory


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="known here since the start only"
)
def test_peak_is_that_since_the_reset():
    reset_peak_memory()
    before = peak_memory_mb()
    big = np.ones(2**23)  # 64 MiB
    after = peak_memory_mb()
    assert 60 <= after - before <= 80
    del big
    assert peak_memory_mb() == pytest.approx(after, abs=8)
    reset_peak_memory()
    assert peak_memory_mb() < after - 50
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert before <= most + 1
