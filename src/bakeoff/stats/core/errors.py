"""What is wrong with one argument of a test."""

from __future__ import annotations


class ArgumentError(ValueError):
    """An argument has a value that the function does not take.

    Parameters
    ----------
    argument : str
        Its name.
    message : str
        What was found, what is allowed and what to pass instead.
    """

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(f"{argument}: {message}")
        self.argument = argument
        self.message = message

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[str, str]]:
        return type(self), (self.argument, self.message)
