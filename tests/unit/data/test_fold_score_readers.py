"""Fold scores that scikit-learn made, however they were saved, as `scores:` of an experiment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, RepeatedKFold, cross_validate

from bakeoff.cli import main
from bakeoff.data import readers
from bakeoff.data.readers import sklearn_cv
from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.scores.given_results import given_scores
from bakeoff.spec import load_experiment

SCORING = {"accuracy": "accuracy", "neg_log_loss": "neg_log_loss"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def validated() -> dict[str, Any]:
    """Validate a guess on two repeats of three folds."""
    return cross_validate(
        DummyClassifier(strategy="stratified", random_state=0),
        *load_iris(return_X_y=True),
        cv=RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        scoring=SCORING,
        return_indices=True,
    )


def listed(found: Any) -> Any:
    """Turn arrays into lists, as who saves JSON must."""
    if isinstance(found, dict):
        return {key: listed(value) for key, value in found.items()}
    return [listed(one) for one in found] if isinstance(found, (list, tuple, np.ndarray)) else found


def plain(found: dict[str, Any]) -> str:
    return json.dumps(listed(found), default=float)


def experiment(file: str, models: tuple[str, ...] = ("a", "b"), **more: Any) -> dict[str, Any]:
    return {
        "experiment": "e",
        "datasets": {"iris": {"source": "given"}},
        "models": {model: {"scores": file} for model in models},
        "resampling": {"kfold": {"folds": 3, "repeats": 2}},
        "metrics": ["accuracy", "log_loss"],
        "tests": {"run": ["corrected_repeated_kfold_t"]},
        **more,
    }


def test_every_form_gives_the_same_scores(validated: dict[str, Any]) -> None:
    scores = {key: value for key, value in validated.items() if key != "indices"}
    table = pd.DataFrame(scores)
    table.to_csv("indexed.csv")
    table.to_csv("semicolons.csv", sep=";", index=False)
    table.to_json("columns.json")
    table.to_json("records.json", orient="records")
    Path("lists.json").write_text(plain(scores))
    for path in sorted(Path().glob("*.*")):
        reader = readers.reader_of(str(path))
        assert reader is sklearn_cv, path
        found = reader.read(path.read_text())
        assert found.columns.tolist() == ["split", "metric", "value"]
        for metric, name, sign in (("accuracy", "accuracy", 1), ("log_loss", "neg_log_loss", -1)):
            own = found[found["metric"] == metric].sort_values("split")
            assert own["split"].tolist() == [1, 2, 3, 4, 5, 6]
            assert own["value"].tolist() == pytest.approx(sign * scores[f"test_{name}"])


def test_splits_are_repeats_and_folds_with_their_sizes(validated: dict[str, Any]) -> None:
    Path("cv.json").write_text(plain(validated))
    loaded = load_experiment(experiment("cv.json"))
    scores, _ = given_scores(loaded, "iris", "kfold")
    own = scores.query("model == 'a' and metric == 'accuracy'")
    assert own[["repeat", "fold"]].to_numpy().tolist() == [
        [r, f] for r in (1, 2) for f in (1, 2, 3)
    ]
    assert own["value"].tolist() == pytest.approx(validated["test_accuracy"])
    assert (set(own["n_train"]), set(own["n_test"])) == ({100}, {50})
    assert check_experiment(loaded)[0] == []


def test_without_sizes_corrected_tests_say_what_is_lacking(validated: dict[str, Any]) -> None:
    scores = {key: value for key, value in validated.items() if key != "indices"}
    Path("cv.json").write_text(plain(scores))
    problems, _ = check_experiment(load_experiment(experiment("cv.json")))
    said = [problem.message for problem in problems]
    assert any("to 'cv.json', or save it with the indices of rows" in one for one in said)


def test_a_plan_of_other_splits_is_refused(validated: dict[str, Any]) -> None:
    Path("cv.json").write_text(plain(validated))
    other = load_experiment(experiment("cv.json", resampling={"kfold": {"folds": 3}}))
    with pytest.raises(UserError, match=r"'cv.json' has scores of 6 splits, kfold has 3: say in"):
        given_scores(other, "iris", "kfold")


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_candidates_of_a_search_are_models(kind: str) -> None:
    search = GridSearchCV(
        DummyClassifier(random_state=0), {"strategy": ["uniform", "stratified"]}, cv=3
    )
    results = search.fit(*load_iris(return_X_y=True)).cv_results_
    path = Path(f"results.{kind}")
    if kind == "json":
        path.write_text(plain(results))
    else:
        pd.DataFrame(results).to_csv(path, index=False)
    models = ("candidate_0", "candidate_1")
    spec = experiment(path.name, models, resampling={"kfold": {"folds": 3}})
    spec["metrics"] = [{"name": "score", "greater_is_better": True}]
    scores, _ = given_scores(load_experiment(spec), "iris", "kfold")
    for i, name in enumerate(models):
        expected = [results[f"split{k}_test_score"][i] for k in range(3)]
        own = scores[scores["model"] == name]
        assert own["value"].tolist() == pytest.approx(expected)
    one = {key: value[:1] for key, value in listed(results).items()}
    assert "model" not in sklearn_cv.read(json.dumps(one, default=float)).columns


def test_a_table_with_times_of_fits_alone_is_plain() -> None:
    pd.DataFrame({"id": [1, 2], "y_true": ["a", "b"], "fit_time": [1, 2]}).to_csv("t.csv")
    assert readers.reader_of("t.csv") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"fit_time": [1], "test_score": ["good"]}', "score is 'good' in a split"),
        ('{"fit_time": [1], "test_score": [1]', "it is no JSON"),
        ('[{"fit_time": 1, "test_score": null}, {"x": [1]}]', None),
    ],
)
def test_wrong_files_are_refused(text: str, message: str | None) -> None:
    assert sklearn_cv.recognizes(text)
    if message is None:
        assert sklearn_cv.read(text)["value"].isna().all()
        return
    with pytest.raises(ValueError, match=message):
        sklearn_cv.read(text)


@pytest.mark.parametrize("name", ["cv.json", "cv.csv"])
def test_scores_of_folds_are_no_predictions(
    capsys: pytest.CaptureFixture[str], validated: dict[str, Any], name: str
) -> None:
    scores = {key: value for key, value in validated.items() if key != "indices"}
    pd.DataFrame(scores).to_csv("cv.csv", index=False)
    Path("cv.json").write_text(plain(scores))
    Path("b").mkdir()
    Path("b", name).write_bytes(Path(name).read_bytes())
    said = "holds fold scores of scikit-learn, and not predictions of rows: name it in `scores:`"
    for command, code in ((["compare"], 2), (["gate", "--margin", "0.1"], 3)):
        assert main([*command, name, f"b/{name}"]) == code
        assert said in " ".join(capsys.readouterr().err.split())
    assert main(["compare", name]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_predictions_of_rows_are_no_scores_of_folds() -> None:
    Path("s.jsonl").write_text('{"doc_id": 0, "target": "1", "filtered_resps": [], "acc": 1.0}\n')
    with pytest.raises(UserError, match="of rows and not of folds: name it in `predictions:`"):
        given_scores(load_experiment(experiment("s.jsonl")), "iris", "kfold")
