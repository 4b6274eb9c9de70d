rule load_dataset:
    input:
        lambda wc: bakeoff.sources(wc.dataset),
    output:
        table=f"{RESULTS}/data/{{dataset}}.parquet",
        card=f"{RESULTS}/data/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/load.{{dataset}}.log",
    # what is wrong with data from the network is told before the first fit, but for fits of other
    # data sets that find a free core meanwhile
    priority: 100
    localrule: True
    params:
        recipe=lambda wc: recipes.of_data(EXPERIMENT, wc.dataset),
    run:
        bakeoff.load_dataset(wildcards, output, log)


rule split_dataset:
    input:
        f"{RESULTS}/data/{{dataset}}.parquet",
    output:
        splits=f"{RESULTS}/splits/{{dataset}}.{{plan}}.parquet",
        quality=f"{RESULTS}/splits/{{dataset}}.{{plan}}.json",
    log:
        f"{RESULTS}/logs/split.{{dataset}}.{{plan}}.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_splits(EXPERIMENT, wc.plan),
    run:
        bakeoff.split_dataset(wildcards, input, output, log)
