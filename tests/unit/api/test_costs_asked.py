"""What `compare` says of metrics and variants that need more than predictions."""

import pytest

import bakeoff
from bakeoff.errors import UserError

Y = ["a", "b"] * 20
MODELS = {"old": ["a", "b"] * 19 + ["a", "a"], "new": ["a", "b"] * 18 + ["b", "a", "a", "b"]}
COSTS = {"classes": ["a", "b"], "matrix": [[0, 1], [5, 0]]}


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"metrics": ["cost"]}, "costs: the metric cost needs `classes` and a `matrix`"),
        ({"metrics": ["expected_cost"], "costs": COSTS}, "costs: the metric expected_cost needs"),
        ({"metrics": ["roc_auc"]}, "brings labels alone: pass its probabilities, shape (n, K)"),
        ({"variant": "exact", "groups": [i // 4 for i in range(40)]}, "variant: variants are of"),
    ],
)
def test_messages_name_arguments_and_no_keys_of_an_experiment(how, said):
    with pytest.raises(UserError) as caught:
        bakeoff.compare(Y, MODELS, **how)
    assert said in str(caught.value)
    assert "tests." not in str(caught.value)


def test_differences_in_costs_are_headed_by_what_they_hold():
    found = bakeoff.compare(Y, MODELS, metrics=["cost"], costs=COSTS)
    assert "B − A" in found.to_markdown()
