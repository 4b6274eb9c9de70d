"""Is classifier A really better than B, or was it the split? The workflow is in workflow/."""


include: "workflow/Snakefile"


# Snakemake drops the default target of what is included
rule default:
    default_target: True
    input:
        rules.all.input,
    localrule: True
