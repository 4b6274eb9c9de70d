"""The situations that the report must find words for, which the text files beside hold."""

import dataclasses
import functools
import itertools
import math

import numpy as np
import pandas as pd
from scipy import signal

import bakeoff
from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.row_tables import subgroup_table
from bakeoff.comparisons.run_tests import Decision
from bakeoff.report.verdict import answer
from bakeoff.spec import AnalysisPlan, load_experiment
from tests.unit.report.studies import (
    DUMMY,
    REGRESSION,
    card,
    division,
    experiment,
    labelled,
    omnibus,
    pair,
    raced,
    ran,
    study,
)

NAN = math.nan
TWO = {"a": 0.95, "b": 0.90}
THREE = {"a": 0.95, "b": 0.94, "c": 0.90}
OVER = {"a": [0.95, 0.9, 0.8], "b": [0.94, 0.88, 0.79], "c": [0.9, 0.85, 0.7]}
CI = {"ci_low": 0.02, "ci_high": 0.08, "confidence": 0.95}
WIDE = {"ci_low": -0.02, "ci_high": 0.12, "confidence": 0.95}
AB, ABC = ("a", "b"), ("a", "b", "c")
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}


def _found(*comparisons, models=AB, tests=("cv5x2_f",), means=TWO, **more):
    return study(experiment(models, tests=tests, **more), comparisons, means)


def _pairs(ab, ac, bc, *, test="cv5x2_f", **more):
    ps = {("a", "b"): (ab, 0.01), ("a", "c"): (ac, 0.05), ("b", "c"): (bc, 0.04)}
    return [pair(*names, p, d, test=test, family=3, **more) for names, (p, d) in ps.items()]


def _three(*comparisons, tests=("cv5x2_f",), **more):
    options = {"accuracies": {"a": 0.95, "b": 0.94, "c": 0.90}} | more
    return study(experiment(ABC, tests=tests), comparisons, THREE, **options)


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
    return _found(*rows, tests=(test, tost["test"]), means={"a": 0.904, "b": 0.9})


def _bayes(a, equal, b):
    says = {a: Decision.A_BETTER, equal: Decision.EQUIVALENT, b: Decision.B_BETTER}
    decision = next((d for p, d in says.items() if p >= 0.95), Decision.NOT_SHOWN)
    known = {"p_a_better": a, "p_equivalent": equal, "p_b_better": b, "rope": 0.01}
    row = pair("a", "b", NAN, 0.05, test="bayes_correlated_t", decision=decision, **known)
    return _found(row, tests=("bayes_correlated_t",))


def _over_datasets(ps, ranks=(1.0, 2.0, 3.0), means=OVER, n=3, **found):
    """Compare three models by their average ranks over three data sets."""
    result = {"ranks": {"models": list(ABC), "average_ranks": list(ranks)}, **found}
    more = {"test": "friedman_posthoc", "dataset": "", "family": 3, "n": n, "result": result}
    rank = dict(zip(ABC, ranks, strict=True))
    pairs = zip(("ab", "ac", "bc"), ps, strict=True)
    rows = [pair(a, b, p, rank[b] - rank[a], **more) for (a, b), p in pairs]
    return _found(*rows, models=ABC, datasets="def", tests=("friedman_posthoc",), means=means)


def _untested(means, datasets="def"):
    """Score models on data sets, over which there is no test."""
    return _found(models=list(means), datasets=datasets, means=means)


def _dataset_by_dataset():
    rows = [
        pair("a", "b", 0.01, 0.05),
        pair("a", "b", 0.2, 0.05, dataset="e"),
        pair("a", "b", NAN, 0.05, dataset="f", status="zero_variance"),
    ]
    return _found(*rows, datasets="def", means=OVER)


def _versus(ba, bc, **more):
    rows = [pair("b", "a", *ba, family=2, **more), pair("b", "c", *bc, family=2, **more)]
    return _three(*rows)


def _one_sided():
    ends = {"ci_low": -0.12, "ci_high": math.inf, "confidence": 0.95, "alternative": "greater"}
    return _found(pair("b", "a", 0.97, -0.05, decision=Decision.NOT_SHOWN, **ends))


