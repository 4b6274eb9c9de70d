"""Results stay with the file that they are of."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.execution.results_owner import check_folder, check_owner, file_of, note_owner
from bakeoff.paths import FOLDERS, Paths

PATHS = Paths.of("study")


@pytest.fixture(autouse=True)
def _two_files_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("experiment: study\nseed: 1\n")
    Path("b.yaml").write_text("experiment: study\nseed: 2\n")


def test_results_of_another_file_are_refused_until_it_is_said_whose_they_are() -> None:
    check_owner(PATHS, "study", "a.yaml")
    note_owner(PATHS, "a.yaml")
    check_owner(PATHS, "study", "a.yaml")
    told = r"b\.yaml: .*results/study/ are those of a\.yaml.*another `experiment:` name, or remove"
    with pytest.raises(UserError, match=told):
        check_owner(PATHS, "study", "b.yaml")
    Path(PATHS.owner).unlink()
    check_owner(PATHS, "study", "b.yaml")


def test_edited_file_keeps_its_results() -> None:
    note_owner(PATHS, "a.yaml")
    Path("a.yaml").write_text("experiment: study\nseed: 3\n")
    check_owner(PATHS, "study", "a.yaml")
    check_owner(PATHS, "study", str(Path("a.yaml").resolve()))


def test_renamed_file_takes_its_results_along() -> None:
    note_owner(PATHS, "a.yaml")
    Path("a.yaml").rename("c.yaml")
    check_owner(PATHS, "study", "c.yaml")


def test_file_that_has_another_name_now_leaves_its_results() -> None:
    note_owner(PATHS, "a.yaml")
    Path("a.yaml").write_text("experiment: other\n")
    check_owner(PATHS, "study", "b.yaml")
    Path("a.yaml").write_text("experiment: [")
    check_owner(PATHS, "study", "b.yaml")


def test_identical_copy_is_the_same_experiment() -> None:
    note_owner(PATHS, "a.yaml")
    Path("copy.yaml").write_text(Path("a.yaml").read_text())
    check_owner(PATHS, "study", "copy.yaml")


def test_copy_of_the_whole_folder_works_on_its_own_results(monkeypatch: pytest.MonkeyPatch) -> None:
    note_owner(PATHS, str(Path("a.yaml").resolve()))
    assert Path(PATHS.owner).read_text() == "a.yaml\n"
    copy = Path("copy")
    (copy / "results/study").mkdir(parents=True)
    (copy / PATHS.owner).write_bytes(Path(PATHS.owner).read_bytes())
    (copy / "a.yaml").write_text("experiment: study\nseed: 9\n")
    monkeypatch.chdir(copy)
    check_owner(PATHS, "study", "a.yaml")


@pytest.mark.parametrize("place", ["results", "results/study", "results/study/data"])
def test_file_in_the_place_of_a_folder_is_told(place: str) -> None:
    check_folder(PATHS)
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).write_text("")
    with pytest.raises(UserError, match=f"^{place} is a file, and results go to a folder"):
        check_folder(PATHS)


def test_every_folder_of_the_results_is_looked_at() -> None:
    made = {
        Path(getattr(PATHS, name)(*["x"] * (len(inspect.signature(method).parameters) - 1)))
        for name, method in inspect.getmembers(Paths, inspect.isfunction)
        if inspect.signature(method).return_annotation == "str" and name != "top"
    }
    assert {path.relative_to(PATHS.root).parts[0] for path in made} == set(FOLDERS)


def test_the_note_follows_the_file_and_is_else_left_alone() -> None:
    note_owner(PATHS, "a.yaml")
    before = Path(PATHS.owner).stat()
    note_owner(PATHS, "a.yaml")
    assert Path(PATHS.owner).stat() == before
    note_owner(PATHS, "b.yaml")
    assert file_of(PATHS) == "b.yaml"
