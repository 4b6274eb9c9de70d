"""Which models and data sets the answer lacks, and why."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.report.numbers import count
from bakeoff.report.study import Study, clean
from bakeoff.report.verdict.wording import name


def failed(study: Study) -> Iterator[str]:
    """Say which models were excluded, where and why: nobody is to overlook it."""
    if study.failed.empty:
        return
    for key, rows in study.failed.groupby(["model", "dataset"], sort=False):
        model, dataset = map(str, key)
        why = dict.fromkeys(map(clean, rows["why"]))
        reason = (
            f"{next(iter(why)).removesuffix('.')}{' (and other reasons)' if len(why) > 1 else ''}"
        )
        yield (
            f"{name(study, model)} was excluded on {study.dataset_label(dataset)}, where "
            f"{count(len(rows), 'fit')} failed: {reason}."
        )


def left_out(study: Study) -> Iterator[str]:
    """Say which models and data sets the ranking and the tests over data sets lack."""
    told = set() if study.failed.empty else set(study.failed["model"])
    for model, reason in study.excluded.items():
        if model in told and len(study.datasets) == 1:
            continue
        yield f"{name(study, model)} is left out of the ranking: {reason}."
    spanning = (row for row in study.comparisons if not row.dataset)
    for note in dict.fromkeys(n for row in spanning for n in row.result.get("left_out", ())):
        yield f"From the tests over data sets the {clean(note)}."
