"""The methods paragraph: true for every study, as text, for LaTeX, and beside the checklists."""

import dataclasses
import re

import pandas as pd
import pytest
from cases import CASES
from studies import card, division, experiment, omnibus, pair, study

from bakeoff.report import prose
from bakeoff.report.methods import CHECKLISTS, author_year, methods
from bakeoff.spec import AnalysisPlan, PlannedTest, load_experiment
from bakeoff.stats.core.citations import BIBTEX

AB, ABC = ("a", "b"), ("a", "b", "c")


def changed(own, **more):
    return dataclasses.replace(own, experiment=load_experiment(own.experiment.resolved() | more))


def plain(*rows, models=AB, tests=("cv5x2_f",), **more):
    spec = experiment(models, tests=tests, **more)
    return study(spec, rows or [pair("a", "b", 0.01, 0.05)], dict.fromkeys(models, 0.9))


@pytest.mark.parametrize("name", CASES)
def test_paragraph_of_every_case_names_models_tests_level_and_seed(name):
    own = CASES[name]()
    text = methods(own).text
    assert all(own.label(model)[:20] in text for model in own.models[:4])
    lower = text.lower()
    names = {prose.title(f.entry) for f in own.families}
    missing = {name for name in names if name.lower() not in lower}
    assert not missing
    assert f"the seed {own.experiment.seed}." in text
    assert not re.search(r"\bnan\b|\bNone\b|  |\{|\}| ,|\.\.", text)
    assert all(sentence.endswith(".") for sentence in map(str.strip, text.split("\n")))


@pytest.mark.parametrize("name", CASES)
def test_every_source_named_is_known(name):
    found = methods(CASES[name]())
    assert set(found.keys) <= set(BIBTEX)
    in_latex = {k for keys in re.findall(r"\\citep\{(.*?)\}", found.latex) for k in keys.split(",")}
    assert in_latex == set(found.keys) - set(CHECKLISTS.values())


def test_two_models_in_words():
    text = methods(plain()).text
    assert text == (
        "We compared two models: a (DummyClassifier) and b (DummyClassifier). The data set d has "
        "200 rows and 2 features; the classes are no (120 rows) and yes (80 rows). Numbers were "
        "standardised, except for models made of trees; all of this was fitted on training "
        "rows only. Models were trained and tested by five replications of stratified 2-fold "
        "cross-validation (Dietterich 1998). Models were fitted once on 100 rows and tested on "
        "100 held-out rows. All models were trained and tested on the same rows. Models were "
        "ranked by accuracy. The two models were compared in accuracy by the combined 5×2cv F "
        "test (Alpaydin 1999) on 5 × 2-fold cross-validation. The level of every test is 5%. "
        "Computed with Python 3.11.0; every random number comes from the seed 3."
    )


def test_latex_escapes_names_and_keeps_keys():
    own = plain(models={"a": "50% & more_", "b": "B"})
    latex = methods(own).latex
    assert r"50\% \& more\_" in latex
    assert r"~\citep{alpaydin1999}" in latex.replace("\n", " ")


def test_correction_and_post_hoc_test_are_told_once():
    rows = [
        pair("a", "b", 0.01, 0.05, test="mcnemar", family=3, correction="holm", follows="cochran_q")
    ]
    own = plain(omnibus(0.01), *rows, models=ABC, tests=("mcnemar", "cochran_q"))
    text = methods(own).text
    assert text.count("McNemar's test") == 1
    assert (
        "All models were compared at once in accuracy by Cochran's Q test (Cochran 1950) on "
        "held-out test rows, followed by McNemar's test (Fagerland et al. 2013) of every pair; "
        "p-values of 3 hypotheses were adjusted by the Holm procedure (Holm 1979)."
    ) in text


def test_side_margin_and_control_are_told():
    row = pair("a", "b", 0.01, 0.05, test="tost_paired", margin=0.02, variant="corrected")
    text = methods(plain(row, tests=("tost_paired",))).text
    assert "(a margin of ±0.02)" in text
    one = pair("a", "b", 0.01, 0.05, alternative="greater")
    assert "(one-sided)" in methods(plain(one)).text
    rows = [pair("a", other, 0.01, 0.05, family=2) for other in "bc"]
    assert "a was compared with each other model" in methods(plain(*rows, models=ABC)).text


