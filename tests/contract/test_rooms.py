"""A room imports only from rooms before it, records do not change, options have one default."""

import ast
import graphlib
import importlib
import inspect
import pkgutil
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import bakeoff

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/bakeoff"
SHARED = {"errors", "files", "keys", "options", "paths", "seeds", "threads", "usercode"}
ORDER = ["sources", "spec", "data", "fit", "scores", "comparisons", "report"]
ALLOWED = {room: set(ORDER[:place]) for place, room in enumerate(ORDER)}
ALLOWED |= {room: {*ALLOWED[room], "stats"} for room in ("data", "scores", "comparisons", "report")}
ALLOWED |= {
    "stats": set(),
    "preflight": {*ORDER[:-1], "stats"},
    "execution": {*ORDER, "stats", "preflight"},
    "release": {"spec", "data", "scores", "comparisons", "report", "stats"},
    "api": {*ORDER, "stats", "execution", "release"},
    # nothing imports the command line
    "cli": {*ORDER, "api", "release", "execution", "stats", "preflight", "schema"},
}
STATISTICS = {
    "core": set(),
    "design": set(),
    "planning": set(),
    "planning_suites": {"planning"},
    "metrics": {"design"},
    "rows": {"design", "metrics", "planning"},
    "folds": {"design", "metrics", "planning"},
    "datasets": {"design"},
    "judged": {"datasets", "design", "metrics"},
    "runs": {"design", "metrics", "planning"},
    "gate": {"design", "metrics", "planning", "rows"},
}


def imported(file):
    """Yield the modules that a file imports, within functions too, and what is taken of each."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def files_of(room):
    """Return the files of a room, which is a folder or one module."""
    return room.rglob("*.py") if room.is_dir() else [room.with_suffix(".py")]


def rooms_of(file, above):
    """Return the rooms of the package, or of one of its rooms, that a file imports."""
    below = (name.removeprefix(above) for name, _ in imported(file) if name.startswith(above))
    return {name.split(".")[0] for name in below}


def test_no_modules_import_each_other_in_a_circle():
    modules = {
        ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts): file
        for file in PACKAGE.rglob("*.py")
        if file.stem != "__init__"
    }
    graph = {
        name: modules.keys() & {one for module, parts in imported(file) for one in (module, *parts)}
        for name, file in modules.items()
    }
    graphlib.TopologicalSorter(graph).prepare()


def test_every_room_is_known_and_has_its_folder_of_tests():
    rooms = {path.stem for path in PACKAGE.glob("[!_]*") if path.suffix in ("", ".py")}
    assert rooms - {*SHARED, "pytest_plugin", "schema"} == set(ALLOWED)
    assert set(ALLOWED) <= {file.parent.name for file in (ROOT / "tests/unit").rglob("test_*.py")}
    inside = {place.stem for place in (PACKAGE / "stats").iterdir()} - {"__pycache__"}
    assert inside == {*STATISTICS, "__init__", "error_rates"}


@pytest.mark.parametrize(
    ("above", "room", "allowed"),
    [
        ("bakeoff.", room, rooms | (set() if room == "stats" else SHARED))
        for room, rooms in ALLOWED.items()
    ]
    + [("bakeoff.stats.", room, rooms | {"core"}) for room, rooms in STATISTICS.items()],
)
def test_room_imports_only_from_rooms_before_it(above, room, allowed):
    for file in files_of(PACKAGE.parent / above.replace(".", "/") / room):
        assert rooms_of(file, above) <= {room, *allowed}, file.name


@pytest.mark.parametrize("file", sorted((PACKAGE / "stats").rglob("*.py")), ids=lambda f: f.stem)
def test_statistics_touch_no_file(file):
    nodes = list(ast.walk(ast.parse(file.read_text())))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    assert not names & {"open", "Path", "yaml"}
    # but for the simulated error rates, a file of the package
    reads = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    reads &= {"open", "read_text", "read_bytes", "resources"}
    assert not reads or file.stem == "error_rates"


def test_hooks_stand_in_one_file():
    """Snakemake keeps the last one and says nothing."""
    workflow = ROOT / "workflow"
    files = ROOT / "Snakefile", *workflow.rglob("Snakefile"), *workflow.glob("rules/*.smk")
    for hook in ("onstart", "onsuccess", "onerror"):
        assert [f for f in files if f"\n{hook}:" in f.read_text()] == [workflow / "Snakefile"]


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


def defined(kind):
    """Find what each module defines itself."""
    for found in pkgutil.walk_packages(bakeoff.__path__, "bakeoff."):
        if found.name != "bakeoff.__main__":
            for name, value in vars(importlib.import_module(found.name)).items():
                if kind(value) and value.__module__ == found.name:
                    yield f"{found.name}.{name}", value


FUNCTIONS = [
    (place, function)
    for place, function in defined(inspect.isfunction)
    if place.startswith("bakeoff.stats.") and not function.__name__.startswith("_")
]


def test_no_record_can_change():
    records = [(name, one) for name, one in defined(inspect.isclass) if is_dataclass(one)]
    assert len(records) > 50
    assert not [name for name, record in records if not record.__dataclass_params__.frozen]


@pytest.mark.parametrize("name", DEFAULTS)
def test_option_has_one_default(name):
    for place, function in FUNCTIONS:
        option = inspect.signature(function).parameters.get(name)
        if option and option.kind is option.KEYWORD_ONLY and option.default is not option.empty:
            assert option.default == DEFAULTS[name], place
