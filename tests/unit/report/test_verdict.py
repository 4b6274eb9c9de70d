"""The verdict: every sentence it can have, in one list with examples, and every case as a text.

After a change that is wanted, `python tests/unit/report/test_verdict.py` writes sentences.txt and
verdicts.txt anew.
"""

import dataclasses
import re
from pathlib import Path

import pandas as pd
import pytest
from cases import CASES
from studies import experiment, pair, ran
from studies import study as made_up

import bakeoff.report
from bakeoff.comparisons.advice import INFLATED, NOT_SIMULATED
from bakeoff.report.prose import p_name
from bakeoff.report.verdict import MOST, answer
from bakeoff.stats import Arity, catalogue

HERE = Path(__file__).parent
TEMPLATE = Path(bakeoff.report.__file__).parent / "templates/verdict.txt.j2"
OF_CAUTIONS = [f"Caution: {text}" for text in (INFLATED, NOT_SIMULATED)]
SLOT = re.compile(r"\{\{ (?:one\.)?(\w+)[^}]*\}\}|\{(\w+)\}")
CHOICE = re.compile(r'\{\{ "([^"]*)" if [^}]* else "([^"]*)" \}\}')
OPTIONAL = re.compile(r"\{% if [^%]* %\}(.*?)\{% endif %\}")


def sentences():
    """Yield the templates of all sentences, without the places where they stand."""
    for line in TEMPLATE.read_text(encoding="utf-8").splitlines():
        _, _, sentence = line.partition(": ")
        if sentence and not line.startswith(("{%", "{#", "  ")):
            yield from OF_CAUTIONS if "caution" in sentence else [sentence]


def shown(sentence):
    """Write a template with its slots in braces and what may be absent in brackets."""
    text = OPTIONAL.sub(r"[\1]", CHOICE.sub(r"[\1 | \2]", sentence))
    return SLOT.sub(lambda slot: f"{{{slot[1] or slot[2]}}}", text)


def pattern(sentence):
    """Return what matches the texts that a template makes."""
    parts = re.split(r"(\{[^{}]*\}|\[[^\]]*\])", shown(sentence))
    return re.compile("".join(".*" if p[:1] in ("{", "[") else re.escape(p) for p in parts))


def words_of(sentence):
    """Return how many letters a template has outside of its slots."""
    return len(re.sub(r"\{[^{}]*\}|\[[^\]]*\]", "", shown(sentence)))


def listed():
    patterns = {s: pattern(s) for s in sorted(sentences(), key=words_of, reverse=True)}
    examples = {sentence: [] for sentence in patterns}
    for line in dict.fromkeys(line for make in CASES.values() for line in answer(make()).lines):
        # of several templates the one with the most words of its own
        examples[next(s for s, p in patterns.items() if p.fullmatch(line))].append(line)
    for number, sentence in enumerate(sentences(), 1):
        own = (f"    {example}" for example in examples[sentence][:MOST])
        yield "\n".join((f"{number}. {shown(sentence)}", *own, ""))


def test_list_of_sentences_is_as_recorded():
    assert "\n".join(listed()) == (HERE / "sentences.txt").read_text(encoding="utf-8")


def test_there_are_at_most_forty_sentences_and_each_has_an_example():
    found = list(listed())
    assert len(found) <= 40
    assert not [one for one in found if one.count("\n") < 2]


def text_of(verdict):
    parts = (verdict.headline, verdict.evidence, *verdict.main, *(f"  {m}" for m in verdict.more))
    return f"[{verdict.kind.value}] " + "\n".join(filter(None, parts))


def recorded():
    text = (HERE / "verdicts.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^## (.+?)\n(.*?)(?=\n## |\Z)", text, re.DOTALL | re.MULTILINE))


def test_every_recorded_text_has_its_case():
    assert list(recorded()) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_verdict_reads_as_recorded(name):
    found = answer(CASES[name]())
    assert text_of(found).splitlines() == recorded()[name].strip().splitlines()
    assert len(found.main) <= MOST
    text = found.text.lower()
    assert not re.search(
        r"accept|no significant difference|(?<!prove that the models )are equal", text
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


def test_excluded_models_are_told():
    study = next(iter(CASES.values()))()
    model, dataset = study.models[0], study.datasets[0]
    rows = [
        {"model": model, "dataset": dataset, "why": "MemoryError: \x07too big"},
        {"model": model, "dataset": dataset, "why": "it took more than 5 s"},
    ]
    found = answer(dataclasses.replace(study, failed=pd.DataFrame(rows)))
    who, where = study.label(model), study.dataset_label(dataset)
    assert (
        f"{who} was excluded on {where}, where 2 fits failed: "
        "MemoryError: too big (and other reasons)."
    ) in found.main
    assert {*answer(study).sentences} < {*found.sentences}


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
        ("ab", 3, "needs at least 6 data sets to reach the 5% level; there are 3"),
        ("ab", 6, "test over these data sets is wilcoxon_signed_rank"),
        ("abc", 3, "needs at least 6 data sets to reach the 5% level; there are 3"),
        ("abc", 12, "test over these data sets is friedman"),
        ("abc", 60, "test over these data sets is iman_davenport"),
    ],
)
def test_advice_is_what_is_recommended_for_so_many_data_sets(models, n, said):
    spec = experiment(list(models), datasets=[f"d{i}" for i in range(n)], tests=("cv5x2_f",))
    one = ran(spec, {m: [0.9 - 0.1 * i] * n for i, m in enumerate(models)})
    assert said in answer(one).main[-1]


@pytest.mark.parametrize(
    ("size", "correction", "called"),
    [(1, "holm", "p"), (2, "holm", "adjusted p"), (2, "none", "p")],
)
def test_p_values_of_two_comparisons_are_called_adjusted(size, correction, called):
    row = pair("a", "b", 0.01, 0.05)
    assert p_name(dataclasses.replace(row, family_size=size, correction=correction)) == called


if __name__ == "__main__":
    (HERE / "sentences.txt").write_text("\n".join(listed()), encoding="utf-8")
    texts = (f"## {name}\n{text_of(answer(make()))}\n" for name, make in CASES.items())
    (HERE / "verdicts.txt").write_text("\n".join(texts), encoding="utf-8")
