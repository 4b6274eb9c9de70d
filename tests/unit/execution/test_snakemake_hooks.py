"""What is used of Snakemake's internals is there, and told when it is not."""

from __future__ import annotations

import asyncio
import math
import re
import signal
import sys
import tomllib
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import snakemake.persistence
import snakemake.rules
from packaging.requirements import Requirement
from snakemake.api import Workflow
from snakemake.exceptions import WorkflowError
from snakemake.jobs import Job
from snakemake.modules import WorkflowModifier
from snakemake.path_modifier import PathModifier
from snakemake.persistence import PersistenceBase
from snakemake.persistence.file import FilePersistence
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import ResourceSettings
from snakemake.utils import available_cpu_count
from snakemake.workflow import DAG
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.execution import snakemake_hooks as hooks
from bakeoff.execution import snakemake_release as release
from bakeoff.execution import snakemake_savings as savings

ROOT = Path(__file__).parents[3]


@pytest.fixture
def handlers() -> Iterator[None]:
    """Put back the handlers of signals."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Remote(RemoteExecutor):  # type: ignore[misc]
    """A remote executor that has not been started."""

    def __init__(self) -> None:
        self.wait = True
        self._next_seconds_between_status_checks = 0.4

    def run_job(self, job: Any) -> None: ...

    def check_active_jobs(self, active_jobs: Any) -> None: ...

    def cancel_jobs(self, active_jobs: Any) -> None: ...


def test_releases_are_stated_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (stated,) = (line for line in project["dependencies"] if line.startswith("snakemake"))
    assert Requirement(stated) == release.supported()
    for file in (ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")):
        assert "min_version" not in file.read_text()


def test_release_that_is_known_to_work_is_the_locks() -> None:
    lock = (ROOT / "requirements/run.lock").read_text()
    assert f"\nsnakemake=={release.TRIED} " in lock


@pytest.mark.parametrize(("version", "fine"), [("9.27.0", True), ("9.0", False), ("10.0", False)])
def test_other_releases_are_refused(
    monkeypatch: pytest.MonkeyPatch, version: str, fine: bool
) -> None:
    monkeypatch.setattr(release, "installed", lambda: version)
    if fine:
        release.check_release(__version__)
        return
    with pytest.raises(UserError, match=rf"needs Snakemake .*9\.27.*, this is {version}"):
        release.check_release(__version__)


def test_rules_of_another_release_are_refused() -> None:
    told = rf"rules are of bakeoff 0\.0\.9, the package .* is {__version__}: pip install bakeoff=="
    with pytest.raises(UserError, match=told):
        release.check_release("0.0.9")
    text = (ROOT / "workflow/Snakefile").read_text(encoding="utf-8")
    assert f'RELEASE = "{__version__}"' in text


def scheduler_of() -> Any:
    """Make a scheduler of its own kind, which counts how often it lists its jobs."""

    class Scheduler:
        job_rate_limiter = 1
        _executor = SimpleNamespace()
        listed = 0

        @property
        def remaining_jobs(self) -> list[str]:
            self.listed += 1
            return ["a", "b"]

    return Scheduler()


def workflow_of(main: bool, prefix: str | None = None, replaces: bool = False) -> Any:
    done: list[str] = []
    paths = SimpleNamespace(prefix=prefix, modifies_prefixes=replaces)
    modifier = SimpleNamespace(is_main_snakefile=lambda: main, path_modifier=paths)
    return SimpleNamespace(
        modifier=modifier,
        configfiles=["a.yaml"],
        persistence=SimpleNamespace(
            _lockfile={"input": "0.input.lock"}, cleanup_metadata=done.append
        ),
        local_exec=True,
        scheduler=scheduler_of(),
        done=done,
        _dag=SimpleNamespace(forcefiles=set()),
        _prepare_dag=lambda: done.append("graph"),
        _onstart=lambda log: done.append(f"their start {log}"),
        _onsuccess=lambda log: done.append(f"their success {log}"),
        _onerror=lambda log: done.append(f"their error {log}"),
    )


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back what is changed of Snakemake's own classes and functions."""
    for thing, name in (
        (PersistenceBase, "_serialize_param_pandas"),
        (Job, "is_pipe_or_service_input"),
    ):
        monkeypatch.setattr(thing, name, getattr(thing, name))


