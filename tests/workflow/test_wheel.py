"""The wheel alone, in an empty folder: from a table to the verdict, as in a checkout."""

import shutil
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import pytest
import yaml

from tests.conftest import ROOT, TINY, called
from tests.workflow.test_run import differing

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def call(*line, cwd, code=0):
    return called(*line, cwd=cwd, code=code, PYTHONPATH="")  # as if it were not set


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a folder with sdist, wheel, and an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    # of what is under version control: a build must not need more
    files = call("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).stdout
    source = folder / "source"
    for name in filter(None, files.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    assert "-m build --no-isolation" in (ROOT / "Makefile").read_text()
    call(sys.executable, "-m", "build", "--no-isolation", "-o", folder / "dist", cwd=source)
    venv.create(folder / "env", with_pip=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    install = "-m", "pip", "install", "--quiet", "--no-deps"
    call(folder / "env/bin/python", *install, wheel, cwd=folder)
    # what it depends on comes from this environment, whose own bakeoff is a checkout's
    (site,) = (folder / "env/lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder


def test_archives_hold_the_whole_workflow_and_pass_the_index_check(built):
    files = sorted((built / "dist").iterdir())
    call(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=built)
    wheel = next(file for file in files if file.suffix == ".whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    folders = {"workflow": "workflow", "profiles": "workflow/profiles", "src/bakeoff": "."}
    for folder, place in folders.items():
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                path = PurePosixPath("bakeoff", place, file.relative_to(ROOT / folder))
                assert path.as_posix() in inside
    assert not [name for name in inside if name.startswith(("docs/", "tests/", "benchmarks/"))]
    sdist = next(file for file in files if file.name.endswith(".tar.gz"))
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Snakefile", "workflow/Snakefile", "profiles/default/config.v8+.yaml"} <= names


def test_run_gives_the_bytes_of_a_checkout(built, finished, tmp_path):
    (tmp_path / "experiment.yaml").write_text(yaml.safe_dump(TINY, sort_keys=False))
    bakeoff = built / "env/bin/bakeoff"
    done = call(bakeoff, "run", "experiment.yaml", "--cores", "2", cwd=tmp_path)
    assert "Report: results/tiny/report.html" in done.stdout
    kinds = (".csv", ".json", ".txt", ".bib", ".tex", ".parquet")
    assert differing(tmp_path / "results/tiny", finished.results(), kinds=kinds) == set()
    again = call(bakeoff, "run", "experiment.yaml", "-n", cwd=tmp_path)
    assert "Nothing to be done" in again.stdout + again.stderr
    assert call(bakeoff, "run", "experiment.yaml", "--nonsense", cwd=tmp_path, code=2).stderr


def test_table_to_verdict(built, tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 3))
    table = pd.DataFrame(x, columns=["a", "b", "c"])
    table["y"] = np.where(x[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    table.to_csv(tmp_path / "data.csv", index=False)
    bakeoff = built / "env/bin/bakeoff"
    said = call(bakeoff, "init", "data.csv", "--target", "y", cwd=tmp_path).stdout
    assert "bakeoff run data.yaml" in said
    done = call(bakeoff, "run", "data.yaml", "--cores", "2", cwd=tmp_path)
    assert "Report: results/data/report.html" in done.stdout
