"""A table of scores, data sets × models, read wide or long and compared at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import pandas as pd

from bakeoff.api.build_study import (
    HOLDOUT,
    TEST_SET,
    check_label,
    given_study,
    planned_tests,
    tests_asked,
)
from bakeoff.api.findings import Findings
from bakeoff.api.frames import by_name
from bakeoff.api.lost_folds import CELL, averaged
from bakeoff.api.measured import described_metric
from bakeoff.api.seeds import study_of_seeds
from bakeoff.api.signature import TestSettings, takes
from bakeoff.comparisons.analysis import Analysis, ComparedData, ComparedModel
from bakeoff.comparisons.run_tests import matrices
from bakeoff.comparisons.score_matrix import HOLES, MATRIX, score_matrix
from bakeoff.errors import Problem, UserError, some, unknown
from bakeoff.keys import refuse_same_names
from bakeoff.options import setting
from bakeoff.report.study import Study
from bakeoff.scores import METRICS
from bakeoff.scores.given_results import check_ranges
from bakeoff.sources.common.base import blame
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec import AnalysisPlan
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.related import are_repetitions, names_repetitions

_MODEL = ("model", "method", "algorithm", "framework", "classifier", "learner")
"""What the column of the models may be called in a long table."""
_VALUE = ("value", "score", "result", "metric_error")
"""What the column of the scores may be called in a long table."""
_NO_NUMBER = ("", "-", "–", "?", "na", "n/a", "nan", "none", "null")
"""What stands in a cell that has no score, and gives no reason for it."""
_COUNTED = "data set"
"""The column of the data sets where it is made of the index."""
_SIZES = 100.0
"""How much larger scores may be on one data set than on another, where they are in one unit."""
_SHOWN = 3
MISSING = ("refuse", "failed", "drop_dataset")
"""What it can mean that a model has no score on a data set."""


class ScoreSettings(TestSettings, total=False):
    """The rarely needed arguments of `compare_datasets`."""

    decimals: int | None
    impute: str | None
    paired: bool


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
    seeds: str | None = None,
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
        `value` (or `score`, `result`), perhaps `metric`.
    datasets : str, optional
        The column that names the data sets; default: the index, or where the index merely counts
        the only column of texts.
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
    seeds : str, optional
        The column that counts training runs, at least three of each model: the models are compared
        over new seeds on these data sets, or on one, by `seeds_difference` (Welch's t).
    missing : {"refuse", "failed", "drop_dataset"}
        What it means that a model has no score on a data set. ``failed``: a crash or a limit, which
        ranks last. ``drop_dataset`` leaves out the data set.

    Returns
    -------
    Findings

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
    if missing not in MISSING:
        raise UserError(f"missing: found {missing!r}, expected one of {', '.join(MISSING)}")
    arguments = {
        **settings,
        "datasets": datasets,
        "values": values,
        "metrics": [metrics] if isinstance(metrics, str) else metrics,
        "models": models,
        "runs": [runs] if isinstance(runs, str) and runs else list(runs),
        "groups": groups,
        "seeds": seeds,
        "missing": missing,
        "versus": versus,
        "alpha": alpha,
    }
    return Findings(study_of_scores(table, "bakeoff.compare_datasets(table, …)", arguments))


# --- the steps of a comparison


def study_of_scores(table: Any, command: str, settings: Mapping[str, Any]) -> Study:
    """Compare models by a table of scores as the arguments of `compare_datasets` say."""
    if settings["seeds"] is not None:
        long, models, better = read_seeds(table, settings)
        return study_of_seeds(long, models, better, command, settings)
    if settings["paired"]:
        raise UserError("paired: is for the scores of training runs: name their column (`seeds`)")
    scores = _read(table, settings)
    analysis = _analysis(scores, settings)
    if len(analysis.tests.units(analysis.datasets)) < 2:
        raise UserError(
            "datasets: found one data set, expected two at least; with one, compare the "
            "predictions of its rows (`bakeoff compare`), the scores of its folds "
            f"(`compare_folds`) or those of training runs ({setting('seeds')})"
        )
    planned = planned_tests(analysis)
    fits = pd.DataFrame({**HOLDOUT, **scores.cells})
    # an analysis calls a metric of the user by a name that experiments can have
    names = dict(zip(scores.better, analysis.metrics, strict=True))
    fits["metric"] = fits["metric"].map(names)
    check_ranges(fits, analysis.measures, "scores", ("scores",))
    matrix, holes = score_matrix(
        fits,
        list(analysis.datasets),
        list(analysis.models),
        analysis.metrics,
        analysis.plans,
    )
    if settings["missing"] == MISSING[0]:
        _refuse_missing(fits, analysis, planned)
    return given_study(
        analysis,
        planned,
        {MATRIX: matrix, HOLES: holes},
        fits,
        command,
        notes={next(iter(analysis.datasets)): scores.notes},
        preparation=scores.lost_folds,
        missing={"policy": analysis.missing_cells, "missing": list(map(vars, holes))},
    )


class _Scores(NamedTuple):
    """A table of scores as it was read."""

    cells: pd.DataFrame
    """One row for each metric, data set and model: `value`, or why it has none in `undefined`."""
    models: Sequence[str]
    datasets: Sequence[str]
    better: Mapping[str, bool]
    """Whether greater is better, by metric."""
    units: Mapping[str, str]
    """Why scores have other units on other data sets, by metric; empty where they have one."""
    groups: Mapping[str, list[str]]
    """The data sets that belong together."""
    notes: Sequence[str]
    lost_folds: tuple[str, ...] = ()
    """Which scores of folds are missing, and what became of them."""


def _read(table: Any, settings: Mapping[str, Any]) -> _Scores:
    """Read a wide or a long table."""
    frame = pd.DataFrame(by_name("table", table, "a table of data sets and models"))
    if settings["datasets"] is not None and settings["datasets"] == frame.index.name:
        frame = frame.reset_index()
    frame.columns = frame.columns.map(str)
    long = _long(frame, settings)
    metrics = list(dict.fromkeys(long["metric"]))
    better = _directions(metrics, settings["values"], settings["metrics"])
    # a model that is not compared may yet fill lost folds
    everything = _as_numbers(long[long["metric"].isin(list(better))], settings["decimals"])
    models = _models(everything, settings["models"])
    long = everything[everything["model"].isin(models)]
    datasets = list(dict.fromkeys(long["dataset"]))
    every_cell = pd.MultiIndex.from_product([better, datasets, models], names=CELL)
    cells, lost_folds = averaged(long, every_cell, everything, settings["impute"], better)
    units = _units(long, cells, list(better))
    groups = _groups(long, datasets)
    notes = _notes(long, units)
    return _Scores(cells, models, datasets, better, units, groups, notes, lost_folds)


def read_seeds(
    table: Any, settings: Mapping[str, Any]
) -> tuple[pd.DataFrame, list[str], dict[str, bool]]:
    """Read a row for each score of a training run, of one data set or of several."""
    seeds = settings["seeds"]
    for name in ("runs", "groups", "impute"):
        if settings[name]:
            raise UserError(f"{name}: is for data sets that are a sample: leave it out with seeds")
    frame = pd.DataFrame(by_name("table", table, "a table of training runs and models"))
    frame.columns = frame.columns.map(str)
    datasets = settings["datasets"]
    if datasets is None:
        datasets = _COUNTED
        frame = frame.assign(**{_COUNTED: settings["name"] or "the data"})
    if seeds not in frame:
        raise UserError(f"seeds: {unknown('column', seeds, frame.columns)}")
    long = _long(frame, {**settings, "datasets": datasets, "runs": [seeds]})
    metrics = list(dict.fromkeys(long["metric"]))
    better = _directions(metrics, settings["values"], settings["metrics"])
    long = _as_numbers(long[long["metric"].isin(list(better))], settings["decimals"])
    models = _models(long, settings["models"])
    return long[long["model"].isin(models)], models, better


def _models(long: pd.DataFrame, chosen: Sequence[str] | None) -> list[str]:
    """Return the models to compare."""
    models = list(dict.fromkeys(long["model"]))
    if chosen is not None:
        for name in chosen:
            if name not in models:
                raise UserError(f"models: {unknown('model', name, models)}")
        models = list(chosen)
    if len(models) < 2:
        raise UserError(f"models: found {len(models)} model, expected two at least")
    return models


def _units(long: pd.DataFrame, cells: pd.DataFrame, metrics: Sequence[str]) -> dict[str, str]:
    """Say of each metric why its scores have other units on other data sets."""
    measured = sorted(set(long["measured"]) - {""})
    if measured:
        return dict.fromkeys(metrics, f"the column `metric` has {some(measured)}")
    units = dict.fromkeys(metrics, "")
    for metric in metrics:
        if metric in METRICS:
            continue
        scores = cells[cells["metric"] == metric]
        sizes = scores["value"].abs().groupby(scores["dataset"]).median()
        # a metric in one unit has alike sizes everywhere; a time or an error may not
        sizes = sizes[sizes > 0]
        if sizes.max() > max(1.0, _SIZES * sizes.min()):
            units[metric] = (
                f"they are about {sizes.min():.2g} on one and {sizes.max():.2g} on another"
            )
    return units


def _notes(long: pd.DataFrame, units: Mapping[str, str]) -> list[str]:
    """Say what readers of the results have to know of the table."""
    notes = []
    for metric, why in units.items():
        if why:
            notes.append(
                f"{metric} has other units on other data sets ({why}): scores are ranked, and have "
                "no mean."
            )
    imputed = long.loc[long["imputed"], "model"].value_counts()
    if len(imputed):
        counts = []
        for model, count in imputed.items():
            counts.append(f"{count:,} of {model}")
        notes.append(
            f"Scores that are imputed and none of the model (column `imputed`): {some(counts)}."
        )
    return notes


def _analysis(scores: _Scores, settings: Mapping[str, Any]) -> Analysis:
    """Say what is compared."""
    title = settings["name"] or "compare"
    missing_cells = settings["missing"]
    if missing_cells == MISSING[0]:
        missing_cells = "error"
    tests = tests_asked(
        scores.models,
        settings,
        missing_cells=missing_cells,
        dataset_groups=scores.groups,
    )
    check_label(title)
    for name in scores.datasets:
        check_label(name, "datasets")
    for name in scores.models:
        check_label(name, "models")
    metrics = []
    own_metrics: dict[str, GivenMetric] = {}
    for name, greater_is_better in scores.better.items():
        if name in METRICS:
            metrics.append(name)
            continue
        values = scores.cells.loc[scores.cells["metric"] == name, "value"]
        # of scores that are all above 0 ratios compare on any data set
        limits = {}
        if (values.dropna() > 0).all():
            limits["range"] = [0, None]
        mixed = bool(scores.units[name])
        own_metric = described_metric(
            name, greater_is_better, label=name, mixed_units=mixed, **limits
        )
        if own_metric.name in own_metrics:
            raise UserError(f"metrics: {name!r} is called like another one: rename it")
        metrics.append(own_metric.name)
        own_metrics[own_metric.name] = own_metric
    return Analysis(
        title=title,
        models={name: ComparedModel(label=name, brings="scores") for name in scores.models},
        datasets={name: ComparedData(label=name) for name in scores.datasets},
        metrics=tuple(metrics),
        given_metrics=own_metrics,
        tests=tests,
        plans={"holdout": TEST_SET},
        scores_of_plans=frozenset(["holdout"]),
        missing_cells=str(tests.missing_cells),
    )


def _refuse_missing(fits: pd.DataFrame, analysis: Analysis, planned: AnalysisPlan) -> None:
    """Refuse gaps whose meaning nobody said, by the metrics that are tested."""
    # where no test needs every score, a gap in any metric is asked about
    tested = {metric for _, metric in matrices(planned)} or set(analysis.metrics)
    lacking = fits[fits["value"].isna() & fits["metric"].isin(tested)]
    if lacking.empty:
        return
    texts = []
    for cell in lacking.head(_SHOWN).itertuples():
        texts.append(f"{cell.model} on {cell.dataset} ({cell.undefined})")
    if len(lacking) > _SHOWN:
        texts.append(f"and {len(lacking) - _SHOWN} more")
    counted = "1 score is"
    if len(lacking) > 1:
        counted = f"{len(lacking)} scores are"
    raise Problem(
        ("missing_cells",),
        f"{counted} missing: {'; '.join(texts)}. Say what becomes of them: "
        "`failed` (a crash or a limit: they rank last) or `drop_dataset` (their data sets are "
        "left out)",
    )


# --- from a wide or a long table to one row for each score


def _long(frame: pd.DataFrame, settings: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row per score: dataset, model, metric, repeat, value (as it stands), group."""
    repeats = settings["runs"]
    groups = settings["groups"]
    _check_columns(frame, "runs", repeats)
    other_columns = list(repeats)
    if groups:
        _check_columns(frame, "groups", [groups])
        other_columns.append(groups)
    frame, datasets = _named_datasets(frame, settings["datasets"], other_columns)
    shared = pd.DataFrame({"dataset": _names(frame[datasets], "datasets")})
    shared["repeat"] = 0
    if repeats:
        # every combination of a seed and a fold is a repeat of its own
        shared["repeat"] = frame.groupby(repeats, dropna=False).ngroup()
    shared["group"] = ""
    if groups:
        shared["group"] = _names(frame[groups], "groups")
    shared["measured"] = ""
    shared["imputed"] = False
    # each may have its direction behind it
    metrics = [name.rpartition(":")[0] or name for name in settings["metrics"]]
    model = next((name for name in _MODEL if name in frame), None)
    columns = _columns_of_scores(frame, metrics)
    if model is not None and columns:
        return _of_long(frame, shared, datasets, model, columns)
    return _of_wide(frame, shared, metrics, settings["models"], {datasets, *other_columns})


