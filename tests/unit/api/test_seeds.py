"""Scores of training runs without predictions: Welch's t over seeds, on one data set or several."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bakeoff

RNG = np.random.default_rng(8)
ONE = pd.DataFrame(
    {
        "model": np.repeat(["resnet", "vit"], 10),
        "seed": np.tile(np.arange(10), 2),
        "score": np.concatenate([RNG.normal(0.80, 0.01, 10), RNG.normal(0.811, 0.01, 10)]),
    }
)
SIX = pd.DataFrame(
    [
        (f"env{task}", model, seed, RNG.normal(0.3 * (model == "A") + task / 10, 0.3))
        for task in range(6)
        for model in "AB"
        for seed in range(5)
    ],
    columns=["env", "model", "seed", "score"],
)


def by_seeds(table, **options):
    return bakeoff.compare_datasets(table, seeds="seed", values="higher", **options)


def test_one_data_set_is_welchs_t():
    found = by_seeds(ONE)
    a, b = (ONE.loc[ONE["model"] == model, "score"] for model in ("resnet", "vit"))
    row = found.comparisons.iloc[0]
    assert row["pvalue"] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert "new seeds on this data set, not about other data sets" in found.verdict


def test_the_order_of_rows_and_unequal_numbers_of_runs_do_not_matter():
    shuffled = by_seeds(ONE.sample(frac=1, random_state=1))
    usual = by_seeds(ONE).comparisons["pvalue"][0]
    assert shuffled.comparisons["pvalue"][0] == pytest.approx(usual)
    fewer = ONE.drop(index=[3, 4])
    a, b = (fewer.loc[fewer["model"] == model, "score"] for model in ("resnet", "vit"))
    row = by_seeds(fewer).comparisons.iloc[0]
    assert row["pvalue"] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def test_pairs_are_asked_for():
    wide = ONE.pivot(index="seed", columns="model", values="score")
    paired = by_seeds(ONE, paired=True).comparisons["pvalue"][0]
    assert paired == pytest.approx(stats.ttest_rel(wide["resnet"], wide["vit"]).pvalue)
    alike = ONE.assign(score=np.tile(np.linspace(0.7, 0.9, 10), 2) + ONE["score"] / 100)
    assert "Runs with the same seed go together" in by_seeds(alike).verdict


def test_several_data_sets_have_the_mean_over_them_and_what_papers_publish():
    found = by_seeds(SIX, datasets="env")
    means = SIX.groupby(["env", "model"])["score"].mean().unstack()
    assert found.comparisons["estimate"][0] == pytest.approx((means["A"] - means["B"]).mean())
    assert "interquartile mean of A is" in found.verdict
    assert "A run of A beats one of B on the same data set with probability" in found.verdict


@pytest.mark.parametrize(
    ("table", "options", "told"),
    [
        (ONE[ONE["seed"] < 2], {}, "seeds: found 2 runs of resnet .* 3 of each model"),
        (ONE.drop(columns="seed"), {}, "seeds: unknown column 'seed'"),
        (SIX.drop(index=range(5)), {"datasets": "env"}, "no run of A on env0"),
        (ONE, {"runs": "seed"}, "runs: is for data sets that are a sample"),
    ],
)
def test_what_cannot_be_compared_is_refused(table, options, told):
    with pytest.raises(bakeoff.UserError, match=told):
        by_seeds(table, **options)


def test_seeds_are_no_data_sets_and_the_refusal_says_what_to_write():
    with pytest.raises(bakeoff.UserError, match='by `seeds="seed"` in place of datasets'):
        bakeoff.compare_datasets(ONE, datasets="seed", values="higher")


def test_the_command_line_says_the_same(tmp_path, answered):
    ONE.to_csv(tmp_path / "runs.csv", index=False)
    told = answered("compare", str(tmp_path / "runs.csv"), "--seeds", "seed", "--values", "higher")
    expected = by_seeds(ONE).comparisons["pvalue"][0]
    assert told["comparisons"][0]["pvalue"] == pytest.approx(expected)
