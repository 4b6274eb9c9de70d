"""Every text of the report is as recorded: exhibits, sentences, verdicts and methods paragraphs.

After a change that is wanted, `python -m tests.unit.report.test_texts` writes the files anew. A
heading with brackets is a call in `cases` that makes the study: write one to add a case.
"""

import functools
import html
import inspect
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.text import Text

from bakeoff.comparisons.advice import INFLATED, NOT_SIMULATED
from bakeoff.report import numbers, prose, sentences
from bakeoff.report.exhibits import build, draw, exhibits
from bakeoff.report.methods import author_year, methods
from bakeoff.report.page import Page
from bakeoff.report.verdict import MOST
from bakeoff.scores import METRICS
from bakeoff.stats import catalogue
from bakeoff.stats.core.citations import BIBTEX
from tests.unit.report.cases import CASES, EXHIBITED, made, verdict_of

HERE = Path(__file__).parent
ANEW = "if this change is wanted: python -m tests.unit.report.test_texts"
CAUTIONS = [f"Caution: {text}" for text in (INFLATED, NOT_SIMULATED)]
SCREENS = (
    "one data set",
    "several data sets",
    "regression(12_345.6)",
    "_of_tasks()",
    "_clear(300, 2)",
)
"""Studies whose first screens are recorded."""
OTHERS = "{sentence}"
"""Of other modules."""
pytestmark = pytest.mark.xdist_group("cases")  # they share the studies and their verdicts
LOOKS = "c fc ec lw marker ms mfc alpha zorder size weight ha va rotation clip_on rasterized clim"
POINTS = {
    "Line2D": lambda line: line.get_xydata(),
    "Rectangle": lambda bar: [bar.get_bbox().bounds],
    "Text": lambda text: [text.get_position()],
    "AxesImage": lambda image: np.ravel(image.get_array())[:, None],
    "PolyCollection": lambda cells: np.column_stack([cells.get_offsets(), cells.get_array()]),
    "FillBetweenPolyCollection": lambda band: band.get_paths()[0].vertices,
}


@functools.cache
def items_of(name):
    """Return the exhibits by their names, and the first of each kind by its kind."""
    items = exhibits(made(name))
    return {item.name: item for item in items} | {item.kind: item for item in reversed(items)}


def table_text(table):
    """Yield a line for the head, one for each row, and what is said beside."""
    yield " | ".join(f"{c.title} ({c.key}{', number' if c.number else ''})" for c in table.columns)
    yield from (" | ".join(map(_cell, row)) for row in table.rows[:40])
    yield from [f"{len(table.rows)} rows"] if len(table.rows) > 40 else []
    yield from filter(None, (table.note, table.summary))


def _cell(cell):
    value = f"{cell.value:.6g}" if isinstance(cell.value, float) else str(cell.value)
    more = [] if cell.value is None else [value]
    return " ".join([cell.text, *more, *filter(None, (cell.tone,)), *["best"] * cell.best])


def figure_text(drawing, framed):
    """Yield what is said of it, the texts in it, its panels, how all artists look and where."""
    yield from filter(None, (drawing.alt, drawing.legend, drawing.shows))
    figure = drawing.figure
    figure.draw_without_rendering()
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    yield " | ".join(text.get_text() for text in shown)
    fixed = figure.get_layout_engine() is None  # else places depend on the widths of letters
    yield f"{_brief(figure.get_size_inches())} inches"
    artists, placed = [*figure.texts], [*figure.texts] if fixed else []
    for axes in (axes for axes in figure.axes if axes.get_visible()):
        at = f"{_brief(axes.get_position().bounds)}: " if fixed else ""
        yield f"{at}{_brief(axes.get_xlim())} by {_brief(axes.get_ylim())}"
        placed += axes.texts
        artists += [a for a in axes.get_children() if a is not axes.patch and _kind(a) in POINTS]
        for axis in (axes.xaxis, axes.yaxis) if framed else ():
            tick = axis.get_major_ticks(1)[0]
            artists += [axis, axis.label, tick.tick1line, tick.gridline, tick.label1]
        artists += axes.spines.values() if framed else ()
    looks = {}
    for artist in artists:
        text = isinstance(artist, Text)
        if artist in shown or (artist.get_visible() and not text):
            known = _kind(artist) if artist in placed or not text else ""
            looks.setdefault(_look(artist), []).extend(POINTS.get(known, lambda _: [])(artist))
    yield from (look + _some(rows) for look, rows in looks.items())


def _kind(artist):
    return type(artist).__name__


