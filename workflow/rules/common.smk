import sys
from functools import partial

try:
    from bakeoff.errors import UserError
except ModuleNotFoundError:
    sys.exit(
        f"\nthis workflow needs the package bakeoff: pip install bakeoff=={RELEASE}"
    )

from bakeoff.execution import (
    fits,
    order,
    fingerprints,
    snakemake_hooks,
    snakemake_release,
    steps,
)
from bakeoff.execution.session import Session

try:
    snakemake_release.check_release(RELEASE)
    if workflow.is_main_process:
        snakemake_hooks.end_in_a_line(workflow)
    # jobs that Snakemake starts do one thing and end: no workers, no check
    settings = workflow.resource_settings
    cores = settings.cores or settings.local_cores or 1
    workers = cores if workflow.is_main_process else 0
    files = snakemake_hooks.config_files(workflow)
    snakemake_hooks.refuse_storage(workflow)
    bakeoff = Session(config, files, workers)
    if workflow.is_main_process:
        snakemake_hooks.force(workflow, bakeoff.to_redo)
        snakemake_hooks.around(workflow, bakeoff.started, bakeoff.ended, bakeoff.stop)
except UserError as error:
    sys.exit(f"\n{error}")

EXPERIMENT = bakeoff.experiment
NEEDS = bakeoff.needs
PATHS = NEEDS.paths
TESTS = bakeoff.tests
FINGERPRINTS = bakeoff.fingerprints
do = bakeoff.do
forget = partial(snakemake_hooks.forget, workflow)


wildcard_constraints:
    dataset="|".join(EXPERIMENT.datasets),
    model="|".join(EXPERIMENT.fitted) or "(?!)",
    given="|".join(EXPERIMENT.given) or "(?!)",
    plan="|".join(NEEDS.plans),
    repeat=r"\d+",
    fold=r"\d+",
    seed=r"\d+",