@pytest.mark.parametrize("main", [True, False])
@pytest.mark.usefixtures("handlers", "kept")
def test_own_and_their_hooks_are_both_heard(main: bool) -> None:
    workflow, theirs = workflow_of(main), PersistenceBase._serialize_param_pandas
    done = workflow.done
    hooks.around(
        workflow,
        lambda locks: done.append(f"start with {locks}"),
        lambda success: done.append(f"ended {success}"),
        lambda: None,
    )
    workflow._prepare_dag()
    workflow._onstart("x")
    workflow._onsuccess("x")
    workflow._onerror("x")
    assert done == [
        "graph",
        "start with ['0.input.lock']",
        "their start x",
        "ended True",
        "their success x",
        "ended False",
        "their error x",
    ]
    # how the jobs of another's workflow run is not for a module to say
    assert (workflow.scheduler.job_rate_limiter is None) == main
    assert (PersistenceBase._serialize_param_pandas is not theirs) == main


def test_results_in_a_storage_are_refused() -> None:
    for provider in (None, "s3"):
        settings = SimpleNamespace(default_storage_provider=provider)
        workflow = SimpleNamespace(storage_settings=settings)
        if provider is None:
            hooks.refuse_storage(workflow)
            continue
        with pytest.raises(UserError, match=r"storage-provider: found s3, .* results/<experiment>"):
            hooks.refuse_storage(workflow)


def test_config_of_a_module_is_of_no_file_and_its_paths_stay() -> None:
    assert hooks.config_files(workflow_of(main=True)) == ["a.yaml"]
    assert hooks.config_files(workflow_of(main=False)) == []
    for changed in (workflow_of(False, prefix="mine/"), workflow_of(False, replaces=True)):
        with pytest.raises(UserError, match=r"module: found `prefix:`.*results/<experiment>"):
            hooks.config_files(changed)


@pytest.mark.parametrize(
    ("main", "given", "cores"),
    [
        (True, {}, available_cpu_count()),
        (True, {"cores": 1}, 1),
        (True, {"nodes": 100}, None),  # `jobs:` of a profile for a cluster
        (False, {}, None),
    ],
)
def test_all_cores_are_used_where_nothing_limits_them(
    main: bool, given: dict[str, int], cores: int | None
) -> None:
    settings = ResourceSettings(**given)
    workflow = SimpleNamespace(
        modifier=SimpleNamespace(is_main_snakefile=lambda: main),
        resource_settings=settings,
        global_resources={"_cores": settings.cores},
    )
    hooks.take_all_cores(workflow)
    assert (settings.cores, workflow.global_resources["_cores"]) == (cores, cores)
    assert settings.nodes == given.get("nodes")


def source(thing: Any) -> str:
    return Path(sys.modules[thing.__module__].__file__ or "").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("owner", "used"),
    [
        (JobScheduler, r"self\.job_rate_limiter = .*\n?"),
        (JobScheduler, r"if self\.job_rate_limiter is (not )?None:"),
        (JobScheduler, r"self\._executor(: \w+)? = "),
        (JobScheduler, r"@property\n    def remaining_jobs\(self\)"),
        (JobScheduler, r"jobs, self\.remaining_jobs, self\.resources"),
        (Workflow, r"self\._dag = DAG\("),
        (Workflow, r"self\._prepare_dag\("),
        (Workflow, r"self\._onstart\(self\.logger_manager"),
        (Workflow, r"self\._onsuccess\(self\.logger_manager"),
        (Workflow, r"self\._onerror\(self\.logger_manager"),
        (Workflow, r"self\.global_resources\[\"_cores\"\] = self\.resource_settings\.cores"),
        (Workflow, r"resource_settings: ResourceSettings"),
        (WorkflowModifier, r"def is_main_snakefile\(self\)"),
        (PathModifier, r"def modifies_prefixes\(self\)"),
        (PathModifier, r"self\.prefix = prefix"),
        (FilePersistence, r"self\._lockfile\[lock_type\] = lockfile"),
        (DAG, r"self\.forcefiles = set\(\)"),
        (DAG, r"not self\.forcefiles\.isdisjoint\(job\.output\)"),
        (PersistenceBase, r"def cleanup_metadata\(self, target"),
        (PersistenceBase, r"return self\._serialize_param_pandas"),
        (Job, r"self\.dag\.dependencies\[self\]"),
        (Job, r"f for f in self\.input if self\.is_pipe_or_service_input\(f\)"),
        (RemoteExecutor, r"async def sleep\(self\)"),
        (RemoteExecutor, r"await self\.sleep\(\)"),
        (RemoteExecutor, r"self\.wait = (True|False)"),
    ],
)
def test_this_release_uses_what_is_changed(owner: Any, used: str) -> None:
    assert re.search(used, source(owner)), f"{owner.__name__} has no {used}"