def _look(artist):
    words = [_kind(artist)]
    for name in LOOKS.split():
        value = getattr(artist, f"get_{name}", str)()
        if name.endswith("c") and len(value):
            ends = (to_hex(one, keep_alpha=True) for one in to_rgba_array(value)[[0, -1]])
            value = "-".join(dict.fromkeys(one.removesuffix("ff") for one in ends))
        words += [f"{name} {value}"] if value else []
    return " ".join(words)


def _some(rows):
    few = rows if len(rows) <= 20 else [*rows[:3], *rows[-3:], (len(rows), *np.mean(rows, axis=0))]
    return "".join(f", {_brief(row)}" for row in few)


def _brief(values):
    """Round numbers so that neither fonts nor processors change them."""
    return " ".join(f"{round(float(value), 9) + 0.0:.3g}" for value in values)


def exhibit_text(name):
    title, _, kind = name.rpartition(": ")
    one, item = made(title), items_of(title)[kind]
    figure = item.form == "figure"
    framed = title in EXHIBITED  # of each kind one is enough for what is around it
    lines = figure_text(draw(item, one), framed) if figure else table_text(build(item, one))
    text = "\n".join([f"{item.section}: {item.title}", *lines])
    return text if framed else text.replace(item.caption, "")


def verdict_text(name):
    verdict = verdict_of(name)
    parts = (verdict.headline, verdict.evidence, *verdict.main, *(f"  {m}" for m in verdict.folded))
    return f"[{verdict.kind.value}] " + "\n".join(filter(None, parts))


def methods_text(name):
    return methods(made(name)).text


def page_text(name):
    page = Page(made(name))
    lines = [f"First: {', '.join(item.name for item in page.first)}"]
    for section, blocks in page.sections.items():
        lines += [f"{section}:"]
        for block in blocks:
            names = ", ".join(item.name for item in block.items)
            lines += [f"  {block.title}: {names}{' (care)' if block.care else ''}"]
    return "\n".join([*lines, f"Sources: {', '.join(re.findall(r'@.*{(.*),', page.bibtex))}"])


RECORDS = {
    "recorded.txt": exhibit_text,
    "verdicts.txt": verdict_text,
    "methods.txt": methods_text,
    "pages.txt": page_text,
}


def names(file):
    if file == "recorded.txt":
        kinds = {title: [item.kind for item in exhibits(made(title))] for title in EXHIBITED}
        named = [f"{title}: {kind}" for title in kinds for kind in dict.fromkeys(kinds[title])]
    else:
        named = CASES if file == "verdicts.txt" else ()
    return [*named, *(name for name in recorded(file) if "(" in name)]


