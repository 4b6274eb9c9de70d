rule load_dataset:
    input:
        lambda wc: bakeoff.sources(wc.dataset),
    output:
        table=f"{RESULTS}/data/{{dataset}}.parquet",
        card=f"{RESULTS}/data/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/load.{{dataset}}.log",
    params:
        recipe=lambda wc: recipes.of_data(EXPERIMENT, wc.dataset),
    run:
        bakeoff.run(
            "load_dataset",
            *(wildcards.dataset, EXPERIMENT, output.table, output.card),
            log=log,
            what=f"loading {wildcards.dataset}",
        )


rule split_dataset:
    input:
        f"{RESULTS}/data/{{dataset}}.parquet",
    output:
        f"{RESULTS}/splits/{{dataset}}.{{plan}}.parquet",
    log:
        f"{RESULTS}/logs/split.{{dataset}}.{{plan}}.log",
    params:
        recipe=lambda wc: recipes.of_splits(EXPERIMENT, wc.plan),
    run:
        bakeoff.run(
            "split_dataset",
            *(wildcards.dataset, wildcards.plan, EXPERIMENT.resampling.plans()[wildcards.plan]),
            *(EXPERIMENT.seed, input[0], output[0]),
            log=log,
            what=f"splitting {wildcards.dataset} by {wildcards.plan}",
        )
