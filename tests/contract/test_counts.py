"""What a batch of fits reads and does is counted: nothing else tells that it became slower."""

import dataclasses
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bakeoff import files
from bakeoff.comparisons.collected import read_predictions
from bakeoff.data import splits, table
from bakeoff.execution import digests, steps
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.worker import work
from bakeoff.fit import run_fit
from bakeoff.fit.fit_task import FitTask
from bakeoff.scores import collect, collect_predictions, score_fits
from bakeoff.scores.metrics import METRICS
from bakeoff.spec import load_experiment

OPENED = []
"""Where to write down what is opened."""


def note_opened(event, arguments):
    """Write down a file that Python opens; such a hook stays until the process ends."""
    if OPENED and event == "open" and isinstance(arguments[0], str | Path):
        OPENED[-1].append(str(arguments[0]))


@pytest.fixture
def batch(tiny, tmp_path, monkeypatch):
    """Return the 33 fits of the tiny experiment, as a worker is handed them."""
    monkeypatch.chdir(tmp_path)
    experiment = load_experiment(tiny)
    needs, known = RuleInputs(experiment), digests.of_fits(experiment)
    place = needs.paths
    steps.load_dataset(needs, "iris")
    for plan in needs.plans:
        steps.split_dataset(needs, "iris", plan)
    made = []
    for fit in experiment.fits():
        inputs = place.data("iris"), place.splits("iris", fit.plan)
        entry, fingerprint = experiment.fitted[fit.model], known["iris"][fit.model]
        made.append(
            FitTask(fit, entry, experiment.seed, *inputs, needs.prediction(fit), fingerprint)
        )
    return made


@pytest.fixture
def counted(monkeypatch):
    """Count the calls of functions and methods from now on."""

    def count(*places):
        calls = Counter()
        for owner, name in places:
            monkeypatch.setattr(owner, name, counting(getattr(owner, name), name, calls))
        return calls

    return count


def counting(function, name, calls):
    def called(*args, **options):
        calls[name] += 1
        return function(*args, **options)

    return called


def in_turn(batch):
    return [work(partial(steps.fit, task), None) for task in batch]


def test_batch_reads_each_table_and_each_division_once_and_is_not_done_again(batch, counted):
    written, trained = (pq, "write_table"), (run_fit, "train")
    read = (run_fit.Table, "read"), (files.hashlib, "file_digest"), (splits.pq, "ParquetFile")
    calls = counted(*read, written)
    assert in_turn(batch) == [True] * 33
    assert calls["read"] == 1
    assert calls["file_digest"] == 2  # files of divisions; the table was digested as it was written
    assert calls["ParquetFile"] <= 11 + 1  # a division each, of three models; and the table
    assert calls["write_table"] == 33
    calls = counted(trained, written)
    assert in_turn(batch) == [False] * 33
    assert not calls


def test_fit_opens_its_own_file_alone(batch):
    in_turn(batch[:11])  # tables, divisions, imports
    sys.addaudithook(note_opened)
    OPENED.append([])
    done = in_turn(batch[11:])
    opened = OPENED.pop()
    assert done == [True] * 22
    below = [path for path in opened if str(Path.cwd()) in path or not Path(path).is_absolute()]
    # its predictions, and what they took, which is opened once more to be written
    assert len(below) == 3 * 22


def test_only_what_writes_the_card_searches_for_repeated_rows(tiny, tmp_path, counted, monkeypatch):
    monkeypatch.chdir(tmp_path)
    experiment = load_experiment(tiny)
    calls = counted((table, "row_digests"))
    assert steps.check(experiment)[0] == []
    assert not calls
    steps.load_dataset(RuleInputs(experiment), "iris")
    assert calls["row_digests"] == 1


def test_each_metric_is_computed_once_for_each_fit(batch, counted, monkeypatch):
    in_turn(batch)
    calls, accuracy = counted((collect.Predictions, "read")), METRICS["accuracy"]
    value = counting(accuracy.value, "accuracy", calls)
    monkeypatch.setitem(METRICS, "accuracy", dataclasses.replace(accuracy, value=value))
    score_fits([task.output for task in batch], ["accuracy", "balanced_accuracy"])
    assert calls == {"accuracy": 33, "read": 33}


def test_labels_alone_are_read_where_no_metric_ranks_rows(batch, monkeypatch):
    in_turn(batch[:2])
    columns = []

    class Noting(pq.ParquetFile):
        def read(self, *args, **options):
            table = super().read(*args, **options)
            columns.append(table.column_names)
            return table

    monkeypatch.setattr(pq, "ParquetFile", Noting)
    files = [task.output for task in batch[:2]]
    score_fits(files, ["accuracy", "f1_macro"])
    assert columns == [["row_id", "y_true", "y_pred"]] * 2
    score_fits(files, ["accuracy", "log_loss"])
    assert [len(names) for names in columns[2:]] == [6, 6]  # three classes


def test_collected_predictions_are_opened_once(batch, counted):
    in_turn(batch)
    of_holdout = {one.fit.model: one.output for one in batch if one.fit.plan == "holdout"}
    collect_predictions(of_holdout, "collected.parquet")
    calls = counted((pq, "ParquetFile"), (pq, "read_table"))
    assert read_predictions("collected.parquet", list(of_holdout)).models == tuple(of_holdout)
    assert calls == {"ParquetFile": 1}


def test_fingerprint_of_a_model_is_digested_once_for_all_data_sets(tiny, counted):
    tiny["datasets"] = {f"d{i}": dict(tiny["datasets"]["iris"]) for i in range(5)}
    experiment = load_experiment(tiny)
    calls = counted((digests, "own_code"))
    fingerprints = digests.of_fits(experiment)
    assert calls == {"own_code": len(experiment.models)}
    assert all(found == fingerprints["d0"] for found in fingerprints.values())
