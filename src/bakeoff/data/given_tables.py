"""The tables that paths name: one of all models, one of each, logs, or training runs."""

from __future__ import annotations

import dataclasses
import glob
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from bakeoff.data.asked import asked_in_both, how_asked
from bakeoff.data.model_columns import tables_by_model
from bakeoff.data.open_table import PLAIN, frame_of_layout, laid_out
from bakeoff.data.readers import known, read_log, reader_of, unknown_shape
from bakeoff.data.readers.common import (
    SAMPLE_ID,
    SCORES,
    SETTINGS,
    USAGE,
    LeftOut,
    without_missing,
)
from bakeoff.data.records import (
    MODEL,
    RUN,
    TASK,
    USUAL,
    USUAL_COLUMNS,
    Records,
    as_table,
)
from bakeoff.errors import Place, Problem, UserError, joined, listed, some, unknown
from bakeoff.files import digest, files_at, is_file, is_folder, no_file, state_of
from bakeoff.options import setting
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.formats import without_endings
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec.given_models import LOGS, SEED, GivenColumns

PLACE: Place = ("predictions",)
_NO_SCORE = ("id", SAMPLE_ID, "epoch", RUN, TASK, *USAGE)
_NO_TRUTH = ("usage", "weight")
"""Columns of a solution beside the truth."""
_LONGEST = 30
"""Letters of a setting that is written out in the name of a model."""
_MOST_LEFT_OUT = 3


@dataclasses.dataclass(frozen=True)
class GivenTables:
    """The tables of a comparison: one of each model, or one of all, without a name."""

    name: str
    models: Mapping[str, Records]
    read_as: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    together: bool = False
    notes: tuple[str, ...] = ()
    """What was done to read them, a sentence each."""
    datasets: str | None = None
    """The column of the data sets, where logs hold scores of data sets and no rows."""

    @property
    def wide(self) -> Records | None:
        """The table of all models, where they are its columns."""
        if len(self.models) > 1:
            return None
        return self.models.get("")

    @property
    def first(self) -> Records:
        """One of the tables."""
        return next(iter(self.models.values()))

    def by_model(self, columns: GivenColumns, kept: Sequence[str] | None) -> GivenTables:
        """Cut long tables at their column of models, unless it is `kept` as a model."""
        models: dict[str, Records] = {}
        notes = list(self.notes)
        for name, file in self.models.items():
            parts = tables_by_model(dataclasses.replace(file, roles=columns), kept or ())
            if parts:
                names = joined(list(parts))
                notes.append(f"{file.path} has a row for each model and id, of the models {names}.")
            else:
                parts = {name: file}
            for model, part in parts.items():
                if model in models:
                    text = f"{part.path!r}: the model is in {models[model].path!r} too"
                    raise Problem(("models",), text)
                models[model] = part
        return dataclasses.replace(self, models=models, notes=tuple(notes))

    def only(self, models: Sequence[str] | None) -> GivenTables:
        """Keep some of the models; a table of all models is left as it is."""
        if models is None or self.wide is not None:
            return self
        kept = {}
        for name in models:
            if name not in self.models:
                raise Problem(("models",), unknown("model", name, self.models))
            kept[name] = self.models[name]
        return dataclasses.replace(self, models=kept)

    @property
    def tasks(self) -> list[str]:
        """The tasks of the items, where logs of several were joined."""
        if self.wide is not None:
            return []
        tasks: set[str] = set()
        for file in self.models.values():
            if TASK not in file.names:
                return []
            tasks.update(file.table[TASK].to_pylist())
        return sorted(tasks)

    def of_tasks(self, wanted: Sequence[str] | None, value: str | None) -> GivenTables:
        """Keep the items of tasks, which are named like ``arc=acc``, or with the metric `value`."""
        tasks = self.tasks
        if not tasks:
            if wanted is not None:
                raise Problem(("tasks",), "is for a folder of logs of several tasks")
            return self
        metrics = {task: self._metrics(task) for task in tasks}
        # a metric may also be a column that the tables of all models have
        columns = set(self.first.names)
        for file in self.models.values():
            columns &= set(file.names)
        named: Mapping[str, str | None] = dict.fromkeys(tasks)
        if wanted:
            named = _named_tasks(wanted, metrics)
        chosen = {}
        for task, metric in named.items():
            chosen[task] = _metric_of(
                task,
                metric or value,
                metrics,
                columns,
            )
        models = {model: _of_tasks(file, chosen) for model, file in self.models.items()}
        return dataclasses.replace(self, models=models)

    def _metrics(self, task: str) -> list[str]:
        """List the metrics of a task that every model has, or else those of any model."""
        n_models = 0
        counts: Counter[str] = Counter()
        for file in self.models.values():
            if task in file.scores:
                n_models += 1
                counts.update(dict.fromkeys(file.scores[task], 1))
        of_all = [name for name, count in counts.items() if count == n_models]
        return of_all or list(counts)

    def beside(self, solution: Records, columns: GivenColumns) -> GivenTables:
        """Put the truth of another file beside the predictions of each model, by the row ids."""
        # the truth may come from a competition, whose ids are called as it likes
        ids = columns.id or self._shared_column(solution)
        true = _column_of_truth(solution, ids)
        if ids is None or ids not in solution.names or true is None:
            raise Problem(
                ("truth",),
                f"{solution.path!r}: expected a column of row ids that the predictions have too, "
                f"and one of the truth; found {listed(solution.names)}",
            )
        models = {}
        for model, file in self.models.items():
            models[model] = _with_truth(file, solution, ids, true)
        return dataclasses.replace(self, models=models)

    def _shared_column(self, solution: Records) -> str | None:
        """Return the first column of another file that the tables of all models have."""
        for name in solution.names:
            if all(name in file.names for file in self.models.values()):
                return name
        return None

    def refuse_numbers(self) -> None:
        """Refuse logs, which hold numbers, where labels are expected."""
        if not self.read_as or "y_true" in self.first.names:
            return
        scores = []
        for field in self.first.table.schema:
            if field.name not in _NO_SCORE and _is_numeric(field.type):
                scores.append(field.name)
        if not scores:
            return
        raise Problem(
            ("values",),
            f"{self.read_as[0]}; it holds no labels but scores, {listed(scores)}; "
            f"{setting('values', 'right')} says that 1 is right, {setting('values', 'higher')} or "
            f"`lower` which way other numbers are better, {setting('value')} which of several "
            f"scores it is, and {setting('runs')} which run of an item a row is",
        )


