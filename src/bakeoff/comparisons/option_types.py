"""What the options of tests may be: what the annotations of their functions declare."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError

from bakeoff.comparisons.settings import allowed_options, corrects
from bakeoff.errors import unknown
from bakeoff.spec.tests import Correction
from bakeoff.stats import ArgumentError, Entry
from bakeoff.stats.core.arguments import Level, check_of, choices_of

_SHARED: dict[str, Any] = {
    "alpha": Annotated[Level, Field(description="Its own significance level.")],
    "correction": Annotated[
        Correction, Field(description="How the p-values of its family are adjusted.")
    ],
    "independent_rows": Annotated[
        bool,
        Field(
            description="true: take the rows of a data set with `groups:` or `time:` for "
            "independent all the same; without it the form of the test for such rows runs."
        ),
    ],
    "metrics": Annotated[
        list[str],
        Field(
            description="Which of the experiment's metrics it is run on; default: all, or the "
            "first for tests with a value in the metric's unit (margin, rope, mu0)."
        ),
    ],
    "plan": Annotated[str, Field(description="The resampling plan that feeds it.")],
    "simultaneous": Annotated[
        bool,
        Field(
            description="true, the default: the intervals of all pairs hold together; false: each "
            "by itself."
        ),
    ],
    "versus": Annotated[
        str | None,
        Field(description="A model: only it is compared with each other one; null: all pairs."),
    ],
}
"""Options that are no parameters of a test's function, or mean more than these."""
_CHECKED_ELSEWHERE = ("independent_rows", "metrics", "plan", "versus")


def wrong_value(entry: Entry, option: str, value: Any) -> str:
    """Say what is wrong with the value of an option; empty when nothing is."""
    if option in _CHECKED_ELSEWHERE:
        return ""
    kind = _type_of(entry, option)
    choices, check = choices_of(kind), check_of(kind)
    if choices and value not in choices and value is not None:
        return unknown("correction" if option == "correction" else "value", value, choices)
    try:
        if check:
            check(value, option)
    except ArgumentError as error:
        return error.message
    return ""


def option_schemas(entry: Entry) -> dict[str, dict[str, Any]]:
    """Describe what an experiment may say of a test, as JSON schemas by option."""
    told = dict(_descriptions(inspect.getdoc(entry.function) or ""))
    found = {}
    for name in allowed_options(entry):
        schema = {"description": told.get(name, "")}
        schema |= _adapter(_type_of(entry, name)).json_schema()
        option = entry.all_options.get(name)
        if option and not _is_shared(entry, name):
            known = option.default not in (inspect.Parameter.empty, None)
            schema |= {"default": option.default} if known else {}
        found[name] = schema | ({"enum": list(entry.plans)} if name == "plan" else {})
    return found


def _is_shared(entry: Entry, option: str) -> bool:
    return option in _SHARED and (option != "correction" or corrects(entry))


def _type_of(entry: Entry, option: str) -> Any:
    return _SHARED[option] if _is_shared(entry, option) else entry.all_options[option].annotation


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # an array
        return TypeAdapter(Any)


def _descriptions(doc: str) -> Iterator[tuple[str, str]]:
    """Read what a docstring says of each parameter."""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", doc, re.DOTALL | re.MULTILINE
    )
    for names, text in re.findall(
        r"^(\w[\w, ]*?)(?: : [^\n]*)?\n((?:^    [^\n]*\n|^\n)*)",
        section.group(1) if section else "",
        re.MULTILINE,
    ):
        description = re.sub(r"\s+", " ", text).strip().replace("``", "`")
        yield from ((name, description) for name in names.split(", "))
