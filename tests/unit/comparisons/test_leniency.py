"""Each comparison says for which of its learners the test was liberal in simulations."""

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.leniency import leniency
from bakeoff.spec import load_experiment
from bakeoff.stats import catalogue

INSTEAD = "; instead half_sample_t"


def of_pairs(rows):
    return {(row.model_a, row.model_b): row.caution for row in rows}


def test_pairs_with_nearest_neighbours_carry_a_caution_and_others_none(study):
    rows = study.run({"run": ["cv5x2_f"]}, datasets={"cancer": study.config["datasets"]["cancer"]})
    said = of_pairs(row for row in rows if row.metric == "accuracy")
    assert said == {
        ("tree", "bayes"): "",
        ("tree", "knn"): f"liberal for neighbours (knn){INSTEAD}",
        ("bayes", "knn"): f"liberal for neighbours (knn){INSTEAD}",
    }


def test_test_that_holds_carries_none(study):
    rows = study.run({"run": ["mcnemar", "half_sample_t", "iman_davenport"]})
    assert {row.caution for row in rows} == {""}


def test_test_of_all_models_and_what_comes_along_carry_their_own(study):
    rows = study.run({"run": ["anova_repeated_measures"]})
    omnibus = [row for row in rows if row.role == "omnibus"]
    assert {row.caution for row in omnibus} == {
        "liberal for neighbours (knn); instead half_sample_t"
    }
    pairs = {(row.test, row.caution) for row in rows if row.role == "pair"}
    assert pairs == {("corrected_kfold_t", "")}


def config(**changes):
    return load_experiment(
        {
            "experiment": "e",
            "datasets": {
                "one": {"source": "file", "path": "a.csv", "target": "y", "groups": "g"},
                "two": {"source": "file", "path": "b.csv", "target": "y"},
            },
            "models": {
                "lda": {
                    "estimator": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
                },
                "own": {"estimator": "mine.Own"},
            },
            "resampling": {"cv_5x2": {}},
            **changes,
        }
    )


def test_groups_of_one_data_set_are_no_caution_about_another():
    entry = catalogue()["cv5x2_f"]
    said = {
        dataset: leniency(entry, config(), metric="accuracy", dataset=dataset).caution(["lda"])
        for dataset in ("one", "two")
    }
    assert said == {"one": f"liberal for rows in groups{INSTEAD}", "two": ""}


def test_learners_that_were_not_simulated_are_told():
    found = leniency(catalogue()["cv5x2_f"], config(), metric="accuracy", dataset="two")
    assert found.caution(["lda", "own"]) == "not simulated for learners like own"
    assert found.caution(["lda"]) == ""


def test_fits_that_failed_make_a_caution():
    found = leniency(catalogue()["cv5x2_mcnemar"], config(), ["own"], "accuracy", "two")
    assert found.caution(["lda"]) == f"liberal for failing fits{INSTEAD}"


def test_results_of_an_earlier_release_have_none():
    columns = Comparison.columns()
    assert columns[-1] == "caution"  # the others stay where they were
