"""`bakeoff run` and `check` of a YAML file about a judged evaluation."""

from __future__ import annotations

from bakeoff.api.judged_runs import answer_of_experiment, run_judged
from bakeoff.cli.terminal import bold, say, say_paragraphs
from bakeoff.paths import Paths
from bakeoff.report.numbers import paragraph
from bakeoff.spec.judged import read_judged_experiment


def run_file(path: str) -> None:
    """Answer the file, write its results, and say where they are."""
    lines = run_judged(path).verdict.splitlines()
    say("", bold(paragraph(lines[0])))
    say_paragraphs(lines[1:])
    say("")
    experiment = read_judged_experiment(path)
    say(f"Report: {Paths.of_experiment(experiment.experiment).root}/report.html")


def check_file(path: str) -> None:
    """Read the files, and say what would be compared, without writing anything."""
    experiment = read_judged_experiment(path)
    answer = answer_of_experiment(experiment, path)
    what = "battles"
    if experiment.judged is not None:
        what = "marks of a judge and of people"
        if experiment.judged.of is not None:
            what = "an evaluation that still runs"
    say(f"{experiment.experiment}: {what} in {', '.join(experiment.files)}")
    names = []
    for model in answer.facts["models"]:
        # a model is its name, or what is known of it
        if not isinstance(model, str):
            model = model["model"]
        names.append(model)
    say(paragraph(f"Models: {', '.join(names)}; level {experiment.alpha:g}."))
    say_paragraphs(answer.notes)
    say(f"`bakeoff run {path}` writes {Paths.of_experiment(experiment.experiment).root}/.")
