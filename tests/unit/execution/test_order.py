"""The longest fits go first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bakeoff.execution.order import FIRST, priorities
from bakeoff.spec.models import Model

BEFORE = """dataset,model,fit_seconds,predict_seconds,peak_memory_mb
d,forest,1.0,0.5,200.0
d,svm,100.0,0.5,200.0
d,given,,,
"""


def order(timings: Path, **models: dict[str, Any]) -> list[str]:
    found = priorities({n: Model.model_validate(m) for n, m in models.items()}, timings)
    assert all(0 <= priority < FIRST for priority in found.values())
    return sorted(found, key=lambda name: -found[name])


SVM: dict[str, Any] = {"estimator": "sklearn.svm.SVC"}
FOREST = {"estimator": "sklearn.ensemble.RandomForestClassifier"}
TREES = {"estimator": "xgboost.XGBClassifier", "params": {"n_estimators": 300}}
GRID = SVM | {"tune": {"space": {"C": [1, 10]}, "cv": 3}}
DRAWN = SVM | {
    "tune": {"search": "random", "n_iter": 40, "validation": 0.2, "space": {"C": [1, 2, 3]}}
}


def test_by_size_where_nothing_was_fitted_yet(tmp_path: Path) -> None:
    models = {"svm": SVM, "grid": GRID, "drawn": DRAWN, "trees": TREES, "forest": FOREST}
    assert order(tmp_path / "timings.csv", **models) == ["trees", "forest", "drawn", "grid", "svm"]


def test_by_time_where_it_is_known_and_what_is_new_at_once(tmp_path: Path) -> None:
    timings = tmp_path / "timings.csv"
    timings.write_text(BEFORE)
    assert order(timings, forest=FOREST, svm=SVM, new=SVM) == ["new", "svm", "forest"]
