"""Rows of several fixed tasks: the mean over tasks by Python, and by folders of logs."""

import json

import numpy as np
import pytest

import bakeoff

SIZES = {"big": 1000, "s1": 50, "s2": 50}
SHARES = {"a": (0.606, 0.66, 0.68), "b": (0.666, 0.44, 0.46)}


def marks(model):
    """Return which items a model has right: the others first, so that few differ between models."""
    parts = [
        np.arange(n) < share * n for n, share in zip(SIZES.values(), SHARES[model], strict=True)
    ]
    return np.concatenate(parts).astype(int)


TASKS = np.repeat(list(SIZES), list(SIZES.values()))


def over_tasks(**options):
    models = {"a": marks("a"), "b": marks("b")}
    return bakeoff.compare(None, models, values="right", tasks=TASKS, **options)


def test_headline_is_the_mean_over_tasks_and_the_other_mean_is_said():
    found = over_tasks()
    row = found.comparisons.iloc[0]
    assert row["test"] == "suite_difference"
    assert row["estimate"] == pytest.approx(0.38 / 3)
    assert found.verdict.startswith("a is better than b by accuracy.")
    assert "By items b is ahead by 3.5 percentage points" in found.verdict
    assert "task big has 1,000 of 1,100 items" in found.verdict
    assert found.scores.set_index("model")["value"].tolist() == pytest.approx(
        [np.mean(SHARES["a"]), np.mean(SHARES["b"])]
    )


def test_weights_are_items_or_given():
    items = over_tasks(weights="items")
    by_hand = marks("a").mean() - marks("b").mean()
    assert items.comparisons["estimate"].tolist() == pytest.approx([by_hand])
    given = over_tasks(weights={"big": 2, "s1": 1, "s2": 1})
    assert given.comparisons["estimate"].tolist() == pytest.approx([(-0.12 + 0.44) / 4])


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"big": 1, "s1": 1}, "weights: task s2 has none"),
        ({"big": 1, "s1": 1, "s2": -1}, "weights: found -1 for s2"),
        ({"big": 1, "s1": 1, "s2": 1, "s3": 1}, "weights: s3 is none of the tasks"),
    ],
)
def test_weights_that_do_not_fit_the_tasks_are_refused(weights, told):
    with pytest.raises(bakeoff.UserError, match=told):
        over_tasks(weights=weights)


def test_weights_without_tasks_are_refused():
    models = {"a": marks("a"), "b": marks("b")}
    with pytest.raises(bakeoff.UserError, match="weights: found no tasks"):
        bakeoff.compare(None, models, values="right", weights="items")


def write_logs(folder):
    """Write logs of lm-evaluation-harness, a file of each model and task."""
    for model in SHARES:
        of_model = marks(model)
        for task in SIZES:
            path = folder / model / f"samples_{task}_2025-01-01T00-00-00.0.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = []
            for number, right in enumerate(of_model[task == TASKS].tolist()):
                doc = {"question": f"{task} {number}?", "answer": "x"}
                one = {"doc_id": number, "doc": doc, "target": "x", "acc": float(right)}
                one |= {"arguments": {}, "resps": [["x"]], "filtered_resps": ["x"]}
                lines.append(json.dumps(one))
            path.write_text("\n".join(lines) + "\n")


def test_a_folder_of_tasks_says_the_same_and_has_a_table_of_tasks(tmp_path, answered):
    write_logs(tmp_path / "logs")
    told = answered("compare", str(tmp_path / "logs"), "--values", "right")
    (row,) = told["comparisons"]
    assert row["pvalue"] == pytest.approx(over_tasks().comparisons["pvalue"][0])
    assert row["result"]["details"]["rows"] == [1000, 50, 50]
    by_column = answered(
        "compare", str(tmp_path / "logs"), "--values", "right", "--weights", "big=2,s1=1,s2=1"
    )
    assert by_column["comparisons"][0]["estimate"] == pytest.approx(0.32 / 4)


def test_rows_on_which_models_differ_are_sorted_by_their_task():
    tasks = np.array(["late", "early"])[np.arange(20) % 2]
    a = np.arange(20) % 3 == 0
    found = bakeoff.compare(None, {"a": a.astype(int), "b": 1 - a}, values="right", tasks=tasks)
    flips = found.to_frame("flips")
    assert flips["task"].tolist() == sorted(tasks)
    assert flips.columns[0] == "id"
