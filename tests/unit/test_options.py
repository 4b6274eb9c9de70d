"""What messages call an option on the command line, in Python and in a YAML file."""

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import COMMANDS
from bakeoff.errors import UserError
from bakeoff.options import Interface, InterfaceKind, can_set, setting, used_by
from bakeoff.spec import load_experiment

PYTHON = Interface(InterfaceKind.PYTHON, frozenset(("values", "classes")))


@pytest.mark.parametrize(
    ("interface", "name", "value", "said"),
    [
        (COMMANDS["compare"].interface, "values", "right", "`--values right`"),
        (COMMANDS["compare"].interface, "classes", "0,1", "`--set classes=0,1`"),
        (COMMANDS["compare"].interface, "truth", "Real label", "`--truth 'Real label'`"),
        (COMMANDS["compare"].interface, "truth", None, "`--truth COLUMN`"),
        (PYTHON, "values", "right", '`values="right"`'),
        (PYTHON, "classes", "0,1", '`classes=["0", "1"]`'),
        (Interface(), "values", "right", "`values: right`"),
        (Interface(), "classes", "0,1", "`classes: [0, 1]`"),
        (COMMANDS["check"].interface, "id", "key", "`columns: {id: key}`"),
    ],
)
def test_an_option_is_written_as_in_the_interface(interface, name, value, said):
    with used_by(interface):
        assert setting(name, value) == said
    assert setting("id", "key") == "`columns: {id: key}`"


def test_options_that_an_interface_has_not_are_known():
    with used_by(PYTHON):
        assert can_set("values")
        assert not can_set("missing")
    with used_by(COMMANDS["compare"].interface):
        assert can_set("missing")
        assert can_set("missing_target")
    assert not can_set("missing")


TRUTH = np.array(["s", "w"] * 30)
OTHER = TRUTH[::-1]
TABLES = {
    "called": {"id": range(60), "Diagnosis": TRUTH, "A": TRUTH, "B": OTHER},
    "marks": {"id": range(60), "correct_A": [1, 0] * 30, "correct_B": [1, 1] * 30},
    "folds": {"fold": range(10), "A": np.linspace(0, 1, 10), "B": np.linspace(0, 2, 10)},
    "age": {"y_true": TRUTH, "A": TRUTH, "B": OTHER, "age": np.arange(60) % 7},
    "zeros": {"y_true": [0] * 60, "A": [0] * 60, "B": [0, 1] * 30},
    "empty": {"y_true": TRUTH, "A": TRUTH, "B": [None, *OTHER[1:]]},
    "numbers": {"y_true": TRUTH, "A": [1.5] * 60, "B": [2.5] * 60},
    "two": {"y": TRUTH, "label": TRUTH, "A": TRUTH, "B": OTHER},
}


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        ("called", "", "say which it is, `--truth Diagnosis`"),
        ("marks", "", "for right and 0 for wrong rows are compared by `--values right`"),
        (
            "folds",
            "",
            "`--values higher` or `--values lower`, scores of folds by `bakeoff.compare_",
        ),
        ("age", "", "`--models A,B` chooses the columns … `--groups age` says so"),
        ("zeros", "", "are named by `--set classes=0,1`"),
        ("zeros", "--models A,B --set classes=0", "are named by `--set classes=0,1`"),
        ("empty", "", "needs `--set missing_values=`; `--missing common` compares"),
        ("numbers", "", "say `--task regression`; … `--values lower` or `--values right`"),
        ("two", "", "say which of them it is, like `--truth label`"),
        ("marks", "--metric pass@2", "`--values right` says that 1 is right"),
        (
            "folds",
            "--values right --models A,B",
            "in column 'A'; the first … `--values higher` or `--values l",
        ),
    ],
)
def test_a_command_names_its_options(table, options, said, in_folder, refused):
    pd.DataFrame(TABLES[table]).to_csv("t.csv", index=False)
    refused("compare", "t.csv", *options.split(), said=said)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bakeoff.compare(TRUTH, {"a": TRUTH, "b": [1.5] * 60}), 'say `task="regression"`'),
        (
            lambda: bakeoff.compare(None, {"a": [0, 1] * 9, "b": [1] * 18}, values="higher"),
            'give `values="right"`',
        ),
        (
            lambda: bakeoff.compare(None, {"a": [0, 0.5] * 9, "b": [1] * 18}, values="right"),
            'are compared by `values="higher"` or `values="lower"`',
        ),
        (
            lambda: bakeoff.compare([0] * 9, {"a": [0] * 9, "b": [0, 1, 1] * 3}),
            'are named by `classes=["0", "1"]`',
        ),
    ],
)
def test_a_call_names_its_arguments(call, said):
    with pytest.raises(UserError) as raised:
        call()
    assert said in str(raised.value)
    assert "--" not in str(raised.value)


