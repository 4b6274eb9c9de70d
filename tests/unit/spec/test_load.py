"""Where messages say that a mistake is."""

from __future__ import annotations

from pathlib import Path

from bakeoff.errors import Problem
from bakeoff.spec.load import report_problems


def test_a_mistake_that_the_file_does_not_show_has_no_line(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text("seed: 1\nmetrics: [f2]\n")
    problems = [Problem(("metrics", 0), "one"), Problem(("models", "a"), "two")]
    assert str(report_problems(problems, file)).splitlines() == [
        f"{file}: models.a: two",
        f"{file}:2: metrics[0]: one",
    ]
