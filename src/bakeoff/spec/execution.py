"""How the fits are handed out; it changes no result."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bakeoff.keys import SpecSection


class Execution(SpecSection):
    """How the fits become jobs. No result depends on it."""

    jobs_per: Literal["fold", "model", "dataset"] = Field(
        "fold",
        description="How many fits one job does: `fold`: one; `model`: all of a model on a data "
        "set; `dataset`: all on a data set. The files are the same, and changing it refits "
        "nothing. Many short fits want `model` or `dataset`, above all on a cluster.",
    )
    reuse: bool = Field(
        False,
        description="Take a fit from another experiment under results/ where that has made the "
        "very same: seed, ids of data set and model, the model's entry, data, split, code and "
        "versions.",
    )
