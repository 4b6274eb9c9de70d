"""Where messages say that a mistake is."""

import pytest

from bakeoff.errors import Problem, UserError
from bakeoff.spec.load import read_yaml, report_problems


def test_a_mistake_that_the_file_does_not_show_has_no_line(tmp_path):
    file = tmp_path / "e.yaml"
    file.write_text("seed: 1\nmetrics: [f2]\n")
    problems = [Problem(("metrics", 0), "one"), Problem(("models", "a"), "two")]
    assert str(report_problems(problems, file)).splitlines() == [
        f"{file}: models.a: two",
        f"{file}:2: metrics[0]: one",
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("resampling: {holdout:, {test_size: 0.3}}", "mapping"),
        ("resampling:\n  ? [a, b]\n  : 1", "list"),
    ],
)
def test_a_key_that_is_no_name_is_told(tmp_path, text, kind):
    file = tmp_path / "e.yaml"
    file.write_text(f"seed: 1\n{text}\n")
    with pytest.raises(UserError, match=rf"e\.yaml:\d: resampling: a {kind} stands where a key"):
        read_yaml(file)
