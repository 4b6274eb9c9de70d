"""The schema for editors is the spec's own, and the shipped experiments satisfy it."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.schema import PATH, README, readme, schema, text
from bakeoff.spec import load_experiment, read_experiment

ROOT = Path(__file__).parents[2]


def test_shipped_schema_and_readme_are_the_specs_own():
    assert (ROOT / PATH).read_text() == text(), "run: python -m bakeoff.schema"
    keys = (ROOT / README).read_text()
    assert keys == readme(keys), "run: python -m bakeoff.schema"


@pytest.mark.parametrize("file", sorted((ROOT / "config").glob("*.yaml")), ids=lambda f: f.stem)
def test_shipped_experiments_are_valid(file, monkeypatch):
    monkeypatch.chdir(ROOT)
    jsonschema.validate(yaml.safe_load(file.read_text()), json.loads(text()))
    problems, tests = check_experiment(read_experiment(file))
    assert problems == []
    assert tests


def test_given_models_need_no_data_sets():
    given = {"experiment": "e", "models": {"a": {"predictions": "a.csv"}}}
    jsonschema.validate(given, schema())
    load_experiment(given)
    no_plan = given | {"resampling": {}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(no_plan, schema())
    with pytest.raises(UserError):
        load_experiment(no_plan)


def test_every_key_is_described():
    found = schema()
    for name, part in [("experiment", found), *found["$defs"].items()]:
        for key, value in part["properties"].items():
            described = any("description" in v for v in (value, *value.get("anyOf", [])))
            assert described or key == "source" or "$ref" in value, f"describe {name}.{key}"
