"""`bakeoff run` and `init --folder`: what is handed to snakemake, and a folder that works."""

from pathlib import Path

import pytest

from bakeoff import __version__
from bakeoff.cli import main
from bakeoff.preflight import check_experiment
from bakeoff.spec import read_experiment
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _file(in_folder):
    Path("study.yaml").touch()


def started(monkeypatch, *arguments):
    lines = []
    monkeypatch.setattr("bakeoff.cli.os.execv", lambda _, line: lines.append(line))
    main(["run", *arguments])
    return lines[0][5:]


FILE = ["--configfile", "study.yaml"]


@pytest.mark.parametrize(
    ("given", "handed"),
    [
        (["study.yaml"], []),
        (["study.yaml", "--cores", "2"], ["--cores", "2"]),
        (["-c", "3", "study.yaml", "-n"], ["--cores", "3", "-n"]),
        (["study.yaml", "--jobs", "4"], ["--jobs", "4"]),
        (["study.yaml", "--forcerun", "compare"], ["--forcerun", "compare"]),
        (["study.yaml", "-d", "there"], ["-d", "there"]),
        (["study.yaml", "--dry"], ["--dry"]),
    ],
)
def test_unknown_options_go_to_snakemake_unchanged(monkeypatch, given, handed):
    assert started(monkeypatch, *given) == [*handed, *FILE]


def test_profile_says_how_many_jobs(monkeypatch):
    line = started(monkeypatch, "study.yaml", "--profile", "slurm")
    assert (line[0], Path(line[1]).name) == ("--profile", "slurm")
    assert "--cores" not in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run no.yaml", "no.yaml is not there"),
        ("run broken.yaml", "broken.yaml:2:1: not valid YAML: "),
        ("check study.yaml --forcerun x", "unknown option '--forcerun'"),
        ("init --folder .", "folder: . is not empty"),
        ("init --folder study.yaml", "study.yaml cannot be made"),
        ("init", "give a table and its --target, or for a folder with an example --folder"),
        ("init mine.csv", "give a table and its --target"),
        ("init --folder mine --target y", "folder: an example is laid out; leave the table"),
        ("init mine.csv --folder mine", "folder: an example is laid out; leave the table"),
    ],
)
def test_mistakes_end_with_2(refused, words, said):
    Path("broken.yaml").write_text("models: {a: [\n")
    refused(*words.split(), said=said)
    assert not Path("mine").exists()


def test_new_folder_holds_a_study_that_is_ready(capsys):
    assert main(["init", "--folder", "mine"]) == 0
    assert "mine/ is ready: cd mine && bakeoff run experiment.yaml" in capsys.readouterr().out
    found = {p.relative_to("mine").as_posix() for p in Path("mine").rglob("*") if p.is_file()}
    assert found == {
        *(".gitignore", "README.md", "data/.gitkeep", "experiment.yaml"),
        "predictions.csv",
    }
    shipped = ROOT / "config/data/predictions.csv"
    assert Path("mine/predictions.csv").read_bytes() == shipped.read_bytes()
    assert f"bakeoff=={__version__}" in Path("mine/README.md").read_text()
    problems, chosen = check_experiment(read_experiment("mine/experiment.yaml"))
    assert not problems
    assert chosen
