"""A test of one model against a value: which rate, which value, which side, what follows."""

import csv
import io

import pytest
from studies import experiment, ran

from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.tables import to_csv
from bakeoff.report.verdict import Kind, answer
from bakeoff.spec import load_experiment


def made(test, options, models=("a",), datasets=("d",)):
    plain = experiment(models, datasets=datasets).resolved()
    plain |= {"tests": {"run": [test], "options": {test: options}}}
    spec = load_experiment(plain)
    accuracy = dict.fromkeys(models, 0.87)
    return ran(spec, accuracy, accuracies=accuracy)


UNKNOWN = "The data do not show whether the accuracy of a"


@pytest.mark.parametrize(
    ("options", "kind", "headline"),
    [
        ({"p0": 0.8}, Kind.AGAINST_VALUE, "The accuracy of a is above 0.8."),
        ({"p0": 0.95}, Kind.AGAINST_VALUE, "The accuracy of a is below 0.95."),
        ({"p0": 0.85}, Kind.CANNOT_TELL, f"{UNKNOWN} differs from 0.85."),
        ({"p0": 0.9, "alternative": "greater"}, Kind.CANNOT_TELL, f"{UNKNOWN} is above 0.9."),
    ],
)
def test_the_verdict_on_one_model_is_what_its_test_says(options, kind, headline):
    found = answer(made("binomial_test", options))
    assert (found.kind, found.headline) == (kind, headline)
    assert "The accuracy of a is 0.870" in found.evidence
    assert "binomial test on 200 held-out rows of d" in found.evidence


def test_of_several_data_sets_the_verdict_counts():
    found = answer(made("binomial_test", {"p0": 0.5}, datasets=("d", "e", "f")))
    assert found.headline == "The accuracy of a is above 0.5 on 3 of 3 data sets."


def test_the_table_has_the_value_and_what_follows():
    value = 0.8
    one = made("binomial_test", {"p0": value}, models=("a", "b"))
    item = next(i for i in exhibits(one) if i.kind == "single")
    rows = list(csv.DictReader(io.StringIO(to_csv(build(item, one)))))
    assert [float(row["null_value"]) for row in rows] == [value, value]
    assert {row["decision"] for row in rows} <= {f"above {value}", "cannot tell"}
