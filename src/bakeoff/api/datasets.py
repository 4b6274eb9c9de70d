"""A table of scores, data sets × models, read wide or long and compared at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from bakeoff.api.build_study import (
    HOLDOUT,
    TestSettings,
    by_name,
    described_metric,
    given_experiment,
    given_study,
    planned_tests,
    section_of_tests,
    takes,
)
from bakeoff.api.findings import Findings
from bakeoff.comparisons.evidence import HOLES, MATRIX, score_matrix
from bakeoff.comparisons.run_tests import matrices
from bakeoff.errors import Problem, UserError, some, unknown
from bakeoff.keys import refuse_same_names
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, metrics_of
from bakeoff.scores.given_results import check_ranges
from bakeoff.sources.common.base import blame
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec.related import are_repetitions, names_repetitions

_MODEL = ("model", "method", "algorithm", "framework", "classifier", "learner")
_VALUE = ("value", "score", "result", "metric_error")
_NO_NUMBER = ("", "-", "–", "?", "na", "n/a", "nan", "none", "null")
"""What stands in a cell that has no score, and gives no reason for it."""
_COUNTED = "data set"
"""The column of the data sets where it is made of the index."""
_SIZES = 100.0
"""How much larger scores may be on one data set than on another, where they are in one unit."""
_CELL = ["metric", "dataset", "model"]
_SHOWN = 3
MISSING = ("refuse", "failed", "drop_dataset")


def study_of_scores(table: Any, command: str, settings: Mapping[str, Any]) -> Study:
    """Compare models by a table of scores as the arguments of `compare_datasets` say."""
    datasets, models, metrics = settings["datasets"], settings["models"], settings["metrics"]
    missing = settings["missing"]
    frame = pd.DataFrame(by_name("table", table, "a table of data sets and models"))
    if datasets is not None and datasets == frame.index.name:
        frame = frame.reset_index()
    frame.columns = frame.columns.map(str)
    long = _long(frame, datasets, metrics, models, settings["runs"], settings["groups"])
    better = _directions(list(dict.fromkeys(long["metric"])), settings["values"], metrics)
    long = long[long["metric"].isin(list(better))]
    labels = list(dict.fromkeys(long["model"]))
    for label in models or ():
        if label not in labels:
            raise UserError(f"models: {unknown('model', label, labels)}")
    labels = labels if models is None else list(models)
    long = long[long["model"].isin(labels)]
    if len(labels) < 2:
        raise UserError(f"models: found {len(labels)} model, expected two at least")
    ids, data = _ids(labels, "model"), _ids(dict.fromkeys(long["dataset"]), "data")
    scores = _averaged(
        long, pd.MultiIndex.from_product([better, data, labels], names=_CELL), settings["decimals"]
    )
    units = dict.fromkeys(better, "")
    for metric in [name for name in better if name not in METRICS]:
        part = scores[scores["metric"] == metric]
        sizes = part["value"].abs().groupby(part["dataset"]).median()
        sizes = sizes[sizes > 0]
        if sizes.max() > max(1.0, _SIZES * sizes.min()):
            units[metric] = (
                f"they are about {sizes.min():.2g} on one and {sizes.max():.2g} on another"
            )
    if measured := sorted(set(long["measured"]) - {""}):
        units = dict.fromkeys(units, f"the column `metric` has {some(measured)}")
    experiment = given_experiment(
        section_of_tests(
            ids,
            settings,
            missing_cells="error" if missing == MISSING[0] else missing,
            dataset_groups=_groups(long, data),
        ),
        label=settings["name"],
        datasets={one: {"source": "given", "label": label} for label, one in data.items()},
        models={one: {"scores": "memory", "label": label} for label, one in ids.items()},
        metrics=[
            metric
            if metric in METRICS
            else described_metric(metric, greater)
            | {"label": metric, "mixed_units": bool(units[metric])}
            for metric, greater in better.items()
        ],
        resampling={"holdout": {}},
    )
    if len(experiment.tests.units(experiment.datasets)) < 2:
        raise UserError(
            "datasets: found one data set, expected two at least; with one, compare the "
            "predictions of its rows (`bakeoff compare`) or the scores of its folds "
            "(`compare_folds`)"
        )
    planned = planned_tests(experiment)
    called = dict(zip(better, experiment.metrics, strict=True))
    keys = {"dataset": data, "model": ids, "metric": called}
    by_id = {name: scores[name].map(of) for name, of in keys.items()}
    frame = pd.DataFrame(HOLDOUT | dict(scores.items()) | by_id)
    check_ranges(frame, metrics_of(experiment), "scores", ("scores",))
    matrix, holes = score_matrix(
        *(frame, list(experiment.datasets), list(experiment.models)),
        *(experiment.metrics, experiment.resampling.plans()),
    )
    compared = {metric for _, metric in matrices(planned)} or set(experiment.metrics)
    lacking = scores[scores["value"].isna() & by_id["metric"].isin(compared)]
    if missing == MISSING[0] and len(lacking):
        cells = zip(lacking["model"], lacking["dataset"], lacking["undefined"], strict=True)
        texts = [f"{model} on {dataset} ({reason})" for model, dataset, reason in cells]
        more = f"; and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
        counted = "1 score is" if len(texts) == 1 else f"{len(texts)} scores are"
        raise Problem(
            ("missing_cells",),
            f"{counted} missing: {'; '.join(texts[:_SHOWN])}{more}. Say what becomes of them: "
            "`failed` (a crash or a limit: they rank last) or `drop_dataset` (their data sets are "
            "left out)",
        )
    notes = [
        f"{metric} has other units on other data sets ({why}): scores are ranked, and have no mean."
        for metric, why in units.items()
        if why
    ]
    imputed = long.loc[long["imputed"], "model"].value_counts()
    if len(imputed):
        counts = some([f"{count:,} of {model}" for model, count in imputed.items()])
        notes.append(f"Scores that are imputed and none of the model (column `imputed`): {counts}.")
    return given_study(
        experiment,
        planned,
        {MATRIX: matrix, HOLES: holes},
        frame,
        command,
        notes={next(iter(experiment.datasets)): notes},
        missing={
            "policy": experiment.tests.missing_cells,
            "missing": [vars(hole) for hole in holes],
        },
    )


def _long(
    frame: pd.DataFrame,
    datasets: str | None,
    metrics: Sequence[str],
    models: Sequence[str] | None,
    repeats: Sequence[str],
    groups: str | None,
) -> pd.DataFrame:
    """Return one row per score: dataset, model, metric, repeat, value (as it stands), group."""
    beside = [*repeats, *([groups] if groups else [])]
    for name in beside:
        if name not in frame:
            key = "groups" if name == groups else "runs"
            raise UserError(f"{key}: {unknown('column', name, frame.columns)}")
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
    _refuse_repetitions(frame[datasets], [datasets] if by_column else unnamed)
    shared = pd.DataFrame(
        {
            "dataset": _names(frame[datasets], "datasets"),
            "repeat": frame.groupby(list(repeats), dropna=False).ngroup() if repeats else 0,
            "group": _names(frame[groups], "groups") if groups else "",
            "measured": "",
            "imputed": False,
        }
    )
    wanted = [name.rpartition(":")[0] or name for name in metrics]
    model = next((name for name in _MODEL if name in frame), None)
    columns = [name for name in _VALUE if name in frame][:1] or [m for m in wanted if m in frame]
    if model is not None and columns:
        of_rows = "metric" in frame and len(columns) == 1
        shared["model"] = _names(frame[model], "models")
        if "imputed" in frame:
            shared["imputed"] = frame["imputed"].astype(str).str.lower().isin(("true", "1", "1.0"))
        if (
            of_rows
            and frame["metric"].nunique() > 1
            and frame.groupby(datasets)["metric"].nunique().max() == 1
        ):  # each data set is measured by one metric, in its units
            shared["measured"] = frame["metric"].astype(str)
            of_rows = False
        parts = [
            {"metric": frame["metric"].astype(str) if of_rows else name, "value": frame[name]}
            for name in columns
        ]
    else:
        if len(wanted) > 1:
            raise UserError(
                "metrics: several metrics need a row per score, with a column `metric`: a long "
                "table"
            )
        parts = [
            {"model": name.strip(), "metric": (*wanted, "score")[0], "value": frame[name]}
            for name in _columns_of_models(frame, models, {datasets, *beside})
        ]
    if not parts:
        raise UserError("models: found 0 models, expected two at least")
    return pd.concat([shared.assign(**part) for part in parts], ignore_index=True)


def _refuse_repetitions(values: pd.Series[Any], columns: Iterable[str]) -> None:
    """Refuse seeds, runs or folds of one data set in place of data sets.

    `columns` may be what the values are called.
    """
    column = next(filter(names_repetitions, columns), "")
    names = list(values.dropna().astype(str).unique())
    if column:
        found, other = f"column {column!r} counts", "the column"
    elif are_repetitions(names):
        found, other = f"{some(names, 3)} count", "them"
    else:
        return
    raise UserError(
        f"datasets: {found} seeds, runs or folds of one data set, and no data sets: their scores "
        "would be paired by numbers that say nothing. With several data sets, name the column that "
        "names them, and the one that counts under `runs`. Scores of the folds of one are compared "
        "by `bakeoff.compare_folds` or as `scores:` of an experiment, training runs by their "
        f"predictions (`seeds`). If these are data sets, rename {other}"
    )


def _columns_of_models(
    frame: pd.DataFrame, models: Sequence[str] | None, others: set[str]
) -> Sequence[str]:
    """Return the columns of a wide table that hold the scores of a model."""
    if models is not None:
        for name in models:
            if name not in frame:
                raise UserError(f"models: {unknown('column', name, set(frame.columns) - others)}")
        return models
    columns = [str(name) for name in frame if name not in others]
    with blame("models"):
        refuse_same_names(columns)
    for name in columns:
        if not pd.to_numeric(frame[name], errors="coerce").notna().any():
            texts = frame[name].dropna().astype(str)
            example = f" (found {texts.iloc[0]!r})" if len(texts) else ""
            raise UserError(
                f"models: column {name!r} has no number{example}: name the columns of the models, "
                "and write their scores as plain numbers (0.93)"
            )
    return columns


def _names(column: pd.Series[Any], key: str) -> pd.Series[Any]:
    if column.isna().any():
        empty = int(column.isna().sum())
        raise UserError(f"{key}: column {column.name!r} has {empty} empty cells")
    try:
        found = identifiers(column)
    except UserError as error:
        raise UserError(f"{key}: column {column.name!r} {error}") from None
    with blame(key, before=f"column {column.name!r}: "):
        refuse_same_names(found.unique())
    return found.str.strip()


def _by_texts_or_index(frame: pd.DataFrame, others: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Take the index for the names of the data sets; where it counts, the one column of texts."""
    if list(frame.index) == list(range(len(frame))):
        texts = [
            name
            for name in frame.select_dtypes(exclude="number")
            if name not in (*others, *_MODEL, "metric")
        ]
        if len(texts) == 1:
            return frame, str(texts[0])
        if texts or any(name in frame for name in _MODEL):
            raise UserError(
                "datasets: which column names the data sets? The index merely counts; there are "
                f"{some(frame.columns, 8)}"
            )
    return frame.rename_axis(index=_COUNTED).reset_index(), _COUNTED


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
        name, _, way = text.rpartition(":")
        name, direction = (name, way) if name else (text, values)
        if name not in present:
            raise UserError(f"metrics: {unknown('metric', name, present)}")
        if direction not in (None, "higher", "lower"):
            raise UserError(f"metrics: found {text!r}, expected {name}:higher or {name}:lower")
        if direction is None and name not in METRICS:
            raise UserError(f"values: is a higher or a lower {name} better?")
        greater = METRICS[name].greater_is_better if name in METRICS else direction == "higher"
        if direction is not None and (direction == "higher") != greater:
            right = "higher" if greater else "lower"
            raise UserError(
                f"values: found {direction}, but {name} is a metric whose {right} is better"
            )
        better[name] = greater
    return better


