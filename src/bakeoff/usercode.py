"""Packages and the user's own files: how they are imported, and which of them a fit depends on."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import signal
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

from bakeoff.errors import Place, Problem, UserError, unknown
from bakeoff.files import is_file, is_folder, no_file

PACKAGE = Path(__file__).parent
IMPORT_SECONDS = 120.0
"""How long the import of a module may take."""
_METHODS = ("fit", "get_params", "split", "rvs", "random")
"""Of which estimators, splitters and distributions have one at least."""
_STANDARD = {
    "builtins.complex",
    "builtins.dict",
    "builtins.frozenset",
    "builtins.list",
    "builtins.range",
    "builtins.set",
    "builtins.slice",
    "builtins.tuple",
    "datetime.timedelta",
    "functools.partial",
    "numpy.arange",
    "numpy.array",
    "numpy.geomspace",
    "numpy.linspace",
    "numpy.logspace",
    "operator.attrgetter",
    "operator.itemgetter",
    "operator.methodcaller",
    "pandas.CategoricalDtype",
}
"""What else may be made: it starts nothing, reads and writes nothing."""
_IMPORTERS = ("import_module", "__import__")
"""Functions that import the module that their first argument names."""
_INSTALLED = ("stdlib", "platstdlib", "purelib", "platlib")
"""Names of the folders in which Python and packages are installed."""
_EXTRAS = {"openpyxl": "files", "xgboost": "xgboost"}
"""The extra of the installation that brings what few experiments need, by the module's name."""


def require(module: str, what: str) -> None:
    """Refuse what needs a package that is not installed."""
    if importlib.util.find_spec(module) is None:
        raise UserError(f"{what} needs the package {module}: {how_to_install(module)}")


def how_to_install(module: str) -> str:
    """Return the command that installs a module: its extra, or what `--no-deps` left out."""
    if module in _EXTRAS:
        return f"pip install 'bakeoff[{_EXTRAS[module]}]'"
    return f"pip install {module}"


def make_importable(folders: Iterable[str | Path]) -> None:
    """Look for modules in some folders too, after the installed ones; workers inherit it."""
    for folder in folders:
        place = str(Path(folder).resolve())
        if place not in sys.path:
            sys.path.append(place)


def import_module(name: str, path: str) -> ModuleType:
    """Import a module that an experiment names."""
    try:
        if name not in sys.modules:
            for _, file in own_files(name):
                _drop_outdated_bytecode(file)
        with time_limit(IMPORT_SECONDS), prints_to_stderr():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        package = missing.partition(".")[0]
        if missing != package:
            raise UserError(f"{path}: there is no module {missing!r}") from None
        raise UserError(
            f"{path}: the package {package!r} is not installed in this environment; for a "
            f"published one: {how_to_install(package)}; for code of your own: put {package}.py "
            "beside the experiment or in the folder where snakemake runs"
        ) from None
    except TookTooLong:
        raise UserError(
            f"{path}: the import of {name} takes more than {IMPORT_SECONDS:g} s: what takes long "
            "belongs into functions, not on the module's top level"
        ) from None
    except KeyboardInterrupt:
        raise
    # a module may end the program too, by `sys.exit`
    except BaseException as error:
        raise UserError(f"{path}: {name} cannot be imported: {described(error)}") from None


def import_object(path: str, what: str = "class") -> Any:
    """Import a class or a function by its dotted path."""
    module_name, _, name = path.rpartition(".")
    module = import_module(module_name, path)
    member = getattr(module, name, None)
    if member is None:
        names = _public_names(module, what)
        raise UserError(unknown(f"{what} in {module_name}:", name, names))
    return member


def _public_names(module: ModuleType, what: str) -> list[str]:
    """List the classes, or else the functions, of a module that others may import."""
    kind: type = FunctionType
    if what == "class":
        kind = type
    names = []
    for name, value in vars(module).items():
        if isinstance(value, kind) and not name.startswith("_"):
            names.append(name)
    return names


def import_function(path: str) -> Callable[..., Any]:
    """Import a function of the user by its path, `module.function`."""
    function: Callable[..., Any] = import_object(path, "function")
    if not callable(function):
        raise UserError(f"{path} is a {type(function).__name__}, not a function")
    refuse_standard(path, function)
    return function


def refuse_standard(path: str, function: Any) -> None:
    """Refuse what is of Python's own library, where a function of the user is meant."""
    if _package_of(function) in sys.stdlib_module_names:
        raise UserError(
            f"{path} is of Python's own library, expected a function of a package or of your own"
        )


def refuse_useless(path: str, maker: Any) -> None:
    """Refuse to make an object that is no part of an estimator: it would be called before a fit."""
    if path not in _STANDARD and not _makes_part(maker):
        raise UserError(
            f"{path} makes no part of an estimator; expected a class of estimators, splitters, "
            "distributions, kernels or metrics, a function of a package that is called make_…, or "
            "a function of your own"
        )


def _makes_part(maker: Any) -> bool:
    """Tell whether a class or a function may make a part of an estimator."""
    package = _package_of(maker)
    if package in sys.stdlib_module_names and package != "__main__":
        return False
    file = getattr(sys.modules.get(_module_of(maker)), "__file__", None)
    # of a notebook, or beside the experiment
    if file is None or _is_own(Path(file)):
        return True
    if not isinstance(maker, type):
        return getattr(maker, "__name__", "").startswith("make_") or hasattr(maker, "rvs")
    if any("__call__" in vars(base) for base in maker.__mro__):
        return True
    return any(hasattr(maker, method) for method in _METHODS)


