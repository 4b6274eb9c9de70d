"""A small study fitted by the real functions, without Snakemake, for the tests of comparisons."""

import json
from functools import cache

import pytest

from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import run_planned
from bakeoff.execution import steps
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.paths import Paths
from bakeoff.spec import AnalysisPlan, load_experiment
from tests.conftest import once

STUDY = {
    "experiment": "study",
    "seed": 3,
    "datasets": {
        "cancer": {"source": "sklearn", "name": "breast_cancer", "positive": "malignant"},
        **{
            f"made-{i}": {
                "source": "generator",
                "name": "make_classification",
                "params": {"n_samples": 80, "n_features": 6, "flip_y": 0.15, "random_state": i},
                "merge": {"benign": [0], "malignant": [1]},
                "positive": "malignant",
            }
            for i in range(1, 3)
        },
    },
    "models": {
        # columns of numbers need no preparation, which would take most of the time
        "tree": {
            "estimator": "sklearn.tree.DecisionTreeClassifier",
            "params": {"max_depth": 2},
            "preprocessing": "none",
        },
        "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB", "preprocessing": "none"},
        "knn": {"estimator": "sklearn.neighbors.KNeighborsClassifier", "preprocessing": "none"},
    },
    "resampling": {
        "cv_5x2": {},
        "kfold": {"folds": 4},
        "halves": {"repeats": 2, "folds": 3, "full_repeats": 1},
        "resampled": {"repeats": 3},
        "holdout": {"test_size": 0.4},
    },
    "metrics": ["accuracy", "brier"],
    "costs": {"classes": ["benign", "malignant"], "matrix": [[0, 1], [5, 0]]},
}


def analysis(models=3, datasets=1, data=(), **changes):
    """Return an analysis; models and data sets are given by their number, or as they are."""
    if isinstance(models, int):
        models = {f"m{i}": {"estimator": "sklearn.naive_bayes.GaussianNB"} for i in range(models)}
    if isinstance(datasets, int):
        iris = {"source": "sklearn", "name": "iris", **dict(data)}
        datasets = {f"d{i}": iris for i in range(datasets)}
    config = {
        "experiment": "e",
        "datasets": datasets,
        "models": models,
        "resampling": {"cv_5x2": {}, "kfold": {"folds": 10}, "resampled": {}, "holdout": {}},
        "metrics": ["accuracy", "log_loss", "mcc"],
    }
    return _analysis_of_text(json.dumps(config | changes))


@cache
def _analysis_of_text(config):
    """Return what an experiment compares; many tests ask for the same few."""
    return analysis_of(load_experiment(json.loads(config)))


class Study:
    """The files of a study's results, and its settings."""

    def __init__(self, folder):
        self.config, self.experiment = STUDY, load_experiment(STUDY)
        self.paths = Paths(str(folder))

    def fit(self):
        """Fit, score and collect."""
        needs = RuleInputs(self.experiment, self.paths)
        for dataset in self.experiment.datasets:
            steps.load_dataset(needs, dataset)
            for plan in needs.plans:
                steps.split_dataset(needs, dataset, plan)
                for fit in self.experiment.fits(dataset):
                    if fit.plan == plan:
                        Fitter(needs, None).fit(fit)
                steps.collect_scores(needs, dataset, plan)
                if plan in ("cv_5x2", "holdout"):
                    steps.collect_predictions(needs, dataset, plan)
        steps.all_scores(needs)
        steps.score_matrix(needs, AnalysisPlan())

    def run(self, tests, **changes):
        """Run tests with other settings on the fits that are there."""
        experiment = load_experiment({**self.config, "tests": tests, **changes})
        problems, chosen = plan_tests(experiment)
        assert problems == []
        evidence = RuleInputs(experiment, self.paths).evidence
        return [row for test in chosen for row in run_planned(test, experiment, evidence(test))]


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Return a study that was fitted once; not to be changed."""
    return Study(once(tmp_path_factory, "study", lambda folder: Study(folder).fit()))
