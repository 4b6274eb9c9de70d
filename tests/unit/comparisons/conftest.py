"""A small study fitted by the real functions, without Snakemake, for the tests of comparisons."""

import copy

import pandas as pd
import pytest

from bakeoff.comparisons.evidence import HOLES, MATRIX
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import run_planned
from bakeoff.data import load_table, make_splits
from bakeoff.data.splits import write_splits
from bakeoff.execution import steps
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.run_fit import run_fit
from bakeoff.paths import Paths
from bakeoff.scores import collect_predictions, score_fits
from bakeoff.scores.collect import collect_fold_predictions
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
                "params": {
                    "n_samples": 80,
                    "n_features": 6,
                    "flip_y": 0.15,
                    "random_state": i,
                },
                "merge": {"benign": [0], "malignant": [1]},
                "positive": "malignant",
            }
            for i in range(1, 6)
        },
    },
    "models": {
        "tree": {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}},
        "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
        "knn": {"estimator": "sklearn.neighbors.KNeighborsClassifier"},
    },
    "resampling": {
        "cv_5x2": {},
        "kfold": {"folds": 5},
        "halves": {"repeats": 2, "folds": 3, "full_repeats": 1},
        "resampled": {"repeats": 4},
        "holdout": {"test_size": 0.4},
    },
    "metrics": ["accuracy", "brier"],
    "costs": {"classes": ["benign", "malignant"], "matrix": [[0, 1], [5, 0]]},
    "tests": {"margin": 0.05, "options": {}},
}


def experiment(models=3, datasets=1, data=(), **changes):
    """Return an experiment; models and data sets are given by their number, or as they are."""
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
    return load_experiment(copy.deepcopy(config | changes))


class Study:
    """The files of a study's results."""

    def __init__(self, folder, config):
        self.folder = folder
        self.config = config
        self.experiment = load_experiment(config)

    def fit(self):
        """Load, split, fit, score and collect."""
        e, every = self.experiment, []
        for dataset, spec in e.datasets.items():
            data = self._path(f"{dataset}.parquet")
            table = load_table(dataset, spec, e.seed)
            table.write(data, self._path(f"{dataset}.json"))
            for name, plan in e.resampling.plans().items():
                splits = self._path(f"{dataset}.{name}.splits")
                write_splits(splits, make_splits(dataset, table, name, plan, e.seed))
                made = {
                    fit: self._path(f"{dataset}.{fit.model}.{fit.split}")
                    for fit in e.fits()
                    if (fit.dataset, fit.plan) == (dataset, name)
                }
                for fit, path in made.items():
                    run_fit(FitTask(fit, e.models[fit.model], e.seed, data, splits, path))
                scores, _ = score_fits(made.values(), e.metrics, e.costs)
                scores.to_csv(self.file(dataset, name, "scores"), index=False)
                every.append(scores)
                if name == "cv_5x2":
                    folds = {m: [p for f, p in made.items() if f.model == m] for m in e.models}
                    collect_fold_predictions(folds, self.file(dataset, name, "predictions"))
                if name == "holdout":
                    paths = {fit.model: path for fit, path in made.items()}
                    collect_predictions(paths, self.file(dataset, name, "predictions"))
        pd.concat(every).to_csv(self._path("scores.csv"), index=False)
        steps.score_matrix(RuleInputs(e, Paths(str(self.folder))), AnalysisPlan())

    @property
    def matrix(self):
        """The files of the score matrix."""
        return {MATRIX: self._path("score_matrix.csv"), HOLES: self._path("missing_scores.json")}

    def file(self, dataset, plan, kind):
        """Return the file of one data set's scores or predictions."""
        return self._path(f"{dataset}.{plan}.{kind}")

    def inputs(self, chosen, experiment):
        """Name the files that feed a test, as the workflow does."""
        if chosen.on_datasets:
            return self.matrix
        kind = "predictions" if chosen.on_predictions else "scores"
        return {name: self.file(name, chosen.plan, kind) for name in experiment.datasets}

    def run(self, tests, **changes):
        """Run tests with other settings on the fits that are there."""
        experiment = load_experiment({**self.config, "tests": tests, **changes})
        problems, chosen = plan_tests(experiment)
        assert problems == []
        return [
            comparison
            for test in chosen
            for comparison in run_planned(test, experiment, self.inputs(test, experiment))
        ]

    def _path(self, name):
        return str(self.folder / name)


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Return a study that was fitted once; not to be changed."""
    return Study(once(tmp_path_factory, "study", lambda folder: Study(folder, STUDY).fit()), STUDY)
