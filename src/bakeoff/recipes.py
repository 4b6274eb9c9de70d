"""Digests of what determines a result, so that a change reruns just what depends on it.

Snakemake sees changed inputs and parameters, but not changed package code or library versions:
rules carry these digests as parameters.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

from bakeoff.fit.measure import distributions_of, versions
from bakeoff.spec.experiment import Experiment, digest

ROOT = Path(__file__).parent
_FIT_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "skrub")


@cache
def code(*places: str) -> str:
    """Digest source files or folders of the package; comments and docstrings do not count."""
    files = [
        file
        for place in places
        for file in (sorted((ROOT / place).rglob("*.py")) or [ROOT / place])
    ]
    return digest([_structure(file) for file in files])


def _structure(file: Path) -> str:
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        match body:
            case [ast.Expr(value=ast.Constant(value=str()) as docstring), *_]:
                docstring.value = ""
    return ast.dump(tree)


def of_data(experiment: Experiment, dataset: str) -> str:
    """Digest what makes a canonical table."""
    spec = experiment.datasets[dataset]
    seed = experiment.seed if spec.source == "generator" else None
    libraries = versions(("pandas", "pyarrow", "numpy", "scikit-learn"))
    return digest([_plain(spec), seed, code("data/sources.py", "data/table.py"), libraries])


def of_splits(experiment: Experiment, plan: str) -> str:
    """Digest what makes the divisions of a plan."""
    spec = experiment.resampling.plans()[plan]
    made_by = code("data/splits.py", "seeds.py"), versions(("numpy",))
    return digest([_plain(spec), experiment.seed, made_by])


def of_fit(experiment: Experiment, model: str) -> str:
    """Digest what makes the predictions of a model, given data and splits."""
    spec = experiment.models[model]
    libraries = versions((*_FIT_PACKAGES, *distributions_of(spec.estimator)))
    made_by = code("fit", "data/splits.py", "data/table.py", "seeds.py")
    return digest([_plain(spec, "label"), experiment.seed, made_by, libraries])


def of_scores(experiment: Experiment) -> str:
    """Digest what makes scores from predictions."""
    return digest([experiment.metrics, code("scores", "fit/predictions.py")])


def of_test(experiment: Experiment, test: str) -> str:
    """Digest what makes the results of one test from scores or predictions."""
    settings = _plain(experiment.tests, "run")
    made_by = code("stats", "compare", "tasks.py"), versions(("numpy", "scipy"))
    return digest([test, settings, experiment.metrics, list(experiment.models), made_by])


def of_report(experiment: Experiment) -> str:
    """Digest what makes the report from results."""
    places = sorted((ROOT / "report" / "templates").iterdir())
    templates = [path.read_text(encoding="utf-8") for path in places]
    made_by = code("report", "stats", "scores/metrics.py"), versions(("matplotlib", "jinja2"))
    return digest([experiment.resolved(), templates, made_by])


def _plain(part: Any, *without: str) -> Any:
    return part.model_dump(mode="json", exclude=set(without))
