"""The JSON schema of an experiment, for editors that complete and explain.

``python -m bakeoff.schema`` rewrites workflow/schemas/experiment.schema.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bakeoff.files import write_text
from bakeoff.scores import METRICS
from bakeoff.spec import Experiment
from bakeoff.stats import catalogue

PATH = Path("workflow/schemas/experiment.schema.json")


def schema() -> dict[str, Any]:
    """Return the schema: the shape from the spec, the names from the catalogues."""
    found = Experiment.model_json_schema()
    names = {"title": "bakeoff experiment", "$schema": "https://json-schema.org/draft/2020-12/schema"}
    found["properties"]["metrics"]["items"] = {"enum": sorted(METRICS)}
    tests = found["$defs"]["TestSettings"]["properties"]["run"]
    tests["items"] = {"enum": sorted(catalogue())}
    return {**names, **{k: v for k, v in found.items() if k != "title"}}


def text() -> str:
    """Return the file's text."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_text(PATH, text())
