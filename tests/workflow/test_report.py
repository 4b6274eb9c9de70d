"""The report of the real workflow and what Python reads of it: one set of numbers everywhere."""

import copy
import json
import re
import zipfile
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

import bakeoff
from bakeoff import UserError
from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.report.exhibits import exhibits
from bakeoff.report.numbers import fixed, p_equals, pvalue
from bakeoff.report.study import Study
from bakeoff.spec import load_experiment
from tests.conftest import TINY
from tests.workflow.test_run import succeed


def cells(page, table):
    """Return the value and the text of every cell of a table; the value where the text does not."""
    body = page.split(f'<table id="table-{table}"')[1].split("</table>")[0].split("<tbody>")[1]
    for row in re.findall(r"<tr>(.*?)</tr>", body, flags=re.DOTALL):
        found = re.findall(r"<t[hd]([^>]*)>(.*?)</t[hd]>", row, flags=re.DOTALL)
        texts = [unescape(re.sub(r"<[^>]+>", "", text)) for _, text in found]
        values = [re.search(r' data-v="([^"]*)"', told) for told, _ in found]
        yield [(v[1] if v else t, t) for v, t in zip(values, texts, strict=True)]


@pytest.fixture(scope="module")
def results(finished):
    return finished.results()


@pytest.fixture(scope="module")
def read(results):
    """Return a reader of the texts of the results."""
    return lambda name: (results / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pairs(results):
    """Return what the comparisons say of pairs by accuracy."""
    found = pd.read_csv(results / "comparisons.csv")
    found = found[found["metric"] == "accuracy"].set_index(["model_a", "model_b"])
    return dict(iter(found.groupby("test")))


@pytest.mark.parametrize("test", ["cv5x2_f", "mcnemar"])
def test_text_tables_and_figures_show_the_numbers_of_comparisons_csv(results, read, pairs, test):
    table = pd.read_csv(results / "tables" / f"pairs.{test}.csv")
    if "metric" in table:
        table = table[table["metric"] == "accuracy"]
    assert len(table) == len(pairs[test]) == 3
    page_rows = list(cells(read("report.html"), f"pairs.{test}"))
    svg = read(f"figures/forest.{test}.svg")
    forest = " | ".join(map(unescape, re.findall(r"<text[^>]*>([^<]*)</text>", svg)))
    for row in table.itertuples():
        own = pairs[test].loc[(row.model_a, row.model_b)]
        for name in ("estimate", "ci_low", "statistic", "pvalue", "pvalue_adjusted"):
            shown = getattr(row, name)
            assert shown == own[name] or (pd.isna(shown) and pd.isna(own[name]))
        said = {row.model_a, row.model_b, pvalue(own["pvalue_adjusted"])}
        values = {str(own["estimate"]), str(own["pvalue_adjusted"])}
        on_page = [(dict(line).keys(), dict(line).values()) for line in page_rows]
        assert any(values <= set(v) and said <= set(t) for v, t in on_page)
        assert p_equals(own["pvalue_adjusted"]) in forest
        assert fixed(own["estimate"], 3) in read("report.md")


def test_verdict_is_that_of_the_comparisons(results, read, pairs):
    verdict = read("verdict.txt")
    headline = verdict.splitlines()[0]
    assert f'<h1 id="headline">{headline}</h1>' in read("report.html")
    assert read("report.md").startswith(f"# {headline}")
    best, second = pd.read_csv(results / "tables/models.csv")["model"][:2]
    rows = pairs["cv5x2_f"]
    own = rows.loc[(best, second)] if (best, second) in rows.index else rows.loc[(second, best)]
    assert f"{fixed(abs(own['estimate']) * 100, 1)} percentage point" in verdict
    of_best = rows[[best in pair for pair in rows.index]]["pvalue_adjusted"]
    shown = of_best[of_best <= 0.05]
    assert p_equals(shown.max() if len(shown) else of_best.min(), "adjusted p") in verdict


def test_methods_are_those_of_the_page_and_no_link_is_dead(results, read):
    page = read("report.html")
    assert f'<p class="methods">{read("methods.txt").strip()}</p>' in unescape(page)
    named = re.findall(r"\\citep\{(.*?)\}", read("methods.tex"))
    assert named
    sources = read("references.bib")
    assert all(f"{{{key}," in sources for keys in named for key in keys.split(","))
    links = set(re.findall(r'href="([^"#:]+)"', page))
    assert {link.partition("/")[0] for link in links} >= {"figures", "tables", "references.bib"}
    assert [link for link in links if not (results / link).is_file()] == []


def test_tables_are_those_of_the_scores_the_divisions_and_the_tests(results):
    scores = pd.read_csv(results / "scores.csv")
    own = scores[(scores["metric"] == "accuracy") & (scores["plan"] == "cv_5x2")]
    means = own.groupby("model")["value"].mean().sort_values(ascending=False)
    ranked = pd.read_csv(results / "tables/models.csv")
    models, constant = ranked[:-1], ranked.iloc[-1]
    assert list(models["mean"]) == pytest.approx(list(means))
    assert list(models["model"]) == list(means.index)
    assert constant["model"].startswith("(baseline: ")
    assert constant["mean"] == pytest.approx(1 / 3)  # of the classes of iris, equally frequent
    quality = json.loads((results / "splits/iris.cv_5x2.json").read_text())
    table = pd.read_csv(results / "tables/splits.csv").set_index("plan")
    of_plan = table.loc["5 × 2-fold cross-validation"]
    assert of_plan["max_class_share_difference"] == quality["max_class_share_difference"]
    chosen = json.loads((results / "tests.json").read_text())
    table = pd.read_csv(results / "tables/tests.csv")
    assert list(table["test"])[: len(chosen)] == [test["title"] for test in chosen]
    assert table["why"].str.contains("sked for|Follows").all()


def test_snakemakes_report_has_every_exhibit_with_its_caption(finished_copy):
    succeed(finished_copy, copy.deepcopy(TINY), "--report", "report.zip")
    with zipfile.ZipFile(finished_copy.folder / "report.zip") as bundle:
        index = bundle.read("report/report.html").decode()
    found, categories = _variable(index, "results"), _variable(index, "categories")
    in_category = {
        path: category
        for category, parts in categories.items()
        for paths in parts.values()
        for path in paths
    }
    analysis = analysis_of(load_experiment(copy.deepcopy(TINY)))
    place = {"figure": "figures/{}.svg", "table": "tables/{}.csv"}
    expected = {"results/tiny/report.html"}
    for exhibit in exhibits(Study(analysis, planned=plan_tests(analysis)[1])):
        path = f"results/tiny/{place[exhibit.form].format(exhibit.name)}"
        assert found[path]["labels"] == {"what": exhibit.title, "form": exhibit.form}
        assert len(found[path]["caption"]) > 60
        assert in_category[path] == exhibit.section
        expected.add(path)
    assert set(found) == expected
    assert "tiny" in _variable(index, "workflow_desc")


def _variable(page, name):
    start = re.search(rf'var {name} = (?=[{{"])', page)
    assert start is not None
    return json.JSONDecoder().raw_decode(page, start.end())[0]


def test_python_reads_the_numbers_figures_and_tables_of_the_files(results, read, tmp_path):
    found = bakeoff.read(results)
    assert f"{found.verdict}\n" == read("verdict.txt")
    assert f"{found.methods}\n" == read("methods.txt")
    for table, file in ((found.scores, "scores.csv"), (found.comparisons, "comparisons.csv")):
        assert table.to_csv(index=False, lineterminator="\n") == read(file)
    for names, kind in ((found.figures, "figures/*.svg"), (found.tables, "tables/*.tex")):
        assert set(names) == {file.stem for file in results.glob(kind)}
    for name in found.tables:
        assert found.to_latex(name) == read(f"tables/{name}.tex")
    pairs = found.to_frame()
    assert (set(pairs["test"]), len(pairs)) == ({"cv5x2_f"}, 3)
    assert found.to_latex() == found.to_latex("pairs.cv5x2_f") == found.to_latex("pairs")
    whole = json.loads(found.to_json())
    assert whole["comparisons"] == json.loads(read("comparisons.json"))
    page = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('<svg class="figure') == len(found.figures)
    assert 'href="figures/' not in page
    assert found.verdict.splitlines()[0] in page


@pytest.mark.parametrize(
    ("file", "name", "said"),
    [
        ("scores.csv", None, r"lacks scores\.csv: the run has not ended"),
        ("experiment.yaml", None, r"no experiment\.yaml is in it"),
        (
            "tests.json",
            "clustered_mcnemar",
            "groups belong to the data set now.*run the experiment",
        ),
        ("comparisons.json", "cv5x2_g", "did you mean.*run the experiment again"),
    ],
)
def test_results_without_a_file_or_with_a_test_of_before_are_refused(
    finished_copy, file, name, said
):
    path = finished_copy.results() / file
    text = path.read_text().replace('"cv5x2_f"', f'"{name}"')
    path.unlink()
    if name:
        path.write_text(text)
    with pytest.raises(UserError, match=f"{name or ''}.*{said}"):
        bakeoff.read(finished_copy.results())


@pytest.mark.slow
def test_run_makes_what_is_not_there_and_tells_what_fails(finished_copy, monkeypatch, capsys):
    monkeypatch.chdir(finished_copy.folder)
    finished_copy.results().joinpath("comparisons.csv").unlink()
    found = bakeoff.run("experiment.yaml", cores=2)
    assert found.verdict == bakeoff.read("results/tiny").verdict
    assert Path("results/tiny/comparisons.csv").is_file()
    assert "removed the lock" not in capsys.readouterr().err
    with pytest.raises(UserError, match=r"experiment\.yaml: the run ended with exit code \d+"):
        bakeoff.run("experiment.yaml", cores=2, options=["--no-such-option"])
    assert "no-such-option" in capsys.readouterr().err
    with pytest.raises(UserError, match=r"nothing\.yaml: cannot be read"):
        bakeoff.run("nothing.yaml")
