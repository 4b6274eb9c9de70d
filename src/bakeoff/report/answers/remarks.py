"""What a verdict says beside its answer: models left out, cautions on the data, notes."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.comparisons.plan_tests import notes as notes_on_runs
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import Decision
from bakeoff.report import sentences
from bakeoff.report.answers.answer import Kind
from bakeoff.report.numbers import clean, count, p_equals
from bakeoff.report.rare_classes import accuracy_of_rare
from bakeoff.report.sentences import Sentence
from bakeoff.report.study import Study
from bakeoff.report.undeclared import notes as notes_on_data

MOST_NOTES = 3
"""Notes on undeclared dependence; a table has all."""
MOST_INTERACTIONS = 2
"""Sentences on interactions for a data set; the figure has all."""


def excluded(study: Study) -> Iterator[Sentence]:
    """Say which models were excluded, where and why."""
    if study.failed.empty:
        return
    for (model, dataset), rows in study.failed.groupby(["model", "dataset"], sort=False):
        # folds often fail for one reason, which is said once
        reasons = dict.fromkeys(clean(why).removesuffix(".") for why in rows["why"])
        yield sentences.excluded(
            study.name(str(model)),
            study.dataset_label(str(dataset)),
            count(len(rows), "fit"),
            "; ".join(reasons),
        )


def left_out(study: Study) -> Iterator[Sentence]:
    """Say which models are left out of the ranking and of the tests over data sets."""
    told_as_excluded = set()  # by `excluded`
    if not study.several and not study.failed.empty:
        told_as_excluded = set(study.failed["model"])
    ranked_last = study.missing.get("policy") == "failed"
    for model, reason in study.excluded.items():
        if model not in told_as_excluded and not ranked_last:
            yield sentences.left_out(study.name(model), reason)
    notes: dict[str, None] = {}
    for row in study.comparisons:
        # tests over data sets are of none of them
        if not row.dataset:
            notes |= dict.fromkeys(row.result.get("left_out", ()))
    for note in notes:
        yield sentences.left_out_over_datasets(clean(note))


def preparation(study: Study) -> Iterator[Sentence]:
    """Say what was done with the rows before they were compared."""
    for text in study.preparation:
        yield Sentence(text, "preparation")


def cautions_on_results(study: Study) -> Iterator[Sentence]:
    """Say of given results what models were asked differently, and which logs are not whole."""
    for name, card in study.cards.items():
        where = ""
        if study.several:
            where = f"{study.dataset_label(name)}: "
        for text in card.get("cautions", ()):
            yield Sentence(f"{where}{text}", "results")


def interactions(study: Study) -> Iterator[Sentence]:
    """Say for each data set on which columns the difference depends."""
    lines = study.subgroups
    if lines.empty:
        return
    lines = lines[(lines["role"] == INTERACTION) & (lines["metric"] == study.metric.name)]
    lines = lines[lines["decision"] == Decision.DIFFERENT.value]
    for dataset, of_dataset in lines.groupby("dataset", sort=False):
        on = ""
        if study.several:
            on = f"On {study.dataset_label(str(dataset))}: "
        smallest = of_dataset.sort_values("pvalue_adjusted", kind="stable")[:MOST_INTERACTIONS]
        for line in smallest.to_dict("records"):
            name = "p"
            if line["family_size"] > 1:
                name = "adjusted p"
            yield sentences.depends_on(
                on,
                study.metric.title,
                study.name(line["model_a"]),
                study.name(line["model_b"]),
                repr(line["column"]),
                p_equals(line["pvalue_adjusted"], name),
            )


def notes(study: Study, kind: Kind) -> Iterator[Sentence]:
    """Note what the data and the training runs look like; last what may hide a difference."""
    for note in notes_on_data(study)[:MOST_NOTES]:
        yield Sentence(f"Note: {note.text}", "undeclared")
    for text in notes_on_runs(study.analysis):
        yield Sentence(f"Note: {text}", "runs")
    if len(study.models) > 1 and kind not in (Kind.WINNER, Kind.CONTROL):
        rare = accuracy_of_rare(study.cards, study.metric.name, study.metric.title)
        if rare:
            yield Sentence(f"Note: {rare}", "rare_classes")
