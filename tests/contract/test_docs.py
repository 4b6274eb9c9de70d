"""The pages list every test, agree with the code, run, and lead somewhere."""

import importlib.util
import json
import re

import pytest

from bakeoff.stats import catalogue
from tests.conftest import ROOT

DOCS = ROOT / "docs"
_SPEC = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
generate = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generate)
FOLDERS = ("", "config", "results", "benchmarks", "tests/reference")
PAGES = [ROOT / folder / "README.md" for folder in FOLDERS]
PAGES += [ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]


def named(page):
    return str(page.relative_to(ROOT))


def anchors(text):
    """Return the anchors of the headings of a page, as GitHub makes them."""
    heads = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```$", "", text))
    plain = (re.sub(r"[^\w\- ]", "", head.replace("`", "")).lower() for head in heads)
    return {head.strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_the_catalogue_describes_the_test(name):
    entry, text = catalogue()[name], (DOCS / "catalogue.md").read_text()
    assert text.count(f"\n### `{name}`\n") == 1
    section = text.partition(f"\n### `{name}`\n")[2].partition("\n### ")[0]
    for part in (entry.title, entry.answers, entry.caution, generate.error_rate(entry)):
        assert part in section


def test_pages_are_made_from_the_code():
    for page, text in generate.texts().items():
        assert page.read_text() == text, f"{named(page)}: run make generate"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", page.read_text()):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file.read_text()), f"{target}#{anchor}"


def test_verdicts_of_the_page_on_the_report_are_those_of_the_templates():
    table = (DOCS / "report.md").read_text().partition("| verdict | condition |")[2]
    quoted = re.findall(r"\*([^*]+)\*", table.partition("\n\n")[0])
    templates = (ROOT / "tests/unit/report/sentences.txt").read_text()
    assert len(quoted) >= 8
    for sentence in quoted:
        for part in re.split(r"\bA and B\b|\bA\b|\bB\b|…", sentence):
            assert part.strip(" ,") in templates, sentence


def test_no_message_sends_to_a_page_that_is_not_installed():
    """Texts of the package stand alone: an installed one has no docs."""
    cited = re.compile(r"docs/[\w/-]+\.md|config/README")
    for file in (ROOT / "src/bakeoff").rglob("*.y*ml"):
        assert not cited.search(file.read_text()), named(file)
    for entry in catalogue().values():
        assert not cited.search(entry.function.__doc__), entry.name


def test_the_notebook_needs_no_file_and_has_its_outputs():
    cells = json.loads((DOCS / "notebook.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 6
    assert not any(re.search(r"read_csv|open\(|https?:", one) for one in code)
    assert sum(bool(cell.get("outputs")) for cell in cells) >= 6
