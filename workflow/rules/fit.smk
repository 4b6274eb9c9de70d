RESOURCES = snakemake_ways.resources(workflow, EXPERIMENT.fitted)


rule fit:
    input:
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "{plan}"),
    output:
        PATHS.prediction("{dataset}", "{model}", "{plan}{part}"),
    log:
        PATHS.fit_log("{dataset}", "{model}", "{plan}{part}"),
    threads: lambda wc: EXPERIMENT.fitted[wc.model].threads
    resources:
        **RESOURCES,
    params:
        digest=lambda wc: NEEDS.made_by[wc.dataset][wc.model],
    run:
        BAKEOFF.fitter.fit(fit_of(wildcards))


# all fits of a model on a data set in one job (`execution: {jobs_per: model}`); those that are there
# with the right stamp stay
rule fit_model:
    input:
        data=PATHS.data("{dataset}"),
        splits=[PATHS.splits("{dataset}", plan) for plan in NEEDS.plans],
    output:
        PATHS.batch("{dataset}", "{model}"),
    log:
        PATHS.log("batches/{dataset}/{model}"),
    threads: lambda wc: EXPERIMENT.fitted[wc.model].threads
    resources:
        **RESOURCES,
    params:
        digest=lambda wc: NEEDS.made_by[wc.dataset][wc.model],
    run:
        BAKEOFF.fitter.fit_batch(*wildcards, threads, *output, *log)


# a model that was trained elsewhere leaves the same file as one that was fitted here
rule take_predictions:
    input:
        given=lambda wc: outside(brought(wc)),
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "{plan}"),
    output:
        PATHS.prediction("{dataset}", "{given}", "{plan}{part}"),
    log:
        PATHS.log("take/{dataset}/{given}/{plan}{part}"),
    localrule: True
    params:
        digest=lambda wc: digests.of_given(EXPERIMENT, wc.given),
        contents=lambda wc: digests.of_files(brought(wc)),
    run:
        do(log, steps.take_predictions, NEEDS, fit_of(wildcards))
