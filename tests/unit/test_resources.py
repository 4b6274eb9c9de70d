"""What a previous run says about the resources of the next."""

from pathlib import Path

import yaml

from bakeoff.cli import main
from bakeoff.resources import profile_lines, read_usage, suggest_batches

TABLE = """dataset,model,plan,repeat,fold,seed,fit_seconds,predict_seconds,peak_memory_mb
d,small,kfold,1,1,1,1.0,0.5,200.0
d,small,kfold,1,2,1,2.0,0.5,220.0
e,small,kfold,1,1,1,0.5,0.1,210.0
d,given,kfold,1,1,1,,,
d,big,kfold,1,1,1,100.0,20.0,1700.0
"""


def test_usage_is_that_of_the_largest_fits(tmp_path):
    table = tmp_path / "timings.csv"
    table.write_text(TABLE)
    small, big = read_usage(table)
    assert (small.model, small.fits, small.seconds) == ("small", 3, 2.5)
    assert (small.total_seconds, small.peak_mb) == (4.0, 220.0)
    assert (small.mem_mb, small.runtime) == (800, 2)
    assert (big.mem_mb, big.runtime) == (3000, 4)
    assert suggest_batches([small]) == "model"
    assert suggest_batches([small, big]) == "fold"
    assert "  - mem_mb=3000 * 2 ** (attempt - 1)" in profile_lines([small, big])


def test_no_run_no_suggestion(tmp_path):
    assert read_usage(tmp_path / "timings.csv") == []
    assert profile_lines([]) == []
    assert suggest_batches([]) == "fold"


def test_check_shows_them(tmp_path, monkeypatch, tiny, capsys):
    monkeypatch.chdir(tmp_path)
    Path("results/tiny").mkdir(parents=True)
    Path("results/tiny/timings.csv").write_text(TABLE)
    Path("tiny.yaml").write_text(yaml.safe_dump(tiny))
    assert main(["check", "tiny.yaml"]) == 0
    assert "mem_mb=3000 * 2 ** (attempt - 1)" in capsys.readouterr().out
