"""The experiment as typed, validated objects; it expands to the list of fits."""

from bakeoff.sources.common.base import Costs
from bakeoff.spec.experiment import Experiment, Fit
from bakeoff.spec.load import load_experiment, read_experiment
from bakeoff.spec.tests import AnalysisPlan, HypothesisTests, PlannedTest

__all__ = [
    "AnalysisPlan",
    "Costs",
    "Experiment",
    "Fit",
    "HypothesisTests",
    "PlannedTest",
    "load_experiment",
    "read_experiment",
]
