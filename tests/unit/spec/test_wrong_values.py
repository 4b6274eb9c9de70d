"""Whatever stands where a value belongs: it is taken, or one message says where and what it is."""

import copy
import datetime
import re

import pytest
import yaml

from bakeoff.errors import Problem, UserError, dotted
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment
from bakeoff.spec.load import read_yaml, report_problems

EXPERIMENTS = {
    "fitted": """
      experiment: every-key
      label: Every key
      seed: 3
      datasets:
        d:
          {source: file, path: d.csv, target: y, format: csv, sep: ';', header: true,
           encoding: utf-8, missing_values: [NA], id: i, features: [a, b], drop: [c],
           filter: [{column: a, min: 1, keep: [1, 2], missing: drop}],
           derive: {e: log(a)}, merge: {other: [x, 2]}, classes: [x, other], positive: x,
           missing_target: drop, weights: w, groups: g, licence: CC0, label: D, test_path: t.csv}
        g: {source: generator, name: make_moons, params: {noise: 1e-1}, time: t}
        s: {source: sklearn, name: iris}
        u: {source: url, url: 'http://localhost/x.csv', target: y, sha256: SHA}
        o: {source: openml, name: iris, version: 1}
        f: {source: function, function: own.load, params: {n: 10}, target: y, reads: [a.csv]}
      models:
        tree:
          {estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 3}, label: T,
           preprocessing: none, features: [a], drop: [b], class_weight: {x: 1, other: 2},
           threshold: 0.4, seeds: 2, threads: 1, timeout: 5, memory: 100, reads: [w.json],
           keep: true, importance: true, tune: {space: {max_depth: [1]}, validation: 0.2}}
        pipe:
          {steps: [sklearn.preprocessing.StandardScaler, {estimator: sklearn.svm.SVC, name: svm}],
           threshold: {choose: f1, cv: 3},
           preprocessing: [{estimator: sklearn.decomposition.PCA, params: {n_components: 2}}],
           tune: {search: random, cv: 3, scoring: accuracy, n_iter: 3,
                  space: {C: [1, 2], gamma: {loguniform: [1e-3, 1]}, degree: {randint: [1, 3]}}}}
        given:
          {estimator: sklearn.svm.SVC,
           tune: {space: {C: [1]}, cv: 2}}
      resampling:
        cv_5x2: {repeats: 5, folds: 2, stratify: true}
        kfold: {folds: 3, repeats: 1, column: f1}
        resampled: {repeats: 5, test_size: 0.2}
        holdout: {column: part, train: [1], test: [2]}
      metrics: [accuracy]
      tests:
        {alpha: 5e-2, run: [mcnemar], correction: holm, versus: tree, alternative: greater,
         rope: 0.01, margin: 0.02, missing_cells: error, options: {mcnemar: {variant: exact}}}
      costs: {classes: [x, other], matrix: [[0, 1], [2, 0]]}
      on_error: exclude
      keep: true
      timeout: 60
      memory: 1000
      execution: {jobs_per: model}
    """.replace("SHA", "a" * 64),
    "given": """
      experiment: given
      models:
        a: {predictions: a.csv, label: A, columns: {id: i, truth: t, predicted: p,
            probabilities: {x: px, 1.0: p1}}}
        b: {predictions: b.csv, scores: s.csv, columns: {probabilities: 'p_{class}'}}
    """,
}
ODD = [
    *(None, [], {}, "", " ", "a\0b", "a\nb", "x" * 5000, "ö ✓", "1e3", "../up", "["),
    *(0, -1, 0.5, 10**30, 1e300, float("inf"), float("nan"), True, False),
    *(datetime.date(2020, 1, 1), b"\0", {1}, [None], [[]], ["a", "a"]),
    *({"a": 1}, {1: 2}, {True: 1}, {None: 1}),
]


def experiment(name):
    return yaml.safe_load(EXPERIMENTS[name])


