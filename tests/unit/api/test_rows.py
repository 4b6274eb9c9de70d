"""`bakeoff.compare`: the numbers of `bakeoff compare`, whatever the rows come in; its findings."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import bakeoff
from bakeoff import UserError
from bakeoff.data.given_predictions import load
from bakeoff.report.numbers import percent
from bakeoff.report.ranking import ranking
from bakeoff.spec import load_experiment
from bakeoff.stats import Runs, metric_ci, metric_difference
from bakeoff.stats.core.distributions import t_pvalue
from tests.logs import inspect

MODELS = ("old", "new", "net")


@pytest.fixture(scope="module")
def table():
    """Return 240 rows of forty patients: labels and probabilities of three models, and losses."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(40), 6)
    sick = np.where(rng.random(240) < 0.4, "sick", "healthy")
    found = pd.DataFrame({"id": np.arange(240), "y_true": sick, "patient": patient})
    found["sex"], found["age"] = np.where(patient % 3, "f", "m"), 20 + 7 * (patient % 9)
    found["run"] = np.arange(240) % 6
    for i, model in enumerate(MODELS):
        noise = rng.normal(0, 0.3 + 0.1 * i, 240) + rng.normal(0, 0.2, 40)[patient]
        p = np.clip((sick == "sick") * 0.6 + 0.2 + noise, 0, 1).round(3)
        found[f"{model}:sick"], found[f"{model}:healthy"] = p, 1 - p
        found[model] = np.where(p > 0.5, "sick", "healthy")
        found[f"{model} loss"] = (sick == "sick") - p
    return found


def labels(table):
    return {model: table[model] for model in MODELS}


def probabilities(table):
    return {model: table[f"{model}:sick"] for model in MODELS}


def of_all(table):
    return {m: np.column_stack([1 - p, p]) for m, p in probabilities(table).items()}


def by_class(table):
    return {m: pd.DataFrame({"sick": p, "healthy": 1 - p}) for m, p in probabilities(table).items()}


def losses(table):
    return {f"{model} loss": table[f"{model} loss"] for model in MODELS}


HEAD = ["y_true", *MODELS]
BOTH = ["y_true", *(f"{m}:{c}" for m in MODELS for c in ("sick", "healthy"))]
OWN, KIN = [*HEAD, "patient"], [*HEAD, "patient", "sex", "age"]
LOSSES = [*(f"{m} loss" for m in MODELS), "patient"]
COSTS = {"classes": ["healthy", "sick"], "matrix": [[0, 1], [5, 0]]}
OF = {"groups": "@patient"}
ALONE = "--set independent_rows=true"
ONE_SIDED = "--set=variant=exact --set=alternative=greater --alpha=.1 --versus=new"
EXACT = {"alternative": "greater", "variant": "exact", "alpha": 0.1, "versus": "new"}
DIVIDED = "--models old,new,net --groups patient --subgroups sex,age:40:65"
PARTS = {**OF, "subgroups": ["sex", "age"], "bins": {"age": [40, 65]}}


@pytest.mark.parametrize(
    ("columns", "options", "given", "how"),
    [
        (HEAD, "", labels, {}),
        (HEAD, "--versus=new --correction=holm", labels, {"versus": "new", "correction": "holm"}),
        (HEAD, "--metric f1 --metric mcc", labels, {"metrics": ["f1", "mcc"]}),
        (HEAD, "--metric f1 --positive healthy", labels, {"metrics": "f1", "positive": "healthy"}),
        (HEAD, ONE_SIDED, labels, EXACT),
        (HEAD, "--set costs=costs.yaml", labels, {"costs": COSTS}),
        (BOTH, "--metric roc_auc", probabilities, {"metric": "roc_auc"}),
        (BOTH, "--metric roc_auc", of_all, {"metrics": ["roc_auc"]}),
        (BOTH, "--metric log_loss --metric f1", of_all, {"metrics": ["log_loss", "f1"]}),
        (BOTH, "--metric log_loss", by_class, {"metrics": ["log_loss"]}),
        (KIN, DIVIDED, labels, PARTS),
        (KIN, f"{DIVIDED} --metric f1", labels, {**PARTS, "metrics": ["f1"]}),
        (KIN, "--models old,new,net --groups patient", labels, OF),
        (KIN, "--models old,new,net --time patient", labels, {"time": "@patient"}),
        (OWN, f"--groups patient {ALONE}", labels, {**OF, "independent_rows": True}),
        ([*HEAD, "run"], "--runs run", labels, {**OF, "runs": "@run"}),
        (LOSSES, "--values lower --groups patient", losses, {**OF, "values": "lower"}),
    ],
)
def test_arrays_compare_as_a_file(table, in_folder, answered, columns, options, given, how):
    Path("costs.yaml").write_text(json.dumps(COSTS))
    rows = table.assign(id=table["patient"] if "run" in columns else table["id"])
    rows[["id", *columns]].to_csv("rows.csv", index=False)
    of_file = answered("compare", "rows.csv", *options.split())
    how = {key: table[one[1:]] if str(one).startswith("@") else one for key, one in how.items()}
    if "subgroups" in how:
        how["subgroups"] = table[how["subgroups"]]
    y = None if "values" in how else table["y_true"]
    of_arrays = json.loads(bakeoff.compare(y, given(table), **how).to_json())
    for one, other in zip(of_arrays["comparisons"], of_file["comparisons"], strict=True):
        assert {**one, "result": ""} == {**other, "result": ""}, "messages name columns of files"
    for key in ("models", "subgroups"):
        assert of_arrays.get(key) == of_file.get(key)
    assert of_arrays["verdict"]["headline"] == of_file["verdict"]["headline"]
    assert ("subgroups" in of_file) == ("subgroups" in how)


