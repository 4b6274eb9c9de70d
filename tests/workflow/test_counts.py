"""What a run must not do more often than it needs: counts, for seconds vary with the machine."""

import pytest

# each Python process of a run notes itself, and which of these modules it imports
WATCH = """
import os, sys

def note(what):
    with open({file!r}, "a") as file:
        file.write(f"{{os.getpid()}} {{what}}\\n")

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in ("sklearn.base", "matplotlib.figure", "bakeoff.stats"):
            note(name)

sys.meta_path.insert(0, Watch())
if "loky.backend.popen_loky_posix" in sys.orig_argv:
    note("worker")
elif "snakemake" in sys.orig_argv:
    note("main")
"""


class Counted:
    """A runner that counts the processes of its runs and what they import."""

    def __init__(self, runner):
        self.runner, self.notes = runner, runner.folder / "notes"
        (runner.folder / "sitecustomize.py").write_text(WATCH.format(file=str(self.notes)))

    def __call__(self, experiment):
        """Return what each process noted, the main one first."""
        self.notes.write_text("")
        run = self.runner(experiment, cores=2)
        assert run.returncode == 0, run.stderr
        found = {}
        for line in self.notes.read_text().splitlines():
            process, what = line.split()
            found.setdefault(process, set()).add(what)
        return list(found.values())


@pytest.fixture
def counted(finished_copy):
    return Counted(finished_copy)


@pytest.mark.slow
def test_processes_and_their_imports_are_those_that_an_edit_needs(counted, tiny):
    assert counted(tiny) == [{"main"}]
    tiny["label"] = "Called otherwise"
    reports = {"worker", "matplotlib.figure", "bakeoff.stats"}
    assert counted(tiny) == [{"main"}, reports]
    tiny["tests"]["run"] = ["cv5x2_t"]
    main, *workers = counted(tiny)
    assert main == {"main"}
    assert len(workers) == 2
    assert all(worker <= reports for worker in workers)
