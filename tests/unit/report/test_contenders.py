"""Which models may be the best on one test set."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.may_be_best import DRAWS, contenders
from bakeoff.spec import Costs
from bakeoff.stats import all_pairs


def rows(metric, n=300):
    """Return predictions of a good model, its near copy and a poor one."""
    rng = np.random.default_rng(0)
    truth = (rng.random(n) < 0.4).astype(int)
    good = truth * 2.4 + rng.normal(size=n)
    scores = np.stack([rng.normal(size=n), good, good + 0.1 * rng.normal(size=n)], axis=1)
    positive = 1 / (1 + np.exp(1.2 - scores))
    return PairedPredictions(
        ("poor", "good", "copy"),
        ("no", "yes"),
        truth,
        (scores > 1.2).astype(int),
        scores,
        probabilities=np.stack([1 - positive, positive], axis=2),
        metric=metric,
    )


@pytest.mark.parametrize("metric", ["accuracy", "f1", "roc_auc", "log_loss", "mcc"])
def test_poor_model_goes_and_near_copies_stay(metric):
    found = contenders(rows(metric), None, 0.05, 1)
    by_name = {line.model: line for line in found.models}
    assert not by_name["poor"].stays
    assert by_name["good"].stays
    assert by_name["copy"].stays
    assert by_name["good"].tier == by_name["copy"].tier == "a"
    assert by_name["poor"].tier == "b"
    assert found.models[-1].model == "poor"


def test_one_model_is_no_contest():
    assert contenders(rows("f1").only([1]), None, 0.05, 1) is None
    assert contenders(dataclasses.replace(rows("f1"), metric="crps"), None, 0.05, 1) is None


def test_costs_are_in_the_order_of_their_classes():
    costs = Costs.model_validate({"classes": ["yes", "no"], "matrix": [[0, 9], [1, 0]]})
    found = contenders(rows("cost"), costs, 0.05, 1)
    data = rows("cost")
    missed = (data.truth == 1) & (data.predicted[:, 1] == 0)
    alarms = (data.truth == 0) & (data.predicted[:, 1] == 1)
    value = next(line.value for line in found.models if line.model == "good")
    assert value == pytest.approx((9 * missed + alarms).mean())


def test_groups_make_the_intervals_wider():
    alone, groups = rows("f1"), np.repeat(np.arange(30), 10)
    order = np.lexsort((alone.predicted[:, 0], alone.truth))  # rows of a group are alike
    alike = dataclasses.replace(
        alone,
        truth=alone.truth[order],
        predicted=alone.predicted[order],
        scores=alone.scores[order],
        probabilities=alone.probabilities[order],
    )
    related = dataclasses.replace(alike, groups=groups)
    widths = [
        {line.model: line.ci.high - line.ci.low for line in contenders(r, None, 0.05, 1).models}
        for r in (alike, related)
    ]
    assert widths[1]["poor"] > 1.3 * widths[0]["poor"]


@given(seed=st.integers(0, 10_000), models=st.integers(2, 6), spread=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_letters_and_who_leaves_are_as_the_p_values_say(seed, models, spread):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, models)) + np.linspace(0, spread, models)
    names = tuple(f"m{i}" for i in range(models))
    found = contenders(PairedPredictions.from_values(names, values), None, 0.05, 1)
    tiers = {line.model: set(line.tier) for line in found.models}
    pairs = all_pairs("mean_difference", values, n_resamples=DRAWS, seed=1).pairs
    for pair in pairs:
        apart = pair.pvalue_adjusted <= 0.05
        assert apart == tiers[names[pair.a]].isdisjoint(tiers[names[pair.b]])
    # who leads alone is told apart from all others
    beaten = {names[pair.b if pair.estimate > 0 else pair.a] for pair in pairs}
    assert found.models[0].model not in beaten
    # and who leaves from a better one
    for place, line in enumerate(found.models):
        apart = [b.model for b in found.models[:place] if set(b.tier).isdisjoint(line.tier)]
        assert line.stays or apart
        assert not (line.stays and apart) or line.beaten_by in apart
        assert line.stays != (line.pvalue <= 0.05)


def test_set_goes_by_the_test_of_the_study():
    plain = contenders(rows("accuracy"), None, 0.05, 1)
    tested = {(m, "poor"): 0.2 for m in ("good", "copy")}
    found = contenders(rows("accuracy"), None, 0.05, 1, tested)
    assert [line.stays for line in plain.models] == [True, True, False]
    assert [line.stays for line in found.models] == [True, True, True]
    assert found.models[-1].pvalue == pytest.approx(0.2)
    assert {line.tier for line in found.models} == {"a"}


def test_with_few_positive_rows_a_beaten_model_stays_and_is_named():
    few = rows("roc_auc")
    kept = np.concatenate([np.flatnonzero(few.truth == 1)[:15], np.flatnonzero(few.truth == 0)])
    small = dataclasses.replace(
        few,
        truth=few.truth[kept],
        predicted=few.predicted[kept],
        scores=few.scores[kept],
        probabilities=few.probabilities[kept],
    )
    found = contenders(small, None, 0.05, 1)
    last = found.models[-1]
    assert (last.model, last.stays) == ("poor", True)
    assert last.beaten_by in ("good", "copy")
    assert np.isnan(last.pvalue)
    assert any(a.holds is False for a in found.assumptions)
