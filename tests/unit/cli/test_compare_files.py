"""`bakeoff compare --output`: one content in every form, nothing else written."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def wide(tmp_path, in_folder):
    rng = np.random.default_rng(3)
    n = 200
    y = rng.random(n) < 0.4
    table = {"y": np.where(y, "sick", "well"), "site": np.arange(n) // 5}
    for model, skill in (("a", 2.0), ("b", 1.0), ("<c>", 0.4)):
        p = 1 / (1 + np.exp(0.7 - skill * y - rng.normal(size=n)))
        said = np.where(p > 0.5, "sick", "well")
        table |= {model: said, f"{model}:sick": p, f"{model}:well": 1 - p}
    pd.DataFrame(table).to_csv("wide.csv", index=False)
    pd.DataFrame(rng.random((n, 2)), columns=["a", "b"]).to_csv("values.csv", index=False)
    return tmp_path


def files(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


OPTIONS = ("--truth", "y", "--models", "a,b,<c>")
INPUTS = {"wide.csv", "values.csv"}


def test_page_and_tables_have_the_numbers_of_the_terminal(compare, wide):
    outputs = [f"--output={place}" for place in ("p.html", "p.md", "p.tex", "new/tables")]
    code, out, _ = compare("wide.csv", *OPTIONS, "--json", *outputs)
    assert code == 0
    found = json.loads(out)
    written = files(wide) - INPUTS
    tables = {name for name in written if name.startswith("new/tables/")}
    assert written - tables == {"p.html", "p.md", "p.tex"}
    pairs = pd.read_csv("new/tables/pairs.mcnemar.csv")
    told = [c for c in found["comparisons"] if c["role"] == "pair"]
    assert sorted(pairs["pvalue"]) == pytest.approx(sorted(c["pvalue"] for c in told))
    page, text, paper = (Path(f"p.{kind}").read_text() for kind in ("html", "md", "tex"))
    headline = found["verdict"]["headline"]
    assert headline in page
    assert headline in text
    for ending in ("\\end{table}", "\\toprule"):
        assert paper.count(ending) == len(tables)
    score = f"{found['models'][0]['accuracy']:.3f}"
    assert all(score in one for one in (page, text, paper))


def test_page_needs_no_other_file_and_tells_its_command(compare):
    assert compare("wide.csv", *OPTIONS, "--output", "p.html")[0] == 0
    page = Path("p.html").read_text()
    for present in ("bakeoff compare wide.csv --truth y", "<svg", "&lt;c&gt;"):
        assert present in page
    fitted = "scikit-learn", "skrub", "<dt>Fits", "Seed"
    for absent in ("figures/", "tests.json", "snakemake --cores", *fitted, "<c>"):
        assert absent not in page
    assert compare("--counts", "329,22,17,63", "--output", "p.html")[0] == 0
    assert "431 rows" in Path("p.html").read_text()
    assert "the classes are" not in Path("p.html").read_text()


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ("--models a,b", "McNemar"),
        ("--metric f1 --metric roc_auc --positive sick", "ROC AUC"),
        ("--groups site", "groups by"),
        ("--versus a --correction holm", "Holm"),
    ],
)
def test_page_of_every_kind_of_comparison(compare, options, title):
    assert compare("wide.csv", *OPTIONS, *options.split())[0] == 0
    assert files(Path()) == INPUTS, "nothing is written unasked"
    code, _, err = compare(
        "wide.csv", *OPTIONS, *options.split(), "--output", "p.html", "--output", "t"
    )
    assert (code, err) == (0, "")
    assert title in Path("p.html").read_text()
    assert compare("values.csv", "--values", "lower", "--output", "p.html")[0] == 0
    assert "mean" in Path("p.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--output ok.html --output x.pdf", "'x.pdf', expected a name with .html, .md,"),
        ("--output ok.html --output wide.csv/x.tex", "is a file; name a folder"),
        ("--output ok --output ok", "the same place is named twice"),
        ("--output wide.csv", "output: 'wide.csv' is read from; name another file"),
    ],
)
def test_place_that_cannot_be_written_leaves_nothing(refused, wide, options, said):
    before = Path("wide.csv").read_bytes()
    refused("compare", "wide.csv", *OPTIONS, *options.split(), said=said)
    assert files(wide) == INPUTS
    assert Path("wide.csv").read_bytes() == before


def test_pages_go_where_links_lead(compare, wide):
    Path("link.html").symlink_to("far.html")
    code, _, err = compare("wide.csv", *OPTIONS, "--output", "link.html")
    assert (code, err) == (0, "")
    assert Path("link.html").is_symlink()
    assert "</html>" in Path("far.html").read_text()


@pytest.mark.parametrize("values", [False, True])
def test_a_column_of_groups_is_no_model(compare, values):
    rng = np.random.default_rng(0)
    numbers = rng.random((200, 2)) if values else rng.choice(["no", "yes"], (200, 2))
    table = pd.DataFrame(numbers, columns=["a", "b"])
    table["patient"] = [f"p{i}" for i in range(20)] * 10 if not values else rng.integers(0, 20, 200)
    if not values:
        table["y_true"] = rng.choice(["no", "yes"], 200)
    table.to_csv("patients.csv", index=False)
    options = ("--values", "higher") if values else ()
    code, _, err = compare("patients.csv", *options)
    assert code != 0
    assert "patient" in err
    assert "`models: " in err
    assert "`groups: patient` says" in err
    code, told, _ = compare("patients.csv", *options, "--groups", "patient")
    assert code == 0
    assert "Note" not in told
    code, told, _ = compare("patients.csv", *options, "--models", "a,b")
    assert code == 0
    assert told.count("looks like an id of groups") == 1
    assert "--groups patient" in told


@pytest.mark.parametrize("name", ["patient", "case", "week"])
@pytest.mark.parametrize("last", [8, 40, 240])
def test_a_column_that_counts_up_again_and_again_is_no_model(compare, name, last):
    table = pd.DataFrame(np.random.default_rng(0).random((240, 2)), columns=["a", "b"])
    table[name] = np.resize(np.arange(1, last + 1), 240)
    table.to_csv("counted.csv", index=False)
    code, _, err = compare("counted.csv", "--values", "higher")
    assert code != 0
    assert f"{name!r} looks like an id, not like a model's numbers" in err
    assert compare("counted.csv", "--values", "higher", "--models", "a,b")[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--groups site", "groups: '{}' differs from the files before it in the groups"),
        ("--time site", "time: '{}' differs from the files before it in the time"),
        ("--subgroups site:2", "'{}' has other values of 'site' than the files before it"),
    ],
)
@pytest.mark.parametrize("files", [("a.csv", "b.csv"), ("b.csv", "a.csv")])
def test_files_that_relate_the_rows_otherwise_are_refused(
    compare, refused, files, options, message
):
    for name, period in (("a", 3), ("b", 4)):
        rows = np.arange(60)
        told = {"id": rows, "y": rows % 2, "predicted": rows % 5 % 2, "site": rows % period}
        pd.DataFrame(told).to_csv(f"{name}.csv", index=False)
    line = ["--task", "classification", *options.split()]
    code, _, err = compare(*files, *line)
    assert (code, message.format(files[1]) in err, "`models:" in err) == (2, True, False)
    runs = pd.concat([pd.read_csv(file).assign(seed=file) for file in files])
    for model in ("c.csv", "d.csv"):
        runs.to_csv(model, index=False)
    said = message.format("c.csv")
    refused("compare", "c.csv", "d.csv", "--seeds", "seed", *line, said=said)
