"""The site: every page behind a door, strict about links, its search finds, windows fit."""

import inspect
import re
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from bakeoff.stats import cv5x2_f, mcnemar, metric_difference
from tests.conftest import ROOT, called

sys.path.insert(0, str(ROOT / "tests/unit/report"))
from browser import CHROMIUM, DRIVER, browser

OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDE = "coming-from.html"
FOUND = "return [...document.querySelectorAll('.md-search-result__link')].map((a) => a.href)"

# ink over what lies below it, element by element; the colour that the pointer gives to links too
CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const rgb = (text) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * below[i]);
const ground = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    layers.push(rgb(getComputedStyle(e).backgroundColor));
  }
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
};
const light = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
const luminance = ([r, g, b]) => .2126 * light(r) + .7152 * light(g) + .0722 * light(b);
const contrast = (ink, below) => {
  const [low, high] = [luminance(over(ink, below)), luminance(below)].sort((x, y) => x - y);
  return (high + .05) / (low + .05);
};
const poor = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const look = (what, ink, element) => {
  const ratio = contrast(ink, ground(element));
  if (ratio < 4.5) poor.push([what, ratio]);
};
let seen = 0;
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
  if (!text || element.closest("script,style,noscript")) continue;
  if (!element.getClientRects().length) continue;
  if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
  const what = `${element.tagName}.${element.className} ${text}`;
  look(what, rgb(getComputedStyle(element).color), element);
  seen += 1;
}
const accent = getComputedStyle(document.body).getPropertyValue("--md-accent-fg-color");
look("under the pointer", rgb(accent), document.body);
return [document.body.dataset.mdColorScheme, seen, poor];
"""


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


@pytest.fixture
def served(site):
    """Serve the site on the loopback interface: its search loads an index."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args): ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.xdist_group("site")
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")
def test_site_finds_words_and_fits_windows(served, site, tmp_path):
    with browser(tmp_path / "profile") as chromium:
        for width in (400, 1400):
            for page in ("index.html", "choosing-tests.html", "catalogue.html", WIDE):
                chromium.open(f"{served}/{page}", width)
                assert chromium.script(OVERFLOW) == 0, (page, width)
        for start in (served, site.as_uri()):  # the search works from a folder too
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


@pytest.mark.slow
@pytest.mark.xdist_group("site")
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")
def test_site_has_the_contrast_of_level_aa_in_both_schemes(served, tmp_path):
    pages = ("index.html", "python.html", "api.html", WIDE, "choosing-tests.html")
    with browser(tmp_path / "profile") as chromium:
        for dark, scheme in ((False, "default"), (True, "slate")):
            for page in pages:
                chromium.open(f"{served}/{page}", 1400, dark=dark)
                # the first scheme that was seen is remembered
                chromium.script("localStorage.clear()")
                chromium.open(f"{served}/{page}", 1400, dark=dark)
                shown, seen, poor = chromium.script(CONTRAST)
                assert shown == scheme
                assert seen > 100, page
                assert poor == [], page
        assert chromium.errors() == []
