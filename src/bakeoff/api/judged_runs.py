"""A YAML file about a judged evaluation, answered and written to the folder of its results."""

from __future__ import annotations

from pathlib import Path

from bakeoff.api.judged import look_at_files, marks_of_files
from bakeoff.api.judged_findings import JudgedFindings
from bakeoff.api.preferences import answer_of_battles, columns_named
from bakeoff.data.battles import read_battles
from bakeoff.data.open_table import PLAIN
from bakeoff.errors import Problem
from bakeoff.files import write_texts
from bakeoff.paths import Paths
from bakeoff.report.judged.answer import Answer
from bakeoff.report.judged.looks import answer_of_look
from bakeoff.report.judged.marks import answer_of_marks
from bakeoff.report.tables import numbers_to_csv, to_csv
from bakeoff.spec.judged import JudgedExperiment, read_judged_experiment
from bakeoff.spec.load import report_problems


def run_judged(path: str | Path) -> JudgedFindings:
    """Answer a YAML file about a judged evaluation, and write the results."""
    experiment = read_judged_experiment(path)
    answer = answer_of_experiment(experiment, path)
    write_texts(_files_of(answer, Path(Paths.of_experiment(experiment.experiment).root)))
    return JudgedFindings(answer)


def answer_of_experiment(experiment: JudgedExperiment, path: str | Path) -> Answer:
    """Return the answer; what is wrong is said with the line of its key."""
    options = experiment.options
    command = f"bakeoff run {path}"
    try:
        if experiment.preferences is not None:
            battles = read_battles(experiment.preferences, PLAIN, columns_named(options))
            return answer_of_battles(battles, experiment.models, experiment.alpha, command)
        if options["human"] is not None:
            return answer_of_marks(marks_of_files(options), command)
        return answer_of_look(look_at_files(options), command)
    except Problem as problem:
        raise report_problems([problem], path) from None


def _files_of(answer: Answer, folder: Path) -> dict[Path, str]:
    """Return the files of the results: page, verdict, tables and figures."""
    texts = {
        folder / "report.html": answer.html,
        folder / "report.md": answer.brief,
        folder / "verdict.txt": "\n".join(answer.lines) + "\n",
        folder / "comparisons.json": answer.json + "\n",
    }
    for name, table in answer.tables.items():
        texts[folder / "tables" / f"{name}.csv"] = to_csv(table)
    for name, picture in answer.pictures.items():
        texts[folder / "figures" / f"{name}.svg"] = picture
        texts[folder / "figures" / f"{name}.csv"] = numbers_to_csv(answer.drawing(name))
    return texts
