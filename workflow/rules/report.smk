from os.path import abspath

FIGURES = [e for e in BAKEOFF.exhibits if e.form == "figure"]
TABLES = [e for e in BAKEOFF.exhibits if e.form == "table"]
PRINTS = [PATHS.figure(e.name, kind) for e in FIGURES for kind in ("pdf", "png")]
# made when asked for (`snakemake print_figures`), and kept up to date from then on
PRINTED = PRINTS if any(map(exists, PRINTS)) else []


report: "../report/overview.rst"


# what else an experiment's results hold, whose next run may drop some of it
BESIDE = [PATHS.test(test.name) for test in TESTS]
BESIDE += [*NEEDS.extras.values(), *NEEDS.matrix]


rule report:
    input:
        comparisons=[rules.compare.output.json, rules.compare.output.tests],
        scores=rules.all_scores.output.scores,
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
        verdict=[PATHS.top(f) for f in ("verdict.txt", "verdict.json")],
        methods=[PATHS.top(f) for f in ("methods.txt", "methods.tex", "references.bib")],
        figures=[
            report(
                PATHS.figure(e.name),
                caption=abspath(PATHS.caption(e.kind)),
                category=e.section,
                labels={"what": e.title, "form": e.form},
            )
            for e in FIGURES
        ],
        numbers=[PATHS.figure(e.name, "csv") for e in FIGURES],
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
        captions=[PATHS.caption(kind) for kind in {e.kind: e for e in BAKEOFF.exhibits}],
    log:
        PATHS.log("report"),
    localrule: True
    params:
        digest=lambda wc: digests.of_report(EXPERIMENT, TESTS),
    run:
        made = [*output, *PRINTS, *BESIDE]
        do(log, steps.report, NEEDS, BAKEOFF.file, made)


rule print_figures:
    input:
        **dict(rules.report.input.items()),
    output:
        PRINTS,
    log:
        PATHS.log("print_figures"),
    localrule: True
    params:
        digest=lambda wc: digests.of_report(EXPERIMENT, TESTS),
    run:
        do(log, steps.print_figures, NEEDS, BAKEOFF.file)
