"""What makes a file makes it outdated when it changes; what is not behind it does not."""

import dataclasses
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from bakeoff.execution import digests as known
from bakeoff.fit import fit_task
from bakeoff.fit.fit_task import versions
from bakeoff.spec import AnalysisPlan, PlannedTest, load_experiment
from bakeoff.usercode import packages_of
from tests.conftest import hold, messages

ROOT = Path(__file__).parents[3]
BY = {"plan": "holdout", "evidence": "rows", "metrics": ("accuracy",), "why": "it was asked for"}
TEST = PlannedTest(name="mcnemar", **BY)

DIGESTS = {
    "data": lambda e: known.of_data(e, "iris"),
    "splits": lambda e: known.of_splits(e, "holdout"),
    "fit": lambda e: known.of_fits(e)["iris"]["tree"],
    "bayes": lambda e: known.of_fits(e)["iris"]["bayes"],
    "scores": lambda e: known.of_scores(e, "iris"),
    "joined": known.of_scores,
    "test": lambda e: known.of_tests(e, TEST),
    "tables": known.of_tests,
    "report": lambda e: known.of_report(e, AnalysisPlan((TEST,))),
}
# what a new module of a room makes outdated
MAKES = {
    "sources": {"data"},
    "data": {"data", "splits", "fit", "bayes"},
    "fit": {"fit", "bayes"},
    "scores": {"scores", "joined"},
    "comparisons": {"test", "tables", "report"},
    "stats": {"test", "tables", "report"},
    "report": {"report"},
    "report/templates": {"report"},
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a copy of the package that is digested in its place."""
    place = tmp_path / "bakeoff"
    shutil.copytree(ROOT / "src/bakeoff", place, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(known, "ROOT", place)
    known.code.cache_clear()
    yield place
    known.code.cache_clear()


def digests(tiny):
    for cached in (known.code, known.own_code, packages_of, versions, fit_task._all_distributions):
        cached.cache_clear()
    return {name: make(load_experiment(tiny)) for name, make in DIGESTS.items()}


def outdated(before, after):
    return {name for name in DIGESTS if after[name] != before[name]}


@pytest.mark.parametrize("seconds", [0, -3600])
def test_files_are_digested_by_what_they_hold_and_folders_file_by_file(tmp_path, seconds):
    logs = tmp_path / "logs"
    logs.mkdir()
    files = {name: logs / f"{name}.json" for name in ("a", "b")}
    for name, file in files.items():
        file.write_text(name)
    digest = partial(known.of_files, [str(logs), str(tmp_path / "nothing.csv")])
    first = digest()
    files["a"].touch()
    assert digest() == first
    moment = files["a"].stat().st_mtime_ns + seconds * 10**9
    files["a"].write_text("c")
    os.utime(files["a"], ns=(moment, moment))
    changed = digest()
    files["a"].rename(logs / "c.json")  # the name may be the model's
    assert len({first, changed, digest()}) == 3


@pytest.mark.parametrize("room", MAKES)
def test_new_module_of_a_room_makes_outdated_what_the_room_makes(package, tiny, room):
    before = digests(tiny)
    assert digests(tiny) == before
    (package / room / "__pycache__").mkdir(exist_ok=True)
    (package / room / "__pycache__/one.cpython-311.pyc").write_bytes(b"compiled")
    assert digests(tiny) == before
    (package / room / "new.py").write_text("NEW = 1\n")
    assert outdated(before, digests(tiny)) == MAKES[room]


def turned(part):
    """Turn the order of keys round."""
    for key in list(part)[-2::-1]:
        part[key] = part.pop(key)


NEIGHBOURS = "sklearn.neighbors.KNeighborsClassifier"
SHOWN, FITTED = {"test", "tables", "report"}, {"data", "splits", "bayes"}
# what an edit of an experiment makes outdated
EDITS = [
    (lambda e: turned(e["models"]), {"scores", "joined", "test", "tables", "report"}),
    (lambda e: turned(e["datasets"]), {"joined", "test", "tables", "report"}),
    (lambda e: turned(e["models"]["tree"]["params"]), {"report"}),
    (lambda e: e["metrics"].reverse(), {"scores", "joined", "tables", "report"}),
    # a test is liberal for other learners, and for rows in groups
    (lambda e: e["models"].update(tree={"estimator": NEIGHBOURS}), {"fit", *SHOWN}),
    (lambda e: e["datasets"]["iris"].update(groups="sepal length (cm)"), {"data", *SHOWN}),
    # the tree's threshold is chosen by the costs
    (lambda e: e["datasets"]["iris"]["costs"].update(priors=[1, 2, 4]), {*DIGESTS} - FITTED),
    (lambda e: e["costs"].update(priors=[1, 2, 4]), {"joined", *SHOWN}),
    (lambda e: turned(e["datasets"]["iris"]["derive"]), {"data", "report"}),
    # fits that did not leave them are done again, and all others stay
    (lambda e: e["models"]["tree"].update(keep=True, importance=True), {"report"}),
    (lambda e: e.update(keep=True), {"report"}),
]


@pytest.mark.parametrize(("edit", "makes_outdated"), EDITS)
def test_edit_makes_outdated_what_shows_it(tiny, edit, makes_outdated):
    tiny["datasets"]["wine"] = {"source": "sklearn", "name": "wine"}
    tiny["datasets"]["iris"]["derive"] = {a: f"log({a} length (cm))" for a in ("sepal", "petal")}
    tiny["models"]["tree"]["params"] = {"max_depth": 2, "min_samples_leaf": 2}
    tiny["models"]["tree"]["threshold"] = {"choose": "cost"}
    names = ["setosa", "versicolor", "virginica"]
    costs = {"classes": names, "matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}
    tiny |= {"costs": {**costs, "priors": [1, 1, 1]}}
    tiny["datasets"]["iris"]["costs"] = {**costs, "priors": [1, 2, 3]}
    before = digests(tiny)
    edit(tiny)
    assert outdated(before, digests(tiny)) == makes_outdated


def test_what_digests_name_is_there(package, tiny):
    tiny |= {"datasets": {"d": {"source": "given"}}, "resampling": {"holdout": {}}}
    tiny["models"] = {m: {"predictions": f"{m}.csv"} for m in "ab"}
    given = load_experiment(tiny)
    before = known.of_given(given, "a")
    turned(tiny["models"])  # the first one tells the classes
    assert known.of_data(load_experiment(tiny), "d") != known.of_data(given, "d")
    (package / "data/new.py").write_text("NEW = 1\n")
    known.code.cache_clear()
    assert known.of_given(given, "a") != before
    (package / "stats/runs/recipe.py").unlink()
    known.code.cache_clear()
    with pytest.raises(FileNotFoundError):
        known.of_given(given, "a")


def test_what_fits_measure_makes_the_list_of_it_outdated(tiny):
    lists = [known.of_lists(load_experiment(tiny))]
    for edit in ({"importance": True}, {"importance": True, "keep": True}):
        tiny["models"]["tree"] |= edit
        lists.append(known.of_lists(load_experiment(tiny)))
    assert lists[0] != lists[1] == lists[2]


def test_order_of_tests_counts(tiny):
    experiment = load_experiment(tiny)
    tests = TEST, dataclasses.replace(TEST, name="cochran_q")
    assert known.of_tests(experiment, *tests) != known.of_tests(experiment, *tests[::-1])


def test_edit_of_an_own_metric_makes_what_it_measures_outdated(tiny, tmp_path, monkeypatch):
    module = tmp_path / "gains.py"
    module.write_text("import shared_gains\n\ndef gain(y_true, y_pred):\n    return 1.0\n")
    (tmp_path / "shared_gains.py").write_text("RATE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    tiny["metrics"] = ["accuracy", "gains.gain:higher"]
    before = digests(tiny)
    (tmp_path / "shared_gains.py").write_text("RATE = 2\n")
    assert outdated(before, digests(tiny)) == {"scores", "joined", "test", "tables"}


HELPER = "import importlib\nhelper = importlib.import_module('helper')\n"
OWN = {
    "own.py": f"{HELPER}class Tree(DecisionTreeClassifier): pass\n",
    "helper.py": "from importlib import import_module as load, import_module\n"
    "def fit():\n    return import_module(name='deeper.far')\n",
    "deeper/far.py": "try:\n    import somelib\nexcept ImportError:\n    pass\n",
    "weights.json": "1",
    "tables/a.csv": "1",
    "site-packages/somelib.py": "",
    "site-packages/somelib-1.dist-info/METADATA": "Name: somelib\nVersion: 1.0\n",
    "site-packages/somelib-1.dist-info/RECORD": "somelib.py,,\n",
}
METADATA = "site-packages/somelib-1.dist-info/METADATA"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Write an own class, what it imports through other files, and what it reads."""
    for name, text in OWN.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    tree = "from sklearn.tree import DecisionTreeClassifier\n"
    (tmp_path / "own.py").write_text(tree + OWN["own.py"])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CHANGES = {
    "weights.json": "2",
    "tables/a.csv": "2",
    "deeper/far.py": "import somelib\n",
    METADATA: "Name: somelib\nVersion: 2.0\n",
}


@pytest.mark.parametrize(("file", "text"), CHANGES.items())
def test_own_class_depends_on_what_it_reads_and_imports_through_other_files(tiny, own, file, text):
    tiny["models"]["tree"] = {"estimator": "own.Tree", "reads": ["weights.json", "tables"]}
    before = digests(tiny)
    (own / file).write_text(text)
    assert outdated(before, digests(tiny)) == {"fit"}


@pytest.mark.parametrize(("file", "text"), CHANGES.items())
def test_own_metric_and_data_function_depend_on_the_same(tiny, own, file, text):
    reads = {"function": "helper.fit", "reads": ["weights.json", "tables"]}
    tiny["own_metrics"] = {"gain": {**reads, "greater_is_better": True}}
    tiny["metrics"] = ["accuracy", "gain"]
    tiny["datasets"]["iris"] = {"source": "function", "target": "y", **reads}
    before = digests(tiny)
    (own / file).write_text(text)
    assert outdated(before, digests(tiny)) == {"data", "scores", "joined", "test", "tables"}


def test_what_own_code_reads_is_found_beside_the_experiment_and_has_to_be_there(
    tiny, own, tmp_path_factory, monkeypatch
):
    tiny["models"]["tree"]["reads"] = ["weights.json"]
    before = digests(tiny)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    hold(messages(tiny), "models.tree.reads[0]: no file at 'weights.json'")
    beside = load_experiment(tiny).beside(own)
    assert Path(beside.models["tree"].reads[0]).samefile(own / "weights.json")
    assert known.of_fits(beside)["iris"]["tree"] != before["fit"]  # by another path
    tiny["models"]["tree"]["reads"] = ["x" * 300]
    hold(messages(tiny), "models.tree.reads[0]: no file at 'xxx")
    del tiny["models"]["tree"]["reads"]
    reads = {"function": "helper.fit", "reads": ["none.csv"]}
    tiny["datasets"]["iris"] = {"source": "function", "target": "y", **reads}
    hold(messages(tiny), "datasets.iris.reads[0]: no file at 'none.csv'")
    tiny["own_metrics"] = {"gain": {**reads, "greater_is_better": True}}
    tiny["metrics"] = ["accuracy", "gain"]
    hold(messages(tiny), "own_metrics.gain.reads[0]: no file at 'none.csv'")
