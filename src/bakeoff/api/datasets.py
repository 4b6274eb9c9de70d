"""A table of scores, data sets × models, read in any layout and compared at once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.api.arrays import by_name
from bakeoff.api.build_study import made_by
from bakeoff.api.findings import Findings
from bakeoff.api.settings import TestSettings, asked_tests, call_of, takes
from bakeoff.comparisons import merged, plan_tests, run_planned
from bakeoff.comparisons.read_evidence import Hole, score_matrix
from bakeoff.comparisons.run_tests import HOLES, MATRIX, matrices
from bakeoff.data.given_predictions import given_card
from bakeoff.data.target import Classes
from bakeoff.errors import Problem, UserError, some, unknown
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, metrics_of
from bakeoff.scores.given_results import check_ranges
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec import Experiment, HypothesisTests
from bakeoff.spec.given_models import GivenData, GivenModel
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import GivenMetric

MODEL = ("model", "method", "algorithm", "framework", "classifier", "learner")
VALUE = ("value", "score", "result", "metric_error")
NO_NUMBER = ("", "-", "–", "?", "na", "n/a", "nan", "none", "null")
"""What stands in a cell that has no score, and gives no reason for it."""
DIRECTIONS = ("higher", "lower")


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
_ERRORS: Mapping[str, str] = {
    "accuracy": "error",
    "error": "error",
    "log_loss": "log_loss",
    "rmse": "rmse",
    "root_mean_squared_error": "rmse",
    "mae": "mae",
    "mean_absolute_error": "mae",
}
"""What the error of a metric of a benchmark is, where it is a metric of ours."""
MIXED = "metric_error"
"""What the errors of data sets with several metrics are called."""
_SIZES = 100.0
"""How much larger scores may be on one data set than on another, where they are in one unit."""


@dataclasses.dataclass(frozen=True)
class ScoreTable:
    """Scores of models on data sets."""

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    better: Mapping[str, bool]
    values: Mapping[str, NDArray[np.float64]]
    reasons: Mapping[tuple[str, str, str], str]
    groups: Mapping[str, list[str]]
    mixed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By metric, how it is known that its values are in other units on other data sets."""
    notes: Sequence[str] = ()


def read_scores(
    table: Any,
    *,
    datasets: str | None = None,
    values: str | None = None,
    metrics: Sequence[str] = (),
    models: Sequence[str] | None = None,
    repeats: Sequence[str] = (),
    groups: str | None = None,
    decimals: int | None = None,
) -> ScoreTable:
    """Read a table of scores: a column per model, or a row per score."""
    frame = by_name("table", table, "a table of data sets and models")
    frame = pd.DataFrame(frame) if not isinstance(frame, pd.DataFrame) else frame
    if datasets is not None and datasets == frame.index.name:
        frame = frame.reset_index()
    frame.columns = frame.columns.map(str)
    layout = next((one for one in LAYOUTS if one.fits(set(frame.columns))), None)
    if layout is not None and layout.what == "WEKA":
        frame = frame.assign(**{k: frame[k].astype(str) for k in layout.model if k in frame})
    long = _long(frame, layout, datasets, metrics, models, repeats, groups)
    better = _directions(long, layout, values, metrics)
    long = long[long["metric"].isin(list(better))]
    found = _arranged(long, better, models, decimals)
    mixed, notes = _mixed(frame, found), _imputed(frame, models)
    return dataclasses.replace(found, mixed=mixed, notes=notes)


def _mixed(frame: pd.DataFrame, table: ScoreTable) -> dict[str, str]:
    """Find metrics whose values are in other units on other data sets."""
    by_column = "metric" in frame and set(table.values).isdisjoint(set(frame["metric"].astype(str)))
    units = set(frame["metric"].dropna().astype(str)) if by_column else set()
    found = {}
    for name, values in table.values.items():
        if len(units) > 1:
            found[name] = f"the column `metric` has {some(sorted(units))}"
        elif name not in METRICS:
            with np.errstate(all="ignore"):
                sizes = np.nanmedian(np.abs(values), axis=1)
            sizes = sizes[sizes > 0]
            if len(sizes) > 1 and sizes.max() > max(1.0, _SIZES * sizes.min()):
                found[name] = (
                    f"they are about {sizes.min():.2g} on one and {sizes.max():.2g} on another"
                )
    return found


