"""Who adds a test, metric, source or exhibit touches what CONTRIBUTING.md says, and nothing else.

The project is copied, the additions of CONTRIBUTING.md are made as they stand there, and one small
experiment uses all four.
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

pytestmark = pytest.mark.xdist_group("additions")

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
ADDED = {
    "test": ("src/bakeoff/stats/rows/won_rows.py", "tests/unit/stats/test_rows_won.py"),
    "metric": ("src/bakeoff/stats/metrics/library.py", "tests/unit/scores/test_q_mean.py"),
    "source": ("src/bakeoff/sources/words.py", "tests/unit/sources/test_words.py"),
    "exhibit": ("src/bakeoff/report/exhibits/names.py", "tests/unit/report/test_names.py"),
}
NAMES = {"test": "rows_won", "metric": "q_mean", "source": "words", "exhibit": "names"}


class Project:
    """A copy of the project to add to."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *command):
        """Run a module of Python in the copy, on the copy's code."""
        path = f"{self.folder / 'src'}{os.pathsep}{self.folder}"
        line = sys.executable, "-m", *command
        return called(*line, cwd=self.folder, code=None, PYTHONPATH=path)

    def tested(self, *arguments):
        """Run tests of the copy."""
        quick = ("-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider")
        return self.run("pytest", *quick, *arguments)

    def generate(self):
        """Make anew what is made from the code, as `make generate` does."""
        makefile = (self.folder / "Makefile").read_text()
        recipe = makefile.partition("\ngenerate:")[2].partition("\n\n")[0]
        for script in re.findall(r"bin/python|BIN\)/python (.*)", recipe):
            path = str(self.folder / "src")
            called(sys.executable, *script.split(), cwd=self.folder, PYTHONPATH=path)


def additions():
    """Return what CONTRIBUTING.md adds: a file, the line below which, and the text."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return [(path, below, block) for path, below, _, block in STEP.findall(text)]


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


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a copy of the project with all additions."""
    folder = tmp_path_factory.mktemp("project")
    for name in KEPT:
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for path, below, block in additions():
        add(folder, path, below, block)
    made = Project(folder)
    made.generate()
    return made


@pytest.fixture(scope="module")
def results(project):
    """Return the results of one experiment with all additions."""
    folder = project.folder
    words = [letter + ("xyz" if letter in "aeiou" else "x") for letter in "abcdefghijklmnopqr" * 6]
    (folder / "words.txt").write_text("\n".join(words))
    (folder / "additions.yaml").write_text(EXPERIMENT)
    done = project.run("snakemake", "--cores", "2", "--configfile", "additions.yaml")
    assert done.returncode == 0, done.stderr
    return folder / "results/additions"


def test_everything_that_is_added_is_told():
    paths = {path for path, _, _ in additions()}
    assert {path for both in ADDED.values() for path in both} <= paths
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.partition("## What can be added")[2].partition("\n## ")[0]
    for folder in {str(Path(path).parent) for path in paths if path.startswith("src")}:
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


def test_report_has_the_additions(results):
    page = (results / "report.html").read_text()
    for text in ("Rows won", "uadratic mean of recalls", "Names of the models"):
        assert text in page
    assert "conover1999b" in (results / "references.bib").read_text()


def test_schema_command_line_and_docs_have_the_additions(project):
    schema = json.loads((project.folder / "workflow/schemas/experiment.schema.json").read_text())
    assert all(name in json.dumps(schema) for name in ('"rows_won"', '"q_mean"', '"words"'))
    told = project.run("bakeoff", "tests", "rows_won")
    assert "Is one of the models alone right on more rows" in told.stdout
    assert "Conover, W. J." in told.stdout
    checked = project.run("bakeoff", "check", "additions.yaml")
    assert checked.returncode == 0, checked.stderr
    assert "rows_won" in checked.stdout
    assert "### `rows_won`" in (project.folder / "docs/catalogue.md").read_text()
    keys = (project.folder / "config/README.md").read_text()
    assert "`q_mean`" in keys
    assert "`source: words`" in keys


def test_additions_pass_the_tests(project):
    """Only what looks at single additions, for the rest of the suite runs by itself."""
    named = " or ".join([*NAMES.values(), "certainty", "imported"])
    done = project.tested(
        *("tests/unit/stats/test_rows_won.py", "tests/unit/scores/test_q_mean.py"),
        "tests/unit/scores/test_certainty.py",
        *("tests/unit/sources/test_words.py", "tests/unit/report/test_names.py"),
        *("tests/contract/test_catalogue.py", "tests/contract/test_docs.py"),
        *("tests/contract/test_sources.py", "tests/contract/test_exhibits.py"),
        *("tests/contract/test_metrics.py", "-v", "-k", named),
    )
    assert done.returncode == 0, done.stdout
    for test in ("test_rows_won", "test_q_mean", "test_words", "test_names"):
        assert test in done.stdout