def _columns_of_scores(frame: pd.DataFrame, metrics: Sequence[str]) -> list[str]:
    """Return the columns of a long table that hold scores: one of all metrics, or one of each."""
    for name in _VALUE:
        if name in frame:
            return [name]
    return [name for name in metrics if name in frame]


def _check_columns(frame: pd.DataFrame, key: str, columns: Sequence[str]) -> None:
    """Refuse columns that a table does not have."""
    for name in columns:
        if name not in frame:
            raise UserError(f"{key}: {unknown('column', name, frame.columns)}")


def _of_long(
    frame: pd.DataFrame, shared: pd.DataFrame, datasets: str, model: str, columns: Sequence[str]
) -> pd.DataFrame:
    """Add models, metrics and scores of a table with a row for each score."""
    shared["model"] = _names(frame[model], "models")
    if "imputed" in frame:
        shared["imputed"] = frame["imputed"].astype(str).str.lower().isin(("true", "1", "1.0"))
    named_in_rows = "metric" in frame and len(columns) == 1
    if named_in_rows and frame["metric"].nunique() > 1:
        metrics_of_datasets = frame.groupby(datasets)["metric"].nunique()
        if metrics_of_datasets.max() == 1:
            # each data set is measured by one metric, in its units
            shared["measured"] = frame["metric"].astype(str)
            named_in_rows = False
    parts = []
    for name in columns:
        part = shared.assign(metric=name, value=frame[name])
        if named_in_rows:
            part["metric"] = frame["metric"].astype(str)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _of_wide(
    frame: pd.DataFrame,
    shared: pd.DataFrame,
    metrics: Sequence[str],
    models: Sequence[str] | None,
    not_models: set[str],
) -> pd.DataFrame:
    """Add models, the metric and scores of a table with a column for each model."""
    if len(metrics) > 1:
        raise UserError(
            "metrics: several metrics need a row per score, with a column `metric`: a long table"
        )
    metric = "score"
    if metrics:
        metric = metrics[0]
    parts = []
    for name in _columns_of_models(frame, models, not_models):
        parts.append(shared.assign(model=name.strip(), metric=metric, value=frame[name]))
    if not parts:
        raise UserError("models: found 0 models, expected two at least")
    return pd.concat(parts, ignore_index=True)


