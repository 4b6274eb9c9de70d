"""Every model against a constant answer, data set by data set and metric by metric."""

from __future__ import annotations

from bakeoff.report.baseline import Against, baselines
from bakeoff.report.cells import capital, ci_cell, p_cell, score_cell
from bakeoff.report.exhibit import MOST_DATASETS, Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, percent
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text


def build(item: Item, study: Study) -> PageTable:
    """Give the constant answer's score, and each model's difference from it."""
    columns = (
        *((Column("dataset", "Data set"),) if len(study.datasets) > 1 else ()),
        Column("metric", "Metric"),
        Column("answer", "Constant answer"),
        Column("constant", "It scores", True),
        Column("model", "Model"),
        Column("difference", "Better by", True),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", True),
        Column("pvalue", "p", True),
        Column("pvalue_adjusted", "Adjusted p", True),
        Column("decision", "Says"),
    )
    rows: list[dict[str, Cell]] = []
    untested = {column.key: text(NONE) for column in columns} | {"decision": text("not tested")}
    for metric in study.experiment.metrics:
        for one in baselines(study, metric):
            measure = study.metrics[metric]
            shares = measure.by_order
            known = {
                "metric": text(capital(measure.title)),
                "answer": text("class shares" if shares else clean(one.answer)),
                "constant": score_cell(one.score),
            }
            if len(study.datasets) > 1:
                known["dataset"] = text(study.dataset_label(one.dataset))
            for line in one.models:
                low, high = (line.ci.low, line.ci.high) if line.ci else (float("nan"),) * 2
                shown = {
                    "model": text(study.label(line.model)),
                    "difference": score_cell(line.difference),
                    "ci_low": ci_cell(low, high),
                    "pvalue": p_cell(line.pvalue, 0.0),
                    "pvalue_adjusted": p_cell(line.pvalue_adjusted, study.alpha),
                    "decision": _says(line, study.alpha),
                }
                rows.append(known | shown)
            if not one.models:
                rows.append(untested | known)
    note = (
        "How much better each model is than the same answer for every row; a positive difference "
        "is an advantage of the model, also by metrics of which less is better. On folds the "
        "corrected t test (Nadeau and Bengio), on held-out rows the t test of the metric's "
        "difference; Holm's correction for the models, none for metrics and data sets."
    )
    return tabulate(item, columns, rows, note)


def _says(line: Against, alpha: float) -> Cell:
    if line.better:
        return Cell("beats it", tone="good")
    worse = line.pvalue_adjusted <= alpha and line.difference < 0
    return Cell("worse than it", tone="bad") if worse else Cell("not shown to beat it", tone="open")


def _when(asked: Asked) -> bool:
    experiment = asked.experiment
    return not experiment.by_values and len(experiment.datasets) <= MOST_DATASETS


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=22,
    title="Against a constant answer",
    caption="What a constant answer scores: the most frequent class of the training rows with the "
    "shares of the classes as probabilities, by costs the cheapest class. For each model the "
    "difference from it, with a confidence interval and a test.",
    when=_when,
    folded="Every model against a constant answer",
    build=build,
)
