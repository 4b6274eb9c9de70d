import sys

from bakeoff import recipes
from bakeoff.errors import UserError
from bakeoff.workflow import Workflow

try:
    bakeoff = Workflow(config, workflow.configfiles, workflow.cores or 1)
except UserError as error:
    sys.exit(f"\n{error}")

EXPERIMENT = bakeoff.experiment
RESULTS = bakeoff.results


wildcard_constraints:
    dataset="|".join(EXPERIMENT.datasets),
    model="|".join(EXPERIMENT.models),
    plan="|".join(bakeoff.plans),
    repeat=r"\d+",
    fold=r"\d+",
