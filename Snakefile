"""Is classifier A really better than B, or was it the split? The contents page."""

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
        rules.compare.output,
        rules.all_scores.output,
        rules.resolve_experiment.output,
        NEEDS.matrix,
        rules.report.output,
        rules.print_figures.output,
        list(NEEDS.extras.values()),
    localrule: True


onstart:
    bakeoff.started()
    if workflow.local_exec:
        snakemake_hooks.lift_rate_limit(workflow.scheduler)
    snakemake_hooks.end_at_once(workflow.scheduler, bakeoff.stop)
    snakemake_hooks.bridge_outages(workflow.scheduler)


onsuccess:
    print(bakeoff.answer())
    bakeoff.close()