def _columns_of_models(
    frame: pd.DataFrame, models: Sequence[str] | None, not_models: set[str]
) -> Sequence[str]:
    """Return the columns of a wide table that hold the scores of a model."""
    if models is not None:
        for name in models:
            if name not in frame:
                raise UserError(
                    f"models: {unknown('column', name, set(frame.columns) - not_models)}"
                )
        return models
    columns = [str(name) for name in frame if name not in not_models]
    with blame("models"):
        refuse_same_names(columns)
    for name in columns:
        if not pd.to_numeric(frame[name], errors="coerce").notna().any():
            texts = frame[name].dropna().astype(str)
            example = ""
            if len(texts):
                example = f" (found {texts.iloc[0]!r})"
            raise UserError(
                f"models: column {name!r} has no number{example}: name the columns of the models, "
                "and write their scores as plain numbers (0.93)"
            )
    return columns


def _names(column: pd.Series[Any], key: str) -> pd.Series[Any]:
    """Return the names in a column as texts."""
    if column.isna().any():
        empty = int(column.isna().sum())
        raise UserError(f"{key}: column {column.name!r} has {empty} empty cells")
    try:
        names = identifiers(column)
    except UserError as error:
        raise UserError(f"{key}: column {column.name!r} {error}") from None
    with blame(key, before=f"column {column.name!r}: "):
        refuse_same_names(names.unique())
    return names.str.strip()


