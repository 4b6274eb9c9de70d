"""Write workflow/envs/bakeoff.yaml: what Snakemake's --software-deployment-method conda makes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "workflow/envs/bakeoff.yaml"
HEAD = """\
# Written by requirements/conda.py from pyproject.toml and requirements/run.lock: the package of
# this release, and what it asks for in the versions of its tests. Snakemake chooses Python.
channels: [conda-forge]
dependencies:
  - pip
  - pip:
"""


def text() -> str:
    """Return the environment, as YAML."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lock = (ROOT / "requirements/run.lock").read_text()
    lines = [f"{project['name']}=={project['version']}"]
    extras = project["optional-dependencies"]
    few = (one for name in ("files", "xgboost") for one in extras[name])
    for asked in sorted([*project["dependencies"], *few]):
        name = re.match(r"[\w-]+", asked)[0]  # type: ignore[index]
        if name == "snakemake":
            continue  # it is there, or nobody would read this
        pinned = re.findall(rf"(?m)^{name}==(\S+(?: ; [^\\\n]+)?)", lock)
        lines += [f"{name}=={version.strip()}" for version in pinned]
    return HEAD + "".join(f"      - {line}\n" for line in lines)


if __name__ == "__main__":
    TARGET.write_text(text())
