"""A test of one model against a value: which rate, which value, which side, what follows."""

import csv
import io

from studies import experiment, ran

from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.tables import to_csv
from bakeoff.spec import load_experiment


def made(test, options, models=("a",), datasets=("d",)):
    plain = experiment(models, datasets=datasets).resolved()
    plain |= {"tests": {"run": [test], "options": {test: options}}}
    spec = load_experiment(plain)
    accuracy = dict.fromkeys(models, 0.87)
    return ran(spec, accuracy, accuracies=accuracy)


def test_the_table_has_the_value_and_what_follows():
    value = 0.8
    one = made("binomial_test", {"p0": value}, models=("a", "b"))
    item = next(i for i in exhibits(one) if i.kind == "single")
    rows = list(csv.DictReader(io.StringIO(to_csv(build(item, one)))))
    assert [float(row["null_value"]) for row in rows] == [value, value]
    assert {row["decision"] for row in rows} <= {f"above {value}", "cannot tell"}