def places(value, path=()):
    inside = {}
    if isinstance(value, (dict, list)):
        inside = value if isinstance(value, dict) else dict(enumerate(value))
    for key, child in inside.items():
        yield (*path, key)
        yield from places(child, (*path, key))


def changed(config, path, value):
    config = copy.deepcopy(config)
    here = config
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return config


def complaint(config):
    """Return what is wrong with an experiment; empty when nothing is."""
    try:
        load_experiment(config).resolved()
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_odd_value_is_taken_or_told(name):
    config = experiment(name)
    assert complaint(config) == "", "all keys together are an experiment"
    for path in places(config):
        for value in ODD:
            message = complaint(changed(config, path, value))
            for line in message.splitlines():
                assert re.match(r"[\w.:\[\]{}-]+|\(top level\):", line), (path, value, line)
                assert len(line) < 500, (path, value, line)
            assert not re.search(r"String |Input |Keys should|valid ", message), message


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_unknown_key_is_passed_over(name):
    config = experiment(name)
    free = ("params", "options", "derive", "merge", "class_weight", "space", "probabilities")
    for path in [(), *places(config)]:
        here = config
        for key in path:
            here = here[key]
        if not isinstance(here, dict) or any(key in free for key in path):
            continue
        for key, value in (("nonsense", None), ("Nonsense", 1), (1, 1), (None, None)):
            message = complaint(changed(config, (*path, key), value))
            assert message
            assert dotted(path) in message or path == ()


def test_given_models_without_a_name_are_told_once():
    unnamed = complaint(experiment("given") | {"experiment": ["x"]})
    assert unnamed == "experiment: expected text, found ['x']"


def test_exponents_are_numbers_and_one_class_has_one_name():
    loaded = load_experiment(experiment("fitted"))
    assert loaded.tests.alpha == 0.05
    assert loaded.datasets["g"].params == {"noise": 0.1}
    given = load_experiment(experiment("given")).given["a"]
    assert given.columns.probabilities == {"x": "px", "1": "p1"}
    costs = {"classes": [1.0, True, "b"], "matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}
    config = changed(experiment("fitted"), ("costs",), costs)
    assert load_experiment(config).costs.names == ["1", "True", "b"]


@pytest.mark.parametrize("key", ["alpha", "correction", "metrics", "plan", "versus"])
def test_odd_option_of_a_test_is_told(tiny, key):
    for value in ([], {}, ["a"], [["a"]], {"a": 1}, 7, True, "nonsense", float("nan")):
        tiny["resampling"] = {"kfold": {"folds": 5}, "cv_5x2": {}}
        tiny["tests"] = {"run": ["corrected_repeated_kfold_t"]}
        tiny["tests"]["options"] = {"corrected_repeated_kfold_t": {key: value}}
        problems, _ = check_experiment(load_experiment(tiny))
        assert len(problems) == 1, value
        assert f"tests.options.corrected_repeated_kfold_t.{key}" in str(problems[0])


def test_a_mistake_that_the_file_does_not_show_has_no_line(tmp_path):
    file = tmp_path / "e.yaml"
    file.write_text("seed: 1\nmetrics: [f2]\n")
    problems = [Problem(("metrics", 0), "one"), Problem(("models", "a"), "two")]
    assert str(report_problems(problems, file)).splitlines() == [
        f"{file}: models.a: two",
        f"{file}:2: metrics[0]: one",
    ]


@pytest.mark.parametrize(
    "text", ["resampling: {holdout:, {test_size: 0.3}}", "resampling:\n  ? [a, b]\n  : 1"]
)
def test_a_key_that_is_no_name_is_told(tmp_path, text):
    file = tmp_path / "e.yaml"
    file.write_text(f"seed: 1\n{text}\n")
    told = r"e\.yaml:\d:\d*: not valid YAML: a list or a mapping stands"
    with pytest.raises(UserError, match=told):
        read_yaml(file)