def _costly(p, tests=("mcnemar", "cost_sensitive")):
    right = pair("a", "b", 0.3, 0.05, test="mcnemar", **WIDE)
    cheap = pair(
        "a", "b", p, -0.1, test="cost_sensitive", metric="cost", plan="holdout", n=200,
        ci_low=-0.3, ci_high=-0.02, confidence=0.95,
    )  # fmt: skip
    rows = [row for row in (right, cheap) if row.test in tests]
    return _found(*rows, tests=tests, costs=COSTS, metrics=["accuracy", "cost"])


def _tied(bc):
    """Compare a with its twin b, and both with c."""
    rows = [pair("a", "b", 1.0, 0.0, family=3, status="identical_scores")]
    rows += [pair(m, "c", bc, 0.05, family=3) for m in "ab"]
    means = {"a": 0.95, "b": 0.95, "c": 0.9}
    return _found(*rows, models=ABC, means=means)


FEW_GROUPS = {"assumptions": [{"name": "enough groups", "holds": False, "detail": "4 groups"}]}
TIED = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.9], "c": [0.7, 0.9, 0.8]}
LEFT_OUT = ["data set f was left out: c has no accuracy on f (no fit)"]


def _by_metrics(ps, models=AB):
    """Compare by accuracy, F1 and AUC; `ps` are the p-values of each, pair by pair."""
    pairs = list(itertools.combinations(models, 2))
    rows = [
        pair(a, b, abs(p), math.copysign(0.05, p), metric=metric, family=len(pairs))
        for metric, each in ps.items()
        for (a, b), p in zip(pairs, each, strict=True)
    ]
    return _found(*rows, models=models, means=TWO if models == AB else THREE, metrics=list(ps))


def _rows(*rates, again=1, **more):
    """Compare models that are right on a share of the rows, in so many runs of each."""
    rng, n = np.random.default_rng(7), 300
    truth = np.where(np.arange(n) % 5 < 2, "yes", "no")
    other = np.where(truth == "yes", "no", "yes")
    runs = {
        f"m{i}": [np.where(rng.random(n) < rate, truth, other) for _ in range(again)]
        for i, rate in enumerate(rates)
    }
    runs = {model: own if again > 1 else own[0] for model, own in runs.items()}
    return bakeoff.compare(truth, runs, **more)._study


def _failed():
    reasons = "MemoryError: \x07too big.", "slow"
    rows = [{"model": "c", "dataset": "d", "why": why} for why in reasons]
    one = _three(*_pairs(0.2, 0.0001, 0.01))
    return dataclasses.replace(
        one, failed=pd.DataFrame(rows), preparation=("3 rows count as wrong.",)
    )


def _depends(p):
    line = {
        "dataset": "d", "metric": "accuracy", "role": "interaction", "column": "sex", "pvalue": p,
        "model_a": "a", "model_b": "b", "pvalue_adjusted": p, "family_size": 1,
        "decision": "different" if p < 0.05 else "no_difference_shown",
    }  # fmt: skip
    one = _found(pair("a", "b", 0.003, 0.05, **CI))
    return dataclasses.replace(one, subgroups=pd.DataFrame([line]))


def _single(datasets="d", models="a", **options):
    """Test the accuracy of each model by itself, .87, against a value."""
    tests = {"run": ["binomial_test"], "options": {"binomial_test": options}}
    accuracy = dict.fromkeys(models, 0.87)
    return ran(experiment(models, datasets, tests), accuracy, accuracies=accuracy)


def _right(right, **related):
    """Compare models that are right where `right` (N, M) says so."""
    truth = np.arange(len(right)) % 2
    models = {f"m{m}": np.where(column, truth, 1 - truth) for m, column in enumerate(right.T)}
    frame = pd.DataFrame(models).map({0: "no", 1: "yes"}.get)
    return bakeoff.compare(pd.Series(truth).map({0: "no", 1: "yes"}.get), frame, **related)._study


def _clear(n, models, **related):
    """Compare models of which the first is better, on independent rows."""
    rates = np.where(np.arange(models) == 0, 0.85, 0.6)
    return _right(np.random.default_rng(0).random((n, models)) < rates, **related)


def _lasting(models):
    """Compare models of which the second is right and wrong in long runs of rows."""
    rng = np.random.default_rng(5)
    tilt = signal.lfilter([1.0], [1.0, -0.97], rng.normal(size=400)) / 4
    first = tilt + rng.normal(size=400) * 0.5 > -2 if models == 2 else np.ones(400, bool)
    right = [first, tilt < -1, rng.random(400) < 0.5]
    return _right(np.stack(right[:models], axis=1), time=np.arange(400))


