"""A base, and a candidate that is worse by exactly the margin of a metric of classes."""

from __future__ import annotations

import dataclasses

from scipy import optimize

from benchmarks.any_metric import Model, balanced_threshold, population

MARGIN, SEPARATION = 0.02, 1.6
OF_BRIER = 0.005
"""The margin of Brier scores, which are small where a class is rare."""
SIGN = {"log_loss": 1, "brier": 1}
"""Losses grow where a candidate gets worse."""


def margin(metric: str) -> float:
    """Return the margin of a metric."""
    return OF_BRIER if metric == "brier" else MARGIN


def pair(metric: str, candidate: str, prevalence: float) -> tuple[Model, Model]:
    """Return a base, and a candidate that is worse by the margin on the population."""
    threshold = balanced_threshold(prevalence, prevalence)
    knobs = {
        "overconfident": {"sharpness": 3.0},
        "very": {"sharpness": 5.0},
        "both": {"sharpness": 3.0},
        "in groups": {"sharpness": 3.0} if metric == "log_loss" else {},
        "unlike": {"sigma": 1.6},
    }
    base = Model(SEPARATION, threshold=threshold)
    if candidate == "both":
        base = dataclasses.replace(base, **knobs["both"])
    wanted = population(metric, base, prevalence) + SIGN.get(metric, -1) * margin(metric)
    other = Model(SEPARATION, threshold=threshold, **knobs.get(candidate, {}))

    def gap(mu: float) -> float:
        return population(metric, dataclasses.replace(other, mu=mu), prevalence) - wanted

    return base, dataclasses.replace(other, mu=float(optimize.brentq(gap, 0.1, 9)))
