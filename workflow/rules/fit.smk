RESOURCES = snakemake_ways.asked(workflow, BAKEOFF.resources)


rule fit:
    input:
        data=PATHS.data("{dataset}"),
        splits=lambda wc: PATHS.splits(wc.dataset, fit_of(wc).plan),
    output:
        PATHS.prediction("{dataset}", "{model}", "{split}"),
    log:
        PATHS.fit_log("{dataset}", "{model}", "{split}"),
    threads: lambda wc: BAKEOFF.threads(wc)
    resources:
        **RESOURCES,
    params:
        digest=lambda wc: BAKEOFF.made_by_of(wc),
    run:
        BAKEOFF.fit(wildcards, str(log))


# all fits of a model on a data set in one job (`execution: {jobs_per: model}`); those that are there
# with the right stamp stay
rule fit_model:
    input:
        data=PATHS.data("{dataset}"),
        splits=[PATHS.splits("{dataset}", plan) for plan in NEEDS.plans],
    output:
        PATHS.batch("{dataset}/{model}"),
    log:
        PATHS.log("batches/{dataset}/{model}"),
    threads: lambda wc: BAKEOFF.threads(wc)
    resources:
        **RESOURCES,
    params:
        digest=lambda wc: BAKEOFF.made_by_of(wc),
    run:
        BAKEOFF.fit_batch(wildcards, threads, *output, str(log), forget)


# all fits on a data set in one job (`execution: {jobs_per: dataset}`)
use rule fit_model as fit_dataset with:
    output:
        PATHS.batch("{dataset}"),
    log:
        PATHS.log("batches/{dataset}"),


# only where `on_error: exclude` lets a fit fail
rule find_excluded:
    input:
        lambda wc: NEEDS.all_fitted(wc.dataset),
    output:
        PATHS.excluded("{dataset}"),
    log:
        PATHS.log("excluded.{dataset}"),
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT, wc.dataset),
    run:
        found = NEEDS.all_predictions(wildcards.dataset, EXPERIMENT.fitted)
        do("looking for failed fits", log, steps.find_excluded, found, *output)


rule collect_scores:
    input:
        fits=lambda wc: NEEDS.fitted(wc.dataset, wc.plan),
        given=lambda wc: from_outside(
            NEEDS.given_scores(wc.dataset, wc.plan), PATHS.scores(wc.dataset, wc.plan)
        ),
        excluded=lambda wc: NEEDS.excluded(wc.dataset),
        carried=lambda wc: NEEDS.row_columns(wc.dataset),
    output:
        scores=PATHS.scores("{dataset}", "{plan}"),
        timings=PATHS.timings("{dataset}", "{plan}"),
    log:
        PATHS.log("scores.{dataset}.{plan}"),
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT, wc.dataset),
        contents=lambda wc: digests.of_files(NEEDS.given_scores(wc.dataset, wc.plan)),
    run:
        found = EXPERIMENT, *wildcards, *NEEDS.scored(*wildcards), MADE_BY
        do(
            "scoring {0}, {1}".format(*wildcards),
            log,
            steps.collect_scores,
            *found,
            *output,
        )


rule collect_predictions:
    input:
        fits=lambda wc: NEEDS.fitted(wc.dataset, "holdout"),
        excluded=lambda wc: NEEDS.excluded(wc.dataset),
        related=lambda wc: NEEDS.related(wc.dataset),
        carried=lambda wc: NEEDS.row_columns(wc.dataset),
    output:
        PATHS.holdout("{dataset}"),
    log:
        PATHS.log("predictions.{dataset}"),
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT, wc.dataset),
    run:
        what = f"collecting the predictions on {wildcards}"
        found = (
            NEEDS.test_predictions(*wildcards),
            *NEEDS.beside(*wildcards),
            MADE_BY,
        )
        do(what, log, steps.collect_predictions, *found, *output)


# every fold's predictions, where a test looks at the rows of folds
rule collect_fold_predictions:
    input:
        fits=lambda wc: NEEDS.fitted(wc.dataset, wc.plan),
        excluded=lambda wc: NEEDS.excluded(wc.dataset),
    output:
        PATHS.predictions("{dataset}", "{plan}"),
    log:
        PATHS.log("predictions.{dataset}.{plan}"),
    wildcard_constraints:
        plan="|".join(p for p in NEEDS.plans if p != "holdout") or "(?!)",
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT, wc.dataset),
    run:
        what = "collecting the predictions on {0}, {1}".format(*wildcards)
        found = NEEDS.fold_predictions(*wildcards), MADE_BY
        do(what, log, steps.collect_fold_predictions, *found, *output)


rule all_scores:
    input:
        scores=[PATHS.scores(d, p) for d in EXPERIMENT.datasets for p in NEEDS.plans],
        timings=[PATHS.timings(d, p) for d in EXPERIMENT.datasets for p in NEEDS.plans],
    output:
        scores=PATHS.top("scores.csv"),
        timings=PATHS.top("timings.csv"),
    log:
        PATHS.log("all_scores"),
    localrule: True
    params:
        digest=lambda wc: digests.of_joined(EXPERIMENT),
    run:
        tables = list(input.scores), list(input.timings)
        do("joining the scores", log, steps.all_scores, *tables, *output)


rule list_excluded:
    input:
        [PATHS.excluded(dataset) for dataset in EXPERIMENT.datasets],
    output:
        PATHS.top("excluded.csv"),
    log:
        PATHS.log("excluded"),
    localrule: True
    params:
        digest=lambda wc: digests.of_joined(EXPERIMENT),
    run:
        do("listing failed fits", log, steps.list_excluded, list(input), *output)


rule list_choices:
    input:
        rules.all_scores.input.scores,
    output:
        PATHS.top("choices.csv"),
    log:
        PATHS.log("choices"),
    localrule: True
    params:
        digest=lambda wc: digests.of_joined(EXPERIMENT),
    run:
        found = NEEDS.kept_predictions(lambda model: model.chooses)
        do("listing the fits' choices", log, steps.list_choices, found, *output)


rule list_importance:
    input:
        rules.all_scores.input.scores,
    output:
        PATHS.top("importance.csv"),
    log:
        PATHS.log("importance"),
    localrule: True
    params:
        digest=lambda wc: digests.of_joined(EXPERIMENT),
    run:
        what = "listing what columns matter"
        do(what, log, steps.list_importance, NEEDS.measured, *output)


rule list_seed_noise:
    input:
        rules.all_scores.input.scores,
    output:
        PATHS.top("seeds.csv"),
    log:
        PATHS.log("seeds"),
    localrule: True
    params:
        digest=lambda wc: digests.of_joined(EXPERIMENT),
    run:
        fits = NEEDS.kept_predictions(lambda model: model.seeds > 1)
        found = EXPERIMENT, fits, NEEDS.carried_files
        do(
            "comparing seeds and splits",
            log,
            steps.list_seed_noise,
            *found,
            *output,
        )
