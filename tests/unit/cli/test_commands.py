"""The command `bakeoff`: what it prints is what the library computes; mistakes are one message."""

import re
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bakeoff import __version__
from bakeoff.cli import COMMANDS, main
from bakeoff.cli.init import look
from bakeoff.cli.terminal import table
from bakeoff.comparisons.settings import allowed_options
from bakeoff.data import load_table, open_table
from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.spec import read_experiment
from bakeoff.stats import McNemarPower, catalogue
from tests import broken_input
from tests.conftest import ROOT, called


@pytest.fixture
def wide(in_folder):
    rng = np.random.default_rng(3)
    truth = rng.choice(["cat", "dog"], 200)
    other = np.where(truth == "cat", "dog", "cat")
    columns = {
        name: np.where(rng.random(200) < rate, truth, other)
        for name, rate in (("Résnet 50", 0.95), ("vit", 0.88), ("mixer", 0.8))
    }
    frame = pd.DataFrame({"id": range(200), "label": truth, **columns})
    frame.to_csv("preds.csv", index=False)
    return frame


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("nowhere.csv", "no file at 'nowhere.csv'"),
        ("preds.csv --truth lable", "truth: 'preds.csv': unknown column 'lable'; did yo"),
        ("preds.csv --id ids", "id: 'preds.csv': unknown column 'ids'; did you mean 'id"),
        ("preds.csv --models vit", "has 1 column of predictions"),
        ("preds.csv --models vit,mixr", "models: unknown model 'mixr'; did you mean 'mi"),
        ("preds.csv --correction holms", "correction: unknown value 'holms'; did you"),
        ("preds.csv correct.csv", "predicted: 'preds.csv' has neither predicted"),
        ("preds.csv preds.csv", "the same file is given twice"),
        ("correct.csv", "'correct.csv': `vit` is no model? There is no class (cat, dog) in it"),
        ("repeated.csv", "ids must be unique; repeated (1): 0"),
        ("notruth.csv", "truth: 'notruth.csv' has no column of true labels"),
        (
            "unlabelled.csv",
            "3 of 200 rows have no true label … `--set missing_target=drop` leaves them",
        ),
        ("preds.csv --set predicted=vit", "predicted: is for one table per model"),
        ("--counts 1,2,3", "counts: found '1,2,3', expected four whole numbers"),
        ("--counts 0,0,0,0", "counts: expected 1 to 10,000,000 rows, found 0"),
        ("--counts 1,2,3,4 --models a", "models: expected 2 different names, for A, B"),
        ("preds.csv --metrc f1", "unknown option '--metrc'; did you mean '--metrics'?"),
        ("preds.csv --unit=kg", "unit: write `--set unit=TEXT`"),
        ("preds.csv --set unitt=kg", "set: unknown key 'unitt'; did you mean 'unit'?"),
        ("preds.csv --set unit", "set: found 'unit', expected KEY=VALUE"),
        ("preds.csv --set independent_rows=1", "found '1', expected true or false"),
        ("preds.csv --set missing_target=keep", "missing_target: unknown value 'ke"),
        ("preds.csv --counts 1,2,3,4", "--counts stands in place of files"),
        ("", "expected a file, or --counts"),
        ("preds.csv --set variant=exakt", "unknown value 'exakt'; did you mean 'exact'?"),
        ("preds.csv --set costs=nowhere.yaml", "costs: nowhere.yaml: cannot be read"),
        ("preds.csv --set costs=bomb.yaml", "bomb.yaml:7:5: not valid YAML: aliases (*) make"),
        ("preds.csv --set variant=exact --metric f1", "variant: it is of McNemar's"),
        ("preds.csv --correction max-t", "; use 'holm'\n"),
        ("preds.csv --set costs=wrong.yaml", "the class 'dog' of preds.csv has no row"),
    ],
)
def test_mistake_in_compare(refused, wide, options, expected):
    Path("wrong.yaml").write_text("classes: [cat, cow]\nmatrix: [[0, 1], [5, 0]]\n")
    lists = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    Path("bomb.yaml").write_text("\n".join(["a0: &a0 [1, 1]", *lists, "classes: *a8"]))
    files = {
        "correct": wide.assign(vit=(wide["vit"] == wide["label"]).astype(int)),
        "repeated": wide.assign(id=0),
        "notruth": wide.rename(columns={"label": "what it is"}),
        "unlabelled": wide.assign(label=wide["label"].where(wide.index > 2)),
    }
    for name, frame in files.items():
        frame.to_csv(f"{name}.csv", index=False)
    refused("compare", *options.split(), said=expected)


