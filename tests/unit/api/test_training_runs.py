"""Several training runs, in memory, in files and in a YAML: every output is about all of them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import compare
from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.report.exhibits import draw
from bakeoff.spec import load_experiment
from bakeoff.spec.experiment import run_name
from bakeoff.stats import Runs, recipe_ci, recipe_difference, recipe_mean_ci
from tests.conftest import messages

N = 200
RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, N)
NUMBERS = RNG.normal(size=N)
GROUPS = np.repeat(np.arange(40), 5)


def right(accuracy):
    wrong = RNG.permutation(N)[round(accuracy * N) :]
    return np.where(np.isin(np.arange(N), wrong), 1 - TRUTH, TRUTH)


LUCKY = [right(accuracy) for accuracy in (0.9, 0.5, 0.5, 0.5, 0.5)]
EVEN = [right(0.5) for _ in range(5)]
RULE = right(0.7)
DIVERGED = [*(right(0.9) for _ in "abcd"), right(0.02)]
COSTS = {"classes": ["0", "1"], "matrix": [[0, 1], [5, 0]]}


def probabilities(skill):
    p = 1 / (1 + np.exp(-(skill * (2 * TRUTH - 1) + RNG.normal(size=N) + 0.3 * RNG.normal())))
    return np.column_stack([1 - p, p])


def numbers(sd):
    return NUMBERS + sd * RNG.normal(size=N) + 0.2 * RNG.normal()


CASES = {
    "one lucky run": (TRUTH, {"a": LUCKY, "b": EVEN}, {}),
    "one run that diverged": (TRUTH, {"a": DIVERGED, "b": EVEN}, {}),
    "a third model": (TRUTH, {"a": LUCKY, "b": EVEN, "c": [right(0.8) for _ in range(3)]}, {}),
    "groups": (TRUTH, {"a": LUCKY, "b": EVEN}, {"groups": GROUPS}),
    "against one": (TRUTH, {"a": LUCKY, "b": EVEN, "c": EVEN[:2]}, {"versus": "b"}),
    "probabilities": (
        TRUTH,
        {"a": [probabilities(s) for s in (2, 1, 0.5)], "b": [probabilities(1) for _ in range(4)]},
        {"metrics": ["log_loss", "roc_auc", "f1"]},
    ),
    "costs": (TRUTH, {"a": LUCKY, "b": EVEN}, {"costs": COSTS}),
    "regression": (
        NUMBERS,
        {"a": [numbers(s) for s in (0.1, 0.9, 0.9)], "b": [numbers(0.8) for _ in range(3)]},
        {"task": "regression", "metrics": ["rmse", "median_absolute_error"]},
    ),
    "a diverged regression": (
        NUMBERS,
        {"a": [numbers(0.5), numbers(0.5), numbers(1e8)], "b": [numbers(0.8) for _ in range(3)]},
        {"task": "regression"},
    ),
    "numbers per row": (
        None,
        {"a": [np.abs(numbers(s)) for s in (0.1, 0.9)], "b": [np.abs(numbers(1)) for _ in "abc"]},
        {"values": "lower"},
    ),
}


def shown(found):
    texts = {"verdict": found.verdict, "methods": found.methods}
    for item in found._page.items:
        if item.form == "table":
            texts[item.name] = found.to_markdown(item.name)
        else:
            drawing = draw(item, found._study)
            texts[item.name] = f"{drawing.alt} {drawing.legend} {drawing.shows}"
    return texts


@pytest.mark.parametrize("case", CASES)
def test_scores_are_means_over_runs_whose_order_changes_no_output(case):
    y, models, options = CASES[case]
    found = compare(y, models, **options)
    for turn in (1, 2):
        other = {name: [*runs[turn:], *runs[:turn]][::-1] for name, runs in models.items()}
        turned = compare(y, other, **options)
        assert shown(turned) == shown(found)
        for name in ("scores", "comparisons"):
            one, two = getattr(found, name), getattr(turned, name)
            pd.testing.assert_frame_equal(one, two, rtol=1e-9, atol=1e-12)
    options = {key: value for key, value in options.items() if key != "versus"}
    each = {f"{name}{i}": [run] * 2 for name, runs in models.items() for i, run in enumerate(runs)}
    alone = compare(y, each, **options).scores
    means = alone.groupby([alone["model"].str[0], "metric"])["value"].mean().to_dict()
    scores = found.scores.set_index(["model", "metric"])["value"]
    assert scores.to_dict() == pytest.approx(means)


def test_the_tables_of_one_lucky_run_are_those_of_the_recipe():
    found = compare(TRUTH, {"a": LUCKY, "b": EVEN})
    models, interval = found.to_markdown("models"), recipe_ci(TRUTH, LUCKY).ci
    assert f"| a | **0.580** | \\[{interval.low:.3f}, {interval.high:.3f}\\] |" in models
    constant = int(TRUTH.mean() > 0.5)
    fixed = Runs([np.full(N, constant)], deterministic=True)
    pvalues = [recipe_difference(TRUTH, runs, fixed).pvalue for runs in (LUCKY, EVEN)]
    (baseline,) = json.loads(found.to_json())["baseline"]
    assert [line["pvalue"] for line in baseline["models"]] == pytest.approx(pvalues)
    assert "No model is shown to be better than the baseline" in found.verdict
    assert "may be the best" not in "".join(shown(found).values())
    assert not {"best", "confusion_maps", "disagreement"} & {*found.tables, *found.figures}


def test_runs_that_disagree_on_neighbouring_rows_are_noted_by_their_models():
    blocks = np.repeat(RNG.integers(0, 2, N // 10), 10)
    slow = [np.where(blocks ^ (RNG.random(N) < 0.02), TRUTH, 1 - TRUTH) for _ in range(3)]
    found = compare(TRUTH, {"a": slow, "b": EVEN[:3]}).verdict
    assert "The disagreements of a and b on neighbouring test rows" in found
    halves = [slow[0], right(0.5), right(0.5)]
    found = compare(TRUTH, {"a": halves, "b": Runs([TRUTH], deterministic=True)}).verdict
    assert "on neighbouring test rows of the test set are correlated" in found
    assert "seed-" not in found


def test_a_deterministic_model_beside_runs_keeps_its_own_interval():
    found = compare(TRUTH, {"a": LUCKY, "rule": Runs([RULE], deterministic=True)})
    alone = compare(TRUTH, {"b": EVEN[0], "rule": RULE})
    tables = (each.to_markdown("models").splitlines() for each in (alone, found))
    one, other = (next(line for line in lines if "| rule |" in line) for lines in tables)
    assert one.split("|")[3:5] == other.split("|")[3:5]


def test_losses_of_runs_have_the_interval_of_their_mean():
    _, models, options = CASES["numbers per row"]
    table = compare(None, models, **options).to_markdown("models").replace("−", "-")
    for runs in models.values():
        ci = recipe_mean_ci(runs).ci
        assert f"\\[{ci.low:.2f}, {ci.high:.2f}\\]" in table


# --- in files

NAMES = np.array(["cat", "dog"])
HARD = RNG.normal(size=N)


def runs(count, skill):
    def right():
        return HARD + RNG.normal(size=N) + skill + RNG.normal() / 5 > 0

    return [np.where(right(), TRUTH, 1 - TRUTH) for _ in range(count)]


A, B = runs(4, 1.5), runs(3, 0.9)


def table(each):
    """Put the runs below one another, each in an order of its own."""
    parts = [
        pd.DataFrame({"id": range(N), "seed": s, "y_true": NAMES[TRUTH], "y_pred": NAMES[one]})
        for s, one in enumerate(each, start=1)
    ]
    return pd.concat([part.sample(frac=1, random_state=i) for i, part in enumerate(parts)])


@pytest.fixture
def files(tmp_path, in_folder):
    for name, each in (("net", A), ("vit", B)):
        table(each).to_csv(f"{name}.csv", index=False)
        for seed, one in enumerate(each, start=1):
            table([one]).drop(columns="seed").to_csv(f"{name}-{seed}.csv", index=False)
    wide = table(A[:3]).rename(columns={"y_pred": "net"})
    other = table(B).rename(columns={"y_pred": "vit"}).drop(columns="y_true")
    wide.merge(other, on=["id", "seed"]).to_csv("wide.csv", index=False)
    table(A[:1]).drop(columns="seed").to_csv("net-best.csv", index=False)  # no run of its own
    return tmp_path


def test_files_arrays_and_the_test_itself_have_the_same_numbers(files, says):
    expected = recipe_difference(NAMES[TRUTH], [NAMES[a] for a in A], [NAMES[b] for b in B])
    both = ("net", A), ("vit", B)
    means = (f"{m} {len(own)} {np.mean([one == TRUTH for one in own]):.3f}" for m, own in both)
    said = "by accuracy over training seeds and rows … are means over their training runs, with"
    says("compare net.csv vit.csv --seeds seed --output tables", " … ".join([said, *means]))
    written = pd.read_csv("tables/pairs.recipe_difference.csv")
    assert written.loc[0, "pvalue"] == pytest.approx(expected.pvalue)
    found = compare(TRUTH, {"net": A, "vit": B}).comparisons
    assert found.loc[0, "test"] == "recipe_difference"
    assert found.loc[0, "pvalue"] == pytest.approx(expected.pvalue)
    says("compare wide.csv --seeds seed", "3 training runs of each model")


def test_files_of_runs_are_read_as_a_table_of_runs_is(files, says, answered, refused):
    one = answered("compare", "net.csv", "vit.csv", "--seeds", "seed")["comparisons"]
    assert answered("compare", "net-{seed}.csv", "vit-{seed}.csv")["comparisons"] == one
    first = pd.read_csv("wide.csv").query("seed == 1").drop(columns="seed")
    for seed in (1, 10, 2):
        first.sample(frac=1, random_state=seed).to_csv(f"wide-{seed}.csv", index=False)
    says("compare wide-{seed}.csv", "3 training runs of each model")
    table(A[:1]).drop(columns="y_true").to_csv("net-7.csv", index=False)
    for names, message in (
        (["net-{seed}.csv"], "'net-7.csv' has other columns than 'net-1.csv'"),
        (["no-{seed}.csv"], "no file at 'no-{seed}.csv' with a number in place of {seed}"),
        (["wide-{seed}.csv", "--seeds", "s"], "seeds: 'vit-*.csv' is a file for each run"),
    ):
        refused("compare", "vit-{seed}.csv", *names, said=message)


def test_the_collected_predictions_of_an_experiment_hold_all_runs(files, says, answered, refused):
    said = {run_name("net", s): one for s, one in enumerate(A, start=1)}
    said |= {run_name("vit", s): one for s, one in enumerate(B, start=1)}
    columns = {"row_id": range(N), "y_true": NAMES[TRUTH]}
    columns |= {name: NAMES[one] for name, one in said.items()}
    for name, one in said.items():
        columns |= {f"{name}:cat": 0.9 - 0.8 * one, f"{name}:dog": 0.1 + 0.8 * one}
    pd.DataFrame(columns).to_parquet("collected.parquet")
    expected = answered("compare", "net.csv", "vit.csv", "--seeds", "seed")
    found = answered("compare", "collected.parquet")
    assert found["models"] == expected["models"]
    for one, other in zip(found["comparisons"], expected["comparisons"], strict=True):
        assert one.pop("result")["details"].keys() == other.pop("result")["details"].keys()
        assert one == pytest.approx(other)
    line = "compare collected.parquet --models vit,net --metric log_loss"
    says(line, "3 to 4 training runs of each model")
    refused(*line.replace("vit,", "").split(), said="has 1 column of predictions")


def test_runs_that_stand_side_by_side_as_models_are_told_of_selection(files, says, bakeoff):
    for seed in (1, 2, 3):
        Path(f"net-{seed}.csv").rename(f"net_seed{seed}.csv")
    said = "net_seed1, net_seed2 and net_seed3 look like training runs of one model"
    said += " … by about 0.8 standard deviations"  # 0.846 of three normal numbers
    says("compare net_seed1.csv net_seed2.csv net_seed3.csv vit-1.csv", said)
    assert "look like" not in " ".join(bakeoff("compare", "vit-1.csv", "vit-2.csv")[1].split())


def test_one_run_of_a_deterministic_model_is_as_good_as_several():
    fixed = {"net": A, "rule": Runs([B[0]], deterministic=True)}
    rows = compare(TRUTH, fixed).comparisons
    expected = recipe_difference(TRUTH, A, Runs([B[0]], deterministic=True))
    assert rows.loc[0, "pvalue"] == pytest.approx(expected.pvalue)
    same = compare(TRUTH, {"net": A, "rule": Runs(B[:1] * 3, deterministic=True)})
    assert same.comparisons.loc[0, "pvalue"] == pytest.approx(expected.pvalue)
    for net, rule, said in (
        (A, Runs(B, deterministic=True), "3 training runs of rule differ: it has a random part"),
        (A, B[0], "rule has one training run and others"),
        ([A[0], A[1][1:]], B, r"predictions\['net'\]\[1\]: found 199 rows"),
    ):
        with pytest.raises(UserError, match=said):
            compare(TRUTH, {"net": net, "rule": rule})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.iloc[:-2], "the training run 4 lacks 2 row(s)"),
        (lambda t: pd.concat([t, t.iloc[:1]]), "1 row(s) are there twice in a training run"),
        (lambda t: t.drop(columns="id"), "has no column of row ids"),
        (lambda t: t.drop(columns="seed"), "unknown column 'seed'"),
    ],
)
def test_runs_on_other_rows_are_refused_in_one_message(files, refused, change, message):
    change(table(A)).to_csv("net.csv", index=False)
    refused("compare", "net.csv", "vit.csv", "--seeds", "seed", said=message)


BY = {"columns": {"seeds": "seed"}}
FOUR = {"predictions": "net-{seed}.csv", "seeds": 4}
GO_BY = "several training runs go by"


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (FOUR, ""),
        (FOUR | {"seeds": 5}, "no file at 'net-5.csv'"),
        ({"predictions": "net.csv", **BY, "seeds": 5}, "4 training runs in 'seed', `seeds` says 5"),
        (FOUR | {"deterministic": True}, "makes all `seeds` the same"),
        ({"predictions": "net.csv", "seeds": 4}, GO_BY),
        ({"predictions": "net.csv", "columns": {"seeds": "s"}}, GO_BY),
    ],
)
def test_an_experiment_of_given_runs(files, net, message):
    models = {"net": net, "vit": {"predictions": "vit.csv", **BY, "seeds": 3}}
    config = {"experiment": "g", "models": models, "metrics": ["accuracy"]}
    assert message in messages(config)
    if not message:
        problems, plan = check_experiment(load_experiment(config))
        assert (problems, plan[0].name) == ([], "recipe_difference")


def test_a_gate_over_training_runs(files, bakeoff, answered, refused):
    expected = recipe_difference(TRUTH, A, B, alternative="greater", confidence_level=0.95).ci.low
    asked = ["gate", "vit.csv", "net.csv", "--seeds", "seed", "--margin"]
    found = answered(*asked, "0.3")
    assert (found["decision"], found["overall"]["low"]) == ("ship", pytest.approx(expected))
    assert "200 rows and 3 and 4 training runs" in " ".join(bakeoff(*asked, "0.01")[1].split())
    asked = ["gate", "net-1.csv", "net.csv", "--seeds", "seed", "--margin", "0.1"]
    refused(*asked, said="unknown column 'seed'", code=3)
