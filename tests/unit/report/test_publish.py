"""The evaluation part of a model card, and runs of MLflow."""

import importlib.util
import sys
from unittest.mock import MagicMock

import pytest
import yaml

from bakeoff.errors import UserError
from bakeoff.report.publish import model_card, write_runs
from bakeoff.report.verdict import answer
from tests.unit.report.studies import experiment, ran

MEANS = {"a": 0.95, "b": 0.80}


@pytest.fixture(scope="module")
def study():
    return ran(
        experiment({"a": "first | best", "b": "second"}, tests=("cv5x2_f", "mcnemar")),
        MEANS,
        accuracies=MEANS,
    )


def test_card_is_about_the_leader_with_its_test_and_metadata(study):
    card = model_card(study, answer(study))
    _, metadata, text = card.split("---\n", 2)
    (entry,) = yaml.safe_load(metadata)["model-index"]
    assert entry["name"] == "first | best"
    (result,) = entry["results"]
    assert result["task"] == {"type": "tabular-classification"}
    values = {one["name"]: one["value"] for one in result["metrics"]}
    scores = study.scores[study.scores["model"] == "a"].groupby("plan")["value"].mean()
    assert sorted(values.values()) == pytest.approx(sorted(scores), abs=1e-6)
    assert "# Evaluation of first \\| best" in text
    assert answer(study).headline.replace("|", "\\|") in text
    assert "| second |" in text
    assert "By accuracy, Combined 5×2cv F test, level 5%" in text


def test_differences_are_seen_from_the_leader():
    means = {"a": 0.8, "b": 0.95}
    turned = ran(experiment(["a", "b"]), means, accuracies=means)
    card = model_card(turned, answer(turned))
    assert "# Evaluation of b" in card
    (line,) = (line for line in card.splitlines() if line.startswith("| a |"))
    assert float(line.split("|")[3]) > 0.1
    assert line.endswith("| b better |")


@pytest.fixture
def client(monkeypatch):
    """Stand in for MLflow; what a client is told are the calls of the mock."""
    modules = {name: MagicMock() for name in ("mlflow", "mlflow.entities", "mlflow.exceptions")}
    for name in ("Metric", "Param", "RunTag"):
        setattr(modules["mlflow.entities"], name, lambda *values: values)
    modules["mlflow.exceptions"].MlflowException = ConnectionError
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("bakeoff.extras.find_spec", lambda name: object())
    client = modules["mlflow"].MlflowClient.return_value
    client.create_run.side_effect = lambda place, run_name: MagicMock(
        info=MagicMock(run_id=run_name)
    )
    return client


def test_each_model_has_a_run_with_intervals_and_the_verdict(study, client, tmp_path):
    runs = write_runs(study, answer(study), "sqlite:///x.db", [tmp_path / "report.html"])
    ended = [call.args for call in client.set_terminated.call_args_list]
    assert ended == [(run,) for run in runs] == [("first | best",), ("second",)]
    logged = {run: {} for run in runs}
    for call in client.log_batch.call_args_list:
        for each in call.kwargs.values():
            logged[call.args[0]] |= {name: value for name, value, *_ in each}
    first, second = logged.values()
    assert first["holdout/accuracy"] == pytest.approx(0.95)
    assert first["holdout/accuracy.ci_low"] < 0.95 < first["holdout/accuracy.ci_high"]
    assert first["estimator"] == "sklearn.dummy.DummyClassifier"
    assert first["bakeoff.verdict"] == answer(study).headline
    assert (first["bakeoff.leads"], second["bakeoff.leads"]) == ("true", "false")
    client.log_artifact.assert_any_call("second", str(tmp_path / "report.html"))


def test_a_store_that_does_not_answer_is_one_sentence(study, client):
    client.get_experiment_by_name.side_effect = ConnectionError("no\nanswer")
    with pytest.raises(UserError, match=r"--mlflow: http://nowhere: no answer$"):
        write_runs(study, answer(study), "http://nowhere", [])


@pytest.mark.skipif(importlib.util.find_spec("alembic") is None, reason="a database of MLflow")
@pytest.mark.filterwarnings("ignore")  # of MLflow's own packages
def test_the_real_client_takes_it(study, tmp_path):
    client = pytest.importorskip("mlflow").MlflowClient(f"sqlite:///{tmp_path}/m.db")
    runs = write_runs(study, answer(study), f"sqlite:///{tmp_path}/m.db", [])
    assert client.get_run(runs[0]).data.metrics["holdout/accuracy"] == pytest.approx(0.95)
