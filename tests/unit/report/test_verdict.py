"""The sentences, word by word."""

import dataclasses
import re
from pathlib import Path

import pandas as pd
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


def test_excluded_models_are_told_first():
    study = next(iter(CASES.values()))()
    model, dataset = study.models[0], study.datasets[0]
    rows = [
        {"model": model, "dataset": dataset, "why": "MemoryError: \x07too big"},
        {"model": model, "dataset": dataset, "why": "it took more than 5 s"},
    ]
    found = answer(dataclasses.replace(study, failed=pd.DataFrame(rows)))
    who, where = study.label(model), study.dataset_label(dataset)
    assert found.sentences[0] == (
        f"{who} was excluded on {where}, where 2 fits failed: "
        "MemoryError: too big (and other reasons)."
    )
    assert found.sentences[1:] == answer(study).sentences
