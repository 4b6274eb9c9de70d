"""The lock files name versions and hashes of all that is needed, and no index."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = ["bootstrap", "run", "dev"]


def lock(name):
    return (ROOT / f"requirements/{name}.lock").read_text()


def pinned(name):
    """Return the versions of each package; where Pythons differ there are several."""
    found = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock(name), re.M):
        found.setdefault(package, set()).add(version)
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_has_hashes_and_no_address(name):
    text = lock(name)
    assert "http" not in text
    assert "index" not in text
    for entry in re.split(r"^(?=\S)", text, flags=re.M)[1:]:
        assert "--hash=sha256:" in entry, entry


def test_all_that_the_package_imports_is_locked():
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *(e for n in ("files", "keep") for e in extras[n])]
    names = {re.match(r"[\w-]+", line)[0] for line in [*asked, *extras["xgboost"]]}
    assert names <= set(pinned("run"))


def test_tests_run_with_the_versions_that_users_get():
    run, dev = pinned("run"), pinned("dev")
    assert {name: dev.get(name) for name in run} == run


def test_snakemake_can_make_its_report():
    # it imports pygments only then, and the test environment has it in any case
    assert "pygments" in pinned("run")
