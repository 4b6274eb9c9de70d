"""Arguments are checked as functions declare them; sums of products of equal columns are equal."""

import inspect
import math
from typing import Literal

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats.core import arguments as kinds
from bakeoff.stats.core.arguments import check_argument
from bakeoff.stats.core.arithmetic import gram, root, times_root

PUBLIC = {
    name: getattr(stats, name)
    for name in sorted({*stats.__all__, *stats.catalogue()})
    if name.islower()
}
FUNCTIONS = {name: f for name, f in PUBLIC.items() if inspect.isfunction(f)}


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (kinds.Level, 1.0, "x: found 1.0, must lie strictly between 0 and 1"),
        (kinds.Level, math.nan, "x: found nan, must lie strictly between 0 and 1"),
        (kinds.Level, "high", "x: found 'high', must be a number"),
        (kinds.Level, True, "x: found True, must be a number"),
        (kinds.Alpha, 0.5, "x: found 0.5, must lie strictly between 0 and 0.5"),
        (kinds.PositiveFloat, 0, "x: found 0, must be a finite number above 0"),
        (kinds.PositiveFloat, math.inf, "x: found inf, must be a finite number above 0"),
        (kinds.AtLeast0, -0.1, "x: found -0.1, must be a finite number of at least 0"),
        (kinds.Share, 1.5, "x: found 1.5, must be a finite number above 0 and at most 1"),
        (kinds.Finite, math.inf, "x: found inf, must be a finite number"),
        (kinds.Seed, -1, "x: found -1, must be a whole number of at least 0"),
        (kinds.Seed, 1.5, "x: found 1.5, must be a whole number of at least 0"),
        (kinds.PositiveInt, 0, "x: found 0, must be a whole number of at least 1"),
        (kinds.Decimals, 16, "x: found 16, must be a whole number of at least -15 and at most 15"),
        (int, True, "x: found True, must be a whole number"),
        (bool, "no", "x: found 'no', must be true or false"),
        (bool, 1, "x: found 1, must be true or false"),
        (Literal["a", "b"], "c", "x: found 'c', allowed: 'a', 'b'"),
        (Literal["a", "b"] | None, 3, "x: found 3, allowed: 'a', 'b'"),
    ],
)
def test_value_out_of_range_is_refused(kind, value, message):
    with pytest.raises(stats.ArgumentError) as refused:
        check_argument(value, "x", kind)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("kind", "value", "plain"),
    [
        (kinds.Level, np.float32(0.5), 0.5),
        (kinds.Seed, np.int64(3), 3),
        (kinds.Seed, 3.0, 3),
        (bool, np.True_, True),
        (kinds.Decimals | None, None, None),
        (kinds.AtLeast0, -0.0, 0.0),
        (float, math.nan, math.nan),
    ],
)
def test_value_is_handed_on_as_a_plain_one(kind, value, plain):
    found = check_argument(value, "x", kind)
    assert type(found) is type(plain)
    assert str(found) == str(plain)


def test_arguments_of_a_call_are_checked():
    with pytest.raises(stats.ArgumentError, match=r"confidence_level: found 0.4; a one-sided"):
        stats.proportion_ci(1, 2, confidence_level=0.4, alternative="less")
    with pytest.raises(TypeError, match=r"proportion_ci\(\) got an unexpected argument 'side'"):
        stats.proportion_ci(1, 2, side="less")


def test_a_degenerate_case_has_no_standardized_effect_size():
    # 0/0 is rounding noise: of equal scores, half of the variance was once "explained"
    sizes = {"eta_squared": 0.5, "difference": 0.1}
    same = {"statistic": 0, "pvalue": 1, "n": 2, "status": stats.Status.IDENTICAL_SCORES}
    result = stats.Result(**same, effect_sizes=sizes)
    assert result.effect_sizes == pytest.approx(sizes | {"eta_squared": math.nan}, nan_ok=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_default_of_a_parameter_is_what_it_declares_and_every_one_is_described(name):
    for parameter in inspect.signature(FUNCTIONS[name], eval_str=True).parameters.values():
        default = parameter.default
        if default is not parameter.empty:
            plain = check_argument(default, parameter.name, parameter.annotation)
            assert str(plain) == str(default)
    doc = inspect.getdoc(FUNCTIONS[name]) or ""
    if "Parameters\n---" in doc:
        described = doc.split("Parameters\n")[1].split("\n\n")[0]
        heads = [line for line in described.splitlines() if not line.startswith(" ")]
        names = {word.strip("*") for head in heads for word in head.split(" : ")[0].split(", ")}
        assert set(inspect.signature(FUNCTIONS[name]).parameters) <= names


def test_equal_columns_have_equal_entries_and_equal_draws():
    rows = np.random.default_rng(0).normal(size=(3000, 3))[:, [0, 1, 0, 2, 1]]
    covariance = gram(rows) / 3000
    assert (covariance[0] == covariance[2]).all()
    lower = root(covariance)
    normal = np.random.default_rng(1).standard_normal((5, 100), dtype=np.float32)
    drawn = times_root(normal, lower)
    assert (drawn[[0, 1]] == drawn[[2, 4]]).all()
    assert not (drawn[0] == drawn[3]).any()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_root_of_singular_covariances(rank, scale):
    rng = np.random.default_rng(rank)
    rows = scale * np.matmul(rng.normal(size=(50, rank)), rng.normal(size=(rank, 6)))
    covariance = gram(rows)
    lower = root(covariance)
    assert (np.triu(lower, 1) == 0).all()
    assert np.count_nonzero(lower.any(axis=0)) == rank
    atol = 1e-12 * covariance.max()
    np.testing.assert_allclose(lower @ lower.T, covariance, rtol=0, atol=atol)