def test_what_was_refused_can_be_allowed(bakeoff, wide, answered):
    wide.assign(vit=wide["vit"].where(wide.index > 2, "kitten")).to_csv("kitten.csv", index=False)
    assert bakeoff("compare", "kitten.csv", "--set", "classes=kitten")[0] == 0
    wide[wide.index > 2].to_csv("known.csv", index=False)
    wide.assign(label=wide["label"].where(wide.index > 2)).to_csv("some.csv", index=False)
    expected = answered("compare", "known.csv")["comparisons"]
    found = answered("compare", "some.csv", "--set", "missing_target=drop")["comparisons"]
    assert found == expected
    _, out, _ = bakeoff("compare", "some.csv", "--set", "missing_target=drop")
    assert "3 rows without a true label left out." in out


def test_models_have_other_names_and_labels_against_probabilities_are_noted(bakeoff, wide):
    for model in ("vit", "mixer"):
        own = wide[["id", "label", model]].rename(columns={model: "says"})
        own["p_cat"] = (own["says"] == ("cat" if model == "mixer" else "dog")) * 0.4 + 0.3
        own.to_csv(f"{model}.csv", index=False)
    line = "compare vit.csv mixer.csv --set predicted=says --models A,B"
    _, out, _ = bakeoff(*line.split())
    assert "A: in 200 of 200 rows the predicted label is not the class of the largest" in out
    assert "B: in" not in out


def test_every_test_is_listed_and_explained(bakeoff, refused):
    refused("tests", "mcnemer", said="unknown test 'mcnemer'; did you mean 'mcnemar'?")
    _, listed, _ = bakeoff("tests")
    for name, entry in catalogue().items():
        assert f"  {name} " in listed
        code, out, _ = bakeoff("tests", name)
        assert code == 0
        assert entry.title in out
        assert entry.citation in out
        (options,) = re.findall(r"options +(.*(?:\n {17}.*)*)", out)
        assert set(re.findall(r"\w+", options)) == set(allowed_options(entry))


def test_check_says_which_difference_can_be_detected(bakeoff, monkeypatch):
    monkeypatch.chdir(ROOT)
    code, out, _ = bakeoff("check", "config/attrition.yaml")
    (line,) = (x for x in out.split("Smallest")[1].splitlines() if x.startswith("  mcnemar"))
    plan = McNemarPower(discordance=0.1, calculation="normal").solve(n=441, power=0.8)
    assert (code, f" {plan.difference * 100:.1f} " in line) == (0, True)


def test_check_plans_no_power_that_the_level_alone_gives(bakeoff, in_folder, tiny):
    tiny["tests"] = {"run": ["mcnemar"], "options": {"mcnemar": {"alpha": 0.85, "versus": "bayes"}}}
    tiny["models"].pop("stump")
    Path("tiny.yaml").write_text(yaml.safe_dump(tiny))
    code, out, _ = bakeoff("check", "tiny.yaml")
    assert (code, "Smallest difference" in out) == (0, False)


# --- init


def write_table(rows=60):
    rng = np.random.default_rng(0)
    target = np.where(np.arange(rows) % 2, "yes", "no")
    return pd.DataFrame(
        {
            "customerID": [f"c{i:04}" for i in range(rows)],
            "age": rng.integers(18, 80, rows),
            "city": rng.choice(["Bern", "Graz"], rows),
            "country: code, #1": "CH",
            "answer": np.where(target == "yes", 1, 0),
            "left": target,
        }
    )


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("lefft", "target: unknown column 'lefft'; did you mean 'left'?"),
        ("country: code, #1", "has 1 class with 4 rows or more"),
        ("nothing", "every value of 'nothing' is missing"),
    ],
)
def test_mistake_in_init(refused, in_folder, target, expected):
    frame = write_table().assign(weight=np.linspace(1, 2, 60), nothing=np.nan)
    frame.to_csv("t.csv", index=False)
    refused("init", "t.csv", "--target", target, said=expected)


