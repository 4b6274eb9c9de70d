"""How the fits are handed out; it changes no result."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from bakeoff.keys import SpecSection, said


class Execution(SpecSection):
    """How the fits become jobs. No result depends on it."""

    jobs_per: Literal["fold", "model", "dataset"] = Field(
        "fold",
        description="How many fits one job does: `fold`: one; `model`: all of a model on a data "
        "set; `dataset`: all on a data set. The files are the same, and changing it refits "
        "nothing. Many short fits want `model` or `dataset`, above all on a cluster.",
    )

    @model_validator(mode="before")
    @classmethod
    def _no_reuse(cls, keys: Any) -> Any:
        if isinstance(keys, dict) and "reuse" in keys:
            raise said(
                "`reuse` is no longer a key: a model of another experiment is given as "
                "`{results: results/<experiment>, model: <name there>}` in `models:`"
            )
        return keys
