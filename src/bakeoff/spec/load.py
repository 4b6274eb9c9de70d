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
from bakeoff.files import is_file
from bakeoff.spec.experiment import Experiment

S = TypeVar("S", bound=BaseModel)

MOST_VALUES = 1_000_000
"""More values, aliases written out, are no experiment but a mistake or an attack."""
_NAME = "letters a to z, digits, _ and - only"
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list like [a, b]",
    "dict_type": "keys with values",
    "model_attributes_type": "keys, `source` among them",
}
"""What users call what pydantic expects."""
_PREAMBLE = r"(Input|String|List|Dictionary) should (be|have) |Value error, "
_KEY = "[key]"
"""What pydantic calls the name of a key, as a part of its path."""
_WITHOUT_BLANK = re.compile(r"\s*(?:- )?([A-Za-z_]\w*):([^\s:/\\].*)")
_LINES_BEFORE = 3
"""In how many lines up to that of a mistake the key without a blank is looked for."""


def read_experiment(path: str | Path) -> Experiment:
    """Read and validate one experiment file."""
    return load_experiment(read_yaml(path), path)


def load_experiment(config: Any, path: str | Path | None = None) -> Experiment:
    """Validate an experiment given as plain data."""
    if path is not None:
        read_yaml(path)
    if not isinstance(config, Mapping):
        raise _no_mapping(config, path)
    try:
        experiment = validated(Experiment, config, path=path)
    except RecursionError:
        message = "lists or mappings are nested too deeply, or an alias (*) is inside itself"
        raise UserError(f"{path or 'experiment'}: {message}") from None
    if path is None:
        return experiment
    return experiment.beside(Path(path).parent)


def _no_mapping(config: Any, path: str | Path | None) -> UserError:
    """Say that keys were expected; a missing blank makes a text of the first one."""
    if path is not None:
        blank = _missing_blank(Path(path), 0)
        if blank:
            return UserError(f"{path}:{blank}")
    return UserError(f"{path or 'experiment'}: expected keys like `models:`, found {shown(config)}")


def validated(section: type[S], values: Any, at: Place = (), path: str | Path | None = None) -> S:
    """Make a section of an experiment of its values, which may be sections themselves."""
    if isinstance(values, Mapping):
        values = dict(values)
    try:
        return section.model_validate(values)
    except ValidationError as error:
        problems = []
        for details in error.errors(include_url=False):
            problem = _explained(details, values)
            if at:
                problem = problem.inside(at)
            problems.append(problem)
        raise report_problems(problems, path) from None


def report_problems(problems: Sequence[Problem], path: str | Path | None = None) -> Problems:
    """Join problems to one message, each with its line where the file shows it."""
    node = None
    if path is not None and is_file(path):
        node, _ = _parse(Path(path))
    lines_and_texts: dict[tuple[int, str], None] = {}
    for problem in problems:
        # several keys may have one problem, which is said once
        lines_and_texts[_line_of(node, problem.at) or 0, str(problem)] = None
    messages = []
    # in the order of the file; of one line in the order in which they were found
    for line, text in sorted(lines_and_texts, key=lambda pair: pair[0]):
        if not path:
            messages.append(text)
        elif line:
            messages.append(f"{path}:{line}: {text}")
        else:
            messages.append(f"{path}: {text}")
    return Problems("\n".join(messages), problems)


# --- what pydantic finds, in a user's words


def _explained(details: ErrorDetails, config: Any) -> Problem:
    """Say in a user's words what pydantic found."""
    kind = details["type"]
    context = details.get("ctx", {})
    value = details["input"]
    loc = tuple(part for part in details["loc"] if part != _KEY)
    if kind == "invalid_key" or _KEY in details["loc"]:
        return _wrong_name(loc, config, kind, value)
    path = _without_tags(loc, config, kind)
    match kind:
        case "said":
            return Problem(path, details["msg"])
        case "unknown_key":
            return Problem(path, details["msg"], at=(*path, context["key"]))
        case "missing":
            return Problem(path[:-1], f"the key {path[-1]!r} is missing")
        case "union_tag_not_found":
            return Problem(path, "the key 'source' is missing")
        case "union_tag_invalid":
            message = _not_allowed("source", value["source"], context["expected_tags"])
            return Problem((*path, "source"), message)
        case "literal_error":
            return Problem(path, _not_allowed("value", value, context["expected"]))
        case "string_pattern_mismatch":
            return Problem(path, _no_match(value, str(context.get("pattern"))))
        case "too_short":
            length = context.get("actual_length")
            return Problem(
                path, f"found {length} entries, at least {context.get('min_length')} needed"
            )
    expected = _EXPECTED.get(kind) or re.sub(_PREAMBLE, "", details["msg"])
    return Problem(path, f"expected {expected}, found {shown(value)}")


def _wrong_name(loc: Place, config: Any, kind: str, name: Any) -> Problem:
    """Say what is wrong with the name of a key that people choose."""
    if isinstance(name, str):
        path = _without_tags(loc, config, kind)
        return Problem(path, f"this name must be made of {_NAME}; use `label:` for any text")
    # pydantic writes the name as a text, which is no key of the file
    return Problem(_without_tags(loc[:-1], config, kind), _no_text(name))


