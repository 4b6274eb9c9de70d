"""What is said of error rates follows one rule from the files of the simulations."""

import importlib
import inspect
from pathlib import Path

import pytest

from bakeoff.scores import METRICS
from bakeoff.stats import TypeOneError, catalogue
from benchmarks import harness, levels, pages
from benchmarks.__main__ import STUDIES
from benchmarks.levels import Rate, level
from benchmarks.type1 import MCNEMAR, SETTINGS, rates_by_setting


def rate(rejected, family="linear", runs=1000, study="type1/rates.csv"):
    return Rate("t", family, family, runs, rejected, study)


@pytest.mark.parametrize(
    ("rates", "word", "families"),
    [
        ([rate(50)], "holds", ()),
        ([rate(68)], "holds", ()),  # from .054: not surely above .06
        ([rate(60, study=levels.OF_RUNS)], "holds", ()),
        ([rate(61, study=levels.OF_RUNS)], "liberal", ("linear",)),  # they cover .939
        ([rate(15), rate(10)], "conservative", ()),
        ([rate(15), rate(35)], "holds", ()),
        ([rate(50), rate(90, "b"), rate(99, "a"), rate(95, "b")], "liberal", ("b", "a")),
        ([rate(2, runs=20)], "holds", ()),
    ],
)
def test_rule(rates, word, families):
    found = level(rates)
    assert (found.word.value, found.liberal_for) == (word, families)
    assert found.highest.rate == max(r.rate for r in rates)


def test_a_variant_that_is_not_the_default_does_not_count():
    tests = {(r.test, r.regime): r for r in levels.read() if r.study == "type1/rates.csv"}
    title = next(setting.title for setting in SETTINGS if MCNEMAR[0] in setting.trials)
    (row,) = (r for r in rates_by_setting()[title] if r["options"] == "variant=midp")
    assert tests["mcnemar", title].rejected == int(row["rejected"])
    of_halves = [r for r in levels.read() if r.test == "half_sample_t"]
    assert of_halves
    assert level(of_halves).word == "holds"


def test_catalogue_says_what_the_simulations_show():
    found = levels.levels()
    for name, entry in catalogue().items():
        assert all(not rate.metric or rate.metric in METRICS for rate in entry.rates)
        if entry.type1 is TypeOneError.BAYESIAN:
            assert name not in found
            continue
        assert name in found, f"{name} is not simulated: python -m benchmarks type1"
        assert entry.rates == found[name].rates, f"{name}: run make generate"
        assert entry.type1 is found[name].word
        assert not entry.better_test or entry.better_test in catalogue()


def test_every_setting_is_in_the_file_as_it_is_now():
    known = rates_by_setting()
    assert list(known) == [setting.title for setting in SETTINGS], "run: python -m benchmarks type1"
    for setting in SETTINGS:
        shown = [(r["test"], r["on"], r["options"], r["family"]) for r in known[setting.title]]
        asked = [(t.test, t.evidence, t.label, setting.family) for t in setting.trials]
        assert shown == asked


def test_pages_are_made_from_the_figures():
    for file, text in pages.made():
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: run make generate"


def test_every_study_simulates_and_is_described():
    readme = (harness.HERE / "README.md").read_text(encoding="utf-8")
    files = {file.relative_to(harness.HERE).as_posix() for file in harness.HERE.rglob("*.csv")}
    for name in STUDIES:
        assert f"`{name}`" in readme
        assert inspect.isgeneratorfunction(importlib.import_module(f"benchmarks.{name}").simulate)
    shown = " ".join(harness.HERE.joinpath("README.md").read_text(encoding="utf-8").split("`"))
    patterns = [word for word in shown.replace(",", " ").split() if word.endswith(".csv")]
    assert all(any(Path(file).match(one) for one in patterns) for file in files)


def test_text_between_the_marks_is_replaced_and_nothing_else(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n")
    page.write_text(harness.renewed(page, {"t": "new"}))
    assert page.read_text() == "a\n<!-- t: begin -->\n\nnew\n\n<!-- t: end -->\nb\n"
    assert harness.renewed(page, {"t": "new\n"}) == page.read_text()
    with pytest.raises(ValueError, match=r"page.md needs <!-- u: begin --> and <!-- u: end -->"):
        harness.renewed(page, {"u": "new"})
