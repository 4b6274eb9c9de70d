"""The whole report: structure, escaping, same bytes, big studies."""

import dataclasses
import itertools
import re
from html.parser import HTMLParser
from unittest.mock import Mock

import pandas as pd
import pytest

from bakeoff.report import page, ranking, undeclared
from bakeoff.report.exhibit import MOST_DATASETS
from bakeoff.report.exhibits import exhibits
from bakeoff.report.page import Page, inline_svg
from tests.unit.report.studies import experiment, raced, ran, study

THREE = {"a": 0.95, "b": 0.94, "c": 0.90}
ACCURACIES = {"a": 0.97, "b": 0.96, "c": 0.80}
TESTS = ("cv5x2_f", "cv5x2_t", "bayes_correlated_t", "mcnemar", "cochran_q", "cost_sensitive")
LINKS = {"href", "src", "xlink:href"}
ALERT = "<script>alert(1)</script>"
LONG = "Ünïcode ✓ 模型 " + "x" * 160 + " |`*_$%&\"' end"


class Parsed(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.errors, self.tags, self.texts = [], [], [], []
        self.feed(text)
        self.ids = [attrs["id"] for _, attrs in self.tags if "id" in attrs]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "br", "img", "input", "hr", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return the folder of a page and the exhibits on it."""
    folder = tmp_path_factory.mktemp("report")
    spec = experiment({"a": "Alpha", "b": ALERT, "c": LONG}, tests=TESTS[:2] + TESTS[3:5])
    made_up = ran(spec, THREE, accuracies=ACCURACIES)
    Page(made_up).write(folder)
    return folder, exhibits(made_up)


@pytest.fixture(scope="module")
def text(written):
    return (written[0] / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(text):
    return Parsed(text)


def test_page_is_well_formed_with_headings_in_order_and_unique_ids(parsed):
    assert not parsed.errors
    assert not parsed.open
    assert len(parsed.ids) == len(set(parsed.ids))
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert {attrs["scope"] for tag, attrs in parsed.tags if tag == "th"} == {"col", "row"}


def test_page_needs_nothing_but_itself(written, text, parsed):
    own = {f"#{name}" for name in parsed.ids}
    files = {
        f"figures/{e.name}.svg" if e.form == "figure" else f"tables/{e.name}.csv"
        for e in written[1]
    }
    files |= {"methods.txt", "methods.tex", "references.bib", "timings.csv", "report.md"}
    files |= {"verdict.txt", "verdict.json", "comparisons.csv", "scores.csv", "experiment.yaml"}
    places = {attrs[key] for _, attrs in parsed.tags for key in LINKS & attrs.keys()}
    assert {place for place in places if not place.startswith("data:")} <= own | files
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_every_figure_has_a_text_and_every_reference_a_target(written, text, parsed):
    figures = [attrs for tag, attrs in parsed.tags if tag == "svg"]
    wanted = [e for e in written[1] if e.form == "figure"]
    assert len(figures) == len(wanted)
    assert all(attrs["role"] == "img" and len(attrs["aria-label"]) > 20 for attrs in figures)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(parsed.ids)


def test_labels_do_no_harm_wherever_they_go(written, parsed):
    folder, listed = written
    assert [tag for tag, _ in parsed.tags].count("script") == 1
    assert any(ALERT in text for text in parsed.texts)
    assert ALERT not in (folder / "report.md").read_text(encoding="utf-8")
    for exhibit in listed:
        if exhibit.form == "figure":
            svg = (folder / "figures" / f"{exhibit.name}.svg").read_text(encoding="utf-8")
            assert "<script" not in svg


def test_beside_each_figure_lie_the_numbers_that_it_plots(written):
    folder, listed = written
    for exhibit in listed:
        if exhibit.form == "figure":
            assert (folder / "figures" / f"{exhibit.name}.csv").stat().st_size > 20
    scores = pd.read_csv(folder / "figures/scores.csv")
    assert list(scores.columns[:5]) == ["mark", "model", "score", "ci_low", "ci_high"]
    single = scores[scores["mark"] == "score"].groupby("model")["score"]
    means = scores[scores["mark"] == "mean"].set_index("model")["score"]
    assert single.mean().to_numpy() == pytest.approx(means[list(single.groups)].to_numpy())


def test_same_study_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        page = Page(raced({"a": 0.97, "b": 0.96}, ["cv5x2_f", "mcnemar"]))
        page.write(tmp_path / name)
        page.print_figures(tmp_path / name)
    files = [p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*.*")]
    assert len(files) > 20
    for file in files:
        content = (tmp_path / "one" / file).read_bytes()
        assert content == (tmp_path / "two" / file).read_bytes(), file
    assert 'href="timings.csv"' in (tmp_path / "one/report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("k", "tests"), [(1, ["one_sample_t"]), (2, ["cv5x2_f", "mcnemar"]), (25, TESTS[:5:2])]
)
def test_any_number_of_models_makes_a_report(k, tests):
    means = {f"m{i}": 0.9 - 0.01 * i for i in range(k)}
    one = raced(means, tests) if k > 1 else study(experiment(list(means), tests=tests), (), means)
    assert not Parsed(Page(one).html).errors


def test_models_without_scores_have_no_table_but_a_reason():
    one = study(experiment(("a", "b")), (), THREE, undefined=("a", "b"))
    page = Page(one, alone=True).html
    assert not Parsed(page).errors
    assert 'id="table-models"' not in page
    assert "a is left out: accuracy is undefined on 10 of 10 folds" in page


def test_a_long_table_is_cut_on_the_page_and_its_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("bakeoff.report.page.MOST_SHOWN", 20)
    one = raced({f"m{i}": 0.9 - 0.001 * i for i in range(7)}, ["cv5x2_f"])  # 21 pairs
    Page(one).write(tmp_path)
    said = "first 20 of 21 rows"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    table = page.partition('<table id="table-pairs.cv5x2_f"')[2].partition("</table>")[0]
    assert table.count("<tr>") == 1 + 20
    assert f'{said}; <a href="tables/pairs.cv5x2_f.csv">' in page
    assert f"{said}; `tables/pairs.cv5x2_f.csv`" in (tmp_path / "report.md").read_text("utf-8")
    assert len((tmp_path / "tables/pairs.cv5x2_f.csv").read_text().splitlines()) == 1 + 21
    assert said not in Page(one, alone=True).html


@pytest.mark.parametrize("datasets", [1, 3, MOST_DATASETS + 1])
def test_a_report_makes_each_of_its_parts_once(datasets, tmp_path, monkeypatch):
    """Counts, for they do not depend on the machine as times do."""
    spies = {}
    for module, name in (
        *((page, "build"), (page, "draw"), (page, "svg")),
        *((ranking, "contenders"), (undeclared, "order_dependence")),
    ):
        spies[name] = Mock(wraps=getattr(module, name))
        monkeypatch.setattr(module, name, spies[name])
    one = ran(experiment(list(THREE), datasets=[f"d{i}" for i in range(datasets)]), THREE)
    Page(one).write(tmp_path)
    items = exhibits(one)
    for name, form in (("build", "table"), ("draw", "figure")):
        made = [call.args[0] for call in spies[name].call_args_list]
        assert sorted(made) == sorted(item for item in items if item.form == form)
    assert spies["svg"].call_count == sum(item.form == "figure" for item in items)
    assert spies["order_dependence"].call_count == datasets
    assert spies["contenders"].call_count == (datasets if datasets <= MOST_DATASETS else 0)


@pytest.mark.slow
def test_the_page_of_a_middle_sized_study_keeps_its_size(tmp_path):
    names = [f"m{i:02}" for i in range(10)]
    means = {m: [0.9 - 0.01 * i - 0.001 * d for d in range(25)] for i, m in enumerate(names)}
    spec = experiment(names, datasets=[f"d{i:02}" for i in range(25)], tests=("nemenyi", "mcnemar"))
    Page(ran(spec, means)).write(tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 420_000


def test_the_test_that_decides_stands_first_and_its_differences_beside_the_models():
    tests = ("bayes_correlated_t", "mcnemar", "cochran_q", "cv5x2_f")
    ids = Parsed(Page(raced(THREE, tests), alone=True).html).ids
    tested = [name.removeprefix("test-") for name in ids if name.startswith("test-")]
    assert tested == ["cv5x2_f", "mcnemar", "bayes_correlated_t"]
    first = ["table-models", "figure-forest.cv5x2_f", "pairs-of-models"]
    assert [name for name in ids if name in first] == first


def test_everything_but_the_answer_and_the_names_of_files_is_folded(text):
    opened = re.sub(r"<details.*</details>", "", text.partition("<main>")[2], flags=re.DOTALL)
    assert opened.count("<table") == opened.count("<svg") == 1
    assert "methods.tex" in opened
    assert r"\citep" not in text
    assert "@article" not in text


def test_a_picture_on_the_page_has_ids_of_its_own_and_the_colours_of_the_page():
    mark = '<use xlink:href="#m" x="1.12678" style="fill: #0071b1"/>'
    text = '<text style="font-size: 8px">#0071b1 id="x" 1.23456</text>'
    found = inline_svg(
        f'<?xml version="1.0"?><svg viewBox="0 0 90 30"><metadata><x/></metadata>'
        f'<path id="m" d="M 0 0"/><g clip-path="url(#c)">{mark}</g>{text}</svg>',
        "fig-a.b",
    )
    assert (found.width, found.height) == ("90", "30")
    assert found.inner == (
        '<path id="fig-a-b-m" d="M 0 0"/><g clip-path="url(#fig-a-b-c)"><use href="#fig-a-b-m" '
        f'x="1.12" style="fill: var(--blue)"/></g>{text}'
    )


def test_fits_are_counted_where_models_were_fitted_alone():
    one = raced({"a": 0.9, "b": 0.8}, ["mcnemar"])
    assert "2 models, 1 data set, 22 fits;" in Page(one, alone=True).html
    failed = pd.DataFrame({"dataset": ["d"], "model": ["a"]})
    assert dataclasses.replace(one, failed=failed).fits == 11
