"""What describes an experiment to people and to editors, made from the spec itself.

``python -m bakeoff.schema`` rewrites workflow/schemas/experiment.schema.json (editors complete
and explain with it) and the tables of config/README.md.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bakeoff.comparisons.settings import option_schemas
from bakeoff.files import write_text
from bakeoff.scores import METRICS
from bakeoff.scores.metrics import told_examples
from bakeoff.sources import SOURCES, DataSet
from bakeoff.sources.common.base import TableKeys
from bakeoff.spec import Experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import catalogue

PATH = Path("workflow/schemas/experiment.schema.json")
README = Path("config/README.md")
_MARK = "<!-- made by `python -m bakeoff.schema`, do not edit below -->\n"
_HEAD = {
    "title": "bakeoff experiment",
    "$schema": "https://json-schema.org/draft/2020-12/schema",
}
_METRIC_NAME = {
    "type": "string",
    "description": "A metric with its option, like net_benefit@0.1; an own metric, or the import "
    "path of its function.",
}
_PARTS = {
    "A model to be fitted": "Model",
    "A step of its `steps:` or `preprocessing:`": "Step",
    "Its `tune:`": "Tune",
    "A value of `tune: {space: …}` that is drawn": "Distribution",
    "Its `threshold: {choose: …}`": "ChosenThreshold",
    "A model given by its results": "GivenModel",
    "Its `columns:`": "GivenColumns",
    "`resampling: {cv_5x2: …}`": "Cv5x2",
    "`resampling: {kfold: …}`": "KFold",
    "`resampling: {halves: …}`": "Halves",
    "`resampling: {resampled: …}`": "Resampled",
    "`resampling: {holdout: …}`": "Holdout",
    "A metric of given scores, under `metrics:`": "GivenMetric",
    "`tests:`": "HypothesisTests",
    "`own_metrics: {<name>: …}`": "OwnMetric",
    "`costs:`": "Costs",
    "`execution:`": "Execution",
}
"""The sections that have a table of their own, by its title."""
_SHARED: dict[str, tuple[type[BaseModel], type[BaseModel], str]] = {
    "A data set": (
        DataSet,
        next(iter(SOURCES.values())),
        "The keys that every data set has, beside those of its source; `given` has its own.",
    ),
    "How a table is read": (
        TableKeys,
        SOURCES["file"],
        "The keys of `source: file` and of `source: url`.",
    ),
}
"""Keys that several sources have: the class that has them, a source with them, and what to say."""
_KINDS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "yes/no"}
"""What users call the types of JSON."""


# --- the schema for editors


def schema() -> dict[str, Any]:
    """Return the schema: the shape from the spec, the names from the catalogues."""
    whole = Experiment.model_json_schema()
    _describe_keys(whole)
    whole["properties"]["metrics"]["items"] = {
        "anyOf": [{"enum": sorted(METRICS)}, _METRIC_NAME, {"$ref": "#/$defs/GivenMetric"}]
    }
    _name_tests(whole["$defs"]["HypothesisTests"]["properties"])
    del whole["title"]
    return _HEAD | whole


def _describe_keys(whole: dict[str, Any]) -> None:
    """Take the texts below the keys of sections for their descriptions."""
    for name, texts in _below_keys().items():
        section = whole["$defs"].get(name, {})
        if name == Experiment.__name__:
            section = whole
        properties = section.get("properties", {})
        for key in texts.keys() & properties.keys():
            value = {**properties[key], "description": texts[key]}
            properties[key] = dict(sorted(value.items()))


def _name_tests(settings: dict[str, Any]) -> None:
    """Allow the tests of the catalogue, each with its options."""
    run = settings["run"]
    listed = {}
    for key in ("type", "minItems", "items"):
        listed[key] = run.pop(key)
    listed["items"] = {"enum": [RECOMMENDED, *sorted(catalogue())]}
    run["anyOf"] = [{"const": RECOMMENDED}, listed]
    options = {}
    for name, entry in catalogue().items():
        options[name] = {
            "type": "object",
            "description": entry.title,
            "properties": option_schemas(entry),
            "additionalProperties": False,
        }
    settings["options"] |= {"properties": options, "additionalProperties": False}


def _below_keys() -> dict[str, dict[str, str]]:
    """Return what the texts below their keys say, by section and key."""
    sections: dict[str, dict[str, str]] = {}
    here = Path(__file__).parent
    files = list(here.glob("sources/**/*.py")) + list(here.glob("spec/*.py"))
    # in this order a section comes after its bases, whose texts it has too
    for file in sorted(files):
        for section in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(section, ast.ClassDef) or not section.bases:
                continue
            texts: dict[str, str] = {}
            for base in section.bases:
                texts |= sections.get(ast.unparse(base), {})
            sections[section.name] = texts | _below_keys_of(section)
    return sections


def _below_keys_of(section: ast.ClassDef) -> dict[str, str]:
    """Return what the text below each key of a section says, in one line."""
    texts = {}
    for key, below in pairwise(section.body):
        if isinstance(key, ast.AnnAssign) and isinstance(below, ast.Expr):
            words = ast.literal_eval(below.value).split()
            texts[ast.unparse(key.target)] = " ".join(words)
    return texts


def text() -> str:
    """Return the schema file's text."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


