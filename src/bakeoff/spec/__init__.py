"""The experiment as typed, validated objects; it expands to the list of fits."""

from bakeoff.sources.common.costs import Costs
from bakeoff.spec.experiment import Experiment, Fit
from bakeoff.spec.load import load_experiment, read_experiment
from bakeoff.spec.tests import ChosenTest, HypothesisTests

__all__ = [
    "ChosenTest",
    "Costs",
    "Experiment",
    "Fit",
    "HypothesisTests",
    "load_experiment",
    "read_experiment",
]