def test_init_leaves_out_columns_of_lists_and_mappings(written, bakeoff, refused):
    frame = write_table().drop(columns="answer")
    frame = frame.assign(
        tags=[["x"] * (i % 3) for i in range(60)], meta=[{"k": i} for i in range(60)]
    )
    frame.to_json("t.jsonl", orient="records", lines=True)
    data = written("t.jsonl")
    assert {"tags", "meta"} <= set(data["drop"])
    assert bakeoff("check", "e.yaml")[0] == 0
    refused("init", "t.jsonl", "--target", "tags", said="holds lists or mappings")


@pytest.fixture
def written(bakeoff, in_folder):
    """Write an experiment of a table, and return its entry of the data set."""

    def init(name, *options):
        Path("e.yaml").unlink(missing_ok=True)
        code, _, err = bakeoff("init", name, "--target", "left", "-o", "e.yaml", *options)
        assert (code, err) == (0, "")
        read_experiment("e.yaml")
        (data,) = yaml.safe_load(Path("e.yaml").read_text())["datasets"].values()
        return data

    return init


def maybe(frame):
    """Add two rows of a class that cannot be divided, and one without a class."""
    left = frame["left"].where(frame.index > 1, "maybe").where(frame.index != 3)
    return frame.assign(left=left)


def classes(first, *names):
    """Let so many rows be of the first class, and all others of the second."""
    return lambda t: t.assign(left=np.where(t.index < first, *names))


def of_patients(each):
    return lambda frame: frame.assign(patient_id=np.resize(each, len(frame)))


UNEVEN = np.r_[np.zeros(100, int), np.repeat(np.arange(1, 11), 2)]
DAYS = pd.date_range("2024-01-01", periods=120).strftime("%Y-%m-%d")