def _is_numeric(kind: pa.DataType) -> bool:
    """Tell whether a column holds numbers, or true and false, which count as such."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return True
    return bool(pa.types.is_boolean(kind))


# --- open: the tables of paths


def tables_of(
    paths: Sequence[str],
    keys: TableKeys = PLAIN,
    *,
    partial: bool = False,
) -> GivenTables:
    """Read the tables that paths name, of logs what there is where they may be `partial`."""
    if len(set(paths)) < len(paths):
        raise UserError("the same file is given twice")
    # sentences of what was read as what, and what was left out, in the order of the paths
    by_path = {}
    read_as: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    for path in paths:
        held = _tables_at(path, keys, partial=partial)
        by_path[path] = held
        read_as += held.read_as
        left_out += held.left_out
    if len(paths) > 1:
        return GivenTables(
            f"{len(paths)} files",
            _with_names(by_path),
            read_as,
            left_out,
        )
    (path,) = paths
    tables = list(by_path[path].models.values())
    # a single table may be one of all models, which is cut or read by its columns later
    if len(tables) == 1 and not is_folder(path):
        models = {"": tables[0]}
    else:
        models = _with_names(by_path)
    return GivenTables(
        Path(path).name,
        models,
        read_as,
        left_out,
        together=True,
        datasets=by_path[path].datasets,
    )


def scores_of_folder(path: str) -> pd.DataFrame:
    """Return a row for each score of a folder of logs that hold scores of data sets."""
    held = _tables_at(path, PLAIN)
    if held.datasets is None:
        raise Problem(
            ("datasets",),
            f"{path!r} holds rows, and no scores of data sets: without it the mean over the "
            f"tasks is compared, and {setting('groups', TASK)} takes these for a sample of tasks",
        )
    frames = []
    for model, file in held.models.items():
        frames.append(file.table.to_pandas().assign(**{MODEL: model}))
    scores: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return scores


def _with_names(by_path: Mapping[str, GivenTables]) -> dict[str, Records]:
    """Name the models of several paths by their logs, or by the places of their files."""
    tables = []
    by_log = []
    by_place = []
    by_file = []
    for path, held in by_path.items():
        stem = _stem(path)
        for model, table in held.models.items():
            name = stem
            if len(held.models) > 1:
                name = model
            tables.append(table)
            by_log.append(model or stem)
            by_place.append(name)
            by_file.append(table.path)
    # a log says whose it is, but two logs of one model are told apart by their places
    for names in (by_log, by_place, by_file):
        if len(set(names)) == len(names):
            break
    return dict(zip(names, tables, strict=True))


def _stem(path: str) -> str:
    """Name the only model of a path after it."""
    place = Path(path.replace(SEED, ""))
    stem = place.name
    if not is_folder(place):
        stem = without_endings(stem, LOGS)
    return stem.strip("-_ ") or place.parent.name


def _tables_at(path: str, keys: TableKeys, *, partial: bool = False) -> GivenTables:
    """Read what is at a path: a folder of logs, a file for each training run, a log or a table."""
    if is_folder(path):
        return _of_folder(path, partial=partial)
    if SEED in path or not is_file(path):
        return GivenTables(path, {"": read_columns(path, PLACE, keys)})
    return _of_file(path, PLACE, keys, partial=partial)


def _of_file(
    path: str,
    place: Place,
    keys: TableKeys,
    *,
    partial: bool = False,
) -> GivenTables:
    """Read a file: a log of one or several models, or a table."""
    reader = None
    if keys.format is None:
        reader = reader_of(path)
    if reader is not None:
        return _of_log(reader, path, place, partial=partial)
    if keys.format is None and Path(path).suffix.lower() == ".json":
        text = f"{path!r} is no JSON that is known here ({known()}){unknown_shape(path)}"
        raise Problem(place, text)
    layout = laid_out(path, keys)
    table = as_table(frame_of_layout(path, place, layout))
    left_out: tuple[str, ...] = ()
    if layout.skip:
        left_out = (f"{path}: {layout.skip} line(s) before the table left out.",)
    return GivenTables(path, {"": Records(path, table, place)}, left_out=left_out)


def _of_log(reader: Any, path: str, place: Place, *, partial: bool) -> GivenTables:
    """Read a log, whose rows may be of several models."""
    try:
        frame = read_log(reader, path, partial=partial)
    except ValueError as error:
        text = f"{path!r} was taken for a file of {reader.WHAT}: {error}{without_missing(error)}"
        raise Problem(place, text) from None
    scores = frame.attrs.get(SCORES) or {}
    read_as = (f"{path} was read as {reader.WHAT}",)
    # most logs are of one model; a column says whose rows those of several are
    if MODEL not in frame:
        asked = {"": how_asked(frame)}
        records = Records(
            path,
            as_table(frame),
            place,
            scores=scores,
            asked=asked,
        )
        return GivenTables(path, {"": records}, read_as)
    models = {}
    by_model = frame.groupby(MODEL)
    for model, rows in by_model:
        name = path
        if len(by_model) > 1:
            name = f"{path}: {model}"
        asked = {"": how_asked(frame, str(model))}
        table = as_table(rows.drop(columns=MODEL))
        models[str(model)] = Records(
            name,
            table,
            place,
            scores=scores,
            asked=asked,
        )
    return GivenTables(path, models, read_as)


def read_columns(path: str, place: Place, keys: TableKeys = PLAIN) -> Records:
    """Read a table; of a path with ``{seed}`` the files of all numbers, below one another."""
    if not is_file(path):
        return _of_seeds(path, place, keys)
    models = _of_file(path, place, keys).models
    if len(models) > 1:
        raise Problem(
            place,
            f"{path!r} holds {len(models)} models ({some(models)}), expected one: `model:` of "
            "an experiment names one of them",
        )
    (records,) = models.values()
    return records


def _of_seeds(path: str, place: Place, keys: TableKeys) -> Records:
    """Read the files of all training runs, with a column of their numbers."""
    if SEED not in path:
        raise Problem(place, no_file(path))
    # the path before, between and behind the numbers
    parts = path.split(SEED)
    # the number stands in every place of the path
    same_number = r"\1".join(map(re.escape, parts[1:]))
    pattern = re.compile(re.escape(parts[0]) + r"(\d+)" + same_number)
    files = {}
    for file in glob.glob("*".join(map(glob.escape, parts))):  # noqa: PTH207  absolute or not
        match = pattern.fullmatch(file)
        if match is not None:
            files[int(match[1]), file] = file
    if not files:
        raise Problem(place, f"no file at {path!r} with a number in place of {SEED}")
    runs = []
    tables: list[pa.Table] = []
    for seed, file in sorted(files):
        records = read_columns(file, place, keys)
        seeds = pa.array([seed] * len(records.table))
        runs.append(records)
        tables.append(records.table.append_column(SEED, seeds))
        if set(tables[-1].column_names) != set(tables[0].column_names):
            raise Problem(place, f"{file!r} has other columns than {runs[0].path!r}")
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise Problem(place, f"the files {path!r} have columns of unlike types: {error}") from None
    return dataclasses.replace(runs[0], path=path.replace(SEED, "*"), table=table)


def table_of_model(
    path: str,
    place: Place,
    model: str | None,
    columns: GivenColumns = USUAL_COLUMNS,
    keys: TableKeys = PLAIN,
    tasks: Sequence[str] | None = None,
) -> Records:
    """Read the table of a model, which may be one of several in logs or in a long table.

    Of logs of several tasks it has the numbers of each in its column `value`.
    """
    if is_folder(path) or (SEED not in path and reader_of(path) is not None):
        tables = _tables_of_logs(path, place, keys)
    elif tasks is not None:
        raise Problem((*place[:-1], "tasks"), "is for a folder of logs of several tasks")
    else:
        tables = {"": read_columns(path, place, keys)}
    held = GivenTables(path, tables)
    # labels of all tasks have one column, numbers that of the metric of their task
    if tasks is not None or (held.tasks and place[-1] == "values"):
        tables, columns = _with_values(held, tasks, columns, place)
    # an entry of an experiment is called like its model, unless it names another one
    wanted = model or str(place[-2:][0])
    if "" in tables:
        long = tables_by_model(dataclasses.replace(tables[""], roles=columns))
        # ids are repeated by folds and runs too, whatever a column is called
        repeated = (columns.repeat, columns.fold, columns.seeds, columns.runs)
        if wanted in long or (long and not any(repeated)):
            tables = long
    if len(tables) == 1 and model is None:
        (table,) = tables.values()
    else:
        table = _table_named(wanted, tables, path, place)
    return dataclasses.replace(table, place=place, roles=columns)


def _table_named(
    model: str,
    tables: Mapping[str, Records],
    path: str,
    place: Place,
) -> Records:
    """Return the table of a model, which must be one of several."""
    at = (*place[:-1], "model")
    if "" in tables:
        raise Problem(at, f"{path!r} holds one model: leave it out")
    if model not in tables:
        raise Problem(at, f"{path!r} holds several: {unknown('model', model, tables)}")
    return tables[model]


def _tables_of_logs(path: str, place: Place, keys: TableKeys) -> Mapping[str, Records]:
    """Read the tables of logs by their models."""
    if keys.missing_values is not None:
        text = f"is for tables, {path!r} holds logs: leave it out"
        raise Problem((*place[:-1], "missing_values"), text)
    try:
        return _held_once(path, tuple(map(state_of, files_at(path, LOGS))))
    except Problem as problem:
        raise Problem(place, problem.message) from None


def _with_values(
    held: GivenTables,
    tasks: Sequence[str] | None,
    columns: GivenColumns,
    place: Place,
) -> tuple[Mapping[str, Records], GivenColumns]:
    """Keep the items of tasks, with the numbers of the metric of each, and name their column."""
    try:
        tables = held.of_tasks(tasks, columns.value).models
    except Problem as problem:
        raise problem.inside(place[:-1]) from None
    value = None
    if all("value" in table.names for table in tables.values()):
        value = "value"
    return tables, columns.model_copy(update={"value": value})


@lru_cache(maxsize=2)
def _held_once(path: str, state: tuple[tuple[int, ...], ...]) -> Mapping[str, Records]:
    """Read logs that have not changed once for all of their models, and tell what is left out."""
    held = _tables_at(path, PLAIN)
    sys.stderr.writelines(f"{text}\n" for text in held.left_out)
    return held.models


# --- logs of a folder


class _Log(NamedTuple):
    """A log of one model in a folder."""

    model: str
    task: str
    settings: Mapping[str, Any]
    frame: pd.DataFrame
    asked: Mapping[str, Any] = {}


def _of_folder(path: str, *, partial: bool) -> GivenTables:
    """Join the logs of a folder and of the folders in it, model by model."""
    logs: list[_Log] = []
    left_out: list[str] = []
    kinds: Counter[str] = Counter()
    datasets: str | None = None
    file_of_key: dict[str, Path] = {}
    for file in map(Path, files_at(path, LOGS)):
        reader = reader_of(str(file))
        if reader is None:
            continue
        try:
            frame = read_log(reader, str(file), partial=partial)
        except LeftOut as error:
            left_out.append(f"{file} was left out: {error}{without_missing(error)}.")
            continue
        except ValueError as error:
            raise Problem(PLACE, f"{str(file)!r}, {reader.WHAT}: {error}") from None
        # evaluations may be copied, or written in two forms
        key = frame.attrs.get("key", str(file))
        same = file_of_key.setdefault(key, file)
        if same != file:
            left_out.append(f"{file} was left out: it is the same evaluation as {same}.")
            continue
        kinds[reader.WHAT] += 1
        datasets = getattr(reader, "DATASETS", None)
        logs.extend(_logs_in(reader, file, frame))
    if not logs:
        raise Problem(PLACE, f"{path!r} is a folder without logs {_why_no_logs(path, left_out)}")
    told_apart = _told_apart(logs)
    tables = _joined(path, told_apart)
    counts = []
    for kind, n_files in kinds.items():
        files = "files"
        if n_files == 1:
            files = "file"
        counts.append(f"{n_files} {files} ({kind})")
    models = joined(list(tables))
    read_as = f"{path} was read as a folder of {joined(counts)}, with the models {models}"
    if told_apart != logs:
        read_as += "; logs of one model and task with other settings are other models, and no runs"
    return GivenTables(
        path,
        tables,
        (read_as,),
        tuple(left_out),
        datasets=datasets,
    )


def _why_no_logs(path: str, left_out: Sequence[str]) -> str:
    """Say why a folder has no logs that can be used."""
    if left_out:
        return f"that can be used. {' '.join(left_out[:_MOST_LEFT_OUT])}"
    why = f"of items ({known()}): name the files of tables one by one"
    for file in files_at(path, LOGS):
        if reader_of(file) is None:
            return f"{why}. {file!r} is none{unknown_shape(file)}"
    return why


def _logs_in(reader: Any, file: Path, frame: pd.DataFrame) -> list[_Log]:
    """Return the logs of the models that a file has rows of."""
    # what the log says counts more than the name of its file, the reader's rule more than both
    facts: dict[Any, Any] = {"model": file.stem, "task": ""}
    facts |= frame.attrs
    if hasattr(reader, "named"):
        facts |= reader.named(file)
    if MODEL not in frame:
        asked = how_asked(frame)
        return [_Log(str(facts["model"]), facts["task"], asked[SETTINGS], frame, asked)]
    logs = []
    for model, rows in frame.groupby(MODEL):
        asked = how_asked(frame, str(model))
        logs.append(_Log(str(model), facts["task"], asked[SETTINGS], rows, asked))
    return logs


def _told_apart(logs: Sequence[_Log]) -> list[_Log]:
    """Name the settings in which logs of one model and task differ, which makes models of them."""
    settings_by_log: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for log in logs:
        settings_by_log.setdefault((log.model, log.task), []).append(log.settings)
    told_apart = []
    for log in logs:
        named = []
        for key in _differing(settings_by_log[log.model, log.task]):
            named.append(f"{key} {_shown_setting(log.settings.get(key))}")
        if named:
            log = log._replace(model=f"{log.model} ({'; '.join(named)})")
        told_apart.append(log)
    return told_apart


def _differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the settings that are not the same in all logs, in the order of the alphabet."""
    differing = set()
    first = settings[0]
    for others in settings[1:]:
        for key in set(first) | set(others):
            if others.get(key) != first.get(key):
                differing.add(key)
    return sorted(differing)


