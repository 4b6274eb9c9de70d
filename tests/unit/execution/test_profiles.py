"""The profiles that come with the package set options of Snakemake, and no keys of experiments."""

import pytest
import yaml
from snakemake.cli import get_argument_parser

from tests.conftest import ROOT

OF_PLUGIN = "slurm-"
PROFILES = sorted((ROOT / "profiles").glob("*/config.v8+.yaml"))


@pytest.mark.parametrize("file", PROFILES, ids=lambda file: file.parent.name)
def test_what_a_profile_sets_is_an_option_of_snakemake(file):
    known = {
        option.removeprefix("--")
        for action in get_argument_parser()._actions
        for option in action.option_strings
    }
    keys = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert [key for key in keys if key not in known and not key.startswith(OF_PLUGIN)] == []
    assert "config" not in keys  # it would win over the YAML
