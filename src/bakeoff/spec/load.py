"""Read an experiment file, or say in one message all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

import yaml
from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from bakeoff.errors import Problem, UserError, dotted, unknown
from bakeoff.spec.experiment import Experiment


def read_experiment(path: str | Path) -> Experiment:
    """Read and validate one experiment file.

    Raises
    ------
    UserError
        The file is missing, is not YAML, or does not describe an experiment.
    """
    return load_experiment(_parse(Path(path))[0], path)


def load_experiment(config: Any, path: str | Path | None = None) -> Experiment:
    """Validate an experiment given as plain data.

    Parameters
    ----------
    config : dict
        What the YAML holds, possibly changed on the command line.
    path : path, optional
        The file it came from: errors name it with the line, repeated keys in it are refused.

    Raises
    ------
    UserError
        All problems, one line each.
    """
    node = _parse(Path(path))[1] if path is not None else None
    if not isinstance(config, Mapping):
        found = repr(config)[:60]
        raise UserError(f"{path or 'experiment'}: expected keys like `models:`, found {found}")
    try:
        experiment = Experiment.model_validate(dict(config))
    except ValidationError as error:
        problems = [_explain(details, config) for details in error.errors(include_url=False)]
        raise report_problems(list(_without_echoes(problems)), path, node) from None
    return experiment if path is None else experiment.beside(Path(path).parent)


_MISSING = re.compile(r"the key '(\w+)' is missing")


def _without_echoes(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Leave out that a key is missing where a misspelling of it is told too."""
    for problem in problems:
        named = _MISSING.fullmatch(problem.message)
        meant = f"did you mean {named[1]!r}?" if named else ""
        others = (other.message for other in problems if other.path == problem.path)
        if not meant or not any(meant in other for other in others):
            yield problem


def report_problems(
    problems: Sequence[Problem], path: str | Path | None, node: yaml.Node | None = None
) -> UserError:
    """Join problems to one message, each with its line where the file shows it."""
    if node is None and path is not None and Path(path).is_file():
        node = _parse(Path(path))[1]
    placed = [(_line_of(node, problem.path) or 0, str(problem)) for problem in problems]
    lines = [
        (f"{path}:{line}: " if line else f"{path}: ") + text if path else text
        for line, text in sorted(dict.fromkeys(placed), key=lambda at: at[0])
    ]
    return UserError("\n".join(lines))


def _parse(path: Path) -> tuple[Any, yaml.Node | None]:
    """Read a YAML file: its data, and the nodes that know their lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {error}") from None
    repeated = list(_repeated_keys(node, ()))
    if repeated:
        raise UserError("\n".join(f"{path}:{line}: {text}" for line, text in repeated))
    return data, node


def _repeated_keys(node: yaml.Node | None, at: tuple[str | int, ...]) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.value in first and key.value != "<<":
                yield (
                    line,
                    f"{dotted((*at, key.value))}: appears twice (also in line {first[key.value]})",
                )
            first.setdefault(key.value, line)
            yield from _repeated_keys(value, (*at, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            yield from _repeated_keys(value, (*at, i))


def _line_of(node: yaml.Node | None, path: tuple[str | int, ...]) -> int | None:
    line = None
    for part in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            if part >= len(node.value):
                break
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


def _explain(details: ErrorDetails, config: Mapping[str, Any]) -> Problem:
    """Say in a user's words what pydantic found."""
    path = tuple(p for p in details["loc"] if p != "[key]")
    kind, context = details["type"], details.get("ctx", {})
    path = _without_tags(path, config, kind)
    found = details["input"]
    if kind == "said":
        return Problem(path, details["msg"])
    if kind == "extra_forbidden":
        return Problem(path[:-1], unknown("key", path[-1], _allowed_keys(details["loc"][:-1])))
    if kind == "missing":
        return Problem(path[:-1], f"the key {path[-1]!r} is missing")
    if kind == "model_type":
        keys = ", ".join(_allowed_keys(details["loc"]))
        return Problem(path, f"expected keys ({keys}), found {found!r}")
    if kind in ("literal_error", "union_tag_invalid"):
        allowed = context.get("expected") or context.get("expected_tags") or ""
        names = [name.strip().strip("'") for name in str(allowed).replace(" or ", ", ").split(",")]
        value = context.get("tag", found)
        what = "source" if kind == "union_tag_invalid" else "value"
        place = (*path, "source") if kind == "union_tag_invalid" else path
        return Problem(place, unknown(what, value, names))
    if kind == "union_tag_not_found":
        return Problem(path, "the key 'source' is missing")
    if (
        kind == "string_pattern_mismatch"
        and path
        and found == path[-1]
        and "[key]" in details["loc"]
    ):
        return Problem(
            path, "this name must be made of a-z, 0-9, _ and - only; use `label:` for any text"
        )
    if kind == "string_pattern_mismatch":
        wanted = (
            "an import path like sklearn.svm.SVC"
            if r"\." in str(context.get("pattern"))
            else ("lower-case letters, digits, _ and - only")
        )
        return Problem(path, f"found {found!r}, expected {wanted}")
    if kind == "too_short":
        least = context.get("min_length")
        return Problem(
            path, f"found {context.get('actual_length')} entries, at least {least} needed"
        )
    message = details["msg"].replace("Input should be", "expected").replace("Value error, ", "")
    return Problem(path, f"{message}, found {found!r}")


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


def _allowed_keys(loc: tuple[str | int, ...]) -> list[str]:
    """Walk the model classes along a pydantic path to the keys allowed there."""
    here: Any = Experiment
    for part in loc:
        here = _enter(here, part)
    return sorted({key for member in _model_classes(here) for key in member.model_fields})


def _enter(annotation: Any, part: str | int) -> Any:
    """Return where one part of a pydantic path leads: to a field, an entry or a union's member."""
    members = [a for a in get_args(annotation) if a is not NoneType]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(part))
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
