rule load_dataset:
    input:
        lambda wc: from_outside(NEEDS.sources(wc.dataset), PATHS.data(wc.dataset)),
    output:
        table=PATHS.data("{dataset}"),
        card=PATHS.card("{dataset}"),
        # what comparisons look at row by row, in a file of its own: no fit waits for it
        carried=[PATHS.row_columns("{dataset}")] if NEEDS.carries else [],
    log:
        PATHS.log("load.{dataset}"),
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_data(EXPERIMENT, wc.dataset),
        contents=lambda wc: digests.of_files(NEEDS.sources(wc.dataset)),
    run:
        do(
            f"loading {wildcards}",
            log,
            steps.load_dataset,
            EXPERIMENT,
            *wildcards,
            *output,
        )


rule split_dataset:
    input:
        table=PATHS.data("{dataset}"),
        given=lambda wc: from_outside(
            NEEDS.divisions_in(wc.dataset), PATHS.splits(wc.dataset, wc.plan)
        ),
    output:
        splits=PATHS.splits("{dataset}", "{plan}"),
        quality=PATHS.split_quality("{dataset}", "{plan}"),
    log:
        PATHS.log("split.{dataset}.{plan}"),
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_splits(EXPERIMENT, wc.plan),
        contents=lambda wc: digests.of_files(NEEDS.divisions_in(wc.dataset)),
    run:
        what = "splitting {0} by {1}".format(*wildcards)
        found = EXPERIMENT, *wildcards, input.table, *output
        do(what, log, steps.split_dataset, *found)
