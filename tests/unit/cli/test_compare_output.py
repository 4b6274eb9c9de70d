"""`bakeoff compare --metric`, `--values` and `--output`: numbers of the library in every form."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from bakeoff.stats.metrics.family import compare_models

MODELS = ("a", "b", "<c>")


@pytest.fixture
def data(in_folder):
    """Write predictions and numbers of three models, all in one table and one table each."""
    rng = np.random.default_rng(1)
    n = 200
    y = rng.random(n) < 0.3
    found = {"y": np.where(y, "sick", "well")}
    wide = {"id": np.arange(n), "truth": found["y"], "site": np.arange(n) // 5}
    values = {"id": np.arange(n), "site": np.arange(n) // 5}
    for model, skill in zip(MODELS, (1.8, 1.0, 0.4), strict=True):
        z = skill * y + rng.normal(size=n)
        p = 1 / (1 + np.exp(0.7 - z))
        said = np.where(p > 0.5, "sick", "well")
        found[model] = {"p": p, "said": said, "loss": np.round((y - p) ** 2, 4)}
        wide |= {model: said, f"{model}:sick": p, f"{model}:well": 1 - p}
        values[model] = found[model]["loss"]
        own = {"id": np.arange(n), "value": found[model]["loss"]}
        pd.DataFrame(own).sample(frac=1, random_state=0).to_csv(f"{model}.csv", index=False)
    pd.DataFrame(wide).to_csv("wide.csv", index=False)
    pd.DataFrame(values).to_csv("values.csv", index=False)
    return found


def columns(data, key):
    return np.column_stack([data[m][key] for m in MODELS])


def test_two_models_by_any_metric(data, answered):
    asked = "wide.csv", "--models", "a,b", "--metric", "f1", "--positive", "sick"
    found = answered("compare", *asked)
    (row,) = found["comparisons"]
    truth, *said = data["y"], data["a"]["said"], data["b"]["said"]
    direct = stats.metric_difference(truth, *said, metric="f1", positive="sick")
    (grouped,) = answered("compare", *asked, "--groups", "site")["comparisons"]
    of_groups = {"metric": "f1", "positive": "sick", "groups": np.arange(200) // 5}
    assert grouped["pvalue"] == pytest.approx(
        stats.metric_difference(truth, *said, **of_groups).pvalue
    )
    assert row["test"] == "metric_difference"
    assert (row["pvalue"], row["estimate"]) == pytest.approx((direct.pvalue, direct.estimate))
    assert found["models"][0]["f1"] == pytest.approx(direct.details["value_a"])


def test_several_models_and_metrics(compare, data, answered):
    asked = "wide.csv --models a,b,<c> --metric f1 --metric roc_auc --positive sick"
    found = answered("compare", *asked.split())
    for metric, key in (("f1", "said"), ("roc_auc", "p")):
        rows = [row for row in found["comparisons"] if row["metric"] == metric]
        direct = compare_models(data["y"], columns(data, key), metric=metric, positive="sick")
        assert [row["pvalue"] for row in rows] == pytest.approx([p.pvalue for p in direct.pairs])
        best = stats.best_models(data["y"], columns(data, key), metric=metric, positive="sick")
        (told,) = (one for one in found["best"] if one["metric"] == metric)
        stay = {one["model"] for one in told["models"] if one["stays"]}
        assert stay == {MODELS[m] for m in best.members}
    _, out, _ = compare(*asked.split())
    for said in ("may be the best", "ROC AUC", "F1", "max-t"):
        assert said in out
    two = asked.replace(",<c>", "").split()
    _, out, _ = compare(*two)
    assert not re.search("be the best|tier", out)
    found = answered("compare", *two)
    assert {key for one in found["best"][0]["models"] for key in one} == {"model", "value", "ci"}


def test_accuracy_among_metrics_is_still_mcnemars(data, answered):
    options = ("--models", "a,b", "--metric", "accuracy", "--metric", "mcc")
    rows = answered("compare", "wide.csv", *options)["comparisons"]
    right = [data[m]["said"] == data["y"] for m in "ab"]
    assert [row["test"] for row in rows] == ["mcnemar", "metric_difference"]
    assert rows[0]["pvalue"] == pytest.approx(stats.mcnemar(*right).pvalue)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("wide.csv --models a,b --metric f11", "metrics: unknown metric 'f11'; did"),
        ("a.csv b.csv --values lower --metric f1", "metrics: is for pred"),
        ("a.csv b.csv --values lower --truth y", "truth: is for predictions"),
        ("values.csv --values higher --models a", "has 1 column of numbers"),
        ("wide.csv --values higher --models a,b", "have no number in column 'a'"),
    ],
)
def test_mistakes(refused, data, options, said):
    refused("compare", *options.split(), said=said)


@pytest.mark.parametrize("with_ids", [True, False])
def test_wrong_probabilities_of_the_last_row_are_told_with_its_id(refused, data, with_ids):
    table = pd.read_csv("wide.csv")
    last = table["id"].iloc[-1] if with_ids else len(table)
    assert (last != len(table)) == with_ids, "an id that is not the number of its row"
    table = table if with_ids else table.drop(columns="id")
    table.loc[len(table) - 1, "b:sick"] = 1 - table.loc[len(table) - 1, "b:well"] + 0.5
    table.to_csv("wide.csv", index=False)
    said = f"probabilities of 1 of 200 rows do not sum up to 1; the first is id {last} "
    refused("compare", "wide.csv", "--models", "a,b", "--metric", "roc_auc", said=said)


def test_pairs_are_shown_where_the_error_rate_is_asked_for(compare, data):
    _, out, _ = compare("wide.csv", "--models", "a,<c>", "--metric", "error")
    assert re.search("\n *a +<c> .*(better|cannot tell)\n", out)


# --- what is written


def files(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


OPTIONS = ("--truth", "truth", "--models", "a,b,<c>")
INPUTS = {"wide.csv", "values.csv", *(f"{model}.csv" for model in MODELS)}


def test_page_and_tables_have_the_numbers_of_the_terminal(compare, data, in_folder):
    outputs = [f"--output={place}" for place in ("p.html", "p.md", "p.tex", "new/tables")]
    code, out, _ = compare("wide.csv", *OPTIONS, "--json", *outputs)
    assert code == 0
    found = json.loads(out)
    written = files(in_folder) - INPUTS
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


def test_page_needs_no_other_file_and_tells_its_command(compare, data):
    assert compare("wide.csv", *OPTIONS, "--output", "p.html")[0] == 0
    page = Path("p.html").read_text()
    for present in ("bakeoff compare wide.csv --truth truth", "<svg", "&lt;c&gt;"):
        assert present in page
    fitted = "scikit-learn", "skrub", "<dt>Fits", "Seed"
    for absent in ("figures/", "tests.json", "snakemake --cores", *fitted, "<c>"):
        assert absent not in page
    assert compare("--counts", "329,22,17,63", "--output", "p.html")[0] == 0
    assert "431 rows" in Path("p.html").read_text()
    assert "the classes are" not in Path("p.html").read_text()
    line = "values.csv", "--values", "lower", "--models", "a,b", "--output", "p.html"
    assert compare(*line)[0] == 0
    assert "mean" in Path("p.html").read_text()


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ("--models a,b", "McNemar"),
        ("--metric f1 --metric roc_auc --positive sick", "ROC AUC"),
        ("--groups site", "groups by"),
        ("--versus a --correction holm", "Holm"),
    ],
)
def test_page_of_every_kind_of_comparison(compare, data, options, title):
    assert compare("wide.csv", *OPTIONS, *options.split())[0] == 0
    assert files(Path()) == INPUTS, "nothing is written unasked"
    line = *options.split(), "--output", "p.html", "--output", "t"
    assert compare("wide.csv", *OPTIONS, *line)[::2] == (0, "")
    assert title in Path("p.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--output ok.html --output x.pdf", "'x.pdf', expected a name with .html, .md,"),
        ("--output ok.html --output wide.csv/x.tex", "is a file; name a folder"),
        ("--output ok --output ok", "the same place is named twice"),
        ("--output wide.csv", "output: 'wide.csv' is read from; name another file"),
    ],
)
def test_place_that_cannot_be_written_leaves_nothing(refused, data, in_folder, options, said):
    before = Path("wide.csv").read_bytes()
    refused("compare", "wide.csv", *OPTIONS, *options.split(), said=said)
    assert files(in_folder) == INPUTS
    assert Path("wide.csv").read_bytes() == before


@pytest.mark.parametrize("values", [False, True])
def test_a_column_of_groups_is_no_model(compare, refused, in_folder, values):
    rng = np.random.default_rng(0)
    numbers = rng.random((200, 2)) if values else rng.choice(["no", "yes"], (200, 2))
    table = pd.DataFrame(numbers, columns=["a", "b"])
    table["patient"] = [f"p{i}" for i in range(20)] * 10 if not values else rng.integers(0, 20, 200)
    if not values:
        table["y_true"] = rng.choice(["no", "yes"], 200)
    table.to_csv("patients.csv", index=False)
    options = ("--values", "higher") if values else ()
    line = "compare", "patients.csv", *options
    refused(*line, said="patient … `models: ")
    refused(*line, said="`groups: patient` says")
    code, told, _ = compare(*line[1:], "--groups", "patient")
    assert (code, "Note" in told) == (0, False)
    code, told, _ = compare(*line[1:], "--models", "a,b")
    assert (code, told.count("looks like an id of groups")) == (0, 1)
    assert "--groups patient" in told


@pytest.mark.parametrize("name", ["patient", "case", "week"])
@pytest.mark.parametrize("last", [8, 40, 240])
def test_a_column_that_counts_up_again_and_again_is_no_model(
    compare, refused, in_folder, name, last
):
    table = pd.DataFrame(np.random.default_rng(0).random((240, 2)), columns=["a", "b"])
    table[name] = np.resize(np.arange(1, last + 1), 240)
    table.to_csv("counted.csv", index=False)
    line = "counted.csv", "--values", "higher"
    refused("compare", *line, said=f"{name!r} looks like an id, not like a model's numbers")
    assert compare(*line, "--models", "a,b")[0] == 0


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
    compare, refused, in_folder, files, options, message
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
