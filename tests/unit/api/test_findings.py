"""Findings show themselves safely, and write what the command writes."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

import bakeoff
from bakeoff import UserError

HOSTILE = ("<script>alert(1)</script>", "a&b \"'> <img src=x onerror=alert(1)>")


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(1)
    y = rng.choice(["n", "p"], 80)
    models = {name: np.where(rng.random(80) < 0.9, y, "n").tolist() for name in HOSTILE}
    return {"y": y.tolist(), **models}


@pytest.fixture(scope="module")
def found(labels):
    return bakeoff.compare(
        labels["y"], {name: labels[name] for name in HOSTILE}, name="<b>rows</b>", metrics="f1"
    )


def test_notebook_and_terminal_show_verdict_and_table_with_all_text_escaped(found):
    shown = found._repr_html_()
    tree = ElementTree.fromstring(shown.replace("<img", "<i").replace('%">\n</div>', '%"/></div>'))
    tags = {element.tag for element in tree.iter()}
    assert tags <= {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "sup", "i"}
    assert "onerror" not in {name for element in tree.iter() for name in element.attrib}
    text = "".join(tree.itertext())
    assert found.verdict.splitlines()[0] in text
    assert HOSTILE[0] in text
    assert shown.count("data:image/svg+xml;base64,") == 1
    assert found.verdict.splitlines()[0] in " ".join(str(found).split())
    assert "A − B" in repr(found)


def test_many_pairs_are_cut(labels):
    models = {f"m{i}": labels[HOSTILE[i % 2]] for i in range(10)}
    shown = bakeoff.compare(labels["y"], models)
    assert repr(shown).endswith("… and 15 more rows")
    assert "… and 15 more rows" in shown._repr_html_()
    assert "Adjusted p" in repr(shown)
    assert max(map(len, repr(shown).splitlines())) <= 100  # no statistics, no effect sizes
    assert len(shown.to_frame()) == 45


def test_page_and_tables_are_written(found, tmp_path):
    text = {
        ending: found.save(tmp_path / f"all.{ending}").read_text()
        for ending in ("html", "md", "tex", "json")
    }
    assert json.loads(text["json"]) == json.loads(found.to_json())
    assert "<script>alert" not in text["html"]
    assert "bakeoff.compare(y, predictions, …)" in text["html"]
    assert found.to_markdown().strip() in text["md"]
    assert text["tex"].count("\\begin{table}") == len(found.tables)


def test_figures_are_new_ones(found):
    assert isinstance(found.figure(), Figure)
    assert found.figure() is not found.figure()
    for name in found.figures:
        assert found.figure(name).get_size_inches()[0] > 0
    # ranks of a single data set are the models in order
    assert "ranks" not in {name.partition(".")[0] for name in found.figures}
    names = [label.get_text() for label in found.figure("ranks").axes[0].get_yticklabels()]
    assert names == [label.get_text() for label in found.figure("scores").axes[0].get_yticklabels()]


@pytest.mark.parametrize(
    ("call", "argument", "said"),
    [
        ("figure", "forrest", "unknown figure 'forrest'; did you mean"),
        ("to_markdown", "x", "unknown table 'x'"),
        ("save", "page.pdf", r"expected a name with \.html, \.md, \.tex or \.json"),
        ("save", f"{__file__}/page.md", "cannot be written"),
    ],
)
def test_mistakes(found, call, argument, said):
    with pytest.raises(UserError, match=said):
        getattr(found, call)(argument)
