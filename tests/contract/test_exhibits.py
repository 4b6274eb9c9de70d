"""What holds of every exhibit of the report, whoever added it: it draws, and says what it shows."""

import textwrap

import pytest

from bakeoff.comparisons.analysis import analysis_of
from bakeoff.report import exhibits as package
from bakeoff.report.exhibit import Section, figure, table
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.page import Page
from bakeoff.report.study import Study
from bakeoff.report.tables import numbers_frame
from bakeoff.spec import AnalysisPlan, PlannedTest
from bakeoff.stats import Evidence, catalogue
from tests.unit.report.studies import experiment
from tests.unit.report.test_texts import items_of, made, recorded

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
    return made("one data set")


@pytest.mark.parametrize("kind", records())
def test_every_exhibit_is_made_and_says_what_it_shows(kind):
    titles = (name.rpartition(": ")[0] for name in recorded("recorded.txt"))
    title = next(title for title in titles if kind in items_of(title))
    one, item = made(title), items_of(title)[kind]
    assert len(item.title) > 5
    assert len(item.caption) > 60
    assert item.caption.endswith(".")
    if item.form == "figure":
        drawing = draw(item, one)
        assert len(drawing.alt) > 20
        assert "no result" not in drawing.alt
        assert drawing.legend.startswith(item.caption)
        assert len(numbers_frame(drawing)) >= 2
    else:
        table = build(item, one)
        assert table.rows
        assert table.title == item.title
        assert table.note.startswith(item.caption)


def test_exhibits_of_any_tests_have_names_of_their_own_those_over_data_sets_first():
    spec = experiment("abc", datasets="de", tests=list(catalogue()))
    planned = AnalysisPlan(PlannedTest(name=name) for name in catalogue())
    listed = exhibits(Study(analysis_of(spec), planned=planned))
    names = [item.name for item in listed]
    assert len(set(names)) == len(names)
    evidence = [catalogue()[item.test].evidence for item in listed if item.kind == "pairs"]
    over = [one is Evidence.DATASETS for one in evidence]
    assert over == sorted(over, reverse=True)
    assert {*over} == {True, False}


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
    shown = Page(study)
    shown.__dict__["items"] = [i for i in exhibits(study) if i.kind in ("models", "toy_shown")]
    shown.write(tmp_path / "made")
    page = (tmp_path / "made/report.html").read_text(encoding="utf-8")
    assert '<figure id="figure-toy_shown">' in page
    assert 'aria-label="A toy about made-up."' in page
    assert "A toy about made-up." in (tmp_path / "made/report.md").read_text(encoding="utf-8")
    assert (tmp_path / "made/figures/toy_shown.svg").is_file()
    assert (tmp_path / "made/captions/toy_shown.rst").read_text() == "The caption of a toy.\n"


@pytest.mark.parametrize(
    ("name", "text", "refused", "why"),
    [
        ("toy_empty", "import math\n", TypeError, "toy_empty has no table and no figure"),
        ("toy_twice", TOY.replace("toy_shown", "forest"), ValueError, "another exhibit forest"),
    ],
)
def test_a_module_without_exhibits_and_two_of_one_name_are_refused(added, name, text, refused, why):
    added(name, text)
    with pytest.raises(refused, match=why):
        records()


def test_a_figure_without_its_numbers_is_refused(added, study):
    drawn = "message(study.title)._replace(data=())"
    added("toy_bare", TOY.replace('message(f"a toy about {study.title}")', drawn))
    item = next(item for item in exhibits(study) if item.kind == "toy_shown")
    with pytest.raises(ValueError, match="toy_shown lacks the numbers that it plots"):
        draw(item, study)


@pytest.mark.parametrize("drawn", ["Drawing(canvas(1, 1), 'nothing is on it')", "message('')"])
def test_a_figure_that_draws_or_says_nothing_is_refused(added, study, drawn):
    made = TOY.replace('message(f"a toy about {study.title}")', drawn)
    added(f"toy_{len(drawn)}", "from bakeoff.report.drawing import Drawing, canvas\n" + made)
    item = next(i for i in exhibits(study) if i.kind.startswith("toy_"))
    with pytest.raises(ValueError, match="lacks a drawing or a text"):
        draw(item, study)
