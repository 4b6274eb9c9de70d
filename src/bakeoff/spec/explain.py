"""Translate pydantic's errors into messages about the experiment file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, Tag
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bakeoff.errors import Problem, shown, unknown
from bakeoff.sources.common.base import instead_of

_ID = "letters a to z, digits, _ and - only"
_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list like [a, b]",
    "dict_type": "keys with values",
    "model_attributes_type": "keys, `source` among them",
}
_PREAMBLE = r"(Input|String|List|Dictionary) should (be|have) |Value error, "


def explain(details: ErrorDetails, config: Mapping[str, Any], section: type[BaseModel]) -> Problem:
    """Say in a user's words what pydantic found."""
    path = tuple(p for p in details["loc"] if p != "[key]")
    kind, context = details["type"], details.get("ctx", {})
    is_key = kind == "invalid_key" or "[key]" in details["loc"]
    if is_key and not isinstance(details["input"], str):
        return Problem(_without_tags(path[:-1], config, kind), _no_text(details["input"]))
    path = _without_tags(path, config, kind)
    found = shown(details["input"])
    if kind == "said":
        return Problem(path, details["msg"])
    if kind == "extra_forbidden":
        message = unknown("key", path[-1], _allowed_keys(details["loc"][:-1], section))
        return Problem(path[:-1], message, at=path)
    if kind == "missing":
        return Problem(path[:-1], f"the key {path[-1]!r} is missing")
    if kind == "model_type":
        keys = ", ".join(_allowed_keys(details["loc"], section))
        return Problem(path, f"expected keys ({keys}), found {found}")
    if kind in ("literal_error", "union_tag_invalid"):
        allowed = context.get("expected") or context.get("expected_tags") or ""
        names = [name.strip().strip("'") for name in str(allowed).replace(" or ", ", ").split(",")]
        is_source = kind == "union_tag_invalid"
        value = details["input"]["source"] if is_source else details["input"]
        place = (*path, "source") if is_source else path
        if not isinstance(value, str):
            return Problem(place, f"found {shown(value)}, expected {_one_of(names)}")
        message = unknown("source" if is_source else "value", value, names)
        return Problem(place, message + instead_of(value))
    if kind == "union_tag_not_found":
        return Problem(path, "the key 'source' is missing")
    if kind == "string_pattern_mismatch":
        if is_key:
            return Problem(
                path,
                "this name must be made of letters a to z, digits, _ and - only; use `label:` for "
                "any text",
            )
        is_path = r"\." in str(context.get("pattern"))
        wanted = "an import path like sklearn.svm.SVC" if is_path else _ID
        return Problem(path, f"found {found}, expected {wanted}")
    if kind == "too_short":
        least = context.get("min_length")
        return Problem(
            path, f"found {context.get('actual_length')} entries, at least {least} needed"
        )
    wanted = _WANTED.get(kind) or re.sub(_PREAMBLE, "", details["msg"])
    return Problem(path, f"expected {wanted}, found {found}")


def _no_text(key: Any) -> str:
    """Say what YAML has made of a key."""
    read = " (YAML reads bare yes, no, on, off and true so)" if isinstance(key, bool) else ""
    return f"found {shown(key)} for the name of a key{read}; names are texts: put quotes around it"


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


def _without_tags(loc: tuple[str | int, ...], config: Any, kind: str) -> tuple[str | int, ...]:
    """Drop from pydantic's path the names of union members, which are not in the file."""
    path: list[str | int] = []
    here = untagged = config
    for i, part in enumerate(loc):
        last = i == len(loc) - 1
        if isinstance(here, Mapping):
            if part == here.get("source") and here is not untagged:
                untagged = here  # a source comes before its keys, one of which may have its name
                continue
            if part in here:
                here = here[part]
            elif not last or kind != "missing":
                continue
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            here = here[part]
        elif not last or isinstance(part, str):
            continue
        path.append(part)
    return tuple(path)


def _allowed_keys(loc: tuple[str | int, ...], section: type[BaseModel]) -> list[str]:
    """Walk the model classes along a pydantic path to the keys allowed there."""
    here: Any = section
    for part in loc:
        here = _enter(here, part)
    return sorted({key for member in _model_classes(here) for key in _fields(member)})


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a section by their keys."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _enter(annotation: Any, part: str | int) -> Any:
    """Return where one part of a pydantic path leads: to a field, an entry or a union's member."""
    members = [a for a in get_args(annotation) if a is not NoneType]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = _fields(annotation).get(str(part))
        return field.annotation if field else annotation
    if get_origin(annotation) in (dict, list):
        return members[-1]
    if get_origin(annotation) is Annotated or len(members) == 1:
        return _enter(members[0], part)
    return next((m for m in members if part in _tags(m)), annotation)


def _tags(member: Any) -> list[str | None]:
    """Return the names by which pydantic's paths tell a union's member from the others."""
    named = [str(tag.tag) for tag in get_args(member)[1:] if isinstance(tag, Tag)]
    return [*named, *(_tag(model) for model in _model_classes(member))]


def _tag(model: type[BaseModel]) -> str | None:
    source = model.model_fields.get("source")
    values = get_args(source.annotation) if source is not None else ()
    return str(values[0]) if values else None


def _model_classes(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for a in getattr(annotation, "__args__", ()) for m in _model_classes(a)]