@functools.cache
def recorded(file):
    text = (HERE / file).read_text(encoding="utf-8")
    return dict(re.findall(r"^## (.+?)\n(.*?)(?=\n## |\Z)", text, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize(
    ("file", "name"), [(file, one) for file in RECORDS for one in recorded(file)]
)
@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_text_is_as_recorded(file, name):
    assert RECORDS[file](name).splitlines() == recorded(file)[name].strip().splitlines(), ANEW


@pytest.mark.parametrize("line", (HERE / "numbers.txt").read_text("utf-8").splitlines())
def test_numbers_and_lists_are_written_so(line):
    call, _, said = line.partition(") = ")
    assert str(eval(f"{call})", vars(numbers) | vars(math))) == said


@pytest.mark.parametrize("file", RECORDS)
def test_every_text_is_recorded(file):
    assert names(file) == list(recorded(file)), ANEW


def templates():
    """Map the sentences of a verdict, with slots in braces, to patterns of the texts they make."""
    made = {}
    for name, sentence in vars(sentences).items():
        own = inspect.isfunction(sentence) and sentence.__module__ == sentences.__name__
        if own and not name.startswith("_"):
            slots = inspect.signature(sentence).parameters.values()
            full = {slot.name: f"{{{slot.name}}}" for slot in slots}
            optional = [slot.name for slot in slots if slot.default == ""]
            absent = itertools.product(*([full[slot], ""] for slot in optional))
            filled = [full | dict(zip(optional, chosen, strict=True)) for chosen in absent]
            made[sentence(**full)] = [sentence(**slots) for slots in filled]
    return made | {text: [text] for text in (*CAUTIONS, OTHERS)}


def pattern(texts):
    """Return what matches the texts that a template makes, with and without what is optional."""
    parts = [re.split(r"\{[^{}]*\}", text) for text in texts]
    return re.compile("|".join(".*".join(map(re.escape, each)) for each in parts))


def words_of(template):
    """Return how many letters a template has outside of its slots."""
    return len(re.sub(r"\{[^{}]*\}", "", template))


@functools.cache
def listed():
    """List the sentences that a verdict can have, with examples."""
    every = templates()
    patterns = {s: pattern(every[s]) for s in sorted(every, key=words_of, reverse=True)}
    examples = {sentence: [] for sentence in patterns}
    for line in dict.fromkeys(line for name in CASES for line in verdict_of(name).lines):
        # of several templates the one with the most words of its own
        examples[next(s for s, p in patterns.items() if p.fullmatch(line))].append(line)
    return [
        "\n".join(
            (
                f"{number}. {sentence}",
                *(f"    {example}" for example in examples[sentence][:MOST]),
                "",
            )
        )
        for number, sentence in enumerate(every, 1)
    ]


def first_screen(name):
    """Yield the words that a reader sees before anything is unfolded, without numbers of tables."""
    page = Page(made(name)).html.partition('<section class="answer')[2]
    seen = page.partition("</section>")[0].partition(">")[2]
    for unseen in ("svg", "tbody", "details"):
        seen = re.sub(rf"<{unseen}\b.*?</{unseen}>", "", seen, flags=re.DOTALL)
    for block in re.split(r"</(?:p|h1|li|caption|thead|figcaption)>", seen):
        heads = re.sub(r"</th>\s*<th[^>]*>", " | ", block)
        words = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", heads)).split())
        if words:
            yield f"    {words}"


@functools.cache
def sentences_text():
    """Return the file of sentences: those of verdicts, and the first screens of studies."""
    screens = []
    for name in SCREENS:
        screens.append("\n".join([f"First screen of {name}", *first_screen(name), ""]))
    return "\n".join([*listed(), *screens])


def test_first_screens_have_no_code_names():
    codes = {name for name in [*catalogue(), *METRICS, *prose.PLANS] if "_" in name}
    for name in SCREENS:
        words = set(re.findall(r"\w+", " ".join(first_screen(name))))
        assert not words & codes, name


def test_list_of_sentences_is_as_recorded_short_and_with_examples():
    assert sentences_text() == (HERE / "sentences.txt").read_text(encoding="utf-8"), ANEW
    assert len(listed()) <= 40
    assert not [one for one in listed() if one.count("\n") < 2]


@pytest.mark.parametrize("name", CASES)
def test_verdict_of_every_case_is_short_and_claims_no_equality(name):
    verdict = verdict_of(name)
    assert len(verdict.main) <= MOST
    text = " ".join(verdict.lines).lower()
    assert not re.search(
        r"accept|no significant difference|(?<!prove that the models )are equal", text
    )
    assert "nan" not in re.findall(r"\w+", text)
    assert not re.search(r"\b(mean|the|of|is|by|on|its|than|rate) \1\b", text), "a word twice"


@pytest.mark.parametrize("name", CASES)
def test_methods_of_every_case_name_models_tests_level_seed_and_known_sources(name):
    one = made(name)
    found = methods(one)
    assert all(one.label(model)[:20] in found.text for model in one.models[:4])
    titles = {prose.title(family.entry).lower() for family in one.families}
    assert not {title for title in titles if title not in found.text.lower()}
    assert f"the seed {one.analysis.seed}." in found.text
    assert not re.search(r"\bnan\b|\bNone\b|  |\{|\}| ,|\.\.", found.text)
    assert all(line.strip().endswith(".") for line in found.text.split("\n"))
    assert set(found.keys) <= set(BIBTEX)
    in_latex = {k for keys in re.findall(r"\\citep\{(.*?)\}", found.latex) for k in keys.split(",")}
    assert in_latex == set(found.keys)


def test_latex_escapes_names_and_keeps_keys():
    (name,) = (name for name in recorded("methods.txt") if "50%" in name)
    latex = methods(made(name)).latex
    assert r"50\% \& more\_" in latex
    assert r"~\citep{alpaydin1999}" in latex.replace("\n", " ")


def test_every_source_has_authors_without_commands():
    assert not [key for key in BIBTEX if re.search(r"[\\{}]|^\w+\d{4}\w*$", author_year(key))]


if __name__ == "__main__":
    (HERE / "sentences.txt").write_text(sentences_text(), encoding="utf-8")
    for file, text_of in RECORDS.items():
        texts = [f"## {name}\n{text_of(name)}\n" for name in names(file)]
        (HERE / file).write_text("\n".join(texts), encoding="utf-8")
