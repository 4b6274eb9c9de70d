"""What is asked of Snakemake beyond its language is there, and what it is for."""

import asyncio
import signal
import sys
from types import ModuleType, SimpleNamespace

import pytest
from snakemake.persistence import PersistenceBase
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import ExecutionSettings, ResourceSettings, SchedulingSettings
from snakemake.utils import available_cpu_count
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

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
        dag=SimpleNamespace(forcefiles={"a"}),
        local_exec=True,
    )


def test_private_names_are_there():
    """Each has a line that says what breaks without it."""
    assert hasattr(PersistenceBase, "_serialize_param_builtin")
    assert hasattr(ResourceSettings(), "_parsed_default_resources")
    assert "_executor" in JobScheduler.__init__.__code__.co_names
    assert hasattr(RemoteExecutor, "next_seconds_between_status_checks")


def test_config_of_a_module_is_of_no_file_and_its_paths_stay():
    assert ways.config_files(workflow_of()) == ["a.yaml"]
    assert ways.config_files(workflow_of(main=False)) == []
    with pytest.raises(UserError, match=r"module: found `prefix:`.*results/<experiment>"):
        ways.config_files(workflow_of(main=False, prefix="mine/"))
    with pytest.raises(UserError, match=r"storage-provider: found s3, .* results/<experiment>"):
        ways.config_files(workflow_of(storage="s3"))


@pytest.mark.parametrize(
    ("main", "given", "cores"),
    [
        (True, {}, available_cpu_count()),
        (True, {"cores": 1}, 1),
        (True, {"nodes": 100}, None),  # `jobs:` of a profile for a cluster
        (False, {}, None),
    ],
)
def test_all_cores_are_used_where_nobody_says(main, given, cores):
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_workers_and_interrupts(capsys, number):
    stopped = []
    ways.end_at_once(workflow_of(), lambda: stopped.append(True))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    assert stopped == [True]
    assert "interrupted; what is finished is kept" in capsys.readouterr().err


def test_an_interrupt_before_the_first_job_is_told_in_a_line():
    ways.prepare(workflow_of())
    with pytest.raises(SystemExit, match="interrupted before the first job"):
        signal.raise_signal(signal.SIGINT)


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
