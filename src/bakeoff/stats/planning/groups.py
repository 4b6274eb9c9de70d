"""Power of tests of two accuracies on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats.core.checks import check_number
from bakeoff.stats.core.docstrings import fill_docstring
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.cluster_result import too_few_clusters
from bakeoff.stats.planning.solver import Power, check_discordance, t_power


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

    test = "clustered_mcnemar"
    variant = "sign_flip"
    method = "gonen2004"
    calculation = "normal"
    unit = "groups"
    start = 8
    most = 10**7
    rows_per_group: float
    discordance: float
    icc: float | None = None
    design_effect: float | None = None

    def __post_init__(self) -> None:
        check_discordance(self.discordance)
        if (self.icc is None) == (self.design_effect is None):
            raise ArgumentError("icc", "give either icc or design_effect")
        if self.icc is not None:
            effect = expected_design_effect(rows_per_group=self.rows_per_group, icc=self.icc)
            object.__setattr__(self, "design_effect", effect)
            return
        expected_design_effect(rows_per_group=self.rows_per_group, icc=0.0)
        if not 1 <= check_number(self.design_effect or math.nan, "design_effect") < math.inf:
            raise ArgumentError(
                "design_effect", f"found {self.design_effect!r}, must be at least 1"
            )

    @property
    def limits(self) -> tuple[float, float]:
        """From no difference to all discordant rows won by one model."""
        return 0.0, self.discordance

    def check_effect(self, effect: float, side: Alternative) -> None:
        """Refuse a difference beyond the discordance."""
        check_discordance(self.discordance, effect)

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


@fill_docstring
def expected_design_effect(*, rows_per_group: float, icc: float) -> float:
    """Return 1 + (m − 1)·icc, the design effect of groups of m rows.

    Parameters
    ----------
    rows_per_group : float
        m; for uneven groups Σn_k²/N.
    icc : float
        Intraclass correlation of the differences per row, at least 0.

    Returns
    -------
    float
        How many dependent rows count as one.

    Examples
    --------
    >>> expected_design_effect(rows_per_group=12, icc=0.25)
    3.75
    """
    size = check_number(rows_per_group, "rows_per_group")
    correlation = check_number(icc, "icc")
    if not (size >= 1 and math.isfinite(size)):
        raise ArgumentError("rows_per_group", f"found {rows_per_group!r}, must be at least 1")
    if not 0 <= correlation <= 1:
        raise ArgumentError("icc", f"found {icc!r}, must lie between 0 and 1 (a negative one is 0)")
    return 1 + (size - 1) * correlation
