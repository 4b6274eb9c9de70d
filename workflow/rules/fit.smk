from bakeoff.fit.fit_task import measured
from bakeoff.spec.experiment import split_name

FOLD = split_name("{plan}", "{repeat}", "{fold}")
FOLD_SEED = split_name("{plan}", "{repeat}", "{fold}", "{seed}")
HOLDOUT_SEED = split_name("holdout", 1, 1, "{seed}")
RESOURCES = snakemake_hooks.asked(workflow, bakeoff.resources)
BATCH = "{dataset}/{model}" if EXPERIMENT.execution.jobs_per == "model" else "{dataset}"


rule fit_fold:
    input:
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "{plan}"),
    output:
        PATHS.prediction("{dataset}", "{model}", FOLD),
    log:
        PATHS.fit_log("{dataset}", "{model}", FOLD),
    priority: lambda wc: bakeoff.priority(wc)
    threads: lambda wc: EXPERIMENT.models[wc.model].threads
    resources:
        **RESOURCES,
    params:
        fingerprint=lambda wc: FINGERPRINTS[wc.dataset][wc.model],
    run:
        bakeoff.fitter.fit(fits.fit_of(wildcards), str(log))


use rule fit_fold as fit_holdout with:
    input:
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "holdout"),
    output:
        PATHS.prediction("{dataset}", "{model}", "holdout"),
    log:
        PATHS.fit_log("{dataset}", "{model}", "holdout"),
    params:
        fingerprint=lambda wc: FINGERPRINTS[wc.dataset][wc.model],
        importance=measured(EXPERIMENT.importance),


use rule fit_fold as fit_seed with:
    output:
        PATHS.prediction("{dataset}", "{model}", FOLD_SEED),
    log:
        PATHS.fit_log("{dataset}", "{model}", FOLD_SEED),


use rule fit_holdout as fit_holdout_seed with:
    output:
        PATHS.prediction("{dataset}", "{model}", HOLDOUT_SEED),
    log:
        PATHS.fit_log("{dataset}", "{model}", HOLDOUT_SEED),
    params:
        fingerprint=lambda wc: FINGERPRINTS[wc.dataset][wc.model],


# many fits in one job (`execution: {jobs_per: model}`, or dataset)
rule fit_batch:
    input:
        data=PATHS.data("{dataset}"),
        splits=[PATHS.splits("{dataset}", plan) for plan in NEEDS.plans],
    output:
        PATHS.batch(BATCH),
    log:
        PATHS.log(f"batches/{BATCH}"),
    priority: lambda wc: bakeoff.priority(wc)
    threads: lambda wc: bakeoff.threads(wc)
    resources:
        **RESOURCES,
    params:
        fingerprint=lambda wc: bakeoff.batch_fingerprints(wc),
    run:
        bakeoff.fit_batch(wildcards, threads, output[0], str(log), forget)


# only where `on_error: exclude` lets a fit fail
rule find_excluded:
    input:
        lambda wc: NEEDS.all_fitted(wc.dataset),
    output:
        PATHS.excluded("{dataset}"),
    log:
        PATHS.log("excluded.{dataset}"),
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_scores(EXPERIMENT, wc.dataset),
    run:
        what = f"looking for failed fits on {wildcards.dataset}"
        predictions = NEEDS.all_predictions(wildcards.dataset, EXPERIMENT.fitted)
        do(what, log, steps.find_excluded, predictions, output[0])


rule collect_scores:
    input:
        lambda wc: NEEDS.fitted(wc.dataset, wc.plan),
        lambda wc: from_outside(
            NEEDS.given_scores(wc.dataset, wc.plan), PATHS.scores(wc.dataset, wc.plan)
        ),
        lambda wc: NEEDS.excluded(wc.dataset),
        carried=lambda wc: NEEDS.row_columns(wc.dataset),
    output:
        scores=PATHS.scores("{dataset}", "{plan}"),
        timings=PATHS.timings("{dataset}", "{plan}"),
    log:
        PATHS.log("scores.{dataset}.{plan}"),
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_scores(EXPERIMENT, wc.dataset),
        contents=lambda wc: fingerprints.of_files(
            NEEDS.given_scores(wc.dataset, wc.plan)
        ),
    run:
        dataset, plan = wildcards
        found = dataset, plan, *NEEDS.scored(dataset, plan), FINGERPRINTS
        what = f"scoring {dataset}, {plan}"
        do(what, log, steps.collect_scores, EXPERIMENT, *found, *output)


rule collect_predictions:
    input:
        lambda wc: NEEDS.fitted(wc.dataset, "holdout"),
        lambda wc: NEEDS.excluded(wc.dataset),
        related=lambda wc: NEEDS.related(wc.dataset),
        carried=lambda wc: NEEDS.row_columns(wc.dataset),
    output:
        PATHS.holdout("{dataset}"),
    log:
        PATHS.log("predictions.{dataset}"),
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_scores(EXPERIMENT, wc.dataset),
    run:
        dataset = wildcards.dataset
        found = (
            NEEDS.test_predictions(dataset),
            *NEEDS.beside(dataset),
            FINGERPRINTS,
        )
        what = f"collecting the predictions on {dataset}"
        do(what, log, steps.collect_predictions, *found, *output)


# every fold's predictions, where a test looks at the rows of folds
rule collect_fold_predictions:
    input:
        lambda wc: NEEDS.fitted(wc.dataset, wc.plan),
        lambda wc: NEEDS.excluded(wc.dataset),
    output:
        PATHS.predictions("{dataset}", "{plan}"),
    log:
        PATHS.log("predictions.{dataset}.{plan}"),
    wildcard_constraints:
        plan="|".join(p for p in NEEDS.plans if p != "holdout") or "(?!)",
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_scores(EXPERIMENT, wc.dataset),
    run:
        dataset, plan = wildcards
        what = f"collecting the predictions on {dataset}, {plan}"
        found = NEEDS.fold_predictions(dataset, plan), FINGERPRINTS
        do(what, log, steps.collect_fold_predictions, *found, output[0])


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
        fingerprint=lambda wc: fingerprints.of_joined_scores(EXPERIMENT),
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
        fingerprint=lambda wc: fingerprints.of_joined_scores(EXPERIMENT),
    run:
        step = steps.list_excluded
        do("listing failed fits", log, step, list(input), output[0])


rule list_choices:
    input:
        rules.all_scores.input.scores,
    output:
        PATHS.top("choices.csv"),
    log:
        PATHS.log("choices"),
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_joined_scores(EXPERIMENT),
    run:
        found = NEEDS.kept_predictions(lambda model: model.chooses)
        step = steps.list_choices
        do("listing the fits' choices", log, step, found, output[0])


rule list_importance:
    input:
        rules.all_scores.input.scores,
    output:
        PATHS.top("importance.csv"),
    log:
        PATHS.log("importance"),
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_joined_scores(EXPERIMENT),
    run:
        step, found = steps.list_importance, NEEDS.measured
        do("listing what columns matter", log, step, found, output[0])


rule list_seed_noise:
    input:
        rules.all_scores.input.scores,
    output:
        PATHS.top("seeds.csv"),
    log:
        PATHS.log("seeds"),
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_joined_scores(EXPERIMENT),
    run:
        fits = NEEDS.kept_predictions(lambda model: model.seeds > 1)
        found = EXPERIMENT, fits, NEEDS.carried_files
        step = steps.list_seed_noise
        do("comparing seeds and splits", log, step, *found, output[0])