def test_subgroups_are_taken_in_every_form(table):
    named = table.set_axis([f"row {i}" for i in table.index])
    parts, how = named[["sex", "age"]], {"groups": named["patient"], "bins": {"age": [40, 65]}}
    y, models = named["y_true"], labels(named)
    found = bakeoff.compare(y, models, subgroups=parts, **how)
    for given in (dict(parts.items()), parts.iloc[::-1]):
        assert bakeoff.compare(y, models, subgroups=given, **how).to_json() == found.to_json()
    given, bare = polars.from_pandas(parts), {m: list(one) for m, one in models.items()}
    how["groups"] = list(how["groups"])
    assert bakeoff.compare(list(y), bare, subgroups=given, **how).to_json() == found.to_json()
    assert set(found.subgroups["model_a"]) == {"old", "new"}
    assert "subgroups" in {name.partition(".")[0] for name in found.figures}
    plain = bakeoff.compare(y, models)
    assert plain.subgroups.empty
    assert plain.figure()._repr_svg_().startswith("<?xml"), "it shows itself in a notebook"


def test_runs_in_groups_and_marks_of_rows_are_other_words_for_the_same(table):
    y, groups = table["y_true"], table["patient"]
    whole, grouped = (bakeoff.compare(y, labels(table), groups=g) for g in (None, groups))
    found = bakeoff.compare(y, labels(table), groups=groups, runs=table["run"])
    assert found.comparisons.equals(grouped.comparisons)
    alone = bakeoff.compare(y, labels(table), groups=groups, independent_rows=True).comparisons
    assert alone["pvalue"].tolist() == whole.comparisons["pvalue"].tolist()
    right = {m: (table[m] == y).astype(int) for m in MODELS}
    for kind, given in (("right", right), ("wrong", {m: 1 - r for m, r in right.items()})):
        marks = bakeoff.compare(None, given, values=kind)
        assert json.loads(marks.to_json())["baseline"] == [], "they have no constant answer"
        one, other = marks.comparisons, whole.comparisons
        assert one["pvalue"].tolist() == other["pvalue"].tolist()
        assert one["estimate"].tolist()[1:] == other["estimate"].tolist()[1:]
    costs = bakeoff.compare(y, labels(table), metrics="cost", costs=COSTS)
    assert "B − A" in costs.to_markdown(), "the head of differences in costs"


def test_models_are_compared_in_the_mean_over_tasks_of_logs(in_folder, answered):
    for i in range(42):
        inspect(f"logs/{i}.json", "ab"[i % 2], [1, i % 2, 0, i % 3 > 0], task=f"t{i // 2}")
    found = answered("compare", "logs", "--values", "right")
    (comparison,) = found["comparisons"]
    assert comparison["test"] == "suite_difference"
    assert len(comparison["result"]["details"]["tasks"]) == 21


def test_every_container_gives_the_same(table):
    y, frame = table["y_true"], table[list(MODELS)]
    expected = bakeoff.compare(y, labels(table)).to_json()
    for how in (list, np.asarray, pa.array, pd.Categorical, pd.Series):
        given = {model: how(table[model]) for model in MODELS}
        assert bakeoff.compare(how(y), given).to_json() == expected, how
    assert bakeoff.compare(y, frame).to_json() == expected
    assert bakeoff.compare(y, pa.Table.from_pandas(frame)).to_json() == expected
    named = table.set_index("row " + table["id"].astype(str))
    shuffled = named.sample(frac=1, random_state=0)
    paired = {model: shuffled[model] for model in MODELS}
    assert bakeoff.compare(named["y_true"], paired).to_json() == expected
    framed = by_class(table)
    expected = bakeoff.compare(y, framed, metrics="brier").to_json()
    given = {model: polars.from_pandas(frame) for model, frame in framed.items()}
    y = polars.Series(y.tolist())
    assert bakeoff.compare(y, given, metrics="brier").to_json() == expected


@pytest.mark.parametrize("form", ["label", "sick"])
def test_a_frame_of_one_column_is_that_column(table, form):
    # one that is called like a class holds its probabilities, any other labels
    y, of_class = table["y_true"], form == "sick"
    plain = probabilities(table) if of_class else labels(table)
    framed = {model: values.to_frame(form) for model, values in plain.items()}
    metric = "brier" if of_class else "accuracy"
    one, other = (bakeoff.compare(y, m, metrics=metric, positive="sick") for m in (plain, framed))
    assert one.to_json() == other.to_json()


def test_numbers_of_classes_are_classes(table):
    codes = {m: (table[m] == "sick").astype(int) for m in MODELS}
    y = (table["y_true"] == "sick").astype(int)
    whole = bakeoff.compare(y, codes).comparisons
    assert bakeoff.compare(y.astype(float), codes).comparisons.equals(whole)
    assert bakeoff.compare(table["y_true"], labels(table)).comparisons.equals(whole)


