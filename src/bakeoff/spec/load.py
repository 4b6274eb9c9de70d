"""Read an experiment file, or say in one message, in a user's words, all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bakeoff.errors import Place, Problem, Problems, UserError, shown, unknown
from bakeoff.spec.experiment import Experiment

_NAME = "letters a to z, digits, _ and - only"
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


def _explained(details: ErrorDetails, config: Any) -> Problem:
    """Say in a user's words what pydantic found."""
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    loc = tuple(part for part in details["loc"] if part != "[key]")
    path, written = _without_tags(loc, config, kind), shown(value)
    if kind == "invalid_key" or "[key]" in details["loc"]:
        if isinstance(value, str):
            return Problem(path, f"this name must be made of {_NAME}; use `label:` for any text")
        read = " (YAML reads bare yes, no, on, off and true so)" * isinstance(value, bool)
        wanted = (
            f"found {written} for the name of a key{read}; names are texts: put quotes around it"
        )
        return Problem(_without_tags(loc[:-1], config, kind), wanted)
    match kind:
        case "said":
            return Problem(path, details["msg"])
        case "unknown_key":
            return Problem(path, details["msg"], at=(*path, context["key"]))
        case "missing":
            return Problem(path[:-1], f"the key {path[-1]!r} is missing")
        case "union_tag_not_found":
            return Problem(path, "the key 'source' is missing")
        case "literal_error" | "union_tag_invalid":
            allowed = str(context.get("expected") or context.get("expected_tags"))
            names = [n.strip().strip("'") for n in allowed.replace(" or ", ", ").split(",")]
            what = "value"
            if kind == "union_tag_invalid":
                what, path, value = "source", (*path, "source"), value["source"]
            if isinstance(value, str):
                return Problem(path, unknown(what, value, names))
            one_of = "one of " * (len(names) > 1) + ", ".join(names)
            return Problem(path, f"found {shown(value)}, expected {one_of}")
        case "string_pattern_mismatch":
            is_path = r"\." in str(context.get("pattern"))
            wanted = "an import path like sklearn.svm.SVC" if is_path else _NAME
            return Problem(path, f"found {written}, expected {wanted}")
        case "too_short":
            least, length = context.get("min_length"), context.get("actual_length")
            return Problem(path, f"found {length} entries, at least {least} needed")
    wanted = _WANTED.get(kind) or re.sub(_PREAMBLE, "", details["msg"])
    return Problem(path, f"expected {wanted}, found {written}")


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


S = TypeVar("S", bound=BaseModel)
MOST_VALUES = 1_000_000
"""More values, aliases written out, are no experiment but a mistake or an attack."""


def read_experiment(path: str | Path) -> Experiment:
    """Read and validate one experiment file."""
    return load_experiment(read_yaml(path), path)


def load_experiment(config: Any, path: str | Path | None = None) -> Experiment:
    """Validate an experiment given as plain data."""
    if path is not None:
        read_yaml(path)
    if not isinstance(config, Mapping):
        blank = _missing_blank(Path(path), 0) if path is not None else ""
        if blank:
            raise UserError(f"{path}:{blank}")
        raise UserError(
            f"{path or 'experiment'}: expected keys like `models:`, found {shown(config)}"
        )
    try:
        experiment = validated(Experiment, config, path=path)
    except RecursionError:
        message = "lists or mappings are nested too deeply, or an alias (*) is inside itself"
        raise UserError(f"{path or 'experiment'}: {message}") from None
    return experiment if path is None else experiment.beside(Path(path).parent)


def validated(section: type[S], values: Any, at: Place = (), path: str | Path | None = None) -> S:
    """Make a section of an experiment of its values, which may be sections themselves."""
    try:
        return section.model_validate(dict(values) if isinstance(values, Mapping) else values)
    except ValidationError as error:
        problems = [_explained(one, values) for one in error.errors(include_url=False)]
        placed = [problem.inside(at) for problem in problems] if at else problems
        raise report_problems(placed, path) from None


def report_problems(problems: Sequence[Problem], path: str | Path | None = None) -> Problems:
    """Join problems to one message, each with its line where the file shows it."""
    node = _parse(Path(path))[0] if path is not None and Path(path).is_file() else None
    placed = [(_line_of(node, problem.at) or 0, str(problem)) for problem in problems]
    lines = [
        (f"{path}:{line}: " if line else f"{path}: ") + text if path else text
        for line, text in sorted(dict.fromkeys(placed), key=lambda at: at[0])
    ]
    return Problems("\n".join(lines), problems)


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file as plain data."""
    return _parse(Path(path))[1]


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
        if mark and (blank := _missing_blank(path, mark.line)):
            raise UserError(f"{path}:{blank}") from None
        raise UserError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: lists or mappings are nested too deeply to be read") from None


_WITHOUT_BLANK = re.compile(r"\s*(?:- )?([A-Za-z_]\w*):([^\s:/\\].*)")


def _missing_blank(path: Path, line: int) -> str:
    """Find at a line, or just before it, a key without a blank behind its colon."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number in range(min(line, len(lines) - 1), max(-1, line - 3), -1):
        match = _WITHOUT_BLANK.fullmatch(lines[number])
        if match is not None:
            wanted = f"`{match[1]}: {match[2].strip()}`"
            return f"{number + 1}: a blank is missing behind the colon: write {wanted}"
    return ""


class _Loader(yaml.SafeLoader):
    """Refuses keys that stand twice, of which YAML keeps the last, and keys that are no text."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problem = "a list or a mapping stands where a key is expected: is a comma or a "
                problem += "bracket out of place? (`holdout: {…}`, not `holdout:, {…}`)"
            elif key.value in lines and key.value != "<<":
                problem = f"{key.value!r} appears twice (also in line {lines[key.value]})"
            else:
                lines[key.value] = key.start_mark.line + 1
                continue
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        return node


@lru_cache(maxsize=4)
def _nodes_and_data(text: str) -> tuple[yaml.Node | None, Any]:
    """Parse a text once, however often its lines are asked for."""
    node = yaml.compose(text, Loader=_Loader)
    if node is None:
        return None, None
    _check_aliases(node)
    return node, yaml.constructor.SafeConstructor().construct_document(node)


def _check_aliases(root: yaml.Node) -> None:
    """Refuse aliases inside themselves, and aliases that expand to too much."""
    sizes: dict[int, int | None] = {}

    def size(node: yaml.Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = None  # until all inside it is counted
            inside = [] if isinstance(node, yaml.ScalarNode) else node.value
            if isinstance(node, yaml.MappingNode):
                inside = [value for _, value in inside]
            sizes[id(node)] = 1 + sum(map(size, inside))
        count = sizes[id(node)]
        if count is not None and count <= MOST_VALUES:
            return count
        problem = f"aliases (*) make more than {MOST_VALUES:,} values of this"
        if count is None:
            problem = "an alias (*) stands inside what it stands for"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)

    size(root)


def _line_of(node: yaml.Node | None, path: tuple[str | int, ...]) -> int | None:
    line = None
    for part in path:
        inside: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        if isinstance(node, yaml.MappingNode):
            inside = {key.value: (key, value) for key, value in node.value}
        elif isinstance(node, yaml.SequenceNode):
            inside = {str(i): (value, value) for i, value in enumerate(node.value)}
        if str(part) not in inside:
            break
        key, node = inside[str(part)]
        line = key.start_mark.line + 1
    return line
