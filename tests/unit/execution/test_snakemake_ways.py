"""What is asked of Snakemake beyond its language is there, and what it is for."""

import asyncio
import io
import logging
import signal
import sys
from types import ModuleType, SimpleNamespace

import pytest
from snakemake import api, dag  # noqa: F401 - dag cannot be imported before api
from snakemake.exceptions import LockException
from snakemake.logging import logger
from snakemake.persistence import PersistenceBase
from snakemake.resources import Resources
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import ExecutionSettings, ResourceSettings, SchedulingSettings
from snakemake.utils import available_cpu_count
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_logger_plugins.common import LogEvent

from bakeoff.errors import UserError
from bakeoff.execution import snakemake_ways as ways


@pytest.fixture(autouse=True)
def handlers(monkeypatch):
    """Put back the handlers of signals, and what is changed of Snakemake."""
    name = "_serialize_param_pandas"
    monkeypatch.setattr(PersistenceBase, name, getattr(PersistenceBase, name))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Graph:
    """Three jobs, each of which needs the one before; the first is done already."""

    def __init__(self, until=()):
        self.dependencies = {"a": {}, "b": {"a": ""}, "c": {"b": ""}}
        self.forcefiles = {"a"}
        self.untilrules, self.untilfiles = set(until), set()
        self.targetjobs = set(until) or {"c"}

    def __len__(self):
        return 3

    def needrun(self, job):
        return job != "a"

    bfs = dag.DAG.bfs


def workflow_of(main=True, prefix=None, storage=None, **resources):
    paths = SimpleNamespace(prefix=prefix, modifies_prefixes=False)
    output = dict.fromkeys(("dryrun", "verbose", "printshellcmds", "debug_dag"), False)
    return SimpleNamespace(
        modifier=SimpleNamespace(is_main_snakefile=lambda: main, path_modifier=paths),
        configfiles=["a.yaml"],
        storage_settings=SimpleNamespace(default_storage_provider=storage),
        resource_settings=ResourceSettings(**resources),
        global_resources={"_cores": resources.get("cores")},
        output_settings=SimpleNamespace(**output),
        execution_settings=ExecutionSettings(),
        scheduling_settings=SchedulingSettings(max_jobs_per_second=100),
        is_main_process=True,
        dag=Graph(),
        local_exec=True,
    )


def test_private_names_are_there():
    """Each has a line that says what breaks without it."""
    assert hasattr(PersistenceBase, "_serialize_param_builtin")
    assert hasattr(ResourceSettings(), "_parsed_default_resources")
    assert "_executor" in JobScheduler.__init__.__code__.co_names
    assert hasattr(RemoteExecutor, "next_seconds_between_status_checks")
    assert "Directory cannot be locked" in str(LockException())
    for name in ("needrun", "set_until_jobs", "dependencies"):
        assert hasattr(dag.DAG, name)


def test_config_of_a_module_is_of_no_file_and_its_paths_stay():
    assert ways.config_files(workflow_of()) == ["a.yaml"]
    assert ways.config_files(workflow_of(main=False)) == []
    with pytest.raises(UserError, match=r"module: found `prefix:`.*results/<experiment>"):
        ways.config_files(workflow_of(main=False, prefix="mine/"))
    with pytest.raises(UserError, match=r"storage-provider: found s3, .* results/<experiment>"):
        ways.config_files(workflow_of(storage="s3"))


def test_all_cores_are_used_where_nobody_says():
    for main, given, cores in (
        (True, {}, available_cpu_count()),
        (True, {"cores": 1}, 1),
        (True, {"nodes": 100}, None),  # `jobs:` of a profile for a cluster
        (False, {}, None),
    ):
        workflow = workflow_of(main, **given)
        ways.prepare(workflow)
        assert workflow.resource_settings.cores == cores
        assert workflow.global_resources["_cores"] == cores


def test_jobs_are_threads_and_damaged_files_are_made_again_whatever_the_profile():
    workflow = workflow_of()
    ways.prepare_graph(workflow, lambda: {"b"})
    assert workflow.execution_settings.use_threads
    assert workflow.scheduling_settings.max_jobs_per_timespan is None
    assert workflow.dag.forcefiles == {"a", "b"}


def test_steps_beyond_until_are_not_counted():
    assert [ways.steps_of(Graph(until)) for until in ((), ("b",), ("c",), ("a",))] == [3, 1, 2, 0]


