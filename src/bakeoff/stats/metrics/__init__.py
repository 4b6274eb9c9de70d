"""Metrics with their influence functions, and the tests, intervals and families of any metric."""

from importlib import import_module
from pkgutil import iter_modules

# the order that tables list them in
_FIRST = ("decisions", "rankings", "probabilities", "quantities")

for _module in (*_FIRST, *(module.name for module in iter_modules(__path__))):
    import_module(f"{__name__}.{_module}")