BINARY = np.arange(90) % 3 > 0
SAID = {"old": np.arange(90) % 2 > 0, "new": np.arange(90) % 5 > 0}


@pytest.mark.parametrize("truth", [int, bool, str], ids=["0 and 1", "booleans", "texts"])
@pytest.mark.parametrize("said", [int, bool, str, float, object])
@pytest.mark.parametrize("positive", [None, 1, True])
def test_booleans_are_the_classes_0_and_1(truth, said, positive):
    how = {"metrics": ["accuracy", "f1"], "positive": positive}
    numbers = {model: one.astype(int) for model, one in SAID.items()}
    expected = bakeoff.compare(BINARY.astype(int), numbers, **how).comparisons
    given = {model: one.astype(said) for model, one in SAID.items()}
    found = bakeoff.compare(BINARY.astype(truth), given, **how).comparisons
    pd.testing.assert_frame_equal(found, expected)


def test_labels_that_are_no_booleans_are_still_refused_beside_0_and_1():
    given = {"old": np.where(SAID["old"], "True", "maybe"), "new": SAID["new"]}
    with pytest.raises(UserError, match=r"do not have, in .*'maybe' \(classes: 0, 1\)"):
        bakeoff.compare(BINARY.astype(int), given)


def test_frames_of_probabilities_may_be_named_by_booleans():
    p = np.linspace(0.05, 0.95, 90)
    frame = pd.DataFrame({False: 1 - p, True: p})
    found = bakeoff.compare(BINARY.astype(int), {"a": frame, "b": p[::-1]}, metrics=["log_loss"])
    arrays = {"a": p, "b": p[::-1]}
    expected = bakeoff.compare(BINARY.astype(int), arrays, metrics=["log_loss"])
    assert found.scores["value"].tolist() == pytest.approx(expected.scores["value"].tolist())


LEVELS = ["low", "mid", "high"]
GRADE = np.array(LEVELS)[np.arange(90) % 3]
BY_LEVEL = {
    "sure": (np.eye(3)[np.arange(90) % 3] + 0.2) / 1.6,
    "even": np.full((90, 3), 1 / 3),
}


def grades(**options):
    return pd.Series(pd.Categorical(GRADE, **options))


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
def test_order_of_columns_without_names_is_asked_for_where_categories_have_another(form):
    y = grades(categories=[*LEVELS, "unseen"], ordered=True)
    given = {model: form(p) for model, p in BY_LEVEL.items()}
    asked = r"'sure'\].* low < mid < high.*`classes=\['low', 'mid', 'high'\]` or `classes=\['high'"
    with pytest.raises(UserError, match=asked):
        bakeoff.compare(y, given, metrics=["log_loss"])
    with pytest.raises(UserError, match=r"^base: .* low < mid < high"):
        bakeoff.gate(y, *given.values(), margin=0.1, metrics=["log_loss"])
    found = bakeoff.compare(y, given, metrics=["log_loss"], classes=LEVELS)
    named = {model: pd.DataFrame(p, columns=LEVELS) for model, p in BY_LEVEL.items()}
    expected = bakeoff.compare(y, named, metrics=["log_loss"])
    assert found.scores["value"].tolist() == pytest.approx(expected.scores["value"].tolist())
    assert found.scores["value"][0] == pytest.approx(-np.log(0.75))
    with pytest.raises(ValueError, match=r"labels: .*\['low', 'mid', 'high'\], sorted"):
        metric_difference(y, *BY_LEVEL.values(), metric="log_loss")


def test_order_of_columns_without_names_is_told_where_categories_have_another():
    y = grades(categories=LEVELS)
    found = bakeoff.compare(y, BY_LEVEL, metrics=["log_loss"])
    assert "of sure and even are read in the order 'high', 'low' and 'mid'." in found.verdict
    plain = bakeoff.compare(GRADE, BY_LEVEL, metrics=["log_loss"])
    assert "are read in the order" not in plain.verdict
    assert plain.scores["value"].tolist() == found.scores["value"].tolist()
    ordered = grades(categories=sorted(LEVELS), ordered=True)
    same = bakeoff.compare(ordered, BY_LEVEL, metrics=["log_loss"])
    assert same.verdict == plain.verdict


def test_columns_of_probabilities_are_in_the_order_of_the_classes():
    rng = np.random.default_rng(0)
    y = rng.choice([10, 2, 7], 90)
    given = {m: rng.dirichlet([1, 1, 1], 90) for m in "ab"}
    by_name = {m: pd.DataFrame(p, columns=[2, 7, 10]) for m, p in given.items()}
    expected = bakeoff.compare(y, by_name, metrics="log_loss").to_json()
    assert bakeoff.compare(y, given, metrics="log_loss").to_json() == expected
    turned = {m: p[:, ::-1] for m, p in given.items()}
    found = bakeoff.compare(y, turned, metrics="log_loss", classes=[10, 7, 2])
    (wanted,) = json.loads(expected)["comparisons"]
    assert found.comparisons["pvalue"][0] == pytest.approx(wanted["pvalue"])


