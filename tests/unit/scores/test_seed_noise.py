"""The noise of seeds beside that of splits, by hand."""

import math

import numpy as np
import pytest

from bakeoff.fit.predictions import Predictions
from bakeoff.scores.seed_noise import COLUMNS, seed_noise


def fits(folder, right, model="m", repeat=1):
    """Write a fit for each fold and seed with so many of ten rows right."""
    paths = []
    for fold, of_seeds in enumerate(right, start=1):
        for seed, n in enumerate(of_seeds, start=1):
            known = {"dataset": "d", "model": model, "plan": "kfold", "repeat": repeat}
            facts = {**known, "fold": fold, "seed": seed, "n_train": 20, "n_test": 10}
            predicted = np.where(np.arange(10) < n, 1, 0)
            one = Predictions(
                np.arange(10), np.ones(10, int), predicted, ("no", "yes"), None, None, facts
            )
            paths.append(folder / f"{model}-{repeat}-{fold}-{seed}")
            one.write(paths[-1])
    return paths


def test_parts_of_the_variance_by_hand(tmp_path):
    found = seed_noise(fits(tmp_path, [[9, 7], [5, 5], [4, 2]]), ["accuracy"])
    assert list(found) == list(COLUMNS)
    (row,) = found.to_dict("records")
    own = (0.02 + 0 + 0.02) / 3  # inside folds
    between = np.var([0.8, 0.5, 0.3], ddof=1)
    assert (row["dataset"], row["model"], row["plan"], row["metric"]) == (
        *("d", "m", "kfold", "accuracy"),
    )
    assert (row["folds"], row["seeds"]) == (3, 2)
    assert row["mean"] == pytest.approx(1.6 / 3)
    assert row["sd_between_seeds"] == pytest.approx(math.sqrt(own))
    assert row["sd_between_folds"] == pytest.approx(math.sqrt(between))
    assert row["share_of_seeds"] == pytest.approx(own / (own + between - own / 2))


def test_folds_of_repeats_are_folds_of_their_own(tmp_path):
    repeats = [
        fits(tmp_path, right, repeat=i) for i, right in ((1, [[9, 7], [5, 5]]), (2, [[4, 2]]))
    ]
    (row,) = seed_noise([*repeats[0], *repeats[1]], ["accuracy"]).to_dict("records")
    assert (row["folds"], row["mean"]) == (3, pytest.approx(1.6 / 3))


@pytest.mark.parametrize(
    ("right", "seeds", "folds", "share"),
    [
        ([[9, 7]], math.sqrt(0.02), math.nan, math.nan),  # one fold says nothing of splits
        ([[9, 7], [7, 9]], math.sqrt(0.02), 0, 1),  # folds differ less than seeds would make them
        ([[8, 8], [8, 8]], 0, 0, math.nan),
    ],
)
def test_shares_at_the_ends(tmp_path, right, seeds, folds, share):
    (row,) = seed_noise(fits(tmp_path, right), ["accuracy"]).to_dict("records")
    found = [row[key] for key in ("sd_between_seeds", "sd_between_folds", "share_of_seeds")]
    assert found == pytest.approx([seeds, folds, share], nan_ok=True)


def test_models_stay_in_their_order(tmp_path):
    files = [*fits(tmp_path, [[9, 7]], "z"), *fits(tmp_path, [[9, 7]], "a")]
    assert seed_noise(files, ["accuracy", "error"])["model"].tolist() == ["z", "z", "a", "a"]
