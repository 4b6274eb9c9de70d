"""The methods paragraph: what was done, in sentences for a paper."""

from bakeoff.report.methods.analysis import analysis
from bakeoff.report.methods.design import data, design
from bakeoff.report.methods.sentence import Methods
from bakeoff.report.study import Study

__all__ = ["Methods", "methods"]


def methods(study: Study) -> Methods:
    """Say what was done in a study."""
    return Methods((*data(study), *design(study), *analysis(study)))
