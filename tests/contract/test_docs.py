"""The pages on the statistics list every test, and their examples run."""

import importlib.util
import re
from pathlib import Path

import pytest

from bakeoff.stats import catalogue

DOCS = Path(__file__).parents[2] / "docs" / "stats"
PAGES = sorted(DOCS.glob("*.md"))
FAMILIES = [
    p
    for p in PAGES
    if p.stem not in ("README", "reference-values") and not p.stem.startswith("type1-")
]


def table_module():
    spec = importlib.util.spec_from_file_location("table", DOCS / "table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_one_page_lists_the_test(name):
    assert len(table_module().pages(catalogue()[name])) == 1


def test_tables_of_tests_are_made_from_the_code():
    for page, text in table_module().texts().items():
        assert page.read_text() == text, "run: python docs/stats/table.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_error_rates_of_tables_are_those_of_the_simulations(page):
    text = page.read_text()
    assert table_module().with_rates(text) == text, "run: python docs/stats/table.py"
    heads = re.findall(r"(?m)^\| test \|.*\| level \|$", text)
    assert not heads, "say it in a column that is made from the simulations"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks, "show an example"
    for block in blocks:
        exec(compile(block, str(page), "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", FAMILIES, ids=lambda page: page.stem)
@pytest.mark.parametrize(
    "part",
    ["answer", "use", "(not use|when not)", "formula", "assum", "example|```python", "source"],
)
def test_page_of_a_family_is_complete(page, part):
    # as a heading, a bold lead or a column: not just somewhere in a sentence
    leads = re.findall(r"^##+ .*|\*\*[^*]+\*\*|^\|.*|^```python", page.read_text(), re.MULTILINE)
    assert any(re.search(part, lead, re.IGNORECASE) for lead in leads)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", page.read_text()):
        assert (page.parent / target).exists(), target