def _scores_in_time(models, lasting, **more):
    """Compare scores of the positive class, the first model's with long good spells or better."""
    rng, n = np.random.default_rng(6), 800
    truth, shift = rng.integers(0, 2, n), np.full((n, models), 0.6)
    shift[:, 0] = 1.4
    if lasting:
        shift[:, 0] += np.sin(np.arange(n) / 40)
    scores = (2 * truth[:, None] - 1) * shift + rng.normal(size=(n, models))
    chances = pd.DataFrame(1 / (1 + np.exp(-scores)), columns=[f"m{m}" for m in range(models)])
    return bakeoff.compare(truth, chances, time=np.arange(n), metrics="roc_auc", **more)._study


def _losses_in_time():
    losses = np.random.default_rng(1).gamma(2, size=(300, 6)) * np.where(np.arange(6), 1, 0.5)
    frame = pd.DataFrame(losses, columns=[f"m{m}" for m in range(6)])
    return bakeoff.compare(None, frame, values="lower", time=np.arange(300))._study


def _described(unit):
    """Compare by a metric of the user, which has a unit and of which less is better."""
    measure = {"name": "rmse", "greater_is_better": False, "label": "RMSE", "unit": unit}
    row = pair("a", "b", 0.01, -0.5, metric="rmse", decision=Decision.B_BETTER)
    return _found(row, means={"a": 2.5, "b": 2.0}, metrics=[measure])


def within(margin, *tests, models="abc"):
    """Test equivalence within a margin."""
    run = ["tost_paired", *tests]
    spec = experiment(models, tests={"run": run, "margin": margin, "correction": "bonferroni"})
    means = {model: 0.9 - i / 50 for i, model in enumerate(models)}
    return ran(spec, means, accuracies=means)


def _odd(columns=0, repeats=0, leaks=(), chance=0.0, p=0.003, **more):
    """Compare on a data set with columns like ids, repeated rows, and test rows that repeat."""
    why = {"groups": 40, "why": "it is named like an id"}
    known = card("d") | {"duplicate_rows": repeats, "pairs_by_chance": chance, **more}
    known["group_columns"] = [{"column": f"patient{i}", **why} for i in range(columns)]
    plans = [division("d", "cv_5x2"), division("d", "holdout")]
    for place, n in leaks:
        plans[0]["parts"][place] = plans[0]["parts"][place] | {"repeated": n}
    one = _found(pair("a", "b", p, 0.05, **CI))
    return dataclasses.replace(one, cards={"d": known}, divisions=plans)


def _alike(groups=None):
    """Compare models that are right and wrong in long runs of rows."""
    one = ran(experiment(AB, tests=("mcnemar",)), TWO)
    tilt = np.repeat(np.random.default_rng(1).normal(size=40), 10)
    truth, other = (np.array(both)[np.arange(400) % 2] for both in (["no", "yes"], ["yes", "no"]))
    rows = labelled(AB, truth, [np.where(r, truth, other) for r in (tilt > -1, tilt < 1)])
    return dataclasses.replace(one, test_sets={"d": dataclasses.replace(rows, groups=groups)})


