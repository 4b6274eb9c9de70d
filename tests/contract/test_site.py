"""The site: every page behind a door, strict about links, its search finds, windows fit."""

import inspect
import re
import sys
import time

import pytest
import yaml

from bakeoff.stats import cv5x2_f, mcnemar, metric_difference
from tests.conftest import ROOT, called, served
from tests.unit.report.browser import CHROMIUM, DRIVER, browser

OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDE = "coming-from.html"
FOUND = "return [...document.querySelectorAll('.md-search-result__link')].map((a) => a.href)"


class Loader(yaml.SafeLoader):
    """MkDocs' own tags name Python objects: here they are nothing."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def pages(nav):
    for entry in nav.values() if isinstance(nav, dict) else nav:
        if isinstance(entry, str):
            yield entry
        else:
            yield from pages(entry)


def test_every_page_is_behind_a_door():
    nav = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["nav"]
    listed = list(pages(nav))
    docs = ROOT / "docs"
    there = {file.relative_to(docs).as_posix() for file in docs.rglob("*.md")}
    assert there <= set(listed)
    assert len(listed) == len(set(listed))
    assert [next(iter(door)) for door in nav] == [
        *("Start", "Which test?", "Experiments", "Python", "Results made elsewhere"),
        *("Special cases", "Evidence and internals"),
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does; a broken link or reference ends the build."""
    folder = tmp_path_factory.mktemp("site")
    build = sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder
    called(*build, NO_MKDOCS_2_WARNING="1")
    return folder


@pytest.mark.slow
@pytest.mark.xdist_group("site")
def test_reference_shows_whole_docstrings(site):
    text = (site / "api.html").read_text(encoding="utf-8")
    for test in (mcnemar, metric_difference, cv5x2_f):
        start = text.index(f'id="bakeoff.stats.{test.__name__}"')
        section = text[start : text.index("<h3", start)]
        for name in inspect.signature(test).parameters:  # the shared ones come from the registry
            assert re.search(rf"<code>(\w+, )*{name}(, \w+)*</code>\s*</td>", section), name
    for page in ("index.html", "tutorial.html", "experiment.html"):
        assert "http" not in "".join(
            line for line in (site / page).read_text().splitlines() if "<script src" in line
        )


@pytest.mark.slow
@pytest.mark.xdist_group("site")
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")
def test_site_finds_words_and_fits_windows(site, tmp_path):
    # its search loads an index
    with served(site) as address, browser(tmp_path / "profile") as chromium:
        for width in (400, 1400):
            for page in ("index.html", "choosing-tests.html", "catalogue.html", WIDE):
                chromium.open(f"{address}/{page}", width)
                assert chromium.script(OVERFLOW) == 0, (page, width)
        for start in (address, site.as_uri()):  # the search works from a folder too
            chromium.open(f"{start}/index.html", 1400)
            assert chromium.errors() == []
            # as the focus of a person's field does, which a browser without a window may not have
            chromium.script("document.querySelector('[data-md-toggle=search]').click()")
            for _ in range(100):  # typed again: the index may not be there the first time
                chromium.script(
                    "const q = document.querySelector('.md-search__input'); q.focus();"
                    "q.value = 'McNemar'; q.dispatchEvent(new Event('keyup', {bubbles: true}))"
                )
                if found := chromium.script(FOUND):
                    break
                time.sleep(0.3)
            assert any("catalogue" in link for link in found), (start, found)
