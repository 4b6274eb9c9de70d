"""Mistakes in terms of a command's options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bakeoff.errors import Problem, UserError
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
        In place of a `Problem` or an `ArgumentError`.
    """
    try:
        yield
    except Problem as problem:
        option = options.get(str(problem.path[-1]))
        raise UserError(f"{option}: {problem.message}" if option else problem.message) from None
    except ArgumentError as error:
        option = options.get(error.argument, f"--{error.argument.replace('_', '-')}")
        raise UserError(f"{option}: {error.message}") from None
