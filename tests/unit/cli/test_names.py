"""Labels that differ in spelling alone, several columns of a model, and long tables."""

import numpy as np
import pandas as pd
import pytest

import bakeoff as package
from bakeoff.errors import UserError
from bakeoff.keys import alike_classes, spelled
from bakeoff.spec.load import load_experiment

N = 200
RNG = np.random.default_rng(2)
TRUTH = RNG.choice(["yes", "no"], N)
BAYES = {"estimator": "sklearn.naive_bayes.GaussianNB"}


def predicted(skill):
    """Return labels and the probabilities of yes."""
    z = skill * (np.where(TRUTH == "yes", 2, 0) - 1) + RNG.normal(size=N)
    probability = (1 / (1 + np.exp(-z))).round(3)
    return np.where(probability > 0.5, "yes", "no"), probability


A, P_A = predicted(1.2)
B, P_B = predicted(0.8)
SHOUTED = np.where(np.arange(N) % 5 == 0, np.char.upper(TRUTH), TRUTH)
CHANGED = {
    "capitals": SHOUTED,
    "blanks": np.where(np.arange(N) % 5 == 0, np.char.add(TRUTH, " "), TRUTH),
    "invisible": np.where(np.arange(N) % 5 == 0, np.char.add(TRUTH, "\u200b"), TRUTH),
    "wide": np.where((np.arange(N) % 5 == 0) & (TRUTH == "no"), "ｎｏ", TRUTH),
    "short": np.where((np.arange(N) % 5 == 0) & (TRUTH == "yes"), "y", TRUTH),
}
TABLES = {
    "truth": {"y_true": SHOUTED, "A": A, "B": B},
    "model": {"y_true": TRUTH, "A": A, "B": np.char.capitalize(B)},
    "endings": {"y_true": TRUTH, "A_pred": A, "A_prob": P_A, "B_pred": B, "B_prob": P_B},
    "beginnings": {"y_true": TRUTH, "pred_A": A, "prob_A": P_A, "pred_B": B, "prob_B": P_B},
    "bare": {"y_true": TRUTH, "A": A, "A score": P_A, "B": B, "B score": P_B},
    "family": {"y_true": TRUTH, "A_pred": A, "A_p_yes": P_A, "A_p_no": 1 - P_A, "B_pred": B}
    | {"B_proba_no": 1 - P_B, "B_proba_yes": P_B},
    "hats": {"y_true": TRUTH, "A_hat": A, "A_confidence": P_A, "B_hat": B, "B_confidence": P_B},
    "unknown": {"y_true": TRUTH, "A out": A, "A risk": P_A, "B out": B, "B risk": P_B},
    "of the label": {"y_true": TRUTH, "A_pred": A, "A_conf": np.maximum(P_A, 1 - P_A)}
    | {"B_pred": B, "B_conf": np.maximum(P_B, 1 - P_B)},
    "of one": {"y_true": TRUTH, "y_pred": A, "y_prob": P_A},
    "twice": {"y_true": TRUTH, "A_pred": A, "A_label": A, "A_prob": P_A, "B_pred": B},
    "no probability": {"y_true": TRUTH, "A_pred": A, "A_score": 9 * P_A, "B_pred": B},
}


@pytest.fixture
def files(in_folder):
    for name, columns in TABLES.items():
        pd.DataFrame({"id": range(N)} | columns).to_csv(f"{name}.csv", index=False)
    wide = {"id": range(N), "y_true": TRUTH}
    plain = pd.DataFrame(wide | {"A": A, "A:yes": P_A, "B": B, "B:yes": P_B})
    plain.to_csv("plain.csv", index=False)
    pd.DataFrame(wide | {"y_pred": A}).to_csv("A.csv", index=False)
    pd.DataFrame(wide | {"y_true": SHOUTED, "y_pred": B}).to_csv("B.csv", index=False)
    pd.DataFrame(wide | {"A": A, "a ": B}).to_parquet("same.parquet")
    parts = [
        pd.DataFrame(wide | {"model": m, "y_pred": said, "p_yes": p, "score": p})
        for m, said, p in (("A", A, P_A), ("B", B, P_B))
    ]
    long = pd.concat(parts).sample(frac=1, random_state=1)
    long.drop(columns="score").to_csv("long.csv", index=False)
    long[["id", "model", "score"]].to_csv("values.csv", index=False)
    long[(long["model"] == "A") | (long["id"] > 4)].to_csv("partial.csv", index=False)
    pd.concat([long, long[long["id"] < 2]]).to_csv("repeated.csv", index=False)
    long.drop(columns="id").to_csv("without.csv", index=False)
    own = parts[0].assign(y_pred=np.where(A == "yes", "A", "B"), model=B, y_true=TRUTH)
    own.drop(columns=["p_yes", "score"]).to_csv("called.csv", index=False)