def _averaged(long: pd.DataFrame, cells: pd.MultiIndex, decimals: int | None) -> pd.DataFrame:
    """Return the mean over repeats in each cell that has all of them, or why it has no value."""
    repeated = long[long.duplicated([*_CELL, "repeat"])]
    if len(repeated):
        one = repeated.iloc[0]
        times = int((long[[*_CELL, "repeat"]] == one[[*_CELL, "repeat"]]).all(axis=1).sum())
        raise UserError(
            f"runs: {one['model']} has {times} scores on {one['dataset']}: which column counts "
            "folds or seeds? Their mean is one score; they are never data sets"
        )
    text = long["value"].astype(object).fillna("").astype(str).str.strip()
    numbers = pd.to_numeric(long["value"], errors="coerce").astype(np.float64)
    if np.isinf(numbers).any():
        raise Problem(("table",), "a score is infinite: leave its cell empty")
    gives_reason = numbers.isna() & ~text.str.lower().isin(_NO_NUMBER)
    by_cell = long.assign(
        value=numbers if decimals is None else numbers.round(decimals),
        undefined=text.where(gives_reason),
        repeats=long.groupby(_CELL[:2])["repeat"].transform("nunique"),
    ).groupby(_CELL, sort=False)
    whole = by_cell["value"].count() == by_cell["repeats"].first()
    scores = pd.DataFrame(
        {"value": by_cell["value"].mean().where(whole), "undefined": by_cell["undefined"].first()}
    ).reindex(cells)
    reasons = scores["undefined"].fillna("no score").where(scores["value"].isna(), "")
    return scores.assign(undefined=reasons).reset_index()


