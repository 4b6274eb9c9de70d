"""Bring the files of several models, which must be about the same rows, into one order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.observations import Observations, without_tasks
from bakeoff.data.predicted import Predicted, other_spellings
from bakeoff.data.readers.common import QUESTION, SAMPLE_ID, without_missing
from bakeoff.data.table import SUBGROUP, carry
from bakeoff.data.target import Answers
from bakeoff.errors import Problem, joined, some, unknown
from bakeoff.options import is_in_experiment, setting
from bakeoff.sources.common.base import as_columns
from bakeoff.sources.common.identifiers import to_frame
from bakeoff.spec.related import RowColumns

Positions = NDArray[np.intp]
_SHOWN = 5
"""Rows that a message writes below each other."""
_FEW_UNCLEAR = 0.1
"""Up to such a share of pairs of questions that may be others is told, and not refused."""
_MOSTLY_SHARED = 0.5
"""From such a share of the ids on, two files are of the same rows, some of which are missing."""
_OWN_IDS = (
    "; where both logs are about the same questions in other words, write them as tables (CSV) "
    "with ids of your own for the questions"
)


def paired(
    name: str,
    files: Sequence[Observations],
    classes: Sequence[str],
    *,
    sure: bool = False,
) -> Observations:
    """Put the models of several files side by side, in the rows of the first one with a truth."""
    first = next(file for file in files if file.true is not None)
    assert first.true is not None
    rows = first.labelled()
    items = first.items
    if items is not None:
        items = items[~first.true.missing]
    # where each row stands in each file
    positions_by_file = []
    notes: list[str] = []
    for file in files:
        if file is first:  # the rows are its own
            positions_by_file.append(np.flatnonzero(~first.true.missing))
            continue
        at = positions(rows, file)
        positions_by_file.append(at)
        notes.extend(_doubts(rows, file, at))
    models: dict[str, tuple[Predicted, ...]] = {}
    for file, at in zip(files, positions_by_file, strict=True):
        for model, runs in file.among(classes, sure=sure).items():
            # training runs of one model may stand in several files
            in_order = [run[at] for run in runs]
            models[model] = models.get(model, ()) + tuple(in_order)
    subgroups = {}
    roles = files[0].records.roles
    wanted = RowColumns(as_columns(roles.subgroups), tasks=roles.tasks)
    if wanted.subgroups or wanted.tasks is not None:
        columns = carried(wanted, ("columns", "subgroups"), files, positions_by_file)
        for column, values in columns.items():
            subgroups[str(column).removeprefix(SUBGROUP)] = pd.Categorical(values)
    single = []
    for model, runs in models.items():
        if runs[0].of_class:
            single.append(model)
    if single:
        notes.append(f"The probabilities of {joined(single)} are read as those of {classes[-1]!r}.")
    assert rows.true is not None
    return Observations(
        name,
        rows.ids,
        Answers(tuple(classes), rows.true.among(classes)),
        models,
        related=related(files, positions_by_file),
        items=items,
        subgroups=subgroups,
        left_out=rows.left_out,
        like_groups=undeclared(files),
        preparation=tuple(notes),
    )


# --- which row of a file is which


def positions(rows: Observations, file: Observations) -> Positions:
    """Find each row in a file, which must hold all of them and say the same of them."""
    position = _positions(rows, file)
    questions = _paired_questions(rows, file, position)
    if questions is not None:
        _check_questions(rows, file, questions)
    if file.true is None or rows.true is None:
        return position
    true = file.true[position]
    wrong = rows.true.unlike(true) & ~true.missing
    if wrong.any():
        what = "have another true label"
        if true.numbers:
            what = "have another true number"
        labels = [true.named(row) for row in np.flatnonzero(wrong).tolist()]
        hint = ""
        if len(other_spellings(labels, rows.true.classes)) == len(labels):
            hint = ", but for its spelling the same: write each class in one way"
        raise _unlike(
            rows,
            file,
            wrong,
            what,
            (rows.true.named, true.named),
            hint,
        )
    return position


def _positions(rows: Observations, file: Observations) -> Positions:
    """Find the ids of rows among those of a file, which may have rows without truth beside."""
    # ids that are missing, and ids that do not belong, are told of together
    wanted = rows.ids
    present = file.ids
    ignored = rows.left_out
    if np.array_equal(wanted, present):
        return np.arange(len(wanted))
    kinds = set()
    for ids in (wanted, present, ignored):
        if len(ids):
            kinds.add(ids.dtype)
    if len(kinds) > 1:  # whole numbers in one file, texts in another
        wanted = _as_texts(wanted)
        present = _as_texts(present)
        ignored = _as_texts(ignored)
    position: Positions = pd.Index(present).get_indexer(pd.Index(wanted))
    lacking = wanted[position < 0]
    extra = present[~np.isin(present, wanted) & ~np.isin(present, ignored)]
    if not len(lacking) and not len(extra):
        return position
    parts = [f"{file.name} has {len(present):,} rows, {rows.name} {len(wanted):,}"]
    if len(lacking):
        parts.append(f"ids that are missing ({len(lacking):,}): {some(lacking)}")
    if len(extra):
        parts.append(f"ids that do not belong ({len(extra):,}): {some(extra)}")
    parts += _lacking_tasks(rows, file)
    are_logs = _questions(rows) is not None and _questions(file) is not None
    if are_logs and len(lacking) and len(extra):
        pairs_so = f"{setting('id', SAMPLE_ID)} pairs so"
        parts.append(f"only if both logs number the same questions alike, {pairs_so}")
    text = "; ".join(parts)
    n_shared = len(wanted) - len(lacking)
    if _run_unequally(rows, file):
        text += "; items that were run unequally often are compared by `metrics: [pass@1]`"
    elif n_shared >= _MOSTLY_SHARED * min(len(wanted), len(present)):
        text += without_missing()
    raise Problem(file.place, text)


def _lacking_tasks(rows: Observations, file: Observations) -> list[str]:
    """Say which tasks one of two files lacks wholly."""
    if rows.tasks is None or file.tasks is None:
        return []
    of_rows = set(rows.tasks)
    of_file = set(file.tasks)
    texts = []
    if of_rows - of_file:
        texts.append(without_tasks(file.name, sorted(of_rows - of_file)))
    if of_file - of_rows:
        texts.append(without_tasks(rows.name, sorted(of_file - of_rows)))
    return texts


def _run_unequally(rows: Observations, file: Observations) -> bool:
    """Tell whether two models of an experiment have the same items, and other numbers of runs."""
    if not is_in_experiment() or rows.items is None or file.items is None:
        return False
    return set(rows.items.tolist()) == set(file.items.tolist())


def _as_texts(ids: NDArray[Any]) -> NDArray[Any]:
    """Return ids as texts, whatever they were."""
    return np.array(list(map(str, ids)), dtype=object)


def _unlike(
    rows: Observations,
    file: Observations,
    wrong: NDArray[np.bool_],
    what: str,
    says: Sequence[Callable[..., str]],
    hint: str = "",
) -> Problem:
    """Say of which rows two files differ, and write the first of them below each other."""
    says_of_rows, says_of_file = says
    shown = np.flatnonzero(wrong)[:_SHOWN].tolist()
    columns = [["id"], [rows.name], [file.name]]
    for row in shown:
        columns[0].append(str(rows.ids[row]))
        columns[1].append(says_of_rows(row))
        columns[2].append(says_of_file(row))
    # each column as wide as its longest cell
    lines = [""] * (len(shown) + 1)
    for cells in columns:
        width = max(map(len, cells))
        for number, cell in enumerate(cells):
            lines[number] += "  " + cell.ljust(width)
    text = ""
    for line in lines:
        text += f"\n  {line}".rstrip()
    return Problem(
        file.place,
        f"{wrong.sum():,} of {len(rows.ids):,} rows {what} than in {rows.name}{hint}; the first:"
        f"{text}",
    )


# --- questions of logs, which ids may stand for


class _Questions(NamedTuple):
    """The questions of rows, and those of a file in the same order and in its own."""

    own: pd.DataFrame
    paired_with: pd.DataFrame
    all_others: pd.DataFrame

    def unclear(self) -> NDArray[np.bool_]:
        """Tell of which pairs neither the text nor a beginning that no other has is the same."""
        unclear = self.own["id"] != self.paired_with["id"]
        for part in ("text", "beginning"):
            same = self.own[part] == self.paired_with[part]
            alone = self.own.groupby(part)["id"].transform("nunique") == 1
            unclear &= ~(same & alone)
        return unclear.to_numpy()


def _paired_questions(
    rows: Observations,
    file: Observations,
    position: Positions,
) -> _Questions | None:
    """Return the questions of two logs; None of other files."""
    own = _questions(rows)
    if own is None:
        return None
    others = _questions(file)
    if others is None:
        return None
    return _Questions(own, others.iloc[position].reset_index(drop=True), others)


def _questions(rows: Observations) -> pd.DataFrame | None:
    """Return the questions of a log and their parts, which ids stand for; None of other rows."""
    names = rows.records.names
    if "id" not in names or SAMPLE_ID not in names:
        return None
    shown = rows.records.column("id").astype(str)
    parts = shown.str.extract(QUESTION)
    if parts.isna().any(axis=None):  # a table of somebody's own may have columns of these names
        return None
    return parts.assign(id=parts["text"] + parts["facts"], shown=shown)


def _check_questions(rows: Observations, file: Observations, questions: _Questions) -> None:
    """Refuse rows of logs that are paired by other ids, but are about other questions."""
    own, paired_with, others = questions
    unlike = own["id"] != paired_with["id"]
    if not unlike.any():
        return
    has_other_text = own["text"] != paired_with["text"]
    # the question stands in the other log too, but in another row
    wrong = unlike & own["id"].isin(others["id"])
    wrong |= unlike & has_other_text & own["text"].isin(others["text"])
    says = (own["shown"].to_numpy().item, paired_with["shown"].to_numpy().item)
    if wrong.any():
        hint = _OWN_IDS
        if own["id"].isin(others["id"]).all():
            hint = "; leave the column of ids out, and logs pair by their questions"
        raise _unlike(
            rows,
            file,
            wrong.to_numpy(),
            "are another question",
            says,
            hint,
        )
    unclear = questions.unclear()
    if unclear.mean() > _FEW_UNCLEAR:
        what = "may be another question, which begins differently, or as others do,"
        raise _unlike(rows, file, unclear, what, says, _OWN_IDS)


def _doubts(rows: Observations, file: Observations, position: Positions) -> list[str]:
    """Say of how many pairs of two logs the questions do not tell that they are the same."""
    questions = _paired_questions(rows, file, position)
    if questions is None:
        return []
    unclear = questions.unclear()
    if not unclear.any():
        return []
    first = int(unclear.argmax())
    return [
        f"{unclear.sum():,} of {len(unclear):,} questions begin differently in {rows.name} and "
        f"{file.name} (first: id {rows.ids[first]}); they are paired by their ids."
    ]


# --- what files know of the rows


def carried(
    wanted: RowColumns,
    place: tuple[str | int, ...],
    files: Sequence[Observations],
    positions_by_file: Sequence[Positions],
) -> pd.DataFrame:
    """Take the columns of subgroups and metrics from the first file that has them."""
    frame = pd.DataFrame()
    names = set(wanted.taken)
    for subgroup in wanted.subgroups:
        names.add(subgroup.column)
    if wanted.tasks is not None:
        names.add(wanted.tasks)
    for file, at in zip(files, positions_by_file, strict=True):
        for column in sorted(names & set(file.records.names)):
            whole = to_frame(file.records.table.select([column]))[column]
            values = whole.iloc[at].reset_index(drop=True)
            if column in frame and not frame[column].equals(values):
                text = f"{file.name} has other values of {column!r} than the files before it"
                raise Problem(file.place, text)
            frame[column] = values
    for i, subgroup in enumerate(wanted.subgroups):
        if subgroup.column not in frame:
            raise Problem((*place, i), _no_subgroup(subgroup.column, files))
    return carry(frame, wanted, place)


def _no_subgroup(column: str, files: Sequence[Observations]) -> str:
    """Say that no file has a column, and which there are."""
    allowed: set[str] = set()
    file_names = set()
    for file in files:
        allowed.update(file.records.names)
        file_names.add(file.name)
    text = unknown("column", column, allowed)
    if len(file_names) != 1:
        return text
    return f"{files[0].name}: {text}"


def related(
    files: Sequence[Observations], positions_by_file: Sequence[Positions]
) -> dict[str, NDArray[Any]]:
    """Take the groups or times that files name."""
    by_role: dict[str, NDArray[Any]] = {}
    for file, at in zip(files, positions_by_file, strict=True):
        for role, values in file.related.items():
            first = by_role.setdefault(role, values[at])
            if not np.array_equal(first, values[at]):
                raise Problem(
                    file.records.at(role),
                    f"{file.name} differs from the files before it in the {role} of some rows",
                )
    if len(by_role) == 2:
        place = files[0].records.at("time")
        raise Problem(place, "groups and time cannot be combined: keep one of them")
    return by_role


def undeclared(files: Collection[Observations]) -> list[Mapping[str, Any]]:
    """List the columns of several files that look like ids of groups, where no file names one."""
    by_column = {}
    for file in files:
        if file.related:
            return []
        for facts in file.like_groups:
            by_column[facts["column"]] = facts
    return list(by_column.values())
