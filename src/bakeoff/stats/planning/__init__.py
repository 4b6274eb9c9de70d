"""Planning: how many observations a test needs, and what difference it finds.

One class per test gives its power function; `Power.solve` finds the number of observations, the
difference or the power, whichever is not given.
"""

from bakeoff.stats.planning.accuracy import MarginPower, McNemarPower, smallest_discordant_count
from bakeoff.stats.planning.five_by_two import FiveByTwoPower
from bakeoff.stats.planning.groups import GroupsPower, expected_design_effect
from bakeoff.stats.planning.noise import HalfSamplePower, IntervalPower, MetricPower
from bakeoff.stats.planning.solver import Power, PowerResult

__all__ = [
    "FiveByTwoPower",
    "GroupsPower",
    "HalfSamplePower",
    "IntervalPower",
    "MarginPower",
    "McNemarPower",
    "MetricPower",
    "Power",
    "PowerResult",
    "expected_design_effect",
    "smallest_discordant_count",
]
