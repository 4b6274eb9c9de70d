"""Files as people have them: lines before the table, separators, decimal commas."""

import pytest

from bakeoff.cli import main
from bakeoff.data.records import PLAIN, laid_out
from tests.unit.sources.helpers import card_of

ROWS = "".join(f"{i},{'uv'[i % 2]},{'uv'[i % 3 % 2]},{'uv'[i // 2 % 2]}\n" for i in range(40))
NAMES = "id,label,a,b\n"
BEFORE = {
    "nothing": ("", 0),
    "sep": ("sep=,\n", 1),
    "comment": ("# made on Monday, by hand\n#\n", 2),
    "title": ("Results of Monday\n\n", 2),
    "one title": ("Results\n", 1),
    "title and comment": ("Results of Monday\n# v2\n", 2),
}


@pytest.mark.parametrize(
    ("name", "sep"), [*((name, ",") for name in BEFORE), ("sep", ";"), ("title and comment", "\t")]
)
def test_lines_before_a_table_are_found_and_told(name, sep, tmp_path, capsys, in_folder):
    before, skip = BEFORE[name]
    text = (NAMES + ROWS).replace(",", sep)
    (tmp_path / "t.csv").write_text(before.replace("sep=,", f"sep={sep}") + text)
    assert laid_out("t.csv", PLAIN).skip == skip
    assert main(["compare", "t.csv"]) == 0
    out, err = capsys.readouterr()
    assert "of 40" in out
    assert ("before the table left out" in err) == (skip > 0)
    assert main(["init", "t.csv", "--target", "label"]) == 0
    assert ("skip: " in (tmp_path / "t.yaml").read_text()) == (skip > 0)


@pytest.mark.parametrize(
    ("text", "skip"),
    [
        *(("a,b\n1,2,3\n4,5,6\n", 0), ("x\n1,5\n2,7\n", 0), (NAMES + ROWS, 0)),
        ("# by hand\n#id,label\n1,u\n2,v\n", 1),  # names behind a hash are names
    ],
)
def test_the_first_line_of_a_table_is_kept(text, skip, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    assert laid_out(str(tmp_path / "t.csv"), PLAIN).skip == skip


@pytest.mark.parametrize(("sep", "quote"), [(";", ""), (",", '"'), ("\t", "")])
def test_decimal_commas_are_read_as_numbers(sep, quote, tmp_path, capsys, in_folder):
    lines = [f"{i}{sep}{quote}{i % 7},25{quote}{sep}{quote}{i % 5},5{quote}" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join([sep.join(("id", "a", "b")), *lines]))
    assert main(["compare", "t.csv", "--values", "lower"]) == 0
    assert "a" in capsys.readouterr().out


def test_an_experiment_says_how_many_lines_are_before_its_table(tmp_path):
    (tmp_path / "t.csv").write_text("Results of Monday\n\n" + NAMES + ROWS)
    data = {"source": "file", "path": str(tmp_path / "t.csv"), "target": "label", "skip": 2}
    assert card_of(**data)["rows"] == 40
