"""Tables that are kept elsewhere: a probability for each model, features left in, solutions."""

import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(1)
N = 300
SICK = RNG.integers(0, 2, N)
A = np.clip(0.35 * SICK + RNG.uniform(0, 0.65, N), 0, 1)
B = np.clip(0.2 * SICK + RNG.uniform(0, 0.8, N), 0, 1)
IDS = RNG.permutation(N) + 1000
NAMES = {"words": ("healthy", "sick"), "numbers": (0, 1), "unclear": ("dog", "cat")}


@pytest.fixture
def files(in_folder):
    for name, (no, yes) in NAMES.items():
        truth = np.where(SICK == 1, yes, no)
        pd.DataFrame({"label": truth, "a": A, "b": B}).to_csv(f"{name}.csv", index=False)
    hard = {"svm": np.where(A > 0.5, "sick", "healthy"), "rf": np.where(B > 0.5, "sick", "healthy")}
    words = np.where(SICK == 1, "sick", "healthy")
    left_in = {"age": RNG.integers(20, 80, N), "site": RNG.choice(["x", "z"], N)}
    pd.DataFrame({"label": words, **hard, **left_in}).to_csv("features.csv", index=False)
    usage = RNG.choice(["Public", "Private"], N)
    solution = pd.DataFrame({"id": IDS, "Outcome": SICK, "Usage": usage})
    solution.to_csv("solution.csv", index=False)
    for name, p in (("first", A), ("second", B)):
        own = pd.DataFrame({"id": IDS, "Outcome": (p > 0.5).astype(int)}).sample(frac=1)
        own.to_csv(f"{name}.csv", index=False)
        own.assign(Outcome=pd.Series(p)).to_csv(f"p_{name}.csv", index=False)
    own.head(200).to_csv("short.csv", index=False)
    loss = {"id": IDS, "a": RNG.normal(size=N), "b": RNG.normal(0.2, 1, N)}
    pd.DataFrame(loss).to_csv("loss.csv", index=False)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("words.csv --metric roc_auc", 0, "a is better than b by ROC AUC"),
        ("words.csv --metric roc_auc --metric f1", 0, "(F1 for class sick)"),
        ("numbers.csv --metric roc_auc", 0, "a is better than b by ROC AUC"),
        ("unclear.csv --metric roc_auc", 2, "positive: of which class are the probabilities in"),
        ("unclear.csv --metric roc_auc --positive cat", 0, "a is better than b by ROC AUC"),
        ("unclear.csv --metric roc_auc --positive dog", 0, "whether the classes are exchanged"),
        ("unclear.csv --metric roc_auc --positive cow", 2, "positive: unknown class 'cow'"),
        ("features.csv", 2, "models: 'features.csv': `age` and `site` are no models?"),
        ("features.csv", 2, "`models: svm,rf` chooses the columns"),
        ("features.csv --models svm,rf", 0, "svm is better than rf by accuracy"),
        ("first.csv second.csv --truth solution.csv", 0, "first is better than second"),
        ("p_first.csv p_second.csv --truth solution.csv --metric roc_auc", 0, "ROC AUC of p_first"),
        ("first.csv short.csv --truth solution.csv", 2, "'solution.csv' have other rows"),
        ("first.csv second.csv --truth loss.csv", 2, "truth: 'loss.csv': expected a column of"),
    ],
)
def test_compare_takes_the_files_that_people_have(bakeoff, files, options, code, said):
    found, out, err = bakeoff("compare", *options.split())
    assert found == code, err
    assert said in " ".join((out or err).split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("loss.csv --models a,b --values lower --difference 0.2", "0.2 in value"),
        ("numbers.csv --models a,b --metric roc_auc --difference 0.05", "0.05 in roc_auc"),
        ("first.csv second.csv --truth solution.csv --difference 0.1", "0.1 in accuracy"),
    ],
)
def test_plan_takes_pilots_of_values_and_of_probabilities(bakeoff, files, options, said):
    code, out, err = bakeoff("plan", *options.split())
    assert code == 0, err
    assert said in " ".join(out.split())


def test_plan_by_values_needs_as_many_rows_as_their_noise_says(bakeoff, files):
    values = pd.read_csv("loss.csv")
    sd = (values["a"] - values["b"]).std()
    line = "plan loss.csv --models a,b --values lower --difference 0.2"
    code, out, _ = bakeoff(*line.split())
    rows = int(out.split()[0].replace(",", ""))
    assert code == 0
    assert rows == pytest.approx((1.96 + 0.84) ** 2 * sd**2 / 0.2**2, rel=0.15)


@pytest.mark.parametrize("files_", ["p_first.csv p_second.csv", "first.csv second.csv"])
def test_gate_takes_a_solution_beside_submissions(bakeoff, files, files_):
    keys = ["--truth", "solution.csv", "--margin", "0.3"]
    metric = ["--metric", "roc_auc"] if files_.startswith("p_") else []
    code, out, err = bakeoff("gate", *files_.split(), *keys, *metric)
    assert (code, err) == (0, "")
    assert "300 rows" in " ".join(out.split())
