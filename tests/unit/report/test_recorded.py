"""What exhibits show, as a text: what tables say, and what is written in figures and beside them.

After a change that is wanted, `python tests/unit/report/test_recorded.py` writes recorded.txt anew.
"""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from studies import experiment, ran

from bakeoff.comparisons.row_tables import SUBGROUPS, subgroups_of, tabulate
from bakeoff.report.exhibits import build, draw, exhibits

FILE = Path(__file__).with_name("recorded.txt")
NAMES = ("a", "b", "a longer name")
MEANS = dict(zip(NAMES, (0.93, 0.9, 0.84), strict=True))
TESTS = ("cv5x2_f", "cv5x2_t", "bayes_correlated_t", "mcnemar", "cochran_q")


def one_data_set():
    labels = {f"m{i}": name for i, name in enumerate(NAMES)}
    means = dict(zip(labels, MEANS.values(), strict=True))
    spec = experiment(labels, tests=TESTS, subgroups=["site"], importance={"repeats": 2})
    found = ran(spec, means, accuracies=means)
    lost = [
        {"dataset": "d", "model": model, "feature": column, "mean": mean, "sd": 0.01}
        for model, means in zip(labels, ((0.2, 0.05), (0.1, 0.15), (0.02, -0.01)), strict=True)
        for column, mean in zip(("x", "a longer column"), means, strict=True)
    ]
    site = pd.Categorical(np.where(np.arange(200) % 3 == 0, "north", "south"))
    rows = dataclasses.replace(found.test_sets["d"], metric="accuracy", subgroups={"site": site})
    return dataclasses.replace(
        found,
        importance=pd.DataFrame(lost),
        subgroups=tabulate(subgroups_of("d", rows, spec), SUBGROUPS),
    )


def several_data_sets():
    means = {"a": [0.9, 0.8, 0.95, 0.7, 0.8], "b": [0.85, 0.82, 0.9, 0.6, 0.75]}
    means |= {"c": [0.7, 0.75, 0.8, 0.5, 0.6]}
    tests = ("nemenyi", "wilcoxon_signed_rank", "bayes_correlated_t", "mcnemar")
    return ran(experiment(list(means), datasets=[f"d{i}" for i in range(5)], tests=tests), means)


STUDIES = {"one data set": one_data_set, "several data sets": several_data_sets}


def items_of(one):
    found = {}
    for item in exhibits(one):
        found.setdefault(item.kind, item)
    return found


def said(table):
    """Yield a line for the head, one for each row, and what is said beside."""
    yield " | ".join(f"{c.title} ({c.key}{', number' if c.number else ''})" for c in table.columns)
    for row in table.rows:
        yield " | ".join(map(_cell, row))
    yield from filter(None, (table.note, table.summary))


def _cell(cell):
    value = f"{cell.value:.6g}" if isinstance(cell.value, float) else str(cell.value)
    more = [] if cell.value is None else [value]
    return " ".join(
        [cell.text, *more, *filter(None, (cell.mark, cell.tone)), *["best"] * cell.best]
    )


def described(drawing):
    """Yield what is said of it, and the texts in it."""
    yield from filter(None, (drawing.alt, drawing.legend, drawing.shows))
    drawing.figure.draw_without_rendering()
    shown = (text for text in drawing.figure.findobj(Text) if text.get_visible())
    yield " | ".join(text.get_text() for text in shown if text.get_text())


def text():
    parts = []
    for title, make in STUDIES.items():
        one = make()
        for name, item in items_of(one).items():
            figure = item.form == "figure"
            lines = described(draw(item, one)) if figure else said(build(item, one))
            shown = "\n".join(lines)
            parts.append(f"## {title}: {name}\n{item.section}: {item.title}\n{shown}\n")
    return "\n".join(parts)


def sections(record):
    return dict(re.findall(r"^## (.+?)\n(.*?)(?=\n## |\Z)", record, re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def found():
    return sections(text())


@pytest.mark.parametrize("name", sections(FILE.read_text(encoding="utf-8")))
def test_exhibit_is_as_recorded(found, name):
    wanted = sections(FILE.read_text(encoding="utf-8"))[name]
    assert found[name].splitlines() == wanted.splitlines()


def test_every_exhibit_is_recorded(found):
    assert list(found) == list(sections(FILE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
