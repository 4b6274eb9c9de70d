"""Every experiment and every command of the documentation works, and prints what it says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from bakeoff.cli import main
from bakeoff.compare import choose_tests
from bakeoff.spec import Experiment, load_experiment
from tests.conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "config/README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = ("bakeoff ", "snakemake ", "make", "docker ", "apptainer ", "conda ", "pip ", ".venv/")
ELSEWHERE = ("make", "docker ", "apptainer ", "conda ", "pip ", ".venv/")
"""What installs or builds: the Makefile's targets and the images have tests of their own."""

MODEL = {"estimator": "sklearn.tree.DecisionTreeClassifier"}
BASE: dict[str, Any] = {
    "experiment": "fragment",
    "datasets": {f"d{i}": {"source": "sklearn", "name": "iris"} for i in range(6)},
    "models": dict.fromkeys(("forest", "logistic", "tree"), MODEL),
    "resampling": {"cv_5x2": {}, "kfold": {}, "resampled": {}, "holdout": {}},
    "metrics": ["accuracy", "roc_auc"],
}


def named(page: Path, line: int) -> str:
    return f"{page.relative_to(ROOT)}:{line}"


def experiments() -> list[Any]:
    found = []
    for page in PAGES:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            if block[1] == "yaml":
                place = named(page, text.count("\n", 0, block.start()) + 2)
                found.append(pytest.param(block[2], id=place))
    return found


@pytest.mark.parametrize("text", experiments())
def test_experiment_is_taken(text: str) -> None:
    block = yaml.safe_load(textwrap.dedent(text))
    keys = {field.alias or name for name, field in Experiment.model_fields.items()}
    if not set(block) <= keys:  # keys of a data set
        file = {"source": "file", "path": "d.csv", "target": "y"}
        block = {"datasets": {"d": {**file, **block}}}
    config = block if "experiment" in block else {**BASE, **block}
    experiment = load_experiment(config)
    if "tests" in block and "experiment" not in block:
        assert choose_tests(experiment)[0] == []


def commands() -> list[Any]:
    """Return every command, and what the page says that it prints."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for line in re.finditer(r"^    (\S.*)$", text, re.MULTILINE):
            if not line[1].startswith(PROGRAMS):
                continue
            rest = text[line.end() :]
            printed = re.match(r"\n\n```\n(.*?)^```$", rest, re.MULTILINE | re.DOTALL)
            place = named(page, text.count("\n", 0, line.start()) + 1)
            command = line[1].partition("  #")[0].strip()
            found.append(pytest.param(command, printed[1] if printed else "", id=place))
    return found


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the collected predictions of the default experiment, made once."""
    folder = tmp_path_factory.mktemp("default")
    target = "results/breast-cancer/collected/breast_cancer.holdout.predictions.parquet"
    snakemake(folder, "--cores", "2", target, "--configfile", str(ROOT / "config/config.yaml"))
    return folder / target


def snakemake(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--directory", str(folder), "--workflow-profile", str(ROOT / "profiles/default")),
            *arguments,
        ],
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with the files that the documentation speaks of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shutil.copytree(ROOT / "config", "config")
    Path("data").mkdir()
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 200)
    table = pd.DataFrame({"id": range(200), "a": rng.normal(size=200), "b": rng.random(200)})
    for file, target in (("data.csv", "y"), ("data/loans.csv", "defaulted")):
        table.assign(**{target: y}).to_csv(file, index=False)
    guesses = {m: np.where(rng.random(200) < 0.8, y, "no") for m in ("resnet", "vit", "mixer")}
    pd.DataFrame({"y_true": y, "diagnosis": y, **guesses}).drop(columns="diagnosis").to_csv(
        "predictions.csv", index=False
    )
    for model, guess in guesses.items():
        own = pd.DataFrame({"id": range(200), "y_true": y, "y_pred": guess})
        own.to_csv(f"{model}.csv", index=False)
    pets = table.assign(animal=np.where(y == "no", "cat", "dog")).rename(columns={"id": "image"})
    pets.to_csv("config/pets.csv", index=False)
    Path("config/mine.yaml").write_text(
        "experiment: mine\n"
        "datasets: {pets: {source: file, path: pets.csv, target: animal, id: image}}\n"
        "models: {tree: {estimator: sklearn.tree.DecisionTreeClassifier}}\n"
        "resampling: {holdout: {}}\n"
    )
    return tmp_path


@pytest.mark.parametrize(("command", "printed"), commands())
def test_command_works_and_prints_what_is_said(
    command: str,
    printed: str,
    folder: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if command.startswith((*ELSEWHERE, "bakeoff power", "bakeoff gate")):
        return  # power reads results, and a gate's exit code is its answer: their own tests
    program, *arguments = shlex.split(command)
    if "results/breast-cancer" in command:
        target = Path(next(a for a in arguments if a.startswith("results/")))
        target.parent.mkdir(parents=True)
        shutil.copy(request.getfixturevalue("collected"), target)
    if "--truth" in arguments:  # the column that the example names
        frame = pd.read_csv("predictions.csv")
        frame = frame.rename(columns={"y_true": arguments[arguments.index("--truth") + 1]})
        frame.to_csv("predictions.csv", index=False)
    if program == "bakeoff":
        if arguments[0] == "init":
            Path("config/mine.yaml").unlink()
        assert main(arguments) == 0, capsys.readouterr().err
        output = capsys.readouterr().out
    elif "--profile" in arguments or "--report" in arguments:
        return  # a cluster, and results: tests/cluster, tests/workflow
    else:
        output = snakemake(folder, *arguments, "-n")
    assert printed in output


@pytest.mark.slow
def test_numbers_of_the_readme(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    block = next(b[2] for b in BLOCK.finditer(text) if b[1] == "yaml")
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "mine.yaml").write_text(block)
    snakemake(tmp_path, "--cores", "2", "--configfile", "mine.yaml")
    results = tmp_path / "results/attrition"
    scores = pd.read_csv(results / "scores.csv").query("metric == 'accuracy'")
    means = scores.groupby(["plan", "model"])["value"].mean()
    tests = pd.read_csv(results / "comparisons.csv").query("metric == 'accuracy'")
    p = tests.set_index("test")["pvalue"]
    for plan, test in (("cv_5x2", "cv5x2_f"), ("holdout", "mcnemar")):
        row = f"{means[plan, 'gbm']:.3f} | {means[plan, 'rf']:.3f} | "
        (line,) = [line for line in text.splitlines() if row in line]
        assert line.endswith(f"| {f'{p[test]:.3f}'.removeprefix('0')} |")
