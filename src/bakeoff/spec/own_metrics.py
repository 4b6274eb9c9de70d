"""Metrics of the user's own: functions that are named by their import paths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from bakeoff.keys import DOTTED, Label, SpecSection, said
from bakeoff.sources.common.base import ColumnName


class OwnMetric(SpecSection):
    """A function of what is true and of what a model predicts."""

    function: str = Field(
        pattern=DOTTED,
        description="Import path, e.g. mymetrics.profit for `profit` in mymetrics.py beside this "
        "file. It takes `y_true`, what `needs` says and the `columns` by name, and returns a "
        "number; a ValueError or NaN says that the metric has no value on these rows.",
    )
    label: Label | None = None
    greater_is_better: bool = Field(True, description="Which way is better.")
    unit: Label | None = Field(None, description="What it is measured in.")
    needs: Literal["labels", "probabilities", "numbers"] = Field(
        "labels",
        description="What the second argument is: predicted classes, or probabilities of all "
        "classes in their order, of two classes those of the positive one; or predicted numbers, "
        "of a regression.",
    )
    columns: list[ColumnName] = Field(
        [], description="Columns of the data that it takes too, by name."
    )
    smooth: bool = Field(
        True,
        description="`false` for medians, best thresholds and whatever jumps when a row is left "
        "out: their intervals come from the bootstrap, and no test is made.",
    )

    @property
    def module(self) -> str:
        """The module of the function."""
        return self.function.rpartition(".")[0]


def with_own_metrics(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take an import path among the metrics for an own metric that is named like its function."""
    listed, own = config.get("metrics"), config.get("own_metrics", {})
    if not isinstance(listed, list) or not isinstance(own, Mapping):
        return config
    names, found = list(listed), dict(own)
    for i, path in enumerate(listed):
        if not isinstance(path, str) or "." not in path or not re.fullmatch(DOTTED, path):
            continue
        name = path.rpartition(".")[2]
        if name in found:
            raise said(
                f"metrics[{i}]: {path} would be called {name!r} as another metric is; give it a "
                f"name of its own: `own_metrics: {{my_name: {{function: {path}}}}}`"
            )
        names[i], found[name] = name, {"function": path}
    return {**config, "metrics": names, "own_metrics": found} if found else config
