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
            recipe=lambda wc, test=test: recipes.of_test(EXPERIMENT, test),
            test=test,
        run:
            bakeoff.test(params, input, output, log)


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
    log:
        f"{RESULTS}/logs/resolve.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.digest(EXPERIMENT.resolved()),
    run:
        bakeoff.resolve(output, log)
