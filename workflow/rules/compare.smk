# one rule per test, named like the test
for test in TESTS:

    rule:
        name:
            test.name
        input:
            unpack(lambda wc, test=test: NEEDS.evidence(test)),
        output:
            PATHS.test(test.name),
        log:
            PATHS.log(f"tests/{test.name}"),
        localrule: True
        params:
            fingerprint=lambda wc, test=test: fingerprints.of_test(EXPERIMENT, test),
            test=test.name,
        run:
            test, evidence = TESTS[params.test], dict(input.items())
            what = f"the test {params.test}"
            do(what, log, steps.run_test, EXPERIMENT, test, evidence, *output)


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
        fingerprint=lambda wc: fingerprints.of_matrix(EXPERIMENT, TESTS),
    run:
        do(
            "the score matrix",
            log,
            steps.score_matrix,
            *(EXPERIMENT, TESTS, input[0], *output),
        )


# every metric of every model on held-out rows
rule list_intervals:
    input:
        list(NEEDS.holdouts.values()),
    output:
        PATHS.top("intervals.csv"),
    log:
        PATHS.log("intervals"),
    # it takes longer than any test on the same rows, so that at the end no core waits for it
    priority: order.FIRST
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_intervals(EXPERIMENT),
    run:
        found = EXPERIMENT, NEEDS.holdouts, output[0]
        do("the intervals of the scores", log, steps.list_intervals, *found)


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
        fingerprint=lambda wc: fingerprints.of_subgroups(EXPERIMENT),
    run:
        found = EXPERIMENT, NEEDS.holdouts, output[0]
        do("the comparison in subgroups", log, steps.list_subgroups, *found)


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
        fingerprint=lambda wc: fingerprints.of_comparisons(TESTS),
    run:
        do("comparing", log, steps.compare, list(input), *output)


rule resolve_experiment:
    output:
        PATHS.top("experiment.yaml"),
        PATHS.top("tests.json"),
    log:
        PATHS.log("resolve"),
    localrule: True
    params:
        fingerprint=lambda wc: fingerprints.of_listing(EXPERIMENT, TESTS),
    run:
        what = "writing the experiment"
        do(what, log, steps.resolve_experiment, EXPERIMENT, TESTS, *output)
