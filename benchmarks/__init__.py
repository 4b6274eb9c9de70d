"""Measurements and simulations, whose figures the documentation shows."""

import os

# a package that is installed has its bytecode: else each process that is timed compiles it first
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