# --- which column names the data sets


def _named_datasets(
    frame: pd.DataFrame, datasets: str | None, beside: Sequence[str]
) -> tuple[pd.DataFrame, str]:
    """Return the table and its column of data sets; the index may name them."""
    by_column = datasets is not None
    # where the index numbers the data sets, another column may say what it is that it counts
    unnamed = [str(name) for name in (frame.index.name, *frame) if name not in beside]
    if datasets is None:
        frame, datasets = _by_texts_or_index(frame, beside)
        by_column = datasets != _COUNTED
    if datasets not in frame:
        raise UserError(f"datasets: {unknown('column', datasets, frame.columns)}")
    if datasets in _MODEL:
        raise UserError(
            f"datasets: column {datasets!r} names the models: turn the table, so that it has a row "
            "for each data set, or rename the column"
        )
    if by_column:
        unnamed = [datasets]
    _refuse_repetitions(frame[datasets], unnamed)
    return frame, datasets


def _by_texts_or_index(frame: pd.DataFrame, others: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Take the index for the names of the data sets; where it counts, the one column of texts."""
    # pandas numbers the rows where nothing else is said
    if list(frame.index) == list(range(len(frame))):
        names = frame.select_dtypes(exclude="number")
        texts = [name for name in names if name not in (*others, *_MODEL, "metric")]
        if len(texts) == 1:
            return frame, str(texts[0])
        if texts or any(name in frame for name in _MODEL):
            raise UserError(
                "datasets: which column names the data sets? The index merely counts; there are "
                f"{some(frame.columns, 8)}"
            )
    return frame.rename_axis(index=_COUNTED).reset_index(), _COUNTED


def _refuse_repetitions(values: pd.Series[Any], columns: Iterable[str]) -> None:
    """Refuse seeds, runs or folds of one data set in place of data sets.

    `columns` may be what the values are called.
    """
    column = next(filter(names_repetitions, columns), "")
    # without a telling name of the column, values such as seed-1, seed-2 tell
    names = list(values.dropna().astype(str).unique())
    if column:
        found = f"column {column!r} counts"
        renamed = "the column"
    elif are_repetitions(names):
        found = f"{some(names, 3)} count"
        renamed = "them"
    else:
        return
    instead = setting("seeds", column or "COLUMN")
    raise UserError(
        f"datasets: {found} seeds, runs or folds of one data set, and no data sets: their scores "
        "would be paired by numbers that say nothing. With several data sets, name the column that "
        "names them, and the one that counts under `runs`. Scores of the folds of one are compared "
        "by `bakeoff.compare_folds` or as `scores:` of an experiment, those of training runs by "
        f"{instead} in place of datasets. If these are data sets, rename {renamed}"
    )


# --- metrics, means over repeats, groups of data sets


def _directions(
    present: Sequence[str], values: str | None, metrics: Sequence[str]
) -> dict[str, bool]:
    """Return whether greater is better, by metric."""
    if not metrics and len(present) > 1:
        raise UserError(
            f"metrics: which of the metrics, and which way is better? There are {some(present, 8)}"
        )
    better = {}
    for text in metrics or present:
        # “auc:higher” brings its direction along
        name, _, suffix = text.rpartition(":")
        direction: str | None = suffix
        if not name:
            name = text
            direction = values
        if name not in present:
            raise UserError(f"metrics: {unknown('metric', name, present)}")
        if direction not in (None, "higher", "lower"):
            raise UserError(f"metrics: found {text!r}, expected {name}:higher or {name}:lower")
        better[name] = _greater_is_better(name, direction)
    return better


def _greater_is_better(name: str, direction: str | None) -> bool:
    """Return which way a metric is better: as bakeoff knows, or as the user says."""
    if name not in METRICS:
        if direction is None:
            raise UserError(f"values: is a higher or a lower {name} better?")
        return direction == "higher"
    greater = METRICS[name].greater_is_better
    if direction is not None and (direction == "higher") != greater:
        right = "lower"
        if greater:
            right = "higher"
        raise UserError(
            f"values: found {direction}, but {name} is a metric whose {right} is better"
        )
    return greater


def _as_numbers(long: pd.DataFrame, decimals: int | None) -> pd.DataFrame:
    """Return the scores as numbers, each once, and why one is missing as `undefined`."""
    repeated = long[long.duplicated([*CELL, "repeat"])]
    if len(repeated):
        first = repeated.iloc[0]
        alike = long[[*CELL, "repeat"]] == first[[*CELL, "repeat"]]
        times = int(alike.all(axis=1).sum())
        raise UserError(
            f"runs: {first['model']} has {times} scores on {first['dataset']}: which column counts "
            "folds or seeds? Their mean is one score; they are never data sets"
        )
    text = long["value"].astype(object).fillna("").astype(str).str.strip()
    numbers = pd.to_numeric(long["value"], errors="coerce").astype(np.float64)
    if np.isinf(numbers).any():
        raise Problem(("table",), "a score is infinite: leave its cell empty")
    # a text such as “timeout” says why there is no score
    gives_reason = numbers.isna() & ~text.str.lower().isin(_NO_NUMBER)
    if decimals is not None:
        numbers = numbers.round(decimals)
    return long.assign(value=numbers, undefined=text.where(gives_reason))


def _groups(long: pd.DataFrame, datasets: Sequence[str]) -> dict[str, list[str]]:
    """Return the groups of several data sets."""
    pairs = long[["dataset", "group"]].drop_duplicates()
    if pairs["dataset"].duplicated().any():
        name = pairs.loc[pairs["dataset"].duplicated(), "dataset"].iloc[0]
        raise UserError(f"groups: {name} is in several groups")
    group_of = dict(zip(pairs["dataset"], pairs["group"], strict=True))
    members: dict[str, list[str]] = {}
    for name in datasets:
        members.setdefault(group_of[name], []).append(name)
    # a data set without a group, or alone in one, is a unit by itself
    return {group: names for group, names in members.items() if group and len(names) > 1}
