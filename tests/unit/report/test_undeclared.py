"""Notes on dependence that nobody declared: the number, and what to do."""

import dataclasses

import numpy as np
import pytest
from studies import card, division, experiment, ran

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.exhibits import build, draw, exhibits
from bakeoff.report.undeclared import notes, notes_on
from bakeoff.report.verdict import answer
from bakeoff.spec import load_experiment

TWO = {"a": 0.95, "b": 0.9}


@pytest.fixture(scope="module")
def study():
    return ran(experiment(("a", "b"), tests=("mcnemar",)), TWO)


def test_nothing_is_found_where_nothing_is(study):
    assert notes(study) == []
    (item,) = (e for e in exhibits(study) if e.kind == "undeclared")
    table = build(item, study)
    assert [cell.text for cell in table.rows[0]] == ["nothing", "–"]
    assert not any("Note" in sentence for sentence in answer(study).sentences)


def test_columns_and_repeats_are_noted_with_their_numbers():
    known = card("d") | {
        "group_columns": [{"column": "patient", "groups": 40, "why": "it is named like an id"}],
        "duplicate_rows": 1,
        "near_duplicate_rows": 7,
    }
    first, second = (note.sentence for note in notes_on(known))
    assert first.startswith(
        "'patient' of d looks like an id of groups: it is named like an id, 40 values in 200 rows; "
    )
    assert "write 'groups: patient'" in first
    assert second.startswith(
        "1 row equals an earlier row in every feature and 7 more equal another row in every "
        "feature but one (of 200 in d); if they are copies"
    )


@pytest.mark.parametrize(
    "known",
    [
        {"duplicate_rows": 40, "near_duplicate_rows": 30, "pairs_by_chance": 0.5},
        {"near_duplicate_rows": 1},  # one row in two hundred
        {"near_duplicate_rows": 30, "near_pairs_by_chance": 3.0},
        {"near_duplicate_rows": None},
    ],
)
def test_what_chance_explains_is_not_noted(known):
    assert list(notes_on(card("d") | known)) == []


def test_leaks_are_counted_in_the_worst_division():
    known = division("d", "cv_5x2")
    part = known["parts"][3]
    known["parts"][3] = part | {"repeated": 4, "nearly_repeated": 3}
    known["parts"][5] = part | {"repeated": 2, "nearly_repeated": 0}
    (note,) = notes_on(card("d"), [known, division("d", "holdout")])
    assert note.found == (
        "4 test rows equal a training row in every feature and 3 more equal a training row in "
        "every feature but one (of 100, in the worst division of 5 × 2-fold cross-validation), so "
        "models may have memorised them"
    )
    assert list(notes_on(card("d") | {"pairs_by_chance": 2.0}, [known])) == []


def test_repeated_rows_are_noted_once_however_many_plans_there_are():
    plans = [division("d", plan) for plan in ("cv_5x2", "holdout")]
    for plan in plans:
        plan["parts"][0] = plan["parts"][0] | {"repeated": 3}
    (note,) = notes_on(card("d") | {"duplicate_rows": 5}, plans)
    assert note.found.startswith("5 rows equal an earlier row in every feature (of 200 in d); 3 ")


def in_runs(spec, n=400, groups=None):
    """Right and wrong in long runs of rows."""
    tilt = np.repeat(np.random.default_rng(1).normal(size=n // 10), 10)
    right = np.stack([tilt > -1, tilt < 1], axis=1)
    truth = np.array(["no", "yes"])[np.arange(n) % 2]
    other = np.array(["yes", "no"])[np.arange(n) % 2]
    rows = PairedPredictions.from_labels(
        tuple(spec.models), truth, [np.where(r, truth, other) for r in right.T]
    )
    return dataclasses.replace(rows, groups=groups)


def test_disagreements_in_runs_are_noted_in_the_verdict_and_the_table(study):
    rows = in_runs(study.experiment)
    alike = dataclasses.replace(study, test_sets={"d": rows})
    (note,) = notes(alike)
    assert "neighbouring test rows of d are correlated (lag-1 autocorrelation 0.9" in note.found
    assert "'time:'" in note.advice
    assert any(note.sentence in sentence for sentence in answer(alike).sentences)
    declared = in_runs(study.experiment, groups=np.arange(400) // 10)
    assert notes(dataclasses.replace(study, test_sets={"d": declared})) == []


def test_many_notes_are_cut_short_in_the_verdict(study):
    columns = [{"column": f"id{i}", "groups": 20, "why": "x"} for i in range(5)]
    many = dataclasses.replace(study, cards={"d": card("d") | {"group_columns": columns}})
    said = [s for s in answer(many).sentences if "note" in s.lower()]
    assert len(said) == 3


def test_counts_of_rows_in_groups_carry_a_warning():
    data = {"d": {"source": "file", "path": "d.csv", "target": "y", "groups": "patient"}}
    plain_spec = experiment(("a", "b"), tests=("mcnemar",))
    spec = load_experiment(plain_spec.resolved() | {"datasets": data})
    plain = ran(plain_spec, TWO)
    grouped = dataclasses.replace(
        plain, experiment=spec, test_sets={"d": in_runs(spec, groups=np.arange(400) // 10)}
    )
    said = "The 400 rows come from 40 groups by 'patient' and may be correlated"
    for study, told in ((plain, False), (grouped, True)):
        listed = [e for e in exhibits(study) if e.kind == "confusion_maps"]
        assert [said in draw(item, study).legend for item in listed] == [told]
