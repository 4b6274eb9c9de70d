"""Every experiment and every command of the documentation works, and prints what it says."""

import contextlib
import doctest
import re
import shlex
import shutil
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bakeoff.cli import main
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.spec import Experiment, load_experiment
from bakeoff.spec.judged import JudgedExperiment
from tests import judged_files
from tests.conftest import ROOT, Runner, called, once
from tests.logs import drawn, inspect, lm_eval, promptfoo

PAGES = [ROOT / folder / "README.md" for folder in ("", "config", "results")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"yaml", "python", "pycon", "text", "csv", "yml", "toml", "snakemake", "diagram"}
"""Of blocks; `text` is what the command above it prints, or the message about the YAML above it."""
LEFT_OUT = "..."
"""A line of a `text` block that stands for any lines."""
ELSEWHERE = ("make", "docker ", "apptainer ", "conda ", "pip ", "python3 ", ".venv/")
"""What installs or builds: the Makefile's targets and the images have tests of their own."""
PROGRAMS = ("bakeoff ", "snakemake ", *ELSEWHERE)
COMMAND = re.compile(rf"^    ((?:{'|'.join(map(re.escape, PROGRAMS))}).*)$", re.MULTILINE)
AWAY = {"--profile", "--executor", "--software-deployment-method"}
"""Options of what is tried by tests/cluster and tests/workflow: clusters, conda."""

MODEL = {"estimator": "sklearn.tree.DecisionTreeClassifier"}
BASE = {
    "experiment": "fragment",
    "datasets": {f"d{i}": {"source": "sklearn", "name": "iris"} for i in range(6)},
    "models": dict.fromkeys(("forest", "logistic", "tree"), MODEL),
    "resampling": {"cv_5x2": {}, "kfold": {}, "resampled": {}, "holdout": {}},
    "metrics": ["accuracy", "roc_auc"],
}


def named(page, line):
    return f"{page.relative_to(ROOT)}:{line}"


def blocks(kind):
    """Return what the pages show in a language."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            if block[1] == kind:
                place = named(page, text.count("\n", 0, block.start()) + 2)
                found.append(pytest.param(block[2], id=place))
    return found


def experiment_of(text):
    """Read an experiment of a page, or a fragment of one within a larger one."""
    block = yaml.safe_load(textwrap.dedent(text))
    if {"preferences", "judged"} & set(block):
        return JudgedExperiment.model_validate(block)
    keys = {field.alias or name for name, field in Experiment.model_fields.items()}
    if not set(block) <= keys:  # keys of a data set
        file = {"source": "file", "path": "d.csv", "target": "y"}
        block = {"datasets": {"d": {**file, **block}}}
    return load_experiment(block if "experiment" in block else {**BASE, **block})


REFUSED = re.compile(r"^```yaml\n([^`]*)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""An experiment, and what is said of it."""


def refused():
    """Return the experiments that the pages show with a message."""
    return [
        pytest.param(
            *found.groups(), id=named(page, page.read_text().count("\n", 0, found.start()))
        )
        for page in PAGES
        for found in REFUSED.finditer(page.read_text())
    ]


@pytest.mark.parametrize("text", blocks("yaml"))
def test_experiment_is_taken(text):
    if text in {param.values[0] for param in refused()}:
        return
    experiment = experiment_of(text)
    if "tests:" in text and "experiment:" not in text:
        assert plan_tests(experiment)[0] == []


@pytest.mark.parametrize(("text", "message"), refused())
def test_experiment_is_refused_as_is_said(text, message):
    problems = [str(problem) for problem in plan_tests(experiment_of(text))[0]]
    assert shows(message, "\n".join(problems), wrapped=True)


def shows(block, output, *, wrapped=False):
    """Tell whether a block of a page is all of an output, but for what it leaves out.

    A message is one line, which pages wrap.
    """
    parts = re.split(rf"^{re.escape(LEFT_OUT)}\n", block, flags=re.MULTILINE)
    if wrapped:
        output, parts = " ".join(output.split()), [" ".join(part.split()) for part in parts]
    else:
        output = "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
    return re.fullmatch(".*".join(map(re.escape, parts)), output, re.DOTALL) is not None


MISTAKE = re.compile(r"config/\S+\.yaml:\d+: ")
"""How the message about a file begins."""


