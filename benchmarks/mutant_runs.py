"""Run tests on a copy of the tree, in forks of a process that has imported the libraries."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutant_points import ROOT, Mutant, mutated

# what most tests import, so that a fork need not
LIBRARIES = (
    *("numpy", "pandas", "scipy.stats", "scipy.optimize", "sklearn.ensemble", "skrub", "xgboost"),
    *("matplotlib.pyplot", "hypothesis", "pydantic", "pyarrow.parquet", "jinja2", "yaml", "psutil"),
    *("statsmodels.stats.contingency_tables", "mlxtend.evaluate", "pytest", "loky"),
)


class Recorder:
    """A pytest plugin: what each test runs, how long it takes, and whether it passes."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.shared: set[tuple[str, str]] = set()  # run by fixtures and imports
        self._now = self.shared
        sys.settrace(self._enter)
        threading.settrace(self._enter)

    def _enter(self, frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if "/src/" in code.co_filename:
            self._now.add((code.co_filename, code.co_qualname))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note what a test runs itself, apart from its fixtures."""
        begin, own, passed = time.process_time(), set[tuple[str, str]](), False
        self._now = own
        try:
            result = yield
            passed = True
            return result
        finally:
            self._now = self.shared
            sys.settrace(self._enter)  # a test may have set another
            self.tests[item.nodeid] = {
                "seconds": time.process_time() - begin,
                "passed": passed,
                "runs": sorted({named(*where) for where in own}),
            }

    def result(self) -> dict[str, Any]:
        """Return what was found, as JSON may hold it."""
        shared = {named(*where) for where in self.shared if where[1] != "<module>"}
        return {"tests": self.tests, "shared": sorted(shared)}


def named(filename: str, qualname: str) -> str:
    """Name a function as a mutant does: `src/…/file.py:Class.method`."""
    parts = [part for part in qualname.split(".") if not part.startswith("<")]
    return f"src/{filename.rpartition('/src/')[2]}:{'.'.join(parts)}"


class Chosen:
    """A pytest plugin: run some tests in a given order, and tell the first that fails."""

    def __init__(self, order: list[str]) -> None:
        self.order = {name: place for place, name in enumerate(order)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that are wanted, in their order."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order),
            key=lambda item: self.order[item.nodeid],
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that fails."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember a file that cannot even be imported."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def result(self) -> dict[str, Any]:
        """Return the test that failed, if one did."""
        return {"by": self.failed}


def serve() -> None:
    """Do jobs, one line of JSON each, in forks of a process that has imported the libraries."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.NamedTemporaryFile() as answer:
            child = os.fork()
            if child == 0:
                try:
                    _work(job, Path(answer.name))
                finally:  # whatever happens: a fork must not go on as a second server
                    os._exit(1)
            found = _wait(child, job["seconds"])
            text = Path(answer.name).read_text()
        print(json.dumps({"ended": found, **json.loads(text or "{}")}), flush=True)


def _work(job: dict[str, Any], answer: Path) -> None:
    """Run pytest, write what it found, and leave."""
    os.setsid()
    output = os.open("output", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    for stream in (0, 1, 2):
        os.dup2(output, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 5))
    from hypothesis import Phase, settings

    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("mutants", phases=phases, database=None, derandomize=True)
    plugin = Chosen(job["order"]) if "order" in job else Recorder()
    options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "--tb=no"]
    options += ["--hypothesis-profile=mutants"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*options, *(["-x"] if "order" in job else []), *job["files"]], [plugin])
    sys.settrace(None)
    found = plugin.result()
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        found["by"] = "pytest cannot start"  # the package cannot be imported
    answer.write_text(json.dumps(found))
    os._exit(0)


def _wait(child: int, seconds: int) -> str:
    """Wait for a fork and end all that it began; a dead or a deadlocked one says so."""
    end = time.monotonic() + 20 * seconds
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid or time.monotonic() > end:
            break
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not pid:
        os.waitpid(child, 0)
        return "no end"
    return "well" if status == 0 else "no end" if os.WIFSIGNALED(status) else "badly"


