"""Misclassification costs: the `costs:` of an experiment or of one data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from bakeoff.keys import ClassName, SpecSection, name_of, said

if TYPE_CHECKING:  # who reads an experiment computes nothing
    import numpy as np
    from numpy.typing import NDArray

Cost = Annotated[float, Field(ge=0)]


class Costs(SpecSection):
    """The cost of each kind of error: rows are true classes, columns predicted ones."""

    classes: list[ClassName] = Field(
        min_length=2, description="The classes in the order of the matrix's rows and columns."
    )
    matrix: list[list[Cost]] = Field(
        description="One row per true class, one column per predicted class; at least 0, and 0 "
        "for right predictions."
    )

    priors: list[Cost] | None = Field(
        None,
        description="How frequent each class is where the models will be used, in the order of "
        "`classes`; shares or counts. For the metric `expected_cost`.",
    )

    @property
    def names(self) -> list[str]:
        """The classes as the canonical tables write them: 1.0 is the class 1."""
        return [name_of(name) for name in self.classes]

    def of(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the matrix for these classes in this order, shape (K, K)."""
        import numpy as np

        order = [self.names.index(name) for name in classes]
        return np.array(self.matrix, dtype=np.float64)[np.ix_(order, order)]

    def shares(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the priors, which must be given, for these classes in this order, as shares."""
        import numpy as np

        assert self.priors is not None
        found = np.array(self.priors)[[self.names.index(name) for name in classes]]
        return np.asarray(found / found.sum())

    @model_validator(mode="after")
    def _square(self) -> Self:
        k, names = len(self.classes), self.names
        repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if repeated is not None:
            raise said(f"class {repeated!r} appears twice")
        widths = [len(row) for row in self.matrix]
        if len(widths) != k or set(widths) != {k}:
            found = f"{len(widths)} row(s) of {', '.join(map(str, sorted(set(widths))))}"
            raise said(f"the matrix has {found} number(s), {k} classes need {k} rows of {k}")
        wrong = next((i for i in range(k) if self.matrix[i][i] != 0), None)
        if wrong is not None:
            raise said(
                f"a right prediction of {names[wrong]!r} costs {self.matrix[wrong][wrong]:g}, "
                "must cost 0: rows are true classes, columns predicted ones"
            )
        if math.fsum(map(math.fsum, self.matrix)) == 0:
            raise said("every error costs 0: nothing to compare")
        if self.priors is not None and (len(self.priors) != k or not any(self.priors)):
            raise said(f"found priors {self.priors}, expected {k} numbers, not all of them 0")
        return self
