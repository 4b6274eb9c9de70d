"""A fixture for pytest: `assert_not_worse`. Nothing else is imported before a test asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bakeoff.stats import Limits


class NotWorse(Protocol):
    """What the fixture `assert_not_worse` gives."""

    def __call__(
        self,
        base: ArrayLike,
        candidate: ArrayLike,
        *,
        margin: float,
        y_true: ArrayLike | None = None,
        metric: str = "accuracy",
        groups: ArrayLike | None = None,
        alpha: float = 0.05,
        undecided: str = "fail",
        **options: Any,
    ) -> Limits:
        """Fail the test unless the candidate is shown not to be worse by the margin.

        Parameters
        ----------
        base, candidate : array_like, shape (n,)
            What each predicts, with `y_true`; else right or wrong (booleans), or a number per row
            of which more is better.
        margin : float
            The largest loss that does not matter, in the unit of the metric.
        y_true : array_like, shape (n,), optional
            True labels.
        metric : str
            With `y_true`: which metric.
        groups : array_like, shape (n,), optional
            Which rows belong together.
        alpha : float
            Probability of letting something worse pass.
        undecided : {"fail", "skip"}
            What becomes of the test where the rows do not tell.
        **options
            `positive` and `labels` of `bakeoff.stats.metric_difference`.

        Returns
        -------
        Limits
            Of the candidate's advantage.
        """


@pytest.fixture(scope="session")
def assert_not_worse() -> NotWorse:
    """Fail a test unless a candidate is shown not to be worse than a base by a margin."""
    from bakeoff.gate.assertion import check_not_worse

    return check_not_worse
