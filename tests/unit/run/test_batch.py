"""What a batch of fits does, keeps and writes down."""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UserError
from bakeoff.files import whole
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.stamp import find_outdated, is_made, stamp
from bakeoff.run import batch
from bakeoff.scores import collect_predictions, score_fits
from bakeoff.spec import Experiment, load_experiment


def experiment(tiny: dict[str, Any], per: str) -> Experiment:
    return load_experiment({**tiny, "execution": {"jobs_per": per}})


def test_batches_divide_the_fits(tiny: dict[str, Any]) -> None:
    tiny["datasets"]["wine"] = {"source": "sklearn", "name": "wine"}
    whole_study = list(load_experiment(tiny).fits())
    assert batch.records(experiment(tiny, "fold"), ["iris"]) == []
    assert batch.records(experiment(tiny, "dataset"), ["iris", "wine"]) == [
        "results/tiny/batches/iris.txt",
        "results/tiny/batches/wine.txt",
    ]
    per_model = experiment(tiny, "model")
    assert "results/tiny/batches/wine/stump.txt" in batch.records(per_model, ["wine"])
    parts = [batch.fits_of(per_model, [d, m]) for d in ("iris", "wine") for m in tiny["models"]]
    assert [fit for part in parts for fit in part] == whole_study
    parts = [batch.fits_of(per_model, [d]) for d in ("iris", "wine")]
    assert [fit for part in parts for fit in part] == whole_study


def test_failure_does_not_keep_the_others_from_being_done(tiny: dict[str, Any]) -> None:
    fits = list(load_experiment(tiny).fits())
    done = []

    def run(fit: Any) -> None:
        if fit.model == "tree":
            raise UserError(f"{fit.split} is too hard")
        done.append(fit)

    failed = batch.run_all(fits, run, 3)
    assert len(done) == 22
    assert failed == [f"{fit.split} is too hard" for fit in fits if fit.model == "tree"]
    told = batch.summary(failed, len(fits)).splitlines()
    assert told[0] == "11 of 33 fits failed:"
    assert told[-1] == "and 6 more fits"


def test_as_many_at_a_time_as_wanted(tiny: dict[str, Any]) -> None:
    meeting = threading.Barrier(2)
    assert (
        batch.run_all([*load_experiment(tiny).fits()][:4], lambda _: meeting.wait(5) and None, 2)
        == []
    )


def test_record_holds_while_its_files_are_as_it_says(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a", "b")]
    for file in files:
        file.touch()
    record = tmp_path / "deep/record.txt"
    batch.write_record(record, [str(file) for file in files])
    assert batch.holds(record)
    with whole(files[0]) as part:
        part.write_text("newer")
    assert not batch.holds(record)
    batch.write_record(record, [str(file) for file in files])
    assert batch.holds(record)
    files[1].unlink()
    assert not batch.holds(record)


def test_stamp_tells_what_made_a_file(tmp_path: Path) -> None:
    data, splits, output = (tmp_path / name for name in ("data", "splits", "p.parquet"))
    data.write_text("data")
    splits.write_text("splits")
    made_by = stamp("recipe", data, splits)
    assert not is_made(output, made_by)
    code = np.zeros(2, dtype=np.intp)
    Predictions(np.arange(2), code, code, ("u", "v"), None, None, made_by).write(output)
    assert is_made(output, made_by)
    assert not is_made(output, stamp("another", data, splits))
    data.write_text("other data")
    assert not is_made(output, stamp("recipe", data, splits))
    other = str(tmp_path / "missing.parquet")
    assert find_outdated({str(output): "recipe", other: "recipe"}) == []
    assert find_outdated({str(output): "new", other: "new"}) == [str(output)]
    output.write_text("half a file")
    assert find_outdated({str(output): "recipe"}) == [str(output)]


def test_predictions_of_another_recipe_are_not_scored(tmp_path: Path) -> None:
    code = np.zeros(2, dtype=np.intp)
    facts = {**dict.fromkeys(("dataset", "plan", "repeat", "fold", "seed"), 1), "model": "tree"}
    facts |= {"n_train": 2, "n_test": 2, "recipe": "old"}
    facts |= dict.fromkeys(("fit_seconds", "predict_seconds", "peak_memory_mb"), 1.0)
    path = tmp_path / "p.parquet"
    Predictions(np.arange(2), code, code, ("u", "v"), None, None, facts).write(path)
    scores, _ = score_fits([path], ["accuracy"], recipes={"tree": "old"})
    assert list(scores["value"]) == [1.0]
    for read in (
        lambda: score_fits([path], ["accuracy"], recipes={"tree": "new"}),
        lambda: collect_predictions({"tree": path}, tmp_path / "c.parquet", {"tree": "new"}),
    ):
        with pytest.raises(UserError, match=r"p\.parquet was made by another state"):
            read()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_full_disk_is_told_and_leaves_nothing(tmp_path: Path, number: int) -> None:
    def write() -> None:
        with whole(tmp_path / "table.csv") as part:
            part.write_text("half")
            raise OSError(number, "no room")

    with pytest.raises(UserError, match=r"table\.csv cannot be written: .*make room"):
        write()
    assert list(tmp_path.iterdir()) == []
