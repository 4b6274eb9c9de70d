rule load_dataset:
    input:
        lambda wc: outside(NEEDS.sources(wc.dataset)),
    output:
        table=PATHS.data("{dataset}"),
        card=PATHS.card("{dataset}"),
        # what comparisons look at row by row, in a file of its own: no fit waits for it
        carried=(
            [PATHS.row_columns("{dataset}")]
            if any(map(NEEDS.row_columns, EXPERIMENT.datasets))
            else []
        ),
    log:
        PATHS.log("load.{dataset}"),
    # what is wrong with data is told before any fit
    priority: 1
    localrule: True
    params:
        digest=lambda wc: digests.of_data(EXPERIMENT, wc.dataset),
        contents=lambda wc: digests.of_files(NEEDS.sources(wc.dataset)),
    run:
        do(log, steps.load_dataset, NEEDS, *wildcards)


rule split_dataset:
    input:
        table=rules.load_dataset.output.table,
        given=lambda wc: outside(NEEDS.divisions_in(wc.dataset)),
    output:
        splits=PATHS.splits("{dataset}", "{plan}"),
        quality=PATHS.split_quality("{dataset}", "{plan}"),
    log:
        PATHS.log("split.{dataset}.{plan}"),
    localrule: True
    params:
        digest=lambda wc: digests.of_splits(EXPERIMENT, wc.plan),
        contents=lambda wc: digests.of_files(NEEDS.divisions_in(wc.dataset)),
    run:
        do(log, steps.split_dataset, NEEDS, *wildcards)
