"""The tables that paths name: one of all models, one of each, logs, or training runs."""

from __future__ import annotations

import dataclasses
import glob
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from bakeoff.data.asked import ASKED, asked_in_both, how_asked
from bakeoff.data.model_columns import tables_by_model
from bakeoff.data.readers import (
    SAMPLE_ID,
    SCORES,
    SETTINGS,
    LeftOut,
    known,
    read_log,
    reader_of,
    without_missing,
)
from bakeoff.data.records import (
    MODEL,
    PLAIN,
    RUN,
    USUAL,
    USUAL_COLUMNS,
    Records,
    as_table,
    laid_out,
    read_tables,
)
from bakeoff.errors import Place, Problem, UserError, joined, listed, some, unknown
from bakeoff.files import digest, files_at, is_file, is_folder, no_file, state_of
from bakeoff.options import setting
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec.given_models import LOGS, SEED, GivenColumns


def read_columns(path: str, place: Place, keys: TableKeys = PLAIN) -> Records:
    """Read a table; of a path with ``{seed}`` the files of all numbers, below one another."""
    if is_file(path):
        _, tables = read_tables(path, place, keys)
        if len(tables) > 1:
            raise Problem(
                place,
                f"{path!r} holds {len(tables)} models ({some(tables)}), expected one: `model:` of "
                "an experiment names one of them",
            )
        return Records(path, tables.popitem()[1], place)
    if SEED not in path:
        raise Problem(place, no_file(path))
    parts = path.split(SEED)
    fits = re.compile(re.escape(parts[0]) + r"(\d+)" + r"\1".join(map(re.escape, parts[1:])))
    paths = glob.glob("*".join(map(glob.escape, parts)))  # noqa: PTH207  absolute or not
    files = sorted((int(match[1]), match[0]) for match in map(fits.fullmatch, paths) if match)
    if not files:
        raise Problem(place, f"no file at {path!r} with a number in place of {SEED}")
    runs: list[pa.Table] = []
    for seed, file in files:
        table = read_columns(file, place, keys).table
        runs.append(table.append_column(SEED, pa.array([seed] * len(table))))
        if set(runs[-1].column_names) != set(runs[0].column_names):
            raise Problem(place, f"{file!r} has other columns than {files[0][1]!r}")
    try:
        table = pa.concat_tables(runs, promote_options="permissive")
        return Records(path.replace(SEED, "*"), table, place)
    except pa.ArrowException as error:
        raise Problem(place, f"the files {path!r} have columns of unlike types: {error}") from None


