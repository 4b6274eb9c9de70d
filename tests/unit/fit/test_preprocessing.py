"""What stands before an estimator changes no number, and encodes what is none."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.fit.estimator import assemble
from bakeoff.fit.preprocessing import TextEncoder, to_seconds
from bakeoff.seeds import derive
from bakeoff.spec.models import Model

TREE = "sklearn.tree.DecisionTreeClassifier"
NEIGHBOUR = "sklearn.neighbors.KNeighborsClassifier"
BOOSTING = "sklearn.ensemble.HistGradientBoostingClassifier"
START = 1_700_000_000


def fitted(estimator, frame, y):
    made = assemble(Model.model_validate({"estimator": estimator}), frame, derive(1, "fit"))
    return made.fit(frame, y)


@pytest.mark.parametrize("estimator", [NEIGHBOUR, BOOSTING])
@pytest.mark.parametrize("kind", ["number", "date"])
def test_a_text_column_changes_no_number(estimator, kind):
    """In single precision these sixty seconds are one."""
    when = np.repeat(np.arange(START, START + 60), 2)
    column = pd.Series(when) if kind == "number" else pd.to_datetime(when, unit="s").to_series()
    frame = pd.DataFrame({"when": column.reset_index(drop=True), "city": ["a", "b", "c"] * 40})
    y = (when >= START + 30).astype(int)
    assert (fitted(estimator, frame, y).predict(frame) == y).all()


def test_numbers_pass_as_they_are_beside_texts_dates_and_gaps():
    numbers = np.array([0.1, 1e17 + 16, np.nan, -3.0])
    day = pd.to_datetime(
        ["2024-01-01", None, "2024-01-03", "2024-01-04 00:00:01"], format="ISO8601"
    )
    frame = pd.DataFrame(
        {"x": numbers, "text": ["a", None, "b", "a"], "day": day, "flag": [True, False] * 2}
    )
    made = fitted(TREE, frame, [0, 1, 0, 1])[:-1]
    found = made.named_steps["auto_textencoder"].transform(frame)
    np.testing.assert_array_equal(found["x"], numbers)
    assert list(found["flag"]) == [1, 0, 1, 0]
    assert found["day_seconds"].iloc[3] - found["day_seconds"].iloc[0] == 3 * 86400 + 1
    assert np.isnan(found["day_seconds"].iloc[1])
    at_once, later = TextEncoder().fit_transform(frame), TextEncoder().fit(frame).transform(frame)
    pd.testing.assert_frame_equal(at_once, later)
    same = pd.DataFrame({"c_a": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"]})  # two c_a
    assert fitted(TREE, same, [0, 1, 0, 1]).predict(same).tolist() == [0, 1, 0, 1]
    names = list(found)
    order = [names.index(name) for name in ("x", "text_a", "day_month", "day_seconds", "flag")]
    assert order == sorted(order)


def test_seconds_are_the_same_in_every_time_zone():
    utc = pd.Series(pd.to_datetime([START, START + 1], unit="s", utc=True))
    for dates in (utc, utc.dt.tz_convert("Asia/Tokyo"), utc.dt.tz_localize(None)):
        assert list(to_seconds(dates)) == [START, START + 1]
