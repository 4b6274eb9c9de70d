"""Every source of data keeps the promises that the rest of the package builds on.

A source is one module of `bakeoff.sources`; its test, ``tests/unit/sources/test_<module>.py``, has
a function ``example(folder)`` that returns an entry of `datasets:` which can be loaded in that
folder, after writing there the files that it needs; `example_of_<source>` where the module has
several sources.
"""

from importlib import import_module
from pathlib import Path

import pytest

from bakeoff.errors import Problem
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import CACHE
from bakeoff.sources import SOURCES, DataSet
from bakeoff.spec import load_experiment
from tests.conftest import ROOT


@pytest.fixture(params=sorted(SOURCES))
def entry(request, tmp_path, monkeypatch):
    """Return an entry of each source, in a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    module = SOURCES[request.param].__module__.rpartition(".")[2]
    tests = import_module(f"tests.unit.sources.test_{module}")
    return getattr(tests, f"example_of_{request.param}", getattr(tests, "example", None))(tmp_path)


def made(entry):
    return SOURCES[entry["source"]].model_validate(entry)


def loaded(entry):
    source = made(entry)
    source.check()
    return source.load(1)


def test_example_is_loaded(entry):
    found = loaded(entry)
    assert len(found.frame)
    assert found.target in found.frame
    assert list(found.frame.index) == list(range(len(found.frame)))


def test_files_that_are_read_are_inputs(entry, tmp_path):
    # a source that forgets a file would keep its rows after an edit
    inputs = {Path(path).resolve() for path in made(entry).inputs()}
    for file in [path for path in tmp_path.rglob("*") if path.is_file()]:
        if file.is_relative_to(tmp_path / CACHE):
            continue  # downloads are known by what was asked for
        content = file.read_bytes()
        file.unlink()
        try:
            loaded(entry)
        except Problem:
            assert file.resolve() in inputs, f"{file.name} is read, but is no input"
        finally:
            file.write_bytes(content)
    assert all(path.is_file() for path in inputs)


def test_inputs_are_those_of_the_rule(entry, tiny):
    experiment = load_experiment(tiny | {"datasets": {"d": entry}})
    assert RuleInputs(experiment).sources("d") == list(made(entry).inputs())


def blamed(entry):
    """Return the key that a refusal names; None where the key itself refuses its value."""
    try:
        loaded(entry)
    except Problem as problem:
        return str(problem.path[0])
    except ValueError:
        return None
    return "" if entry["source"] == "url" else "nothing was refused"


def test_every_mistake_is_laid_to_a_key(entry):
    keys = {*type(made(entry)).model_fields, None, ""}
    texts = [k for k, v in entry.items() if k not in ("source", "target") and isinstance(v, str)]
    for key in texts:
        assert blamed(entry | {key: f"{entry[key]}x"}) in keys
    for path in made(entry).inputs():
        Path(path).write_bytes(b"\x00\xff,\n\x80")
        assert blamed(entry) in keys - {None, ""}


def test_card_says_where_the_rows_come_from(entry):
    described = made(entry).described()
    assert all(described[key] == value for key, value in entry.items() if key in described)
    assert set(described) >= set(entry) - set(DataSet.model_fields) - {"target"}


def test_source_without_inputs_cannot_be_made():
    class Forgetful(DataSet):
        source: str = "forgetful"

        def load(self, seed):
            raise AssertionError

    with pytest.raises(TypeError, match="inputs"):
        Forgetful()


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_source_is_described(source):
    assert f"`{source}`" in (ROOT / "docs/data.md").read_text()
    assert SOURCES[source].__doc__
