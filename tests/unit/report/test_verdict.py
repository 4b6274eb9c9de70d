"""The sentences, word by word."""

import re
from pathlib import Path

import pytest
from cases import CASES

from bakeoff.report.verdict import answer

GOLDEN = dict(
    re.findall(
        r"^## (.+?)\n(.*?)(?=\n## |\Z)",
        (Path(__file__).parent / "verdicts.txt").read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
)


def text_of(verdict):
    return "\n".join((f"[{verdict.kind.value}] {verdict.headline}", *verdict.sentences))


def test_every_golden_text_has_its_case():
    assert list(GOLDEN) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_verdict_reads_as_the_golden_text(name):
    assert text_of(answer(CASES[name]())) == GOLDEN[name].strip()


@pytest.mark.parametrize("name", CASES)
def test_no_verdict_takes_absence_of_evidence_for_evidence(name):
    text = answer(CASES[name]()).text.lower()
    assert not re.search(
        r"accept|no significant difference|are equal\b(?<!that they are equal)", text
    )
    assert "nan" not in re.findall(r"\w+", text)
