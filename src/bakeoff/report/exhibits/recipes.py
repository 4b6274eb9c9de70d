"""Training runs crossed with test rows: where the variance of a difference comes from."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.dependence import OF_RUNS
from bakeoff.report.cells import COUNT, DATASET, METRIC, SCORE, SHARE, A, B, P
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.family import as_float
from bakeoff.report.item import Item
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, PageTable, tabulate

_NUMBERS = ("value_a", "value_b", "sd_run_a", "sd_run_b", "pvalue_fits")


def build(item: Item, study: Study) -> PageTable:
    """List the parts of the variance, pair by pair, and what more runs or rows would leave."""
    columns = (
        DATASET,
        METRIC,
        A,
        B,
        Column("runs_a", "Runs of A", COUNT),
        Column("runs_b", "Runs of B", COUNT),
        Column("value_a", "Mean of A", SCORE),
        Column("value_b", "Mean of B", SCORE),
        Column("sd_run_a", "SD of a run of A", SCORE),
        Column("sd_run_b", "SD of a run of B", SCORE),
        Column("share", "Variance due to seeds", SHARE),
        Column("se", "SE", SCORE),
        Column("se_runs", "SE, twice the runs", SCORE),
        Column("se_rows", "SE, twice the rows", SCORE),
        Column("se_floor", "SE, any number of runs", SCORE),
        Column("pvalue", "p, other seeds and rows", P),
        Column("pvalue_fits", "p, these fits on other rows", P),
    )
    families = [f for f in study.families if f.entry.evidence in OF_RUNS and f.settles]
    rows = [_line(study, row) for family in families for row in family.rows]
    return tabulate(item, study, columns, [row for row in rows if row])


def _line(study: Study, row: Comparison) -> dict[str, Any]:
    details = row.result.get("details", {})
    if "var_seeds" not in details:
        return {}
    parts = ("var_seeds", "var_rows", "var_cells")
    seeds, rows, cells = (max(as_float(details[part]), 0.0) for part in parts)
    return {
        "dataset": row.dataset,
        "metric": row.metric,
        "written": study.written_as(row),
        "model_a": row.model_a,
        "model_b": row.model_b,
        **{key: details[key] for key in ("runs_a", "runs_b")},
        **{key: as_float(details.get(key)) for key in _NUMBERS},
        "share": seeds / (seeds + rows) if seeds + rows else math.nan,
        "se": math.sqrt(seeds + rows),
        "se_runs": math.sqrt(seeds / 2 + rows),
        "se_rows": math.sqrt(max(seeds - cells, 0.0) + cells / 2 + rows / 2),
        "se_floor": math.sqrt(rows),
        "pvalue": row.pvalue,
    }


EXHIBITS = {
    "recipes": TableExhibit(
        section=Section.TRUST,
        place=65,
        title="Training runs and rows",
        caption="The mean score of the training runs of each model, and where the variance of each "
        "difference comes from. SD of a run: the standard "
        "deviation of the score between training runs. SE: the standard error of the difference "
        "now, with twice as many training runs or test rows, and with any number of runs, which "
        "the rows bound. The p-value about these fits takes the training runs as they are; where "
        "it is small and the other is not, the difference may be luck of the seeds. All runs share "
        "one set of training rows.",
        when=lambda design: any(entry.evidence in OF_RUNS for entry in design.tests),
        citation="gallas2006",
        build=build,
    ),
}
