# one rule per test, named like the test
for test in bakeoff.tests.values():

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
            recipe=lambda wc, test=test: recipes.of_test(EXPERIMENT, test),
            test=test.name,
        run:
            what, chosen = f"the test {params.test}", bakeoff.tests[params.test]
            evidence = dict(input.items())
            bakeoff.do(
                what, log, steps.run_test, EXPERIMENT, chosen, evidence, output[0]
            )


# one score per data set and model, where there are several data sets
rule score_matrix:
    input:
        rules.all_scores.output.scores,
    output:
        PATHS.top("score_matrix.csv"),
        PATHS.top("score_matrix.json"),
    log:
        PATHS.log("score_matrix"),
    localrule: True
    params:
        recipe=lambda wc: recipes.of_matrix(EXPERIMENT, bakeoff.tests.values()),
    run:
        tests = list(bakeoff.tests.values())
        bakeoff.do(
            "the score matrix",
            log,
            steps.score_matrix,
            *(EXPERIMENT, tests, input[0], *output),
        )


rule compare:
    input:
        [PATHS.test(test) for test in bakeoff.tests],
    output:
        csv=PATHS.top("comparisons.csv"),
        json=PATHS.top("comparisons.json"),
    log:
        PATHS.log("compare"),
    localrule: True
    params:
        recipe=lambda wc: recipes.of_comparisons(bakeoff.tests.values()),
    run:
        bakeoff.do("comparing", log, steps.compare, list(input), *output)


rule resolve_experiment:
    output:
        PATHS.top("experiment.yaml"),
        PATHS.top("tests.json"),
    log:
        PATHS.log("resolve"),
    localrule: True
    params:
        recipe=lambda wc: recipes.of_listing(EXPERIMENT, bakeoff.tests.values()),
    run:
        what, tests = "writing the experiment", list(bakeoff.tests.values())
        bakeoff.do(what, log, steps.resolve_experiment, EXPERIMENT, tests, *output)
