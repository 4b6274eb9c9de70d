"""Power of tests of two accuracies on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from bakeoff.stats.core.arguments import Share, checked
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.groups import too_few_clusters
from bakeoff.stats.planning.solver import Power, check_possible, t_power


@dataclasses.dataclass(frozen=True, kw_only=True)
class GroupsPower(Power):
    """Power of a test of two accuracies on n groups of rows.

    N rows in K groups are worth N/DE independent ones, DE = 1 + (m − 1)·icc for groups of m rows;
    the statistic is noncentral t with K − 1 degrees of freedom and δ√(N/DE)/√(ψ − δ²) (Connor 1987
    with the design effect; Gönen 2004). Uneven groups have fewer degrees of freedom and less power.

    Attributes
    ----------
    rows_per_group : float
        Rows of a group, on average.
    discordance : float
        Probability that exactly one model is right on a row.
    icc, design_effect : float, optional
        Give one: the intraclass correlation of the differences per row, or their design effect,
        for example that of an earlier run.

    Examples
    --------
    >>> test = GroupsPower(rows_per_group=12, discordance=0.15, icc=0.1)
    >>> round(test.solve(n=37, difference=0.06).power, 2)
    0.6
    >>> test.solve(difference=0.06, power=0.8).n
    58
    """

    test = "mcnemar"
    variant = "sign_flip"
    method = "gonen2004"
    calculation = "normal"
    unit = "groups"
    start = 8
    most = 10**7
    rows_per_group: Annotated[float, Ge(1)]
    discordance: Share
    icc: Annotated[float, Ge(0), Le(1)] | None = None
    design_effect: Annotated[float, Ge(1)] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.icc is None) == (self.design_effect is None):
            raise ArgumentError("icc", "give either icc or design_effect")
        if self.icc is not None:
            effect = expected_design_effect(rows_per_group=self.rows_per_group, icc=self.icc)
            object.__setattr__(self, "design_effect", effect)

    @property
    def limits(self) -> tuple[float, float]:
        """From no difference to all discordant rows won by one model."""
        return 0.0, self.discordance

    def check_effect(self, effect: float, side: Alternative) -> None:
        """Refuse a difference beyond the discordance."""
        check_possible(effect, self.discordance)

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the rows and what they are worth."""
        assert self.design_effect is not None
        return {
            "n_rows": self._rows(n),
            "discordance": self.discordance,
            "design_effect": self.design_effect,
            "n_effective": self._rows(n) / self.design_effect,
        }

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n groups at a true difference."""
        assert self.design_effect is not None
        if too_few_clusters(int(n), alpha):
            return 0.0
        variance = self.discordance - effect**2
        if variance <= 0:
            return 1.0
        shift = effect * math.sqrt(self._rows(n) / self.design_effect / variance)
        return t_power(shift, n - 1, alpha, side)

    def _rows(self, n: float) -> float:
        return float(np.rint(n * self.rows_per_group))


@checked
def expected_design_effect(
    *, rows_per_group: Annotated[float, Ge(1)], icc: Annotated[float, Ge(0), Le(1)]
) -> float:
    """Return 1 + (m − 1)·icc, the design effect of groups of m rows.

    Parameters
    ----------
    rows_per_group : float
        m; for uneven groups Σn_k²/N.
    icc : float
        Intraclass correlation of the differences per row, from 0 (also for a negative one) to 1.

    Returns
    -------
    float
        How many dependent rows count as one.

    Examples
    --------
    >>> expected_design_effect(rows_per_group=12, icc=0.25)
    3.75
    """
    return 1 + (rows_per_group - 1) * icc