def _imputed(frame: pd.DataFrame, models: Sequence[str] | None) -> list[str]:
    """Say how many scores are none of the model but put in their place."""
    if "imputed" not in frame:
        return []
    marked = frame["imputed"].astype(str).str.lower().isin(("true", "1", "1.0"))
    name = next((name for name in MODEL if name in frame), None)
    by = frame.loc[marked, name].astype(str).value_counts() if name is not None else pd.Series()
    told = [f"{n:,} of {m}" for m, n in by.items() if models is None or m in models]
    if not told:
        return []
    return [f"Scores that are imputed and none of the model (column `imputed`): {some(told)}."]


def _long(
    frame: pd.DataFrame,
    layout: Layout | None,
    datasets: str | None,
    metrics: Sequence[str],
    models: Sequence[str] | None,
    repeats: Sequence[str],
    groups: str | None,
) -> pd.DataFrame:
    """Return one row per score: dataset, model, metric, repeat, value (as it stands), group."""
    for key, names in (("groups", [groups] if groups else []), ("runs", list(repeats))):
        for name in names:
            if name not in frame:
                raise Problem((key,), unknown("column", name, frame.columns))
    if groups is not None:
        frame = frame.assign(**{groups: _names(frame[groups], "groups")})
    if datasets is None and layout is not None:
        datasets = next(name for name in layout.datasets if name in frame)
    if datasets is None:
        frame, datasets = _by_texts_or_index(frame, [*repeats, *([groups] if groups else [])])
    if datasets not in frame:
        raise Problem(("datasets",), unknown("column", datasets, frame.columns))
    named = metric_names(metrics)
    if layout is None and datasets in MODEL:
        raise Problem(
            ("datasets",),
            f"column {datasets!r} names the models: the table needs a row for each data set and a "
            "column for each model; turn it (transpose), or rename the column",
        )
    if layout is not None:
        own = [name for name in layout.model if name in frame]
        frame = frame.assign(**{MODEL[0]: _joined(frame, own)})
        repeats = repeats or [name for name in layout.repeats if name in frame]
        value = [layout.value] if layout.value else _own_columns(frame, named, layout)
    else:
        model = next((name for name in MODEL if name in frame), None)
        value = [name for name in VALUE if name in frame][:1]
        if model is not None and not value:
            value = [name for name in named if name in frame]
        if model is None or not value:
            return _melted(frame, datasets, named, models, repeats, groups)
        frame = frame.assign(**{MODEL[0]: frame[model]})
    parts = []
    for name in value:
        own_metric = "metric" in frame and layout is None and len(value) == 1
        metric = frame["metric"].astype(str) if own_metric else name
        if layout is not None and layout.value:
            metric = named[0] if named else _measured(frame, layout)
        parts.append(_rows(frame, datasets, metric, name, repeats, groups))
    return pd.concat(parts, ignore_index=True)


def _measured(frame: pd.DataFrame, layout: Layout) -> str:
    """Name what a benchmark measures: one metric, or one of each data set, in units of its own."""
    told = set(frame["metric"].dropna().astype(str)) if "metric" in frame else set()
    if layout.better == "higher":
        return "score"
    return _ERRORS.get(next(iter(told)), MIXED) if len(told) == 1 else MIXED


def _rows(
    frame: pd.DataFrame,
    datasets: str,
    metric: Any,
    value: str,
    repeats: Sequence[str],
    groups: str | None,
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "dataset": _names(frame[datasets], "datasets"),
            "model": _names(frame[MODEL[0]], "models"),
            "metric": metric,
            "repeat": _joined(frame, repeats) if len(repeats) else "",
            "value": frame[value],
            "group": "" if groups is None else frame[groups],
        }
    )


def _names(column: pd.Series[Any], key: str) -> pd.Series[Any]:
    if column.isna().any():
        raise Problem((key,), f"column {column.name!r} has {int(column.isna().sum())} empty cells")
    try:
        return identifiers(column).str.strip()
    except UserError as error:
        raise Problem((key,), f"column {column.name!r} {error}") from None


def _joined(frame: pd.DataFrame, columns: Sequence[str]) -> pd.Series[Any]:
    """Name rows by the first column and by those that tell apart what the ones before do not."""
    told = [*columns[:1]]
    for name in columns[1:]:
        if len(frame[[*told, name]].drop_duplicates()) > len(frame[told].drop_duplicates()):
            told.append(name)
    found = frame[told[0]].astype(str)
    for name in told[1:]:
        found = found + " " + frame[name].fillna("").astype(str)
    return found.str.strip()