@pytest.mark.parametrize(
    ("change", "wanted", "said"),
    [
        (
            lambda t: t.assign(answer=np.where(t["left"] == "yes", 1, 0)),
            {"id": "customerID", "drop": ["country: code, #1", "answer"]},
            "metrics: [accuracy",
        ),
        (maybe, {"classes": ["no", "yes"], "missing_target": "drop"}, "have fewer than 4 rows"),
        (
            lambda t: t.assign(age=t["age"].astype(str).where(t.index % 9 > 0, "?")),
            {"missing_values": ["?", "NA", "N/A", "NaN", "nan", "null", "None"]},
            'missing_values: ["?"',
        ),
        (of_patients(np.arange(120) // 3), {"groups": "patient_id"}, "guessed: an id that repeats"),
        (of_patients(UNEVEN), {"groups": None}, ""),
        (lambda t: t.assign(seen=DAYS), {"time": None}, "# time: seen"),
        (lambda t: t.assign(left=np.arange(120) % 7), {"positive": None}, "metrics: [accuracy"),
        (classes(16, "True", "False"), {"positive": "True"}, "metrics: [roc_auc, average"),
        (classes(18, "yes", "no"), {}, "metrics: [roc_auc, average_precision, balanced_acc"),
        (classes(19, "yes", "no"), {}, "metrics: [balanced_accuracy, average"),
        (classes(90, "0", "1"), {"positive": "1"}, ""),
        (classes(90, "positive", "negative"), {"positive": "positive"}, ""),
        (classes(90, "2", "1"), {"positive": "2"}, ""),
        (classes(24, "yes", "no"), {}, "metrics: [accuracy, balanced"),
        (classes(23, "yes", "no"), {}, "metrics: [balanced_accuracy, average"),
        (classes(6, "yes", "no"), {}, "holdout: {test_size: 0.5}"),
        (classes(7, "yes", "no"), {}, "holdout: {test_size: 0.3}"),
    ],
)
def test_init_writes_what_it_finds(written, change, wanted, said):
    change(write_table(120).drop(columns="answer")).to_csv("t.csv", index=False)
    data = written("t.csv")
    assert {key: data.get(key) for key in wanted} == wanted
    assert said in Path("e.yaml").read_text()
    assert check_experiment(read_experiment("e.yaml"))[0] == []


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("target", ["two", "three", "rare", "number"])
def test_check_says_nothing_against_the_tests_that_init_chooses(bakeoff, written, target, grouped):
    rows = np.arange(600)
    answers = {
        "two": np.where(rows % 3, "no", "yes"),
        "three": np.array(["a", "b", "c"])[rows % 3],
        "rare": np.where(rows < 590, "a", np.where(rows % 2, "b", "c")),
        "number": np.random.default_rng(1).normal(size=600).round(3),
    }
    table = write_table(600).drop(columns="answer").assign(left=answers[target])
    table = of_patients(rows * 7 % 150)(table) if grouped else table
    table.to_csv("t.csv", index=False)
    assert written("t.csv").get("groups") == ("patient_id" if grouped else None)
    code, out, err = bakeoff("check", "e.yaml")
    assert (code, err) == (0, "")
    assert "Caution" not in out


@pytest.mark.parametrize("options", [(), ("--set", "encoding=latin-1")])
def test_init_reads_other_encodings(written, options):
    frame = write_table()
    frame["city"] = frame["city"].replace("Graz", "Münster")
    frame.to_csv("1.csv", index=False, encoding="latin-1")
    assert written("1.csv", *options)["encoding"] == ("latin-1" if options else "cp1252")
    assert list(read_experiment("e.yaml").datasets) == ["1"]


@pytest.mark.parametrize(("text", "sep"), [("{},5", ";"), ('"1,{:03}"', ",")])
def test_init_reads_decimal_commas_and_no_thousands_as_such(written, in_folder, text, sep):
    rows = [f"{text.format(i % 30)}{sep}{'no' if i % 2 else 'yes'}" for i in range(60)]
    (in_folder / "t.csv").write_text(f"x{sep}left\n" + "\n".join(rows) + "\n")
    assert written("t.csv").get("decimal") == ("," if sep == ";" else None)
    table = load_table("t", read_experiment("e.yaml").datasets["t"], 1)
    if sep == ";":
        assert table.frame["x"].mean() == pytest.approx(15)
    else:
        assert table.card["features"]["x"]["remark"][0] == "numbers"


def test_init_writes_over_nothing(refused, in_folder):
    write_table().to_csv("t.csv", index=False)
    (in_folder / "t.yaml").write_text("mine")
    refused("init", "t.csv", "--target", "left", said="t.yaml is there already")
    assert (in_folder / "t.yaml").read_text() == "mine"
    (in_folder / "link.yaml").symlink_to("t.csv")
    for output in ("t.csv", "link.yaml"):
        before = (in_folder / "t.csv").read_bytes()
        options = ["--target", "left", "--output", output]
        said = f"output: '{output}' is read from; name another file"
        refused("init", "t.csv", *options, said=said)
        assert (in_folder / "t.csv").read_bytes() == before


# --- what it guesses of a table


def tabled(folder, **columns):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=600), **columns})
    frame.to_csv(folder / "t.csv", index=False)
    return str(folder / "t.csv")


def test_labels_that_read_like_missing_values_are_labels(tmp_path):
    path = tabled(tmp_path, out=np.resize(["None", "Severe", "Severe"], 600), z=["?", "1.5"] * 300)
    frame, keys = open_table.guess(path, "out", {})
    assert "None" not in keys["missing_values"]
    assert "?" in keys["missing_values"]
    guess = look(frame, "out")
    assert guess.counts == {"Severe": 400, "None": 200}
    assert guess.unlabelled == 0


