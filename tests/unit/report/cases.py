"""The situations that the report must find words for, which the text files beside hold."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
from studies import DUMMY, card, division, experiment, omnibus, pair, ran, study

from bakeoff import compare
from bakeoff.comparisons import Decision
from bakeoff.comparisons.row_tables import SUBGROUPS, subgroups_of, tabulate
from bakeoff.spec import AnalysisPlan, PlannedTest, load_experiment

NAN = math.nan
TWO = {"a": 0.95, "b": 0.90}
THREE = {"a": 0.95, "b": 0.94, "c": 0.90}
OVER = {"a": [0.95, 0.9, 0.8], "b": [0.94, 0.88, 0.79], "c": [0.9, 0.85, 0.7]}
CI = {"ci_low": 0.02, "ci_high": 0.08, "confidence": 0.95}
WIDE = {"ci_low": -0.02, "ci_high": 0.12, "confidence": 0.95}
AB, ABC = ("a", "b"), ("a", "b", "c")


def _two(*comparisons, models=AB, tests=("cv5x2_f",), means=TWO, **more):
    return study(experiment(models, tests=tests, **more), comparisons, means)


def _pairs(ab, ac, bc, *, test="cv5x2_f", **more):
    ps = {("a", "b"): (ab, 0.01), ("a", "c"): (ac, 0.05), ("b", "c"): (bc, 0.04)}
    return [pair(*names, p, d, test=test, family=3, **more) for names, (p, d) in ps.items()]


def _three(*comparisons, tests=("cv5x2_f",), **more):
    options = {"accuracies": {"a": 0.95, "b": 0.94, "c": 0.90}} | more
    return study(experiment(ABC, tests=tests), comparisons, THREE, **options)


def _on_rows(*comparisons):
    return _three(*comparisons, tests=("mcnemar", "cochran_q"))


def _undefined():
    reason = {"reason": "accuracy is undefined on a fold: no class probabilities"}
    more = {"status": "undefined_metric", "result": reason, "correction": "none"}
    rows = [pair(a, b, NAN, NAN, **more) for a, b in (("a", "b"), ("a", "c"), ("b", "c"))]
    return _three(*rows, undefined=("c",))


TOST = {"test": "tost_paired", "decision": Decision.EQUIVALENT, "margin": 0.02}
NEAR = {"ci_low": -0.006, "ci_high": 0.014, "confidence": 0.95}


def _within(p, within, test="cv5x2_f", tost=TOST, ci=NEAR, **result):
    """Compare two models that differ by less than the margin."""
    rows = (
        pair("a", "b", p, 0.004, test=test, **ci),
        pair("a", "b", within, 0.004, **tost, **result),
    )
    return _two(*rows, tests=(test, tost["test"]), means={"a": 0.904, "b": 0.9})


def _bayes(a, equal, b):
    says = {a: Decision.A_BETTER, equal: Decision.EQUIVALENT, b: Decision.B_BETTER}
    decision = next((d for p, d in says.items() if p >= 0.95), Decision.NOT_SHOWN)
    known = {"p_a_better": a, "p_equivalent": equal, "p_b_better": b, "rope": 0.01}
    row = pair("a", "b", NAN, 0.05, test="bayes_correlated_t", decision=decision, **known)
    return _two(row, tests=("bayes_correlated_t",))


def _over_datasets(ps, ranks=(1.0, 2.0, 3.0), means=OVER, n=3, **found):
    """Compare three models by their average ranks over three data sets."""
    spec = experiment(ABC, datasets=("d", "e", "f"), tests=("friedman_posthoc",))
    known = {"ranks": {"models": list(ABC), "average_ranks": list(ranks)}, **found}
    more = {"test": "friedman_posthoc", "dataset": "", "family": 3, "n": n, "result": known}
    rank = dict(zip(ABC, ranks, strict=True))
    pairs = zip(("ab", "ac", "bc"), ps, strict=True)
    rows = [pair(a, b, p, rank[b] - rank[a], **more) for (a, b), p in pairs]
    return study(spec, rows, means)


def _dataset_by_dataset():
    spec = experiment(AB, datasets=("d", "e", "f"), tests=("cv5x2_f",))
    rows = [
        pair("a", "b", 0.01, 0.05),
        pair("a", "b", 0.2, 0.05, dataset="e"),
        pair("a", "b", NAN, 0.05, dataset="f", status="zero_variance"),
    ]
    return study(spec, rows, OVER)


def _versus(ba, bc, **more):
    rows = [pair("b", "a", *ba, family=2, **more), pair("b", "c", *bc, family=2, **more)]
    return _three(*rows)


def _one_sided():
    ends = {"ci_low": -0.12, "ci_high": math.inf, "confidence": 0.95, "alternative": "greater"}
    return _two(pair("b", "a", 0.97, -0.05, decision=Decision.NOT_SHOWN, **ends))


def _costly(p, tests=("mcnemar", "cost_sensitive")):
    costs = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
    spec = experiment(AB, tests=tests, costs=costs, metrics=["accuracy", "cost"])
    right = pair("a", "b", 0.3, 0.05, test="mcnemar", **WIDE)
    cheap = pair(
        "a", "b", p, -0.1, test="cost_sensitive", metric="cost", plan="holdout", n=200,
        ci_low=-0.3, ci_high=-0.02, confidence=0.95,
    )  # fmt: skip
    found = [row for row in (right, cheap) if row.test in tests]
    return study(spec, found, TWO)


def _loss():
    spec = experiment(AB, tests=("cv5x2_f",), metrics=["log_loss"])
    row = pair("a", "b", 0.01, 0.05, metric="log_loss", **CI)
    return study(spec, [row], {"a": 0.2, "b": 0.25}, metric="log_loss")


def _tied(bc, **more):
    """Compare a with its twin b, and both with c."""
    same = {"status": "identical_scores"}
    rows = [pair("a", "b", 1.0, 0.0, family=3, **same, **more)]
    rows += [pair(m, "c", bc, 0.05, family=3, **more) for m in "ab"]
    means = {"a": 0.95, "b": 0.95, "c": 0.9}
    return study(experiment(ABC, tests=(more.get("test", "cv5x2_f"),)), rows, means)


TIED = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.9], "c": [0.7, 0.9, 0.8]}
LEFT_OUT = ["data set f was left out: c has no accuracy on f (no fit)"]


def _by_metrics(ps, models=AB, **more):
    """Compare by accuracy, F1 and AUC; `ps` are the p-values of each, pair by pair."""
    spec = experiment(models, tests=("cv5x2_f",), metrics=["accuracy", "f1", "roc_auc"], **more)
    pairs = list(itertools.combinations(models, 2))
    rows = [
        pair(a, b, abs(p), math.copysign(0.05, p), metric=metric, family=len(pairs))
        for metric, own in ps.items()
        for (a, b), p in zip(pairs, own, strict=True)
    ]
    return study(spec, rows, TWO if models == AB else THREE)


def _rows(*rates, n=300, again=1, columns=None, **more):
    """Compare models that are right on a share of the rows, in so many runs of each."""
    rng = np.random.default_rng(7)
    truth = np.where(np.arange(n) % 5 < 2, "yes", "no")
    other = np.where(truth == "yes", "no", "yes")
    runs = {
        f"m{i}": [np.where(rng.random(n) < rate, truth, other) for _ in range(again)]
        for i, rate in enumerate(rates)
    }
    found = compare(truth, {m: own if again > 1 else own[0] for m, own in runs.items()}, **more)
    return found._study


def _failed():
    reasons = "MemoryError: \x07too big.", "slow"
    rows = [{"model": "c", "dataset": "d", "why": why} for why in reasons]
    one = _three(*_pairs(0.2, 0.0001, 0.01))
    return dataclasses.replace(one, failed=pd.DataFrame(rows), told=("3 rows count as wrong.",))


def _noted():
    columns = [{"column": "patient", "groups": 40, "why": "it is named like an id"}]
    one = _two(pair("a", "b", 0.003, 0.05, **CI))
    return dataclasses.replace(one, cards={"d": card("d") | {"group_columns": columns}})


def _depends(p):
    line = {
        "dataset": "d", "metric": "accuracy", "role": "interaction", "column": "sex", "pvalue": p,
        "model_a": "a", "model_b": "b", "pvalue_adjusted": p, "family_size": 1,
        "decision": "different" if p < 0.05 else "no_difference_shown",
    }  # fmt: skip
    one = _two(pair("a", "b", 0.003, 0.05, **CI))
    return dataclasses.replace(one, subgroups=pd.DataFrame([line]))


def _single(datasets="d", **options):
    """Test the accuracy of a single model, .87, against a value."""
    tests = {"run": ["binomial_test"], "options": {"binomial_test": options}}
    spec = experiment(("a",), datasets=tuple(datasets), tests=tests)
    return ran(spec, {"a": 0.87}, accuracies={"a": 0.87})


CASES = {
    "no model beats the baseline": lambda: _rows(0.6, 0.58),
    "every model is worse than the baseline, exchanged classes": lambda: _rows(0.1, 0.2),
    "on no data set better than the baseline": lambda: study(
        experiment(AB, datasets=("d", "e", "f"), tests=("cv5x2_f",)),
        (),
        {"a": [0.6, 0.61, 0.62], "b": [0.5, 0.55, 0.52]},
    ),
    "nearly perfect": lambda: _rows(0.999, 0.9),
    "too few groups": lambda: _rows(0.9, 0.8, 0.7, groups=np.arange(300) // 60),
    "training runs": lambda: _rows(0.95, 0.7, again=4),
    "failed fits": _failed,
    "an id of groups": _noted,
    "a difference that depends on a column": lambda: _depends(0.01),
    "one model above a value": lambda: _single(p0=0.8),
    "one model below a value": lambda: _single(p0=0.95),
    "one model and a value, cannot tell": lambda: _single(p0=0.85),
    "one model and a value, one-sided": lambda: _single(p0=0.9, alternative="greater"),
    "one of two is better than the baseline": lambda: _rows(0.9, 0.62),
    "on one data set better than the baseline": lambda: study(
        experiment(AB, datasets=("d", "e"), tests=("cv5x2_f",)),
        (),
        {"a": [0.95, 0.61], "b": [0.9, 0.605]},
    ),
    "a learner that was not simulated": lambda: _two(
        pair("a", "b", 0.01, 0.05, test="resampled_t", plan="resampled", **CI),
        tests=("resampled_t",),
        resampling={"resampled": {}},
        estimator="sklearn.svm.NuSVC",
    ),
    "many data sets without a test over them": lambda: study(
        experiment(AB, datasets=[f"d{i}" for i in range(7)], tests=("cv5x2_f",)),
        (),
        {"a": [0.9] * 7, "b": [0.8] * 7},
    ),
    "other metrics tell": lambda: _by_metrics(
        {"accuracy": [0.3], "f1": [0.002], "roc_auc": [0.03]}
    ),
    "another metric tells the opposite": lambda: _by_metrics(
        {"accuracy": [0.003], "f1": [-0.002], "roc_auc": [0.01]}
    ),
    "other metrics do not tell": lambda: _by_metrics(
        {"accuracy": [0.003], "f1": [0.3], "roc_auc": [0.06]}
    ),
    "other metrics, three models": lambda: _by_metrics(
        {"accuracy": [0.3, 0.001, 0.2], "f1": [0.01, 0.001, 0.001], "roc_auc": [0.3, 0.3, 0.2]},
        ABC,
    ),
    "twins lead": lambda: _tied(0.001),
    "twins lead, a third is open": lambda: _tied(0.2),
    "equal ranks over data sets": lambda: _over_datasets((1.0, 1.0, 1.0), (2.0, 2.0, 2.0), TIED),
    "equal ranks without a test over data sets": lambda: study(
        experiment(ABC, datasets=("d", "e", "f"), tests=("cv5x2_f",)), (), TIED
    ),
    "equal accuracy, different answers": lambda: _two(
        pair("a", "b", 1.0, 0.0, test="mcnemar", **WIDE),
        tests=("mcnemar",),
        means={"a": 0.9, "b": 0.9},
    ),
    "two models, one better": lambda: _two(pair("a", "b", 0.003, 0.05, **CI)),
    "two models, cannot tell": lambda: _two(pair("a", "b", 0.3, 0.05, **WIDE)),
    "two models, no variance": lambda: _two(pair("a", "b", NAN, 0.05, status="zero_variance")),
    "two models, identical scores": lambda: _two(
        pair("a", "b", 1.0, 0.0, status="identical_scores"), means={"a": 0.9, "b": 0.9}
    ),
    "two models, too few folds": lambda: _two(pair("a", "b", NAN, 0.05, status="too_few")),
    "two models that differ, neither ahead": lambda: _two(
        pair("a", "b", 0.01, 0.0), means={"a": 0.9, "b": 0.9}
    ),
    "a test against the mean": lambda: _two(pair("a", "b", 0.01, -0.02)),
    "a test that is too lenient": lambda: _two(
        pair("a", "b", 0.01, 0.05, test="resampled_t", plan="resampled", **CI),
        tests=("resampled_t",),
        resampling={"resampled": {}},
        estimator="sklearn.linear_model.LogisticRegression",
    ),
    "the best of three": lambda: _three(*_pairs(0.001, 0.0001, 0.01)),
    "better than some": lambda: _three(*_pairs(0.2, 0.0001, 0.01)),
    "only others differ": lambda: _three(*_pairs(0.2, 0.03, 0.01)),
    "three models, cannot tell": lambda: _three(*_pairs(0.2, 0.03, 0.2, **WIDE)),
    "all at once significant, no pair": lambda: _on_rows(
        *_pairs(0.5, 0.02, 0.1, test="mcnemar"), omnibus(0.01)
    ),
    "a pair significant, not all at once": lambda: _on_rows(
        *_pairs(0.5, 0.01, 0.1, test="mcnemar"), omnibus(0.08)
    ),
    "algorithms and fitted models part ways": lambda: _three(
        *_pairs(0.001, 0.0001, 0.01),
        *_pairs(0.5, 0.3, 0.1, test="mcnemar"),
        tests=("cv5x2_f", "mcnemar"),
    ),
    "a model without scores": _undefined,
    "practically equivalent": lambda: _within(0.3, 0.003),
    "better, yet practically equivalent": lambda: _within(
        0.003, 0.001, ci={"ci_low": 0.001, "ci_high": 0.007, "confidence": 0.95}
    ),
    "not inferior": lambda: _within(
        0.3, 0.003, "mcnemar", TOST | {"test": "noninferiority"}, result={"verdict": "not inferior"}
    ),
    "versus a control, both ways": lambda: _versus((0.003, -0.05), (0.01, 0.04)),
    "versus a control, one": lambda: _versus((0.003, -0.05), (0.3, 0.04)),
    "versus a control, none": lambda: _versus((0.3, -0.05), (0.3, 0.04)),
    "one-sided, the other way": _one_sided,
    "costs that are shown": lambda: _costly(0.01),
    "costs alone": lambda: _costly(0.01, tests=("cost_sensitive",)),
    "better than one, undecided on the other": lambda: _three(
        *_pairs(0.001, NAN, NAN, status="zero_variance")
    ),
    "names beyond measure": lambda: _two(
        pair("a", "b", 0.3, 0.05, **WIDE), models={"a": "x" * 200, "b": "模型 " * 60}
    ),
    "a posterior against the mean": lambda: _bayes(0.01, 0.03, 0.96),
    "posterior for one": lambda: _bayes(0.97, 0.02, 0.01),
    "posterior for equivalence": lambda: _bayes(0.02, 0.97, 0.01),
    "over data sets, some": lambda: _over_datasets((0.2, 0.01, 0.2)),
    "over data sets, some left out": lambda: _over_datasets(
        (0.4, 0.4, 1.0), (1.0, 2.5, 2.5), n=2, left_out=LEFT_OUT
    ),
    "data set by data set": _dataset_by_dataset,
    "one model and a value on several data sets": lambda: _single("def", p0=0.5),
    "versus a control, undecided": lambda: _versus((NAN, NAN), (NAN, NAN), status="too_few"),
    "posterior for none": lambda: _bayes(0.7, 0.2, 0.1),
    "one model": lambda: study(experiment(("a",), tests=("one_sample_t",)), (), {"a": 0.9}),
    "no test of pairs": lambda: _two(tests=("one_sample_t",)),
    "a loss": _loss,
    "real tests": lambda: ran(experiment(ABC), THREE, accuracies={"a": 0.97, "b": 0.96, "c": 0.80}),
}

LABELS = ("a", "b", "a longer name")
SCORES = dict(zip(LABELS, (0.93, 0.9, 0.84), strict=True))
MANY = ("cv5x2_f", "cv5x2_t", "bayes_correlated_t", "mcnemar", "cochran_q")


def _one_data_set():
    labels = {f"m{i}": name for i, name in enumerate(LABELS)}
    means = dict(zip(labels, SCORES.values(), strict=True))
    spec = experiment(labels, tests=MANY, subgroups=["site"])
    found = ran(spec, means, accuracies=means)
    site = pd.Categorical(np.where(np.arange(200) % 3 == 0, "north", "south"))
    rows = dataclasses.replace(found.test_sets["d"], metric="accuracy", subgroups={"site": site})
    return dataclasses.replace(found, subgroups=tabulate(subgroups_of("d", rows, spec), SUBGROUPS))


def _several_data_sets():
    means = {"a": [0.9, 0.8, 0.95, 0.7, 0.8], "b": [0.85, 0.82, 0.9, 0.6, 0.75]}
    means |= {"c": [0.7, 0.75, 0.8, 0.5, 0.6]}
    tests = ("nemenyi", "wilcoxon_signed_rank", "bayes_correlated_t", "mcnemar")
    return ran(experiment(list(means), datasets=[f"d{i}" for i in range(5)], tests=tests), means)


EXHIBITED = {"one data set": _one_data_set, "several data sets": _several_data_sets}


def _plain(*rows, models=AB, tests=("cv5x2_f",), **more):
    spec = experiment(models, tests=tests, **more)
    return study(spec, rows or [pair("a", "b", 0.01, 0.05)], dict.fromkeys(models, 0.9))


def _changed(one, **more):
    resolved = one.experiment.resolved() | more
    return dataclasses.replace(one, experiment=load_experiment(resolved))


def _followed():
    more = {"test": "mcnemar", "family": 3, "correction": "holm", "follows": "cochran_q"}
    rows = omnibus(0.01), pair("a", "b", 0.01, 0.05, **more)
    return _plain(*rows, models=ABC, tests=("mcnemar", "cochran_q"))


def _choosing():
    svc = {"estimator": "sklearn.svm.SVC"}
    tune = {"space": {"C": [1, 10], "gamma": [0.1, 1]}, "scoring": "f1", "cv": 3}
    tuned = {"tune": tune, "class_weight": "balanced"}
    seeded = {"threshold": {"choose": "f1"}, "seeds": 4, "preprocessing": "none"}
    return _changed(_plain(), models={"a": svc | tuned, "b": svc | seeded})


def _left_out():
    odd = card("d") | {
        "rows_filtered": 12,
        "rows_dropped_without_target": 1,
        "merged": {"ill": ["2", "3"]},
        "missing_cells": 4,
    }
    odd["features"] = odd["features"] | {"c": {"kind": "category", "missing": 4, "distinct": 3}}
    return dataclasses.replace(_plain(), cards={"d": odd})


def _grouped(result, plan=()):
    row = pair("a", "b", 0.01, 0.05, test="mcnemar", result=result)
    spec = experiment(AB, tests=("mcnemar",)).resolved()
    spec["datasets"]["d"]["groups"] = "patient"
    return dataclasses.replace(
        _plain(row, tests=("mcnemar",)),
        experiment=load_experiment(spec),
        analysis=AnalysisPlan(plan),
        divisions=[division("d", "holdout") | {"groups": 20}],
    )


def _given():
    models = {"a": {"predictions": "a.csv"}, "b": {"estimator": DUMMY}}
    plans = {"resampling": {"holdout": {}}, "tests": {"run": ["mcnemar"]}}
    failed = pd.DataFrame([{"model": "b", "dataset": "d", "why": "it took too long"}])
    return dataclasses.replace(_changed(_plain(), models=models, **plans), failed=failed)


METHODS = {
    "two models in words": _plain,
    "names that LaTeX would read": lambda: _plain(models={"a": "50% & more_", "b": "B"}),
    "an omnibus test and the test of pairs that follows": _followed,
    "a margin": lambda: _plain(
        pair("a", "b", 0.01, 0.05, test="tost_paired", margin=0.02, variant="corrected"),
        tests=("tost_paired",),
    ),
    "one side": lambda: _plain(pair("a", "b", 0.01, 0.05, alternative="greater")),
    "a control": lambda: _plain(
        *(pair("a", other, 0.01, 0.05, family=2) for other in "bc"), models=ABC
    ),
    "choices of fits": _choosing,
    "rows left out and values missing": _left_out,
    "groups": lambda: _grouped(
        {"details": {"n_clusters": 20, "n_effective": 61.3}}, (PlannedTest(name="mcnemar"),)
    ),
    "groups that are not respected": lambda: _grouped({"independent_rows": True}),
    "a given model and failed fits": _given,
}
