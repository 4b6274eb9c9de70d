"""Data from a Python function that the user names."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from bakeoff.errors import Problem, UserError
from bakeoff.files import locate
from bakeoff.keys import DOTTED
from bakeoff.sources.common.base import ColumnName, DataSet, Loaded, Params, blame
from bakeoff.usercode import described, import_function, refuse_missing

if TYPE_CHECKING:
    import pandas as pd


class FunctionData(DataSet):
    """The data that a Python function returns."""

    drawn: ClassVar[bool] = True

    source: Literal["function"]
    function: str = Field(pattern=DOTTED)
    """Import path, e.g. mydata.load for `load` in mydata.py beside this file. It returns a
    DataFrame, or a DataFrame and the target."""
    params: Params = Field({}, description="What the function is called with.")
    target: ColumnName | None = None
    """The column to predict, when the function returns a DataFrame alone."""
    reads: list[str] = Field([])
    """Files and folders that the function reads, like `[raw/visits.csv]`: when their contents
    change, the data are loaded again. Relative like `path` of a file."""

    def inputs(self) -> list[str]:
        """Return nothing: what the function reads is part of the digest of its code."""
        return []

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own."""
        return self.model_copy(update={"reads": [locate(path, folder) for path in self.reads]})

    @property
    def imports(self) -> tuple[str, ...]:
        """The import path of the function."""
        return (self.function,)

    def at_hand(self) -> bool:
        """Return False: the function may take long, or need the network."""
        return False

    def check(self) -> None:
        """Import the function, and make sure that it takes the parameters and finds its files."""
        self._imported()
        refuse_missing(self.reads)

    def load(self, seed: int) -> Loaded:
        """Call the function, with the global random states seeded."""
        import numpy as np

        from bakeoff.seeds import derive, integer

        function = self._imported()
        number = integer(derive(seed, "function", self.function))
        # functions that take no seed draw from the global states
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002
        with blame("function"):
            try:
                returned = function(**self.params)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise UserError(f"{self.function} failed: {described(error)}") from error
            return self._loaded(returned)

    def _loaded(self, returned: Any) -> Loaded:
        """Check what the function returned, and name the target."""
        import pandas as pd

        from bakeoff.sources.common.formats import with_plain_columns
        from bakeoff.sources.common.identifiers import with_own_types

        # a DataFrame, or a DataFrame and the target
        parts = returned
        if not isinstance(returned, tuple):
            parts = (returned,)
        if len(parts) > 2 or not isinstance(parts[0], pd.DataFrame):
            raise UserError(
                f"{self.function} returned {_kind_of(returned)}, expected a pandas DataFrame or a "
                "DataFrame and the target"
            )
        frame = with_plain_columns(parts[0].reset_index(drop=True), self.function)
        frame = with_own_types(frame)
        target = self.target
        if len(parts) == 2:
            target = parts[1]
        if target is None:
            raise UserError(
                f"{self.function} returned a DataFrame alone: say which column is the target, "
                "`target: ...`"
            )
        if isinstance(target, str):
            return Loaded(frame, target)
        return self._with_target(frame, target)

    def _with_target(self, frame: pd.DataFrame, target: Any) -> Loaded:
        """Put the target that the function returned beside the features."""
        import numpy as np
        import pandas as pd

        if np.ndim(target) != 1 or len(target) != len(frame):
            raise UserError(
                f"{self.function} returned {len(frame)} rows and a target of shape "
                f"{np.shape(target)}: it must have one value for each row"
            )
        # a Series has a name of its own
        name = self.target or str(getattr(target, "name", None) or "target")
        if name in frame.columns:
            text = f"returned the target {name!r} among the features too"
            raise UserError(f"{self.function} {text}")
        values = pd.Series(target).reset_index(drop=True)
        return Loaded(frame.assign(**{name: values}), name)

    def _imported(self) -> Callable[..., Any]:
        """Import the function, which must take the parameters."""
        with blame("function"):
            function = import_function(self.function)
        try:
            inspect.signature(function).bind(**self.params)
        except TypeError as error:
            message = f"{self.function} cannot be called with `params`: {error}"
            raise Problem(("params",), message) from None
        except ValueError:  # a compiled function that does not tell what it takes
            pass
        return function


def _kind_of(returned: Any) -> str:
    """Name the type of what a function returned, of a tuple those of its parts."""
    if not isinstance(returned, tuple):
        return f"a {type(returned).__name__}"
    kinds = [type(part).__name__ for part in returned]
    return f"({', '.join(kinds)})"