def test_labels_that_may_be_missing_beside_two_classes_are_asked_for(tmp_path):
    path = tabled(tmp_path, out=np.resize(["a", "b", "NA"], 600))
    with pytest.raises(UserError, match="missing_values: 'out' is 'NA' in 200 of 600 rows"):
        open_table.guess(path, "out", {})
    for missing, unlabelled, classes in (([], 0, 3), (["NA"], 200, 2)):
        found = look(open_table.guess(path, "out", {"missing_values": missing})[0], "out")
        assert (found.unlabelled, len(found.counts)) == (unlabelled, classes)
    path = tabled(tmp_path, out=np.resize(["a", "", "a"], 600))
    with pytest.raises(UserError, match=r"1 class .* and 200 rows without a label"):
        look(open_table.guess(path, "out", {})[0], "out")


@pytest.mark.parametrize("name", ["t.parquet", "t.csv.parquet", "old.csvs/t.parquet"])
def test_punctuation_is_guessed_of_text_files_alone(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    frame = pd.DataFrame({"z": ["?", "1,5"] * 20, "out": ["a", "b"] * 20})
    frame.to_parquet(tmp_path / name)
    assert open_table.guess(str(tmp_path / name), "out", {})[1] == {}
    frame.to_csv(tmp_path / "t.csv", sep=";", index=False)
    frame.to_csv(tmp_path / "t.txt", sep="\t", index=False)
    for path, how in (("t.csv", {}), ("t.csv", {"format": "csv"}), ("t.txt", {"format": "tsv"})):
        keys = open_table.guess(str(tmp_path / path), "out", how)[1]
        assert (keys["decimal"], keys["missing_values"][0]) == (",", "?")


def test_an_id_that_is_a_date_is_an_id_and_a_running_number_none(tmp_path):
    days = pd.date_range("2020-01-01", periods=600).strftime("%Y-%m-%d")
    columns = {"sample_id": days, "nr": np.tile(np.arange(1, 151), 4), "day": days}
    path = tabled(tmp_path, out=["a", "b"] * 300, **columns)
    guess = look(open_table.guess(path, "out", {})[0], "out")
    assert (guess.id, guess.groups) == ("sample_id", None)
    assert "sample_id" not in guess.drop
    assert guess.dates == {"day": []}
    assert guess.drop["nr"] == "a running number"


# --- what `run` hands to snakemake, and a folder that works


@pytest.fixture
def study(in_folder):
    Path("study.yaml").touch()


def started(monkeypatch, *arguments):
    lines = []
    monkeypatch.setattr("bakeoff.cli.os.execv", lambda _, line: lines.append(line))
    main(["run", *arguments])
    return lines[0][5:]


FILE = ["--configfile", "study.yaml"]


@pytest.mark.parametrize(
    ("given", "handed"),
    [
        (["study.yaml"], []),
        (["study.yaml", "--cores", "2"], ["--cores", "2"]),
        (["-c", "3", "study.yaml", "-n"], ["--cores", "3", "-n"]),
        (["study.yaml", "--jobs", "4"], ["--jobs", "4"]),
        (["study.yaml", "--forcerun", "compare"], ["--forcerun", "compare"]),
        (["study.yaml", "-d", "there"], ["-d", "there"]),
        (["study.yaml", "--dry"], ["--dry"]),
    ],
)
def test_unknown_options_go_to_snakemake_unchanged(study, monkeypatch, given, handed):
    assert started(monkeypatch, *given) == [*handed, *FILE]


def test_profile_says_how_many_jobs(study, monkeypatch):
    line = started(monkeypatch, "study.yaml", "--profile", "slurm")
    assert (line[0], Path(line[1]).name) == ("--profile", "slurm")
    assert "--cores" not in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run no.yaml", "no.yaml is not there"),
        ("run broken.yaml", "broken.yaml:2:1: not valid YAML: "),
        ("check study.yaml --forcerun x", "unknown option '--forcerun'"),
        ("check e.yaml", "e.yaml: … metrics[0]: unknown metric 'acuracy'; did you mean 'accuracy'"),
        ("init --folder .", "folder: . is not empty"),
        ("init --folder study.yaml", "study.yaml cannot be made"),
        ("init", "give a table and its --target, or for a folder with an example --folder"),
        ("init mine.csv", "no file at 'mine.csv'"),
        ("init --folder mine --target y", "folder: an example is laid out; leave the table"),
        ("init mine.csv --folder mine", "folder: an example is laid out; leave the table"),
    ],
)
def test_mistakes_end_with_2(study, refused, words, said):
    Path("broken.yaml").write_text("models: {a: [\n")
    shipped = (ROOT / "config/config.yaml").read_text()
    Path("e.yaml").write_text(shipped.replace("accuracy", "acuracy", 1))
    refused(*words.split(), said=said)
    assert not Path("mine").exists()


