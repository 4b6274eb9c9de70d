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
        params:
            recipe=recipes.of_test(EXPERIMENT, test),
            test=test,
        run:
            bakeoff.run(
                "test",
                *(bakeoff.tests[params.test], EXPERIMENT, dict(input.items())),
                output[0],
                log=log,
                what=f"test {params.test}",
            )


rule compare:
    input:
        [f"{RESULTS}/tests/{test}.json" for test in bakeoff.tests],
    output:
        csv=f"{RESULTS}/comparisons.csv",
        json=f"{RESULTS}/comparisons.json",
    log:
        f"{RESULTS}/logs/compare.log",
    run:
        bakeoff.run("compare", list(input), output.csv, output.json, log=log, what="comparing")


rule resolve_experiment:
    output:
        f"{RESULTS}/experiment.yaml",
    log:
        f"{RESULTS}/logs/resolve.log",
    params:
        recipe=recipes.digest(EXPERIMENT.resolved()),
    run:
        bakeoff.run("resolve", EXPERIMENT, output[0], log=log, what="writing the experiment")
