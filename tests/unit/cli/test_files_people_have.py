"""Files that people have: probabilities, features left in, solutions, logs of several tasks."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.data.given_tables import tables_of
from tests.logs import drawn, inspect, lm_eval, promptfoo

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
    own.assign(y_true=SICK, y_pred=SICK).to_csv("both.csv", index=False)
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
        ("features.csv", 2, "`--models svm,rf` chooses the columns"),
        ("features.csv --models svm,rf", 0, "svm is better than rf by accuracy"),
        ("first.csv second.csv --truth solution.csv", 0, "first is better than second"),
        ("p_first.csv p_second.csv --truth solution.csv --metric roc_auc", 0, "ROC AUC of p_first"),
        ("first.csv short.csv --truth solution.csv", 2, "'solution.csv' have other rows"),
        ("first.csv second.csv --truth loss.csv", 2, "truth: 'loss.csv': expected a column of"),
        ("first.csv both.csv --truth solution.csv", 2, "'both.csv' has true labels of its own"),
        ("plan loss.csv --models a,b --values lower --difference 0.2", 0, "0.2 in value"),
        ("plan numbers.csv --models a,b --metric roc_auc --difference 0.05", 0, "0.05 in roc_auc"),
        ("plan first.csv second.csv --truth solution.csv --difference 0.1", 0, "0.1 in accuracy"),
        (
            "gate p_first.csv p_second.csv --metric roc_auc --truth solution.csv --margin 0.3",
            0,
            "300 rows",
        ),
        ("gate first.csv second.csv --truth solution.csv --margin 0.3", 0, "300 rows"),
    ],
)
def test_commands_take_the_files_that_people_have(says, files, options, code, said):
    says(options if options.startswith(("plan", "gate")) else f"compare {options}", said, code)


def test_plan_by_values_needs_as_many_rows_as_their_noise_says(bakeoff, files):
    values = pd.read_csv("loss.csv")
    sd = (values["a"] - values["b"]).std()
    line = "plan loss.csv --models a,b --values lower --difference 0.2"
    code, out, _ = bakeoff(*line.split())
    rows = int(out.split()[0].replace(",", ""))
    assert code == 0
    assert rows == pytest.approx((1.96 + 0.84) ** 2 * sd**2 / 0.2**2, rel=0.15)


# --- logs of several tasks, items that a model lacks, and what logs know of samples


@pytest.fixture
def folder(in_folder):
    big = drawn(2000, 0.6, 1)
    small = list(range(5000, 5060))
    worse = [ok if i % 10 else 0 for i, ok in enumerate(big)]
    for model, first, second in (("A", big, drawn(60, 0.3, 3)), ("B", worse, drawn(60, 0.72, 4))):
        lm_eval(model, "big", first, out="two")
        lm_eval(model, "small", second, questions=small, out="two")
    for model, seed in (("A", 1), ("B", 2)):
        for task, keys, start in (("arc", ("acc", "norm"), 0), ("gsm", ("match",), 1000)):
            asked = list(range(start, start + 100))
            path = Path(lm_eval(model, task, drawn(100, 0.6, seed), questions=asked, out="mixed"))
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            for i, row in enumerate(rows):
                row |= {
                    key: float((i + k) % 3 > 0) if k else row["acc"] for k, key in enumerate(keys)
                }
                row |= {"metrics": list(keys)}
                row["doc"] |= {"subject": ["math", "bio"][i % 2], "label": i % 4}
            path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    inspect("limit/a.json", "a", drawn(200, 0.6, 1))
    inspect("limit/b.json", "b", drawn(150, 0.5, 2))
    inspect("error/a.json", "a", drawn(200, 0.6, 1))
    inspect("error/b.json", "b", drawn(180, 0.5, 2), status="error")
    score = np.array(drawn(100, 0.5, 5), dtype=float)
    pd.DataFrame({"id": range(100), "score": score}).to_csv("all.csv", index=False)
    pd.DataFrame({"id": range(5, 100), "score": 1 - score[5:]}).to_csv("short.csv", index=False)
    holes = np.where(np.arange(100) < 7, np.nan, 1 - score)
    pd.DataFrame({"id": range(100), "score": holes}).to_csv("holes.csv", index=False)
    wide = {"id": range(100), "a": score, "b": holes}
    pd.DataFrame(wide).to_csv("wide.csv", index=False)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            "two",
            0,
            "B is better than A by accuracy … the mean over 2 tasks of 2,060 rows … By items A is "
            "ahead by 5.4 percentage points … task big has 2,000 of 2,060 items",
        ),
        ("two --tasks small", 0, "B is better than A by accuracy"),
        ("two --tasks big,small", 0, "the mean over 2 tasks of 2,060 rows"),
        ("two --tasks tiny", 2, "tasks: unknown task 'tiny' (allowed: big, small)"),
        ("all.csv short.csv --tasks big", 2, "tasks: is for a folder of logs"),
        ("mixed", 2, "arc has the metrics `acc` and `norm` … like `--tasks arc=acc,gsm=match`"),
        ("mixed --tasks arc=norm,gsm=score", 0, "the mean over 2 tasks of 200 rows"),
        ("mixed --tasks arc=acc,gsm=score --subgroups subject", 0, "differs?"),
        ("mixed --tasks arc=norm,gsm=match", 0, "the mean over 2 tasks of 200 rows"),
        (
            "mixed --tasks arc=other,gsm=score",
            2,
            "tasks: arc: unknown metric 'other' (allowed: acc, norm)",
        ),
        ("mixed --tasks gsm --groups subject", 0, "100 held-out rows"),
        ("limit", 2, "ids that are missing (50)"),
        ("limit --missing wrong", 0, "counted as wrong: 50 of b (of 200) … of 200 b"),
        ("limit --missing common", 0, "150 of 200 items are compared"),
        ("error", 2, "the evaluation did not finish"),
        ("error --missing wrong", 0, "counted as wrong: 20 of b (of 200)"),
        ("all.csv short.csv --missing wrong", 0, "counted as wrong: 5 of short (of 100)"),
        ("all.csv short.csv --missing common", 0, "95 of 100 items are compared"),
        ("all.csv holes.csv", 2, "7 of 100 rows have no number"),
        ("all.csv holes.csv --missing common", 0, "93 of 100 items are compared"),
        ("wide.csv --missing wrong", 0, "counted as wrong: 7 of b (of 100)"),
        ("all.csv short.csv --missing failed", 2, "unknown value 'failed' (allowed: common, wrong"),
    ],
)
def test_tasks_are_chosen_and_missing_items_are_counted(says, folder, options, code, said):
    says(f"compare --values right {options}", said, code)


def test_no_number_is_wrong(says, folder):
    line = "compare all.csv short.csv --values higher --missing wrong"
    says(line, "wrong: which number is wrong?", 2)


def test_what_is_missing_is_wrong_with_the_same_numbers_as_written_out(says, answered, folder):
    pd.read_csv("holes.csv").fillna(0.0).to_csv("filled.csv", index=False)
    one, other = (
        answered("compare", "all.csv", *files, "--values", "right")["comparisons"][0]
        for files in (("holes.csv", "--missing", "wrong"), ("filled.csv",))
    )
    assert (one["pvalue"], one["estimate"]) == (other["pvalue"], other["estimate"])
    gate = "gate limit --models a,b --margin 0.01 --values right"
    says(gate, "ids that are missing", 3)
    says(f"{gate} --missing wrong", "on 200 rows", 1)


def test_logs_bring_what_they_know_of_samples(folder, tmp_path):
    inspect("meta/a.json", "a", drawn(40, 0.6, 1))
    log = json.loads(Path("meta/a.json").read_text())
    for i, sample in enumerate(log["samples"]):
        sample["metadata"] = {"lang": ["de", "fr"][i % 2], "level": i % 3, "score": 1, "deep": {}}
    Path("meta/a.json").write_text(json.dumps(log))
    Path("meta/b.json").write_text(json.dumps({**log, "eval": {**log["eval"], "model": "b"}}))
    promptfoo("p.json", {"m": drawn(20, 0.5, 1), "n": drawn(20, 0.5, 2)})
    (inspected, *_) = tables_of(["meta"]).models.values()
    assert {"lang", "level", "metadata.score"} <= set(inspected.names)
    assert "deep" not in inspected.names
    (tested, *_) = tables_of(["p.json"]).models.values()
    assert set(tested.names) - {"id", "success", "score"}
