"""Software that Snakemake deploys by conda: what conda is asked for, by a stand-in for it."""

import os
import sys

import pytest
import yaml

from tests.conftest import ROOT, TINY, called

CONDA = """#!{python}
import json, pathlib, shutil, sys
place = pathlib.Path({place!r})
if sys.argv[1:3] == ["env", "list"]:
    print(json.dumps({{"envs": [str(p) for p in place.glob("envs/*")]}}))
elif sys.argv[1:3] == ["env", "create"]:
    asked = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    shutil.copy(asked["-f"], place / "asked.yaml")
    (place / "envs" / asked["--name"]).mkdir(parents=True)
else:
    sys.exit("not asked for here: " + " ".join(sys.argv[1:]))
"""
MODULE = """
module bakeoff:
    snakefile: {where!r}
    config: config

use rule * from bakeoff as bakeoff_*
"""


@pytest.mark.parametrize("way", ["checkout", "module"])
def test_conda_is_asked_for_the_environment_of_the_release(tmp_path, way):
    conda, snakefile = tmp_path / "bin/conda", ROOT / "Snakefile"
    conda.parent.mkdir()
    conda.write_text(CONDA.format(python=sys.executable, place=str(tmp_path)))
    conda.chmod(0o755)
    if way == "module":
        snakefile = tmp_path / "Snakefile"
        snakefile.write_text(MODULE.format(where=str(ROOT / "workflow/Snakefile")))
    (tmp_path / "experiment.yaml").write_text(yaml.safe_dump(TINY, sort_keys=False))
    deploy = ["--software-deployment-method", "conda"]  # all other tests run without a conda
    called(
        *(sys.executable, "-m", "snakemake", "--snakefile", snakefile, "-n", *deploy),
        *("--configfile", "experiment.yaml", "--cores", "1"),
        *(["bakeoff_all_scores"] if way == "module" else []),
        cwd=tmp_path,
        PATH=os.pathsep.join([str(conda.parent), os.environ["PATH"]]),
    )
    found = yaml.safe_load((tmp_path / "asked.yaml").read_text())
    assert found["dependencies"].pop().startswith("python ==")  # Snakemake's own
    assert found == yaml.safe_load((ROOT / "workflow/envs/bakeoff.yaml").read_text())
