"""The mean score of every model on every data set."""

from __future__ import annotations

from bakeoff.report import prose
from bakeoff.report.cells import capital, score_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.pairs_shown import order
from bakeoff.report.ranking import dataset_means, ranks_of
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Column, PageTable, tabulate, text

_MOST_HOLES = 5
_POLICIES = {
    "drop_dataset": "the data sets that lack a score are left out of the tests over data sets",
    "drop_model": "the models that lack a score are left out of the tests over data sets",
    "error": "no test over data sets uses them",
}


def build(item: Item, study: Study) -> PageTable:
    """Show the mean score of every model on every data set, and which are missing."""
    ordered = order(study)
    means = dataset_means(study, study.metric.name, study.plan).reindex(columns=ordered)
    ranks = ranks_of(means, study.metric.greater_is_better)
    best = ranks.eq(ranks.min(axis=1), axis=0)
    columns = (
        Column("dataset", "Data set"),
        *(Column(m, study.label(m), True, "model") for m in ordered),
    )
    rows = (
        {"dataset": text(study.dataset_label(str(name)))}
        | {m: score_cell(float(own[m]), bool(first[m])) for m in ordered}
        for (name, own), (_, first) in zip(means.iterrows(), best.iterrows(), strict=True)
    )
    note = (
        f"{capital(study.metric.title)}, {prose.scored(study)}; best of each data set in bold. "
        "Other metrics and plans are in score_matrix.csv."
    )
    return tabulate(item, columns, rows, note + _holes(study))


def _holes(study: Study) -> str:
    """Say which cells are missing and what the tests over data sets do about them."""
    holes = study.missing.get("missing", ())
    own = [h for h in holes if (h["plan"], h["metric"]) == (study.plan, study.metric.name)]
    if not own:
        return ""
    told = [
        f"{study.label(h['model'])} on {study.dataset_label(h['dataset'])} ({clean(h['reason'])})"
        for h in own[:_MOST_HOLES]
    ]
    more = f" and {len(own) - len(told)} more" if len(own) > len(told) else ""
    return f" Missing: {'; '.join(told)}{more}; {_POLICIES[study.missing['policy']]}."


def _several(asked: Asked) -> bool:
    return asked.several


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=30,
    title="Mean scores by data set",
    caption="The mean score of each model on each data set, the best of a data set in bold. A dash "
    "is a missing score; the note says why it is missing and what the tests over data sets do "
    "about it.",
    when=_several,
    folded="Every data set",
    build=build,
)
