"""Logs, tables, experiments and command lines with mistakes drawn at random."""

import contextlib
import copy
import io
import json
import random
import sys
import traceback
import zipfile
from pathlib import Path

import pandas as pd
import yaml

from bakeoff.cli import main, make_parser
from tests import logs

VALUES = [
    *(None, True, 0, -1, 1.5, 10**30, 10**400, float("nan"), float("inf"), "", "x", "é\u2028"),
    *("\x1b[1m", "C", "1e999", "\ud800", [], [1], ["a"], [[]], [None], {}, {"a": 1}),
    *(0.85, 1e-300, "x" * 300, f"{'x' * 300}.csv", "a\0b", "y_true"),
    {"value": {"a": []}},
]
CELLS = [
    *("", "NA", "nan", "inf", "1e400", "9" * 400, "9" * 25, "é", "\u2028", "\x00", '"', '""'),
    *("a,b", "a\nb", "TRUE", "2020-01-01", " a", "=1", "-0", "1_000", "0x1", "\x1b", "\ufeff"),
]
WORDS = [
    *("", " ", "a", "0", "1", "-1", "nan", "inf", "1e400", "9" * 400, "y_true", "g", "id", "A,B"),
    *(",", "accuracy", "f1", "roc_auc", "a:b", "./x.py:f", "2%", "%", "é", "\x1b", "w.csv", "/"),
    *(".", "right", "higher", "csv", "excel", "0.5", "net_benefit@", "fbeta@1e400", "\ud800"),
    *("x" * 300, f"{'x' * 300}.csv", "0.85", "1e-300"),
]
ROWS = 60
TRUE = ["ab"[i % 5 > 2] for i in range(ROWS)]


def changed(rng, value):
    """Return nested data of which one to three places are deleted, doubled or another value."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 2, 3])):
        if not (places := list(_places(value))):
            break
        holder, key = rng.choice(places)
        act = rng.randrange(4)
        if act == 0:
            del holder[key]
        elif act == 1 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
    return value


def _places(value):
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def spoiled(rng, path, share):
    """Change some bytes of a file, or cut it."""
    if rng.random() > share or not (data := bytearray(Path(path).read_bytes())):
        return
    for _ in range(rng.choice([1, 5, 50])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    cut = rng.randrange(len(data)) if rng.random() < 0.3 else len(data)
    deep = rng.random() < 0.1
    Path(path).write_bytes(b"[" * 100_000 if deep else data[:cut])


def logs_of_evaluations(rng):
    """Return a command on a log of Inspect, promptfoo or lm-evaluation-harness."""
    right = logs.drawn(40, 0.6, 1), logs.drawn(40, 0.7, 2)
    kind = rng.choice(["inspect", "eval", "promptfoo", "lm"])
    values = ["--values", rng.choice(["right", "higher"])]
    if kind == "promptfoo":
        path = logs.promptfoo("p.json", dict(zip("AB", right, strict=True)))
        more = [["--set", "value=success", "--runs", "run"], ["--set", "value=score"]]
        files, values = [path], values + rng.choice(more) + ["--models", "A,B"]
    elif kind == "lm":
        files = [logs.lm_eval(m, "t", one) for m, one in zip("AB", right, strict=True)]
    else:
        files = [logs.inspect(f"{m}.json", m, one) for m, one in zip("AB", right, strict=True)]
    text = Path(files[0]).read_text()
    log = changed(rng, [json.loads(line) for line in text.splitlines()])
    sys.set_int_max_str_digits(0)
    Path(files[0]).write_text("\n".join(map(json.dumps, log)))
    if kind == "eval":
        files[0] = "A.eval"
        with zipfile.ZipFile("A.eval", "w") as archive:
            whole = log[0] if log and isinstance(log[0], dict) else {}
            samples = whole.pop("samples", None)
            archive.writestr("header.json", json.dumps(whole))
            for i, one in enumerate(samples if isinstance(samples, list) else []):
                archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(one))
    spoiled(rng, files[0], 0.15)
    gate = ["gate", *files, *values, "--margin", "0.1"]
    return rng.choice([["compare", *map(str, files), *values], list(map(str, gate))])


def tables(rng):
    """Return a command on a table of predictions or of values in any format."""
    of = rng.choice(["predictions", "numbers", "values"])
    number = {m: [rng.gauss(0, 1) for _ in TRUE] for m in "AB"}
    label = {m: [rng.choice("ab") for _ in TRUE] for m in "AB"}
    table = {"id": range(ROWS), "y_true": TRUE, **label, "g": [i // 6 for i in range(ROWS)]}
    if of != "predictions":
        table |= number | {"y_true": [rng.gauss(0, 1) for _ in TRUE]}
    frame = pd.DataFrame(table).astype(object)
    for _ in range(rng.choice([1, 1, 2, 5])):
        if not len(frame.columns):
            break
        act, place = rng.randrange(6), rng.randrange(len(frame.columns))
        names = list(frame.columns)
        if act == 0:
            frame = frame.drop(columns=names[place])
        elif act == 1:
            frame[names[place]] = rng.choice(CELLS)
        elif act == 2:
            frame.columns = [*names[:place], rng.choice(CELLS)[:30], *names[place + 1 :]]
        elif act == 3:
            frame = pd.concat([frame, frame.iloc[:3]])
        elif act == 4 and len(frame):
            frame.iloc[rng.randrange(len(frame)), place] = rng.choice(CELLS)
        else:
            frame = frame.iloc[: rng.choice([0, 1, 2, 5])]
    kind = rng.choice(["csv", "csv", "tsv", "csv.gz", "parquet", "xlsx", "feather", "dta"])
    path, text = f"t.{kind}", frame.astype(str).reset_index(drop=True)
    write = {
        "parquet": text.to_parquet,
        "xlsx": lambda path: text.to_excel(path, index=False),
        "feather": text.to_feather,
        "dta": text.to_stata,
    }
    with contextlib.suppress(Exception):  # a format that cannot hold this table leaves none
        separated = {"index": False, "sep": rng.choice(",;|\t")}
        write.get(kind, lambda path: text.to_csv(path, **separated))(path)
    if not Path(path).is_file():
        Path(path).touch()
    spoiled(rng, path, 0.25)
    options = {"predictions": [], "numbers": ["--task", "regression"]}
    more = options.get(of, ["--values", "higher"])
    more = more + rng.choice(
        [[], ["--groups", "g"], ["--set", rng.choice(["format=csv", "format=excel"])]]
    )
    target = rng.choice(["y_true", "A", "id"])
    return rng.choice(
        [
            ["compare", path, *more],
            ["gate", path, *more, "--margin", "0.1", "--models", "A,B"],
            ["init", path, "--target", target, "-o", "-"],
        ]
    )


EXPERIMENT = """
experiment: e
seed: 1
datasets: {d: {source: file, path: data.csv, target: y, id: id}}
models:
  r: {estimator: sklearn.linear_model.LogisticRegression, params: {C: 1.0}}
  t:
    estimator: sklearn.ensemble.RandomForestClassifier
    tune: {space: {max_depth: [1, 2]}, validation: 0.3}
    reads: [data.csv]
    keep: true
    importance: true
