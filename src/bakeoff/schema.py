"""What describes an experiment to people and to editors, made from the spec itself.

``python -m bakeoff.schema`` rewrites workflow/schemas/experiment.schema.json (editors complete
and explain with it) and the tables of config/README.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import catalogue

PATH = Path("workflow/schemas/experiment.schema.json")
README = Path("config/README.md")
_MARK = "<!-- made by `python -m bakeoff.schema`, do not edit below -->\n"


def schema() -> dict[str, Any]:
    """Return the schema: the shape from the spec, the names from the catalogues."""
    found = Experiment.model_json_schema()
    names = {
        "title": "bakeoff experiment",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
    }
    own = {
        "type": "string",
        "description": "A metric with its option, like net_benefit@0.1; an own metric, or the "
        "import path of its function.",
    }
    found["properties"]["metrics"]["items"] = {
        "anyOf": [{"enum": sorted(METRICS)}, own, {"$ref": "#/$defs/GivenMetric"}]
    }
    settings = found["$defs"]["HypothesisTests"]["properties"]
    listed = {key: settings["run"].pop(key) for key in ("type", "minItems", "items")}
    listed["items"] = {"enum": [RECOMMENDED, *sorted(catalogue())]}
    settings["run"]["anyOf"] = [{"const": RECOMMENDED}, listed]
    settings["options"] |= {
        "properties": {
            name: {
                "type": "object",
                "description": entry.title,
                "properties": option_schemas(entry),
                "additionalProperties": False,
            }
            for name, entry in catalogue().items()
        },
        "additionalProperties": False,
    }
    return {**names, **{k: v for k, v in found.items() if k != "title"}}


def text() -> str:
    """Return the schema file's text."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def tables() -> str:
    """Return every key of an experiment as Markdown tables."""
    found = schema()
    parts = [
        ("Top level", found),
        *_shared(found),
        *_sources(found),
        _part(found, "A model to be fitted", "Model"),
        _part(found, "A step of its `steps:` or `preprocessing:`", "Step"),
        _part(found, "Its `tune:`", "Tune"),
        _part(found, "A value of `tune: {space: …}` that is drawn", "Distribution"),
        _part(found, "Its `threshold: {choose: …}`", "ChosenThreshold"),
        _part(found, "A model given by its results", "GivenModel"),
        _part(found, "Its `columns:`", "GivenColumns"),
        *(
            (f"`resampling: {{{plan}: …}}`", found["$defs"][_ref(value)])
            for plan, value in found["$defs"]["Resampling"]["properties"].items()
        ),
        _part(found, "A metric of given scores, under `metrics:`", "GivenMetric"),
        _part(found, "`tests:`", "HypothesisTests"),
        _part(found, "`own_metrics: {<name>: …}`", "OwnMetric"),
        _part(found, "`costs:`", "Costs"),
        _part(found, "`execution:`", "Execution"),
    ]
    metrics = "\n".join(
        f"| `{m.name}` | {m.title}{', of two classes' * m.binary} | "
        f"{'greater' if m.greater_is_better else 'smaller'} |"
        for m in (*METRICS.values(), *told_examples())
    )
    return "\n".join(
        [
            *(
                f"## {title}\n\n{part.get('description', '')}\n\n{_table(part)}"
                for title, part in parts
            ),
            "## Metrics\n\nThe number after `@` is the option of a metric: choose your own.\n\n"
            f"| name | what | better |\n|---|---|---|\n{metrics}\n",
            "## Tests\n\n[The catalogue](../docs/catalogue.md) describes every test and its "
            "options.\n",
        ]
    )


def readme(old: str) -> str:
    """Return config/README.md with its tables made anew."""
    return old.partition(_MARK)[0] + _MARK + "\n" + tables()


def _part(found: dict[str, Any], title: str, name: str) -> tuple[str, dict[str, Any]]:
    return title, found["$defs"][name]


def _shared(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the keys that every source has, and those that all have that read a table's file."""
    text = "The keys that every data set has, beside those of its source; `given` has its own."
    yield "A data set", _among(found, next(iter(SOURCES.values())), DataSet, text)
    text = "The keys of `source: file` and of `source: url`."
    yield "How a table is read", _among(found, SOURCES["file"], TableKeys, text)


def _among(
    found: dict[str, Any], whole: type[BaseModel], shared: type[BaseModel], text: str
) -> dict[str, Any]:
    """Return the keys that something shares with others."""
    keys = found["$defs"][whole.__name__]["properties"].items()
    own = {key: value for key, value in keys if key in shared.model_fields}
    return {"description": text, "properties": own}


def _sources(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the keys of each source that only it has."""
    (values,) = found["properties"]["datasets"]["patternProperties"].values()
    parts = {
        f"`source: {source}`": reference.rpartition("/")[2]
        for source, reference in values["discriminator"]["mapping"].items()
    }
    models: dict[str, type] = {model.__name__: model for model in SOURCES.values()}
    for title, name in parts.items():
        part, model = found["$defs"][name], models.get(name, object)
        above = [base for base in (DataSet, TableKeys) if issubclass(model, base)]
        shared = {key for base in above for key in base.model_fields}
        own = {k: v for k, v in part["properties"].items() if k not in shared}
        yield title, {**part, "properties": own}


def _ref(value: dict[str, Any]) -> str:
    references = [v["$ref"] for v in [value, *value.get("anyOf", [])] if "$ref" in v]
    return str(references[0].rpartition("/")[2])


def _table(part: dict[str, Any]) -> str:
    rows = [
        f"| `{key}` | {_type(value)} | {_default(key, value, part)} | {_description(value)} |"
        for key, value in part["properties"].items()
        if key != "source"
    ]
    return "\n".join(["| key | value | default | what |", "|---|---|---|---|", *rows, ""])


def _type(value: dict[str, Any]) -> str:
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return " \\| ".join(f"`{v}`" for v in value["enum"])
    if choices := value.get("anyOf", value.get("oneOf")):
        return " or ".join(dict.fromkeys(_type(v) for v in choices if v.get("type") != "null"))
    if "$ref" in value or value.get("type") == "object":
        return "keys"
    if value.get("type") == "array":
        items = value.get("items", {})
        each = items.get("anyOf", [items])
        found = ["name" if "enum" in item else kind for item in each for kind in _kinds(item)]
        kinds = [kind if kind.endswith("s") else f"{kind}s" for kind in dict.fromkeys(found)]
        return f"list of {' or '.join(kinds)}"
    names = {"integer": "whole number", "number": "number", "string": "text", "boolean": "yes/no"}
    return names.get(str(value.get("type")), "any")


def _kinds(value: dict[str, Any]) -> list[str]:
    return _type(value).split(" or ")


def _default(key: str, value: dict[str, Any], part: dict[str, Any]) -> str:
    if key in part.get("required", []):
        return "required"
    default = value.get("default")
    return "" if default in (None, {}, []) else f"`{json.dumps(default)}`"


def _description(value: dict[str, Any]) -> str:
    own = value.get("description")
    inner = [v["description"] for v in value.get("anyOf", []) if "description" in v]
    return re.sub(r"\s+", " ", own or " ".join(inner)).replace("|", "\\|")


if __name__ == "__main__":
    write_text(PATH, text())
    write_text(README, readme(README.read_text(encoding="utf-8")))
