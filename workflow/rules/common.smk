import sys
from functools import cache

from snakemake.io import IOFile

try:
    from bakeoff.errors import UserError
except ModuleNotFoundError:
    sys.exit(
        f"\nthis workflow needs the package bakeoff: pip install bakeoff=={RELEASE}"
    )

from bakeoff.execution import digests, snakemake_ways, steps
from bakeoff.execution.fits import fit_of
from bakeoff.execution.run import Run, check_release, with_numbers

try:
    check_release(RELEASE)
    with_numbers(config, workflow.config_settings.config)
    files = snakemake_ways.config_files(workflow)
    if workflow.is_main_process:
        snakemake_ways.prepare(workflow)
    remote = snakemake_ways.goes_to_a_cluster(workflow)
    BAKEOFF = Run(config, files, main=workflow.is_main_process, remote=remote)
except UserError as error:
    sys.exit(f"\n{error}")

EXPERIMENT, NEEDS, TESTS = BAKEOFF.experiment, BAKEOFF.needs, BAKEOFF.tests
PATHS, MADE_BY, do = NEEDS.paths, BAKEOFF.made_by, BAKEOFF.do

# of jobs that could begin at the same time: data before the fits, whose mistakes are told early, and
# what follows on the fits of one data set, which would otherwise all be left for the end
FIRST = 1


@cache
def prepare_graph():
    snakemake_ways.prepare_graph(workflow, BAKEOFF.to_remake)


def forget(path):
    """Drop what Snakemake knows of a file that a batch has made anew."""
    workflow.persistence.cleanup_metadata(IOFile(path))


def from_outside(files, made):
    """Name files from outside the workflow, whose newer date counts only with other contents.

    Their digest is a param beside them, so that other contents with an older date count too.
    """
    prepare_graph()  # each graph has a job that reads a file from outside, or could
    recorded = workflow.persistence.params(IOFile(made)) or ()
    return ancient(files) if repr(digests.of_files(files)) in recorded else files


wildcard_constraints:
    dataset="|".join(EXPERIMENT.datasets),
    model="|".join(EXPERIMENT.fitted) or "(?!)",
    given="|".join(EXPERIMENT.given) or "(?!)",
    plan="|".join(NEEDS.plans),
    split=rf"({'|'.join(NEEDS.plans)})(\.repeat-\d+\.fold-\d+)?(\.seed-\d+)?",
    test="|".join(test.name for test in TESTS) or "(?!)",
