"""Where results are, with a storage and without, and what does not go with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bakeoff.errors import UserError
from bakeoff.execution.storage import Storage, check_stored
from bakeoff.spec import load_experiment


class Stored:
    """An object of a storage that is a folder, as Snakemake's plugins have them."""

    def __init__(self, there: Path, here: Path, path: str) -> None:
        self.query, self._there, self._here = f"s3://bucket/{path}", there / path, here / path

    def local_path(self) -> Path:
        return self._here

    async def managed_exists(self) -> bool:
        return self._there.exists()

    async def managed_retrieve(self) -> None:
        self._here.write_text(self._there.read_text())


def test_results_in_the_folder_are_where_they_are_called(tmp_path: Path) -> None:
    here, file = Storage(lambda path: None), tmp_path / "verdict.txt"
    assert not here.elsewhere
    assert not here.has(str(file))
    file.touch()
    assert here.has(str(file))
    assert here.copy_of("a") == here.address("a") == here.fetched("a") == "a"


def test_results_in_a_storage_are_copied(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    storage = Storage(lambda path: Stored(there, here, path))
    assert storage.elsewhere
    assert storage.address("verdict.txt") == "s3://bucket/verdict.txt"
    assert storage.copy_of("verdict.txt") == str(here / "verdict.txt")
    assert not storage.has("verdict.txt")
    (there / "verdict.txt").write_text("B wins.")
    assert storage.has("verdict.txt")
    assert Path(storage.fetched("verdict.txt")).read_text() == "B wins."


def test_a_storage_that_does_not_answer_is_told_in_a_line(tmp_path: Path) -> None:
    class Closed(Stored):
        async def managed_exists(self) -> bool:
            raise OSError("no\n  credentials")

    Storage(lambda path: Stored(tmp_path, tmp_path, path)).check("a")
    Storage(lambda path: None).check("a")
    with pytest.raises(UserError, match=r"s3://bucket/a: no credentials$"):
        Storage(lambda path: Closed(tmp_path, tmp_path, path)).check("a")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"execution": {"jobs_per": "model"}, "seeds": 2}, "execution.jobs_per: found model"),
        ({"keep": True}, "models.tree.keep: found true"),
    ],
)
def test_files_that_no_rule_names_are_refused(
    tiny: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    check_stored(load_experiment(tiny))
    tiny["execution"] = change.pop("execution", {})
    check_stored(load_experiment(tiny))
    tiny["models"]["tree"] |= change
    with pytest.raises(UserError, match=r"default-storage-provider") as caught:
        check_stored(load_experiment(tiny))
    assert said in str(caught.value)
