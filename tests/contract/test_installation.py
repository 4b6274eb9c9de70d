"""A wheel holds what it must, and what is compared in a notebook needs no workflow."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

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


def named(requirement):
    return Requirement(requirement).name.lower().replace("_", "-")


def wanted(requirement):
    """Whether this machine needs it; an extra is not asked for."""
    marker = Requirement(requirement).marker
    return marker is None or marker.evaluate({"extra": ""})


def closure(names):
    """Return what pip installs for some packages, themselves included."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [named(one) for one in requires(name) or () if wanted(one)]
    return found


def test_comparing_in_a_notebook_needs_what_the_readme_installs(tmp_path):
    """pip cannot leave out dependencies: the README names those to install beside `--no-deps`."""
    text = (ROOT / "README.md").read_text()
    (line,) = re.findall(r"(?m)^    pip install --no-deps .*\n    pip install (.*)$", text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core, every = closure(line.split()), closure(map(named, project["dependencies"]))
    assert core < every
    (counts,) = re.findall(r"(\d+) packages\s+instead of (\d+)", text)
    # one more is bakeoff; a platform may need one or two packages of its own
    assert abs(len(core) + 1 - int(counts[0])) <= 2
    assert abs(len(every) + 1 - int(counts[1])) <= 4
    blocked = sorted(name.replace("-", "_") for name in every - core)
    assert {"snakemake", "skrub", "requests"} <= set(blocked)
    shutil.copy(ROOT / "config/config.yaml", tmp_path / "experiment.yaml")
    code = CORE.format(blocked=blocked)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "page.html")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "by accuracy" in done.stdout
    assert "needs the package snakemake: pip install snakemake" in done.stdout


@pytest.mark.slow
def test_the_wheel_holds_the_workflow_and_what_commands_read(tmp_path):
    """As `make wheel` builds it."""
    assert "-m build --no-isolation" in (ROOT / "Makefile").read_text()
    build = sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path)
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("bakeoff-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src/bakeoff"
    files = {
        f"bakeoff/{file.relative_to(package).as_posix()}"
        for file in package.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    for folder, place in (
        ("workflow", "bakeoff/workflow"),
        ("profiles", "bakeoff/workflow/profiles"),
    ):
        files |= {
            f"{place}/{file.relative_to(ROOT / folder).as_posix()}"
            for file in (ROOT / folder).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        }
    assert files <= held
    assert not [name for name in held if name.startswith(("docs/", "tests/", "benchmarks/"))]
