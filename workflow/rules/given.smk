# a model that was trained elsewhere leaves the same file as one that was fitted here
rule take_predictions:
    input:
        given=lambda wc: from_outside(
            NEEDS.brought(fit_of(wc)), NEEDS.prediction(fit_of(wc))
        ),
        data=PATHS.data("{dataset}"),
        splits=lambda wc: PATHS.splits(wc.dataset, fit_of(wc).plan),
    output:
        PATHS.prediction("{dataset}", "{given}", "{split}"),
    log:
        PATHS.log("take/{dataset}/{given}/{split}"),
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_given(EXPERIMENT, wc.given),
        contents=lambda wc: digests.of_files(NEEDS.brought(fit_of(wc))),
    run:
        what = f"taking the predictions of {wildcards.given} on {wildcards.dataset}"
        found = EXPERIMENT, fit_of(wildcards), input.data, input.splits
        do(what, log, steps.take_predictions, *found, *output)
