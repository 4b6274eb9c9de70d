"""The command `bakeoff`: what it prints is what the library computes; mistakes are one message."""

import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bakeoff import __version__
from bakeoff.cli import COMMANDS, main
from bakeoff.cli.terminal import table, width_of
from bakeoff.comparisons.settings import allowed_options
from bakeoff.data import load_table
from bakeoff.preflight import check_experiment
from bakeoff.spec import read_experiment
from bakeoff.stats import McNemarPower, catalogue, mcnemar
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


def right(frame, *models):
    return [(frame[model] == frame["label"]).to_numpy() for model in models]


def test_terminal_shows_verdict_and_table(bakeoff, wide):
    code, out, err = bakeoff("compare", "preds.csv")
    assert (code, err) == (0, "")
    assert "Résnet 50 is the best of the 3 models by accuracy." in out
    assert "Cochran's Q test: Q(2) = " in out
    assert "McNemar's test (mid-p); 3 hypotheses, Bonferroni correction; level 5%." in out
    assert "\x1b" not in out
    lines = [line for line in out.splitlines() if " of 200" in line]
    assert len({width_of(line) for line in lines}) == 1, "the table is aligned"


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
        ("unlabelled.csv", "3 of 200 rows have no true label … `missing_target: drop` leaves them"),
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


def test_counts_stand_for_rows(answered):
    found = answered("compare", "--counts", "329,22,17,63", "--models", "old,new")
    (row,) = found["comparisons"]
    a, b = np.repeat([1, 1, 0, 0], [329, 22, 17, 63]), np.repeat([1, 0, 1, 0], [329, 22, 17, 63])
    assert row["pvalue"] == pytest.approx(mcnemar(a, b).pvalue)
    assert (row["model_a"], row["model_b"], found["rows"]) == ("old", "new", 431)
    assert "neighbouring" not in str(found), "counts have no order"


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


def test_check_says_what_will_be_done(bakeoff, monkeypatch):
    monkeypatch.chdir(ROOT)
    code, out, _ = bakeoff("check", "config/attrition.yaml")
    assert code == 0
    assert "22 fits: 2 models × 1 data set" in out
    assert "attrition  1,470        19  No: 1,233, Yes: 237" in out
    assert "the methods when retrained" in " ".join(out.split())
    assert "Smallest difference in accuracy, in percentage points, found with a" in out
    assert "bakeoff run config/attrition.yaml" in out
    _, found = out.split("Smallest difference")
    (line,) = (x for x in found.splitlines() if x.startswith("  mcnemar"))
    plan = McNemarPower(discordance=0.1, calculation="normal").solve(n=441, power=0.8)
    assert f" {plan.difference * 100:.1f} " in line


def test_check_tells_mistakes_with_their_lines(refused, in_folder):
    text = (ROOT / "config/config.yaml").read_text().replace("accuracy", "acuracy", 1)
    Path("e.yaml").write_text(text)
    said = "metrics[0]: unknown metric 'acuracy'; did you mean 'accuracy'?"
    refused("check", "e.yaml", said=f"e.yaml: … {said}")


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


def test_init_calls_an_experiment_like_its_table(bakeoff, in_folder):
    write_table().to_csv("Customers 2024.csv", index=False)
    code, out, _ = bakeoff("init", "Customers 2024.csv", "--target", "left")
    assert (code, "bakeoff check customers-2024.yaml" in out) == (0, True)
    assert (in_folder / "customers-2024.yaml").is_file()


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
        (
            of_patients(np.arange(120) // 3),
            {"groups": "patient_id"},
            "guessed: an id that repeats",
        ),
        (of_patients(UNEVEN), {"groups": None}, ""),
        (lambda t: t.assign(seen=DAYS), {"time": None}, "# time: seen"),
        (lambda t: t.assign(left=np.arange(120) % 7), {"positive": None}, "metrics: [accuracy"),
        (classes(16, "True", "False"), {"positive": "True"}, "[balanced_accuracy"),
        (classes(90, "0", "1"), {"positive": "1"}, ""),
        (classes(90, "positive", "negative"), {"positive": "positive"}, ""),
        (classes(90, "2", "1"), {"positive": "2"}, ""),
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