def test_spellings_are_grouped_and_told_apart():
    names = ["e\u0301", "\xe9", "x", "New York", "new  york", "New\xa0York", "y", "YES", "no"]
    groups = alike_classes(names)
    assert groups == [names[:2], names[3:6], names[6:8]]
    assert spelled(groups[0]) == ["'e\u0301' (U+0301)", "'\xe9' (U+00E9)"]
    assert spelled(groups[1])[2] == r"'New\xa0York' (U+00A0)"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compare truth.csv", "truth: … and 'yes' ({yes} rows) … --set classes=a,A"),
        ("gate truth.csv --models A,B --margin .1", "truth: … 'NO' … and 'no'"),
        ("compare model.csv", "column 'B', spells classes in another way … 'Yes' for 'yes'"),
        ("gate model.csv --models A,B --margin .1", "'No' for 'no', 'Yes' for 'yes'"),
        ("compare A.csv B.csv", "have another true label … but for its spelling the same"),
        ("compare same.parquet", "found the names 'A' and 'a '"),
    ],
)
def test_labels_and_names_that_differ_in_spelling_alone_are_refused(files, refused, line, said):
    yes = int((SHOUTED == "yes").sum())
    code = 3 if line.startswith("gate") else 2
    refused(*line.split(), said=said.replace("{yes}", str(yes)), code=code)


def test_classes_that_are_named_may_differ_in_spelling_alone(files, answered):
    found = answered("compare", "truth.csv", "--set", "classes=yes,YES,no,NO")
    assert found["models"][0]["accuracy"] == pytest.approx((A == SHOUTED).mean())


@pytest.mark.parametrize("truth", CHANGED.values(), ids=CHANGED)
def test_python_refuses_labels_that_differ_in_spelling_alone(truth):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X = np.column_stack([P_A, P_B])
    with pytest.raises(UserError, match="y: it may hold one class in several spellings: '"):
        package.compare_estimators([GaussianNB(), DecisionTreeClassifier()], X, truth)
    with pytest.raises(UserError, match=r"y: it may hold .* `classes=\[…\]`"):
        package.compare(truth, {"A": A, "B": B})
    named = package.compare(truth, {"A": A, "B": B}, classes=sorted(set(truth)))
    assert named.scores["value"].tolist() == pytest.approx([(s == truth).mean() for s in (A, B)])
    with pytest.raises(UserError, match="spells classes in another way than the true labels"):
        package.gate(TRUTH, A, truth, margin=0.1)


def test_experiments_refuse_labels_that_differ_in_spelling_alone(files, refused):
    pd.DataFrame({"x": P_A, "z": P_B, "t": SHOUTED}).to_csv("table.csv", index=False)
    advice = "table.target: 't' … 'NO' … and 'no' … `merge: {'NO': ['NO', 'no'], … list all classes"
    refused("init", "table.csv", "--target", "t", said="target: 't' … `merge: {'NO': … `classes:`")
    config = "experiment: x\nmodels: {a: {estimator: sklearn.naive_bayes.GaussianNB}}\ndatasets:\n"
    config += "  table: {source: file, path: table.csv, target: t}\n"
    with open("x.yaml", "w") as file:  # noqa: PTH123
        file.write(config)
    refused("check", "x.yaml", said=advice)


def test_subgroups_that_differ_in_spelling_alone_are_refused():
    sex = np.resize(["m", "M ", "f"], N)
    for call in (package.compare, lambda *a, **k: package.gate(a[0], A, B, margin=0.1, **k)):
        with pytest.raises(UserError, match=r"'M ' \(67 rows\) and 'm' \(67 rows\)"):
            call(TRUTH, {"A": A, "B": B}, subgroups={"sex": sex})


def test_subgroups_may_be_called_like_our_columns():
    parts = {"id": np.arange(N) % 2, "y_pred": np.arange(N) % 3, "label": TRUTH, "p_yes": TRUTH}
    found = package.compare(TRUTH, {"A": A, "B": B}, subgroups={**parts, "target": TRUTH})
    plain = {f"s{i}": one for i, one in enumerate([*parts.values(), TRUTH])}
    expected = package.compare(TRUTH, {"A": A, "B": B}, subgroups=plain).subgroups
    pd.testing.assert_frame_equal(
        found.subgroups.drop(columns="column"), expected.drop(columns="column")
    )


@pytest.mark.parametrize(
    ("section", "entries", "said"),
    [
        ("models", {"a": {"label": "X"}, "b": {"label": "X"}}, "two are called 'X'"),
        ("models", {"a": {"label": "X"}, "b": {"label": "x "}}, "found the names 'X' and 'x '"),
        ("models", {"a": {"label": "\xe9"}, "b": {"label": "e\u0301"}}, r"\(U\+00E9\).*U\+0301"),
        ("models", {"a": {}, "b": {"label": "A"}}, "'A' is the label of 'b', and 'a' an id"),
        ("datasets", {"a": {"label": "X"}, "b": {"label": "x"}}, "datasets: found the names"),
    ],
)
def test_labels_of_models_and_data_sets_are_unique(section, entries, said):
    of_section = {"models": BAYES, "datasets": {"source": "sklearn", "name": "iris"}}
    config = {"experiment": "x", "datasets": {"d": of_section["datasets"]}, "models": {"m": BAYES}}
    config[section] = {key: of_section[section] | entry for key, entry in entries.items()}
    with pytest.raises(UserError, match=said):
        load_experiment(config)


