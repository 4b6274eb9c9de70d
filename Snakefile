"""Is classifier A really better than B, or was it the split? The contents page."""

from snakemake.utils import min_version

min_version("9.0")


# one file is one experiment: the default is never merged with another
if "models" not in config and not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/given.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        f"{RESULTS}/comparisons.csv",
        f"{RESULTS}/scores.csv",
        f"{RESULTS}/experiment.yaml",
        f"{RESULTS}/tests.json",
        bakeoff.matrix,
        f"{RESULTS}/report.html",
        rules.print_figures.output,
        bakeoff.extras,
    localrule: True


onstart:
    # Snakemake's limit of 100 jobs per second sets a timer at every look at the queue, each of
    # which sets the next: locally that costs more than all the fits of a large study
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    bakeoff.started(workflow.scheduler)


onsuccess:
    print(bakeoff.answer())
    bakeoff.close()
