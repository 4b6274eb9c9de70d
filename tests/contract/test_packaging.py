"""Lock files, containers, conda, the host's workflows and the wheel name what there is."""

import re
import runpy
import shutil
import sys
import tomllib
from importlib.metadata import requires

import pytest
import yaml
from packaging.requirements import Requirement

from tests.conftest import ROOT, called

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
# what the package needs, with the extras that `make` installs too
ALL = re.fullmatch(r"bakeoff\[(.*)\]", *EXTRAS["all"])[1].split(",")
EVERYTHING = [*PROJECT["dependencies"], *(line for name in ALL for line in EXTRAS[name])]


def named(requirement):
    return Requirement(requirement).name.lower().replace("_", "-")


def lock(name):
    return (ROOT / f"requirements/{name}.lock").read_text()


def pinned(name):
    """Return the versions of each package; where Pythons differ there are several."""
    found = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock(name), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


@pytest.mark.parametrize("name", ["bootstrap", "run", "dev"])
def test_every_package_has_hashes_and_no_address(name):
    text = lock(name)
    assert "http" not in text
    assert "index" not in text
    for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in entry, entry


def test_all_that_the_package_imports_is_locked_and_tested_in_the_same_version():
    run, dev = pinned("run"), pinned("dev")
    # Snakemake imports pygments for its report only, and the test environment has it in any case
    assert {*map(named, EVERYTHING), "pygments"} <= set(run)
    assert {name: dev.get(name) for name in run} == run


# conda-forge's names; its snakemake comes with what reports need
CONDA_NAMES = {"matplotlib": "matplotlib-base", "xgboost-cpu": "py-xgboost-cpu"}


def test_conda_environment_asks_for_what_pyproject_does():
    asked = [*EVERYTHING, *EXTRAS["slurm"], f"python {PROJECT['requires-python']}"]
    wanted = {named(line): Requirement(line).specifier for line in asked}
    environment = yaml.safe_load((ROOT / "environment.yaml").read_text())["dependencies"]
    given = {named(line): Requirement(line).specifier for line in environment}
    assert not given.pop("pip")
    assert given == {CONDA_NAMES.get(name, name): which for name, which in wanted.items()}


def test_snakemake_deploys_the_versions_of_the_lock():
    written = runpy.run_path(str(ROOT / "requirements/conda.py"))
    file = ROOT / "workflow/envs/bakeoff.yaml"
    assert file.read_text() == written["text"](), "python requirements/conda.py writes it"
    *_, pip = yaml.safe_load(file.read_text())["dependencies"]
    asked = {named(line) for line in pip["pip"]}
    assert asked == {"bakeoff", *map(named, EVERYTHING)} - {"snakemake"}


def test_container_files_copy_what_is_there():
    docker = (ROOT / "Dockerfile").read_text()
    definition = (ROOT / "apptainer.def").read_text()
    action = (ROOT / "action.yml").read_text()
    for text in (docker, definition, action):
        installs = re.findall(r"(?m)^.*(?:pip install --no-cache|\{install\[@\]\}).*$", text)
        assert len(installs) == 2
        assert all(
            re.search("--require-hashes|--no-deps --no-build-isolation", i) for i in installs
        )
    assert re.search(r"(?m)^USER (?!root|0)", docker)
    lines = [line.split() for line in docker.splitlines() if line.startswith("COPY")]
    copied = [path for line in lines for path in line[1:-1]]
    files = definition.partition("%files\n")[2].partition("\n\n")[0]
    copied += [line.split()[0] for line in files.splitlines()]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    images = re.findall(r"(?m)^F(?:ROM|rom:) (\S+)", docker + definition)
    assert len(images) == 2
    assert len(set(images)) == 1


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_workflows_are_valid():
    """The schema comes with check-jsonschema: no network."""
    line = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    called(*line, *WORKFLOWS)
    called(*line[:-1], "vendor.github-actions", ROOT / "action.yml")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda f: f.stem)
def test_what_is_called_is_there(file):
    makefile = (ROOT / "Makefile").read_text()
    jobs = yaml.safe_load(file.read_text())["jobs"].values()
    for run in (step.get("run", "") for job in jobs for step in job["steps"]):
        for target in re.findall(r"\bmake ([\w./-]+)", run):
            rule = re.escape(target.replace(".venv", "$(VENV)"))
            assert re.search(rf"^{rule}:", makefile, re.MULTILINE), target
        for path in re.findall(r"(?:\.ci|requirements)/[\w./]+", run):
            assert (ROOT / path).exists(), path


def test_two_commands_do_all_the_set_up():
    """They stand first in README, the first says where its report is, and CI calls the second."""
    commands = re.findall(r"(?m)^    (\S[^#\n]*?) *(?:#.*)?$", (ROOT / "README.md").read_text())
    assert commands[:2] == ["make", "make test"]
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())["experiment"]
    recipe = (ROOT / "Makefile").read_text().partition("\nrun: ")[2].partition("\n\n")[0]
    assert recipe.endswith(f'results/{default}/report.html"')
    assert (ROOT / ".ci/run").read_text().endswith("make test-all\n")


def test_pythons_are_those_of_the_package():
    tests = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())
    tried = tests["jobs"]["tests"]["strategy"]["matrix"]["python"]
    low, high = re.findall(r"3\.(\d+)", PROJECT["requires-python"])
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


CORE = """
import sys
sys.modules.update(dict.fromkeys({blocked}))  # as if they were not installed
import bakeoff
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

rng = np.random.default_rng(0)
y = rng.choice(["a", "b"], 200)
p, q = (np.where(rng.random(200) < right, y, "a") for right in (0.9, 0.8))
found = bakeoff.compare(y, {{"p": p, "q": q}})
found.save(sys.argv[1])
bakeoff.gate(y, p, q, margin=0.05)
X, y = load_breast_cancer(return_X_y=True)
models = {{"bayes": GaussianNB(), "logistic": LogisticRegression(solver="newton-cholesky")}}
print(bakeoff.compare_estimators(models, X, y).verdict)
try:
    bakeoff.run("experiment.yaml")
except bakeoff.UserError as error:
    print(error)
"""


def closure(names):
    """Return what pip installs here for some packages and no extra, themselves included."""
    found, left = set(), list(names)
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            markers = {line: Requirement(line).marker for line in requires(name) or ()}
            left += [named(li) for li, m in markers.items() if not m or m.evaluate({"extra": ""})]
    return found


def test_comparing_in_a_notebook_needs_what_the_readme_installs(tmp_path):
    """pip cannot leave out dependencies: the README names those to install beside `--no-deps`."""
    text = (ROOT / "README.md").read_text()
    (line,) = re.findall(r"(?m)^    pip install --no-deps .*\n    pip install (.*)$", text)
    core, every = closure(line.split()), closure(map(named, PROJECT["dependencies"]))
    assert core < every
    (counts,) = re.findall(r"(\d+) packages\s+instead of (\d+)", text)
    # one more is bakeoff; a platform may need one or two packages of its own
    assert abs(len(core) + 1 - int(counts[0])) <= 2
    assert abs(len(every) + 1 - int(counts[1])) <= 4
    blocked = sorted(name.replace("-", "_") for name in every - core)
    assert {"snakemake", "skrub", "requests"} <= set(blocked)
    shutil.copy(ROOT / "config/config.yaml", tmp_path / "experiment.yaml")
    code = CORE.format(blocked=blocked)
    done = called(sys.executable, "-c", code, tmp_path / "page.html", cwd=tmp_path)
    assert "by accuracy" in done.stdout
    assert "needs the package snakemake: pip install snakemake" in done.stdout
