import sys
from functools import partial

from snakemake.io import IOFile

try:
    from bakeoff.errors import UserError
except ModuleNotFoundError:
    sys.exit(
        f"\nthis workflow needs the package bakeoff: pip install bakeoff=={RELEASE}"
    )

from bakeoff.execution import (
    console,
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
        snakemake_hooks.take_all_cores(workflow)
        console.show_progress(workflow.output_settings)
    # jobs that Snakemake starts do one thing and end: no workers, no check
    settings = workflow.resource_settings
    cores = settings.cores or settings.local_cores or 1
    workers = cores if workflow.is_main_process else 0
    files = snakemake_hooks.config_files(workflow)
    snakemake_hooks.refuse_storage(workflow)
    bakeoff = Session(config, files, workers)
    if workflow.is_main_process:
        snakemake_hooks.force(workflow, bakeoff.to_redo)
        snakemake_hooks.around(
            workflow,
            bakeoff.started,
            lambda success: bakeoff.ended(
                success, {file for job in workflow.dag.jobs for file in job.output}
            ),
            bakeoff.stop,
        )
except UserError as error:
    sys.exit(f"\n{error}")

EXPERIMENT = bakeoff.experiment
NEEDS = bakeoff.needs
PATHS = NEEDS.paths
TESTS = bakeoff.tests
FINGERPRINTS = bakeoff.fingerprints
do = bakeoff.do
forget = partial(snakemake_hooks.forget, workflow)


def from_outside(files, made):
    """Name files from outside the workflow, whose newer date counts only with other contents.

    Their digest is a param beside them, so that other contents with an older date count too.
    """
    recorded = workflow.persistence.params(IOFile(made)) or ()
    same = repr(fingerprints.of_files(files)) in recorded
    return ancient(files) if same else files


def brought(wildcards):
    """Name the files that stand in for a fit of a given model."""
    fit = fits.fit_of(wildcards)
    return from_outside(NEEDS.brought(fit), NEEDS.prediction(fit))


wildcard_constraints:
    dataset="|".join(EXPERIMENT.datasets),
    model="|".join(EXPERIMENT.fitted) or "(?!)",
    given="|".join(EXPERIMENT.given) or "(?!)",
    plan="|".join(NEEDS.plans),
    repeat=r"\d+",
    fold=r"\d+",
    seed=r"\d+",