MODEL = {"estimator": "sklearn.tree.DecisionTreeClassifier"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"datasets": {"d": {"source": "file", "path": "d.csv", "target": "y", "join": {}}}},
         "datasets.d: there is no key 'join' any more: write the joined table to a file"),
        ({"models": {"a": MODEL, "b": {"results": "old"}}},
         "models.b: there is no key 'results' any more: name the files of the other run in"),
        ({"models": {"a": MODEL, "b": {"predictions": "b.csv", "results": "old"}}},
         "models.b: there is no key 'results' any more"),
        ({"models": {"a": MODEL, "b": {"predictions": "b.csv", "columns": {"group": "g"}}}},
         "models.b.columns: there is no key 'group' any more: write `groups`"),
        ({"models": {"a": {**MODEL, "max_depth": 3}, "b": MODEL}},
         "goes under `params:`, `params: {max_depth: 3}`"),
        ({"models": {"a": {"steps": [{**MODEL, "max_depth": 3}]}, "b": MODEL}},
         "goes under `params:`, `params: {max_depth: 3}`"),
        ({"tests": {"correction": "minp"}}, "tests.correction: there is no correction 'minp' any"),
        ({"tests": {"correction": "bergmann-hommel"}}, "write `shaffer`, `holm` or `hommel`"),
    ],
)  # fmt: skip
def test_keys_of_before_say_what_to_write(change, said):
    config = {"experiment": "e", "models": {"a": MODEL, "b": MODEL}}
    config["datasets"] = {"d": {"source": "sklearn", "name": "iris"}}
    with pytest.raises(UserError) as raised:
        load_experiment({**config, **change})
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("experiment:base\ndatasets:\n  d: {}\n", "e.yaml:1: a blank is missing behind the colon"),
        ("experiment:base\n", "e.yaml:1: a blank is missing … write `experiment: base`"),
        ("experiment: e\ndatasets:\n  d:\n    path:d.csv\n    target: y\n", "e.yaml:4: a blank"),
        ("experiment: e\nmodels:\n  - a: [\n", "e.yaml:4:1: not valid YAML"),
    ],
)
def test_a_missing_blank_is_named(text, said, in_folder, refused):
    (in_folder / "e.yaml").write_text(text)
    refused("check", "e.yaml", said=said)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("pr_auc", "average_precision"),
        ("brier_score", "brier"),
        ("cohens_kappa", "kappa"),
        ("AUROC", "roc_auc"),
        ("f1_score", "f1"),
    ],
)
def test_other_names_of_metrics_are_taken(name, shown):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    p = {"a": np.clip(y * 0.3 + rng.random(80) * 0.7, 0, 1), "b": rng.random(80)}
    if shown in ("kappa", "f1"):
        p = {model: (values > 0.5).astype(int) for model, values in p.items()}
    found = bakeoff.compare(y, p, metrics=name)
    assert set(found.comparisons["metric"]) == {shown}
    models = {"a": MODEL, "b": MODEL}
    data = {"d": {"source": "sklearn", "name": "iris"}}
    config = {"experiment": "e", "models": models, "datasets": data, "metrics": [name]}
    assert load_experiment(config).metrics == [shown]
    own = {"own_metrics": {name: {"function": "m.f", "greater_is_better": True}}}
    assert load_experiment({**config, **own}).metrics == [name]


@pytest.mark.parametrize(
    ("name", "said", "no"),
    [
        ("acuracy", "unknown metric 'acuracy'; did you mean 'accuracy'?", "tweedie"),
        ("pr_curve", "unknown metric 'pr_curve'", "accuracy"),
        ("rmse", "choose a metric of it, such as accuracy, balanced_accuracy", "tweedie"),
    ],
)
def test_an_unknown_metric_gets_near_ones(name, said, no):
    with pytest.raises(UserError) as raised:
        bakeoff.compare(TRUTH, {"a": TRUTH, "b": OTHER}, metrics=name, task="classification")
    assert said in str(raised.value)
    assert no not in str(raised.value)


@pytest.mark.parametrize(
    ("encoding", "sep", "options", "code"),
    [
        ("latin-1", ",", "", 2),
        ("latin-1", ";", "--set encoding=latin-1", 0),
        ("utf-16", "\t", "", 0),
        ("utf-16", ",", "", 0),
        ("utf-16-be", ",", "--set encoding=utf-16-be", 0),
        ("utf-8-sig", ",", "", 0),
        ("utf-8", ",", "--set encoding=nonsense", 2),
    ],
)
def test_tables_in_other_encodings(encoding, sep, options, code, in_folder, bakeoff):
    truth = np.array(["größer", "klein"] * 30)
    table = {"y_true": truth, "A": truth, "B": truth[::-1]}
    pd.DataFrame(table).to_csv("t.csv", index=False, encoding=encoding, sep=sep)
    found, _, err = bakeoff("compare", "t.csv", *options.split())
    assert found == code, err
    if not options and code:
        assert "is not UTF-8 text: say which it is, like `--set encoding=latin-1`" in err


def test_a_form_of_cochrans_test_is_asked_for(in_folder, answered):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 90)
    right = rng.random((90, 3)) < (0.9, 0.8, 0.7)
    said = {m: np.where(right[:, k], y, 1 - y) for k, m in enumerate("ABC")}
    pd.DataFrame({"y_true": y, **said}).to_csv("t.csv", index=False)
    for form in ("asymptotic", "permutation"):
        rows = answered("compare", "t.csv", "--set", f"variant={form}")["comparisons"]
        expected = bakeoff.stats.cochran_q(right, variant=form).pvalue
        assert rows[0]["test"] == "cochran_q"
        assert rows[0]["pvalue"] == pytest.approx(expected)
    assert rows[1]["variant"] == "midp"


def test_numbers_are_called_by_the_name_of_their_column(in_folder, answered):
    for model, more in (("a", 0.0), ("b", 0.1)):
        times = np.random.default_rng(len(model)).random(40) + more
        pd.DataFrame({"id": range(40), "latency": times}).to_csv(f"{model}.csv", index=False)
    line = ("compare", "a.csv", "b.csv", "--values", "lower", "--set", "value=latency")
    found = answered(*line)
    assert "by latency" in found["verdict"]["headline"]
    assert found["models"][0].keys() == {"model", "latency"}


def test_init_without_a_target_lists_the_columns(in_folder, refused):
    pd.DataFrame(TABLES["called"]).to_csv("t.csv", index=False)
    said = "target: which column is to be predicted? t.csv has id, Diagnosis, A, B"
    refused("init", "t.csv", said=said)
