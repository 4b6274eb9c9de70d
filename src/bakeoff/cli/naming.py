"""Mistakes in terms of a command's options."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from bakeoff.errors import UserError, named
from bakeoff.stats import ArgumentError


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """Report a mistake under the option that it came from.

    Parameters
    ----------
    options : Mapping of str to str
        The options by the keys and arguments that library calls know them by.

    Raises
    ------
    UserError
        In place of one that names keys, or of an `ArgumentError`.
    """
    try:
        yield
    except UserError as error:
        raise named(error, options) from None
    except ArgumentError as error:
        option = options.get(error.argument, f"--{error.argument.replace('_', '-')}")
        raise UserError(f"{option}: {error.message}") from None


def refuse(args: argparse.Namespace, names: Iterable[str], about: str) -> None:
    """Refuse options that say nothing about what was asked.

    Raises
    ------
    UserError
        At the first of them that was given.
    """
    for name in names:
        if getattr(args, name) is not None:
            raise UserError(f"--{name}: says nothing about {about}; leave it out")
