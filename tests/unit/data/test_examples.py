"""Small inputs, and what the modules of data, sources and spec make of them: examples.txt.

Its sections are those of `doctest`, from a heading ``== name`` to the next.
"""

import doctest
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bakeoff.errors import UserError

FILE = Path(__file__).with_name("examples.txt")
SECTIONS = dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", FILE.read_text("utf-8"), re.MULTILINE))
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def refused(call):
    """Return the message of a refusal."""
    with pytest.raises((UserError, ValueError)) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize("name", SECTIONS)
def test_examples_are_as_they_were_told(name, monkeypatch, in_folder):
    names = {"np": np, "pd": pd, "pa": pa, "Path": Path}
    names |= {"patch": monkeypatch.setattr, "refused": refused}
    examples = doctest.DocTestParser().get_doctest(
        SECTIONS[name],
        names,
        name,
        str(FILE),
        0,
    )
    told = []
    doctest.DocTestRunner(verbose=False, optionflags=LIKE).run(examples, out=told.append)
    assert "".join(told) == ""
