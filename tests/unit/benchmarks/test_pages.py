"""What the documentation shows of the simulations is what their figures say."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

from benchmarks import harness, pages
from benchmarks.__main__ import STUDIES


def test_pages_are_made_from_the_figures() -> None:
    for file, text in pages.made():
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: run make generate"


def test_every_study_simulates_and_is_described() -> None:
    readme = (harness.HERE / "README.md").read_text(encoding="utf-8")
    files = {file.relative_to(harness.HERE).as_posix() for file in harness.HERE.rglob("*.csv")}
    for name in STUDIES:
        assert f"`{name}`" in readme
        assert inspect.isgeneratorfunction(importlib.import_module(f"benchmarks.{name}").simulate)
    shown = " ".join(harness.HERE.joinpath("README.md").read_text(encoding="utf-8").split("`"))
    patterns = [word for word in shown.replace(",", " ").split() if word.endswith(".csv")]
    assert all(any(Path(file).match(one) for one in patterns) for file in files)


def test_text_between_the_marks_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n")
    page.write_text(harness.renewed(page, {"t": "new"}))
    assert page.read_text() == "a\n<!-- t: begin -->\n\nnew\n\n<!-- t: end -->\nb\n"
    assert harness.renewed(page, {"t": "new\n"}) == page.read_text()
    with pytest.raises(ValueError, match=r"page.md needs <!-- u: begin --> and <!-- u: end -->"):
        harness.renewed(page, {"u": "new"})