def _no_text(key: Any) -> str:
    """Say that the name of a key is a number or another value."""
    hint = ""
    if isinstance(key, bool):
        hint = " (YAML reads bare yes, no, on, off and true so)"
    return f"found {shown(key)} for the name of a key{hint}; names are texts: put quotes around it"


def _not_allowed(what: str, value: Any, allowed: str) -> str:
    """Say which values are allowed, of which pydantic writes "'a', 'b' or 'c'"."""
    names = [name.strip().strip("'") for name in allowed.replace(" or ", ", ").split(",")]
    if isinstance(value, str):
        return unknown(what, value, names)
    one_of = ""
    if len(names) > 1:
        one_of = "one of "
    return f"found {shown(value)}, expected {one_of}{', '.join(names)}"


def _no_match(value: Any, pattern: str) -> str:
    """Say that a text is no import path, or no name."""
    expected = _NAME
    # of these patterns the one of paths has a dot
    if r"\." in pattern:
        expected = "an import path like sklearn.svm.SVC"
    return f"found {shown(value)}, expected {expected}"


def _without_tags(loc: Place, config: Any, kind: str) -> Place:
    """Drop from pydantic's path the names of union members, which are not in the file."""
    path: list[str | int] = []
    section = config
    section_of_source = config
    for i, part in enumerate(loc):
        is_last = i == len(loc) - 1
        is_in_section = False
        if isinstance(section, Mapping):
            if part == section.get("source") and section is not section_of_source:
                # a source comes before its keys, one of which may have its name
                section_of_source = section
                continue
            is_in_section = part in section
            is_kept = is_in_section or (is_last and kind == "missing")
        elif isinstance(section, list) and isinstance(part, int):
            is_in_section = part < len(section)
            is_kept = is_in_section or is_last
        else:
            is_kept = is_last and isinstance(part, int)
        if is_in_section:
            section = section[part]
        if is_kept:
            path.append(part)
    return tuple(path)


# --- YAML


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file as plain data."""
    _, data = _parse(Path(path))
    return data


def _parse(path: Path) -> tuple[yaml.Node | None, Any]:
    """Read a YAML file: its nodes, which know their lines, and its data."""
    try:
        return _nodes_and_data(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
    except yaml.MarkedYAMLError as error:
        raise _no_yaml(path, error) from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: lists or mappings are nested too deeply to be read") from None


def _no_yaml(path: Path, error: yaml.MarkedYAMLError) -> UserError:
    """Say where a text is no YAML, or which blank is missing there."""
    mark = error.problem_mark
    if mark is None:
        return UserError(f"{path}: not valid YAML: {error.problem}")
    blank = _missing_blank(path, mark.line)
    if blank:
        return UserError(f"{path}:{blank}")
    return UserError(f"{path}:{mark.line + 1}:{mark.column + 1}: not valid YAML: {error.problem}")


def _missing_blank(path: Path, line: int) -> str:
    """Find at a line, or just before it, a key without a blank behind its colon."""
    lines = path.read_text(encoding="utf-8").splitlines()
    last = min(line, len(lines) - 1)
    first = max(0, line - _LINES_BEFORE + 1)
    for i in range(last, first - 1, -1):
        match = _WITHOUT_BLANK.fullmatch(lines[i])
        if match is not None:
            key = match[1]
            value = match[2].strip()
            return f"{i + 1}: a blank is missing behind the colon: write `{key}: {value}`"
    return ""


class _Loader(yaml.SafeLoader):
    """Refuses keys that stand twice, of which YAML keeps the last, and keys that are no text."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problem = (
                    "a list or a mapping stands where a key is expected: is a comma or a bracket "
                    "out of place? (`holdout: {…}`, not `holdout:, {…}`)"
                )
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            if key.value in lines and key.value != "<<":
                problem = f"{key.value!r} appears twice (also in line {lines[key.value]})"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            lines[key.value] = key.start_mark.line + 1
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
            # None until all inside it is counted, so that a circle is seen
            sizes[id(node)] = None
            sizes[id(node)] = 1 + sum(map(size, _children(node)))
        count = sizes[id(node)]
        if count is not None and count <= MOST_VALUES:
            return count
        problem = f"aliases (*) make more than {MOST_VALUES:,} values of this"
        if count is None:
            problem = "an alias (*) stands inside what it stands for"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)

    size(root)


def _children(node: yaml.Node) -> list[yaml.Node]:
    """List the values of a mapping or of a list."""
    if isinstance(node, yaml.MappingNode):
        return [value for _, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    return []


def _line_of(node: yaml.Node | None, path: Place) -> int | None:
    """Return the line of the last part of a path that is in the file."""
    line = None
    for part in path:
        entry = _entry(node, str(part))
        if entry is None:
            break
        key, node = entry
        line = key.start_mark.line + 1
    return line


def _entry(node: yaml.Node | None, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the key and the value of an entry; of a list, whose entries are counted, the value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == name:
                return key, value
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            if str(i) == name:
                return value, value
    return None