def test_choices_of_fits_are_told():
    own = plain()
    entry = {"estimator": "sklearn.svm.SVC"}
    models = {
        "a": entry
        | {
            "tune": {"space": {"C": [1, 10], "gamma": [0.1, 1]}, "scoring": "f1", "cv": 3},
            "class_weight": "balanced",
        },
        "b": entry | {"threshold": {"choose": "f1"}, "seeds": 4, "preprocessing": "none"},
    }
    text = methods(changed(own, models=models)).text
    for said in (
        "C and gamma of a were chosen by a grid search for f1 on 3-fold cross-validation inside "
        "each training part.",
        "In training a, classes were weighted inversely to their frequency.",
        "The threshold of b was chosen to optimise f1 on 5-fold out-of-fold predictions of the "
        "training rows.",
        "b was fitted with 4 seeds in every fold; its score is the mean over seeds.",
        "For a, numbers were standardised",
        "b used the columns without preprocessing.",
    ):
        assert said in text


def test_what_was_left_out_or_missing_is_told():
    odd = card("d") | {
        "rows_filtered": 12,
        "rows_dropped_without_target": 1,
        "merged": {"ill": ["2", "3"]},
        "missing_cells": 4,
    }
    odd["features"] = odd["features"] | {"c": {"kind": "category", "missing": 4, "distinct": 3}}
    text = methods(dataclasses.replace(plain(), cards={"d": odd})).text
    assert "12 rows by a filter and 1 row without a label were left out." in text
    assert "The classes 2 and 3 were pooled as ill." in text
    assert "0.67% of the feature values are missing." in text
    assert "were encoded as numbers, missing values were imputed" in text


def test_groups_are_told_with_what_they_are_worth():
    spec = experiment(AB, tests=("mcnemar",)).resolved()
    spec["datasets"]["d"]["groups"] = "patient"
    row = pair(
        "a", "b", 0.01, 0.05, test="mcnemar",
        result={"details": {"n_clusters": 20, "n_effective": 61.3}},
    )  # fmt: skip
    own = dataclasses.replace(
        plain(row, tests=("mcnemar",)),
        experiment=load_experiment(spec),
        analysis=AnalysisPlan((PlannedTest(name="mcnemar"),)),
        divisions=[division("d", "holdout") | {"groups": 20}],
    )
    text = methods(own).text
    assert "No group of rows of d was divided between training and test." in text
    assert (
        "Rows of d come in groups by patient; the effective sample size of 200 rows is about 61 "
        "rows; the tests on rows account for this."
    ) in text
    said = pair("a", "b", 0.01, 0.05, test="mcnemar", result={"independent_rows": True})
    taken = dataclasses.replace(own, comparisons=(said,), analysis=AnalysisPlan())
    assert "tests on rows nevertheless treated them as independent." in methods(taken).text


def test_given_models_and_failed_fits_are_told():
    own = plain()
    models = {"a": {"predictions": "a.csv"}, "b": DUMMY}
    given = changed(own, models=models, resampling={"holdout": {}}, tests={"run": ["mcnemar"]})
    failed = pd.DataFrame([{"model": "b", "dataset": "d", "why": "it took too long"}])
    text = methods(dataclasses.replace(given, failed=failed)).text
    assert "a was trained elsewhere and represented by its predictions." in text
    assert "b on d was left out because fits failed." in text


DUMMY = {"estimator": "sklearn.dummy.DummyClassifier"}


def test_items_of_checklists_are_in_their_order():
    found = methods(plain()).checklists
    assert found["REFORMS (Kapoor et al. 2024)"].startswith("2c, 3d, 3e, 4c")
    assert found["TRIPOD+AI (Collins et al. 2024)"].split(", ")[-2:] == ["12e", "21"]


def test_every_source_has_authors_without_commands():
    assert not [key for key in BIBTEX if re.search(r"[\\{}]|^\w+\d{4}\w*$", author_year(key))]
