from os.path import abspath

FIGURES = [e for e in bakeoff.exhibits if e.form == "figure"]
TABLES = [e for e in bakeoff.exhibits if e.form == "table"]
STUDY = NEEDS.study(bakeoff.file)


report: "../report/overview.rst"


rule report:
    input:
        chosen=rules.resolve_experiment.output[1],
        comparisons=rules.compare.output.json,
        scores=rules.all_scores.output.scores,
        timings=rules.all_scores.output.timings,
        cards=[PATHS.card(dataset) for dataset in EXPERIMENT.datasets],
        holdouts=list(NEEDS.holdouts.values()),
        divisions=NEEDS.divisions,
        tables=list(NEEDS.extras.values()),
        matrix=NEEDS.matrix,
    output:
        html=report(
            PATHS.top("report.html"),
            caption="../report/report.rst",
            category="Report",
            labels={"what": "The whole report"},
        ),
        md=PATHS.top("report.md"),
        verdict=PATHS.top("verdict.txt"),
        figures=[
            report(
                PATHS.figure(e.name),
                caption=abspath(PATHS.caption(e.kind)),
                category=e.section,
                labels={"what": e.title, "form": e.form},
            )
            for e in FIGURES
        ],
        tables=[
            report(
                PATHS.table(e.name),
                caption=abspath(PATHS.caption(e.kind)),
                category=e.section,
                labels={"what": e.title, "form": e.form},
            )
            for e in TABLES
        ],
        latex=[PATHS.table(e.name, "tex") for e in TABLES],
        captions=[PATHS.caption(kind) for kind in {e.kind: e for e in bakeoff.exhibits}],
    log:
        PATHS.log("report"),
    localrule: True
    params:
        recipe=lambda wc: recipes.of_report(EXPERIMENT),
    run:
        tests = [PATHS.test(test) for test in bakeoff.tests]
        made = [*output, *map(str, rules.print_figures.output), *tests]
        made += [*NEEDS.extras.values(), *NEEDS.matrix]
        bakeoff.do(
            "the report", log, steps.report, STUDY, PATHS.root, made, PATHS.made
        )


rule print_figures:
    input:
        **dict(rules.report.input.items()),
    output:
        [PATHS.figure(e.name, kind) for e in FIGURES for kind in ("pdf", "png")],
    log:
        PATHS.log("print_figures"),
    localrule: True
    params:
        recipe=lambda wc: recipes.of_report(EXPERIMENT),
    run:
        bakeoff.do("the figures", log, steps.print_figures, STUDY, PATHS.root)