def test_lock_is_told_with_the_command_that_removes_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    workflow = workflow_of()
    workflow.configfiles = [tmp_path / "my file.yaml"]
    for program, command in (
        ("/x/bakeoff/execution/launch.py", "bakeoff run 'my file.yaml' --unlock"),
        ("/x/bin/snakemake", "snakemake --configfile 'my file.yaml' --unlock"),
    ):
        monkeypatch.setattr(sys, "argv", [program])
        assert ways.how_to_unlock(workflow).endswith(f"  {command}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_workers_and_interrupts(capsys, number):
    stopped = []
    ways.end_at_once(workflow_of(), lambda: stopped.append(True))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    assert stopped == [True]
    assert "interrupted; what is finished is kept" in capsys.readouterr().err


def test_remote_executor_wakes_up_when_it_ends():
    executor = SimpleNamespace(wait=True, next_seconds_between_status_checks=60.0)
    ways.sleep_in_steps(SimpleNamespace(scheduler=SimpleNamespace(_executor=executor)))

    async def end():
        asyncio.get_running_loop().call_later(0.1, lambda: setattr(executor, "wait", False))
        await asyncio.wait_for(executor.sleep(), 10)

    asyncio.run(end())


def test_last_answer_of_a_controller_that_is_away_is_taken(monkeypatch):
    answers = iter([300, 400, None, 500])
    plugin, part = (ModuleType(f"snakemake_executor_plugin_slurm{end}") for end in ("", ".utils"))
    for module in (plugin, part):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    plugin.get_min_job_age = part.get_min_job_age = lambda: next(answers)
    ways.bridge_outages(workflow_of())
    assert [part.get_min_job_age() for _ in range(3)] == [400, 400, 500]


def test_a_rule_is_given_what_is_asked_for_and_else_the_default_of_the_run():
    defaults = Resources.from_mapping({"mem_mb": lambda wildcards, attempt: 100 * attempt})
    settings = SimpleNamespace(_parsed_default_resources=defaults)
    own = {"mem_mb": 700, "gpu": 1}
    models = {"a": SimpleNamespace(resources=own), "b": SimpleNamespace(resources={})}
    needed = ways.resources(SimpleNamespace(resource_settings=settings), models)
    jobs = [(model, SimpleNamespace(model=model)) for model in models]
    values = {m: {name: of(job, attempt=2) for name, of in needed.items()} for m, job in jobs}
    assert values == {"a": {"mem": 700, "gpu": 1}, "b": {"mem": 200, "gpu": None}}


ERROR = """RuleException:
UserError in file "/w/rules/fit.smk", line 37:
the fit of model a failed: no luck
  log: a.log
  File "/w/rules/fit.smk", line 37, in __rule_fit"""


JOB = ("rule fit", {"event": LogEvent.JOB_INFO})
RECORDS = [
    ("Select jobs to execute...", {}),
    JOB,
    ("1 of 3 steps", {"event": LogEvent.PROGRESS, "done": 1, "total": 3}),
    ("2 of 3 steps", {"event": LogEvent.PROGRESS, "done": 2, "total": 3}),
    ("who knows what this is", {}),
    ("3 of 3 steps", {"event": LogEvent.PROGRESS, "done": 3, "total": 3}),
    ("Error in rule fit", {"event": LogEvent.JOB_ERROR, "aux": {}}),
    ("Error in rule fit on a cluster", {"event": LogEvent.JOB_ERROR, "aux": {"job": 7}}),
    (ERROR, {"event": LogEvent.ERROR}),
    ('WorkflowError:\nno rule\n  File "/w/Snakefile", line 3', {"event": LogEvent.ERROR}),
    ('NameError in file "/w/own.smk", line 3:\nname', {"event": LogEvent.ERROR}),
]
SHOWN = """2 of 3 steps
who knows what this is
3 of 3 steps
Error in rule fit on a cluster
the fit of model a failed: no luck
  log: a.log
WorkflowError:
no rule
NameError in file "/w/own.smk", line 3:
name
"""


@pytest.mark.parametrize(
    ("option", "records", "shown"),
    [
        ("none", RECORDS, SHOWN),
        *((name, [JOB], "rule fit\n") for name in ("dryrun", "printshellcmds", "verbose")),
    ],
)
def test_console_shows_progress_and_what_is_unknown_and_no_job(monkeypatch, option, records, shown):
    console = logging.StreamHandler(io.StringIO())
    console.name = "DefaultStreamHandler"
    console.addFilter(lambda _: True)
    monkeypatch.setattr(logger, "handlers", [console])
    clock = iter((0, 4, 5, 6))  # a line of progress in five seconds is enough
    monkeypatch.setattr(ways, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    workflow = workflow_of()
    vars(workflow.output_settings)[option] = True
    ways.show_progress(workflow)
    for text, fields in records:
        record = logging.LogRecord("snakemake", logging.INFO, "", 1, text, (), None)
        record.__dict__.update(fields)
        console.handle(record)
    assert console.stream.getvalue() == shown
