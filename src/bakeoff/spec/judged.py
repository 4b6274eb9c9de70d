"""A YAML file about a judged evaluation: preferences, marks that people corrected, or looks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from bakeoff.errors import UserError
from bakeoff.files import is_file
from bakeoff.keys import Id, SpecSection, said
from bakeoff.options import OPTIONS
from bakeoff.spec.load import read_yaml, validated

_KEYS_OF_BATTLES = ("prompt", "winner", "judge")
"""Keys that say nothing of marks, or of looks."""
_OTHER_OPTIONS = (
    "format",
    "encoding",
    "missing_values",
    "value",
    "values",
    "id",
    "human",
    "of",
)
"""Options of `bakeoff compare` that a file about preferences has no keys for."""


def _as_list(value: Any) -> Any:
    """Take one name for a list of one."""
    if isinstance(value, str):
        return [value]
    return value


Names = Annotated[list[str], Field(min_length=1), BeforeValidator(_as_list)]


class JudgedFiles(SpecSection):
    """Files of marks, or of an evaluation that still runs."""

    files: Names
    """Tables or logs: one of all models, or one of each."""
    judge: str | None = Field(None, description=OPTIONS["judge"].help)
    human: str | None = Field(None, description=OPTIONS["human"].help)
    values: Literal["higher", "lower", "right", "wrong"] | None = Field(
        None, description=OPTIONS["values"].help
    )
    id: str | None = Field(None, description=OPTIONS["id"].help)
    of: int | Literal["stream"] | None = Field(None, description=OPTIONS["of"].help)

    @model_validator(mode="after")
    def _marks_or_looks(self) -> Self:
        if (self.human is None) == (self.of is None):
            raise said("expected `judge` and `human`, or `of`, the number of items of the suite")
        return self


class JudgedExperiment(SpecSection):
    """What is compared, and how."""

    experiment: Id = Field(description="Its name; results go to results/<experiment>/.")
    preferences: str | None = None
    """A file of battles of two models each."""
    judged: JudgedFiles | None = None
    """Marks of a judge and of people, or an evaluation that still runs."""
    models: Annotated[list[str], Field(min_length=1)] | None = None
    """Those to compare; default: all."""
    prompt: str | None = Field(None, description=OPTIONS["prompt"].help)
    winner: str | None = Field(None, description=OPTIONS["winner"].help)
    order: str | None = Field(None, description=OPTIONS["order"].help)
    judge: str | None = Field(None, description="Of battles the column of who judged.")
    groups: str | None = Field(None, description=OPTIONS["groups"].help)
    missing: Literal["common"] | None = None
    """`common` leaves out rows without a winner, and items that the judge did not mark for all."""
    alpha: float = Field(0.05, gt=0, lt=0.5, description=OPTIONS["alpha"].help)

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if (self.preferences is None) == (self.judged is None):
            raise said("expected `preferences` or `judged`, one of them")
        if self.judged is not None:
            for name in _KEYS_OF_BATTLES:
                if getattr(self, name) is not None:
                    raise said(f"`{name}` is of `preferences`: leave it out")
        return self

    @property
    def files(self) -> list[str]:
        """The files that are read."""
        if self.judged is not None:
            return list(self.judged.files)
        assert self.preferences is not None
        return [self.preferences]

    @property
    def options(self) -> dict[str, Any]:
        """The same as the options of `bakeoff compare`."""
        options = self.model_dump(exclude={"judged", "experiment", "preferences"})
        for name in _OTHER_OPTIONS:
            options[name] = None
        if self.judged is not None:
            options |= self.judged.model_dump()
        options["files"] = self.files
        return options


def is_judged_experiment(path: str | Path) -> bool:
    """Tell whether a YAML file is about a judged evaluation."""
    if not is_file(path):
        return False
    try:
        content = read_yaml(path)
    except UserError:
        # whoever reads it as an experiment says what is wrong
        return False
    return isinstance(content, Mapping) and ("preferences" in content or "judged" in content)


def read_judged_experiment(path: str | Path) -> JudgedExperiment:
    """Read a YAML file about a judged evaluation."""
    return validated(JudgedExperiment, read_yaml(path), path=path)