def test_names_in_tables_of_scores_are_unique():
    scores = {f"d{i}": i / 10 for i in range(7)}
    with pytest.raises(UserError, match="models: found the names 'X' and 'x'"):
        package.compare_datasets({"X": scores, "x": scores}, values="higher")
    long = pd.DataFrame({"model": ["A", "B"] * 7, "data": [f"d{i // 2}" for i in range(14)]})
    long["value"] = RNG.random(14)
    long.loc[3, "model"] = "b "
    with pytest.raises(UserError, match="models: column 'model': found the names 'B' and 'b '"):
        package.compare_datasets(long, datasets="data", values="higher")


@pytest.mark.parametrize("name", ["endings", "beginnings", "bare", "family", "hats", "long"])
@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_columns_of_one_model_are_joined_and_long_tables_cut(files, answered, name, metric):
    found = answered("compare", f"{name}.csv", "--metric", metric)
    plain = answered("compare", "plain.csv", "--metric", metric)
    for part, keys in (("comparisons", ["estimate", "pvalue"]), ("models", [metric])):
        for mine, other in zip(found[part], plain[part], strict=True):
            assert [mine[key] for key in keys] == pytest.approx([other[key] for key in keys])
    said = found["verdict"]["sentences"][-1]
    assert ("has a row for each model and id" if name == "long" else " of A; ") in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compare of_one.csv", "1 column of predictions beside the true labels"),
        ("compare twice.csv", "models: … `A_pred` and `A_label` may say the same of one model"),
        ("compare no_probability.csv", "models: … 'A_score' has numbers outside 0 to 1"),
        ("compare unknown.csv", "models: … a threshold of 'A risk' gives 'A out' in every row"),
        ("compare of_the_label.csv", "models: … 'A_conf' is never below 0.5 … predicted label?"),
        ("compare partial.csv", "'partial.csv: B' has 195 rows, … missing (5)"),
        ("compare repeated.csv", "ids must be unique; repeated (2)"),
        ("compare without.csv", "no column of row ids … never by their order"),
    ],
)
def test_what_leaves_a_doubt_about_models_is_refused(files, refused, line, said):
    command, file = line.split(maxsplit=1)
    refused(command, file.replace("_", " "), said=said)


def test_columns_that_are_named_as_models_stand_alone(files, answered):
    found = answered("compare", "endings.csv", "--models", "A_pred,B_pred")
    assert [one["model"] for one in found["models"]] == ["A_pred", "B_pred"]


def test_labels_and_probabilities_of_different_models_are_compared(files, answered):
    table = pd.DataFrame({"id": range(N), "y_true": TRUTH, "rule": A, "risk": P_B})
    table.to_csv("mixed.csv", index=False)
    found = answered("compare", "mixed.csv", "--positive", "yes")
    assert {one["model"] for one in found["models"]} == {"rule", "risk"}
    said = answered("compare", "unknown.csv", "--models", "A out,B risk", "--positive", "yes")
    assert len(said["models"]) == 2


def test_a_model_may_be_called_model(files, answered):
    found = answered("compare", "called.csv", "--models", "model,y_pred", "--set", "classes=A,B")
    assert found["models"][0]["accuracy"] == pytest.approx((B == TRUTH).mean())


def test_gate_and_experiments_read_long_tables(files, bakeoff, answered):
    code, out, _ = bakeoff("gate", "long.csv", "--models", "A,B", "--margin", "0.2")
    assert "long.csv has a row for each model and id" in out
    assert code == bakeoff("gate", "plain.csv", "--models", "A,B", "--margin", "0.2")[0]
    values = answered("compare", "values.csv", "--values", "higher")
    assert values["models"][0]["value"] == pytest.approx(P_A.mean())
    with open("long.yaml", "w") as file:  # noqa: PTH123
        file.write(
            "experiment: long\nmodels:\n  A: {predictions: long.csv}\n"
            "  other: {predictions: long.csv, model: B}\n"
        )
    assert "ready to run" in bakeoff("check", "long.yaml")[1]


def test_labels_and_probabilities_of_one_model_are_no_two_models_in_python():
    table = pd.DataFrame({"A_pred": A, "A_prob": P_A, "B_pred": B, "B_prob": P_B})
    with pytest.raises(UserError, match="'A_pred' and 'A_prob' look like the labels and prob"):
        package.compare(TRUTH, table)
