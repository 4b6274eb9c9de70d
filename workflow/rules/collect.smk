rule collect_scores:
    input:
        fits=lambda wc: NEEDS.finished_fits(wc.dataset, wc.plan),
        given=lambda wc: outside(NEEDS.given_scores(wc.dataset, wc.plan)),
        carried=lambda wc: NEEDS.row_columns(wc.dataset),
    output:
        scores=PATHS.scores("{dataset}", "{plan}"),
        timings=PATHS.timings("{dataset}", "{plan}"),
    log:
        PATHS.log("scores.{dataset}.{plan}"),
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT, wc.dataset),
        contents=lambda wc: digests.of_files(NEEDS.given_scores(wc.dataset, wc.plan)),
    run:
        do(log, steps.collect_scores, NEEDS, *wildcards)


# of a test set, or of all folds of a plan
rule collect_predictions:
    input:
        fits=lambda wc: NEEDS.finished_fits(wc.dataset, wc.plan),
        data=PATHS.data("{dataset}"),
        splits=PATHS.splits("{dataset}", "{plan}"),
        related=lambda wc: NEEDS.related(wc.dataset),
        carried=lambda wc: NEEDS.row_columns(wc.dataset),
    output:
        PATHS.predictions("{dataset}", "{plan}"),
    log:
        PATHS.log("predictions.{dataset}.{plan}"),
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT, wc.dataset),
    run:
        do(log, steps.collect_predictions, NEEDS, *wildcards)


rule all_scores:
    input:
        scores=NEEDS.by_plan(PATHS.scores),
        timings=NEEDS.by_plan(PATHS.timings),
    output:
        scores=PATHS.top("scores.csv"),
        timings=PATHS.top("timings.csv"),
    log:
        PATHS.log("all_scores"),
    localrule: True
    params:
        digest=lambda wc: digests.of_scores(EXPERIMENT),
    run:
        do(log, steps.all_scores, NEEDS)


# what the fits chose, which columns matter to them, and which failed
rule list_fits:
    input:
        NEEDS.by_plan(PATHS.scores),
    output:
        PATHS.top("{listed}.csv"),
    log:
        PATHS.log("{listed}"),
    wildcard_constraints:
        listed="choices|importance|excluded",
    localrule: True
    params:
        digest=lambda wc: digests.of_lists(EXPERIMENT),
    run:
        do(log, steps.list_fits, NEEDS, wildcards.listed)
