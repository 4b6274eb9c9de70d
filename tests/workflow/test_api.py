"""What the workflow leaves, read from Python: the same numbers."""

import json
from pathlib import Path

import pandas as pd
import pytest

import bakeoff
from bakeoff import UserError
from bakeoff.cli import main


@pytest.fixture(scope="module")
def results(finished):
    return finished.results()


@pytest.fixture(scope="module")
def found(results):
    return bakeoff.read(results)


def test_read_has_the_numbers_of_the_files(found, results):
    assert f"{found.verdict}\n" == (results / "verdict.txt").read_text(encoding="utf-8")
    assert f"{found.methods}\n" == (results / "methods.txt").read_text(encoding="utf-8")
    for table, file in ((found.scores, "scores.csv"), (found.comparisons, "comparisons.csv")):
        written = pd.read_csv(results / file, keep_default_na=False, dtype=str)
        again = table.to_csv(index=False, lineterminator="\n")
        assert again == (results / file).read_text(encoding="utf-8")
        assert list(written.columns) == list(table.columns)


def test_read_has_the_figures_and_tables_of_the_report(found, results, tmp_path):
    assert {f"{name}.svg" for name in found.figures} == {
        file.name for file in (results / "figures").glob("*.svg")
    }
    assert {f"{name}.tex" for name in found.tables} == {
        file.name for file in (results / "tables").glob("*.tex")
    }
    for name in found.tables:
        written = (results / "tables" / f"{name}.tex").read_text(encoding="utf-8")
        assert found.to_latex(name) == written
    pairs = found.to_frame()
    assert (set(pairs["test"]), len(pairs)) == ({"cv5x2_f"}, 3)
    assert found.to_latex() == found.to_latex("pairs.cv5x2_f") == found.to_latex("pairs")
    whole = json.loads(found.to_json())
    assert whole["comparisons"] == json.loads((results / "comparisons.json").read_text())
    page = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('<svg class="figure') == len(found.figures)
    assert 'href="figures/' not in page
    assert found.verdict.splitlines()[0] in page


def test_folder_without_results_is_refused(tmp_path, finished_copy):
    with pytest.raises(UserError, match=r"no experiment\.yaml is in it"):
        bakeoff.read(tmp_path / "none")
    (finished_copy.results() / "scores.csv").unlink()
    with pytest.raises(UserError, match=r"lacks scores\.csv: the run has not ended"):
        bakeoff.read(finished_copy.results())


@pytest.mark.parametrize("file", ["tests.json", "comparisons.json"])
@pytest.mark.parametrize(
    ("name", "told"), [("clustered_mcnemar", "write `mcnemar`"), ("cv5x2_g", "did you mean")]
)
def test_results_with_a_test_that_is_no_longer_there_are_refused(finished_copy, file, name, told):
    path = finished_copy.results() / file
    path.write_text(path.read_text().replace('"cv5x2_f"', f'"{name}"'))
    with pytest.raises(UserError, match=rf"{name}.*{told}.*run the experiment again"):
        bakeoff.read(finished_copy.results())


def test_run_makes_what_is_not_there_and_reads_it(finished_copy, monkeypatch, capsys):
    monkeypatch.chdir(finished_copy.folder)
    finished_copy.results().joinpath("comparisons.csv").unlink()
    found = bakeoff.run("experiment.yaml", cores=2)
    assert found.verdict == bakeoff.read("results/tiny").verdict
    assert Path("results/tiny/comparisons.csv").is_file()
    assert "removed the lock" not in capsys.readouterr().err


def test_run_that_fails_is_told(finished_copy, monkeypatch, capsys):
    monkeypatch.chdir(finished_copy.folder)
    with pytest.raises(UserError, match=r"experiment\.yaml: the run ended with exit code \d+"):
        bakeoff.run("experiment.yaml", cores=2, options=["--no-such-option"])
    assert "no-such-option" in capsys.readouterr().err
    with pytest.raises(UserError, match=r"nothing\.yaml: cannot be read"):
        bakeoff.run("nothing.yaml")


def test_results_become_a_card(results, capsys):
    assert main(["publish", str(results)]) == 0
    card = capsys.readouterr().out
    assert card.startswith("---\nmodel-index:")
    verdict = (results / "verdict.txt").read_text(encoding="utf-8")
    assert verdict.splitlines()[0] in card
    assert main(["publish", str(results / "nothing")]) == 2
    assert "holds no results" in capsys.readouterr().err