def _module_of(value: Any) -> str:
    """Return the module that a class, a function or another object is of."""
    return str(getattr(value, "__module__", None) or type(value).__module__)


def _package_of(value: Any) -> str:
    """Return the package that a class, a function or another object is of."""
    return _module_of(value).partition(".")[0]


# --- what the user's code prints, raises, and how long it takes


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Keep stdout for results: what code of the user or its programs print goes to stderr."""
    with redirect_stdout(sys.stderr), output_into(2, 1):
        yield


@contextmanager
def output_into(handle: int, *outputs: int) -> Iterator[None]:
    """Send what Python and compiled code print on some outputs to an open file."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved = {number: os.dup(number) for number in outputs}
    for number in outputs:
        os.dup2(handle, number)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, descriptor in saved.items():
            os.dup2(descriptor, number)
            os.close(descriptor)


def _drop_outdated_bytecode(source: Path) -> None:
    """Remove what was compiled before a file was replaced: Python goes by its size and date."""
    with suppress(OSError, NotImplementedError):
        compiled = Path(importlib.util.cache_from_source(source))
        if compiled.stat().st_mtime_ns < source.stat().st_ctime_ns:
            compiled.unlink()


def described(error: BaseException) -> str:
    """Say what an exception in the user's code is, and where it was raised."""
    text = f"{type(error).__name__}: {error}"
    # it names file and line itself
    if isinstance(error, SyntaxError):
        return text
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        # <string> or <frozen importlib> is no file
        if not frame.filename.startswith("<"):
            return f"{text} ({frame.filename}, line {frame.lineno})"
    return text


class TookTooLong(BaseException):
    """No Exception: the user's code may catch these."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer; signals, and so the limit, work in the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- which files and packages are used


def _tree(file: Path) -> ast.Module | None:
    """Parse a source file; None where it is no Python."""
    with suppress(SyntaxError, ValueError):
        return ast.parse(file.read_bytes())
    return None


def _structure(file: Path) -> str:
    """Return what a source file says, whatever its comments, docstrings and layout."""
    tree = _tree(file)
    if tree is None:
        return file.read_bytes().hex()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        match body:
            # a text that stands first in a module, a class or a function
            case [ast.Expr(value=ast.Constant(value=str()) as docstring), *_]:
                docstring.value = ""
    return ast.dump(tree)


@cache
def own_code(*modules: str) -> tuple[tuple[str, str], ...]:
    """Return the user's own source of some modules and of what they import."""
    return tuple((name, _structure(file)) for name, file in own_files(*modules))


def own_files(*modules: str) -> list[tuple[str, Path]]:
    """List the files of some modules and of what they import, installed ones left out."""
    files, _ = _followed(modules)
    return files


@cache
def packages_of(*modules: str) -> tuple[str, ...]:
    """Name the packages that some modules are of, or that the user's own files among them import.

    Python's own library is left out.
    """
    _, packages = _followed(modules)
    return tuple(packages)


def _followed(modules: Iterable[str]) -> tuple[list[tuple[str, Path]], list[str]]:
    """Follow imports through the user's own files; return these, and the packages beyond them."""
    files: dict[str, Path] = {}
    packages: set[str] = set()
    seen = set(sys.stdlib_module_names)
    queue = [name.partition(".")[0] for name in modules]
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        own = dict(_files(name))
        files |= own
        if not own:
            packages.add(name)
        for file in own.values():
            queue += _imported(file)
    return sorted(files.items()), sorted(packages)


def _files(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a package or a module, each with its place, if it is the user's own."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    if not spec.submodule_search_locations:
        module = Path(spec.origin or "")
        if module.suffix == ".py" and _is_own(module):
            yield module.name, module
        return
    for location in spec.submodule_search_locations:
        folder = Path(location)
        if _is_own(folder):
            for file in folder.rglob("*.py"):
                yield file.relative_to(folder.parent).as_posix(), file


def _is_own(place: Path) -> bool:
    """Tell whether code is neither of Python, nor installed, nor this package."""
    place = place.resolve()
    if "site-packages" in place.parts or "dist-packages" in place.parts:
        return False
    if place.is_relative_to(PACKAGE):
        return False
    for key in _INSTALLED:
        if place.is_relative_to(Path(sysconfig.get_path(key)).resolve()):
            return False
    return True


def _imported(file: Path) -> Iterator[str]:
    """Name the packages that a source file imports."""
    tree = _tree(file)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call):
            yield from _imported_by_call(node)


def _imported_by_call(call: ast.Call) -> Iterator[str]:
    """Find what `importlib.import_module("helper")` imports, where the name is written out."""
    function = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if function not in _IMPORTERS:
        return
    arguments = call.args[:1]
    for keyword in call.keywords:
        if keyword.arg == "name":
            arguments.append(keyword.value)
    for argument in arguments:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            name = argument.value.partition(".")[0]
            # else it is relative: of the same package, all of whose files count
            if name:
                yield name


def refuse_missing(reads: Sequence[str], place: Place = ()) -> None:
    """Refuse files and folders that own code is said to read and that are not there."""
    for i, path in enumerate(reads):
        if not (is_file(path) or is_folder(path)):
            raise Problem((*place, "reads", i), no_file(path))
