"""Whether probabilities of two classes mean what they say: the calibration curve and its index.

The curve is a smooth of the outcome over the probability, and the integrated calibration index
(Austin & Steyerberg 2019) the mean distance between the two. Its smoother is loess of degree 1:
local lines with tricube weights over the nearest three quarters of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.design.groups import spread
from bakeoff.stats.metrics.metric import Need
from bakeoff.stats.metrics.named import by_value
from bakeoff.stats.metrics.view import Codes, View

SPAN = 0.75
"""The share of the rows that a local line looks at, as loess has it by default."""
_PLACES = 101
"""With more distinct probabilities the curve is found at so many quantiles of the rows."""


class Curve(NamedTuple):
    """A calibration curve, each part of shape (m,)."""

    at: FloatArray  # predicted probabilities
    share: FloatArray  # the smoothed share of positive rows there
    low: FloatArray  # the pointwise band of that smooth; NaN where a line leaves nothing over
    high: FloatArray


def calibration_curve(
    positive: BoolArray,
    probabilities: FloatArray,
    clusters: Codes | None = None,
    level: float = 0.95,
    places: int = _PLACES,
) -> Curve:
    """Smooth the outcome over the predicted probability, with a pointwise band.

    The smooth at a place is a weighted sum of outcomes, whose standard error is that of the sum of
    their residuals, or with clusters of the sums of these; the band is on the scale of shares.
    """
    at = _places(probabilities, places)
    weights = [_weights(probabilities, place) for place in at]
    share = _smooth(weights, positive)
    residuals = positive - np.interp(probabilities, at, share)
    half = []
    for own in weights:
        found = spread(own * residuals * len(positive), clusters=clusters)
        half.append(
            -float(stdtrit(found.df, (1 - level) / 2)) * found.se if found.df > 0 else math.nan
        )
    ends = (np.clip(share + sign * np.array(half), 0, 1) for sign in (-1, 1))
    return Curve(at, share, *ends)


def _smooth(weights: Iterable[FloatArray], positive: BoolArray) -> FloatArray:
    outcome = positive.astype(np.float64)
    return np.array([min(max(inner(own, outcome), 0.0), 1.0) for own in weights])


def _places(probabilities: FloatArray, most: int) -> FloatArray:
    distinct = np.unique(probabilities)
    if len(distinct) <= most:
        return distinct
    return np.unique(np.quantile(probabilities, np.linspace(0, 1, most)))


def _weights(x: FloatArray, place: float) -> FloatArray:
    """Return what each outcome weighs in the local line at a place; the weights sum to 1."""
    apart = np.abs(x - place)
    reach = np.partition(apart, (near := math.ceil(SPAN * len(x))) - 1)[near - 1]
    # a row at the very edge would weigh nothing, and with many ties all of them are there
    reach = max(reach * (1 + 1e-9), 1e-9)
    weight = np.clip(1 - (apart / reach) ** 3, 0, None) ** 3
    weight /= weight.sum()
    centre = inner(weight, x)
    own = x - centre
    variance = inner(weight, own**2)
    slope = (place - centre) / variance if variance > 1e-18 else 0.0
    return np.asarray(weight * (1 + slope * own))


@by_value(
    "integrated calibration index",
    "probability",
    needs=Need.PROBABILITIES,
    greater_is_better=False,
    instead="brier",
    smooth=False,
    interval=False,
    method="austin2019",
    calibration=True,
)
def ici(view: View) -> float:
    """Mean distance of probabilities from their calibration curve; it is above 0 by chance alone.

    A description without interval or test on rows: of few rows even perfect probabilities are at
    some distance (Austin & Steyerberg 2019).
    """
    p = view.probabilities[:, view.truth.positive]
    at = _places(p, _PLACES)
    share = _smooth((_weights(p, place) for place in at), view.is_positive)
    return float(np.mean(np.abs(p - np.interp(p, at, share))))
