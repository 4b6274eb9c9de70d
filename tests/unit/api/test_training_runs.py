"""Several training runs: every output is about all of them, and in no order."""

import json

import numpy as np
import pandas as pd
import pytest

from bakeoff import compare
from bakeoff.report.exhibits import draw
from bakeoff.stats import Runs, recipe_ci, recipe_difference, recipe_mean_ci

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


def probabilities(skill):
    p = 1 / (1 + np.exp(-(skill * (2 * TRUTH - 1) + RNG.normal(size=N) + 0.3 * RNG.normal())))
    return np.column_stack([1 - p, p])


def numbers(sd):
    return NUMBERS + sd * RNG.normal(size=N) + 0.2 * RNG.normal()


CASES = {
    "one lucky run": (TRUTH, {"a": LUCKY, "b": EVEN}, {}),
    "one run that diverged": (
        TRUTH,
        {"a": [*(right(0.9) for _ in range(4)), right(0.02)], "b": EVEN},
        {},
    ),
    "a third model": (TRUTH, {"a": LUCKY, "b": EVEN, "c": [right(0.8) for _ in range(3)]}, {}),
    "groups": (TRUTH, {"a": LUCKY, "b": EVEN}, {"groups": GROUPS}),
    "against one": (TRUTH, {"a": LUCKY, "b": EVEN, "c": EVEN[:2]}, {"versus": "b"}),
    "probabilities": (
        TRUTH,
        {"a": [probabilities(s) for s in (2, 1, 0.5)], "b": [probabilities(1) for _ in range(4)]},
        {"metrics": ["log_loss", "roc_auc", "f1"]},
    ),
    "costs": (
        TRUTH,
        {"a": LUCKY, "b": EVEN},
        {"costs": {"classes": ["0", "1"], "matrix": [[0, 1], [5, 0]]}},
    ),
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
    assert "the disagreements of a and b on neighbouring test rows" in found
    halves = [slow[0], right(0.5), right(0.5)]
    found = compare(TRUTH, {"a": halves, "b": Runs([TRUTH], deterministic=True)}).verdict
    assert "on neighbouring test rows of the test set are correlated" in found
    assert "seed-" not in found


def test_a_deterministic_model_beside_runs_keeps_its_own_interval():
    found = compare(TRUTH, {"a": LUCKY, "rule": Runs([RULE], deterministic=True)})
    alone = compare(TRUTH, {"b": EVEN[0], "rule": RULE})
    one, other = (
        next(line for line in each.to_markdown("models").splitlines() if "| rule |" in line)
        for each in (alone, found)
    )
    assert one.split("|")[3:5] == other.split("|")[3:5]


def test_losses_of_runs_have_the_interval_of_their_mean():
    _, models, options = CASES["numbers per row"]
    table = compare(None, models, **options).to_markdown("models").replace("−", "-")
    for runs in models.values():
        ci = recipe_mean_ci(runs).ci
        assert f"\\[{ci.low:.2f}, {ci.high:.2f}\\]" in table