OTHERS = {"classes": ["a", "b"], "matrix": [[0, 1], [5, 0]]}
GROUPS = [i // 4 for i in range(20)]
Y = pd.Series(["a", "b"] * 10)
GOOD = {"m": Y, "n": Y[::-1].to_numpy()}
TEXTS = list("abcdefghijklmnopqrst")
BARE = r"predictions\['n'\]: it has no index, and predictions\['m'\] is in another order"
ELSEWHERE = r"predictions\['n'\]: its index is another one .* \(it has 20, 21, 22, 23, 24\): give"


@pytest.mark.parametrize(
    ("y", "predictions", "options", "said"),
    [
        (Y, {"m": Y}, {}, "predictions: found m, comparing needs two models"),
        (Y, [Y, Y], {}, "predictions: found list, expected those of each model by its name"),
        (None, GOOD, {}, "y: found None, expected the true labels"),
        (Y, {**GOOD, "n": Y[:19]}, {}, r"predictions\['n'\]: found 19 rows, y has 20"),
        (Y, {**GOOD, "n": 3}, {}, r"predictions\['n'\]: found int, expected one value for each"),
        (Y, {**GOOD, "n": Y.rename(lambda i: i + 5)}, {}, ELSEWHERE),
        (Y.sample(frac=1, random_state=0), {"m": Y, "n": Y}, {}, "'m'.: its index is another one"),
        (Y.set_axis(TEXTS), {**GOOD, "m": Y.set_axis(TEXTS[::-1])}, {}, BARE),
        (Y.set_axis([1] * 20), {**GOOD, "m": Y.rename(lambda i: i + 2)}, {}, "each row is once"),
        (Y, {**GOOD, "n": ["c", *Y[1:]]}, {}, r"in 1 of 20 rows: 'c' .* named by `classes=\["),
        (Y, {**GOOD, "n": [None, *Y[1:]]}, {}, "1 of 20 rows have no prediction; the first is"),
        (Y, {**GOOD, "n": [np.nan, *Y[1:]]}, {}, "1 of 20 rows have no prediction"),
        ([np.nan, *Y[1:]], GOOD, {}, "1 of 20 rows have no true label"),
        (Y.where(Y.index > 0), GOOD, {}, r"1 of 20 rows have no true label; the fi"),
        (Y, GOOD, {"metrics": "f2f"}, "metrics: unknown metric 'f2f'"),
        (Y, GOOD, {"metrics": "roc_auc"}, "^metrics: roc_auc needs .* labels alone: pass them"),
        (Y, GOOD, {"metrics": "cost"}, "^costs: the metric cost needs `classes` and a `matrix`"),
        (Y, GOOD, {"metrics": "expected_cost", "costs": OTHERS}, "^costs: .* expected_cost needs"),
        (Y, GOOD, {"variant": "exact", "groups": GROUPS}, "^variant: found 'exact', which is for"),
        (Y, GOOD, {"versus": "o"}, "versus: unknown model 'o'"),
        (Y, GOOD, {"alpha": 2}, "^alpha: "),
        (Y, GOOD, {"positive": "c"}, "positive: unknown class 'c'"),
        (Y, GOOD, {"classes": ["a"]}, "classes: found a, expected every class once; y has b too"),
        (Y, GOOD, {"groups": Y, "time": Y}, "groups: cannot be combined with time"),
        (Y, GOOD, {"runs": Y}, "runs: found no groups, expected the items"),
        (Y, GOOD, {"groups": Y, "runs": Y}, "runs: .* found twice: a run a, b run b"),
        (Y, GOOD, {"bins": {"age": [1]}}, "bins: found no subgroups"),
        (Y, GOOD, {"subgroups": {"y": Y}, "bins": {"age": [1]}}, "bins: unknown column 'age'"),
        (Y, GOOD, {"subgroups": ["y"]}, "subgroups: found list, expected columns by their names"),
        (Y, GOOD, {"subgroups": {"y": Y[:3]}}, r"subgroups\['y'\]: found 3 rows, y has 20"),
        (Y, GOOD, {"subgroups": {"n": range(20)}}, r"say where .* in Python `bins=\{'n': \[9.5\]"),
        (Y, GOOD, {"subgroups": {"n": range(20)}, "bins": {"n": [9, 2]}}, "numbers in ascending"),
        (Y, GOOD, {"independent_rows": True}, "independent_rows: no data set has"),
        (Y, GOOD, {"costs": {"classes": ["a"], "matrix": [[0]]}}, r"^costs\.classes: "),
        (Y, {**GOOD, "n": [0.2] * 19 + [1.2]}, {"positive": "b"}, "predicts classes that the data"),
        (Y, {**GOOD, "n": np.full((20, 3), 1 / 3)}, {}, r"found 3 columns, there are 2 classes"),
        (Y, {**GOOD, "n": np.full((20, 2), 0.6)}, {}, "do not sum up to 1"),
        (Y, {**GOOD, "n": pd.DataFrame({"a": [1] * 20, "c": 0})}, {}, "unknown class 'c'"),
        (Y, {"m": [0.2] * 20, "n": [0.3] * 20}, {}, "positive: of which class are the probab"),
        (Y, GOOD, {"values": "up"}, "values: unknown kind of numbers 'up'"),
        (Y, GOOD, {"values": "lower"}, "y: labels are for predictions"),
        (None, GOOD, {"values": "lower"}, "have no number; the first is row 1 with a"),
        (None, {"m": [0, 1], "n": [1, 1]}, {"values": "lower"}, "every number is 0 or 1"),
        (None, {"m": [0, 2], "n": [1, 1]}, {"values": "right"}, "that is neither 0 nor 1"),
        (None, GOOD, {"values": "lower", "positive": "a"}, "positive: is for predictions"),
        (None, GOOD, {"values": "lower", "variant": "exact"}, "variant: is for predictions"),
        (Y, {"m": GaussianNB(), "n": Y}, {}, "found the estimator GaussianNB, expected its pred"),
        (
            Y,
            {"m": [0] * 20, "n": Y},
            {},
            'predicts classes .* marks of right rows, are for `values="lower"`',
        ),
        (Y, GOOD, {"metric": "f1", "metrics": "mcc"}, "metric, metrics: these are one argument"),
        (Y, GOOD, {"metrix": "f1"}, "unknown argument 'metrix'; did you mean"),
        (["a"] * 9, {"m": ["a"] * 9, "n": ["a"] * 9}, {}, "has only one class, 'a'"),
    ],
)
def test_mistake(y, predictions, options, said):
    with pytest.raises(UserError, match=said) as caught:
        bakeoff.compare(y, predictions, **options)
    assert "tests." not in str(caught.value), "the key of an experiment"


def test_models_one_by_one_are_told_how():
    told = r"compare: found 3 arguments without a name, expected y and predictions; .* \{'old': …"
    with pytest.raises(UserError, match=told):
        bakeoff.compare(["a", "b"], ["a", "b"], ["b", "b"])


# --- findings show themselves safely, and write what the command writes

HOSTILE = ("<script>alert(1)</script>", "a&b \"'> <img src=x onerror=alert(1)>")


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(1)
    y = rng.choice(["n", "p"], 80)
    models = {name: np.where(rng.random(80) < 0.9, y, "n").tolist() for name in HOSTILE}
    return {"y": y.tolist(), **models}


@pytest.fixture(scope="module")
def found(hostile):
    models = {name: hostile[name] for name in HOSTILE}
    return bakeoff.compare(hostile["y"], models, name="<b>rows</b>", metrics="f1")


def test_notebook_and_terminal_show_verdict_and_table_with_all_text_escaped(found):
    shown = found._repr_html_()
    tree = ElementTree.fromstring(shown.replace("<img", "<i").replace('%">\n</div>', '%"/></div>'))
    tags = {element.tag for element in tree.iter()}
    assert tags <= {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "sup", "i"}
    assert "onerror" not in {name for element in tree.iter() for name in element.attrib}
    text = "".join(tree.itertext())
    assert found.verdict.splitlines()[0] in text
    assert HOSTILE[0] in text
    assert shown.count("data:image/svg+xml;base64,") == 1
    assert found.verdict.splitlines()[0] in " ".join(str(found).split())
    assert "A − B" in repr(found)


def test_many_pairs_are_cut(hostile):
    models = {f"m{i}": hostile[HOSTILE[i % 2]] for i in range(10)}
    shown = bakeoff.compare(hostile["y"], models)
    assert repr(shown).endswith("… and 15 more rows")
    assert "… and 15 more rows" in shown._repr_html_()
    assert "Adjusted p" in repr(shown)
    assert not re.search(r"(?m)^\d+ ", repr(shown)), "rows have no numbers"
    assert max(map(len, repr(shown).splitlines())) <= 100  # no statistics, no effect sizes
    assert len(shown.to_frame()) == 45
    six = {m: models[m] for m in list(models)[:6]}
    fits = bakeoff.compare(hostile["y"], six, metrics=["f1", "mcc"])
    assert "more row" not in repr(fits), "thirty rows are shown"


def test_page_and_tables_are_written(found, tmp_path):
    endings = "html", "md", "tex", "json"
    text = {ending: found.save(tmp_path / f"all.{ending}").read_text() for ending in endings}
    assert json.loads(text["json"]) == json.loads(found.to_json())
    assert found.scores[["repeat", "fold", "n_test"]].values.tolist() == [[1, 1, 80]] * 2
    assert "<script>alert" not in text["html"]
    assert "bakeoff.compare(y, predictions, …)" in text["html"]
    assert found.to_markdown().strip() in text["md"]
    assert text["tex"].count("\\begin{table}") == len(found.tables)


def test_figures_are_new_ones(found):
    assert isinstance(found.figure(), Figure)
    assert found.figure() is not found.figure()
    for name in found.figures:
        assert found.figure(name).get_size_inches()[0] > 0
    # ranks of a single data set are the models in order
    assert "ranks" not in {name.partition(".")[0] for name in found.figures}
    names = [label.get_text() for label in found.figure("ranks").axes[0].get_yticklabels()]
    assert names == [label.get_text() for label in found.figure("scores").axes[0].get_yticklabels()]


@pytest.mark.parametrize(
    ("call", "argument", "said"),
    [
        ("figure", "forrest", "unknown figure 'forrest'; did you mean"),
        ("to_markdown", "x", "unknown table 'x'"),
        ("save", "page.pdf", r"expected a name with \.html, \.md, \.tex or \.json"),
        ("save", f"{__file__}/page.md", "cannot be written"),
    ],
)
def test_mistakes_of_findings(found, call, argument, said):
    with pytest.raises(UserError, match=said):
        getattr(found, call)(argument)


# --- combinations of arguments that are right one by one

N = 60
TRUTH = np.arange(N) % 2


def flipped(rate, runs=0, seed=0):
    rng = np.random.default_rng(seed)
    made = [TRUTH ^ (rng.random(N) < rate) for _ in range(max(runs, 1))]
    return made if runs else made[0]


@pytest.mark.parametrize("groups", [2, 15])
@pytest.mark.parametrize("models", [2, 3])
def test_training_runs_in_groups_have_a_verdict_without_a_difference(groups, models):
    given = {f"m{seed}": flipped(0.3, 3, seed) for seed in range(models)}
    found = bakeoff.compare(TRUTH, given, groups=np.arange(N) % groups)
    limited = "No two models could have differed significantly" in found.verdict
    assert limited == (groups == 2)
    assert ("due to the seeds" in found.verdict) == (groups != 2)
    numbers = {name: list(np.random.default_rng(1).normal(size=(3, N))) for name in given}
    found = bakeoff.compare(None, numbers, values="higher", groups=np.arange(N) % 3)
    assert "at least 5 groups" in found.verdict


def test_findings_show_the_pairs_of_training_runs_that_the_verdict_goes_by():
    found = bakeoff.compare(TRUTH, {"a": flipped(0.1, 3), "b": flipped(0.4, 3, 1)})
    assert set(found.to_frame()["test"]) == {"recipe_difference"}
    assert found.to_markdown() == found.to_markdown("pairs.recipe_difference")


def test_two_deterministic_models_may_lead_a_model_with_training_runs():
    fixed = {m: Runs([flipped(rate)], deterministic=True) for m, rate in [("a", 0), ("b", 0.1)]}
    found = bakeoff.compare(TRUTH, {**fixed, "c": flipped(0.4, 3, 1)})
    assert found.verdict.startswith("a ")


RNG = np.random.default_rng(5)
NUMBERS = RNG.normal(size=N) + 5
NEAR = {"a": NUMBERS + 0.3 * RNG.normal(size=N), "b": NUMBERS + 0.5 * RNG.normal(size=N)}


@pytest.mark.parametrize("metric", ["rmse", "r2"])
def test_model_that_diverged_hides_no_difference_of_the_others(metric):
    found = bakeoff.compare(NUMBERS, NEAR | {"diverged": NUMBERS * 1e12}, metric=metric)
    two = bakeoff.compare(NUMBERS, NEAR, metric=metric)
    apart = re.compile(r"of a \(\d\.\d{3}\) is \d\.\d{3} ")
    assert apart.search(found.verdict)[0] == apart.search(two.verdict)[0]
    assert [line.rank for line in ranking(found._study)] == [1, 2, 3]


def by_errors(unit):
    return bakeoff.compare(NUMBERS * unit, {m: p * unit for m, p in NEAR.items()}, metric="rmse")


def by_costs(unit):
    costs = {"classes": [0, 1], "matrix": [[0, unit], [2 * unit, 0]]}
    models = {"a": flipped(0.2), "b": flipped(0.4, seed=1)}
    return bakeoff.compare(TRUTH, models, metric="cost", costs=costs)


@pytest.mark.parametrize("unit", [2.0**-44, 2.0**50])
@pytest.mark.parametrize("compared", [by_errors, by_costs])
def test_verdict_and_numbers_do_not_depend_on_the_unit(compared, unit):
    plain, scaled = compared(1.0), compared(unit)
    first, second = (found.comparisons.iloc[0] for found in (plain, scaled))
    assert first.pvalue == second.pvalue
    for key in ("estimate", "ci_low", "ci_high"):
        assert second[key] == first[key] * unit
    headlines = (found.verdict.splitlines()[0] for found in (plain, scaled))
    assert len(set(headlines)) == 1
    assert "is the same" not in scaled.verdict


def test_median_of_tiny_numbers_has_the_interval_of_large_ones_and_no_p_value():
    unit = 2.0**-44
    plain = metric_difference(NUMBERS, *NEAR.values(), metric="median_absolute_error")
    tiny = {model: own * unit for model, own in NEAR.items()}
    found = bakeoff.compare(NUMBERS * unit, tiny, metric="median_absolute_error")
    limits = found.comparisons.loc[0, ["ci_low", "ci_high"]] / unit
    assert limits.tolist() == list(plain.ci)
    assert "there is an interval but no p-value" in found.verdict


@pytest.mark.parametrize("metric", ["rmse", "rmsle"])
def test_perfect_numbers_have_a_root_mean_square_without_error(metric):
    # by a bootstrap of rows the root of 0 is always 0: only the other model's error varies
    other = NEAR["b"]
    found = metric_difference(NUMBERS, NUMBERS, other, metric=metric)
    errors = other - NUMBERS if metric == "rmse" else np.log1p(other) - np.log1p(NUMBERS)
    rows = np.random.default_rng(1).integers(0, N, (4000, N))
    drawn = np.sqrt((errors[rows] ** 2).mean(axis=1))
    assert found.details["se"] == pytest.approx(drawn.std(), rel=0.05)
    assert found.pvalue < 1e-6


def test_no_evidence_is_no_p_value_of_1():
    for df in (5.0, np.inf):
        assert np.isnan([t_pvalue(np.nan, df, side) for side in ("two-sided", "greater")]).all()


def test_constant_of_a_deviance_is_the_mean():
    counts = np.arange(N) % 4
    given = {"a": counts + 0.5, "b": np.full(N, counts.mean())}
    found = bakeoff.compare(counts, given, metric="poisson_deviance", task="regression")
    assert "which predicts the mean of the test rows" in found.verdict


@pytest.mark.parametrize("constant", [0.1, 0.3])
def test_constant_numbers_have_no_correlation(constant):
    assert metric_ci(NUMBERS, np.full(N, constant), metric="pearson").status == "undefined"
    assert metric_ci(np.full(N, constant), NUMBERS, metric="r2").status == "undefined"


HUGE = {model: own * 1e150 for model, own in NEAR.items()}
TWO, RUNS = (NUMBERS, *NEAR.values()), (TRUTH, flipped(0.2, 3), flipped(0.2))


@pytest.mark.parametrize(
    ("call", "given", "options", "said"),
    [
        (bakeoff.compare, ([], {"a": [], "b": []}), {}, "found no rows"),
        (bakeoff.compare, (None, {"a": [], "b": []}), {"values": "lower"}, "found no rows"),
        (bakeoff.compare, (NUMBERS, HUGE), {"metrics": "rmse"}, r"predictions.*1e\+100 overflow"),
        (bakeoff.compare, (None, HUGE), {"values": "lower"}, r"predictions.*1e\+100 overflow"),
        (bakeoff.gate, TWO, {"margin": 0.1, "foo": 1}, "^gate: unknown argument 'foo'"),
        (bakeoff.gate, TWO, {"metric": "max_error", "margin": 0.1}, "^metrics: no interval is k"),
        (bakeoff.gate, TWO, {"metric": "rmse", "margin": "-5%"}, r"^margin: found -5\.0, must be"),
        (bakeoff.gate, RUNS, {"margin": 0.1}, "^candidate has one training run.*: give two"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(call, given, options, said):
    with pytest.raises(bakeoff.UserError, match=said):
        call(*given, **options)


def test_corrections_have_the_names_of_their_authors():
    models = {name: flipped(0.3, seed=seed) for seed, name in enumerate("abc")}
    found = bakeoff.compare(TRUTH, models, correction="holm-sidak")
    assert "Holm-Šidák correction" in found.verdict


def test_incomplete_data_sets_are_left_out_of_their_groups():
    rows = [f"d{i}" for i in range(10)]
    table = pd.DataFrame(RNG.random((10, 3)), index=rows, columns=list("abc"))
    of = np.array([1, 1, 1, 2, 2, 2, 3, 4, 5, 6])
    table.loc["d0", "a"] = table.loc["d9", "b"] = np.nan
    whole = table.drop(index=["d0", "d9"])
    means = whole.groupby(of[1:9]).mean().set_axis(["g1", "g2", "d6", "d7", "d8"])
    alike = {"values": "higher", "tests": ["wilcoxon_signed_rank"]}
    asked = {**alike, "groups": "of", "missing": "drop_dataset"}
    found = bakeoff.compare_datasets(table.assign(of=of), **asked)
    wanted = bakeoff.compare_datasets(means, **alike)
    assert found.to_frame()["pvalue"].tolist() == wanted.to_frame()["pvalue"].tolist()
    assert found.verdict.count("was left out: ") == 2
    complete = bakeoff.compare_datasets(whole.assign(of=of[1:9]), groups="of", **alike)
    assert "5 groups of 8 data sets" in complete.verdict
    apart = table.assign(a=[0.5] + 9 * [np.nan], b=[np.nan] + 9 * [0.5], of=of)
    nothing = bakeoff.compare_datasets(apart, **asked).verdict
    assert "by the Wilcoxon signed-rank test is undecided: no data set is left" in nothing
    assert nothing.count("was left out: ") == 10


@pytest.mark.parametrize(
    ("level", "text"), [(0.95, "95%"), (1.0, "100%"), (1 - 1e-7, "99.99999%"), (2.5, "250%")]
)
def test_no_level_is_rounded_to_100_percent(level, text):
    assert percent(level) == text


# --- the positive class: one rule at every door, named wherever a metric is about it

RARE = ["churned"] * 12 + ["stayed"] * 48
PAIRS = [
    # classes of the truth, which is the positive one, why no other rule would find it
    (RARE, "churned"),
    (["Disease"] * 30 + ["Healthy"] * 30, "Disease"),
    (["No rain", "rain"] * 30, "rain"),
    ([2] * 40 + [10] * 20, "10"),
    (["oak"] * 10 + ["zelkova"] * 50, "oak"),
    (["ash", "oak"] * 30, "oak"),
]


def said(truth, wrong):
    """Return labels that differ from the truth on some rows."""
    one, other = dict.fromkeys(truth)
    return [(other if y == one else one) if i % wrong == 0 else y for i, y in enumerate(truth)]


def of_experiment(truth, known):
    models = {m: {"predictions": f"{m}.csv"} for m in known}
    experiment = load_experiment({"experiment": "e", "models": models, "metrics": ["f1"]})
    (name,) = experiment.datasets
    return load(name, experiment).classes[-1]


@pytest.mark.parametrize(("truth", "positive"), PAIRS)
def test_every_door_takes_the_same_class(in_folder, answered, truth, positive):
    known = {"a": said(truth, 5), "b": said(truth, 7)}
    pd.DataFrame({"label": truth, **known}).to_csv("both.csv", index=False)
    for model, own in known.items():
        rows = {"id": range(len(truth)), "y_true": truth, "y_pred": own}
        pd.DataFrame(rows).to_csv(f"{model}.csv", index=False)
    found = bakeoff.compare(truth, known, metrics=["f1"])
    assert f"F1 of b for class {positive}" in found.verdict
    other = next(name for name in map(str, truth) if name != positive)
    found_of_other = bakeoff.compare(truth, known, metrics=["f1"], classes=[positive, other])
    assert f"for class {other}" in found_of_other.verdict, "the last one that is named"
    of_file = answered("compare", "both.csv", "--metric", "f1")
    assert f"F1 of b for class {positive}" in of_file["verdict"]["sentences"][0]
    of_python = found.to_frame()["estimate"].tolist()
    assert [one["estimate"] for one in of_file["comparisons"]] == of_python
    assert of_experiment(truth, known) == positive
    assert bakeoff.gate(truth, *known.values(), margin=0.9, metric="f1").positive == positive
    gated = answered("gate", "a.csv", "b.csv", "--margin", "0.9", "--metric", "f1")
    assert gated["terms"]["positive"] == positive


def test_estimators_are_scored_on_the_rarer_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    X[:43] += 1.2
    y = np.array(["churned"] * 43 + ["stayed"] * 557)
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    how = {"plan": {"holdout": {}}, "metrics": ["f1"]}
    found = bakeoff.compare_estimators(models, X, y, **how)
    same = bakeoff.compare_estimators(models, X, y, positive="churned", **how)
    assert found.verdict == same.verdict
    assert "F1 of nb for class churned" in found.verdict
    assert "F1 for class churned" in found.methods


DECIDE = ((("Healthy", "Disease"), False), (("ham", "spam"), False), (("cat", "dog"), True))


@pytest.mark.parametrize(("names", "refused"), DECIDE)
def test_one_probability_needs_names_that_decide(names, refused, tmp_path, answered):
    y = np.tile(names, 60)
    rng = np.random.default_rng(1)
    p = np.clip((y == names[1]) * 0.3 + rng.uniform(size=120) * 0.7, 0, 1)
    given = {"p": p, "q": rng.uniform(size=120)}
    if refused:
        with pytest.raises(UserError, match="positive: of which class are the probab"):
            bakeoff.compare(y, given, metrics=["roc_auc"])
        return
    found = bakeoff.compare(y, given, metrics=["roc_auc"])
    assert found.verdict.startswith("p is better than q by ROC AUC")
    told = f"The probabilities of p and q are read as those of {names[1]!r}."
    assert told in found.verdict
    assert told not in bakeoff.compare(y, given, metrics=["roc_auc"], positive=names[1]).verdict
    pd.DataFrame({"label": y, **given}).to_csv(tmp_path / "t.csv", index=False)
    for options, is_told in (((), True), (("--positive", names[1]), False)):
        line = ["compare", str(tmp_path / "t.csv"), "--metric", "roc_auc", *options]
        assert (told in answered(*line)["verdict"]["sentences"]) == is_told


def test_rows_on_which_models_differ_are_a_frame_and_in_json():
    truth = ["no", "yes", "yes", "no"]
    study = bakeoff.compare(
        truth, {"a": ["no", "yes", "no", "yes"], "b": ["no", "no", "yes", "no"]}
    )
    frame = study.to_frame("flips")
    assert list(frame) == ["id", "truth", "b", "a", "right"]
    assert frame["right"].tolist() == ["a", "b", "b"]
    flips = json.loads(study.to_json())["flips"]
    assert (flips["models"], flips["n"]) == (["b", "a"], 3)
    assert flips["rows"] == frame.to_dict("records")
    # any other table is to be had so too
    assert list(study.to_frame("models"))[:2] == ["model", "mean"]
    with pytest.raises(bakeoff.UserError, match="nothing"):
        study.to_frame("nothing")


def test_a_figure_is_drawn_into_axes_of_the_caller():
    study = bakeoff.compare(["no", "yes"] * 20, {"a": ["no", "yes"] * 20, "b": ["no"] * 40})
    own = Figure()
    left, right = own.subplots(1, 2)
    assert study.figure(ax=right) is own
    assert right.lines
    assert not left.lines
    with pytest.raises(bakeoff.UserError, match="several panels"):
        study.figure("confusion_maps", ax=left)
    assert study.figure() is not own
    confusion = study.figure_data("confusion_maps")
    assert list(confusion) == ["model", "true_class", "predicted_class", "rows", "share"]
    assert confusion["rows"].sum() == 80
    difference = study.figure_data().iloc[0]
    assert difference["estimate"] == study.comparisons["estimate"][0]
    with pytest.raises(bakeoff.UserError, match="nothing"):
        study.figure_data("nothing")
