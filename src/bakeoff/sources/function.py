"""Data from a Python function that the user names."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from bakeoff.errors import Problem, UserError, unknown
from bakeoff.keys import DOTTED
from bakeoff.sources.common.base import ColumnName, DataSet, Loaded, Params, blame
from bakeoff.usercode import described, import_module, refuse_standard

if TYPE_CHECKING:
    import pandas as pd

TARGET = "target"
"""The target's name when the function returns it apart and without one."""


class FunctionData(DataSet):
    """The data that a Python function returns."""

    drawn: ClassVar[bool] = True

    source: Literal["function"]
    function: str = Field(
        pattern=DOTTED,
        description="Import path, e.g. mydata.load for `load` in mydata.py beside this file. It "
        "returns a DataFrame, or a DataFrame and the target.",
    )
    params: Params = Field({}, description="What the function is called with.")
    target: ColumnName | None = Field(
        None, description="The column to predict, when the function returns a DataFrame alone."
    )

    def inputs(self) -> list[str]:
        """Return nothing: the code is watched, not the files that it reads."""
        return []

    @property
    def imports(self) -> tuple[str, ...]:
        """The import path of the function."""
        return (self.function,)

    def at_hand(self) -> bool:
        """Return False: the function may take long, or need the network."""
        return False

    def check(self) -> None:
        """Import the function, and make sure that it takes the parameters."""
        self._imported()

    def load(self, seed: int) -> Loaded:
        """Call the function, with the global random states seeded."""
        import numpy as np

        from bakeoff.seeds import derive, integer

        function = self._imported()
        number = integer(derive(seed, "function", self.function))
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002  functions that draw from the global state
        with blame("function"):
            try:
                returned = function(**self.params)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise UserError(f"{self.function} failed: {described(error)}") from error
            return self._loaded(returned)

    def _imported(self) -> Callable[..., Any]:
        module_name, _, name = self.function.rpartition(".")
        with blame("function"):
            module = import_module(module_name, self.function)
            function: Callable[..., Any] | None = getattr(module, name, None)
            if function is None:
                known = [n for n, o in vars(module).items() if inspect.isfunction(o)]
                raise UserError(unknown(f"function in {module_name}:", name, known))
            if not callable(function):
                raise UserError(f"{self.function} is a {type(function).__name__}, not a function")
            refuse_standard(self.function, function)
        try:
            inspect.signature(function).bind(**self.params)
        except TypeError as error:
            message = f"{self.function} cannot be called with `params`: {error}"
            raise Problem(("params",), message) from None
        except ValueError:  # a compiled function that does not tell what it takes
            pass
        return function

    def _loaded(self, found: Any) -> Loaded:
        import pandas as pd

        match found:
            case pd.DataFrame() as frame:
                if self.target is None:
                    raise UserError(
                        f"{self.function} returned a DataFrame alone: say which column is the "
                        "target, `target: ...`"
                    )
                return Loaded(_plain(frame, self.function), self.target)
            case (pd.DataFrame() as features, target):
                return _joined(_plain(features, self.function), target, self)
        raise UserError(
            f"{self.function} returned {_kind(found)}, expected a pandas DataFrame or a DataFrame "
            "and the target"
        )


def _joined(features: pd.DataFrame, target: Any, spec: FunctionData) -> Loaded:
    import numpy as np
    import pandas as pd

    if isinstance(target, str):
        return Loaded(features, target)
    if np.ndim(target) != 1 or len(target) != len(features):
        raise UserError(
            f"{spec.function} returned {len(features)} rows and a target of shape "
            f"{np.shape(target)}: it must have one value for each row"
        )
    name = spec.target or str(getattr(target, "name", None) or TARGET)
    if name in features.columns:
        raise UserError(f"{spec.function} returned the target {name!r} among the features too")
    return Loaded(features.assign(**{name: pd.Series(target).reset_index(drop=True)}), name)


def _plain(frame: pd.DataFrame, function: str) -> pd.DataFrame:
    from bakeoff.sources.common.formats import with_plain_columns

    return with_plain_columns(frame.reset_index(drop=True), function)


def _kind(found: Any) -> str:
    if isinstance(found, tuple):
        return f"({', '.join(type(part).__name__ for part in found)})"
    return f"a {type(found).__name__}"
