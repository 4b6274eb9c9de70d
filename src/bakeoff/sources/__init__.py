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
    sources: dict[str, type[DataSet]] = {}
    for info in pkgutil.iter_modules(__path__):
        members = vars(import_module(f"{__name__}.{info.name}")).values()
        for member in members if not info.ispkg else ():
            defined_there = (
                inspect.isclass(member) and member.__module__ == f"{__name__}.{info.name}"
            )
            if defined_there and issubclass(member, DataSet):
                (name,) = get_args(member.model_fields["source"].annotation)
                sources[name] = member
    return sources


SOURCES: Mapping[str, type[DataSet]] = MappingProxyType(dict(sorted(_sources().items())))
"""The sources by name, in alphabetical order."""
