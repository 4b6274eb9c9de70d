"""The user's own Python files: where they are looked for, and which of them a fit depends on."""

from __future__ import annotations

import ast
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent


def make_importable(folders: Iterable[str | Path]) -> None:
    """Look for modules in some folders too, after the installed ones; workers inherit it."""
    for folder in folders:
        place = str(Path(folder).resolve())
        if place not in sys.path:
            sys.path.append(place)


def structure(file: Path) -> str:
    """Return what a source file says, whatever its comments, docstrings and layout."""
    source = file.read_bytes()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source.hex()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        match body:
            case [ast.Expr(value=ast.Constant(value=str()) as docstring), *_]:
                docstring.value = ""
    return ast.dump(tree)


@cache
def own_code(*modules: str) -> tuple[tuple[str, str], ...]:
    """Return the user's own source of some modules and of what they import.

    Returns
    -------
    tuple of (str, str)
        Each file's name in its folder of modules, and its `structure`; sorted.
    """
    return tuple((name, structure(file)) for name, file in own_files(*modules))


def own_files(*modules: str) -> list[tuple[str, Path]]:
    """List the files of some modules and of what they import, installed ones left out."""
    found: dict[str, Path] = {}
    seen: set[str] = set()
    wanted = [name.partition(".")[0] for name in modules]
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        for relative, file in _files(name):
            found[relative] = file
            wanted += _imported(file)
    return sorted(found.items())


def _files(name: str) -> Iterator[tuple[str, Path]]:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    folders = [Path(place) for place in spec.submodule_search_locations or []]
    if folders:
        files = [(f.parent, file) for f in folders if _is_own(f) for file in f.rglob("*.py")]
    else:
        origin = Path(spec.origin or "")
        files = [(origin.parent, origin)] if origin.suffix == ".py" and _is_own(origin) else []
    for root, file in files:
        yield file.relative_to(root).as_posix(), file


def _is_own(place: Path) -> bool:
    """Tell whether code is neither of Python, nor installed, nor this package."""
    keys = ("stdlib", "platstdlib", "purelib", "platlib")
    installed = [Path(sysconfig.get_path(key)).resolve() for key in keys]
    place = place.resolve()
    packaged = {"site-packages", "dist-packages"} & set(place.parts)
    return not packaged and not any(place.is_relative_to(root) for root in [*installed, PACKAGE])


def _imported(file: Path) -> Iterator[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
