"""Findings show themselves safely, and write what the command writes."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

import bakeoff
from bakeoff import UserError
from bakeoff.cli import main

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


def test_page_and_tables_are_those_of_the_command(found, labels, tmp_path):
    for ending in ("html", "md", "tex", "json"):
        assert found.save(tmp_path / f"all.{ending}").stat().st_size > 500
    assert json.loads((tmp_path / "all.json").read_text()) == json.loads(found.to_json())
    page = (tmp_path / "all.html").read_text()
    assert "<script>alert" not in page
    assert "bakeoff.compare(y, predictions, …)" in page
    lines = zip(labels["y"], *(labels[name] for name in HOSTILE), strict=True)
    rows = ["y_true,one,two", *map(",".join, lines)]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    own = bakeoff.compare(
        labels["y"],
        {"one": labels[HOSTILE[0]], "two": labels[HOSTILE[1]]},
        metrics="f1",
        name="rows.csv",
    )
    where = ["--output", str(tmp_path / "m.md"), "--output", str(tmp_path / "m.tex")]
    assert main(["compare", str(tmp_path / "rows.csv"), "--metric", "f1", *where]) == 0
    assert own.save(tmp_path / "own.tex").read_text() == (tmp_path / "m.tex").read_text()
    told, ours = (tmp_path / "m.md").read_text(), own.save(tmp_path / "own.md").read_text()
    assert ours.splitlines()[0] == told.splitlines()[0]


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
