"""The page in a real browser."""

import pytest
from browser import CHROMIUM, DRIVER, browser
from studies import experiment, ran

from bakeoff.report.make import make_report
from bakeoff.spec import load_experiment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER),
        reason="needs a browser: Debian's packages chromium and chromium-driver",
    ),
]
ALERT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
WIDTHS = [360, 820, 1400]

# the element that reaches farthest beyond the window, leaving out what scrolls by itself
OVERFLOW = """
const far = document.documentElement.scrollWidth - document.documentElement.clientWidth;
return far > 0 ? far : 0;
"""
UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true"
CONTRAST = """
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
const luminance = ([r, g, b]) => .2126 * light(r) + .7152 * light(g) + .0722 * light(b);
const paper = rgb(getComputedStyle(document.body).backgroundColor);
// what is written in the colour of the paper stands on a blue or orange bar
const probe = document.body.appendChild(document.createElement("i"));
const bars = ["--blue", "--orange"].map((name) => {
  probe.style.color = `var(${name})`;
  return rgb(getComputedStyle(probe).color);
});
probe.remove();
const contrast = (one, other) => {
  const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (a + .05) / (b + .05);
};
const poor = [];
for (const element of document.querySelectorAll(
  "h1,h2,h3,p,a,td,th,summary,figcaption,caption,dt,dd,svg text")) {
  if (!element.textContent.trim()) continue;
  const style = getComputedStyle(element);
  const ink = rgb(element.closest("svg") ? style.fill : style.color);
  const grounds = String(ink) === String(paper) ? bars : [paper];
  const ratio = Math.min(...grounds.map((ground) => contrast(ink, ground)));
  if (ratio < 4.5) poor.push([element.tagName, element.textContent.slice(0, 40), ratio]);
}
return poor;
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    models = {"a": "Logistic regression", "b": ALERT, "c": "x" * 200, "d": "模型 " * 40}
    tests = ("cv5x2_f", "mcnemar", "cochran_q")
    means = dict(zip(models, (0.95, 0.94, 0.9, 0.85), strict=True))
    make_report(ran(experiment(models, tests=tests), means, accuracies=means), folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Return the page of a study over data sets: ranks, posteriors, folded figures."""
    folder = tmp_path_factory.mktemp("several")
    models = {f"m{i}": f"a model whose name has {i:02d} letters" for i in range(12)}
    run = ["nemenyi", "bayes_correlated_t", "mcnemar", "tost_folds"]
    tests = {"run": run, "margin": 0.05, "rope": 0.01}
    plain = experiment(models, datasets=("d", "e", "f")).resolved()
    means = {m: [0.9 - 0.01 * i, 0.8 - 0.003 * i, 0.7] for i, m in enumerate(models)}
    right = {m: 0.9 - 0.01 * i for i, m in enumerate(models)}
    make_report(ran(load_experiment(plain | {"tests": tests}), means, accuracies=right), folder)
    return folder / "report.html"


@pytest.fixture(scope="module", params=["one", "several"])
def either(request, page, several):
    return {"one": page, "several": several}[request.param]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_page_fits_every_window_without_a_complaint(either, chromium, width, dark):
    chromium.open(either, width, dark=dark)
    chromium.script(UNFOLD)
    assert chromium.script(OVERFLOW) == 0
    assert chromium.errors() == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_drawn(either, chromium, width):
    chromium.open(either, width)
    chromium.script(UNFOLD)
    boxes = chromium.script(
        "return [...document.querySelectorAll('svg.figure')].map("
        "(s) => [s.getBoundingClientRect().width, s.getBoundingClientRect().height,"
        " s.querySelectorAll('path,use').length])"
    )
    assert len(boxes) >= 6
    assert all(w > 200 and h > 50 and marks > 4 for w, h, marks in boxes)


def test_names_in_figures_do_not_overlap(either, chromium):
    chromium.open(either, 1400)
    chromium.script(UNFOLD)
    overlaps = chromium.script(
        """
        const found = [];
        for (const svg of document.querySelectorAll("svg.figure")) {
          const boxes = [...svg.querySelectorAll("text")]
            .filter((t) => !/rotate\\(-[1-9]/.test(t.getAttribute("transform") || ""))
            .map((t) => [t.textContent, t.getBoundingClientRect()]);
          boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
            const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
            const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
            if (wide > 2 && high > 4) found.push([a, b]);
          }));
        }
        return found;
        """
    )
    assert overlaps == []


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_the_contrast_of_level_aa(either, chromium, dark):
    chromium.open(either, 1400, dark=dark)
    chromium.script(UNFOLD)
    assert chromium.script(CONTRAST) == []


def test_labels_run_no_script(page, chromium):
    chromium.open(page, 820)
    assert chromium.script("return document.scripts.length") == 1
    assert chromium.script("return document.images.length") == 0


def test_tables_sort_by_mouse_and_keyboard_and_say_so(page, chromium):
    chromium.open(page, 1400)
    rows = "document.querySelectorAll('#table-models tbody tr')"
    column = f"[...{rows}].map((r) => r.cells[2].textContent)"
    button = "document.querySelectorAll('#table-models thead button')[2]"
    before = chromium.script(f"return {column}")
    after = chromium.script(f"{button}.click(); return {column}")
    assert before == sorted(before, reverse=True)
    assert after == sorted(before)
    assert chromium.script(f"return {button}.closest('th').ariaSort") == "ascending"
    assert chromium.script(f"{button}.focus(); return document.activeElement === {button}")
    assert chromium.script(f"{button}.click(); return {column}") == before


def test_page_reads_without_javascript(page, chromium):
    chromium.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(page, 820)
        assert chromium.script("return document.querySelectorAll('thead button').length") == 0
        assert (
            chromium.script("return document.querySelectorAll('#table-models tbody tr').length")
            == 4
        )
    finally:
        chromium.devtools("Emulation.setScriptExecutionDisabled", value=False)


def test_page_prints(either, chromium):
    chromium.open(either, 720)
    chromium.devtools("Emulation.setEmulatedMedia", media="print")
    chromium.script(UNFOLD)
    wide = chromium.script("return document.documentElement.scrollWidth")
    chromium.devtools("Emulation.setEmulatedMedia", media="")
    assert wide <= 720
    assert chromium.pdf().startswith(b"%PDF")