def _shown_setting(value: Any) -> str:
    """Write a short setting, or a digest of a long one."""
    if value is None:
        return "default"
    text = " ".join(str(value).split()) or "''"
    if len(text) > _LONGEST:
        return digest(value)[:8]
    return text


def _joined(path: str, logs: Sequence[_Log]) -> dict[str, Records]:
    """Return a table of each model: its tasks one below the other, several logs of one as runs."""
    by_model: dict[str, list[_Log]] = {}
    for log in logs:
        by_model.setdefault(log.model, []).append(log)
    several_tasks = len({log.task for log in logs}) > 1
    frames = {}
    runs = {}
    most_runs = 1
    for model in sorted(by_model):
        parts = []
        for log in by_model[model]:
            parts.append(_rows_of(log, several_tasks=several_tasks))
        frames[model] = pd.concat(parts, ignore_index=True)
        # rows of one id in several logs are runs of an item
        runs[model] = frames[model].groupby("id").cumcount() + 1
        most_runs = max(most_runs, runs[model].max())
    tables = {}
    for model, frame in frames.items():
        # where one model was run several times, the tables of all have the column
        if most_runs > 1:
            frame = frame.assign(**{RUN: runs[model]})
        scores: dict[str, list[str]] = {}
        asked: dict[str, dict[str, Any]] = {}
        for log in by_model[model]:
            for names in log.frame.attrs.get(SCORES, {}).values():
                scores[log.task] = list(names)
            asked[log.task] = asked_in_both(asked.get(log.task, {}), log.asked)
        table = as_table(frame)
        tables[model] = Records(
            f"{path}: {model}",
            table,
            PLACE,
            scores=scores,
            asked=asked,
        )
    return tables


