rule test:
    input:
        lambda wc: list(NEEDS.evidence(TESTS.by_name[wc.test]).values()),
    output:
        PATHS.test("{test}"),
    log:
        PATHS.log("tests/{test}"),
    localrule: True
    params:
        digest=lambda wc: digests.of_tests(EXPERIMENT, TESTS.by_name[wc.test]),
    run:
        do(log, steps.run_test, NEEDS, TESTS.by_name[wildcards.test])


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
        digest=lambda wc: digests.of_tests(EXPERIMENT, *TESTS),
    run:
        do(log, steps.score_matrix, NEEDS, TESTS)


# every metric of every model with its interval, on held-out rows and over folds; the models in
# subgroups of held-out rows
rule list_rows:
    input:
        lambda wc: NEEDS.rows_of(wc.table),
    output:
        PATHS.top("{table}.csv"),
    log:
        PATHS.log("{table}"),
    wildcard_constraints:
        table="intervals|fold_intervals|subgroups",
    localrule: True
    params:
        digest=lambda wc: digests.of_tests(EXPERIMENT),
    run:
        do(log, steps.list_rows, NEEDS, wildcards.table)


# beside the comparisons, the experiment with all its defaults and why each test runs
rule compare:
    input:
        [PATHS.test(test.name) for test in TESTS],
    output:
        csv=PATHS.top("comparisons.csv"),
        json=PATHS.top("comparisons.json"),
        experiment=PATHS.top("experiment.yaml"),
        tests=PATHS.top("tests.json"),
    log:
        PATHS.log("compare"),
    localrule: True
    params:
        digest=lambda wc: digests.of_tests(EXPERIMENT, *TESTS),
        report=lambda wc: digests.of_report(EXPERIMENT, TESTS),
    run:
        do(log, steps.compare, NEEDS, TESTS)
