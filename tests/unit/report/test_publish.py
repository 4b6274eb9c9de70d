"""The evaluation part of a model card, and runs of MLflow."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace

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


class Client:
    def __init__(self, tracking_uri):
        self.uri, self.runs, self.ended = tracking_uri, {}, []
        Client.last = self

    def get_experiment_by_name(self, name):
        if self.uri == "http://nowhere":
            raise sys.modules["mlflow.exceptions"].MlflowException("no\nanswer")

    def create_experiment(self, name):
        return f"id of {name}"

    def create_run(self, place, run_name):
        self.runs[run_name] = {"place": place, "files": []}
        return SimpleNamespace(info=SimpleNamespace(run_id=run_name))

    def log_batch(self, run, metrics=(), params=(), tags=()):
        kinds = {"metrics": metrics, "params": params, "tags": tags}
        for kind, found in kinds.items():
            self.runs[run].setdefault(kind, {}).update({one[0]: one[1] for one in found})

    def log_artifact(self, run, path):
        self.runs[run]["files"].append(path)

    def set_terminated(self, run):
        self.ended.append(run)


@pytest.fixture
def mlflow(monkeypatch):
    of_entity = {name: (lambda *values: values) for name in ("Metric", "Param", "RunTag")}
    parts = {
        "mlflow": {"MlflowClient": Client},
        "mlflow.entities": of_entity,
        "mlflow.exceptions": {"MlflowException": type("MlflowException", (Exception,), {})},
    }
    for name, found in parts.items():
        module = ModuleType(name)
        vars(module).update(found)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("bakeoff.extras.find_spec", lambda name: object())


def test_each_model_has_a_run_with_intervals_and_the_verdict(study, mlflow, tmp_path):
    runs = write_runs(study, answer(study), "sqlite:///x.db", [tmp_path / "report.html"])
    client = Client.last
    assert runs == client.ended == ["first | best", "second"]
    first, second = client.runs.values()
    assert first["place"] == "id of made-up"
    assert first["metrics"]["holdout/accuracy"] == pytest.approx(0.95)
    low, high = (first["metrics"][f"holdout/accuracy.ci_{end}"] for end in ("low", "high"))
    assert low < 0.95 < high
    assert first["params"]["estimator"] == "sklearn.dummy.DummyClassifier"
    assert first["tags"]["bakeoff.verdict"] == answer(study).headline
    assert [run["tags"]["bakeoff.leads"] for run in (first, second)] == ["true", "false"]
    assert first["files"] == [str(tmp_path / "report.html")]


def test_a_store_that_does_not_answer_is_one_sentence(study, mlflow):
    with pytest.raises(UserError, match=r"--mlflow: http://nowhere: no answer$"):
        write_runs(study, answer(study), "http://nowhere", [])


@pytest.mark.skipif(importlib.util.find_spec("alembic") is None, reason="a database of MLflow")
@pytest.mark.filterwarnings("ignore")  # of MLflow's own packages
def test_the_real_client_takes_it(study, tmp_path):
    client = pytest.importorskip("mlflow").MlflowClient(f"sqlite:///{tmp_path}/m.db")
    runs = write_runs(study, answer(study), f"sqlite:///{tmp_path}/m.db", [])
    assert client.get_run(runs[0]).data.metrics["holdout/accuracy"] == pytest.approx(0.95)
