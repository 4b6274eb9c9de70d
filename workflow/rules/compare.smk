# one rule per test, named like the test
for test in bakeoff.tests:

    rule:
        name:
            test
        input:
            unpack(lambda wc, test=test: bakeoff.evidence(test)),
        output:
            f"{RESULTS}/tests/{test}.json",
        log:
            f"{RESULTS}/logs/tests/{test}.log",
        localrule: True
        params:
            recipe=lambda wc, test=test: recipes.of_test(
                EXPERIMENT, bakeoff.tests[test]
            ),
            test=test,
        run:
            bakeoff.test(params, input, output, log)


# one score per data set and model, where there are several data sets
rule score_matrix:
    input:
        rules.all_scores.output.scores,
    output:
        f"{RESULTS}/score_matrix.csv",
        f"{RESULTS}/score_matrix.json",
    log:
        f"{RESULTS}/logs/score_matrix.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_matrix(EXPERIMENT, bakeoff.tests.values()),
    run:
        bakeoff.tabulate(input, output, log)


rule compare:
    input:
        [f"{RESULTS}/tests/{test}.json" for test in bakeoff.tests],
    output:
        csv=f"{RESULTS}/comparisons.csv",
        json=f"{RESULTS}/comparisons.json",
    log:
        f"{RESULTS}/logs/compare.log",
    localrule: True
    run:
        bakeoff.compare(input, output, log)


rule resolve_experiment:
    output:
        f"{RESULTS}/experiment.yaml",
        f"{RESULTS}/tests.json",
    log:
        f"{RESULTS}/logs/resolve.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_listing(EXPERIMENT, bakeoff.tests.values()),
    run:
        bakeoff.resolve(output, log)