def test_new_folder_holds_a_study_that_is_ready(study, capsys):
    assert main(["init", "--folder", "mine"]) == 0
    assert "mine/ is ready: cd mine && bakeoff run experiment.yaml" in capsys.readouterr().out
    found = {p.relative_to("mine").as_posix() for p in Path("mine").rglob("*") if p.is_file()}
    assert found == {
        *(".gitignore", "README.md", "data/.gitkeep", "experiment.yaml"),
        "predictions.csv",
    }
    shipped = ROOT / "config/data/predictions.csv"
    assert Path("mine/predictions.csv").read_bytes() == shipped.read_bytes()
    assert f"bakeoff=={__version__}" in Path("mine/README.md").read_text()
    problems, chosen = check_experiment(read_experiment("mine/experiment.yaml"))
    assert not problems
    assert chosen


# --- the rest


def test_version_and_help(bakeoff):
    assert bakeoff()[:2] == bakeoff("--help")[:2]
    assert bakeoff("--version")[:2] == (0, f"bakeoff {__version__}\n")
    code, out, _ = bakeoff("--help")
    assert code == 0
    for command in COMMANDS:
        assert command in out
        code, said, _ = bakeoff(command, "--help")
        assert code == 0
        assert re.search(rf"\nexamples?:\n(.*\n)*?  bakeoff {command}\b", said), command


DEEP = {"pandas", "numpy", "sklearn", "scipy", "matplotlib", "pydantic", "pyarrow", "yaml"}
SLOW = {"sklearn", "scipy.stats", "scipy.optimize", "scipy.fft", "matplotlib"}


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("bakeoff.__version__; bakeoff.cli.make_parser()", DEEP),
        ("import bakeoff.cli.compare", SLOW),
    ],
)
def test_commands_load_nothing_before_they_need_it(code, absent):
    done = called(sys.executable, "-c", f"import sys, bakeoff.cli; {code}; print(*sys.modules)")
    assert not absent & set(done.stdout.split())
    assert done.stderr == ""


def test_a_narrow_table_drops_what_matters_least(monkeypatch):
    head = ("name", "only A right", "p", "adjusted p")
    made = partial(table, head, [("model", "12", ".003", ".03")], "lrrr", [("p",), ("name",)])
    for columns, shown in (
        ("40", "  name   only A right     p  adjusted p\n  model            12  .003         .03"),
        ("34", "  name   only A right  adjusted p\n  model            12         .03"),
        ("5", "  only A right  adjusted p\n            12         .03"),
    ):
        monkeypatch.setenv("COLUMNS", columns)
        assert "\n".join(made()) == shown


