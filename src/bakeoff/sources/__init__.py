"""Where rows come from: the sources in the modules of this package, found by their being here."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import get_args

from bakeoff.sources.common.base import DataSet, Filter, Loaded

__all__ = ["SOURCES", "DataSet", "Filter", "Loaded"]


def _sources() -> dict[str, type[DataSet]]:
    """Find the subclasses of `DataSet` in the modules where they are defined."""
    sources: dict[str, type[DataSet]] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.ispkg:
            continue
        module = import_module(f"{__name__}.{info.name}")
        for member in vars(module).values():
            if not inspect.isclass(member) or not issubclass(member, DataSet):
                continue
            if member.__module__ == module.__name__:  # and not imported there
                (name,) = get_args(member.model_fields["source"].annotation)
                sources[name] = member
    return dict(sorted(sources.items()))


SOURCES: Mapping[str, type[DataSet]] = MappingProxyType(_sources())
"""The sources by name, in alphabetical order."""