def _groups(long: pd.DataFrame, ids: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the groups of several data sets, which have these ids."""
    pairs = long[["dataset", "group"]].drop_duplicates()
    if pairs["dataset"].duplicated().any():
        name = pairs.loc[pairs["dataset"].duplicated(), "dataset"].iloc[0]
        raise UserError(f"groups: {name} is in several groups")
    group_of = dict(zip(pairs["dataset"], pairs["group"], strict=True))
    members: dict[str, list[str]] = {}
    for name, one in ids.items():
        members.setdefault(group_of[name], []).append(one)
    return {name: several for name, several in members.items() if name and len(several) > 1}


def _ids(labels: Iterable[str], what: str) -> dict[str, str]:
    """Return an id for each name, as like it as an id can be: notes and messages show it."""
    ids: dict[str, str] = {}
    for i, label in enumerate(labels, 1):
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", label).strip("-_")[:50]
        ids[label] = plain if plain and plain not in ids.values() else f"{plain or what}-{i}"
    return ids


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
    names = [metrics] if isinstance(metrics, str) else metrics
    repeats = [runs] if isinstance(runs, str) and runs else list(runs)
    how = {**settings, "datasets": datasets, "values": values, "metrics": names, "models": models}
    how |= {"runs": repeats, "groups": groups, "missing": missing, "versus": versus, "alpha": alpha}
    return Findings(study_of_scores(table, "bakeoff.compare_datasets(table, …)", how))
