"""Everything that can be known to fail before the first fit."""

from bakeoff.preflight.experiment import check_experiment, check_table

__all__ = ["check_experiment", "check_table"]
