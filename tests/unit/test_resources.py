"""What a previous run says about the resources of the next."""

from pathlib import Path

import pytest
import yaml

from bakeoff.cli import main
from bakeoff.resources import profile_lines, read_usage

TABLE = """dataset,model,plan,repeat,fold,seed,fit_seconds,predict_seconds,peak_memory_mb
d,small,kfold,1,1,1,1.0,0.5,200.0
d,small,kfold,1,2,1,2.0,0.5,220.0
e,small,kfold,1,1,1,0.5,0.1,210.0
d,given,kfold,1,1,1,,,
d,big,kfold,1,1,1,100.0,20.0,1700.0
"""


def test_usage_is_that_of_the_largest_fits(tmp_path):
    table = tmp_path / "timings.csv"
    assert read_usage(table) == []
    assert profile_lines([]) == []
    table.write_text(TABLE)
    small, big = read_usage(table)
    assert (small.model, small.fits, small.seconds) == ("small", 3, 2.5)
    assert (small.total_seconds, small.peak_mb) == (4.0, 220.0)
    assert (small.mem_mb, small.runtime) == (800, 2)
    assert (big.mem_mb, big.runtime) == (3000, 4)
    assert "  - mem_mb=3000 * 2 ** (attempt - 1)" in profile_lines([small, big])


HALVES = {"halves": {"repeats": 10}, "holdout": {}}
FOLDS = {"kfold": {"folds": 5, "repeats": 20}}


@pytest.mark.parametrize(
    ("resampling", "timed", "said"),
    [
        ({"cv_5x2": {}}, False, "fitted 10 times on a data set: 10 for 5 × 2-fold"),
        ({"cv_5x2": {}}, False, "At 10 seconds a fit they take about 5 minutes on one core."),
        ({"cv_5x2": {}}, True, "By the times of the last run they take about 3.2 minutes"),
        (HALVES, False, "is fitted 116 times on a data set: 115 for"),
        (HALVES, False, "`execution: {jobs_per: model}` runs those"),
        (FOLDS, False, "At 10 seconds a fit they take about 50 minutes"),
    ],
)
def test_check_says_how_many_fits_there_are_and_how_long_they_take(
    tiny, capsys, resampling, timed, said, in_folder
):
    if timed:
        Path("results/tiny").mkdir(parents=True)
        models = "".join(f"{m},iris,cv_5x2,1,1,6.0,0.5,900\n" for m in tiny["models"])
        Path("results/tiny/timings.csv").write_text(
            f"model,dataset,plan,repeat,fold,fit_seconds,predict_seconds,peak_memory_mb\n{models}"
        )
    tiny |= {"resampling": resampling, "tests": {"run": "recommended"}}
    Path("tiny.yaml").write_text(yaml.safe_dump(tiny))
    assert main(["check", "tiny.yaml"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert said in out
    assert ("mem_mb=1800 * 2 ** (attempt - 1)" in out) == timed
    assert ("jobs_per" in out.partition("Resources")[0]) == ("cv_5x2" not in resampling)
