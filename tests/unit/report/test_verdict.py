"""The sentences, word by word."""

import dataclasses
import re
from pathlib import Path

import pandas as pd
import pytest
from cases import CASES
from studies import experiment, pair, ran
from studies import study as made_up

from bakeoff.report.prose import p_name
from bakeoff.report.verdict import answer
from bakeoff.stats import Arity, catalogue

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
    assert not re.search(r"\b(mean|the|of|is|by|on|its|than|rate) \1\b", text), "a word twice"


ON_ROWS = [
    entry.name
    for entry in catalogue().values()
    if entry.evidence.on_rows and entry.arity is Arity.PAIR and "margin" not in entry.options
]


@pytest.mark.parametrize("test", ON_ROWS)
def test_every_test_of_rows_is_told_beside_one_of_folds(test):
    spec = experiment(("a", "b"), tests=("cv5x2_f", "mcnemar"))
    beside = pair("a", "b", 0.01, 0.05, test=test, plan="holdout", n=200)
    found = answer(made_up(spec, [pair("a", "b", 0.01, 0.05), beside], {"a": 0.95, "b": 0.9}))
    assert any("held-out rows" in sentence for sentence in found.sentences)


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


@pytest.mark.parametrize("first", [True, False])
def test_the_omnibus_test_of_the_verdict_licenses_its_pairs(first):
    """Kruskal and Wallis ignore the blocks: whoever is named first, Friedman's test is told."""
    names = ["kruskal_wallis", "friedman"][:: 1 if first else -1]
    datasets = [f"d{i}" for i in range(12)]
    spec = experiment(("a", "b", "c"), datasets=datasets, tests=(*names, "friedman_posthoc"))
    hard = [0.5 + 0.03 * i for i in range(12)]
    means = {m: [h + gap for h in hard] for m, gap in (("a", 0.02), ("b", 0.01), ("c", 0.0))}
    one = ran(spec, means)
    family = one.main("algorithms")
    assert one.omnibus(family).test == "friedman"


@pytest.mark.parametrize(
    ("models", "n", "said"),
    [
        ("ab", 3, "needs 6 of them to reach the 5% level, there are 3"),
        ("ab", 6, "the recommended test is wilcoxon_signed_rank"),
        ("abc", 3, "needs 6 of them to reach the 5% level, there are 3"),
        ("abc", 12, "the recommended test is friedman"),
        ("abc", 60, "the recommended test is iman_davenport"),
    ],
)
def test_advice_is_what_is_recommended_for_so_many_data_sets(models, n, said):
    spec = experiment(list(models), datasets=[f"d{i}" for i in range(n)], tests=("cv5x2_f",))
    one = ran(spec, {m: [0.9 - 0.1 * i] * n for i, m in enumerate(models)})
    assert said in answer(one).sentences[-1]


def test_the_clearest_interactions_are_told_and_the_others_counted():
    pairs = [("a", "b", 0.03), ("a", "c", 0.001), ("b", "c", 0.02)]
    lines = [
        {
            "dataset": "d", "metric": "accuracy", "role": "interaction", "column": "sex",
            "model_a": a, "model_b": b, "pvalue": p, "pvalue_adjusted": p, "family_size": 3,
            "decision": "different",
        }
        for a, b, p in pairs
    ]  # fmt: skip
    spec = experiment(("a", "b", "c"))
    means = {"a": 0.95, "b": 0.94, "c": 0.9}
    one = dataclasses.replace(made_up(spec, (), means), subgroups=pd.DataFrame(lines))
    text = answer(one).text
    assert "The difference in accuracy between a and c depends on 'sex' (adjusted p = .001)" in text
    assert "between b and c depends" in text
    assert "between a and b depends" not in text
    assert "The report has 1 more significant interaction." in text


@pytest.mark.parametrize(("a", "b", "sign"), [("a", "b", 1), ("b", "a", -1)])
def test_equal_folds_are_not_folds_ahead(a, b, sign):
    spec = experiment(("a", "b"), tests=("cv5x2_f",))
    folds = [[0.1, 0.1], [0.1, 0.0], [0.1, -0.1], [0.1, 0.1], [0.1, 0.1]]
    found = {"details": {"differences": [[sign * d for d in own] for own in folds]}}
    row = pair(a, b, 0.01, sign * 0.05, result=found)
    text = answer(made_up(spec, [row], {"a": 0.95, "b": 0.9})).text
    assert "(ahead on 8 of 10 folds)" in text


@pytest.mark.parametrize(
    ("size", "correction", "called"),
    [(1, "holm", "p"), (2, "holm", "adjusted p"), (2, "none", "p")],
)
def test_p_values_of_two_comparisons_are_called_adjusted(size, correction, called):
    row = pair("a", "b", 0.01, 0.05)
    assert p_name(dataclasses.replace(row, family_size=size, correction=correction)) == called
