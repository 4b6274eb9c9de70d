rule fit_fold:
    input:
        data=f"{RESULTS}/data/{{dataset}}.parquet",
        splits=f"{RESULTS}/splits/{{dataset}}.{{plan}}.parquet",
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{model}}/{{plan}}.repeat-{{repeat}}.fold-{{fold}}.parquet",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{model}}/{{plan}}.repeat-{{repeat}}.fold-{{fold}}.log",
    params:
        recipe=lambda wc: recipes.of_fit(EXPERIMENT, wc.model),
    threads: lambda wc: EXPERIMENT.models[wc.model].threads
    run:
        bakeoff.run(
            "fit",
            *(bakeoff.fit(wildcards), EXPERIMENT.models[wildcards.model], EXPERIMENT.seed),
            *(input.data, input.splits, output[0]),
            log=log,
            what="fit of " + ", ".join(f"{k} {v}" for k, v in wildcards.items()),
        )


use rule fit_fold as fit_holdout with:
    input:
        data=f"{RESULTS}/data/{{dataset}}.parquet",
        splits=f"{RESULTS}/splits/{{dataset}}.holdout.parquet",
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{model}}/holdout.parquet",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{model}}/holdout.log",


rule collect_scores:
    input:
        lambda wc: bakeoff.predictions(wc.dataset, wc.plan),
    output:
        scores=f"{RESULTS}/collected/{{dataset}}.{{plan}}.scores.csv",
        timings=f"{RESULTS}/collected/{{dataset}}.{{plan}}.timings.csv",
    log:
        f"{RESULTS}/logs/scores.{{dataset}}.{{plan}}.log",
    params:
        recipe=recipes.of_scores(EXPERIMENT),
    run:
        bakeoff.run(
            "score",
            *(list(input), EXPERIMENT.metrics, output.scores, output.timings),
            log=log,
            what=f"scoring {wildcards.dataset}, {wildcards.plan}",
        )


rule collect_predictions:
    input:
        lambda wc: bakeoff.predictions(wc.dataset, "holdout"),
    output:
        f"{RESULTS}/collected/{{dataset}}.holdout.predictions.parquet",
    log:
        f"{RESULTS}/logs/predictions.{{dataset}}.log",
    params:
        recipe=recipes.of_scores(EXPERIMENT),
    run:
        bakeoff.run(
            "collect",
            *(dict(zip(EXPERIMENT.models, input)), output[0]),
            log=log,
            what=f"collecting the predictions of {wildcards.dataset}",
        )


rule all_scores:
    input:
        scores=expand(rules.collect_scores.output.scores, dataset=EXPERIMENT.datasets, plan=bakeoff.plans),
        timings=expand(rules.collect_scores.output.timings, dataset=EXPERIMENT.datasets, plan=bakeoff.plans),
    output:
        scores=f"{RESULTS}/scores.csv",
        timings=f"{RESULTS}/timings.csv",
    log:
        f"{RESULTS}/logs/all_scores.log",
    run:
        for tables, path in zip((input.scores, input.timings), output):
            bakeoff.run("concatenate", list(tables), path, log=log, what="collecting the scores")
