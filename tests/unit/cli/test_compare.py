"""`bakeoff compare`: numbers of the library, in every form; predicted numbers, and subgroups."""

import html
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff as package
from bakeoff import stats
from bakeoff.errors import UserError
from bakeoff.stats import diebold_mariano_means, mean_interaction, metric_ci
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
    # a is right about most women
    women = (found["a"]["said"] == found["y"]) == (rng.random(n) < 0.9)
    wide |= {"sex": np.where(women, "f", "m"), "age": rng.integers(20, 80, n)}
    found["sex"] = values["sex"] = wide["sex"]
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
    assert row["test"] == "metric_difference"
    assert (row["pvalue"], row["estimate"]) == pytest.approx((direct.pvalue, direct.estimate))
    assert found["models"][0]["f1"] == pytest.approx(direct.details["value_a"])


def test_several_models_and_metrics(data, answered):
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
    two = asked.replace(",<c>", "").split()
    found = answered("compare", *two)
    assert {key for one in found["best"][0]["models"] for key in one} == {"model", "value", "ci"}


def test_accuracy_among_metrics_is_still_mcnemars(data, answered):
    options = ("--models", "a,b", "--metric", "accuracy", "--metric", "mcc")
    rows = answered("compare", "wide.csv", *options)["comparisons"]
    right = [data[m]["said"] == data["y"] for m in "ab"]
    assert [row["test"] for row in rows] == ["mcnemar", "metric_difference"]
    assert rows[0]["pvalue"] == pytest.approx(stats.mcnemar(*right).pvalue)


@pytest.mark.parametrize("words", ["True,False", "true,false", "TRUE,FALSE"])
def test_truth_values_of_files_are_0_and_1(words, in_folder, answered):
    yes, no = words.split(",")
    row = np.arange(60)
    wide = {"y_true": row % 2, "a": np.where(row % 3, yes, no), "b": (row % 5 > 0).astype(int)}
    pd.DataFrame(wide).to_csv("words.csv", index=False)
    pd.DataFrame({**wide, "a": (row % 3 > 0).astype(int)}).to_csv("numbers.csv", index=False)
    how = "--metric", "f1", "--task", "classification"
    found, expected = (answered("compare", f"{file}.csv", *how) for file in ("words", "numbers"))
    assert found["comparisons"] == expected["comparisons"]


OF_TWO = "wide.csv --models a,b"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (f"{OF_TWO} --metric f11", "metrics: unknown metric 'f11'; did"),
        ("a.csv b.csv --values lower --metric f1", "metrics: is for pred"),
        ("a.csv b.csv --values lower --truth y", "truth: is for predictions"),
        ("values.csv --values higher --models a", "has 1 column of numbers"),
        (f"{OF_TWO} --values higher", "have no number in column 'a'"),
        (f"{OF_TWO} --subgroups sexx", "subgroups[0]: '"),
        (f"{OF_TWO} --subgroups sex,sex", "subgroups: 'sex' appears twice"),
        (f"{OF_TWO} --subgroups age", "say where to cut them"),
        (f"{OF_TWO} --subgroups age:60:40", "expected numbers in ascending order"),
        (f"{OF_TWO} --subgroups age:old", "subgroups: found 'age:old'"),
        (f"{OF_TWO} --subgroups sex,", "subgroups[1]: expected at least 1 character"),
        (f"{OF_TWO} --subgroups sex:1", "subgroups[0].bins: column 'sex' holds no numbers to cut"),
        (f"{OF_TWO} --subgroups id:500", "column 'id' puts all rows into one subgroup"),
        ("--counts 9,3,2,4 --subgroups sex", "in place of files and their columns"),
    ],
)
def test_mistakes(refused, data, options, said):
    refused("compare", *options.split(), said=said)


