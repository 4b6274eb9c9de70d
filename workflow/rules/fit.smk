rule fit_fold:
    input:
        data=f"{RESULTS}/data/{{dataset}}.parquet",
        splits=f"{RESULTS}/splits/{{dataset}}.{{plan}}.parquet",
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{model}}/{{plan}}.repeat-{{repeat}}.fold-{{fold}}.parquet",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{model}}/{{plan}}.repeat-{{repeat}}.fold-{{fold}}.log",
    threads: lambda wc: EXPERIMENT.models[wc.model].threads
    params:
        recipe=lambda wc: recipes.of_fit(EXPERIMENT, wc.model),
    run:
        bakeoff.fit(wildcards, input, output, log)


use rule fit_fold as fit_holdout with:
    input:
        data=f"{RESULTS}/data/{{dataset}}.parquet",
        splits=f"{RESULTS}/splits/{{dataset}}.holdout.parquet",
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{model}}/holdout.parquet",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{model}}/holdout.log",


use rule fit_fold as fit_seed with:
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{model}}/{{plan}}.repeat-{{repeat}}.fold-{{fold}}.seed-{{seed}}.parquet",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{model}}/{{plan}}.repeat-{{repeat}}.fold-{{fold}}.seed-{{seed}}.log",


use rule fit_holdout as fit_holdout_seed with:
    output:
        f"{RESULTS}/predictions/{{dataset}}/{{model}}/holdout.seed-{{seed}}.parquet",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{model}}/holdout.seed-{{seed}}.log",


# many fits in one job (`execution: {jobs_per: model}`, or dataset)
rule fit_batch:
    input:
        data=f"{RESULTS}/data/{{dataset}}.parquet",
        splits=expand(
            f"{RESULTS}/splits/{{{{dataset}}}}.{{plan}}.parquet", plan=bakeoff.plans
        ),
    output:
        f"{RESULTS}/batches/{bakeoff.batch}.txt",
    log:
        f"{RESULTS}/logs/batches/{bakeoff.batch}.log",
    threads: lambda wc: bakeoff.threads(wc)
    params:
        recipe=lambda wc: bakeoff.recipes(wc),
    run:
        forget = lambda path: workflow.persistence.cleanup_metadata(IOFile(path))
        bakeoff.fit_batch(wildcards, input, output, log, threads, forget)


# only where `on_error: exclude` lets a fit fail
rule find_excluded:
    input:
        lambda wc: bakeoff.all_fitted(wc.dataset, workflow.dag.forcefiles),
    output:
        f"{RESULTS}/collected/{{dataset}}.excluded.json",
    log:
        f"{RESULTS}/logs/excluded.{{dataset}}.log",
    localrule: True
    run:
        bakeoff.find_excluded(wildcards, output, log)


rule collect_scores:
    input:
        lambda wc: bakeoff.fitted(wc.dataset, wc.plan, workflow.dag.forcefiles),
        lambda wc: bakeoff.excluded(wc.dataset),
    output:
        scores=f"{RESULTS}/collected/{{dataset}}.{{plan}}.scores.csv",
        timings=f"{RESULTS}/collected/{{dataset}}.{{plan}}.timings.csv",
    log:
        f"{RESULTS}/logs/scores.{{dataset}}.{{plan}}.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_scores(EXPERIMENT),
    run:
        bakeoff.score(wildcards, input, output, log)


rule collect_predictions:
    input:
        lambda wc: bakeoff.fitted(wc.dataset, "holdout", workflow.dag.forcefiles),
        lambda wc: bakeoff.excluded(wc.dataset),
    output:
        f"{RESULTS}/collected/{{dataset}}.holdout.predictions.parquet",
    log:
        f"{RESULTS}/logs/predictions.{{dataset}}.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_scores(EXPERIMENT),
    run:
        bakeoff.collect(wildcards, input, output, log)


rule all_scores:
    input:
        scores=expand(
            rules.collect_scores.output.scores,
            dataset=EXPERIMENT.datasets,
            plan=bakeoff.plans,
        ),
        timings=expand(
            rules.collect_scores.output.timings,
            dataset=EXPERIMENT.datasets,
            plan=bakeoff.plans,
        ),
    output:
        scores=f"{RESULTS}/scores.csv",
        timings=f"{RESULTS}/timings.csv",
    log:
        f"{RESULTS}/logs/all_scores.log",
    localrule: True
    run:
        bakeoff.concatenate(input, output, log)


rule list_excluded:
    input:
        expand(rules.find_excluded.output, dataset=EXPERIMENT.datasets),
    output:
        f"{RESULTS}/excluded.csv",
    log:
        f"{RESULTS}/logs/excluded.log",
    localrule: True
    run:
        bakeoff.list_excluded(input, output, log)


rule list_choices:
    input:
        rules.all_scores.input.scores,
    output:
        f"{RESULTS}/tuned.csv",
    log:
        f"{RESULTS}/logs/tuned.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_scores(EXPERIMENT),
    run:
        bakeoff.list_choices(output, log)


rule list_seed_noise:
    input:
        rules.all_scores.input.scores,
    output:
        f"{RESULTS}/seeds.csv",
    log:
        f"{RESULTS}/logs/seeds.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_scores(EXPERIMENT),
    run:
        bakeoff.list_seed_noise(output, log)
