"""What the functions of `stats` return for many options is as recorded, to six digits.

Reference values hold the numbers; recorded.txt holds what no other software computes: what each
test says of its assumptions, from how many rows, folds or groups on, every number beside the
p-value, and what wrong input is told. Each record is a call and what it gives. A line `checked:`
names the software that gives the same numbers in the fields it lists (`other_software.py`), which
every run of this test compares. A line of more than 200 characters stands with one field a line.
After a change, `python -m tests.unit.stats.test_recorded` computes the file anew.
"""

import dataclasses
import functools
import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from bakeoff import stats
from bakeoff.stats import Assumption
from tests.conftest import NUMBER, agree_to_six_digits, recorded
from tests.unit.stats.other_software import confirmed

FILE = Path(__file__).with_name("recorded.txt")
ANEW = "if this change is wanted: python -m tests.unit.stats.test_recorded"
HOLDS = {True: "yes", False: "no", None: "open"}
LEFT_OUT = ("test", "null_hypothesis", "correction", "method", "differences")
EMPTY = ("None", "", "[]", "nan")
LONGEST = 200


@functools.cache
def evidence():
    """Return what calls may name: 120 rows in 15 groups of 1 to 15, folds, runs and data sets."""
    rng = np.random.default_rng(2611)
    groups = np.repeat(np.arange(15), np.arange(1, 16))
    shared = rng.normal(size=15)[groups] + rng.normal(size=120)
    skill = np.array([0.9, 0.6, 0.5, 0.1])
    values = 0.5 + 0.1 * (shared[:, None] + skill + rng.normal(size=(120, 4)))
    y = rng.integers(0, 2, 120)
    score = np.round(0.4 * y[:, None] + 0.3 * skill * y[:, None] + rng.random((120, 4)), 2) / 1.7
    three = rng.integers(0, 3, 120)
    runs = [np.where(rng.random((5, 120)) < 0.4 + s / 2, three, (three + 1) % 3) for s in skill]
    classes = np.eye(3)[three][:, None] * skill[:, None] + rng.random((120, 4, 3)) + 0.01
    number = 3 * shared + rng.normal(size=120)
    slow = lfilter([1], [1, -0.85], rng.normal(size=(240, 5)), axis=0)
    scores = 0.8 + 0.02 * (rng.normal(size=(20, 1)) + skill + rng.normal(size=(20, 4)))
    gaps = np.where(rng.random((14, 4)) < 0.15, np.nan, np.round(scores[:14], 2))
    return {
        **vars(stats),
        "np": np,
        "pd": pd,
        "by_size": by_size,
        "groups": groups,
        "few": groups // 3,
        "pairs": np.arange(120) // 2,
        "time": np.repeat(np.arange(60), 2),
        "part": np.arange(120) % 3,
        "values": values,
        "right": values > 0.45,
        "y": y,
        "score": score,
        "said": (score > 0.5).astype(int),
        "three": three,
        "classes": np.moveaxis(classes / classes.sum(axis=2, keepdims=True), 1, 0),
        "labels": np.stack([r[0] for r in runs], axis=1),
        "runs": np.stack(runs),
        "slow": slow[:, 1:] + slow[:, :1] + skill,
        "number": number,
        "predicted": number[:, None] + (1.3 - skill) * rng.normal(size=(120, 4)),
        "scores": scores,
        "folds": scores[:10],
        "halves": scores[:10].reshape(5, 2, 4),
        "half": np.array([rng.permutation(np.arange(120) % 2 + 1) for _ in range(5)]),
        "rows": np.array([np.roll(values > 0.45, i, axis=0) for i in range(5)]),
        "tied": np.round(scores, 2),
        "gaps": gaps,
        "criteria": np.stack([scores[:12], scores[8:] ** 2], axis=2),
    }


def text(found):
    """Write a result, without what documentation says; each assumption in a line of its own."""
    if hasattr(found, "to_dict"):
        found = found.to_dict()
    if dataclasses.is_dataclass(found) and not isinstance(found, Assumption):
        found = {f.name: getattr(found, f.name) for f in dataclasses.fields(found)}
    match found:
        case {"name": name, "holds": holds, "detail": detail}:
            return f"\n{HOLDS[holds]}: {' '.join([name, *NUMBER.findall(detail)])}"
        case Mapping():
            each = ((key, text(value)) for key, value in found.items() if key not in LEFT_OUT)
            return "; ".join(f"{key} {value}" for key, value in each if value not in EMPTY)
        case bool() | str() | int() | None:
            return str(found)
        case float():
            return f"{found:.6g}"
        case np.ndarray():
            return text(found.tolist())
        case list() | tuple():
            return f"[{', '.join(map(text, found))}]"
    return str(found)


def by_size(call, sizes):
    """Tell from which sizes on a result has a status and which of its assumptions hold."""

    def said(size):
        try:
            result = call(size)
        except ValueError:
            return "refused"
        if isinstance(result, stats.Limits):
            return "; ".join([result.status.value, result.method, *result.warnings])
        held = (f"{a.name} {a.holds}" for a in result.assumptions)
        return "; ".join([result.status.value, *held])

    runs = [(key, [*group]) for key, group in itertools.groupby(sizes, said)]
    return "".join(f"\n{group[0]} to {group[-1]}: {key}" for key, group in runs)


def computed(call):
    """Return what a call gives, or how it is refused, and what other software confirms of it."""
    try:
        result = eval(call, evidence())
    except ValueError as error:
        return f"refused: {error}".splitlines()
    lines = [line for line in text(result).splitlines() if line]
    checked = confirmed(call, result, evidence())
    if checked:
        lines.append(checked)
    return one_field_a_line(lines)


def one_field_a_line(lines):
    """Break lines that are long between their fields."""
    broken = []
    for line in lines:
        if len(line) > LONGEST and not line.startswith("refused: "):
            broken += line.split("; ")
        else:
            broken.append(line)
    return broken


RECORDED = recorded(FILE)


@pytest.mark.parametrize("call", RECORDED)
def test_result_is_as_recorded(call):
    lines = computed(call)
    expected = one_field_a_line(RECORDED[call])
    told = "\n".join([ANEW, *lines])
    assert len(lines) == len(expected), told
    assert all(map(agree_to_six_digits, lines, expected)), told


if __name__ == "__main__":
    anew = ("\n".join([call, *computed(call)]) for call in RECORDED)
    FILE.write_text("\n\n".join(anew) + "\n", encoding="utf-8")
