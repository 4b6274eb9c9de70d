"""What is compared."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bakeoff.spec.base import Label, Part


class Model(Part):
    """A scikit-learn-compatible classifier."""

    estimator: str = Field(
        pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$",
        description="Import path of the class, e.g. sklearn.linear_model.LogisticRegression.",
    )
    params: dict[str, Any] = Field({}, description="The estimator's own parameters.")
    label: Label | None = None
    preprocessing: Literal["auto", "none"] = Field(
        "auto",
        description="`auto`: columns that are not numbers are encoded, missing values imputed "
        "where the estimator takes none, numbers scaled for estimators that are not made of "
        "trees; all of it fitted inside each training fold. `none`: the estimator gets the "
        "columns as they are.",
    )
    threads: int = Field(
        1, ge=1, description="Threads of one fit; also given to n_jobs where the estimator has it."
    )
