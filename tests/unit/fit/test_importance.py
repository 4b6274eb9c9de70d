"""What columns are worth to a fitted model: scikit-learn's numbers, the same in every run."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier

from bakeoff.errors import UserError
from bakeoff.fit.run_fit import importance
from bakeoff.fit.train import TrainedModel
from bakeoff.spec.resampling import Importance

WANTED = Importance(repeats=4)


def made_up(n=90):
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=n), rng.normal(size=n)
    city = rng.choice(["Ulm", "Bonn"], n)
    return pd.DataFrame({"noise": noise, "x": x, "city": city, "y": np.where(x > 0, "b", "a")})


def test_importances_are_those_of_scikit_learn():
    rows = made_up()
    X, y = rows[["noise", "x"]], (rows["y"] == "b").to_numpy(dtype=np.intp)
    fitted = DecisionTreeClassifier(random_state=0).fit(X[:60], y[:60])
    known = permutation_importance(
        fitted, X[60:], y[60:], scoring="accuracy", n_repeats=4, random_state=5
    )
    found = importance(TrainedModel(fitted, None, {}), X[60:], y[60:], WANTED, 5)
    assert found["features"] == ["noise", "x"]
    assert found["mean"] == known.importances_mean.tolist()
    assert found["sd"] == pytest.approx(known.importances.std(axis=1, ddof=1))
    assert found["mean"][0] == 0 < found["mean"][1]


def test_threshold_of_the_model_is_used():
    rows = made_up()
    X, y = rows[["x"]], (rows["y"] == "b").to_numpy(dtype=np.intp)
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, y)
    all_positive = TrainedModel(fitted, 0.0, {})
    assert importance(all_positive, X, y, WANTED, 1)["mean"] == [0.0]
    assert importance(TrainedModel(fitted, 0.5, {}), X, y, WANTED, 1)["mean"][0] > 0.2


def test_score_that_cannot_be_had_is_told():
    rows = made_up()
    fitted = TrainedModel(DecisionTreeClassifier().fit(rows[["x"]], rows["y"] == "b"), None, {})
    wanted = Importance(scoring="adjusted_rand_score_of_nobody")
    with pytest.raises(UserError, match="adjusted_rand_score_of_nobody"):
        importance(fitted, rows[["x"]], np.zeros(90, dtype=np.intp), wanted, 1)
