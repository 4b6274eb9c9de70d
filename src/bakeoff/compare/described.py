"""The options of each test as a JSON schema, from its function's signature and docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

from bakeoff.compare.setup import allowed_options, corrects
from bakeoff.spec.tests import Correction
from bakeoff.stats import Entry

_KINDS = {"bool": "boolean", "int": "integer", "float": "number", "str": "string"}
_OURS: dict[str, dict[str, Any]] = {
    "alpha": {"type": "number", "description": "Its own significance level."},
    "metrics": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Which of the experiment's metrics it is run on; default: all, or the first "
        "for tests with a value in the metric's unit (margin, rope, mu0).",
    },
    "assume_independent": {
        "type": "boolean",
        "description": "true: take the rows of a data set with `groups:` or `time:` for "
        "independent all the same; without it the form of the test for such rows runs.",
    },
    "plan": {"type": "string", "description": "The resampling plan that feeds it."},
    "versus": {
        "type": ["string", "null"],
        "description": "A model: only it is compared with each other one; null: all pairs.",
    },
}


def option_schemas(entry: Entry) -> dict[str, dict[str, Any]]:
    """Describe what an experiment may say of a test."""
    told = dict(_parameters(inspect.getdoc(entry.function) or ""))
    return {name: _schema(name, entry, told) for name in allowed_options(entry)}


def _schema(name: str, entry: Entry, told: dict[str, tuple[str, str]]) -> dict[str, Any]:
    if name == "correction" and corrects(entry):
        return {
            "enum": list(get_args(Correction)),
            "description": "How the p-values of its family are adjusted.",
        }
    if name in _OURS:
        return _ours(name, entry)
    option = entry.options[name]
    values, description = told.get(name, ("", ""))
    choices = re.findall(r'"([^"]+)"', values)
    kinds = str(option.annotation).strip("'").split(" | ")
    found: dict[str, Any] = {"description": description}
    if choices:
        found["enum"] = choices
    elif all(kind in _KINDS or kind == "None" for kind in kinds):
        found["type"] = [_KINDS.get(kind, "null") for kind in kinds]
    if option.default not in (inspect.Parameter.empty, None):
        found["default"] = option.default
    return found


def _ours(name: str, entry: Entry) -> dict[str, Any]:
    return _OURS[name] | ({"enum": list(entry.plans)} if name == "plan" else {})


def _parameters(doc: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Read the parameters of a docstring: what values they take, what they mean."""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", doc, re.DOTALL | re.MULTILINE
    )
    body = section.group(1) if section else ""
    for names, values, text in re.findall(
        r"^(\w[\w, ]*?)(?: : ([^\n]*))?\n((?:^    [^\n]*\n|^\n)*)", body, re.MULTILINE
    ):
        description = re.sub(r"\s+", " ", text).strip().replace("``", "`")
        for name in names.split(", "):
            yield name, (values, description)
