rule load_dataset:
    input:
        lambda wc: NEEDS.sources(wc.dataset),
    output:
        table=PATHS.data("{dataset}"),
        card=PATHS.card("{dataset}"),
        # what comparisons look at row by row, in a file of its own: no fit waits for it
        carried=[PATHS.row_columns("{dataset}")] if NEEDS.carries else [],
    log:
        PATHS.log("load.{dataset}"),
    # what is wrong with data from the network is told before the first fit, but for fits of other
    # data sets that find a free core meanwhile
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_data(EXPERIMENT, wc.dataset),
    run:
        what = f"loading {wildcards.dataset}"
        do(what, log, steps.load_dataset, EXPERIMENT, wildcards.dataset, *output)


rule split_dataset:
    input:
        PATHS.data("{dataset}"),
        lambda wc: NEEDS.divisions_in(wc.dataset),
    output:
        splits=PATHS.splits("{dataset}", "{plan}"),
        quality=PATHS.split_quality("{dataset}", "{plan}"),
    log:
        PATHS.log("split.{dataset}.{plan}"),
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_splits(EXPERIMENT, wc.plan),
    run:
        what = f"splitting {wildcards.dataset} by {wildcards.plan}"
        place = wildcards.dataset, wildcards.plan, input[0]
        do(what, log, steps.split_dataset, EXPERIMENT, *place, *output)