class Copy:
    """A copy of the tree with a fork server in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        paths = os.pathsep.join([str(folder / "src"), str(folder)])
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        self.server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.mutant_runs"],
            cwd=folder,
            env={**os.environ, **one, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, **job: Any) -> dict[str, Any]:
        """Have one job done."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(json.dumps(job) + "\n")
        self.server.stdin.flush()
        found: dict[str, Any] = json.loads(self.server.stdout.readline())
        return found

    def fails(self, mutant: Mutant, tests: dict[str, float]) -> str:
        """Return the first of the tests that fails with a mutant, or "" if they all pass."""
        file = self.folder / mutant.file
        original, times = file.read_bytes(), file.stat()
        file.write_text(mutated(mutant), encoding="utf-8")
        try:
            files = list(dict.fromkeys(name.split("::")[0] for name in tests))
            seconds = 60 + round(5 * sum(tests.values()))
            found = self.do(order=list(tests), files=files, seconds=seconds)
        finally:
            file.write_bytes(original)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        return str(found["by"]) if found["ended"] == "well" else str(found["ended"])

    def close(self) -> None:
        """End the server."""
        assert self.server.stdin is not None
        self.server.stdin.close()
        self.server.wait()


class Known:
    """Which tests run which functions, found out file by file when it is first asked."""

    def __init__(self) -> None:
        folders = ("tests/unit", "tests/contract", "tests/reference")
        tests = [file for folder in folders for file in (ROOT / folder).rglob("test_*.py")]
        sources = sorted((ROOT / "src").rglob("*.py"))
        examples = [file for file in sources if ">>> " in file.read_text(encoding="utf-8")]
        self._files = sorted(file.relative_to(ROOT).as_posix() for file in [*tests, *examples])
        self._locks = {file: threading.Lock() for file in self._files}
        self._found: dict[str, dict[str, Any]] = {}
        self._code = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).digest()

    def stages(self, mutant: Mutant) -> list[list[str]]:
        """Return files of tests: the mirrored one, those of the same room, contracts, others."""
        stem = Path(mutant.file).stem.lstrip("_")

        def distance(file: str) -> int:
            if file == mutant.file or Path(file).name == f"test_{stem}.py":
                return 0
            return 1 if f"/unit/{mutant.room}/" in file else 3 if "/unit/" in file else 2

        return [[file for file in self._files if distance(file) == n] for n in range(4)]

    def tests_of(self, copy: Copy, mutant: Mutant, files: list[str]) -> dict[str, float]:
        """Return the tests in some files that run what a mutant changes, quick files first."""
        function, chosen = f"{mutant.file}:{mutant.function}", []
        for file in files:
            found = self._of(copy, file)
            passed = {name: test for name, test in found["tests"].items() if test["passed"]}
            if function in found["shared"] or not mutant.function:
                module = f"{mutant.file}:"
                used = {name for test in passed.values() for name in test["runs"]}
                near = f"/{mutant.room}/" in file or function in found["shared"]
                own = passed if near or any(n.startswith(module) for n in used) else {}
            else:
                own = {name: test for name, test in passed.items() if function in test["runs"]}
            chosen.append({name: test["seconds"] for name, test in own.items()})
        chosen.sort(key=lambda own: sum(own.values()))
        return {
            name: own[name] for own in chosen for name in sorted(own, key=lambda name: own[name])
        }

    def _of(self, copy: Copy, file: str) -> dict[str, Any]:
        with self._locks[file]:
            if file not in self._found:
                self._found[file] = self._learn(copy, file)
            return self._found[file]

    def _learn(self, copy: Copy, file: str) -> dict[str, Any]:
        """Run a file's tests without a mutation, unless that was done for this code before."""
        digest = hashlib.sha256(self._code + (ROOT / file).read_bytes()).hexdigest()
        kept = Path(tempfile.gettempdir()) / "bakeoff-mutants" / digest
        if kept.exists():
            return dict(json.loads(kept.read_text()))
        found = copy.do(files=[file], seconds=1200)
        found = found if "tests" in found else {"tests": {}, "shared": []}
        failed = [name for name, test in found["tests"].items() if not test["passed"]]
        if failed or not found["tests"]:
            print(f"{file}: left out as failing anyway: {failed or 'all'}", file=sys.stderr)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(found))
        return found


def attempt(copy: Copy, mutant: Mutant, known: Known, far: int) -> tuple[str, str]:
    """Try a mutant on tests up to some distance; return the outcome and the test that found it."""
    tried = False
    for files in known.stages(mutant)[: far + 1]:
        tests = known.tests_of(copy, mutant, files)
        if tests and (by := copy.fails(mutant, tests)):
            return "killed", by
        tried |= bool(tests)
    return "survived", "" if tried else "no test runs it"


if __name__ == "__main__":
    serve()