def _rows_of(log: _Log, *, several_tasks: bool) -> pd.DataFrame:
    """Return the rows of a log in the order of their runs, with ids that name one of several tasks.

    The column of the runs is made anew for all logs of a model.
    """
    frame = log.frame.drop(columns=[MODEL], errors="ignore")
    for order in ("epoch", RUN):
        if order in frame:
            frame = frame.sort_values(order, kind="stable").drop(columns=order)
            break
    if several_tasks:
        ids = log.task + "/" + frame["id"].astype(str)
        frame = frame.assign(id=ids, **{TASK: log.task})
    return frame


# --- tasks and their metrics


def _named_tasks(
    wanted: Sequence[str], metrics: Mapping[str, Sequence[str]]
) -> dict[str, str | None]:
    """Map the tasks that parts like ``arc=acc`` name to metrics, whose names may have commas."""
    named: dict[str, str | None] = {}
    last = ""
    for part in wanted:
        # a part may go on with the name of the metric before the comma
        longer = f"{named.get(last)},{part}"
        names = metrics.get(last, ())
        if any(f"{name},".startswith(f"{longer},") for name in names):
            named[last] = longer
            continue
        task, equals, metric = part.partition("=")
        if task not in metrics:
            raise Problem(("tasks",), unknown("task", task, metrics))
        named[task] = None
        if equals:
            named[task] = metric
        last = task
    return named