PLACE: Place = ("predictions",)
TASK = "task"
"""The column of a folder of logs that says which task a row is of."""
_NO_SCORE = ("id", SAMPLE_ID, "epoch", RUN, TASK)
_NO_TRUTH = ("usage", "weight")  # columns of a solution beside the truth
_LONGEST = 30  # letters of a setting that is written out in the name of a model


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

    @property
    def wide(self) -> Records | None:
        """The table of all models, where they are its columns."""
        return self.models.get("") if len(self.models) == 1 else None

    @property
    def first(self) -> Records:
        """One of the tables."""
        return next(iter(self.models.values()))

    def by_model(self, columns: GivenColumns, kept: Sequence[str] | None) -> GivenTables:
        """Cut long tables at their column of models, unless it is `kept` as a model."""
        models: dict[str, Records] = {}
        notes = [*self.notes]
        for name, file in self.models.items():
            cut = tables_by_model(dataclasses.replace(file, roles=columns), kept or ())
            for model, part in (cut or {name: file}).items():
                if model in models:
                    text = f"{part.path!r}: the model is in {models[model].path!r} too"
                    raise Problem(("models",), text)
                models[model] = part
            if cut:
                notes.append(
                    f"{file.path} has a row for each model and id, of the models "
                    f"{joined(list(cut))}."
                )
        return dataclasses.replace(self, models=models, notes=tuple(notes))

    def only(self, models: Sequence[str] | None) -> GivenTables:
        """Keep some of the models; a table of all models is left as it is."""
        if models is None or self.wide is not None:
            return self
        for name in models:
            if name not in self.models:
                raise Problem(("models",), unknown("model", name, self.models))
        return dataclasses.replace(self, models={name: self.models[name] for name in models})

    @property
    def tasks(self) -> list[str]:
        """The tasks of the items, where logs of several were joined."""
        if self.wide is not None or any(TASK not in one.names for one in self.models.values()):
            return []
        names = [set(one.table[TASK].to_pylist()) for one in self.models.values()]
        return sorted(set().union(*names))

    def of_tasks(self, wanted: Sequence[str] | None, value: str | None) -> GivenTables:
        """Keep the items of tasks, which are named like ``arc=acc``, or with the metric `value`."""
        if not self.tasks:
            if wanted is not None:
                raise Problem(("tasks",), "is for a folder of logs of several tasks")
            return self
        metrics = {task: self._metrics(task) for task in self.tasks}
        named = _named_tasks(wanted or self.tasks, metrics)
        columns = set.intersection(*(set(one.names) for one in self.models.values()))
        chosen = {
            task: _metric_of(task, name or value, metrics, columns) for task, name in named.items()
        }
        models = {}
        for model, one in self.models.items():
            frame = one.table.to_pandas()
            frame.attrs = {
                SCORES: {task: one.scores[task] for task in named if task in one.scores},
                ASKED: {task: one.asked[task] for task in named if task in one.asked},
            }
            frame = frame[frame[TASK].isin(named)].reset_index(drop=True)
            for task, metric in chosen.items():
                column = "score" if one.scores.get(task) == [metric] else metric
                if column in frame:
                    at = frame[TASK] == task
                    frame.loc[at, "value"] = frame.loc[at, column]
            frame = frame.drop(columns=TASK) if len(named) == 1 else frame
            models[model] = one.with_table(as_table(frame))
        return dataclasses.replace(self, models=models)

    def _metrics(self, task: str) -> list[str]:
        """List the metrics of a task that every model has, or else those of any model."""
        every = [one.scores[task] for one in self.models.values() if task in one.scores]
        of_any = dict.fromkeys(name for names in every for name in names)
        return [name for name in of_any if all(name in names for names in every)] or [*of_any]

    def beside(self, solution: Records, columns: GivenColumns) -> GivenTables:
        """Put the truth of another file beside the predictions of each model, by the row ids."""
        shared = set(solution.names).intersection(*(one.names for one in self.models.values()))
        name = columns.id or next((c for c in solution.names if c in shared), None)
        usual = [c for c in USUAL["truth"] if c in solution.names]
        rest = [c for c in solution.names if c != name and c.lower() not in _NO_TRUTH]
        true = next(iter(usual or rest), None)
        if name not in solution.names or true is None or (not usual and len(rest) > 1):
            raise Problem(
                ("truth",),
                f"{solution.path!r}: expected a column of row ids that the predictions have too, "
                f"and one of the truth; found {listed(solution.names)}",
            )
        models = {m: _with_truth(one, solution, name, true) for m, one in self.models.items()}
        return dataclasses.replace(self, models=models)

    def refuse_numbers(self) -> None:
        """Refuse logs, which hold numbers, where labels are expected."""
        types = dict(zip(self.first.names, self.first.table.schema.types, strict=True))
        kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
        numbers = [c for c, kind in types.items() if any(is_one(kind) for is_one in kinds)]
        scores = [column for column in numbers if column not in _NO_SCORE]
        if not self.read_as or "y_true" in types or not scores:
            return
        raise Problem(
            ("values",),
            f"{self.read_as[0]}; it holds no labels but scores, {listed(scores)}; "
            f"{setting('values', 'right')} says that 1 is right, {setting('values', 'higher')} or "
            f"`lower` which way other numbers are better, {setting('value')} which of several "
            f"scores it is, and {setting('runs')} which run of an item a row is",
        )


