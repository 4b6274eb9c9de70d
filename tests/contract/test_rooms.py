"""A room imports only from rooms before it, records do not change, options have one default."""

import ast
import dataclasses
import graphlib
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import bakeoff

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/bakeoff"
SHARED = {"errors", "extras", "files", "keys", "options", "paths", "seeds", "threads", "usercode"}
ORDER = ["sources", "spec", "data", "fit", "scores", "comparisons", "report"]
ALLOWED = {room: set(ORDER[:place]) for place, room in enumerate(ORDER)} | {"stats": set()}
ALLOWED["data"].add("stats")
ALLOWED["scores"].add("stats")
ALLOWED["comparisons"].add("stats")
ALLOWED["report"].add("stats")
ALLOWED["preflight"] = {*ORDER[:-1], "stats"}
ALLOWED["execution"] = {*ORDER, "stats", "preflight"}
ALLOWED["release"] = {"spec", "data", "scores", "report", "stats"}
ALLOWED["api"] = {*ORDER, "stats", "execution", "release"}
# nothing imports the command line
ALLOWED["cli"] = {
    *ORDER,
    "api",
    "release",
    "execution",
    "stats",
    "preflight",
    "schema",
}


RULES = sorted((ROOT / "workflow/rules").glob("*.smk"))

STATISTICS = {
    "core": set(),
    "design": set(),
    "planning": set(),
    "metrics": {"design"},
    "rows": {"design", "metrics", "planning"},
    "folds": {"planning"},
    "datasets": {"design"},
    "runs": {"design", "metrics", "planning"},
    "gate": {"design", "metrics", "planning", "rows"},
}


def imported(file):
    """Return the rooms of the package that a file imports."""
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bakeoff."):
            rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            rooms |= {n.name.split(".")[1] for n in node.names if n.name.startswith("bakeoff.")}
    return rooms


@pytest.mark.parametrize("room", ALLOWED)
def test_room_imports_only_from_rooms_before_it(room):
    allowed = ALLOWED[room] | {room} | (SHARED if room != "stats" else set())
    for file in (PACKAGE / room).rglob("*.py"):
        assert imported(file) <= allowed, f"{file.name} imports {imported(file) - allowed}"


def test_no_modules_import_each_other_in_a_circle():
    # imports within functions and those for types alone included
    modules = {
        ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts): file
        for file in PACKAGE.rglob("*.py")
        if file.stem != "__init__"
    }
    graph = {
        name: modules.keys()
        & {
            told
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.ImportFrom) and node.module
            for told in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        }
        for name, file in modules.items()
    }
    graphlib.TopologicalSorter(graph).prepare()


def test_every_room_is_known():
    assert {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"} == set(
        ALLOWED
    )


def test_every_room_has_its_folder_of_tests():
    folders = {file.parent.name for file in (ROOT / "tests/unit").rglob("test_*.py")}
    assert set(ALLOWED) <= folders


@pytest.mark.parametrize("room", STATISTICS)
def test_room_of_statistics_imports_only_from_rooms_before_it(room):
    allowed = {"core", room, *STATISTICS[room]}
    place = PACKAGE / "stats" / room
    for file in place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
        rooms = {
            node.module.split(".")[2]
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("bakeoff.stats.")
        }
        assert rooms <= allowed, f"{file.name} imports {rooms - allowed}"


def test_statistics_are_in_their_rooms():
    inside = {place.stem for place in (PACKAGE / "stats").iterdir()} - {"__pycache__"}
    assert inside == {*STATISTICS, "__init__", "error_rates"}


@pytest.mark.parametrize("file", sorted((PACKAGE / "stats").rglob("*.py")), ids=lambda f: f.stem)
def test_statistics_touch_no_file(file):
    nodes = list(ast.walk(ast.parse(file.read_text())))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    assert not names & {"open", "Path", "yaml"}
    # but for the simulated error rates, a file of the package
    reads = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    reads &= {"open", "read_text", "read_bytes", "resources"}
    assert not reads or file.stem == "error_rates"


@pytest.mark.parametrize("hook", ["onstart", "onsuccess", "onerror"])
def test_hooks_stand_in_one_file(hook):
    # Snakemake keeps the last one and says nothing
    files = ROOT / "Snakefile", *(ROOT / "workflow").rglob("Snakefile"), *RULES
    found = [file for file in files if f"\n{hook}:" in file.read_text()]
    assert found == [ROOT / "workflow/Snakefile"]


DEFAULTS = {
    "alpha": 0.05,
    "alternative": "two-sided",
    "confidence_level": 0.95,
    "control": None,
    "cost": None,
    "decimals": None,
    "greater_is_better": True,
    "groups": None,
    "horizon": 1,
    "labels": None,
    "metric": "accuracy",
    "positive": None,
    "power": 0.8,
    "priors": None,
    "row_counts": None,
    "seed": 0,
    "simultaneous": True,
    "times": None,
}
"""What options of statistics are where nobody says."""


def modules():
    for found in pkgutil.walk_packages(bakeoff.__path__, "bakeoff."):
        if found.name != "bakeoff.__main__":
            yield importlib.import_module(found.name)


def defined(kind):
    """Find what each module defines itself."""
    for module in modules():
        for name, value in vars(module).items():
            if kind(value) and value.__module__ == module.__name__:
                yield f"{module.__name__}.{name}", value


def is_record(value):
    return isinstance(value, type) and dataclasses.is_dataclass(value)


@pytest.mark.parametrize(("name", "record"), [*defined(is_record)], ids=lambda v: str(v))
def test_record_cannot_change(name, record):
    assert record.__dataclass_params__.frozen, f"{name} can be changed after it was made"


@pytest.mark.parametrize(
    ("name", "function"),
    [
        (name, function)
        for name, function in defined(inspect.isfunction)
        if name.startswith("bakeoff.stats.") and not function.__name__.startswith("_")
    ],
    ids=lambda v: str(v) if isinstance(v, str) else "",
)
def test_option_has_one_default(name, function):
    for option, parameter in inspect.signature(function).parameters.items():
        given = parameter.default is not inspect.Parameter.empty
        if given and parameter.kind is inspect.Parameter.KEYWORD_ONLY and option in DEFAULTS:
            wanted = DEFAULTS[option]
            assert parameter.default == wanted, f"{name}: {option}"
