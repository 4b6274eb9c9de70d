"""Reference adapters: several classifiers over several data sets, omnibus tests."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from bakeoff.stats import Result, friedman, iman_davenport, kruskal_wallis, quade
from tests.reference.told import Adapter, Inputs, Values, told


def as_table(groups: list[list[float]]) -> list[list[float]]:
    """Put groups into columns; shorter ones end in missing cells."""
    return [list(row) for row in zip_longest(*groups, fillvalue=float("nan"))]


def _friedman(method: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = friedman(inputs["scores"], method=method)
        return told(result) | {
            # all models tie on every data set: no evidence against the null, nor any agreement
            "convention": {"statistic": 0.0, "pvalue": 1.0, "kendall_w": 0.0},
        }

    return adapt


def _f_test(test: Callable[..., Result]) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = test(inputs["scores"])
        # identical scores: statistic 0, p 1; all data sets rank alike: no variance is left to
        # compare with, so F is infinite and its p undecided rather than 0
        conventions = {
            "identical_scores": {"statistic": 0.0, "pvalue": 1.0},
            "zero_variance": {"statistic": float("inf"), "pvalue": float("nan")},
        }
        return told(result) | {"convention": conventions.get(result.status.value, {})}

    return adapt


def _kruskal_wallis(inputs: Inputs) -> Values:
    result = kruskal_wallis(as_table(inputs["groups"]), missing="omit")
    return told(result) | {
        # all scores are equal: no evidence against the null
        "convention": {"statistic": 0.0, "pvalue": 1.0},
    }


ADAPTERS = {
    ("friedman", "chi_square"): _friedman("asymptotic"),
    ("friedman", "exact_permutation"): _friedman("exact"),
    ("iman_davenport", "f"): _f_test(iman_davenport),
    ("quade", "f"): _f_test(quade),
    ("kruskal_wallis", "chi_square"): _kruskal_wallis,
}
