"""The page in a real browser."""

import pytest

from bakeoff.report.exhibits.flips import MOST_SHOWN
from bakeoff.report.page import Page
from tests.unit.report.browser import CHROMIUM, DRIVER, browser
from tests.unit.report.studies import experiment, ran

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER),
        reason="needs a browser: Debian's packages chromium and chromium-driver",
    ),
]
ALERT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
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
    Page(ran(experiment(models, tests=tests), means, accuracies=means)).write(folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Return the page of a study over data sets: ranks, posteriors, filters."""
    folder = tmp_path_factory.mktemp("sets")
    names = {"a": "Alpha | 5% & more_", "b": "Beta <b>", "c": '"Gamma", the third', "d": "=1+1"}
    names |= {"e": "a model whose name has 34 letters", "f": "f"}
    run = ["nemenyi", "bayes_correlated_t", "mcnemar", "tost_paired"]
    tests = {"run": run, "margin": 0.05, "rope": 0.01}
    spec = experiment(names, datasets=[f"d{i}" for i in range(12)], tests=tests)
    means = {
        m: [0.9 - 0.1 * i - 0.002 * (i + 1) * d for d in range(12)] for i, m in enumerate(names)
    }
    Page(ran(spec, means)).write(folder)
    return folder / "report.html"


@pytest.fixture(scope="module", params=["page", "sets"])
def either(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 820, 1400])
def test_page_fits_every_window_and_draws_every_figure_without_a_complaint(
    either, chromium, width, dark
):
    chromium.open(either, width, dark=dark)
    chromium.script(UNFOLD)
    assert chromium.script("return document.documentElement.scrollWidth") <= width
    assert chromium.errors() == []
    boxes = chromium.script(
        "return [...document.querySelectorAll('svg.figure')].map("
        "(s) => [s.getBoundingClientRect().width, s.getBoundingClientRect().height,"
        " s.querySelectorAll('path,use').length])"
    )
    assert len(boxes) >= 4
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


def test_labels_run_no_script_and_short_tables_have_no_filters(page, chromium):
    chromium.open(page, 820)
    for what, count in (("document.scripts", 1), ("document.images", 0)):
        assert chromium.script(f"return {what}.length") == count
    filters = "[...document.querySelectorAll('select')].map((one) => one.closest('.table'))"
    # three models have twelve rows there
    longer = f"{filters}.filter((table) => !table.querySelector('#table-crossed'))"
    assert chromium.script(f"return {longer}.length") == 0
    assert chromium.script("return document.querySelectorAll('.menu').length") >= 8


def test_tables_sort_by_mouse_and_keyboard_and_say_so(page, chromium):
    chromium.open(page, 1400)
    rows = "document.querySelectorAll('#table-models tbody tr')"
    column = f"[...{rows}].map((r) => r.cells[1].textContent)"
    button = "document.querySelectorAll('#table-models thead [role]')[1]"
    before = chromium.script(f"return {column}")
    after = chromium.script(f"{button}.click(); return {column}")
    assert before == sorted(before, reverse=True)
    assert after == sorted(before)
    assert chromium.script(f"return {button}.closest('th').ariaSort") == "ascending"
    assert chromium.script(f"{button}.focus(); return document.activeElement === {button}")
    assert chromium.script(f"{button}.click(); return {column}") == before


@pytest.fixture
def copied(chromium):
    def click(table, name):
        buttons = f"[...{TABLE}.querySelectorAll('.menu button')]"
        button = f"{buttons}.find((one) => one.textContent === arguments[1])"
        chromium.script(
            "Object.defineProperty(navigator, 'clipboard', {configurable: true, value: "
            f"{{writeText: async (text) => {{ window.copied = text; }}}}}}); {button}.click()",
            table, name,
        )  # fmt: skip
        return chromium.script("return window.copied")

    return click


TABLE = "document.getElementById(arguments[0]).closest('.table')"
CHOOSE = f"""
const selects = [...{TABLE}.querySelectorAll("select")];
for (const [name, choice] of Object.entries(arguments[1])) {{
  const select = selects.find((one) => one.options[0].text === `All ${{name}}`);
  select.value = choice;
  select.dispatchEvent(new Event("change"));
}}
const shown = [...{TABLE}.querySelectorAll("tbody tr")].filter((row) => !row.hidden);
const cells = (row) => [...row.cells].filter((cell) => !cell.hidden);
return shown.map((row) => cells(row).map((cell) => cell.innerText));
"""


def test_every_table_is_copied_as_its_files_are(sets, chromium, copied):
    chromium.open(sets, 1400)
    made = {path.stem: path for path in (sets.parent / "tables").glob("*.csv")}
    text = (sets.parent / "report.md").read_text(encoding="utf-8")
    assert len(made) >= 8
    for name, path in made.items():
        table = f"table-{name}"
        if chromium.script("return Boolean(document.getElementById(arguments[0]))", table):
            file = path.read_text()
            if name == "flips":  # the page has the first rows
                file = "".join(file.splitlines(keepends=True)[: 1 + MOST_SHOWN])
            assert copied(table, "CSV") == file, table
            assert copied(table, "LaTeX") == path.with_suffix(".tex").read_text(), table
            assert copied(table, "Markdown") in text, table


def test_filters_keep_rows_and_columns_and_copies_follow_them(sets, chromium, copied):
    chromium.open(sets, 1400)
    chromium.script(UNFOLD)
    rows = chromium.script(CHOOSE, "table-datasets", {"models": "Beta <b>"})
    assert [len(row) for row in rows] == [2] * 12
    rows = chromium.script(CHOOSE, "table-datasets", {"data sets": "d7"})
    assert [row[0] for row in rows] == ["d7"]
    caption = "return document.getElementById('table-datasets').caption.innerText"
    assert chromium.script(caption).endswith("(1 of 12 rows)")
    head, row = copied("table-datasets", "CSV").splitlines()
    assert head == "dataset,b"
    assert row.startswith("d7,0.7")
    assert copied("table-datasets", "Markdown").splitlines()[0] == r"| Data set | Beta &lt;b&gt; |"
    rows = chromium.script(CHOOSE, "table-datasets", {"data sets": "", "models": ""})
    assert [len(row) for row in rows] == [7] * 12
    assert not chromium.script(caption).endswith("rows)")


def test_the_first_screen_has_the_models_and_their_differences(sets, chromium):
    chromium.open(sets, 1280)
    bottoms = chromium.script(
        "return [...document.querySelectorAll('#table-models, .answer figure')]"
        ".map((one) => one.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) == 2
    assert max(bottoms) < 900
    assert chromium.script("return document.documentElement.scrollHeight") < 3 * 900


def test_no_table_of_the_first_screen_scrolls_and_figures_are_whole_on_a_phone(sets, chromium):
    wider = (
        "return [...document.querySelectorAll(arguments[0])]"
        ".map((one) => one.scrollWidth - one.clientWidth)"
    )
    chromium.open(sets, 1280)
    assert set(chromium.script(wider, ".answer .scroll")) == {0}
    for width in (390, 360):
        chromium.open(sets, width)
        figures = chromium.script(wider, ".answer figure .scroll")
        assert figures
        assert set(figures) == {0}
    chromium.open(sets, 390)
    assert set(chromium.script(wider, ".answer .scroll")) == {0}


WALK = """
const walk = [];
for (const element of document.querySelectorAll("a[href], button, summary, select, [tabindex]")) {
  const box = element.getBoundingClientRect();
  if (!box.width || !element.checkVisibility()) continue;
  element.focus();
  const style = getComputedStyle(element);
  const named = element.ariaLabel || element.textContent.trim();
  walk.push([document.activeElement === element, Boolean(named), style.outlineStyle !== "none"]);
}
return walk;
"""


def test_keys_reach_everything_that_can_be_used_in_the_order_of_the_page(page, chromium):
    chromium.open(page, 1280)
    seen = []
    for _ in range(40):
        chromium.key("Tab")
        seen.append(chromium.script("return document.activeElement.outerHTML.slice(0, 60)"))
        tops = chromium.script(
            "const all = [...document.querySelectorAll('*')];"
            "return all.indexOf(document.activeElement)"
        )
        seen[-1] = (tops, seen[-1])
    places = [place for place, _ in seen if place > 4]
    first_round = places[: places.index(max(places)) + 1]
    assert first_round == sorted(first_round)
    texts = " ".join(text for _, text in seen)
    assert all(part in texts for part in ('class="print"', "<summary", 'role="button"', "<a href"))
    # a key opens what is folded
    chromium.script("document.querySelector('.part summary').focus()")
    chromium.key("Enter")
    assert chromium.script("return document.querySelector('.part').open")
    chromium.script(UNFOLD)
    chromium.key("Tab")
    for reached, named, outlined in chromium.script(WALK):
        assert reached
        assert named
        assert outlined


def test_an_address_and_a_button_unfold_everything_for_print(page, chromium):
    closed = "return document.querySelectorAll('details:not(.menu):not([open])').length"
    chromium.open(page, 1280)
    before = chromium.script(closed)
    assert before > 5
    chromium.script("window.print = () => { window.atPrint = (() => { " + closed + "})(); }")
    chromium.script("document.querySelector('button.print').click()")
    assert chromium.script("return window.atPrint") == 0
    chromium.script("window.dispatchEvent(new Event('afterprint'))")
    assert chromium.script(closed) == before
    chromium.open(f"{page.as_uri()}?print=all", 1280)
    assert chromium.script(closed) == 0
    chromium.devtools("Emulation.setEmulatedMedia", media="print")
    sizes = chromium.script(
        "return [...document.querySelectorAll('thead th, tbody td')]"
        ".map((cell) => getComputedStyle(cell).fontSize)"
    )
    chromium.devtools("Emulation.setEmulatedMedia", media="")
    assert len(set(sizes)) == 1


def test_what_scrolls_says_so_at_its_edge(page, chromium):
    chromium.open(page, 390)
    chromium.script(UNFOLD)
    scrolling = chromium.script(
        "return [...document.querySelectorAll('body *')].filter((one) =>"
        " one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX === 'auto')"
        ".map((one) => getComputedStyle(one).backgroundImage.split('linear-gradient').length)"
    )
    assert scrolling
    assert {*scrolling} <= {5}


def test_page_reads_without_javascript(page, chromium):
    chromium.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(page, 1400)
        made = "thead [role=button], .tools, select"
        assert chromium.script(f"return document.querySelectorAll('{made}').length") == 0
        rows = "return document.querySelectorAll('#table-models tbody tr').length"
        assert chromium.script(rows) == 4 + 1  # the baseline
    finally:
        chromium.devtools("Emulation.setScriptExecutionDisabled", value=False)


def test_page_prints(either, chromium):
    chromium.open(either, 720)
    chromium.devtools("Emulation.setEmulatedMedia", media="print")
    chromium.script(UNFOLD)
    wide = chromium.script("return document.documentElement.scrollWidth")
    seen = "[...document.querySelectorAll('.tools')].filter((e) => e.offsetParent)"
    assert chromium.script(f"return {seen}.length") == 0
    # a head with a button in it is printed once, and on each page without
    assert chromium.script("return document.querySelectorAll('thead button').length") == 0
    chromium.devtools("Emulation.setEmulatedMedia", media="")
    assert wide <= 720
    chromium.open(either, 1280)
    printed = chromium.pdf()
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") <= 3
