# a model that was trained elsewhere leaves the same file as one that was fitted here
rule take_predictions:
    input:
        given=lambda wc: EXPERIMENT.given[wc.given].predictions_on(wc.dataset),
        data=f"{RESULTS}/data/{{dataset}}.parquet",
        splits=f"{RESULTS}/splits/{{dataset}}.holdout.parquet",
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{given}}/holdout.parquet",
    log:
        f"{RESULTS}/logs/take/{{dataset}}/{{given}}.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_given(EXPERIMENT, wc.given),
    run:
        bakeoff.take_predictions(wildcards, input, output, log)
