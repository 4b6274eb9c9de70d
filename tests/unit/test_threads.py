"""How many threads BLAS and OpenMP may use."""

import sys
from types import ModuleType

import numpy as np
from threadpoolctl import ThreadpoolController, threadpool_info

from bakeoff import threads
from bakeoff.comparisons import row_tables, run_tests
from bakeoff.comparisons.held_out import HeldOut
from bakeoff.report import ranking
from bakeoff.report.verdict import answer


def test_thread_pools_are_looked_for_again_once_a_library_came(monkeypatch):
    looked, find = [], ThreadpoolController
    monkeypatch.setattr(threads, "ThreadpoolController", lambda: looked.append(1) or find())
    threads._pools.cache_clear()
    for _ in range(3):
        with threads.at_most(1):
            pass
    assert len(looked) == 1
    monkeypatch.setitem(sys.modules, "a_new_library", ModuleType("a_new_library"))
    with threads.at_most(1):
        pass
    assert len(looked) == 2
    threads._pools.cache_clear()


def test_function_on_one_thread_leaves_the_number_of_threads_and_sums_alike_on_any():
    def counts():
        return {one["num_threads"] for one in threadpool_info()}

    with threads.at_most(2):
        assert (threads.on_one_thread(counts)(), counts()) == ({1}, {2})
    values = np.random.default_rng(0).random(100_003)
    product = threads.on_one_thread(lambda: float(values @ values))
    with threads.at_most(4):
        assert product() == threads.on_one_thread(product)()


def test_what_sums_over_rows_is_on_one_thread():
    of_rows = ranking.contenders, HeldOut.interval, row_tables.subgroup_table
    for function in (answer, run_tests.run_planned, *of_rows):
        assert function.__code__ is threads.on_one_thread(len).__code__