def _by_texts_or_index(frame: pd.DataFrame, others: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Take the index for the names of the data sets; where it counts, the one column of texts."""
    if list(frame.index) == list(range(len(frame))):
        texts = [
            name
            for name in frame.select_dtypes(exclude="number")
            if name not in (*others, *MODEL, "metric")
        ]
        if len(texts) == 1:
            return frame, str(texts[0])
        if texts or any(name in frame for name in MODEL):
            raise Problem(
                ("datasets",),
                "which column names the data sets? The index merely counts; there are "
                f"{some(frame.columns, 8)}",
            )
    return frame.rename_axis(index="data set").reset_index(), "data set"


def _own_columns(frame: pd.DataFrame, named: Sequence[str], layout: Layout) -> list[str]:
    """Return the columns of the metrics that are named, of a layout with one for each."""
    numbers = [str(c) for c in frame.select_dtypes("number") if not str(c).startswith("Key_")]
    for name in named:
        if name not in frame:
            raise Problem(("metrics",), unknown("column", name, numbers))
    if not named:
        raise Problem(
            ("metrics",),
            f"which column of {layout.what}'s results holds the scores, and which way is better? "
            f"There are {some(numbers, 8)}",
        )
    return list(named)


def _melted(
    frame: pd.DataFrame,
    datasets: str,
    named: Sequence[str],
    models: Sequence[str] | None,
    repeats: Sequence[str],
    groups: str | None,
) -> pd.DataFrame:
    """Return the rows of a table with a column per model."""
    if len(named) > 1:
        raise Problem(
            ("metrics",),
            "several metrics need a row per score, with a column `metric`: a long table",
        )
    other = {datasets, *repeats, groups}
    found = list(models) if models is not None else [str(c) for c in frame if c not in other]
    for name in found:
        if name not in frame:
            raise Problem(("models",), unknown("column", name, set(frame.columns) - other))
        if models is None and not pd.to_numeric(frame[name], errors="coerce").notna().any():
            told = frame[name].dropna().astype(str)
            found_there = f" (found {told.iloc[0]!r})" if len(told) else ""
            raise Problem(
                ("models",),
                f"column {name!r} has no number{found_there}: name the columns of the models, and "
                "write their scores as plain numbers (0.93)",
            )
    metric = named[0] if named else "score"
    kept = [*dict.fromkeys([datasets, *repeats, *([groups] if groups else [])])]
    if not found:
        return pd.DataFrame(columns=["metric"])
    long = frame[kept].take(np.tile(np.arange(len(frame)), len(found))).reset_index(drop=True)
    long[MODEL[0]] = np.repeat(found, len(frame))
    long[VALUE[0]] = pd.concat([frame[name] for name in found], ignore_index=True)
    return _rows(long, datasets, metric, VALUE[0], repeats, groups)


def metric_names(metrics: Sequence[str]) -> list[str]:
    """Return the names of metrics that may say their direction: ``rmse:lower``."""
    return [name.rpartition(":")[0] or name for name in metrics]


def _directions(
    long: pd.DataFrame, layout: Layout | None, values: str | None, metrics: Sequence[str]
) -> dict[str, bool]:
    """Return whether greater is better, by metric."""
    there = list(dict.fromkeys(long["metric"]))
    fixed = layout.better if layout is not None else ""
    if fixed and values not in (None, fixed):
        raise Problem(("values",), f"found {values}, but in these results {fixed} is better")
    if not metrics and len(there) > 1:
        raise Problem(
            ("metrics",),
            f"which of the metrics, and which way is better? There are {some(there, 8)}",
        )
    found = {}
    for text in metrics or there:
        name, _, way = text.rpartition(":")
        name, way = (name, way) if name else (text, values or fixed)
        if name not in there:
            raise Problem(("metrics",), unknown("metric", name, there))
        if way and way not in DIRECTIONS:
            raise Problem(("metrics",), f"found {text!r}, expected {name}:higher or {name}:lower")
        if not way and name not in METRICS:
            raise Problem(("values",), f"is a higher or a lower {name} better?")
        known = METRICS[name].greater_is_better if name in METRICS else way == "higher"
        if way and (way == "higher") != known:
            better = "higher" if known else "lower"
            raise Problem(
                ("values",), f"found {way}, but {name} is a metric whose {better} is better"
            )
        found[name] = known
    return found


def _arranged(
    long: pd.DataFrame,
    better: Mapping[str, bool],
    chosen: Sequence[str] | None,
    decimals: int | None,
) -> ScoreTable:
    """Average repeats, and put the scores into tables."""
    datasets, models = (list(dict.fromkeys(long[key])) for key in ("dataset", "model"))
    for name in chosen or ():
        if name not in models:
            raise Problem(("models",), unknown("model", name, models))
    models = list(chosen) if chosen is not None else models
    long = long[long["model"].isin(models)]
    if len(models) < 2:
        raise Problem(("models",), f"found {len(models)} model, expected two at least")
    _check_once(long)
    text = long["value"].astype(object).fillna("").astype(str).str.strip()
    numbers = pd.to_numeric(long["value"], errors="coerce").astype(np.float64)
    if np.isinf(numbers).any():
        raise Problem(("table",), "a score is infinite: leave its cell empty")
    if decimals is not None:
        numbers = numbers.round(decimals)
    said = numbers.isna() & ~text.str.lower().isin(NO_NUMBER)
    keys = ["metric", "dataset", "model"]
    told = long[said].assign(text=text[said]).drop_duplicates(keys)
    reasons = {(m, d, one): t for m, d, one, t in told[[*keys, "text"]].itertuples(index=False)}
    scores = long.assign(value=numbers)
    own = scores.groupby(keys, sort=False)["value"]
    whole = scores.groupby(keys[:2])["repeat"].nunique()
    means, counts = own.mean(), own.count()
    wanted = whole.reindex(
        pd.MultiIndex.from_arrays([means.index.get_level_values(i) for i in (0, 1)])
    )
    means = means.where(counts.to_numpy() == wanted.to_numpy())
    tables = {
        name: means.xs(name)
        .unstack("model")
        .reindex(index=datasets, columns=models)
        .to_numpy(float)
        for name in better
    }
    return ScoreTable(
        tuple(datasets), tuple(models), better, tables, reasons, _groups(long, datasets)
    )


def _check_once(long: pd.DataFrame) -> None:
    keys = ["metric", "dataset", "model", "repeat"]
    twice = long[long.duplicated(keys)]
    if len(twice):
        one = twice.iloc[0]
        times = int((long[keys] == one[keys]).all(axis=1).sum())
        raise Problem(
            ("runs",),
            f"{one['model']} has {times} scores on {one['dataset']}: which column counts folds or "
            "seeds? Their mean is one score; they are never data sets",
        )


def _groups(long: pd.DataFrame, datasets: Sequence[str]) -> dict[str, list[str]]:
    """Return the groups of several data sets."""
    pairs = long[["dataset", "group"]].drop_duplicates()
    if pairs["dataset"].duplicated().any():
        name = pairs.loc[pairs["dataset"].duplicated(), "dataset"].iloc[0]
        raise Problem(("groups",), f"{name} is in several groups")
    own = dict(zip(pairs["dataset"], pairs["group"], strict=True))
    found: dict[str, list[str]] = {}
    for name in datasets:
        if own[name]:
            found.setdefault(own[name], []).append(name)
    return {name: members for name, members in found.items() if len(members) > 1}


PLAN = "holdout"
"""The plan of one score per data set and model."""
_SHOWN = 3


def study_of(
    table: ScoreTable,
    command: str,
    *,
    name: str,
    tests: Sequence[str],
    versus: str | None,
    missing: str,
    **settings: Any,
) -> Study:
    """Run the tests of the experiment of these scores, and make the study for its report."""
    ids = _ids(table.models, "model")
    data = _ids(table.datasets, "data")
    wanted = validated(
        HypothesisTests,
        {
            **asked_tests(ids, tests=tests, versus=versus, **settings),
            "missing_cells": "error" if missing == "refuse" else missing,
            "dataset_groups": {g: [data[one] for one in own] for g, own in table.groups.items()},
        },
        ("tests",),
    )
    if len(wanted.units(data.values())) < 2:
        raise Problem(
            ("datasets",),
            "found one data set, expected two at least; with one, compare the predictions of its "
            "rows (`bakeoff compare`) or the scores of its folds (`compare_folds`)",
        )
    experiment = _experiment(table, ids, data, wanted, name)
    problems, planned = plan_tests(experiment)
    if problems:
        raise report_problems(problems)
    frame = _frame(table, ids, data, experiment)
    check_ranges(frame, metrics_of(experiment), "scores", ("scores",))
    plans = experiment.resampling.plans()
    matrix, holes = score_matrix(
        frame, list(data.values()), list(ids.values()), experiment.metrics, plans
    )
    used = {metric for _, metric in matrices(planned)}
    _check_missing(table, [h for h in holes if h.metric in used or not used], missing, ids, data)
    inputs = {MATRIX: matrix, HOLES: holes}
    comparisons = [row for test in planned for row in run_planned(test, experiment, inputs)]
    nothing = np.array([], dtype=np.intp)
    specs = {one: spec for one, spec in experiment.datasets.items() if isinstance(spec, GivenData)}
    study = Study(
        experiment,
        tuple(merged(comparisons)),
        frame,
        {one: given_card(one, spec, {}, Classes(()), nothing) for one, spec in specs.items()},
        notes={next(iter(data.values())): [*table.notes, *_units(table)]},
        missing={"policy": wanted.missing_cells, "missing": [vars(hole) for hole in holes]},
        analysis=planned,
    )
    return made_by(study, command)


def _units(table: ScoreTable) -> list[str]:
    """Say of which metrics values are ranked on each data set alone, and why."""
    return [
        f"{name} has other units on other data sets ({why}): scores are ranked, and have no mean."
        for name, why in table.mixed.items()
    ]


def _ids(labels: Sequence[str], what: str) -> dict[str, str]:
    """Return an id for each name, as like it as an id can be: notes and messages show it."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for i, label in enumerate(labels, 1):
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", label).strip("-_")[:50]
        found[label] = plain if plain and plain not in taken else f"{plain or what}-{i}"
        taken.add(found[label])
    return found


def _experiment(
    table: ScoreTable,
    ids: Mapping[str, str],
    data: Mapping[str, str],
    tests: HypothesisTests,
    name: str,
) -> Experiment:
    """Make the experiment of data sets and models with given scores."""
    given = {"scores": "memory"}
    of_data = {"source": "given"}
    return validated(
        Experiment,
        {
            "experiment": "compare",
            "label": name,
            "datasets": {i: validated(GivenData, {**of_data, "label": d}) for d, i in data.items()},
            "models": {i: validated(GivenModel, {**given, "label": m}) for m, i in ids.items()},
            "metrics": [_metric(table, name) for name in table.better],
            "resampling": {PLAN: {}},
            "tests": tests,
        },
    )


def _metric(table: ScoreTable, name: str) -> str | GivenMetric:
    """Return our metric of that name, or describe it."""
    if name in METRICS:
        return name
    called = re.sub(r"\W", "_", name)
    called = called if called[:1].isalpha() else f"metric_{called}"
    label = "error of each data set's metric" if name == MIXED else name
    own = {"name": called, "label": label, "greater_is_better": table.better[name]}
    own |= {"mixed_units": name in table.mixed}
    return validated(GivenMetric, own, ("metrics",))


def _frame(
    table: ScoreTable, ids: Mapping[str, str], data: Mapping[str, str], experiment: Experiment
) -> pd.DataFrame:
    """Write the scores as collected ones are."""
    parts = []
    for metric, (name, values) in zip(experiment.metrics, table.values.items(), strict=True):
        part = pd.DataFrame(
            {
                "dataset": np.repeat([*data.values()], len(ids)),
                "model": np.tile([*ids.values()], len(data)),
                "plan": PLAN,
                "repeat": 1,
                "fold": 1,
                "n_train": np.nan,
                "n_test": np.nan,
                "metric": metric,
                "value": values.ravel(),
            }
        )
        gaps = np.isnan(values)
        said = np.full(values.shape, "", dtype=object)
        for row, column in np.argwhere(gaps):
            cell = name, table.datasets[row], table.models[column]
            said[row, column] = table.reasons.get(cell, "no score")
        parts.append(part.assign(undefined=said.ravel()))
    return pd.concat(parts, ignore_index=True)


def _check_missing(
    table: ScoreTable,
    holes: Sequence[Hole],
    missing: str,
    ids: Mapping[str, str],
    data: Mapping[str, str],
) -> None:
    """Refuse missing scores of which nobody says what they mean."""
    models, datasets = ({i: label for label, i in own.items()} for own in (ids, data))
    named = [
        dataclasses.replace(h, model=models[h.model], dataset=datasets[h.dataset]) for h in holes
    ]
    if missing == "refuse" and named:
        shown = "; ".join(f"{h.model} on {h.dataset} ({h.reason})" for h in named[:_SHOWN])
        more = f"; and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        cells = "1 score is" if len(named) == 1 else f"{len(named)} scores are"
        raise Problem(
            ("missing_cells",),
            f"{cells} missing: {shown}{more}. Say what becomes of them: `failed` (a crash or a "
            "limit: they rank last) or `drop_dataset` (their data sets are left out)",
        )


MISSING = ("refuse", "failed", "drop_dataset")


class ScoreSettings(TestSettings, total=False):
    """What few need."""

    decimals: int | None


@takes(ScoreSettings, name="the table")
def compare_datasets(
    table: pd.DataFrame | Mapping[str, Mapping[str, float]],
    *,
    datasets: str | None = None,
    values: Literal["higher", "lower"] | None = None,
    metrics: str | Sequence[str] = (),
    models: Sequence[str] | None = None,
    runs: str | Sequence[str] = (),
    groups: str | None = None,
    missing: Literal["refuse", "failed", "drop_dataset"] = "refuse",
    versus: str | None = None,
    alpha: float = 0.05,
    **settings: Unpack[ScoreSettings],
) -> Findings:
    """Compare learning algorithms by a table with one score per data set and model.

    The tests are those of the workflow over several data sets, with the same numbers.

    Parameters
    ----------
    table : DataFrame or Mapping of str to Mapping
        Wide, with a column per model (of a mapping: per model the scores by data set), or long,
        with a row per score and the columns `model` (or `method`, `algorithm`, `framework`) and
        `value` (or `score`, `result`), perhaps `metric`. Results of AMLB, TabArena, WEKA and mlr3
        are recognised by their columns.
    datasets : str, optional
        The column that names the data sets; default: the index, or that of a known format, or
        where the index merely counts the only column of texts.
    values : {"higher", "lower"}, optional
        Which scores are better; not needed for a metric of bakeoff.
    metrics : str or sequence of str
        What the scores are, such as ``"accuracy"``; of a long table those to compare, each with its
        direction: ``["auc:higher", "log_loss:lower"]``. The first one decides. Also called
        `metric`.
    models : sequence of str, optional
        The models to compare; default: all.
    runs : str or sequence of str
        Columns that count folds or seeds: their mean is one score, they are never data sets.
    groups : str, optional
        The column that says which data sets belong together, such as versions of one: tests take
        the mean score of a group for one data set.
    missing : {"refuse", "failed", "drop_dataset"}
        What it means that a model has no score on a data set. ``failed``: a crash or a limit, which
        ranks last. ``drop_dataset`` leaves out the data set.
    versus : str, optional
        A model: it alone is compared with each other one; default: all pairs.
    alpha : float
        The significance level.

    Returns
    -------
    Findings

    Raises
    ------
    UserError
        A table that cannot be read, missing scores without a word on them, a test that does not
        fit.

    Examples
    --------
    >>> import bakeoff
    >>> scores = {
    ...     "tree": {"a": 0.71, "b": 0.84, "c": 0.62, "d": 0.93, "e": 0.55, "f": 0.78, "g": 0.66},
    ...     "forest": {"a": 0.75, "b": 0.88, "c": 0.69, "d": 0.95, "e": 0.61, "f": 0.8, "g": 0.7},
    ... }
    >>> found = bakeoff.compare_datasets(scores, metric="accuracy")
    >>> print(found.verdict.splitlines()[0])
    forest is better than tree by accuracy.
    >>> print(*found.comparisons.loc[0, ["test", "n", "pvalue"]])
    wilcoxon_signed_rank 7 0.015625
    """
    arguments = {key: value for key, value in locals().items() if key != "table"}
    arguments |= arguments.pop("settings")
    if missing not in MISSING:
        raise UserError(f"missing: found {missing!r}, expected one of {', '.join(MISSING)}")
    scores = read_scores(
        table,
        datasets=datasets,
        values=values,
        metrics=[metrics] if isinstance(metrics, str) else metrics,
        models=models,
        repeats=[runs] if isinstance(runs, str) and runs else list(runs),
        groups=groups,
        decimals=settings["decimals"],
    )
    study = study_of(
        scores,
        call_of(compare_datasets, arguments, "table"),
        name=settings["name"],
        tests=settings["tests"],
        versus=versus,
        missing=missing,
        alternative=settings["alternative"],
        correction=settings["correction"],
        alpha=alpha,
        options=dict(settings["options"] or {}),
    )
    return Findings(study)
