rule test:
    input:
        unpack(lambda wc: NEEDS.evidence(TESTS[wc.test])),
    output:
        PATHS.test("{test}"),
    log:
        PATHS.log("tests/{test}"),
    localrule: True
    params:
        digest=lambda wc: digests.of_test(EXPERIMENT, TESTS[wc.test]),
    run:
        found = EXPERIMENT, TESTS[wildcards.test], dict(input.items())
        do(f"the test {wildcards}", log, steps.run_test, *found, *output)


# one score per data set and model, where there are several data sets
rule score_matrix:
    input:
        rules.all_scores.output.scores,
    output:
        PATHS.top("score_matrix.csv"),
        PATHS.top("missing_scores.json"),
    log:
        PATHS.log("score_matrix"),
    localrule: True
    params:
        digest=lambda wc: digests.of_tables(EXPERIMENT, TESTS),
    run:
        found = EXPERIMENT, TESTS, *input
        do("the score matrix", log, steps.score_matrix, *found, *output)


# every metric of every model on held-out rows
rule list_intervals:
    input:
        list(NEEDS.holdouts.values()),
    output:
        PATHS.top("intervals.csv"),
    log:
        PATHS.log("intervals"),
    # it takes longer than any test on the same rows, so that at the end no core waits for it
    priority: FIRST
    localrule: True
    params:
        digest=lambda wc: digests.of_held_out(EXPERIMENT),
    run:
        found = EXPERIMENT, NEEDS.holdouts
        do(
            "the intervals of the scores",
            log,
            steps.list_intervals,
            *found,
            *output,
        )


# the same comparison in subgroups of held-out rows, where a data set has any
rule list_subgroups:
    input:
        list(NEEDS.holdouts.values()),
    output:
        PATHS.top("subgroups.csv"),
    log:
        PATHS.log("subgroups"),
    localrule: True
    params:
        digest=lambda wc: digests.of_held_out(EXPERIMENT),
    run:
        found = EXPERIMENT, NEEDS.holdouts
        do(
            "the comparison in subgroups",
            log,
            steps.list_subgroups,
            *found,
            *output,
        )


rule compare:
    input:
        [PATHS.test(test.name) for test in TESTS],
    output:
        csv=PATHS.top("comparisons.csv"),
        json=PATHS.top("comparisons.json"),
    log:
        PATHS.log("compare"),
    localrule: True
    params:
        digest=lambda wc: digests.of_tables(EXPERIMENT, TESTS),
    run:
        do("comparing", log, steps.compare, list(input), *output)


rule resolve_experiment:
    input:
        lambda wc: from_outside([], PATHS.top("tests.json")),
    output:
        PATHS.top("experiment.yaml"),
        PATHS.top("tests.json"),
    log:
        PATHS.log("resolve"),
    localrule: True
    params:
        digest=lambda wc: digests.of_report(EXPERIMENT, TESTS),
    run:
        what = "writing the experiment"
        do(what, log, steps.resolve_experiment, EXPERIMENT, TESTS, *output)
