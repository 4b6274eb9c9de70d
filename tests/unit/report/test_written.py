"""Values of metrics have the decimals that their standard error deserves, and their unit."""

import pytest
from studies import experiment, pair, study

from bakeoff.report.exhibits import build, draw, exhibits
from bakeoff.report.methods import methods
from bakeoff.report.numbers import fixed
from bakeoff.report.tables import to_csv, to_latex, to_markdown
from bakeoff.report.verdict import answer

TEST = "corrected_kfold_t"


def regression(size, *, unit="MPa", datasets=("d",), width=0.04):
    """Two regressors, A better by a hundredth of the size; intervals so wide, relative to it."""
    spec = experiment(
        ("a", "b"),
        datasets=datasets,
        tests=(TEST,),
        estimator="sklearn.dummy.DummyRegressor",
        task="regression",
        metrics=["rmse"],
        resampling={"kfold": {"folds": 10}},
    )
    units = dict(zip(datasets, unit if isinstance(unit, tuple) else (unit,), strict=True))
    own = {
        name: one.model_copy(update={"unit": units[name]}) for name, one in spec.datasets.items()
    }
    spec = spec.model_copy(update={"datasets": own})
    known = {"test": TEST, "metric": "rmse", "plan": "kfold", "confidence": 0.95}
    known |= {"ci_low": size * (0.01 - width / 2), "ci_high": size * (0.01 + width / 2)}
    found = [pair("a", "b", 0.01, size / 100, dataset=name, **known) for name in datasets]
    means = {"a": size, "b": size * 1.01}
    return study(spec, found, means, metric="rmse", noise=size / 50)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (12_345.6, "a (12,346 MPa) is 123 MPa (95% CI [−123, 370]) lower"),
        (1_234_567.8, "a (1,234,568 MPa) is 12,346 MPa (95% CI [−12,346, 37,037]) lower"),
        (3.456, "a (3.456 MPa) is 0.035 MPa (95% CI [−0.035, 0.104]) lower"),
        (0.000123, "a (0.0001230 MPa) is 0.0000012 MPa (95% CI [−0.0000012, 0.0000037]) lower"),
        (0.00000123, "a (1.23e−6 MPa) is 1.23e−8 MPa (95% CI [−1.23e−8, 3.69e−8]) lower"),
        (0.0123, "a (0.01230 MPa) is 0.00012 MPa (95% CI [−0.00012, 0.00037]) lower"),
    ],
)
def test_verdict_has_two_digits_of_the_standard_error_and_the_unit(size, said):
    said = said.replace(" MPa) is", " MPa, trained on 100 of 200 rows) is")
    assert said in answer(regression(size)).evidence


@pytest.mark.parametrize(
    ("difference", "low", "high", "said"),
    [
        (0.05, 0.02, 0.08, "(0.950, trained on 100 of 200 rows) is 5.0 percentage points"),
        (0.0043, -0.0012, 0.0098, "0.4 percentage points (95% CI [−0.1, 1.0]) higher"),
        # of a million rows: not "0.0 percentage points (95% CI [−0.1, 0.2])"
        (0.0004, -0.0010, 0.0018, "(0.9500, trained on 100 of 200 rows) is 0.04 percentage points"),
        (0.00004, -0.0001, 0.00018, "0.004 percentage points (95% CI [−0.010, 0.018]) higher"),
    ],
)
def test_shares_have_the_digits_of_their_standard_error(difference, low, high, said):
    row = {"ci_low": low, "ci_high": high, "confidence": 0.95}
    found = [pair("a", "b", 0.2, difference, **row)]
    spec = experiment(("a", "b"), tests=("cv5x2_f",))
    told = " ".join(answer(study(spec, found, {"a": 0.95, "b": 0.95 - difference})).sentences)
    assert said in told


@pytest.mark.parametrize(
    ("value", "decimals", "said"),
    [(36.615, 2, "36.62"), (0.0005, 3, "0.001"), (2.675, 2, "2.67"), (-0.125, 2, "−0.12")],
)
def test_one_number_has_one_text(value, decimals, said):
    near = (value, value * (1 + 2e-16), value * (1 - 2e-16), value + 1e-13)
    assert {fixed(one, decimals) for one in near} == {said}


def test_unit_stands_wherever_a_number_of_the_metric_does():
    one = regression(12_345.6)
    items = {item.name: item for item in exhibits(one)}
    models = build(items["models"], one)
    assert "Root mean squared error, mean (MPa)" in to_markdown(models)
    assert "(MPa)" in to_latex(models, "models")
    assert to_csv(models).startswith("model,mean,ci_low,ci_high\na,12345.")
    pairs = build(items["pairs.corrected_kfold_t"], one)
    assert [c.title for c in pairs.columns[2:4]] == ["B − A (MPa)", "95% CI (MPa)"]
    for name, said in (("scores", "error (MPa) on"), ("forest.corrected_kfold_t", "error in MPa")):
        assert said in draw(items[name], one).figure.axes[0].get_xlabel()
    assert "root mean squared error (MPa)" in methods(one).text


def test_each_data_set_has_its_own_unit_and_decimals():
    one = regression(12_345.6, datasets=("d", "e"), unit=("MPa", "kg"))
    items = {item.name: item for item in exhibits(one)}
    (first, second) = build(items["datasets"], one).rows
    assert first[1].text.endswith(" MPa")
    assert second[1].text.endswith(" kg")
    assert "mean root mean squared error" not in " ".join(answer(one).sentences)
    assert "mean" not in {column.key for column in build(items["models"], one).columns}
    assert "scores" not in items  # one axis has no two units
    forest = draw(items["forest.corrected_kfold_t"], one)
    assert "in root mean squared error" in forest.figure.axes[0].get_xlabel()
    assert "d: 123 MPa, p" in forest.alt
    assert "e: 123 kg, p" in forest.alt
