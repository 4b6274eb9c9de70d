"""Every mistake in an experiment is told in one message: the place, what was found, the remedy."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment, read_experiment

Change = Callable[[dict[str, Any]], Any]
IRIS_COSTS = {
    "classes": ["setosa", "versicolor", "virginica"],
    "matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
}


def all_problems(config: dict[str, Any]) -> str:
    """Return every message that an experiment meets, whichever stage finds it."""
    try:
        problems, _ = check_experiment(load_experiment(config))
    except UserError as error:
        return str(error)
    return "\n".join(map(str, problems))


MISTAKES: list[tuple[str, Change, list[str]]] = [
    ("unknown key", lambda c: c.update(modells={}), ["'modells'", "did you mean 'models'"]),
    (
        "unknown key inside",
        lambda c: c["datasets"]["iris"].update(nam="x"),
        ["datasets.iris: unknown key 'nam'; did you mean 'name'?"],
    ),
    ("missing key", lambda c: c.pop("datasets"), ["the key 'datasets' is missing"]),
    (
        "unknown test",
        lambda c: c["tests"].update(run=["mcnemer"]),
        ["tests.run[0]: unknown test 'mcnemer'; did you mean 'mcnemar'?"],
    ),
    (
        "unknown metric",
        lambda c: c.update(metrics=["acuracy"]),
        ["metrics[0]: unknown metric 'acuracy'; did you mean 'accuracy'?"],
    ),
    (
        "folds too small for a metric",
        lambda c: c.update(metrics=["f1_macro"], resampling={"kfold": {"folds": 26}}, tests={}),
        ["resampling.kfold.folds: f1_macro needs two rows of each class", "25 folds of iris at"],
    ),
    (
        "more folds than rows",
        lambda c: c.update(metrics=["accuracy"], resampling={"kfold": {"folds": 151}}, tests={}),
        ["resampling.kfold.folds: 151 folds of the 150 rows of iris: 150 at most"],
    ),
    (
        "more neighbours than rows",
        lambda c: c["models"].update(
            knn={
                "estimator": "sklearn.neighbors.KNeighborsClassifier",
                "params": {"n_neighbors": 5000},
            }
        ),
        ["models.knn.params: 5000 neighbours are more than the 75 rows", "can be 75 at most"],
    ),
    (
        "unknown source",
        lambda c: c["datasets"]["iris"].update(source="sklern"),
        ["datasets.iris.source: unknown source 'sklern'; did you mean 'sklearn'?"],
    ),
    (
        "unknown data set name",
        lambda c: c["datasets"]["iris"].update(name="irs"),
        ["datasets.iris.name: unknown value 'irs'; did you mean 'iris'?"],
    ),
    (
        "no such package",
        lambda c: c["models"]["tree"].update(estimator="nosuchpackage.Model"),
        ["models.tree.estimator", "'nosuchpackage' is not installed"],
    ),
    (
        "no such module",
        lambda c: c["models"]["tree"].update(estimator="sklearn.treee.DecisionTreeClassifier"),
        ["models.tree.estimator", "there is no module 'sklearn.treee'"],
    ),
    (
        "no such class",
        lambda c: c["models"]["tree"].update(estimator="sklearn.tree.DecisionTreClassifier"),
        ["models.tree.estimator", "did you mean 'DecisionTreeClassifier'?"],
    ),
    (
        "not an import path",
        lambda c: c["models"]["tree"].update(estimator="tree"),
        ["models.tree.estimator: found 'tree'", "import path"],
    ),
    (
        "not a class",
        lambda c: c["models"]["tree"].update(estimator="sklearn.tree.plot_tree"),
        ["models.tree.estimator", "is a function, not a class"],
    ),
    (
        "not a classifier",
        lambda c: c["models"]["tree"].update(estimator="sklearn.linear_model.Ridge", params={}),
        ["models.tree.estimator", "is not a classifier"],
    ),
    (
        "unknown parameter",
        lambda c: c["models"]["tree"].update(params={"max_dept": 3}),
        ["models.tree.params", "'max_dept'; did you mean 'max_depth'?"],
    ),
    (
        "unknown parameter of an estimator that takes any",
        lambda c: c["models"].update(
            xgb={"estimator": "xgboost.XGBClassifier", "params": {"n_estimator": 3}}
        ),
        ["models.xgb.params", "did you mean 'n_estimators'?"],
    ),
    ("no models", lambda c: c.update(models={}), ["models: found 0 entries, at least 1 needed"]),
    (
        "bad id",
        lambda c: c["models"].update({"My Model": {"estimator": "a.b"}}),
        ["models.My Model", "use `label:` for any text"],
    ),
    (
        "path in an id",
        lambda c: c.update(experiment="../../etc"),
        ["experiment: found '../../etc'"],
    ),
    ("alpha too large", lambda c: c["tests"].update(alpha=1.0), ["tests.alpha", "less than 1"]),
    ("alpha zero", lambda c: c["tests"].update(alpha=0), ["tests.alpha", "greater than 0"]),
    ("alpha text", lambda c: c["tests"].update(alpha="5%"), ["tests.alpha", "found '5%'"]),
    (
        "unknown correction",
        lambda c: c["tests"].update(correction="bonferoni"),
        ["tests.correction", "did you mean 'bonferroni'?"],
    ),
    (
        "a test that the plan cannot feed",
        lambda c: c.update(resampling={"holdout": {}}),
        ["tests.run[0]: cv5x2_f needs the plan `cv_5x2`", "add it under `resampling:`"],
    ),
    (
        "too few models for a test",
        lambda c: c["models"].pop("stump"),
        ["tests.run[2]: cochran_q compares 3 models at least, found 2", "mcnemar"],
    ),
    (
        "metric for two classes",
        lambda c: c.update(metrics=["roc_auc"]),
        ["metrics[0]: roc_auc is for two classes, iris has 3", "roc_auc_ovr"],
    ),
    (
        "holdout drawn and given",
        lambda c: c["resampling"].update(holdout={"test_size": 0.3, "column": "part"}),
        ["resampling.holdout: give either `test_size` (drawn) or `column` (given)"],
    ),
    (
        "holdout without its column",
        lambda c: c["resampling"].update(holdout={"test": ["x"]}),
        ["resampling.holdout: `test` goes with `column`"],
    ),
    (
        "column of the holdout unknown",
        lambda c: c["resampling"].update(holdout={"column": "part"}),
        ["resampling.holdout.column: unknown column 'part'"],
    ),
    (
        "no web address",
        lambda c: c["datasets"].update(
            w={"source": "url", "url": "ftp://x/a.csv", "sha256": "abc", "target": "y"}
        ),
        [
            "datasets.w.url: found 'ftp://x/a.csv', expected a web address",
            "datasets.w.sha256: found 'abc', expected 64 characters",
        ],
    ),
    (
        "no OpenML data set named",
        lambda c: c["datasets"].update(o={"source": "openml"}),
        ["datasets.o: give either `data_id` or `name`"],
    ),
    (
        "function that does not exist",
        lambda c: c["datasets"].update(f={"source": "function", "function": "nowhere.load"}),
        ["datasets.f.function: nowhere.load: the package 'nowhere' is not installed"],
    ),
    (
        "unknown size of jobs",
        lambda c: c.update(execution={"jobs_per": "modle"}),
        ["execution.jobs_per: unknown value 'modle'; did you mean 'model'?"],
    ),
    (
        "tests by a single name",
        lambda c: c["tests"].update(run="mcnemar"),
        ["tests.run: found 'mcnemar', expected `recommended` or a list of tests like [mcnemar]"],
    ),
    (
        "no tests",
        lambda c: c["tests"].update(run=[]),
        ["tests.run: found 0 entries, at least 1 needed"],
    ),
    (
        "unknown option of a test",
        lambda c: c["tests"].update(options={"mcnemar": {"varient": "exact"}}),
        ["tests.options.mcnemar.varient: unknown option", "did you mean 'variant'?"],
    ),
    (
        "options that are no mapping",
        lambda c: c["tests"].update(options={"mcnemar": "exact"}),
        ["tests.options.mcnemar", "found 'exact'"],
    ),
    (
        "two mistakes in the tests",
        lambda c: c["tests"].update(run=["mcnemer", "cv5x2_f", "tost_foldz"]),
        ["did you mean 'mcnemar'?", "did you mean 'tost_folds'?"],
    ),
    (
        "delong with three classes",
        lambda c: c["tests"].update(run=["delong"]),
        ["tests.run[0]: delong is for two classes, iris has 3"],
    ),
    (
        "negative margin",
        lambda c: c["tests"].update(margin=-0.1),
        ["tests.margin", "greater than 0"],
    ),
    (
        "the metric cost without costs of one data set",
        lambda c: (
            c["datasets"].update(wine={"source": "sklearn", "name": "wine"}),
            c["datasets"]["iris"].update(costs=IRIS_COSTS),
            c.update(metrics=["cost"]),
        ),
        ["metrics[0]: cost needs `costs: {classes: […], matrix: […]}`, which wine lacks"],
    ),
    (
        "a class that the costs of a data set lack",
        lambda c: c["datasets"]["iris"].update(
            costs={"classes": ["setosa", "virginica"], "matrix": [[0, 1], [1, 0]]}
        ),
        ["datasets.iris.costs.classes: the class 'versicolor' of iris has no row and column"],
    ),
    (
        "the metric cost without costs",
        lambda c: c.update(metrics=["cost"]),
        ["metrics[0]: cost needs `costs:"],
    ),
    (
        "costs that are not square",
        lambda c: c.update(costs={"classes": ["a", "b"], "matrix": [[0, 1], [1]]}),
        ["costs: the matrix has 2 row(s) of 1, 2 number(s), 2 classes need 2 rows of 2"],
    ),
    (
        "negative costs",
        lambda c: c.update(costs={"classes": ["a", "b"], "matrix": [[0, -1], [1, 0]]}),
        ["costs.matrix[0][1]", "greater than or equal to 0"],
    ),
    (
        "a cost of being right",
        lambda c: c.update(costs={"classes": ["a", "b"], "matrix": [[0, 1], [1, 2]]}),
        ["costs: a right prediction of 'b' costs 2, must cost 0"],
    ),
    (
        "no costs at all",
        lambda c: c.update(costs={"classes": ["a", "b"], "matrix": [[0, 0], [0, 0]]}),
        ["costs: every error costs 0"],
    ),
    (
        "a class twice in the costs",
        lambda c: c.update(costs={"classes": ["a", "a"], "matrix": [[0, 1], [1, 0]]}),
        ["costs: class 'a' appears twice"],
    ),
    (
        "unknown class in the costs",
        lambda c: c.update(
            costs={
                "classes": ["setosa", "versicolor", "virginca"],
                "matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
            }
        ),
        ["costs.classes[2]: iris: unknown class 'virginca'; did you mean 'virginica'?"],
    ),
    (
        "a metric twice",
        lambda c: c.update(metrics=["accuracy", "accuracy"]),
        ["metrics[1]: accuracy appears twice"],
    ),
    (
        "a metric that people write otherwise",
        lambda c: c.update(metrics=["acc"]),
        ["metrics[0]: unknown metric 'acc'; did you mean 'accuracy'?"],
    ),
    (
        "a metric in another case",
        lambda c: c.update(metrics=["F1"]),
        ["metrics[0]: unknown metric 'F1'; did you mean 'f1'?"],
    ),
    (
        "a metric that a model cannot feed",
        lambda c: (
            c["models"].update(p={"estimator": "sklearn.linear_model.Perceptron"}),
            c.update(metrics=["accuracy", "log_loss"]),
        ),
        ["metrics[1]: log_loss needs class probabilities, which p (Perceptron) does not give"],
    ),
    (
        "a metric that a model's parameters do not feed",
        lambda c: (
            c["models"].update(p={"estimator": "sklearn.svm.SVC"}),
            c.update(metrics=["brier"]),
        ),
        ["metrics[0]: brier needs class probabilities, which p (SVC) does not give"],
    ),
    (
        "ids that differ by case",
        lambda c: c["models"].update(Tree=c["models"]["tree"]),
        ["models: 'tree' and 'Tree' differ by case alone"],
    ),
    (
        "a date for a number",
        lambda c: c["models"]["tree"].update(params={"max_depth": datetime.date(2024, 5, 31)}),
        ["models.tree.params: The 'max_depth' parameter", "Got datetime.date(2024, 5, 31)"],
    ),
    (
        "a date",
        lambda c: c.update(label=datetime.date(2024, 5, 31)),
        ["label: expected text, found 2024-05-31"],
    ),
    (
        "names of parameters, each once",
        lambda c: c["models"].update(
            m={
                "estimator": "sklearn.linear_model.LogisticRegression",
                "tune": {"space": {"CC": [1]}},
            }
        ),
        ["allowed: C, class_weight, dual"],
    ),
    ("negative seed", lambda c: c.update(seed=-1), ["seed", "greater than or equal to 0"]),
    (
        "a fixed number changed",
        lambda c: c["resampling"].update(cv_5x2={"repeats": 10}),
        ["resampling.cv_5x2.repeats: found 10, expected 5"],
    ),
]


@pytest.mark.parametrize(
    ("change", "expected"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES]
)
def test_mistake_is_told(tiny: dict[str, Any], change: Change, expected: list[str]) -> None:
    change(tiny)
    message = all_problems(tiny)
    for part in expected:
        assert part in message


DATA: list[tuple[str, str, dict[str, Any], list[str]]] = [
    (
        "no target column",
        "a,b\n1,2\n",
        {"target": "c"},
        ["datasets.d.target: unknown target column 'c'"],
    ),
    ("near target", "a,label\n1,2\n", {"target": "lable"}, ["did you mean 'label'?"]),
    ("one class", "a,y\n1,u\n2,u\n3,u\n", {}, ["datasets.d.target: only one class, 'u'"]),
    ("all missing", "a,y\n1,\n2,\n", {}, ["every value of 'y' is missing"]),
    (
        "some missing",
        "a,y\n1,u\n2,\n3,v\n",
        {},
        ["1 of 3 rows have no value", "missing_target: drop"],
    ),
    (
        "a class called None",
        "a,y\n1,None\n2,u\n3,v\n",
        {},
        [
            "datasets.d.target: 1 of 3 rows have no value in 'y'",
            "NA, None and the like are read as missing values: if a class",
        ],
    ),
    (
        "classes that look alike",
        "a,y\n" + "1,u \n2,v\n3,u\n" * 9,
        {},
        ["datasets.d.target: the classes 'u' and 'u ' of 'y' differ only in white space", "merge"],
    ),
    ("few rows", "a,y\n" + "1,u\n" * 9 + "2,v\n" * 3, {}, ["class 'v' has 3 row(s)", "cv_5x2"]),
    ("quantity", "a,y\n" + "".join(f"1,{i}.5\n" for i in range(200)), {}, ["look like a quantity"]),
    ("positive unknown", "a,y\n" + "1,u\n2,v\n" * 9, {"positive": "w"}, ["datasets.d.positive"]),
    ("drop unknown", "a,y\n" + "1,u\n2,v\n" * 9, {"drop": ["b"]}, ["datasets.d.drop", "'b'"]),
    ("nothing left", "a,y\n" + "1,u\n2,v\n" * 9, {"drop": ["a"]}, ["no feature is left"]),
    (
        "id repeated",
        "i,a,y\n" + "1,1,u\n2,2,v\n" * 9,
        {"id": "i"},
        ["datasets.d.id: ids must be unique: '1' appears twice"],
    ),
    (
        "log of zero",
        "a,y\n" + "0,u\n2,v\n" * 9,
        {"derive": {"b": "log(a)"}},
        ["undefined in 9 row(s)"],
    ),
    (
        "no formula",
        "a,y\n" + "0,u\n2,v\n" * 9,
        {"derive": {"b": "a+1"}},
        ["expected function(column)"],
    ),
    (
        "code as formula",
        "a,y\n" + "0,u\n2,v\n" * 9,
        {"derive": {"b": "exec(a)"}},
        ["unknown function"],
    ),
    (
        "random plan by time",
        "a,t,y\n" + "0,1,u\n2,2,v\n" * 9,
        {"time": "t"},
        ["datasets.d.time: cv_5x2 divides rows at random", "use `holdout`", "or `kfold`"],
    ),
    (
        "groups and time",
        "a,t,y\n" + "0,1,u\n2,2,v\n" * 9,
        {"time": "t", "groups": "a"},
        ["datasets.d: groups and time cannot be combined"],
    ),
    (
        "too few groups",
        "a,g,y\n" + "0,1,u\n2,2,v\n0,1,v\n2,2,u\n" * 9,
        {"groups": "g"},
        ["datasets.d.groups: the groups are too few", "same division"],
    ),
    (
        "filter without a condition",
        "a,y\n1,u\n",
        {"filter": [{"column": "a"}]},
        ["datasets.d.filter[0]: a filter needs a condition"],
    ),
    (
        "unknown condition",
        "a,y\n1,u\n",
        {"filter": [{"column": "a", "mim": 3}]},
        ["datasets.d.filter[0]: unknown key 'mim'; did you mean 'min'?"],
    ),
    (
        "class to merge unknown",
        "a,y\n" + "1,u\n2,v\n" * 9,
        {"merge": {"w": ["vv"]}},
        ["datasets.d.merge.w: unknown class 'vv'"],
    ),
    (
        "other separator",
        "a;y\n" + "1;u\n2;v\n" * 9,
        {},
        ["datasets.d.path", "seems to be separated by ';': set `sep: ';'`"],
    ),
    (
        "ragged line",
        "a,y\n1,u\n2\n",
        {},
        ["datasets.d.path", "line 3 has 1 values, the first line has 2"],
    ),
    (
        "column twice",
        "a,a,y\n1,2,u\n",
        {},
        ["datasets.d.path", "column name(s) more than once, first 'a'"],
    ),
    ("empty file", "", {}, ["datasets.d.path", "is empty"]),
    (
        "weights that are no numbers",
        "a,y\n" + "1,u\n2,v\n" * 9,
        {"weights": "y"},
        ["datasets.d.weights: column 'y' is not numeric"],
    ),
    (
        "test file missing",
        "a,y\n" + "1,u\n2,v\n" * 9,
        {"test_path": "nowhere.csv"},
        ["no file at 'nowhere.csv'"],
    ),
]


@pytest.mark.parametrize(
    ("text", "keys", "expected"), [d[1:] for d in DATA], ids=[d[0] for d in DATA]
)
def test_mistake_in_data_is_told(
    tiny: dict[str, Any],
    write_csv: Callable[[str], str],
    text: str,
    keys: dict[str, Any],
    expected: list[str],
) -> None:
    source = {"source": "file", "path": write_csv(text), "target": "y"}
    tiny["datasets"] = {"d": source | keys}
    message = all_problems(tiny)
    for part in expected:
        assert part in message


def test_missing_file_is_told_with_the_nearest(tiny: dict[str, Any], write_csv: Any) -> None:
    path = write_csv("a,y\n1,u\n").replace("data.csv", "dat.csv")
    tiny["datasets"] = {"d": {"source": "file", "path": path, "target": "y"}}
    message = all_problems(tiny)
    assert "datasets.d.path: no file at" in message
    assert "data.csv" in message


def test_all_mistakes_are_told_at_once(tiny: dict[str, Any]) -> None:
    tiny["models"]["tree"]["params"] = {"max_dept": 3}
    tiny["metrics"] = ["acuracy"]
    message = all_problems(tiny)
    assert "max_depth" in message
    assert "'accuracy'" in message


def test_file_and_line_are_named(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text("experiment: e\nseed: 1\nmodels:\n  a: {estimator: x}\n")
    with pytest.raises(UserError, match=r"e\.yaml:4: models\.a\.estimator: found 'x'"):
        read_experiment(file)


def test_line_of_ids_that_differ_by_case_is_that_of_their_list(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    model = "{estimator: sklearn.tree.DecisionTreeClassifier}"
    file.write_text(f"experiment: e\nmodels:\n  RF: {model}\n  rf: {model}\n")
    with pytest.raises(UserError, match=r"e\.yaml:2: models: 'RF' and 'rf' differ by case alone"):
        read_experiment(file)


def test_line_of_an_unknown_key_is_its_own(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text("models:\n  a:\n    estimator: x.Y\n    parms: {}\nmetrix: [f1]\n")
    with pytest.raises(UserError) as told:
        read_experiment(file)
    text = str(told.value)
    assert f"{file}:5: (top level): unknown key 'metrix'; did you mean 'metrics'?" in text
    assert f"{file}:4: models.a: unknown key 'parms'; did you mean 'params'?" in text


def test_capital_letters_are_taken(tiny: dict[str, Any]) -> None:
    tiny["models"] = {"RF": tiny["models"]["tree"], "kNN-5": tiny["models"]["tree"]}
    tiny["tests"] = {"run": ["mcnemar"], "versus": "RF"}
    assert all_problems(tiny) == ""


def test_aliases_that_stand_for_too_much_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    file.write_text("\n".join(lines))
    with pytest.raises(UserError, match=r"aliases \(\*\) make more than 1,000,000 values"):
        read_experiment(file)


def test_file_without_an_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text("experiment: e\nmodels: &all\n  a: {params: *all}\n")
    with pytest.raises(UserError, match=r":2: an alias \(\*\) stands inside what it stands for"):
        read_experiment(file)


def test_file_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text("models: " + "[" * 2000 + "]" * 2000)
    with pytest.raises(UserError, match=r"e\.yaml: lists or mappings are nested too deeply"):
        read_experiment(file)


def test_repeated_id_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text("models:\n  a: {estimator: x.Y}\n  a: {estimator: x.Z}\n")
    with pytest.raises(UserError, match=r":3: models\.a: appears twice \(also in line 2\)"):
        read_experiment(file)


@pytest.mark.parametrize("text", ["models: {a: [\n", "a: b: c\n", "\t- x\n", "a: *nowhere\n"])
def test_syntax_error_names_line_and_column(tmp_path: Path, text: str) -> None:
    file = tmp_path / "e.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"e\.yaml:\d+:\d+: not valid YAML"):
        read_experiment(file)


@pytest.mark.parametrize("text", ["- a\n", "just text\n", "", "!!python/object:os.system {}\n"])
def test_what_is_no_experiment_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "e.yaml"
    file.write_text(text)
    with pytest.raises(UserError):
        read_experiment(file)


def test_missing_experiment_file() -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_experiment("nowhere.yaml")