def test_wrong_probabilities_are_told_with_the_number_of_a_row_that_has_no_id(refused, data):
    table = pd.read_csv("wide.csv").drop(columns="id")
    table.loc[199, "b:sick"] += 0.5
    table.to_csv("wide.csv", index=False)
    said = "probabilities of 1 of 200 rows do not sum up to 1; the first is id 200 "
    refused(*f"compare {OF_TWO} --metric roc_auc".split(), said=said)


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
    assert headline in html.unescape(page)
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
    usual = OPTIONS[:2] if "--models" in options else OPTIONS
    assert compare("wide.csv", *usual, *options.split())[0] == 0
    assert files(Path()) == INPUTS, "nothing is written unasked"
    line = *options.split(), "--output", "p.html", "--output", "t"
    assert compare("wide.csv", *usual, *line)[::2] == (0, "")
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
    refused(*line, said="patient … `--models ")
    refused(*line, said="`--groups patient` says")
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


# --- predicted numbers


@pytest.fixture
def values(in_folder):
    rng = np.random.default_rng(1)
    y = rng.normal(30, 8, 120)
    found = pd.DataFrame({"id": np.arange(120), "y": y, "site": np.arange(120) // 3})
    for model, noise in (("ridge", 3.0), ("tree", 4.0), ("knn", 4.5)):
        found[model] = y + rng.normal(0, noise, 120)
        own = found[["id", "y", model]].rename(columns={model: "y_pred"})
        own.sample(frac=1, random_state=0).to_csv(f"{model}.csv", index=False)
    found.to_csv("wide.csv", index=False)
    return found


def test_numbers_are_compared_by_their_root_mean_squared_error(values, answered):
    # a fraction in the truth says so; files are paired by id; one of them alone has the truth
    pd.read_csv("knn.csv").drop(columns="y").to_csv("knn.csv", index=False)
    found = answered("compare", "ridge.csv", "tree.csv", "knn.csv")
    wanted = compare_models(values.y, values[["ridge", "tree", "knn"]].to_numpy(), metric="rmse")
    assert [row["pvalue_adjusted"] for row in found["comparisons"]] == pytest.approx(
        [pair.pvalue_adjusted for pair in wanted.pairs],
        abs=0.006,  # simulated: five standard errors
    )
    assert {row["metric"] for row in found["comparisons"]} == {"rmse"}
    one = metric_ci(values.y, values.ridge, metric="rmse")
    assert found["best"][0]["models"][0]["ci"]["high"] == pytest.approx(one.ci.high)


def test_rows_in_time_are_compared_with_their_long_run_variance(values, answered):
    asked = "wide.csv", "--models", "ridge,tree", "--time", "id"
    found = answered("compare", *asked, "--metric", "mae", "--metric", "median_absolute_error")
    losses = [(values[model] - values.y).abs() for model in ("ridge", "tree")]
    wanted = diebold_mariano_means(*losses, time=values.id, greater_is_better=False)
    first, second = found["comparisons"]
    assert (first["test"], second["test"]) == ("diebold_mariano_means", "metric_difference")
    assert first["pvalue"] == pytest.approx(wanted.pvalue)


def test_answer_page_and_tables_in_the_unit(compare, values):
    asked = "wide.csv", "--models", "ridge,tree,knn", "--set", "unit=MPa", "--subgroups", "site:20"
    line = *asked, "--output", "page.html", "--output", "tables", "--metric", "rmse"
    code, out, _ = compare(*line)
    page = Path("page.html").read_text()
    assert (code, "root mean squared error of ridge" in out, "MPa" in out) == (0, True, True)
    assert ("MPa" in page, "accuracy" in page) == (True, False)
    assert Path("tables/models.csv").read_text().startswith("model,mean")


def test_whole_numbers_are_classes_unless_numbers_are_asked_for(values):
    stars = np.arange(60) % 5
    guessed = {"a": stars + 0.5, "b": stars + 0.2}
    with pytest.raises(UserError, match="predicts classes that the data do not have"):
        package.compare(stars, guessed)
    found = package.compare(stars, guessed, task="regression")
    assert found.scores["metric"].unique().tolist() == ["rmse"]
    many = np.arange(300) * 7  # too many for classes
    by_itself = package.compare(many, {"a": many + 1.5 * (many % 2), "b": many + many % 5})
    assert by_itself.scores["metric"].unique().tolist() == ["rmse"]


def test_another_order_of_magnitude_is_told_and_not_refused(compare, values):
    values.assign(tree=values.tree * 1000, knn=np.log(values.knn)).to_csv("wide.csv")
    code, out, _ = compare("wide.csv", "--models", "ridge,tree,knn")
    told = [f"{model}: the mean size of the predictions is" in out for model in ("tree", "ridge")]
    assert (code, told) == (0, [True, False])


@pytest.mark.parametrize(
    ("change", "asked", "said"),
    [
        ({"tree": None}, "", "1 of 120 rows have no number in column 'tree'; the first is row 4"),
        ({"tree": "n/k"}, "", "in column 'tree'; the first is row 4 with n/k"),
        ({"tree": np.inf}, "", "in column 'tree'; the first is row 4 with inf"),
        ({"y": None}, "", "in column 'y'; the first is row 4; `--set missing_target=drop`"),
        ({}, "--metric rmse --metric f1", "metrics: f1 compares classes, and this is"),
        ({}, "--task classification --metric f1", "say `--task regression`"),
        ({}, "--positive 2", "positive: numbers have no classes"),
        ({}, "--set classes=a,b", "classes: numbers have no classes"),
        ({}, "--set variant=exact", "variant: it is of McNemar's test"),
        ({}, "--task classification --metric rmse", "predicts classes that the data do not have"),
        ({}, "--set costs=costs.yaml", "costs: are of errors between classes"),
        ({}, "--values lower --set unit=s", "unit: is for predictions"),
        ({}, "--groups site --set independent_rows=true", "independent_rows: "),
    ],
)
def test_refusals_name_the_argument(refused, values, change, asked, said):
    Path("costs.yaml").write_text("classes: [a, b]\nmatrix: [[0, 1], [1, 0]]\n")
    changed = values.astype(dict.fromkeys(change, object))
    for name, value in change.items():
        changed.loc[3, name] = value
    changed.to_csv("wide.csv", index=False)
    refused("compare", "wide.csv", "--models", "ridge,tree", *asked.split(), said=said)


def test_truth_of_one_file_unlike_anothers(compare, values):
    own = pd.read_csv("tree.csv").set_index("id")
    own["y"] = own["y"].astype("float32")  # rounding is no other truth
    own.to_csv("tree.csv")
    assert compare("ridge.csv", "tree.csv")[0] == 0
    own.loc[7, "y"] += 1
    own.to_csv("tree.csv")
    assert "1 of 120 rows have another true number" in compare("ridge.csv", "tree.csv")[2]


# --- subgroups


@pytest.fixture
def found(answered, data):
    return lambda *options: answered("compare", *options, "--models", "a,b")["subgroups"]


def test_columns_of_numbers_are_cut_where_it_is_said(found):
    lines = found("wide.csv", "--subgroups", "sex,age:40:60")
    assert [(x["column"], x["role"], x["subgroup"]) for x in lines] == [
        ("sex", "interaction", ""), ("sex", "subgroup", "f"), ("sex", "subgroup", "m"),
        ("age", "interaction", ""), ("age", "subgroup", "below 40"),
        ("age", "subgroup", "40 to below 60"), ("age", "subgroup", "60 or more"),
    ]  # fmt: skip


def test_numbers_per_row_have_subgroups(data, found):
    lines = found("values.csv", "--values", "lower", "--subgroups", "sex")
    losses = (data[model]["loss"] for model in "ab")
    whole = mean_interaction(*losses, data["sex"], greater_is_better=False)
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)
    part = whole.details["subgroups"]["f"]
    assert lines[1]["estimate"] == pytest.approx(part["estimate"])
