"""The experiment as typed, validated objects; it expands to the list of fits."""

from bakeoff.spec.experiment import ChosenTest, Experiment, Fit, TestSettings
from bakeoff.spec.load import load_experiment, read_experiment

__all__ = ["ChosenTest", "Experiment", "Fit", "TestSettings", "load_experiment", "read_experiment"]
