"""Models that bring their results: pairing is proved, and whatever is wrong is told."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from bakeoff.api.findings import Findings
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import run_planned
from bakeoff.data import Split
from bakeoff.data.given_predictions import load_given
from bakeoff.execution.fits import run_in_process
from bakeoff.scores.given_results import given_predictions, given_scores
from bakeoff.spec import Fit, load_experiment
from tests.conftest import GONE, change, hold, messages

pytestmark = pytest.mark.usefixtures("in_folder")
NB = {"estimator": "sklearn.naive_bayes.GaussianNB"}
TRUTH = ["cat", "dog", "cat", "dog", "cat", "dog", "cat", "dog"]


def table(**columns):
    """Return a file of predictions that is right but for `columns`; None leaves one out."""
    p = np.array([0.9, 0.2, 0.8, 0.4, 0.3, 0.1, 0.6, 0.45])
    usual = {"id": range(1, 9), "y_true": TRUTH, "y_pred": np.where(p > 0.5, "cat", "dog")}
    usual |= {"p_cat": p, "p_dog": 1 - p}
    return pd.DataFrame({k: v for k, v in {**usual, **columns}.items() if v is not None})


def given(b, a=None, **keys):
    (table() if a is None else a).to_csv("a.csv", index=False)
    b.to_csv("b.csv", index=False)
    models = {"a": {"predictions": "a.csv"}, "b": {"predictions": "b.csv", **keys}}
    return {"experiment": "pets", "models": models, "tests": {"run": ["mcnemar"]}}


def taken(config, model):
    experiment = load_experiment(config)
    whole = load_given("pets", experiment)
    split = Split(np.array([], dtype=np.intp), np.arange(len(whole.frame)))
    return given_predictions(Fit("pets", model, "holdout", 1, 1), experiment, whole, split)


def test_classes_are_sorted_and_the_positive_one_is_last(monkeypatch):
    config = given(table())
    config["datasets"] = {"pets": {"source": "given", "positive": "cat"}}
    one = taken(config, "a")
    assert one.classes == ("dog", "cat")
    assert one.probabilities[0].tolist() == pytest.approx([0.1, 0.9])
    ones = [float(label == "cat") for label in TRUTH]
    b = pd.DataFrame({"id": range(1, 9), "y_true": ones, "y_pred": ones})
    config = given(b, b.astype("int64"))  # numbers are classes whatever their type
    assert messages(config) == ""
    assert taken(config, "b").classes == ("0", "1")
    folder = Path.cwd()
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")  # files are found beside the experiment
    assert load_experiment(config, folder / "a.csv").given["a"].predictions == "../a.csv"


NO_CLASS = {"y_pred": None, "p_cat": None, "p_dog": None}
P_CAT, P_DOG = table()["p_cat"], table()["p_dog"]
NAMED = {"y_pred": None, "said": table()["y_pred"], "id": None, "row": range(1, 9)}


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        ({"y_pred": None}, {}),
        ({"p_cat": None}, {}),
        ({"y_pred": None, "p_cat": None}, {}),
        ({"y_true": None}, {}),
        ({**NO_CLASS, "dog": P_DOG}, {"probabilities": {"dog": "dog"}}),
        ({**NO_CLASS, "P(cat)": P_CAT, "P(dog)": P_DOG}, {"probabilities": "P({class})"}),
        (NAMED, {"predicted": "said", "id": "row"}),
        ({"id": [float(i) for i in range(1, 9)]}, {}),
    ],
)
def test_files_that_say_the_same_in_other_words_and_order(change, columns):
    config = given(table(**change).sample(frac=1, random_state=3), columns=columns)
    assert messages(config) == ""
    a, b = taken(config, "a"), taken(config, "b")
    np.testing.assert_array_equal(a.row_id, np.arange(1, 9))
    assert [a.classes[code] for code in a.y_true] == TRUTH
    np.testing.assert_array_equal(a.y_pred, b.y_pred)
    np.testing.assert_allclose(np.asarray(a.probabilities), b.probabilities)


def test_another_encoding_is_told():
    config = given(table())
    Path("b.csv").write_bytes("id,y_true\n1,Bär\n".encode("latin-1"))
    assert "models.b.predictions: 'b.csv' is not UTF-8 text: save it as such" in messages(config)


OTHER_TRUTH = [*TRUTH[:2], "dog", "cat", *TRUTH[4:]]
HALF = [0.5] * 7
DIFFERING = (
    "models.b.predictions: 2 of 8 rows have another true label than in 'a.csv' … id  'a.csv'  "
    "'b.csv' … 3   cat      dog … 4   dog      cat"
)
MISTAKES = [
    ({"y_true": OTHER_TRUTH}, DIFFERING),
    ({"id": range(2, 10)}, "ids that are missing (1): 1 … do not belong (1): 9"),
    ({"id": [1, 1, 2, 3, 4, 5, 6, 7]}, "ids must be unique; repeated (1): 1"),
    ({"id": None}, "models.b.columns.id … never by their order"),
    ({"id": [None, *range(2, 9)]}, "1 of 8 rows have no id … row 1"),
    ({"y_pred": [None, *TRUTH[1:]]}, "1 of 8 rows have no prediction in column 'y_pred'"),
    (
        {"y_pred": ["cow", *TRUTH[1:]]},
        "in 1 of 8 rows … cow … cat, dog … `classes: [cat, cow, dog]`",
    ),
    ({"p_cat": [1.9, *HALF]}, "1 of 8 rows have a number outside 0 to 1 in column 'p_cat'; the"),
    ({"p_cat": [None, *HALF]}, "have no number in column 'p_cat'"),
    ({"p_cat": ["x", *map(str, HALF)]}, "no number in column 'p_cat' … with x"),
    ({"p_cat": [0.5] * 8, "p_dog": [*HALF, 0.4]}, "do not sum up to 1; the first is id 8 with 0.9"),
    (NO_CLASS, "neither predicted labels … nor class probabilities … `id` and `y_true`"),
    ({"label": TRUTH}, "models.b.columns.truth … `y_true` and `label`"),
]
WRONG_KEYS = [
    ({"predictions": "c.csv"}, "models.b.predictions: no file at 'c.csv'"),
    ({"columns": {"id": "ids"}}, "b.columns.id: 'b.csv': unknown column 'ids'; did you mean 'id'?"),
    ({"columns": {"probabilities": {"cats": "p_cat"}}}, "unknown class 'cats'; did you mean 'cat'"),
    ({"columns": {"probabilities": "q_{class}"}}, "has none of the columns `q_cat` and `q_dog`"),
    ({"columns": {"probabilities": "p"}}, "{class}"),
    ({"estimator": "a.B"}, "models.b: unknown key 'estimator'"),
    ({"predictions": None, "scores": "s", "columns": {"id": "x"}}, "`columns` goes with"),
]


def test_class_without_a_true_label_can_be_named():
    labels = {"p_cat": None, "p_dog": None}
    config = given(table(y_pred=["cow", *TRUTH[1:]], **labels), table(**labels))
    config["datasets"] = {"pets": {"source": "given", "classes": ["cat", "cow", "dog"]}}
    assert messages(config) == ""
    assert taken(config, "b").y_pred.tolist()[:2] == [1, 2]


CRPS = {"name": "crps", "greater_is_better": False}
IRIS = {"datasets": {"iris": {"source": "sklearn", "name": "iris"}}}
RMSE = {"name": "rmse", "greater_is_better": False}
NEW = {"models.c": NB, "datasets": {"pets": {"source": "given"}}}
UNFIT = [
    ({"resampling": {"holdout": {}, "cv_5x2": {}}}, "resampling.cv_5x2: a brings nothing for this"),
    ({"tests.run": ["cv5x2_f"]}, "cv5x2_f needs the plan `cv_5x2`"),
    (NEW, "datasets.pets.source: there are no features to fit c on"),
    ({"models.c": NB}, "the key 'datasets' is missing"),
    ({"metrics": ["accuracy", CRPS]}, "[1]: crps is none of the … as the plan holdout would need"),
    ({"metrics": ["accuracy", CRPS], "models": {"nb": NB}, **IRIS}, "as nb, which is fitted here"),
    ({"resampling": {"holdout": {"test_size": 0.5}}}, "all rows of a given test set are test rows"),
]


def test_several_data_sets_need_several_files():
    config = given(table())
    config["datasets"] = {"one": {"source": "given"}, "two": {"source": "given"}}
    assert "models.a.predictions: one file cannot hold" in messages(config)
    for model in "ab":
        for dataset in ("one", "two"):
            table().to_csv(f"{model}-{dataset}.csv", index=False)
        config["models"][model] = {"predictions": f"{model}-{{dataset}}.csv"}
    assert messages(config) == ""


def test_mixture_is_paired_with_the_test_rows():
    config = given(table())
    rows = pd.DataFrame({"id": range(1, 25), "x": np.arange(24) % 5, "pet": TRUTH * 3})
    rows["part"] = ["test"] * 8 + ["train"] * 16
    rows.to_csv("data.csv", index=False)
    data = {"source": "file", "path": "data.csv", "target": "pet", "id": "id"}
    config["datasets"] = {"pets": data}
    config["resampling"] = {"holdout": {"column": "part"}}
    config["models"]["nb"] = NB
    assert messages(config) == ""
    rows.assign(part=["train"] * 16 + ["test"] * 8).to_csv("data.csv", index=False)
    message = messages(config)
    assert "models.a.predictions: 'a.csv' has 8 rows, the test set of pets 8" in message
    assert "ids that are missing (8): 17, 18, 19, 20, 21, …" in message


# --- scores


def score_rows(**keys):
    pairs = [(fold, metric) for fold in range(1, 6) for metric in ("accuracy", "f1")]
    rows = [{"repeat": 1, "fold": f, "metric": m, "value": 0.8 + f / 100} for f, m in pairs]
    return pd.DataFrame(rows).assign(**keys)


def scored(b, a=None):
    (score_rows() if a is None else a).to_csv("a.csv", index=False)
    b.to_csv("b.csv", index=False)
    return {
        "experiment": "pets",
        "models": {name: {"scores": f"{name}.csv"} for name in "ab"},
        "resampling": {"kfold": {"folds": 5}},
        "metrics": ["accuracy"],
        "tests": {"run": ["kfold_t"]},
    }


def test_scores_become_rows():
    sizes = {"n_train": 80, "n_test": 20}
    config = scored(score_rows(**sizes).sample(frac=1, random_state=1), score_rows(**sizes))
    assert messages(config) == ""
    scores, timings = given_scores(load_experiment(config), "pets", "kfold")
    assert scores["value"].tolist() == pytest.approx([0.81, 0.82, 0.83, 0.84, 0.85] * 2)
    assert set(scores["n_train"]) == {80}
    assert len(timings) == 10
    assert timings["fit_seconds"].isna().all()
    assert set(timings["seed"]) == {1}
    assert list(timings.index) == list(range(10))
    both = pd.concat([score_rows(model="a"), score_rows(model="b", value=0.5)])
    both.loc[(both["fold"] == 2) & (both["model"] == "b"), "value"] = np.nan
    config = scored(both, both)
    assert messages(config) == ""
    scores, _ = given_scores(load_experiment(config), "pets", "kfold")
    assert scores.groupby("model")["value"].mean().tolist() == pytest.approx([0.83, 0.5])
    missing = scores[scores["value"].isna()][["model", "fold", "undefined"]]
    assert missing.values.tolist() == [["b", 2, "the file has no value"]]


SCORES = [
    (lambda s: s.drop(columns="metric"), "unknown column 'metric'"),
    (lambda s: s.drop(columns="fold"), "unknown column 'fold'"),
    (lambda s: s[s["fold"] < 4], "accuracy, kfold: repeat 1, fold 4 is missing (and 1 more)"),
    (lambda s: pd.concat([s, s.head(1)]), "fold 1 occurs twice"),
    (lambda s: pd.concat([s, s.tail(2).assign(fold=6)]), "fold 6 is not one of the plan's"),
    (lambda s: s[s["metric"] == "f1"], "no scores of accuracy for kfold (it has f1)"),
    (lambda s: s.assign(value=s["value"] * 100), "= 81 lies outside 0 to 1 … divide"),
    (lambda s: s.assign(value="good"), "found good in column 'value'"),
    (lambda s: pd.concat([s, s.assign(metric="mcc", value=81)]), "mcc = 81 lies outside -1 to 1"),
    (lambda s: s.assign(n_train=80.5), "found 80.5 in column 'n_train', expected a whole number"),
    (lambda s: s.assign(n_train=80, n_test=0), "found 0 in column 'n_test'"),
    (lambda s: s.assign(n_train=np.inf), "found inf in column 'n_train'"),
    (lambda s: s.assign(fold=s["fold"].where(s["fold"] > 1)), "found nan in column 'fold'"),
    (lambda s: s.assign(repeat=0), "found 0 in column 'repeat'"),
    (lambda s: s.assign(value=np.inf), "column 'value', expected a number"),
    (lambda s: s.assign(model="c"), "unknown model in it: 'b'"),
    (lambda s: s.assign(n_train=80, n_test=20), "different values of n_train for one fold of pets"),
]


UNTOLD = {"fold": {"folds": 2}, "repeat": {"folds": 5, "repeats": 2}}
GIVEN = {"source": "given"}
UNFIT_SCORES = [
    ({"models.nb": NB, **IRIS}, "a brings nothing for this plan"),
    ({"tests.run": ["corrected_resampled_t"]}, "add the columns `n_train` and `n_test` to 'a.csv'"),
    ({"resampling": GONE}, "`resampling:` must say which plan the scores come from"),
    ({"resampling.cv_5x2": {}}, "unknown column 'plan'"),
    ({"datasets": {"pets": GIVEN, "more": GIVEN}}, "unknown column 'dataset'"),
]


def with_rmse(**keys):
    """Describe an experiment by the root mean squared error of two models, 2.0 worse for b."""
    a = score_rows(n_train=80, n_test=20).query("metric == 'accuracy'").assign(metric="rmse")
    a["value"] *= 100
    config = scored(a.assign(value=a["value"] + 2 + a["fold"] % 2), a)
    return {**config, "metrics": [{**RMSE, **keys}]}


@pytest.mark.parametrize("greater", [False, True])
def test_any_metric_of_given_scores_is_compared_the_right_way_round(greater):
    config = with_rmse(label="RMSE", unit="kg", range=[0, None], greater_is_better=greater)
    config["tests"] = {"run": ["corrected_kfold_t"]}
    experiment = load_experiment(config)
    assert load_experiment(experiment.resolved()) == experiment
    scores, _ = given_scores(experiment, "pets", "kfold")
    scores.to_csv("scores.csv", index=False)
    _, (chosen,) = plan_tests(experiment)
    (row,) = run_planned(chosen, experiment, {"pets": "scores.csv"})
    assert (row.metric, row.decision.value) == ("rmse", "b_better" if greater else "a_better")
    assert abs(row.estimate) == pytest.approx(2.6)


OF_METRIC = [
    ({"greater_is_better": None}, "metrics[0].greater_is_better: expected true or false"),
    ({"greater_is_beter": True}, "metrics[0]: unknown key 'greater_is_beter'; did you mean"),
    ({"name": "a+b"}, "metrics[0].name: found 'a+b', expected"),
    ({"name": "log_loss"}, "metrics[0]: log_loss is a metric of this package"),
    ({"range": [0, 50]}, "models.a.scores: 'a.csv': rmse = 81 lies outside 0 to 50"),
    ({"range": [1, 0]}, "metrics[0]: found range: [1, 0], expected [low, high]"),
    ({"name": "rms"}, "'a.csv' has no scores of rms for kfold (it has rmse)"),
]


SEXES = {"sex": ["m", "f"] * 4, "age": [20, 30, 40, 50, 60, 70, 80, None]}


def test_subgroups_come_with_predictions_whatever_the_order_of_the_rows():
    columns = {"subgroups": ["sex", {"column": "age", "bins": [50]}]}
    config = given(table(**SEXES)[::-1], table(**SEXES), columns=columns)
    carried = load_given("pets", load_experiment(config)).carried
    assert list(carried[":subgroup:sex"]) == SEXES["sex"]
    assert list(carried[":subgroup:age"])[2:5] == ["below 50", "50 or more", "50 or more"]
    assert list(carried[":subgroup:age"])[-1] == "(missing)"


OTHER_SEXES = partial(given, table(**SEXES), table(sex=["m"] * 7 + ["f"]))
OF_SUBGROUPS = [
    ("sax", "models.b.columns.subgroups[0]: unknown column 'sax'; did you mean 'sex'"),
    ("sex", "models.b.predictions: 'b.csv' has other values of 'sex' than the files before"),
]


ROWS, COLUMNS = 40, {"repeat": "r", "fold": "f"}


def folds(repeats, count, rows=ROWS):
    rng = np.random.default_rng(repeats)
    made = (pd.DataFrame({"id": range(rows), "r": r}) for r in range(repeats))
    made = [one.assign(f=rng.permutation(np.arange(rows) % count)) for one in made]
    return pd.concat(made, ignore_index=True)


def halves(halvings, count):
    """Divide halves of the rows into folds, and all rows once."""
    made = []
    for m in range(halvings):
        shuffled = np.random.default_rng(m).permutation(ROWS)
        for half in (shuffled[: ROWS // 2], shuffled[ROWS // 2 :]):
            of_half = {"id": half, "r": len(made) + 1, "f": np.arange(len(half)) % count}
            made.append(pd.DataFrame(of_half))
    last = {"id": range(ROWS), "r": len(made) + 1, "f": np.arange(ROWS) % count}
    return pd.concat([*made, pd.DataFrame(last)], ignore_index=True)


def predicted(divided, right, seed):
    """Predict each row anew in every fold, right with a certain probability."""
    truth = np.where(divided["id"] % 3 == 0, "yes", "no")
    hit = np.random.default_rng(seed).random(len(divided)) < right
    other = np.where(truth == "yes", "no", "yes")
    return divided.assign(y_true=truth, y_pred=np.where(hit, truth, other))


def made(divided, plan, test="corrected_repeated_kfold_t", *, b=None):
    predicted(divided, 0.9, 1).to_csv("a.csv", index=False)
    # another order of rows, and folds under other names
    other = predicted(divided if b is None else b, 0.6, 2).sample(frac=1, random_state=0)
    other.assign(f=other["f"] + 1).to_csv("b.csv", index=False)
    models = {m: {"predictions": f"{m}.csv", "columns": dict(COLUMNS)} for m in "ab"}
    return {"experiment": "pets", "models": models, "resampling": plan, "tests": {"run": [test]}}


def comparison(config):
    """Run an experiment of one test, and return its only comparison."""
    assert messages(config) == ""
    study = run_in_process(load_experiment(config), "results", 1, lambda done, of: None)
    return Findings(study).comparisons.iloc[0]


def hits():
    """Return which rows each model predicts rightly in its folds."""
    files = (pd.read_csv(f"{name}.csv") for name in "ab")
    return [own.assign(hit=own["y_true"] == own["y_pred"]) for own in files]


def test_rows_of_folds_feed_the_test_of_5x2cv():
    divided = folds(5, 2)
    found = comparison(made(divided, {"cv_5x2": {}}, "cv5x2_mcnemar"))
    wide = [own.pivot(index="r", columns="id", values="hit").to_numpy() for own in hits()]
    half = divided.pivot(index="r", columns="id", values="f").to_numpy() + 1
    expected = stats.cv5x2_mcnemar(half, *wide)
    assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-12)
    assert found["estimate"] == pytest.approx(expected.estimate)


def test_scores_of_folds_feed_tests_with_their_true_sizes():
    divided = folds(2, 3)
    found = comparison(made(divided, TWICE))
    tested = divided.groupby(["r", "f"]).size().unstack().to_numpy()
    scores = [own.groupby(["r", "f"])["hit"].mean().unstack().to_numpy() for own in hits()]
    expected = stats.corrected_repeated_kfold_t(*scores, n_train=ROWS - tested, n_test=tested)
    assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-12)


def test_halves_and_random_divisions_are_taken_too():
    found = comparison(made(halves(2, 4), HALVED, "half_sample_t"))
    assert found["df"] == 2
    ids = [np.random.default_rng(r).permutation(ROWS)[:10] for r in range(4)]
    tested = pd.concat([pd.DataFrame({"id": own, "r": r, "f": 0}) for r, own in enumerate(ids)])
    config = made(tested, {"resampled": {"repeats": 4}}, "resampled_t")
    del config["models"]["a"]["columns"]["fold"]
    assert comparison(config)["n"] == 4


HALVED = {"halves": {"repeats": 2, "folds": 4, "full_repeats": 1}}
MOVED = halves(2, 4).assign(id=lambda t: np.where(t["r"] == 2, (t["id"] + 1) % ROWS, t["id"]))
TWICE = {"kfold": {"folds": 3, "repeats": 2}}
OF_FOLDS = [
    (folds(1, 3), {"kfold": {"folds": 4}}, "'a.csv' has 1 repeat(s) of 3 fold(s), kfold has 1"),
    (folds(2, 3).iloc[1:], TWICE, "models.a.columns: 'a.csv': 1 of 40 rows are tested in no fold"),
    (MOVED, HALVED, "repeats 1 and 2 must share no row and hold all, as two halves;"),
    (folds(5, 2), {"cv_5x2": {}, "kfold": {"folds": 2, "repeats": 5}}, "of a are those of one"),
    (folds(5, 2), {"cv_5x2": {}, "holdout": {}}, "resampling.holdout: a brings nothing for this"),
    (folds(1, 3), {"kfold": {"folds": 3, "column": "f"}}, "there are no data that hold it"),
]


TWO, PLAN_OF_TWO = folds(1, 2), ({"kfold": {"folds": 2}}, "corrected_kfold_t")
THEIRS = TWO.assign(f=TWO["f"].where(TWO.index > 1, 1 - TWO["f"]))
TWICE_TESTED = pd.concat([TWO, TWO.iloc[[3]].assign(f=lambda t: 1 - t["f"])])
OTHER = "models.b.predictions: 'b.csv' has … the test set, repeat 1, fold 1, of pets"
NO_PLAN = {"resampling": GONE}
ONE_FOLD = score_rows(fold=1).drop_duplicates(["metric"])
ROW_BY_ROW = {"resampling": {"holdout": {}}, "tests.run": ["mcnemar"]}
REFUSED = [
    *((partial(given, table(**columns)), {}, said) for columns, said in MISTAKES),
    *((partial(given, table(), **keys), {}, said) for keys, said in WRONG_KEYS),
    *((partial(given, table()), changed, said) for changed, said in UNFIT),
    *((partial(scored, edit(score_rows())), {}, said) for edit, said in SCORES),
    *((partial(scored, score_rows()), changed, said) for changed, said in UNFIT_SCORES),
    *(
        (
            partial(scored, *[score_rows().drop(columns=c)] * 2),
            {"resampling.kfold": two},
            f"n '{c}'",
        )
        for c, two in UNTOLD.items()
    ),
    *((partial(OTHER_SEXES, columns={"subgroups": [c]}), {}, said) for c, said in OF_SUBGROUPS),
    (partial(given, *[table(y_true=None)] * 2), {}, "none of the files names the true labels"),
    (partial(given, table()[1:-1]), {}, "'b.csv' has 6 rows, 'a.csv' 8 … missing (2): 1, 8"),
    (partial(scored, ONE_FOLD, ONE_FOLD), ROW_BY_ROW, "mcnemar looks at predictions row by row"),
    *((partial(with_rmse, **keys), {}, said) for keys, said in OF_METRIC),
    (with_rmse, {"metrics": ["crps"]}, "`- {name: crps, greater_is_better: false}`"),
    *((partial(made, divided, plan), {}, said) for divided, plan, said in OF_FOLDS),
    (partial(made, TWO, *PLAN_OF_TWO, b=THEIRS), {}, OTHER),
    (partial(made, TWICE_TESTED, *PLAN_OF_TWO), {}, "tested in two folds of repeat 1: 3"),
    (partial(made, TWO, *PLAN_OF_TWO), NO_PLAN, "say which plan the folds come from"),
]


@pytest.mark.parametrize(("of", "changed", "expected"), REFUSED)
def test_mistake_is_told(of, changed, expected):
    config = of()
    change(config, changed)
    hold(messages(config), expected)


def test_given_folds_mix_with_fits_on_the_same_folds():
    divided = folds(1, 3)
    config = made(divided, {"kfold": {"folds": 3, "column": "f"}}, "corrected_kfold_t")
    x = np.random.default_rng(0).normal(size=ROWS)
    predicted(divided, 1, 0).assign(x=x).drop(columns=["r", "y_pred"]).to_csv("d.csv", index=False)
    data = {"source": "file", "path": "d.csv", "target": "y_true", "id": "id"}
    config["datasets"] = {"pets": data}
    config["models"]["nb"] = NB
    assert messages(config) == ""
    config["resampling"] = {"kfold": {"folds": 3}}
    assert "the test set, repeat 1, fold 1, of pets" in messages(config)