@pytest.mark.parametrize(
    ("hook", "name"),
    [
        (lambda: hooks.force(SimpleNamespace(), set), "_prepare_dag"),
        (lambda: hooks.config_files(SimpleNamespace()), "modifier"),
        (lambda: hooks.refuse_storage(SimpleNamespace()), "storage_settings"),
    ],
)
def test_what_has_moved_is_told(hook: Callable[[], None], name: str) -> None:
    with pytest.raises(release.MovedError, match=rf"Snakemake 9[\d.]+ has no .*{name}.*9\.27"):
        hook()


@pytest.mark.parametrize(
    ("thing", "said"), [(math, "math.no"), (Path, "Path.no"), (Fraction(1, 2), "Fraction.no")]
)
def test_what_has_moved_is_named_by_its_module_or_class(thing: Any, said: str) -> None:
    release.need(thing, "__class__.__name__")
    with pytest.raises(release.MovedError, match=f"has no {said}"):
        release.need(thing, "no.such")


CORRECTNESS = [
    "_prepare_dag",
    "_onstart",
    "_onsuccess",
    "_onerror",
    "_dag",
    "_dag.forcefiles",
    "persistence",
    "persistence.cleanup_metadata",
    "modifier",
    "modifier.is_main_snakefile",
]
OPTIONAL: list[tuple[Any, str]] = [
    (None, "local_exec"),
    (None, "scheduler"),
    (None, "scheduler.remaining_jobs"),
    (None, "scheduler.job_rate_limiter"),
    (None, "scheduler._executor"),
    (snakemake.persistence, "PersistenceBase"),
    (PersistenceBase, "_serialize_param_pandas"),
    (PersistenceBase, "_serialize_param_builtin"),
    (Job, "is_pipe_or_service_input"),
]


def run(workflow: Any) -> None:
    """Do with a workflow what a run does."""
    hooks.force(workflow, lambda: {"f"})
    hooks.around(workflow, lambda locks: None, lambda success: None, lambda: None)
    workflow._prepare_dag()
    workflow._onstart("x")
    workflow._onsuccess("x")


def without(workflow: Any, name: str) -> Any:
    *path, last = name.split(".")
    owner = attrgetter(".".join(path))(workflow) if path else workflow
    delattr(owner if last in vars(owner) else type(owner), last)
    return workflow


@pytest.mark.parametrize("name", CORRECTNESS)
@pytest.mark.usefixtures("handlers", "kept")
def test_a_release_without_what_results_need_is_refused(name: str) -> None:
    last = name.rpartition(".")[2]
    with pytest.raises(
        (release.MovedError, WorkflowError), match=rf"has no \w+\.{last}, .*snakemake 9\.27"
    ):
        run(without(workflow_of(main=True), name))


@pytest.mark.parametrize(("owner", "name"), OPTIONAL)
@pytest.mark.usefixtures("handlers", "kept")
def test_a_release_without_what_spares_time_is_told_in_a_line_and_runs(
    owner: Any,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    workflow = workflow_of(main=True)
    if owner is None:
        without(workflow, name)
    else:
        monkeypatch.delattr(owner, name)
    run(workflow)
    (line,) = capsys.readouterr().err.splitlines()
    last = name.rpartition(".")[2]
    assert re.match(rf"Snakemake 9[\d.]+ has no .*\.{last}\b.*: the results are the same", line)
    assert workflow._dag.forcefiles == {"f"}


@pytest.mark.usefixtures("handlers", "kept")
def test_a_release_with_all_is_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    run(workflow_of(main=True))
    assert capsys.readouterr().err == ""


def test_files_are_forced_when_the_graph_is_made_and_not_before() -> None:
    asked = []
    workflow = workflow_of(main=True)
    workflow._dag.forcefiles, workflow._prepare_dag = {"a"}, asked.append
    hooks.force(workflow, lambda: {"b"})
    assert workflow._dag.forcefiles == {"a"}
    workflow._prepare_dag("options")
    assert asked == ["options"]
    assert workflow._dag.forcefiles == {"a", "b"}


@pytest.mark.usefixtures("kept")
def test_params_are_written_down_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    values = ["a", 1, 0.5, None, ["b", {"c": [2]}], {"d": ()}]
    theirs = object.__new__(FilePersistence)
    written = list(map(theirs._serialize_param, values))
    monkeypatch.setitem(sys.modules, "pandas", None)  # an import of it fails
    with pytest.raises(ImportError):
        theirs._serialize_param("a")
    savings.spare_pandas()
    ours = object.__new__(FilePersistence)
    assert list(map(ours._serialize_param, values)) == written


def test_inputs_are_no_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "is_pipe_or_service_input", lambda job, path: path == "pipe")
    ours, theirs = (SimpleNamespace(dag=SimpleNamespace(workflow=object())) for _ in range(2))
    savings.expect_no_pipes(ours.dag.workflow)
    assert not any(Job.is_pipe_or_service_input(ours, path) for path in ("pipe", "file"))
    assert [Job.is_pipe_or_service_input(theirs, p) for p in ("pipe", "file")] == [True, False]
    rules = "".join(path.read_text() for path in (ROOT / "workflow").rglob("*.smk"))
    assert not re.search(r"\b(pipe|service)\(", rules)


