"""What holds of every exhibit of the report, whoever added it: it draws, and says what it shows."""

import dataclasses
import textwrap

import numpy as np
import pandas as pd
import pytest

from bakeoff import compare
from bakeoff.comparisons.run_tests import subgroup_table
from bakeoff.report import exhibits as package
from bakeoff.report.exhibit import Section, figure, table
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.page import Page
from bakeoff.report.study import Study
from bakeoff.spec import AnalysisPlan, PlannedTest, load_experiment
from bakeoff.stats import catalogue
from tests.unit.report.studies import experiment, ran
from tests.unit.report.studies import study as make_study

MEANS = {"a": 0.95, "b": 0.94, "c": 0.90}
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
TESTS = (
    *("cv5x2_f", "bayes_correlated_t", "mcnemar", "cochran_q"),
    *("cost_sensitive", "binomial_test"),
)
TOY = '''
from bakeoff.report.drawing import message
from bakeoff.report.exhibit import Section, figure


@figure(Section.VALIDITY, 5, "A toy")
def toy_shown(study):
    """The caption of a toy."""
    return message(f"a toy about {study.title}")
'''


@pytest.fixture(scope="module")
def study():
    """Return a study of one data set that has exhibits of nearly every kind."""
    plain = experiment(list(MEANS), tests=TESTS, costs=COSTS).resolved()
    plain["on_error"] = "exclude"
    plain["datasets"]["d"]["subgroups"] = ["sex"]
    plain["models"]["a"] |= {"threshold": {"choose": "youden"}}
    spec = load_experiment(plain)
    one = ran(spec, MEANS, accuracies=MEANS)
    keys = {"dataset": "d", "model": "a", "plan": "cv_5x2"}
    sex = pd.Categorical(["f", "m"] * 100)
    rows = dataclasses.replace(one.test_sets["d"], metric="accuracy", subgroups={"sex": sex})
    return dataclasses.replace(
        one,
        subgroups=subgroup_table(spec, {"d": rows}),
        choices=pd.DataFrame([{**keys, "parameter": "threshold", "value": "0.4"}]),
        failed=pd.DataFrame([{**keys, "fold": 1, "why": "boom"}]),
    )


def studies_of_other_kinds():
    """Yield studies over data sets, of numbers and of probabilities, for their own exhibits."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 200)
    said = {"a": p, "b": p**2, "c": np.full(200, 0.4)}
    metrics = ["net_benefit@0.2", "ici"]  # their curves look at probabilities
    yield compare(rng.random(200) < p, said, positive=True, metrics=metrics)._study
    more = {"task": "regression", "metrics": ["rmse"], "resampling": {"holdout": {}}}
    dummy = "sklearn.dummy.DummyRegressor"
    spec = experiment(list(MEANS), tests=("metric_difference",), estimator=dummy, **more)
    yield make_study(spec, [], MEANS, metric="rmse")
    means = {f"m{i}": [0.95 - i / 100, 0.85 - i / 100, 0.75] for i in range(7)}
    spec = experiment(list(means), datasets=("d", "e", "f"), tests=("nemenyi", "cv5x2_f"))
    yield ran(spec, means)


@pytest.fixture(scope="module")
def shown(study):
    studies = *studies_of_other_kinds(), study
    return {item.kind: (item, one) for one in studies for item in exhibits(one)}


@pytest.mark.parametrize("kind", records())
def test_every_exhibit_is_made_and_says_what_it_shows(shown, kind):
    item, one = shown[kind]
    assert len(item.title) > 5
    assert len(item.caption) > 60
    assert item.caption.endswith(".")
    if item.form == "figure":
        drawing = draw(item, one)
        assert len(drawing.alt) > 20
        assert "no result" not in drawing.alt
        assert drawing.legend.startswith(item.caption)
    else:
        table = build(item, one)
        assert table.rows
        assert table.title == item.title
        assert table.note.startswith(item.caption)


def designed(*names):
    """Return the exhibits of tests by their names, whether or not the experiment could run them."""
    spec = experiment(list(MEANS), datasets=("d", "e"), tests=names)
    planned = AnalysisPlan(tuple(PlannedTest(name=name) for name in names))
    return exhibits(Study(spec, analysis=planned))


def test_exhibits_of_any_tests_have_names_of_their_own():
    names = [item.name for item in designed(*catalogue())]
    assert len(set(names)) == len(names)


def test_what_is_about_the_whole_study_comes_first():
    listed = designed("cv5x2_f", "nemenyi", "mcnemar")
    tests = dict.fromkeys(item.test for item in listed if item.test)
    assert list(tests) == ["nemenyi", "cv5x2_f", "mcnemar"]


@pytest.mark.parametrize("kind", [table, figure])
def test_an_exhibit_has_a_caption_and_a_title(kind):
    def toy(study):
        """The caption of a toy."""

    assert kind(Section.VALIDITY, 1, "T")(toy).caption == "The caption of a toy."
    with pytest.raises(ValueError, match="toy needs a title"):
        kind(Section.VALIDITY, 1, " ")(toy)
    toy.__doc__ = None
    with pytest.raises(ValueError, match="toy needs a docstring, which is its caption"):
        kind(Section.VALIDITY, 1, "T")(toy)


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Add a module to the exhibits."""

    def add(name, text):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        records.cache_clear()

    yield add
    records.cache_clear()


def test_one_file_adds_an_exhibit_to_page_folders_and_captions(added, study, tmp_path):
    added("toy_topic", TOY)
    Page(study).write(tmp_path / "made")
    page = (tmp_path / "made/report.html").read_text(encoding="utf-8")
    assert '<figure id="figure-toy_shown">' in page
    assert 'aria-label="A toy about made-up."' in page
    assert "A toy about made-up." in (tmp_path / "made/report.md").read_text(encoding="utf-8")
    assert (tmp_path / "made/figures/toy_shown.svg").is_file()
    assert (tmp_path / "made/captions/toy_shown.rst").read_text() == "The caption of a toy.\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("toy_empty", "from pathlib import Path\n", " has no table and no figure"),
        ("toy_twice", TOY.replace("toy_shown", "forest"), ": there is another exhibit forest"),
    ],
    ids=["empty", "twice"],
)
def test_a_module_without_exhibits_or_with_one_of_another_name_is_refused(added, name, text, said):
    added(name, text)
    with pytest.raises((TypeError, ValueError), match=f"{name}{said}"):
        records()


@pytest.mark.parametrize("drawn", ["Drawing(canvas(1, 1), 'nothing is on it')", "message('')"])
def test_a_figure_that_draws_or_says_nothing_is_refused(added, study, drawn):
    made = TOY.replace('message(f"a toy about {study.title}")', drawn)
    added(f"toy_{len(drawn)}", "from bakeoff.report.drawing import Drawing, canvas\n" + made)
    item = next(i for i in exhibits(study) if i.kind.startswith("toy_"))
    with pytest.raises(ValueError, match="lacks a drawing or a text"):
        draw(item, study)
