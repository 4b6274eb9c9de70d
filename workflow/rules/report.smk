report: "../report/overview.rst"


rule report:
    input:
        experiment=rules.resolve_experiment.output[0],
        chosen=rules.resolve_experiment.output[1],
        comparisons=rules.compare.output.json,
        scores=rules.all_scores.output.scores,
        timings=rules.all_scores.output.timings,
        cards=expand(rules.load_dataset.output.card, dataset=EXPERIMENT.datasets),
        holdouts=bakeoff.holdouts,
        divisions=bakeoff.divisions,
        tables=bakeoff.extras,
        matrix=bakeoff.matrix,
    output:
        html=report(
            f"{RESULTS}/report.html",
            caption="../report/report.rst",
            category="Report",
            labels={"what": "The whole report"},
        ),
        md=f"{RESULTS}/report.md",
        verdict=f"{RESULTS}/verdict.txt",
        figures=[
            report(
                f"{RESULTS}/figures/{e.name}.svg",
                caption=f"../report/{e.kind}.rst",
                category=e.category,
                labels={"what": e.title, "form": e.form},
            )
            for e in bakeoff.exhibits("figure")
        ],
        tables=[
            report(
                f"{RESULTS}/tables/{e.name}.csv",
                caption=f"../report/{e.kind}.rst",
                category=e.category,
                labels={"what": e.title, "form": e.form},
            )
            for e in bakeoff.exhibits("table")
        ],
        latex=[f"{RESULTS}/tables/{e.name}.tex" for e in bakeoff.exhibits("table")],
    log:
        f"{RESULTS}/logs/report.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_report(EXPERIMENT),
    run:
        bakeoff.report(input, log)


rule print_figures:
    input:
        **dict(rules.report.input.items()),
    output:
        [
            f"{RESULTS}/figures/{e.name}.{kind}"
            for e in bakeoff.exhibits("figure")
            for kind in ("pdf", "png")
        ],
    log:
        f"{RESULTS}/logs/print_figures.log",
    localrule: True
    params:
        recipe=lambda wc: recipes.of_report(EXPERIMENT),
    run:
        bakeoff.print_figures(input, log)
