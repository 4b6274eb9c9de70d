"""The examples of the pages on tests and costs are valid, and their links lead somewhere."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bakeoff.compare import check_classes, choose_tests
from bakeoff.spec import load_experiment

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ["choosing-tests", "costs"]
AROUND: dict[str, Any] = {
    "experiment": "e",
    "datasets": {f"d{i}": {"source": "sklearn", "name": "breast_cancer"} for i in range(6)},
    "models": {
        m: {"estimator": "sklearn.dummy.DummyClassifier"} for m in ("tree", "forest", "knn")
    },
    "resampling": {"cv_5x2": {}, "holdout": {}},
}


def examples(page: str) -> list[dict[str, Any]]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return [
        yaml.safe_load(block)
        for block in re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.M)
    ]


@pytest.mark.parametrize(
    ("page", "number"), [(page, i) for page in PAGES for i in range(len(examples(page)))]
)
def test_examples_are_valid(page: str, number: int) -> None:
    experiment = load_experiment(copy.deepcopy(AROUND) | examples(page)[number])
    problems, chosen = choose_tests(experiment)
    for dataset in experiment.datasets:
        problems += check_classes(experiment, dataset, ("benign", "malignant"))
    assert problems == []
    assert chosen


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", text)
    assert targets
    for target in targets:
        assert (DOCS / target).exists(), target


def test_the_message_shown_is_the_one_given() -> None:
    config = copy.deepcopy(AROUND) | {
        "resampling": {"kfold": {"repeats": 5}},
        "tests": {"run": ["corrected_kfold_t"]},
    }
    (problem,), _ = choose_tests(load_experiment(config))
    shown = re.sub(r"\s+", " ", (DOCS / "choosing-tests.md").read_text(encoding="utf-8"))
    assert str(problem) in shown
