"""Who adds a test, metric, source, reader or exhibit touches what CONTRIBUTING.md says, no more.

The project is copied, the additions of CONTRIBUTING.md are made as they stand there, and one small
experiment uses all of them. Commands that CONTRIBUTING.md names are run too, so that who follows it
passes `make test`; a test that fails before names the command that is missing.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import ROOT, called

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("additions")]

KEPT = ("src", "docs", "config", "workflow", "profiles", "tests", "benchmarks", "requirements")
FILES = ("Snakefile", "pyproject.toml", "README.md", "CONTRIBUTING.md", "Makefile")
STEP = re.compile(
    r"^`([^`\n]+)`(?:, (?:at the end|below `([^`\n]+)`))?:\n\n(`{3,})\w+\n(.*?)^\3$",
    re.MULTILINE | re.DOTALL,
)
EXPERIMENT = """
experiment: additions
seed: 3
datasets:
  words: {source: words, path: words.txt}
models:
  tree: {estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 2}}
  prior: {estimator: sklearn.dummy.DummyClassifier, label: Most frequent class}
resampling: {holdout: {test_size: 0.4}}
metrics: [accuracy, q_mean, certainty]
tests: {run: [rows_won]}
"""
NAMES = ("rows_won", "q_mean", "certainty", "words", "grades", "names", "imported")
COMMANDS = ("benchmarks type1", "tests.unit.report.test_texts")
"""What CONTRIBUTING.md has run with `python -m`, beside `make generate`."""
LISTS = (
    "tests/unit/benchmarks/test_levels.py",
    "tests/unit/cli/test_terminal.py",
    "tests/unit/comparisons/test_plans.py",
    "tests/unit/data/test_logs.py",
    "tests/unit/report/test_texts.py",
    "tests/unit/test_schema.py::test_shipped_schema_and_readme_are_the_specs_own",
)
"""Tests of texts and files in which tests, metrics, sources, readers or exhibits are listed."""


def run(folder, *command, code=0):
    """Run a module of Python in the copy, on the copy's code, to this exit code."""
    path = f"{folder / 'src'}{os.pathsep}{folder}"
    return called(sys.executable, "-m", *command, cwd=folder, code=code, PYTHONPATH=path)


PAGE = (ROOT / "CONTRIBUTING.md").read_text()
ADDITIONS = [(path, below, block) for path, below, _, block in STEP.findall(PAGE)]
"""What CONTRIBUTING.md adds: a file, the line below which, and the text."""


def add(folder, path, below, block):
    """Write a file, or put a text into one that is there."""
    file = folder / path
    if not file.exists():
        file.write_text(block)
        return
    old = file.read_text()
    if below:
        assert old.count(f"\n{below}\n") == 1, f"{path}: where is {below!r}?"
        file.write_text(old.replace(f"\n{below}\n", f"\n{below}\n{block}"))
    else:
        file.write_text(old + block)


def generate(folder):
    """Do in the copy what `make generate` does."""
    recipe = (ROOT / "Makefile").read_text().partition("\ngenerate:")[2].partition("\n\n")[0]
    for script in re.findall(r"BIN\)/python (.*)", recipe):
        called(sys.executable, *script.split(), cwd=folder, PYTHONPATH=str(folder / "src"))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a copy of the project with all additions, and what is made from the code made anew."""
    folder = tmp_path_factory.mktemp("project")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in KEPT:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for addition in ADDITIONS:
        add(folder, *addition)
    generate(folder)
    return folder


@pytest.fixture(scope="module")
def results(project):
    """Return the results of one experiment with all additions."""
    words = [letter + ("xyz" if letter in "aeiou" else "x") for letter in "abcdefghijklmnopqr" * 6]
    (project / "words.txt").write_text("\n".join(words))
    (project / "additions.yaml").write_text(EXPERIMENT)
    run(project, "snakemake", "--cores", "1", "--configfile", "additions.yaml")
    return project / "results/additions"


def test_everything_that_is_added_is_told():
    table = PAGE.partition("## What can be added")[2].partition("\n## ")[0]
    for folder in {str(Path(path).parent) for path, *_ in ADDITIONS if path.startswith("src")}:
        assert folder in table, f"CONTRIBUTING's table of additions does not name {folder}"
    short = (ROOT / "README.md").read_text().partition("## Add …")[2].partition("\n## ")[0]
    assert "(CONTRIBUTING.md#what-can-be-added)" in short
    pages = re.findall(r"\]\((docs/[\w/-]+\.md)", short)
    assert len(pages) >= 4
    for page in pages:
        assert page in table, f"only README names {page}"


def test_results_have_the_additions(results):
    scores = pd.read_csv(results / "scores.csv")
    assert set(scores["metric"]) == {"accuracy", "q_mean", "certainty"}
    assert set(scores["dataset"]) == {"words"}
    (row,) = pd.read_csv(results / "comparisons.csv").to_dict("records")
    assert (row["test"], row["status"]) == ("rows_won", "ok")
    intervals = pd.read_csv(results / "intervals.csv").set_index("metric")
    intervals = intervals.loc[["q_mean", "certainty"]]
    assert intervals["status"].isin(["ok", "zero_variance"]).all()  # one is certain of each row
    assert intervals["estimate"].notna().all()

    page = (results / "report.html").read_text()
    for text in ("Rows won", "uadratic mean of recalls", "Names of the models"):
        assert text in page
    assert "conover1999b" in (results / "references.bib").read_text()


def test_schema_command_line_and_docs_have_the_additions(project, results):
    schema = json.loads((project / "workflow/schemas/experiment.schema.json").read_text())
    assert all(name in json.dumps(schema) for name in ('"rows_won"', '"q_mean"', '"words"'))
    told = run(project, "bakeoff", "tests", "rows_won").stdout
    assert "Is one of the models alone right on more rows" in told
    assert "Conover, W. J." in told
    assert "rows_won" in run(project, "bakeoff", "check", "additions.yaml").stdout
    assert "### `rows_won`" in (project / "docs/catalogue.md").read_text()
    keys = (project / "config/README.md").read_text()
    assert "`q_mean`" in keys
    assert "`source: words`" in keys


def test_additions_pass_the_tests(project):
    """Only what looks at single additions, for the rest of the suite runs by itself."""
    own = [path for path, *_ in ADDITIONS if path.startswith("tests/unit")]
    kinds = ("catalogue", "docs", "sources", "exhibits", "metrics")
    shared = [f"tests/contract/test_{kind}.py" for kind in kinds]
    quick = ("-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "-v")
    told = run(project, "pytest", *quick, *own, *shared, "-k", " or ".join(NAMES)).stdout
    assert len(own) == 6
    assert all(path in told for path in own)


def test_commands_are_those_that_the_sections_name():
    sections = PAGE.partition("## Add a test")[2].partition("## Release")[0]
    assert tuple(re.findall(r"`python -m ([^`]+)`", sections)) == COMMANDS


@pytest.mark.slow
def test_additions_keep_the_style(project):
    for check in (["check", "."], ["format", "--check", "."]):
        run(project, "ruff", *check, "--no-cache")
    run(project, "mypy")


@pytest.mark.slow
def test_what_is_missing_is_named_and_its_commands_mend_it(project):
    """A test that fails says what to run; after that all pass that list entries."""
    tests = ("pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *LISTS)
    missing = run(project, *tests, "-k", "simulat or every_text", code=1).stdout
    assert "rows_won is not simulated" in missing
    for command in COMMANDS:
        assert f"python -m {command}" in missing
    for command in COMMANDS:
        run(project, *command.split())
    generate(project)
    run(project, *tests)
