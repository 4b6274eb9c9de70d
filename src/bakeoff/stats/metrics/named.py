"""Metrics by name, and those whose names tell the value of their option: ``net_benefit@0.1``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from bakeoff.stats.core.arguments import check_choice
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.metrics.options import EXAMPLES, NO_OPTIONS

if TYPE_CHECKING:  # which enters its metrics here
    from bakeoff.stats.metrics.metric import Metric


class Metrics(dict[str, "Metric"]):
    """Metrics by name; ``name@value`` is one whose option has that value."""

    def __missing__(self, name: str) -> Metric:
        return self.with_option(name)

    def __contains__(self, name: object) -> bool:
        told = isinstance(name, str) and "@" in name
        return super().__contains__(name) or (told and not self.lacking(str(name)))

    def get(self, name: str, default: Metric | None = None) -> Metric | None:  # type: ignore[override]
        """Return a metric, or a default where none has that name."""
        there = name in self
        return self[name] if there else default

    def with_option(self, name: str) -> Metric:
        """Return the metric that ``name@value`` stands for.

        Raises
        ------
        KeyError
            No metric of that name takes an option.
        ArgumentError
            The option cannot have that value.

        Examples
        --------
        >>> from bakeoff.stats import METRICS
        >>> METRICS["fbeta@3"].title
        'F-beta (beta 3)'
        """
        base, at, text = name.partition("@")
        if not at or base not in self or not self[base].option:
            raise KeyError(name)
        metric = self[base]
        try:
            told: dict[str, Any] = {metric.option: float(text)}
            dataclasses.replace(NO_OPTIONS, **told)
        except ValueError as error:
            number = f"found {text!r}, must be a number"
            why = error.message if isinstance(error, ArgumentError) else number
            raise ArgumentError("metric", f"{metric.option} in {name!r}: {why}") from None
        bound = partial(_told, told)
        return dataclasses.replace(
            metric,
            name=name,
            title=f"{metric.title} ({metric.option} {told[metric.option]:g})",
            value=partial(bound, metric.value),
            formula=None if metric.formula is None else partial(bound, metric.formula),
            option="",
        )

    def lacking(self, name: str) -> str:
        """Say why a name with an option is none of a metric; empty where it is one.

        Examples
        --------
        >>> from bakeoff.stats import METRICS
        >>> METRICS.lacking("net_benefit")
        'net_benefit takes its threshold in its name, like net_benefit@0.1'
        """
        base, at, _ = name.partition("@")
        known = self.get(base)
        if known is None:
            return f"no metric is called {base!r}"
        if not known.option:
            return f"{base} takes no option: found {name!r}"
        if not at:
            example = f"{base}@{EXAMPLES[known.option]:g}"
            return f"{base} takes its {known.option} in its name, like {example}"
        try:
            self.with_option(name)
        except ArgumentError as error:
            return error.message
        return ""

    def called(self, name: str) -> Metric:
        """Return the metric of a name, or say which there are."""
        if isinstance(name, str) and name.partition("@")[0] in self:
            found = self.get(name)
            if found and (not found.option or getattr(NO_OPTIONS, found.option) is not None):
                return found
            raise ArgumentError("metric", self.lacking(name))
        return self[check_choice(name, (*self,), "metric")]


def _told(told: dict[str, Any], function: Callable[[Any], Any], rows: Any) -> Any:
    """Call the value or formula of a metric on rows with the value of its option."""
    options = dataclasses.replace(rows.options, **told)
    return function(dataclasses.replace(rows, options=options))