def _named_tasks(
    wanted: Sequence[str], metrics: Mapping[str, Sequence[str]]
) -> dict[str, str | None]:
    """Map the tasks that parts like ``arc=acc`` name to metrics, whose names may have commas."""
    named: dict[str, str | None] = {}
    last = ""
    for part in wanted:
        task, equals, metric = part.partition("=")
        longer = f"{named.get(last)},{part}"
        if any(name == longer or name.startswith(f"{longer},") for name in metrics.get(last, ())):
            named[last] = longer
            continue
        if task not in metrics:
            raise Problem(("tasks",), unknown("task", task, metrics))
        named[task] = metric if equals else None
        last = task
    return named


def _metric_of(
    task: str, name: str | None, metrics: Mapping[str, Sequence[str]], columns: Collection[str]
) -> str | None:
    """Return the metric, or column, of a task that a name stands for; without one the only one."""
    names = metrics[task]
    if name is None and not names:  # of a reader that names none: the usual columns are looked for
        return None
    if name is None or (name == "score" and len(names) == 1):
        fitting = list(names)
    elif name in names or (name in columns and not _of_any(name, metrics)):
        fitting = [name]
    else:
        fitting = [one for one in names if one.partition(",")[0] == name]
    if not fitting:
        raise Problem(("tasks",), f"{task}: {unknown('metric', name, names)}")
    if len(fitting) > 1:
        each = [f"{one}={of_task[0]}" for one, of_task in metrics.items() if of_task]
        raise Problem(
            ("tasks",),
            f"{task} has the metrics {listed(fitting)}: name one for each task that has several, "
            f"like {setting('tasks', ','.join(each))}",
        )
    return fitting[0]


