# a model that was trained elsewhere leaves the same file as one that was fitted here
rule take_predictions:
    input:
        given=lambda wc: EXPERIMENT.given[wc.given].predictions_by(
            wc.dataset, wc.plan, split_name(wc.plan, wc.repeat, wc.fold)
        ),
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "{plan}"),
    output:
        PATHS.prediction("{dataset}", "{given}", FOLD),
    log:
        PATHS.log(f"take/{{dataset}}/{{given}}/{FOLD}"),
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_given(EXPERIMENT, wc.given),
    run:
        what = f"taking the predictions of {wildcards.given} on {wildcards.dataset}"
        place = fits.fit_of(wildcards), input.data, input.splits, output[0]
        do(what, log, steps.take_predictions, EXPERIMENT, *place)


use rule take_predictions as take_holdout with:
    input:
        given=lambda wc: EXPERIMENT.given[wc.given].predictions_by(
            wc.dataset, "holdout", "holdout"
        ),
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "holdout"),
    output:
        PATHS.prediction("{dataset}", "{given}", "holdout"),
    log:
        PATHS.log("take/{dataset}/{given}/holdout"),


use rule take_holdout as take_holdout_seed with:
    input:
        given=lambda wc: EXPERIMENT.given[wc.given].predictions_by(
            wc.dataset, "holdout", "holdout", int(wc.seed)
        ),
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "holdout"),
    output:
        PATHS.prediction("{dataset}", "{given}", HOLDOUT_SEED),
    log:
        PATHS.log(f"take/{{dataset}}/{{given}}/{HOLDOUT_SEED}"),
