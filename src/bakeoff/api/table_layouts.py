"""The long tables that benchmarks write, known by their columns."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Layout:
    """The columns of a long table that a benchmark writes."""

    what: str
    datasets: tuple[str, ...]
    model: tuple[str, ...]
    repeats: tuple[str, ...]
    value: str = ""
    better: str = ""

    def fits(self, columns: set[str]) -> bool:
        """Tell whether a table with these columns is one."""
        there = {self.model[0], *filter(None, [self.value])} <= columns
        return there and not columns.isdisjoint(self.datasets)


LAYOUTS = (
    # amlb/results.py: `result` is the negated score where lower is better (metric: neg_…)
    Layout("AMLB", ("task",), ("framework", "constraint"), ("fold",), "result", "higher"),
    # bencheval/tabarena.py: one row per method, task and seed, with an error that is not below 0
    Layout(
        "TabArena",
        ("task", "dataset"),
        ("method",),
        ("repeat", "fold", "seed", "split"),
        "metric_error",
        "lower",
    ),
    # weka.experiment.CSVResultListener: Key_ before the names of the result producer's keys
    Layout(
        "WEKA",
        ("Key_Dataset",),
        ("Key_Scheme", "Key_Scheme_options", "Key_Scheme_version_ID"),
        ("Key_Run", "Key_Fold"),
    ),
    # as.data.table(bmr$score()) and bmr$aggregate() of mlr3
    Layout("mlr3", ("task_id",), ("learner_id",), ("iteration",)),
)
