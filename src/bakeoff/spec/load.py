"""Read an experiment file, or say in one message all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from bakeoff.errors import Problem, UserError, dotted, shown
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.explain import explain


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
        raise UserError(
            f"{path or 'experiment'}: expected keys like `models:`, found {shown(config)}"
        )
    try:
        experiment = Experiment.model_validate(dict(config))
    except ValidationError as error:
        problems = [explain(details, config) for details in error.errors(include_url=False)]
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
    if line := _contains_itself(node, ()):
        raise UserError(f"{path}:{line}: an alias (*) stands inside what it stands for")
    repeated = list(_repeated_keys(node, ()))
    if repeated:
        raise UserError("\n".join(f"{path}:{line}: {text}" for line, text in repeated))
    return data, node


def _contains_itself(node: yaml.Node | None, around: tuple[yaml.Node, ...]) -> int | None:
    """Return the line of a node that is inside itself."""
    if node in around:
        return node.start_mark.line + 1 if node else None
    if not isinstance(node, yaml.CollectionNode):
        return None
    pairs = isinstance(node, yaml.MappingNode)
    inner = [value for _, value in node.value] if pairs else node.value
    found = (_contains_itself(value, (*around, node)) for value in inner)
    return next((line for line in found if line), None)


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
