"""Intervals of single pairs beside p-values that are adjusted for all pairs."""

import re

import numpy as np
import pandas as pd

import bakeoff


def scores():
    """Return scores of which three pairs are shown alone, and none among all pairs."""
    rng = np.random.default_rng(1)
    of_data_sets = rng.normal(0, 0.02, (9, 1))
    of_models = rng.normal([0.012, 0, 0.002, -0.001, 0.004], 0.008, (9, 5))
    table = pd.DataFrame(0.8 + of_data_sets + of_models, columns=list("abcde"))
    table.index = pd.Index([f"d{i}" for i in range(9)], name="dataset")
    return table


def test_pairs_that_are_shown_alone_are_named_and_not_called_shown():
    found = bakeoff.compare_datasets(scores(), values="higher")
    lines = found.comparisons[found.comparisons["test"] == "wilcoxon_signed_rank"]
    alone = lines[(lines["ci_low"] > 0) & (lines["pvalue_adjusted"] > 0.05)]
    assert alone["model_b"].tolist() == ["b", "c", "d"]
    (text,) = re.findall(r"Each interval holds for its pair alone; .*?\.", found.verdict)
    assert "adjusted for 10 pairs" in text
    assert "no difference is shown for a vs b, a vs c and a vs d" in text
    assert "near the level" not in found.verdict
    assert "Westfall-Young (joint sign flips) correction" in found.verdict


def test_of_two_models_there_is_nothing_to_adjust():
    found = bakeoff.compare_datasets(scores()[["a", "b"]], values="higher")
    assert "holds for its pair alone" not in found.verdict
