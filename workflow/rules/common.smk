import sys
from functools import cache

from snakemake.utils import update_config

try:
    from bakeoff.errors import UserError
except ModuleNotFoundError:
    sys.exit(
        f"\nthis workflow needs the package bakeoff: pip install bakeoff=={RELEASE}"
    )

from bakeoff.execution import digests, snakemake_ways, steps
from bakeoff.execution.fits import fit_of
from bakeoff.execution.run import Run, check_release, typed

try:
    check_release(RELEASE)
    given = workflow.config_settings.config
    nested = [key for key in given if key in config and isinstance(given[key], dict)]
    update_config(config, {key: typed(given[key]) for key in nested})
    files = snakemake_ways.config_files(workflow)
    if workflow.is_main_process:
        snakemake_ways.prepare(workflow)
    remote = snakemake_ways.goes_to_a_cluster(workflow)
    BAKEOFF = Run(config, files, main=workflow.is_main_process, remote=remote)
except UserError as error:
    sys.exit(f"\n{error}")

EXPERIMENT, NEEDS, TESTS = BAKEOFF.experiment, BAKEOFF.needs, BAKEOFF.tests
PATHS, do = NEEDS.paths, BAKEOFF.do


@cache
def prepare_graph():
    snakemake_ways.prepare_graph(workflow, BAKEOFF.to_remake)


def outside(files):
    """Name files from outside the workflow; a param says what they hold, and dates do not count."""
    prepare_graph()  # each graph has a job that reads a file from outside, or could
    return ancient(files)


def brought(wildcards):
    """List the file of one training run of a given model."""
    fit = fit_of(wildcards)
    return [EXPERIMENT.given[fit.model].predictions_on(fit.dataset, fit.seed)]


wildcard_constraints:
    dataset="|".join(EXPERIMENT.datasets),
    model="|".join(EXPERIMENT.fitted) or "(?!)",
    given="|".join(EXPERIMENT.given) or "(?!)",
    plan="|".join(NEEDS.plans),
    part=r"(\.repeat-\d+\.fold-\d+)?(\.seed-\d+)?",
    test="|".join(test.name for test in TESTS) or "(?!)",
