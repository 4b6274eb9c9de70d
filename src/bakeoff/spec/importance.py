"""How much each column matters to the fitted models: the `importance:` part of an experiment."""

from __future__ import annotations

from pydantic import Field

from bakeoff.keys import SpecSection


class Importance(SpecSection):
    """Permutation importance of every column to every model on the holdout."""

    repeats: int = Field(10, ge=2, le=1000, description="How often each column is shuffled.")
    scoring: str = Field(
        "accuracy",
        description="What may be lost: the name of a metric, or of a scorer of scikit-learn.",
    )
