import sys

from snakemake.io import IOFile

from bakeoff.run import recipes
from bakeoff.errors import UserError
from bakeoff.run.workflow import Workflow

try:
    # jobs that Snakemake starts do one thing and end: no workers, no check
    settings = workflow.resource_settings
    cores = settings.cores or settings.local_cores or 1
    workers = cores if workflow.is_main_process else 0
    bakeoff = Workflow(config, workflow.configfiles, workers)
except UserError as error:
    sys.exit(f"\n{error}")

EXPERIMENT = bakeoff.experiment
RESULTS = bakeoff.results


wildcard_constraints:
    dataset="|".join(EXPERIMENT.datasets),
    model="|".join(EXPERIMENT.fitted) or "(?!)",
    given="|".join(EXPERIMENT.given) or "(?!)",
    plan="|".join(bakeoff.plans),
    repeat=r"\d+",
    fold=r"\d+",
    seed=r"\d+",
