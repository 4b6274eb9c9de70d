"""Metrics with their influence functions, and the tests, intervals and families of any metric."""

from importlib import import_module
from pkgutil import iter_modules

# tables list the metrics in this order: the built-in ones first
for _module in ("library", *(module.name for module in iter_modules(__path__))):
    import_module(f"{__name__}.{_module}")
