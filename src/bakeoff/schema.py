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


def schema() -> dict[str, Any]:
    """Return the schema: the shape from the spec, the names from the catalogues."""
    whole = Experiment.model_json_schema()
    for name, texts in _below_keys().items():
        properties = whole if name == Experiment.__name__ else whole["$defs"].get(name, {})
        properties = properties.get("properties", {})
        for key in texts.keys() & properties.keys():
            value = {**properties[key], "description": texts[key]}
            properties[key] = dict(sorted(value.items()))
    function = {
        "type": "string",
        "description": "A metric with its option, like net_benefit@0.1; an own metric, or the "
        "import path of its function.",
    }
    whole["properties"]["metrics"]["items"] = {
        "anyOf": [{"enum": sorted(METRICS)}, function, {"$ref": "#/$defs/GivenMetric"}]
    }
    settings = whole["$defs"]["HypothesisTests"]["properties"]
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
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"title": "bakeoff experiment", "$schema": draft} | {
        key: value for key, value in whole.items() if key != "title"
    }


def _below_keys() -> dict[str, dict[str, str]]:
    """Return what the texts below their keys say, by section and key."""
    sections: dict[str, dict[str, str]] = {}
    here = Path(__file__).parent
    for file in sorted((*here.glob("sources/**/*.py"), *here.glob("spec/*.py"))):  # bases first
        for section in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(section, ast.ClassDef) and section.bases:
                below = sections[section.name] = {}
                for base in section.bases:
                    below |= sections.get(ast.unparse(base), {})
                below |= {
                    ast.unparse(key.target): " ".join(ast.literal_eval(said.value).split())
                    for key, said in pairwise(section.body)
                    if isinstance(key, ast.AnnAssign) and isinstance(said, ast.Expr)
                }
    return sections


def text() -> str:
    """Return the schema file's text."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


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


def tables() -> str:
    """Return every key of an experiment as Markdown tables."""
    whole = schema()
    parts = {"Top level": whole, **_data_sets(whole["$defs"])}
    parts |= {title: whole["$defs"][name] for title, name in _PARTS.items()}
    metrics = "\n".join(
        f"| `{m.name}` | {m.title}{', of two classes' * m.binary} | "
        f"{'greater' if m.greater_is_better else 'smaller'} |"
        for m in (*METRICS.values(), *told_examples())
    )
    return "\n".join(
        [
            *(
                f"## {title}\n\n{part.get('description', '')}\n\n{_table(part)}"
                for title, part in parts.items()
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


def _data_sets(parts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the keys that data sets share, those of tables, and those that one source has."""
    made = {}
    for title, (base, example, text) in _SHARED.items():
        keys = parts[example.__name__]["properties"].items()
        shared = {key: value for key, value in keys if key in base.model_fields}
        made[title] = {"description": text, "properties": shared}
    models: dict[str, type[BaseModel]] = {**SOURCES, "given": GivenData}
    for source, model in sorted(models.items()):
        part = parts[model.__name__]
        above = [base for base, *_ in _SHARED.values() if issubclass(model, base)]
        inherited = {key for base in above for key in base.model_fields}
        added = {key: value for key, value in part["properties"].items() if key not in inherited}
        made[f"`source: {source}`"] = {**part, "properties": added}
    return made


def _table(part: dict[str, Any]) -> str:
    lines = ["| key | value | default | what |", "|---|---|---|---|"]
    for key, value in part["properties"].items():
        plain = value.get("default") not in (None, {}, [])
        default = f"`{json.dumps(value['default'])}`" if plain else ""
        default = "required" if key in part.get("required", []) else default
        inner = [v["description"] for v in value.get("anyOf", []) if "description" in v]
        text = re.sub(r"\s+", " ", value.get("description") or " ".join(inner))
        text = text.replace("|", "\\|")
        if key != "source":
            lines.append(f"| `{key}` | {_type(value)} | {default} | {text} |")
    return "\n".join([*lines, ""])


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
        kinds = [
            "name" if "enum" in item else kind
            for item in items.get("anyOf", [items])
            for kind in _type(item).split(" or ")
        ]
        kinds = [kind if kind.endswith("s") else f"{kind}s" for kind in dict.fromkeys(kinds)]
        return f"list of {' or '.join(kinds)}"
    names = {"integer": "whole number", "number": "number", "string": "text", "boolean": "yes/no"}
    return names.get(str(value.get("type")), "any")


if __name__ == "__main__":
    write_text(PATH, text())
    write_text(README, readme(README.read_text(encoding="utf-8")))