# --- the tables of config/README.md


def readme(old: str) -> str:
    """Return config/README.md with its tables made anew."""
    return old.partition(_MARK)[0] + _MARK + "\n" + tables()


def tables() -> str:
    """Return every key of an experiment as Markdown tables."""
    whole = schema()
    parts = {"Top level": whole} | _data_sets(whole["$defs"])
    for title, name in _PARTS.items():
        parts[title] = whole["$defs"][name]
    sections = []
    for title, part in parts.items():
        sections.append(f"## {title}\n\n{part.get('description', '')}\n\n{_table(part)}")
    sections.append(
        "## Metrics\n\nThe number after `@` is the option of a metric: choose your own.\n\n"
        f"{_table_of_metrics()}\n"
    )
    sections.append(
        "## Tests\n\n[The catalogue](../docs/catalogue.md) describes every test and its options.\n"
    )
    return "\n".join(sections)


def _table_of_metrics() -> str:
    """Return the metrics as a Markdown table."""
    lines = ["| name | what | better |", "|---|---|---|"]
    for metric in list(METRICS.values()) + list(told_examples()):
        what = metric.title
        if metric.binary:
            what += ", of two classes"
        better = "smaller"
        if metric.greater_is_better:
            better = "greater"
        lines.append(f"| `{metric.name}` | {what} | {better} |")
    return "\n".join(lines)


def _data_sets(parts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the keys that data sets share, those of tables, and those that one source has."""
    sections = {}
    for title, (base, example, text) in _SHARED.items():
        properties = parts[example.__name__]["properties"]
        shared = {key: properties[key] for key in properties if key in base.model_fields}
        sections[title] = {"description": text, "properties": shared}
    models: dict[str, type[BaseModel]] = dict(SOURCES)
    models["given"] = GivenData
    for source, model in sorted(models.items()):
        part = parts[model.__name__]
        inherited: set[str] = set()
        for base, _, _ in _SHARED.values():
            if issubclass(model, base):
                inherited.update(base.model_fields)
        # what several sources share stands in the tables above
        properties = part["properties"]
        own = {key: properties[key] for key in properties if key not in inherited}
        sections[f"`source: {source}`"] = part | {"properties": own}
    return sections


def _table(part: dict[str, Any]) -> str:
    """Return the keys of a section as a Markdown table."""
    lines = ["| key | value | default | what |", "|---|---|---|---|"]
    for key, value in part["properties"].items():
        # the title of a table names its source
        if key == "source":
            continue
        default = ""
        if key in part.get("required", []):
            default = "required"
        elif value.get("default") not in (None, {}, []):
            default = f"`{json.dumps(value['default'])}`"
        text = re.sub(r"\s+", " ", _description(value)).replace("|", "\\|")
        lines.append(f"| `{key}` | {_type(value)} | {default} | {text} |")
    return "\n".join(lines) + "\n"


def _description(value: dict[str, Any]) -> str:
    """Return the description of a key, or those of the values that it may have."""
    if value.get("description"):
        return str(value["description"])
    descriptions = [choice.get("description", "") for choice in value.get("anyOf", [])]
    return " ".join(filter(None, descriptions))


def _type(value: dict[str, Any]) -> str:
    """Name the values that a key may have."""
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return " \\| ".join([f"`{allowed}`" for allowed in value["enum"]])
    choices = value.get("anyOf", value.get("oneOf"))
    if choices:
        # a key that may be null is one that may be left out
        kinds = [_type(choice) for choice in choices if choice.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in value or value.get("type") == "object":
        return "keys"
    if value.get("type") == "array":
        return f"list of {_kinds_of_items(value.get('items', {}))}"
    return _KINDS.get(str(value.get("type")), "any")


def _kinds_of_items(items: dict[str, Any]) -> str:
    """Name the values that a list may have."""
    kinds = []
    for item in items.get("anyOf", [items]):
        kinds += _plurals_of_kinds(item)
    return " or ".join(dict.fromkeys(kinds))


def _plurals_of_kinds(item: dict[str, Any]) -> list[str]:
    """Name the kinds of an item of a list, in the plural."""
    if "enum" in item:
        return ["names"]
    plurals = []
    for kind in _type(item).split(" or "):
        plural = kind
        if not kind.endswith("s"):
            plural += "s"
        plurals.append(plural)
    return plurals


if __name__ == "__main__":
    write_text(PATH, text())
    write_text(README, readme(README.read_text(encoding="utf-8")))
