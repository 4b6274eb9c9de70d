"""The profiles that come with the package set options of Snakemake, and what experiments take."""

from __future__ import annotations

import pytest
import yaml
from snakemake.cli import get_argument_parser

from bakeoff.spec.execution import Execution
from tests.conftest import ROOT

OF_PLUGINS = ("kubernetes-", "slurm-", "storage-s3-")
PROFILES = sorted((ROOT / "profiles").glob("*/config.v8+.yaml"))


@pytest.mark.parametrize("file", PROFILES, ids=lambda file: file.parent.name)
def test_what_a_profile_sets_is_an_option_of_snakemake(file):
    known = {
        option.removeprefix("--")
        for action in get_argument_parser()._actions
        for option in action.option_strings
    }
    keys = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert [key for key in keys if key not in known and not key.startswith(OF_PLUGINS)] == []
    for entry in keys.get("config", []):
        name, _, value = entry.partition("=")
        assert name == "execution"
        assert Execution.model_validate(yaml.safe_load(value)).jobs_per == "model"


def test_commented_keys_of_the_profile_for_kubernetes_are_options_too():
    text = (ROOT / "profiles/kubernetes/config.v8+.yaml").read_text(encoding="utf-8")
    commented = [line[2:].partition(":")[0] for line in text.splitlines() if line[:3] == "# k"]
    assert commented == ["kubernetes-namespace", "kubernetes-service-account-name"]