@pytest.mark.parametrize("command", [["tests"], ["gate", __file__, "--margin", "0.1"]])
def test_an_interrupt_ends_in_a_word(command, monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("bakeoff.cli.import_module", interrupted)
    assert main(command) == 130
    assert capsys.readouterr().err == "interrupted\n"


GATE = "gate config/data/predictions.csv --models old,new --margin 0.1"
FULL, CLOSED = "No space left on device", "stdout is closed"


@pytest.mark.parametrize(
    ("command", "code", "said", "unbuffered"),
    [
        (f"{GATE} >/dev/full", 3, FULL, ""),
        (f"{GATE} >&-", 3, CLOSED, ""),
        (f"{GATE} >&- 2>&-", 3, None, ""),
        (f"{GATE} 2>&-", 0, None, ""),
        # a full disk takes both, and 1 would be a decision
        (f"{GATE} >/dev/full 2>&1", 3, None, ""),
        (f"{GATE} >/dev/full 2>&1", 3, None, "1"),
        ("gate nowhere.csv --margin 0.1 2>/dev/full", 3, None, "1"),
        ("gate --nothing 2>/dev/full", 3, None, ""),
        ("gate --nothing 2>/dev/full", 3, None, "1"),
        ("tests mcnemar >/dev/full", 2, FULL, "1"),
        ("--help >/dev/full", 2, FULL, ""),
        ("--help >/dev/full", 2, FULL, "1"),
        ("run x.yaml >&-", 2, CLOSED, ""),
        ("run x.yaml >&-", 2, CLOSED, "1"),
    ],
)
def test_output_that_cannot_be_written_is_told(command, code, said, unbuffered):
    line = f"{sys.executable} -m bakeoff {command}"
    done = called("bash", "-c", line, code=code, PYTHONUNBUFFERED=unbuffered)
    assert done.stderr == ("" if said is None else f"the output cannot be written: {said}\n")


# --- broken input


@pytest.mark.slow
@pytest.mark.parametrize("kind", broken_input.KINDS)
def test_mistakes_drawn_at_random_end_in_a_message(kind, in_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as at the command line, where none stops a command
        found = [(line, why) for line, why in broken_input.attempts(kind, 60, seed=1) if why]
    assert not found


@pytest.mark.parametrize(
    ("file", "damage", "options", "said"),
    [
        ("t.feather", (b"xyzt", b"\xc1yzt"), (), "t.feather"),
        ("t.parquet", (b"xyzt", b"\xc1yzt"), (), "t.parquet"),
        ("t.csv.gz", (b"", b""), (), "t.csv.gz"),
        ("t.csv", (b",A,B", b",,"), ("--groups", "A"), "groups: … column 'A'"),
    ],
)
def test_damaged_tables_are_named(refused, tmp_path, file, damage, options, said):
    path = tmp_path / file
    table = pd.DataFrame({"id": range(40), "A": ["xyzt"] * 40, "B": ["0.5"] * 40})
    suffix = file.partition(".")[2]
    writers = {"feather": table.to_feather, "parquet": partial(table.to_parquet, compression=None)}
    writers.get(suffix, partial(table.to_csv, index=False))(path)
    data = path.read_bytes().replace(*damage)
    path.write_bytes(data[:20] + b"\xff" * 20 + data[40:] if suffix == "csv.gz" else data)
    refused("compare", str(path), "--values", "higher", *options, said=said)


def test_bytes_that_are_no_text_are_named(refused, tmp_path):
    pd.DataFrame({"x": range(9), "y": list("abcabcabc")}).to_csv(tmp_path / "t.csv")
    line = ["init", str(tmp_path / "t.csv"), "-o", "-", "--target", "\udcff"]
    refused(*line, said="surrogates not allowed")


OF_ONE_VALUE = [
    ("compare p.csv --alpha 0.05 --alpha 0.1", "alpha: found 0.05 and 0.1, expected the option on"),
    ("compare p.csv --set value=a --set value=b", "value: found 'a' and 'b'"),
    ("compare p.csv --models a,b --models c", "once; several go into one value, between commas"),
    ("gate p.csv --margin 0.1 --margin 0.1", "once; a metric has a margin of its own as `--metric"),
    ("gate p.csv --groups a --margin 1 --groups=b", "groups: found 'a' and 'b'"),
    ("plan --power 0.8 --rows 9 --power 0.9", "power: found 0.8 and 0.9"),
    ("init t.csv --target a --target b", "target: found 'a' and 'b'"),
    ("run e.yaml --cores 1 -c 2", "cores: found '1' and '2'"),
    ("compare p.csv --metric brier:0.1", "metrics: found 'brier:0.1', expected the name alone"),
]


@pytest.mark.parametrize(("line", "said"), OF_ONE_VALUE)
def test_an_option_of_one_value_is_given_once(refused, line, said):
    refused(*line.split(), said=said, code=3 if line.startswith("gate") else 2)
