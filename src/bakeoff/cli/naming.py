"""Mistakes in terms of a command's options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bakeoff.errors import UserError, named
from bakeoff.stats import ArgumentError


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """Report a mistake under the option that it came from."""
    try:
        yield
    except UserError as error:
        raise named(error, options) from None
    except ArgumentError as error:
        option = options.get(error.argument, f"--{error.argument.replace('_', '-')}")
        raise UserError(f"{option}: {error.message}") from None