def _of_any(name: str, metrics: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether a column holds a metric of some task."""
    return name == "score" or any(name in names for names in metrics.values())


def _with_truth(table: Records, solution: Records, name: str, true: str) -> Records:
    """Join the truth to a table, whose column of predictions may be called like it."""
    ids = pd.Index(identifiers(solution.column(name)))
    if ids.has_duplicates:
        raise Problem(("truth",), f"{solution.path!r}: ids must be unique in {name!r}")
    predicted = identifiers(table.column(name))
    places = ids.get_indexer(pd.Index(predicted))
    lacking, strange = ids[~ids.isin(predicted)], predicted[places < 0]
    if len(lacking) or len(strange):
        raise Problem(
            table.place,
            f"{table.path!r} and {solution.path!r} have other rows: {len(lacking):,} ids are "
            f"missing ({some(lacking)}), {len(strange):,} do not belong ({some(strange)})",
        )
    names = ["y_pred" if column == true else column for column in table.names]
    if len({*names, "y_true"}) <= len(names):
        text = f"{table.path!r} has true labels of its own: leave {solution.path!r} out"
        raise Problem(("truth",), text)
    truth = solution.table[true].take(pa.array(places))
    return table.with_table(table.table.rename_columns(names).append_column("y_true", truth))


def tables_of(
    paths: Sequence[str], keys: TableKeys = PLAIN, *, partial: bool = False
) -> GivenTables:
    """Read the tables that paths name, of logs what there is where they may be `partial`."""
    if len(set(paths)) < len(paths):
        raise UserError("the same file is given twice")
    held = {path: _held(path, keys, partial=partial) for path in paths}
    read_as = tuple(text for one in held.values() for text in one.read_as)
    left_out = tuple(text for one in held.values() for text in one.left_out)
    alone, first = next(iter(held.values())).models, Path(paths[0])
    name = first.name if len(paths) == 1 else f"{len(paths)} files"
    if len(paths) == 1 and len(alone) == 1 and not is_folder(first):
        return GivenTables(name, {"": next(iter(alone.values()))}, read_as, left_out, together=True)
    named = [(path, model) for path, one in held.items() for model in one.models]
    tables = [held[path].models[model] for path, model in named]
    # a log says whose it is, but two logs of one model are told apart by their places
    names = [model or _stem(path) for path, model in named]
    if len(set(names)) < len(names):
        names = [model if len(held[path].models) > 1 else _stem(path) for path, model in named]
    if len(set(names)) < len(names):
        names = [table.path for table in tables]
    models = dict(zip(names, tables, strict=True))
    return GivenTables(name, models, read_as, left_out, together=len(paths) == 1)


def _stem(path: str) -> str:
    """Name the only model of a path after it."""
    place = Path(path.replace(SEED, ""))
    stem = place.name if is_folder(place) else place.name.split(".")[0]
    return stem.strip("-_ ") or place.parent.name


def _held(path: str, keys: TableKeys, *, partial: bool = False) -> GivenTables:
    """Return a table of each model that a path holds, and of logs what they were read as."""
    if is_folder(path):
        return _of_folder(path, partial=partial)
    if SEED in path or not is_file(path):
        return GivenTables(path, {"": read_columns(path, PLACE, keys)})
    reader, by_model = read_tables(path, PLACE, keys, partial=partial)
    tables = {
        model: Records(f"{path}: {model}" if len(by_model) > 1 else path, table, PLACE)
        for model, table in by_model.items()
    }
    if reader is not None:
        return GivenTables(path, tables, read_as=(f"{path} was read as {reader.WHAT}",))
    skipped = laid_out(path, keys).skip
    before = f"{path}: {skipped} line(s) before the table left out."
    return GivenTables(path, tables, left_out=(before,) if skipped else ())


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
    tables: Mapping[str, Records]
    if is_folder(path) or (SEED not in path and reader_of(path) is not None):
        if keys.missing_values is not None:
            text = f"is for tables, {path!r} holds logs: leave it out"
            raise Problem((*place[:-1], "missing_values"), text)
        try:
            tables = _held_once(path, tuple(map(state_of, files_at(path, LOGS))))
        except Problem as problem:
            raise Problem(place, problem.message) from None
        held = GivenTables(path, tables)
        if tasks is not None or (held.tasks and place[-1] == "values"):
            try:
                tables = held.of_tasks(tasks, columns.value).models
            except Problem as problem:
                raise problem.inside(place[:-1]) from None
            has_value = all("value" in table.names for table in tables.values())
            columns = columns.model_copy(update={"value": "value" if has_value else None})
    elif tasks is not None:
        raise Problem((*place[:-1], "tasks"), "is for a folder of logs of several tasks")
    else:
        tables = {"": read_columns(path, place, keys)}
    at, wanted = (*place[:-1], "model"), model or str(place[-2:][0])
    if "" in tables:
        long = tables_by_model(dataclasses.replace(tables[""], roles=columns))
        # ids are repeated by folds and runs too, whatever a column is called
        repeated = (columns.repeat, columns.fold, columns.seeds, columns.runs)
        if wanted in long or (long and not any(repeated)):
            tables = long
    if len(tables) == 1 and model is None:
        (wanted,) = tables
    elif "" in tables:
        raise Problem(at, f"{path!r} holds one model: leave it out")
    elif wanted not in tables:
        raise Problem(at, f"{path!r} holds several: {unknown('model', wanted, tables)}")
    return dataclasses.replace(tables[wanted], place=place, roles=columns)


@lru_cache(maxsize=2)
def _held_once(path: str, state: tuple[tuple[int, ...], ...]) -> Mapping[str, Records]:
    """Read logs that have not changed once for all of their models, and tell what is left out."""
    held = _held(path, PLAIN)
    sys.stderr.writelines(f"{text}\n" for text in held.left_out)
    return held.models


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
    kinds: list[str] = []
    keys: dict[str, Path] = {}
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
        facts: dict[Any, Any] = {"model": file.stem, "task": "", "key": str(file)}
        facts |= frame.attrs
        if (same := keys.setdefault(facts["key"], file)) != file:
            left_out.append(f"{file} was left out: it is the same evaluation as {same}.")
            continue
        kinds.append(reader.WHAT)
        named = getattr(reader, "named", None)
        facts |= named(file) if named is not None else {}
        if MODEL not in frame:
            parts = [(str(facts["model"]), how_asked(frame), frame)]
        else:
            by_model = [(str(model), part) for model, part in frame.groupby(MODEL)]
            parts = [(model, how_asked(frame, model), part) for model, part in by_model]
        for model, asked, part in parts:
            logs.append(_Log(model, facts["task"], asked[SETTINGS], part, asked))
    if not logs:
        text = f"of items ({known()}): name the files of tables one by one"
        why = " ".join(["that can be used.", *left_out[:3]]) if left_out else text
        raise Problem(PLACE, f"{path!r} is a folder without logs {why}")
    apart = _told_apart(logs)
    joined_logs = _joined(apart)
    tables = {m: Records(f"{path}: {m}", as_table(one), PLACE) for m, one in joined_logs.items()}
    counts = {kind: kinds.count(kind) for kind in kinds}
    counted = joined([f"{n} file{'s' * (n > 1)} ({kind})" for kind, n in counts.items()])
    read_as = f"{path} was read as a folder of {counted}, with the models {joined(list(tables))}"
    if apart != logs:
        read_as += "; logs of one model and task with other settings are other models, and no runs"
    return GivenTables(path, tables, (read_as,), tuple(left_out))


def _told_apart(logs: Sequence[_Log]) -> list[_Log]:
    """Name the settings in which logs of one model and task differ, which makes models of them."""
    apart = []
    for log in logs:
        alike = [one.settings for one in logs if (one.model, one.task) == (log.model, log.task)]
        keys = sorted({key for one in alike for key in one})
        differ = [key for key in keys if any(one.get(key) != alike[0].get(key) for one in alike)]
        settings = []
        for key in differ:
            value = log.settings.get(key)
            text = "default" if value is None else " ".join(str(value).split()) or "''"
            settings.append(f"{key} {text if len(text) <= _LONGEST else digest(value)[:8]}")
        apart.append(log._replace(model=f"{log.model} ({'; '.join(settings)})") if differ else log)
    return apart


def _joined(logs: Sequence[_Log]) -> dict[str, pd.DataFrame]:
    """Return a table of each model: its tasks one below the other, several logs of one as runs."""
    several = len({log.task for log in logs}) > 1
    parts: dict[str, list[pd.DataFrame]] = {}
    scores: dict[str, dict[str, list[str]]] = {}
    asked: dict[str, dict[str, dict[str, Any]]] = {}
    for log in logs:
        frame = log.frame.drop(columns=[MODEL], errors="ignore")
        order = next((name for name in ("epoch", RUN) if name in frame), None)
        if order is not None:
            frame = frame.sort_values(order, kind="stable").drop(columns=order)
        if several:
            ids = log.task + "/" + frame["id"].astype(str)
            frame = frame.assign(id=ids, **{TASK: log.task})
        parts.setdefault(log.model, []).append(frame)
        for names in log.frame.attrs.get(SCORES, {}).values():
            scores.setdefault(log.model, {})[log.task] = list(names)
        by_task = asked.setdefault(log.model, {})
        by_task[log.task] = asked_in_both(by_task.get(log.task, {}), log.asked)
    tables = {model: pd.concat(parts[model], ignore_index=True) for model in sorted(parts)}
    for model, table in tables.items():
        table.attrs = {SCORES: scores.get(model, {}), ASKED: asked[model]}
    runs = {model: table.groupby("id").cumcount() + 1 for model, table in tables.items()}
    if all(run.max() == 1 for run in runs.values()):
        return tables
    return {model: table.assign(**{RUN: runs[model]}) for model, table in tables.items()}
