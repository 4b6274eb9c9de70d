"""What the public repository's host runs: valid by its schema, and naming what there is."""

import re
import sys
import tomllib

import pytest
import yaml

from tests.conftest import ROOT, called

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def steps(file):
    jobs = yaml.safe_load(file.read_text())["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_workflows_are_valid():
    """The schema comes with check-jsonschema: no network."""
    line = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    called(*line, *WORKFLOWS)
    called(*line[:-1], "vendor.github-actions", ROOT / "action.yml")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda f: f.stem)
def test_what_is_called_is_there(file):
    makefile = (ROOT / "Makefile").read_text()
    for step in steps(file):
        run = step.get("run", "")
        for target in re.findall(r"\bmake ([\w./-]+)", run):
            rule = re.escape(target.replace(".venv", "$(VENV)"))
            assert re.search(rf"^{rule}:", makefile, re.MULTILINE), target
        for path in re.findall(r"(?:\.ci|requirements)/[\w./]+", run):
            assert (ROOT / path).exists(), path


def test_pythons_are_those_of_the_package():
    tests = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())
    tried = tests["jobs"]["tests"]["strategy"]["matrix"]["python"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    low, high = re.findall(r"3\.(\d+)", project["requires-python"])
    assert tried == [f"3.{minor}" for minor in range(int(low), int(high))]


def test_catalogue_entry_says_how_the_software_is_deployed():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    files = (ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk"))
    directives = "".join(file.read_text() for file in files)
    stack = usage["software-stack-deployment"]
    assert stack["conda"] == bool(re.search(r"^\s*conda:", directives, re.MULTILINE))
    assert stack["apptainer"] == bool(re.search(r"^\s*container:", directives, re.MULTILINE))
    assert usage["report"] == ("report(" in directives)
    assert (ROOT / "config/README.md").is_file()  # the catalogue shows it