resampling: {holdout: {test_size: 0.3}, cv_5x2: {stratify: true}}
metrics: [accuracy, f1]
tests: {alpha: 0.05, run: [recommended, mcnemar], options: {mcnemar: {variant: exact}}}
"""


def experiments(rng):
    """Return a check of an experiment."""
    rows = "".join(f"{i},{i % 7},{y}\n" for i, y in enumerate(TRUE))
    Path("data.csv").write_text("id,x,y\n" + rows)
    value = changed(rng, yaml.safe_load(EXPERIMENT))
    with contextlib.suppress(ValueError, yaml.YAMLError):
        text = yaml.safe_dump(value)
        if rng.random() < 0.1:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice("{}[]:\x00\t&*!é") + text[at + 1 :]
        Path("e.yaml").write_text(text, errors="surrogatepass")
    return ["check", "e.yaml"]


def lines(rng):
    """Return a command line with options and values that may not fit."""
    for name, models in (("w", "AB"), ("p", "A"), ("q", "B")):
        table = {"id": range(ROWS), "y_true": TRUE, "g": [i // 5 for i in range(ROWS)]}
        columns = {m if name == "w" else "y_pred": "ab" * (ROWS // 2) for m in models}
        pd.DataFrame(table | {c: list(y) for c, y in columns.items()}).to_csv(f"{name}.csv")
    commands = {
        "compare": rng.choice([["p.csv", "q.csv"], ["w.csv"], [""], ["/"], ["nope"]]),
        "gate": ["w.csv", "--models", "A,B", "--margin", rng.choice(["0.1", "2%", *WORDS])],
        "plan": rng.choice([["--accuracy", "0.8", "--difference", "0.1"], []]),
        "init": [rng.choice(["w.csv", "", "/"]), "--target", rng.choice(WORDS), "-o", "-"],
        "tests": [rng.choice([*WORDS, "mcnemar"])],
        "check": [rng.choice(WORDS)],
    }
    command = rng.choice(list(commands))
    parser = make_parser()._subparsers._group_actions[0].choices[command]
    line = [command, *commands[command]]
    options = [a for a in parser._actions if a.option_strings and a.dest != "help"]
    for option in rng.choices(options, k=rng.choice([1, 1, 2, 3]) if options else 0):
        among = [*map(str, option.choices or ()), *WORDS]
        line += [option.option_strings[-1], *([] if option.nargs == 0 else [rng.choice(among)])]
    return line


KINDS = {"logs": logs_of_evaluations, "tables": tables, "experiments": experiments, "lines": lines}


def attempts(kind, n, seed):
    """Run commands in the folder they are in; yield each with the traceback it ended in, if any."""
    for i in range(n):
        line, told = KINDS[kind](random.Random(f"{kind} {seed} {i}")), io.StringIO()
        try:
            with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
                main(line)
        except SystemExit:
            pass
        except BaseException:
            told.write(traceback.format_exc())
        ended = told.getvalue()
        yield line, ended if "Traceback (most recent call last)" in ended else ""
