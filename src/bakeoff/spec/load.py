"""Read an experiment file, or say in one message, in a user's words, all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bakeoff.errors import Place, Problem, Problems, UserError, dotted, shown, unknown
from bakeoff.spec.experiment import Experiment

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
        return Problem(place, unknown("source" if is_source else "value", value, names))
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


S = TypeVar("S", bound=BaseModel)
MOST_VALUES = 1_000_000
"""More values, aliases written out, are no experiment but a mistake or an attack."""


def read_experiment(path: str | Path) -> Experiment:
    """Read and validate one experiment file."""
    return load_experiment(read_yaml(path), path)


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file as plain data."""
    return _parse(Path(path))[1]


def load_experiment(config: Any, path: str | Path | None = None) -> Experiment:
    """Validate an experiment given as plain data."""
    if path is not None:
        _parse(Path(path))
    if not isinstance(config, Mapping):
        raise UserError(
            f"{path or 'experiment'}: expected keys like `models:`, found {shown(config)}"
        )
    experiment = validated(Experiment, config, path=path)
    return experiment if path is None else experiment.beside(Path(path).parent)


def validated(section: type[S], values: Any, at: Place = (), path: str | Path | None = None) -> S:
    """Make a section of an experiment of its values, which may be sections themselves."""
    try:
        return section.model_validate(dict(values) if isinstance(values, Mapping) else values)
    except ValidationError as error:
        details = error.errors(include_url=False)
        problems = [explain(one, values, section) for one in details]
        placed = [p.inside(at) for p in problems] if at else problems
        raise report_problems(list(_without_echoes(placed)), path) from None


_MISSING = re.compile(r"the key '(\w+)' is missing")


def _without_echoes(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Leave out that a key is missing where a misspelling of it is told too."""
    for problem in problems:
        named = _MISSING.fullmatch(problem.message)
        meant = f"did you mean {named[1]!r}?" if named else ""
        others = (other.message for other in problems if other.path == problem.path)
        if not meant or not any(meant in other for other in others):
            yield problem


def report_problems(problems: Sequence[Problem], path: str | Path | None = None) -> Problems:
    """Join problems to one message, each with its line where the file shows it."""
    node = _parse(Path(path))[0] if path is not None and Path(path).is_file() else None
    placed = [(_line_of(node, problem.at) or 0, str(problem)) for problem in problems]
    lines = [
        (f"{path}:{line}: " if line else f"{path}: ") + text if path else text
        for line, text in sorted(dict.fromkeys(placed), key=lambda at: at[0])
    ]
    return Problems("\n".join(lines), problems)


def _parse(path: Path) -> tuple[yaml.Node | None, Any]:
    """Read a YAML file: its nodes, which know their lines, and its data."""
    try:
        return _nodes_and_data(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: lists or mappings are nested too deeply to be read") from None
    except _Misused as error:
        raise UserError("\n".join(f"{path}:{line}: {text}" for line, text in error.args)) from None


class _Misused(Exception):
    """Valid YAML that is not a valid experiment, by line: recursive aliases, repeated keys."""


@lru_cache(maxsize=4)
def _nodes_and_data(text: str) -> tuple[yaml.Node | None, Any]:
    """Parse a text once, however often its lines are asked for."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return None, None
    _check_aliases(node)
    if repeated := list(_repeated_keys(node, ())):
        raise _Misused(*repeated)
    return node, yaml.constructor.SafeConstructor().construct_document(node)


def _check_aliases(root: yaml.Node) -> None:
    """Refuse recursive aliases, and aliases that expand to too much."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node, around: tuple[int, ...]) -> int:
        if id(node) in around:
            line = node.start_mark.line + 1
            raise _Misused((line, "an alias (*) stands inside what it stands for"))
        if id(node) not in sizes:
            inside = (*around, id(node))
            sizes[id(node)] = 1 + sum(size(value, inside) for value in _values(node))
        if sizes[id(node)] > MOST_VALUES:
            line = node.start_mark.line + 1
            raise _Misused((line, f"aliases (*) make more than {MOST_VALUES:,} values of this"))
        return sizes[id(node)]

    size(root, ())


def _values(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [value for _, value in node.value]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _repeated_keys(
    node: yaml.Node, at: tuple[str | int, ...], seen: set[int] | None = None
) -> Iterator[tuple[int, str]]:
    seen = set() if seen is None else seen
    if id(node) in seen:  # told where it is written out
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                kind = "list" if isinstance(key, yaml.SequenceNode) else "mapping"
                yield (
                    line,
                    f"{dotted(at)}: a {kind} stands where a key is expected: is a comma or a "
                    "bracket out of place? (`holdout: {…}`, not `holdout:, {…}`)",
                )
                continue
            if key.value in first and key.value != "<<":
                yield (
                    line,
                    f"{dotted((*at, key.value))}: appears twice (also in line {first[key.value]})",
                )
            first.setdefault(key.value, line)
            yield from _repeated_keys(value, (*at, key.value), seen)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            yield from _repeated_keys(value, (*at, i), seen)


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