def _metric_of(
    task: str,
    name: str | None,
    metrics: Mapping[str, Sequence[str]],
    columns: Collection[str],
) -> str | None:
    """Return the metric, or column, of a task that a name stands for; without one the only one."""
    names = metrics[task]
    if name is None and not names:  # of a reader that names none: the usual columns are looked for
        return None
    if name is None or (name == "score" and len(names) == 1):
        fitting = list(names)
    elif name in names or (name in columns and not _is_metric(name, metrics)):
        fitting = [name]
    else:
        fitting = [metric for metric in names if metric.partition(",")[0] == name]
    if not fitting:
        raise Problem(("tasks",), f"{task}: {unknown('metric', name, names)}")
    if len(fitting) > 1:
        first_of_each = []
        for other, names_of_other in metrics.items():
            if names_of_other:
                first_of_each.append(f"{other}={names_of_other[0]}")
        raise Problem(
            ("tasks",),
            f"{task} has the metrics {listed(fitting)}: name one for each task that has several, "
            f"like {setting('tasks', ','.join(first_of_each))}",
        )
    return fitting[0]


def _is_metric(name: str, metrics: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether a column holds a metric of some task."""
    return name == "score" or any(name in names for names in metrics.values())


def _of_tasks(file: Records, metrics: Mapping[str, str | None]) -> Records:
    """Keep the rows of some tasks, with the number of the metric of each as ``value``."""
    frame = file.table.to_pandas()
    frame = frame[frame[TASK].isin(metrics)].reset_index(drop=True)
    for task, metric in metrics.items():
        column = metric
        if list(file.scores.get(task, ())) == [metric]:  # the only one is called so
            column = "score"
        if column in frame:
            of_task = frame[TASK] == task
            frame.loc[of_task, "value"] = frame.loc[of_task, column]
    if len(metrics) == 1:
        frame = frame.drop(columns=TASK)
    scores = {}
    asked = {}
    for task in metrics:
        if task in file.scores:
            scores[task] = file.scores[task]
        if task in file.asked:
            asked[task] = file.asked[task]
    return dataclasses.replace(
        file,
        table=as_table(frame),
        scores=scores,
        asked=asked,
    )


# --- the truth in another file


def _column_of_truth(solution: Records, ids: str | None) -> str | None:
    """Return the usual column of the truth, or the only one that it may be."""
    for name in USUAL["truth"]:
        if name in solution.names:
            return name
    rest = []
    for name in solution.names:
        if name != ids and name.lower() not in _NO_TRUTH:
            rest.append(name)
    if len(rest) == 1:
        return rest[0]
    return None


def _with_truth(
    table: Records,
    solution: Records,
    id_column: str,
    true: str,
) -> Records:
    """Join the truth to a table, whose column of predictions may be called like it."""
    ids = pd.Index(identifiers(solution.column(id_column)))
    if ids.has_duplicates:
        raise Problem(("truth",), f"{solution.path!r}: ids must be unique in {id_column!r}")
    predicted = identifiers(table.column(id_column))
    positions = ids.get_indexer(pd.Index(predicted))
    # both files have to be about the same rows, in any order
    lacking = ids[~ids.isin(predicted)]
    strange = predicted[positions < 0]
    if len(lacking) or len(strange):
        raise Problem(
            table.place,
            f"{table.path!r} and {solution.path!r} have other rows: {len(lacking):,} ids are "
            f"missing ({some(lacking)}), {len(strange):,} do not belong ({some(strange)})",
        )
    names = table.names
    if true in names:
        names[names.index(true)] = "y_pred"
    if "y_true" in names or len(set(names)) < len(names):
        text = f"{table.path!r} has true labels of its own: leave {solution.path!r} out"
        raise Problem(("truth",), text)
    truth = solution.table[true].take(pa.array(positions))
    return table.with_table(table.table.rename_columns(names).append_column("y_true", truth))