def commands():
    """Return every command, and what the page says that it prints."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for line in COMMAND.finditer(text):
            following = COMMAND.search(text, line.end())
            end = following.start() if following else len(text)
            printed = filter(is_output, BLOCK.finditer(text, line.end(), end))
            shown = [block[2] for block in printed]
            place = named(page, text.count("\n", 0, line.start()) + 1)
            command = line[1].partition("  #")[0].strip()
            found.append(pytest.param(command, shown[0] if shown else "", id=place))
    return found


def is_output(block):
    """Tell whether a block is what a command prints, and no message about an experiment."""
    messages = {param.values[1] for param in refused()}
    return block[1] == "text" and block[2] not in messages and not MISTAKE.match(block[2])


def test_every_printed_output_is_compared():
    compared = {param.values[1] for param in commands()}
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text()):
            assert block[1] in LANGUAGES, f"{page.name}: a block says what it is: ```{block[1]}"
            assert not is_output(block) or block[2] in compared, block[2]


@pytest.fixture(scope="session")
def collected(tmp_path_factory):
    """Return the collected predictions of the default experiment, made once."""
    target = "results/breast-cancer/collected/breast_cancer.holdout.predictions.parquet"

    def collect(folder):
        experiment = yaml.safe_load((ROOT / "config/config.yaml").read_text())
        done = Runner(folder)(experiment, target)
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "collected", collect) / target


def run(folder, *arguments):
    """Return what `bakeoff run` prints as a program of its own."""
    return called(sys.executable, "-m", "bakeoff", "run", *arguments, cwd=folder).stdout


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Return a folder with the files that the documentation speaks of; not to be changed."""

    def write(folder):
        with contextlib.chdir(folder):
            _write_files()

    return once(tmp_path_factory, "documentation", write)


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    """Return a working folder with a copy of the files that the documentation speaks of."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "130")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mymetrics", raising=False)
    return tmp_path


def _write_files():
    shutil.copytree(ROOT / "config", "config")
    shutil.copytree(ROOT / "docs/gallery", "docs/gallery")
    shutil.copy("docs/gallery/demsar-2006.csv", ".")
    ranked = pd.read_csv("demsar-2006.csv").melt("dataset", var_name="framework")
    ranked.rename(columns={"dataset": "task", "value": "result"}).to_csv("results.csv", index=False)
    rng, ids = np.random.default_rng(0), np.arange(200)
    y = rng.choice(["no", "yes"], 200)
    numbers = {"id": ids, "a": rng.normal(size=200), "b": rng.random(200)}
    _save("data.csv", **numbers, y=y)
    _save("data/loans.csv", **numbers, defaulted=y)
    _save("config/pets.csv", image=ids, a=numbers["a"], b=numbers["b"], animal=y)
    guesses = {m: np.where(rng.random(200) < 0.8, y, "no") for m in ("resnet", "vit", "mixer")}
    _save("predictions.csv", y_true=y, **guesses)
    risks = {m: np.clip(rng.normal(0.5 + 0.2 * (y == "yes"), 0.2), 0, 1) for m in ("old", "new")}
    columns = {f"{m}:{c}": p if c == "yes" else 1 - p for m, p in risks.items() for c in set(y)}
    _save("risks.csv", y_true=y, **columns)
    runs = {"env": np.repeat(["maze", "race"], 5), "seed": np.tile(np.arange(1, 6), 2)}
    runs |= {"small": rng.normal(1, 0.1, 10), "large": rng.normal(1.1, 0.1, 10)}
    _save("environments.csv", **runs)
    _save("runs.csv", seed=runs["seed"][:5], small=runs["small"][:5], large=runs["large"][:5])
    patients = ids // 5
    values = {"small": rng.random(200), "large": rng.random(200)}
    _save("losses.csv", id=ids, patient=patients, site=patients % 2, **values)
    for model in ("large", "small"):
        _save(f"{model}.csv", id=ids, value=(rng.random(200) < 0.8).astype(int))
    bases = {"old": "resnet", "new": "vit", "resnet-retrained": "vit"}
    for model, guess in (guesses | {name: guesses[base] for name, base in bases.items()}).items():
        _save(f"{model}.csv", id=ids, y_true=y, y_pred=guess)
    for model, noise in (("ridge", 6), ("forest", 4)):
        _save(f"{model}.csv", id=ids, y_true=30.5 + ids, y_pred=rng.normal(30 + ids, noise))
    Path("mymetrics.py").write_text(
        "def gain(truth, said): return (said == truth).mean()\n"
        "def harm(truth, risk): return ((truth == 'yes') * (1 - risk)).mean()\n"
    )
    _write_logs()
    judged_files.write_all()
    shutil.copy("config/attrition.yaml", "leavers.yaml")
    Path("config/mine.yaml").write_text(
        "experiment: mine\n"
        "datasets: {pets: {source: file, path: pets.csv, target: animal, id: image}}\n"
        "models: {tree: {estimator: sklearn.tree.DecisionTreeClassifier}}\n"
        "resampling: {holdout: {}}\n"
    )


def _save(file, **columns):
    Path(file).parent.mkdir(exist_ok=True)
    pd.DataFrame(columns).to_csv(file, index=False)


def _write_logs():
    for seed, (model, p) in enumerate({"gpt-4o": 0.8, "gpt-4o-mini": 0.7}.items()):
        inspect(f"logs/{model}.json", model, drawn(50, p, seed))
        for task in ("gsm8k", "mmlu"):
            lm_eval(model, task, drawn(50, p, seed), out="lm_eval_output")
        for run in range(5):
            inspect(f"runs/{model}-{run}.json", model, drawn(50, p, 2 + 2 * run + seed))
        promptfoo(f"{('old', 'new')[seed]}.json", {model: drawn(50, p, seed)[::2]})


@pytest.mark.parametrize(("command", "printed"), commands())
def test_command_works_and_prints_what_is_said(command, printed, folder, request, capsys):
    if command.startswith(ELSEWHERE):
        return
    program, *arguments = shlex.split(command)
    if AWAY & {*arguments}:
        return
    assert program == "bakeoff"
    if "results/breast-cancer" in command:
        target = Path(next(a for a in arguments if a.startswith("results/")))
        target.parent.mkdir(parents=True)
        shutil.copy(request.getfixturevalue("collected"), target)
    if "config/penguins.yaml" in arguments:  # which the command above it wrote
        assert main(["init", "config/data/penguins.csv", "--target", "target"]) == 0
        capsys.readouterr()
    if "--truth" in arguments:  # the column that the example names
        frame = pd.read_csv("predictions.csv")
        frame = frame.rename(columns={"y_true": arguments[arguments.index("--truth") + 1]})
        frame.to_csv("predictions.csv", index=False)
    if arguments[0] == "run":  # what it prints at its end is compared below
        if Path(arguments[1]).parent == Path():  # of the user's own: here a small one
            small = Path("config/mine.yaml").read_text().replace("pets.csv", "config/pets.csv")
            Path(arguments[1]).write_text(small)
        if len(arguments) == 2:  # what a run looks for before its first job
            arguments[0] = "check"
            printed = ""
        else:
            run(folder, *arguments[1:], "-n")
            return
    if arguments[0] == "init":
        for file in ("config/mine.yaml", "leavers.yaml"):
            Path(file).unlink()
    # a gate's exit code is its answer; 3 is a mistake
    fine = (0, 1, 2) if arguments[0] == "gate" else (0,)
    assert main(arguments) in fine, capsys.readouterr().err
    assert not printed or shows(printed, capsys.readouterr().out)


def test_the_files_of_the_readme_are_there(tmp_path, monkeypatch):
    """In a checkout, and in the folder that `bakeoff init --folder` lays out."""
    text = (ROOT / "README.md").read_text()
    checkout, _, installed = text.partition("## Installation")
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--folder", "study"]) == 0
    assert "    cd study\n" in installed
    made = {"config/penguins.yaml"}  # by `bakeoff init`, the command above those that name it
    for block, folder in ((checkout, ROOT), (installed, tmp_path / "study")):
        lines = re.findall(r"^    (?:bakeoff|snakemake) .*$", block, re.MULTILINE)
        named = [a for line in lines for a in shlex.split(line.partition("  #")[0])]
        files = {a for a in named if Path(a).suffix in (".csv", ".yaml")} - made
        assert files
        assert all((folder / file).is_file() for file in files), files


@pytest.mark.parametrize("text", blocks("python"))
def test_python_runs(text, folder):
    y = np.array(["no", "yes"] * 30)
    other = np.where(np.arange(60) < 8, "no", y)
    names = {"y": y, "predictions_a": y, "predictions_b": other}
    exec(compile(text, "page", "exec"), names)


@pytest.mark.parametrize("page", [p for p in PAGES if "```pycon" in p.read_text()], ids=str)
def test_python_works_and_prints_what_is_said(page, folder, finished_copy, monkeypatch):
    """The examples of a page run one after the other, beside the results of a small experiment."""
    monkeypatch.setenv("COLUMNS", "1000")
    Path("experiment.yaml").replace("config/attrition.yaml")
    Path("results/attrition").symlink_to(finished_copy.results())
    blocks = (block[2] for block in BLOCK.finditer(page.read_text()) if block[1] == "pycon")
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, None, None)
    told = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.append)
    assert not told, "".join(told)
    assert test.examples


RUNS = [
    param for param in commands() if param.values[0].startswith("bakeoff run") and param.values[1]
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "printed"), RUNS)
def test_run_ends_as_is_said(command, printed, tmp_path):
    (tmp_path / "config").symlink_to(ROOT / "config")
    config = shlex.split(command)[2]
    if not (ROOT / config).exists():  # a page shows it
        name = f"experiment: {Path(config).stem}\n"
        shown = (param.values[0] for param in blocks("yaml"))
        (tmp_path / config).write_text(next(text for text in shown if text.startswith(name)))
    assert shows(printed, run(tmp_path, config, "--cores", "2"))


def test_message_of_the_readme(folder, capsys):
    blocks_of_text = (block.values[0] for block in blocks("text"))
    (shown,) = filter(MISTAKE.match, blocks_of_text)
    file = Path("config/attrition.yaml")
    file.write_text(file.read_text().replace("n_estimators", "n_estimator"))
    assert main(["check", str(file)]) != 0
    assert shows(shown, capsys.readouterr().err, wrapped=True)