def test_limit_of_jobs_is_lifted() -> None:
    for local in (True, False):
        workflow = workflow_of(main=True)
        workflow.local_exec = local
        savings.lift_rate_limit(workflow)
        assert (workflow.scheduler.job_rate_limiter is None) == local


def test_jobs_that_are_left_are_listed_for_who_looks() -> None:
    scheduler = scheduler_of()
    for _ in range(2):  # two workflows of one process
        savings.list_when_looked_at(SimpleNamespace(scheduler=scheduler))
    left = scheduler.remaining_jobs
    assert scheduler.listed == 0
    assert left
    assert list(left) == ["a", "b"]
    assert left[0] == "a"
    assert scheduler.listed == 1


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_workers_and_interrupts(
    capsys: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    stopped: list[bool] = []
    workflow = SimpleNamespace(scheduler=SimpleNamespace(_executor=object()))
    hooks.end_at_once(workflow, lambda: stopped.append(True))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    assert stopped == [True]
    assert "interrupted; what is finished is kept" in capsys.readouterr().err


@pytest.mark.usefixtures("handlers")
def test_remote_executor_wakes_up_when_it_ends() -> None:
    executor = Remote()
    hooks.end_at_once(SimpleNamespace(scheduler=SimpleNamespace(_executor=executor)), lambda: None)

    async def wait() -> list[str]:
        ended: list[str] = []

        async def end() -> None:
            ended.append("end")
            executor.wait = False

        executor._next_seconds_between_status_checks = 3600
        await asyncio.gather(executor.sleep(), end())
        return ended

    assert asyncio.run(wait()) == ["end"]


def test_last_answer_counts_while_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([300, None, None, 600, None])
    name = "snakemake_executor_plugin_slurm"
    plugin, other = ModuleType(name), ModuleType(f"{name}.validation")
    for module in (plugin, other):
        vars(module)["get_min_job_age"] = answers.__next__
        monkeypatch.setitem(sys.modules, module.__name__, module)
    vars(other)["get_min_job_age"] = vars(plugin)["get_min_job_age"]
    executor = type("Executor", (), {"__module__": name})()
    hooks.bridge_outages(SimpleNamespace(scheduler=SimpleNamespace(_executor=executor)))
    assert [plugin.get_min_job_age(), other.get_min_job_age()] == [300, 300]
    assert [plugin.get_min_job_age() for _ in range(2)] == [600, 600]


def test_other_executors_stay_as_they_are() -> None:
    before = dict(vars(sys.modules[__name__]))
    executor = type("Executor", (), {"__module__": __name__})()
    hooks.bridge_outages(SimpleNamespace(scheduler=SimpleNamespace(_executor=executor)))
    assert vars(sys.modules[__name__]) == before


def test_slurms_plugin_asks_so() -> None:
    plugin = pytest.importorskip("snakemake_executor_plugin_slurm")
    assert "get_min_job_age()" in source(plugin.Executor)
    assert plugin.Executor.__module__ == plugin.__name__
    assert issubclass(plugin.Executor, RemoteExecutor)
    ask = plugin.get_min_job_age
    for module in (plugin.job_status_query, plugin.validation):
        assert module.get_min_job_age is ask
