"""What commands print is as recorded in terminal.txt, below each command.

After a change that is wanted, `python -m tests.unit.cli.test_terminal` writes the file anew.
"""

import contextlib
import functools
import io
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from bakeoff import __version__
from bakeoff.cli import main

FILE = Path(__file__).with_name("terminal.txt")
ANEW = "if this change is wanted: python -m tests.unit.cli.test_terminal"
LINES = dict(re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", FILE.read_text("utf-8"), re.MULTILINE))


@functools.cache
def folder():
    """Write predictions, scores and tables of features beside an experiment."""
    made, rng, n = tempfile.TemporaryDirectory(), np.random.default_rng(5), np.arange(240)
    sick, days = n % 5 < 2, pd.date_range("2024-01-01", periods=240)
    rare = np.repeat(list("bcadgef"), [60, 55, 50, 30, 22, 20, 3])
    ids = {"id": n, "truth": np.where(sick, "sick", "well")}
    facts = {"site": n // 6, "week": n // 4, "sex": np.where(n % 3, "f", "m")}
    facts["weight"] = rng.normal(size=240)
    wide = ids | facts
    for i in range(12):
        p = 1 / (1 + np.exp(0.4 - (2.5 - i / 5) * sick - rng.normal(size=240)))
        wide |= {f"m{i}": np.where(p > 0.5, "sick", "well"), f"m{i}:sick": p, f"m{i}:well": 1 - p}
    mpa = {"id": n, "truth": sick + 0.5} | {f"m{i}": rng.normal(i / 20, 4, 240) for i in range(3)}
    scores = {"data": [*"abcdefghi"]} | {f"s{i}": rng.normal(8 - i / 9, 0.4, 9) for i in range(32)}
    many = {f"x{i:02}": rng.normal(size=240) for i in range(42)} | {"kind": rare, "level": n % 10}
    many |= {"day": days.strftime("%d/%m/%Y"), "seen": days.strftime("%Y-%m-%d")}
    many |= {"patient_id": n // 5, "user_id": n // 8, "code": np.char.add("k", rare), "one": 1}
    many |= {"name": [f"n{i}" for i in n], "nr": n % 60 + 1, "rings": n % 11}
    many["due"] = [f"{i % 12 + 1:02}/{i // 12 % 12 + 1:02}/2024" for i in n]
    features = ids | facts | {"pounds": 2.2046 * facts["weight"]}
    tables = {"wide": wide, "features": features, "mpa": mpa, "scores": scores, "Many 1": many}
    tables["small"] = {column: values[:18] for column, values in features.items()}
    for i in range(6):
        said = np.where(rng.random(240) > 0.05, wide[f"m{i % 2}"], "well")
        tables[f"m{i % 2}-{i // 2}"] = ids | {"said": said}
    for name, table in tables.items():
        pd.DataFrame(table).round(4).to_csv(f"{made.name}/{name}.csv", index=False)
    shutil.copy(FILE.with_name("terminal.yml"), made.name)
    times = {"model": [*"xyz"], "fit_seconds": [1.5, 2.0, 40.0], "predict_seconds": [0.5, 0.0, 7.0]}
    Path(made.name, "results/every-plan").mkdir(parents=True)
    pd.DataFrame(times).to_csv(f"{made.name}/results/every-plan/timings.csv", index=False)
    return made


def shown(line):
    """Return what commands print, numbers to six digits, and the last exit code."""
    out, wide = io.StringIO(), patch.dict(os.environ, COLUMNS="100")
    printed = contextlib.redirect_stdout(out), contextlib.redirect_stderr(out)
    with contextlib.chdir(folder().name), wide, printed[0], printed[1]:
        for made in Path().glob("*.yaml"):
            made.unlink()
        code = [main(shlex.split(part)) for part in line.split(" && ")][-1]
    text = re.sub(r"\d+\.\d{7,}(e-\d+)?", lambda found: f"{float(found[0]):.6g}", out.getvalue())
    return f"{text.strip()}\nexit code {code}\n\n".replace(__version__, "VERSION")


@pytest.mark.parametrize("line", LINES)
def test_commands_print_what_is_recorded(line):
    assert shown(line).splitlines() == LINES[line].splitlines(), ANEW


if __name__ == "__main__":
    FILE.write_text("".join(f"$ {line}\n{shown(line)}" for line in LINES), encoding="utf-8")