CASES = {
    "no model beats the baseline": lambda: _rows(0.6, 0.58),
    "every model is worse than the baseline, exchanged classes": lambda: _rows(0.1, 0.2),
    "on no data set better than the baseline": lambda: _untested(
        {"a": [0.6, 0.61, 0.62], "b": [0.5, 0.55, 0.52]}
    ),
    "nearly perfect": lambda: _rows(0.999, 0.9),
    "too few groups": lambda: _rows(0.9, 0.8, 0.7, groups=np.arange(300) // 60),
    "training runs": lambda: _rows(0.95, 0.7, again=4),
    "failed fits": _failed,
    "an id of groups": lambda: _odd(columns=1),
    "a difference that depends on a column": lambda: _depends(0.01),
    "one model above a value": lambda: _single(p0=0.8),
    "one model below a value": lambda: _single(p0=0.95),
    "one model and a value, cannot tell": lambda: _single(p0=0.85),
    "one model and a value, one-sided": lambda: _single(p0=0.9, alternative="greater"),
    "one of two is better than the baseline": lambda: _rows(0.9, 0.62),
    "on one data set better than the baseline": lambda: _untested(
        {"a": [0.95, 0.61], "b": [0.9, 0.605]}, "de"
    ),
    "a learner that was not simulated": lambda: _found(
        pair("a", "b", 0.01, 0.05, test="resampled_t", plan="resampled", **CI),
        tests=("resampled_t",),
        resampling={"resampled": {}},
        estimator="sklearn.svm.NuSVC",
    ),
    "many data sets without a test over them": lambda: _untested(
        {"a": [0.9] * 7, "b": [0.8] * 7}, [f"d{i}" for i in range(7)]
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
    "equal ranks without a test over data sets": lambda: _untested(TIED),
    **{
        f"{n} data sets, {len(models)} models": lambda models=models, n=n: _untested(
            {m: [0.9 - 0.1 * i] * n for i, m in enumerate(models)}, [f"d{i}" for i in range(n)]
        )
        for models, n in (("ab", 3), ("ab", 6), ("abc", 3), ("abc", 12), ("abc", 60))
    },
    "equal accuracy, different answers": lambda: _found(
        pair("a", "b", 1.0, 0.0, test="mcnemar", **WIDE),
        tests=("mcnemar",),
        means={"a": 0.9, "b": 0.9},
    ),
    "two models, one better": lambda: _found(pair("a", "b", 0.003, 0.05, **CI)),
    "two models, cannot tell": lambda: _found(pair("a", "b", 0.3, 0.05, **WIDE)),
    "two models, no variance": lambda: _found(
        pair("a", "b", NAN, 0.05, status="zero_variance", result=FEW_GROUPS)
    ),
    "two models, identical scores": lambda: _found(
        pair("a", "b", 1.0, 0.0, status="identical_scores"), means={"a": 0.9, "b": 0.9}
    ),
    "two models, too few folds": lambda: _found(
        pair("a", "b", NAN, 0.05, status="too_few", result={"reason": "few folds"} | FEW_GROUPS)
    ),
    "two models that differ, neither ahead": lambda: _found(
        pair("a", "b", 0.01, 0.0), means={"a": 0.9, "b": 0.9}
    ),
    "a test against the mean": lambda: _found(pair("a", "b", 0.01, -0.02)),
    "a test that is too lenient": lambda: _found(
        pair("a", "b", 0.01, 0.05, test="resampled_t", plan="resampled", **CI),
        tests=("resampled_t",),
        resampling={"resampled": {}},
        estimator="sklearn.linear_model.LogisticRegression",
    ),
    "the best of three": lambda: _three(*_pairs(0.001, 0.0001, 0.01)),
    "better than some": lambda: _three(*_pairs(0.2, 0.0001, 0.01)),
    "only others differ": lambda: _three(*_pairs(0.2, 0.03, 0.01)),
    "three models, cannot tell": lambda: _three(*_pairs(0.2, 0.03, 0.2, **WIDE)),
    **{
        name: lambda p=p, at_once=at_once: _three(
            *_pairs(0.5, p, 0.1, test="mcnemar"), omnibus(at_once), tests=("mcnemar", "cochran_q")
        )
        for name, p, at_once in (
            ("all at once significant, no pair", 0.02, 0.01),
            ("a pair significant, not all at once", 0.01, 0.08),
        )
    },
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
    "names beyond measure": lambda: _found(
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
    "over data sets, by signed ranks": lambda: _corrected("wilcoxon_signed_rank", "sign-flips"),
    "one model and a value on several data sets": lambda: _single("def", p0=0.5),
    "versus a control, undecided": lambda: _versus((NAN, NAN), (NAN, NAN), status="too_few"),
    "posterior for none": lambda: _bayes(0.7, 0.2, 0.1),
    "one model": lambda: study(experiment(("a",), tests=("one_sample_t",)), (), {"a": 0.9}),
    "no test of pairs": lambda: _found(tests=("one_sample_t",)),
    "a loss": lambda: _found(
        pair("a", "b", 0.01, 0.05, metric="log_loss", **CI),
        means={"a": 0.2, "b": 0.25},
        metrics=["log_loss"],
    ),
    **{
        f"a clear win in time, {k} models": lambda k=k: _clear(600, k, time=np.arange(600))
        for k in (2, 3, 10)
    },
    "dependence in time is measured": lambda: _lasting(2),
    "dependence in time is measured in two of three pairs": lambda: _lasting(3),
    "too few groups for six models": lambda: _clear(700, 6, groups=np.arange(700) // 100),
    "enough groups for six models": lambda: _clear(1000, 6, groups=np.arange(1000) // 100),
    "blocks of time": lambda: _scores_in_time(2, lasting=False),
    "blocks of time that depend": lambda: _scores_in_time(2, lasting=True),
    "too few blocks of time": lambda: _scores_in_time(6, lasting=False, correction="holm"),
    "numbers in time": _losses_in_time,
    "a metric with a unit": lambda: _described("kg"),
    "a metric in percentage points": lambda: _described("percentage points"),
    "equivalence alone, two models": lambda: within(0.2, models="ab"),
    "no equivalence alone, two models": lambda: within(0.001, models="ab"),
    "equivalence alone, three models": lambda: within(0.2),
    "no equivalence alone, three models": lambda: within(0.001),
    "many columns like ids": lambda: _odd(columns=5),
    "repeated rows": lambda: _odd(repeats=1),
    "test rows that repeat training rows": lambda: _odd(leaks=((3, 4), (5, 2))),
    "both kinds of repeated rows": lambda: _odd(repeats=5, leaks=((0, 3),)),
    "repeated rows by chance": lambda: _odd(repeats=5, leaks=((0, 3),), chance=2.0),
    "rows that nearly repeat others": lambda: _odd(near_copies=60),
    "few rows of a rare class": lambda: _odd(p=0.2, classes={"no": 180, "yes": 20}),
    "few rows of two rare classes": lambda: _odd(p=0.2, classes={"a": 12, "b": 180, "c": 8}),
    "neighbouring rows alike": _alike,
    "neighbouring rows alike in groups": lambda: _alike(np.arange(400) // 10),
    **{
        f"an error of {size:g}": lambda size=size: regression(size)
        for size in (12_345.6, 1_234_567.8, 3.456, 0.0123, 0.000123, 0.00000123)
    },
    **{
        f"a difference of {gap:g} in accuracy": lambda gap=gap, low=low, high=high: _found(
            pair("a", "b", 0.2, gap, ci_low=low, ci_high=high, confidence=0.95),
            means={"a": 0.95, "b": 0.95 - gap},
        )
        # of a million rows the last are not "0.0 percentage points (95% CI [−0.1, 0.2])"
        for gap, low, high in (
            (0.0043, -0.0012, 0.0098),
            (0.0004, -0.001, 0.0018),
            (0.00004, -0.0001, 0.00018),
        )
    },
    "real tests": lambda: ran(experiment(ABC), THREE, accuracies={"a": 0.97, "b": 0.96, "c": 0.80}),
}


def _one_data_set():
    labels = {"m0": "a", "m1": "b", "m2": "a longer name"}
    means = {"m0": 0.93, "m1": 0.9, "m2": 0.84}
    tests = ("cv5x2_f", "cv5x2_t", "bayes_correlated_t", "mcnemar", "cochran_q")
    spec = experiment(labels, tests=tests, subgroups=["site"])
    found = ran(spec, means, accuracies=means)
    site = pd.Categorical(np.where(np.arange(200) % 3 == 0, "north", "south"))
    rows = dataclasses.replace(found.test_sets["d"], metric="accuracy", subgroups={"site": site})
    return dataclasses.replace(found, subgroups=subgroup_table(spec, {"d": rows}))


def _several_data_sets():
    means = {"a": [0.9, 0.8, 0.95, 0.7, 0.8], "b": [0.85, 0.82, 0.9, 0.6, 0.75]}
    means |= {"c": [0.7, 0.75, 0.8, 0.5, 0.6]}
    tests = ("nemenyi", "wilcoxon_signed_rank", "bayes_correlated_t", "mcnemar")
    return ran(experiment(list(means), datasets=[f"d{i}" for i in range(5)], tests=tests), means)


EXHIBITED = {"one data set": _one_data_set, "several data sets": _several_data_sets}


def _of_tasks():
    """Three tasks: b is better on the large one and worse on the two small ones."""
    sizes = {"large": 400, "left": 40, "right": 40}
    shares = {"a": (0.6, 0.7, 0.7), "b": (0.68, 0.45, 0.45), "c": (0.5, 0.5, 0.5)}
    marks = {}
    for model, of_tasks in shares.items():
        parts = zip(sizes.values(), of_tasks, strict=True)
        marks[model] = np.concatenate([np.arange(n) < share * n for n, share in parts]).astype(int)
    tasks = np.repeat(list(sizes), list(sizes.values()))
    return bakeoff.compare(None, marks, values="right", tasks=tasks)._study


def _tallied(decision=Decision.NOT_SHOWN, **found):
    """Test equivalence on two data sets; b ranks first, and a is the one asked about."""
    test = "metric_equivalence" if found else "tost_paired"
    more = {"test": test, "margin": 0.1, **found}
    rows = [
        pair("a", "b", 0.01, 0.0, decision=Decision.EQUIVALENT, **more),
        pair("a", "b", 0.4, 0.0, dataset="e", decision=decision, **more),
    ]
    return _found(*rows, datasets="de", tests=(test,), means={"a": 0.8, "b": 0.9})


NOT_WORSE = {"null_hypothesis": "A is worse than B by 0.1 or more.", "verdict": "not inferior"}


def _chosen():
    keys = {"dataset": "d", "model": "a", "plan": "cv_5x2"}
    chosen = {"kernel": ["rbf", "rbf", "nan"], "C": [0.1, 0.2, 0.3, 0.4, 0.5, 0.7]}
    chosen |= {"depth": [1, 2, 3, 3, 4, 5], "loss": [*"abcdefg"], "leaf": [*range(5), "none"]}
    rows = [{**keys, "parameter": p, "value": str(v)} for p, vs in chosen.items() for v in vs]
    return dataclasses.replace(_choosing(), choices=pd.DataFrame(rows))


def _many_and_a_control():
    names = [f"m{i}" for i in range(20)]
    spec = experiment(names, tests={"run": ["cv5x2_f"], "versus": "m3"})
    return ran(spec, dict.fromkeys(names, 0.9))


def _corrected(test, correction):
    spec = {"run": [test], "correction": correction}
    rng = np.random.default_rng(1)
    means = {m: list(rng.normal(0.8, 0.05, 12)) for m in "abc"}
    return ran(experiment("abc", datasets=[f"d{i}" for i in range(12)], tests=spec), means)


def _in_halves(variant):
    """Make scores of which those of all rows, the last two repeats of eight, are .1 higher."""
    tests = {"run": ["half_sample_t"], "options": {"half_sample_t": {"variant": variant}}}
    plan = {"halves": {"repeats": 3, "folds": 3, "full_repeats": 2}}
    one = study(experiment("ab", tests=tests, resampling=plan), (), {"a": 0.7, "b": 0.8})
    scores = one.scores.assign(value=lambda t: t["value"].round(1) + 0.1 * (t["repeat"] > 6))
    return dataclasses.replace(one, scores=scores)


def regression(size, **units):
    """Compare two regressors, A better by a hundredth of the size, on data sets of some units."""
    datasets = units or {"d": "MPa"}
    more = {"tests": ("corrected_kfold_t",), "resampling": {"kfold": {"folds": 10}}}
    plain = experiment(AB, datasets, **more, **REGRESSION).resolved()
    for name, unit in datasets.items():
        plain["datasets"][name]["unit"] = unit
    known = {"test": "corrected_kfold_t", "metric": "rmse", "plan": "kfold", "confidence": 0.95}
    known |= {"ci_low": -0.01 * size, "ci_high": 0.03 * size}
    found = [pair("a", "b", 0.01, size / 100, dataset=name, **known) for name in datasets]
    means = {"a": size, "b": size * 1.01}
    return study(load_experiment(plain), found, means, noise=size / 50)


def _plain(**changes):
    one = _found(pair("a", "b", 0.01, 0.05))
    resolved = one.experiment.resolved() | changes
    changed = load_experiment(resolved)
    return dataclasses.replace(one, analysis=analysis_of(changed), experiment=changed)


def _followed():
    more = {"test": "mcnemar", "family": 3, "correction": "holm", "follows": "cochran_q"}
    rows = omnibus(0.01), pair("a", "b", 0.01, 0.05, **more)
    return _three(*rows, tests=("mcnemar", "cochran_q"))


def _choosing():
    svc = {"estimator": "sklearn.svm.SVC"}
    tune = {"space": {"C": [1, 10], "gamma": [0.1, 1]}, "scoring": "f1", "cv": 3}
    tuned = {"tune": tune, "class_weight": "balanced"}
    seeded = {"threshold": {"choose": "f1"}, "seeds": 4, "preprocessing": "none"}
    return _plain(models={"a": svc | tuned, "b": svc | seeded})


_SHUFFLED = {"estimator": "sklearn.svm.SVC", "importance": True}


def _shuffled(columns=3, models="ab", scoring="log_loss"):
    """Let columns matter less and less, for each model a little more than for the one before."""
    entries = dict.fromkeys(models, _SHUFFLED)
    keys = {"dataset": "d", "scoring": scoring, "fits": 10}
    rows = [
        {**keys, "model": m, "plan": plan, "feature": f"x{i}", "mean": (1 + k) / (1 + i), "sd": 0.1}
        for k, m in enumerate(models)
        for plan in ("cv_5x2", "holdout")
        for i in range(columns)
    ]
    return dataclasses.replace(_plain(models=entries), importance=pd.DataFrame(rows))


def _validated():
    tune = {"space": {"C": [1, 10]}, "validation": 0.25}
    svc = {"estimator": "sklearn.svm.SVC"}
    return _plain(models={"a": svc | {"tune": tune}, "b": svc})


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
    data = {"d": {"source": "sklearn", "name": "iris", "groups": "patient"}}
    holdout = division("d", "holdout")
    return dataclasses.replace(
        _plain(datasets=data, tests={"run": ["mcnemar"]}),
        comparisons=(row,),
        planned=AnalysisPlan(plan),
        divisions=[
            {**holdout, "groups": 20, "parts": [{**holdout["parts"][0], "test": {"groups": 6}}]}
        ],
    )


def _given():
    models = {"a": {"predictions": "a.csv"}, "b": {"estimator": DUMMY}}
    plans = {"resampling": {"holdout": {}}, "tests": {"run": ["mcnemar"]}}
    failed = pd.DataFrame([{"model": "b", "dataset": "d", "why": "it took too long"}])
    return dataclasses.replace(_plain(models=models, **plans), failed=failed)


def named(many):
    return [f"m{i}" for i in range(many)]


def on_folds(folds, models):
    """Score models on so many folds."""
    one = _found(models=named(models), means=dict.fromkeys(named(models), 0.9))
    fold = one.scores.query("plan == 'cv_5x2' and repeat == 1 and fold == 1")
    parts = [fold.assign(repeat=i + 1, value=fold["value"] + i % 7 / 100) for i in range(folds)]
    return dataclasses.replace(one, scores=pd.concat(parts))


def every_pair(names, datasets="d", metrics=("accuracy",)):
    """Compare each pair, of which the one named later is the worse the further it is away."""
    means = {m: [0.9 - i / 100] * len(datasets) for i, m in enumerate(names)}
    rows = [
        pair(a, b, 0.001, means[a][0] - means[b][0] + d / 1000, dataset=set_, metric=m, family=9)
        for d, set_ in enumerate(datasets)
        for a, b in itertools.combinations(names, 2)
        for m in metrics
    ]
    return _found(*rows, models=names, datasets=datasets, means=means, metrics=[*metrics])


def ranked(k, critical=NAN):
    """Rank models over data sets, some of which bars join."""
    ranks = {"models": named(k), "average_ranks": [1.0 + i for i in range(k)]}
    ranks |= {"cd_groups": [[0, 1, 2], [2, 3], [k - 1]], "cd_pairs_not_shown": [[0, 4]]}
    means = {m: [0.9 - i / 100] * 2 for i, m in enumerate(named(k))}
    more = {"test": "friedman_posthoc", "dataset": "", "n": 2}
    more["result"] = {"ranks": ranks | {"critical_difference": critical}}
    rows = [pair(a, b, 0.5, 1.0, **more) for a, b in itertools.combinations(means, 2)]
    return _found(*rows, models=named(k), datasets="de", tests=("friedman_posthoc",), means=means)


def posteriors(*shares):
    """Compare three models by posteriors, of which NaN is undecided."""
    rows = [
        pair(a, b, NAN, 0.05, test="bayes_correlated_t", decision=Decision.NOT_SHOWN, rope=0.01,
             p_a_better=first, p_equivalent=equal, p_b_better=1 - first - equal)
        for (a, b), (first, equal) in zip(itertools.combinations(ABC, 2), shares, strict=True)
    ]  # fmt: skip
    return _found(*rows, models=ABC, tests=("bayes_correlated_t",), means=THREE)


def of_classes(k, name):
    """Predict so many classes, of which no row is of the last."""
    truth = np.arange(10 * k) % (k - 1)
    guesses = [np.where(np.arange(10 * k) % n, truth, (truth + 1) % k) for n in (3, 2)]
    truth, *guesses = ([f"{name}{i}" for i in each] for each in (truth, *guesses))
    return dataclasses.replace(_plain(), test_sets={"d": labelled(AB, truth, guesses)})


def at_sites(sites):
    spec = experiment(LONG, tests=("mcnemar",), subgroups=["site of the treatment"])
    one = ran(spec, THREE, accuracies={"a": 0.9, "b": 0.8, "c": 0.7})
    site = pd.Categorical([f"site {i % sites} of the northern region" for i in range(200)])
    known = {"subgroups": {"site of the treatment": site}, "metric": "accuracy"}
    rows = dataclasses.replace(one.test_sets["d"], **known)
    return dataclasses.replace(one, subgroups=subgroup_table(spec, {"d": rows}))


LONG = {
    "a": "gradient boosting of shallow trees, depth 3",
    "b": "gradient boosting of shallow trees, depth 4",
    "c": "模型" * 12,
}


def _fitted(rows, models=AB, datasets="d"):
    """Predict numbers on a test set, which is drawn unless it is given."""
    if isinstance(rows, int):
        rng = np.random.default_rng(1)
        truth, noise = rng.normal(50, 10, rows), 1 + np.arange(len(models))
        predicted = truth[:, None] + rng.normal(0, noise, (rows, len(models)))
        rows = PairedPredictions(tuple(models), (), truth, predicted)
    more = {"tests": ("metric_difference",), "resampling": {"holdout": {}}} | REGRESSION
    means = {model: 1.0 + i / 10 for i, model in enumerate(models)}
    one = _found(models=models, datasets=datasets, means=means, **more)
    return dataclasses.replace(one, test_sets=dict.fromkeys(datasets, rows))


def _perfect_and_constant():
    truth = np.arange(30.0)
    return PairedPredictions(AB, (), truth, np.column_stack([truth, np.full(30, 7.0)]))


def _sided(side):
    tests = {"run": ["mcnemar", "cost_sensitive"], "alternative": side}
    return raced({"a": 0.9, "b": 0.88, "c": 0.87}, tests, costs=COSTS)


def scored_rows(metric):
    """Return predictions of a good model, its near copy and a poor one."""
    rng, n = np.random.default_rng(0), 300
    truth = (rng.random(n) < 0.4).astype(int)
    good = truth * 2.4 + rng.normal(size=n)
    scores = np.stack([rng.normal(size=n), good, good + 0.1 * rng.normal(size=n)], axis=1)
    positive = 1 / (1 + np.exp(1.2 - scores))
    return PairedPredictions(
        ("poor", "good", "copy"),
        ("no", "yes"),
        truth,
        (scores > 1.2).astype(int),
        scores,
        probabilities=np.stack([1 - positive, positive], axis=2),
        metric=metric,
    )


def _scored(metric, positive=300):
    """Score a good model, its near copy and a poor one, on so many positive rows at most."""
    rows = scored_rows(metric)
    kept = [*np.flatnonzero(rows.truth == 1)[:positive], *np.flatnonzero(rows.truth == 0)]
    parts = ("truth", "predicted", "scores", "probabilities")
    some = dataclasses.replace(rows, **{part: getattr(rows, part)[kept] for part in parts})
    more = {"metrics": [metric], "resampling": {"holdout": {}}}
    means = dict.fromkeys(rows.models, 0.9)
    one = _found(models=rows.models, tests=("mcnemar",), means=means, **more)
    return dataclasses.replace(one, test_sets={"d": some})


def _probabilities():
    p = np.random.default_rng(0).uniform(0.05, 0.95, 200)
    truth = np.random.default_rng(1).random(200) < p
    said = {"a": p, "b": p**2, "c": np.full(200, 0.4)}
    return bakeoff.compare(truth, said, positive=True, metrics=["net_benefit@0.2", "ici"])._study


OF_TWO = ("mcnemar", "cv5x2_t", "bayes_correlated_t", "cost_sensitive")


@functools.cache
def made(name):
    """Return a study by its title, or by a call of a function of this module that makes one."""
    by_title = CASES | EXHIBITED
    return by_title[name]() if name in by_title else eval(name, globals())


@functools.cache
def verdict_of(name):
    """Return the verdict of a study that `made` makes."""
    return answer(made(name))
