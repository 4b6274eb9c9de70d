"""What was measured and tested, at what level, with what corrections, and by which programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.methods.design import MOST
from bakeoff.report.methods.sentence import Sentence, cited
from bakeoff.report.numbers import capital, count, percent, words
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.verdict.wording import the
from bakeoff.spec import PlannedTest
from bakeoff.spec.related import dependent

_TESTS = (("7c",), ("12e",))
_CORRECTED = {
    "holm": "holm1979",
    "hochberg": "hochberg1988",
    "hommel": "hommel1988",
    "shaffer": "shaffer1986",
    "max-t": "hothorn2008",
}
_NOT_LIBRARIES = ("python", "bakeoff", "snakemake", "platform", "machine", "matplotlib")


def analysis(study: Study) -> Iterator[Sentence]:
    """Say what was measured, what was tested, and by which programs."""
    yield _metrics(study)
    for test in study.analysis:
        yield from _test(study, test)
    yield from _level(study)
    yield from _related(study)
    yield from _subgroups(study)
    yield from _without(study)
    yield _programs(study)


def _metrics(study: Study) -> Sentence:
    first, *others = (study.written(metric).label for metric in study.experiment.metrics)
    said = f"Models were ranked by {first}"
    if others:
        said += f"; {words(others, MOST)} {'was' if len(others) == 1 else 'were'} also computed"
    return Sentence(f"{said}.", ("7a",), ("12e",))


def _test(study: Study, test: PlannedTest) -> Iterator[Sentence]:
    """Say what a test compared, on what, and what followed it."""
    posthoc = test.posthoc
    after = study.of_test(posthoc.name) if posthoc else []
    own = [f for f in study.of_test(test.name) if not f.rows[0].follows]
    if not own:  # told with the test that it follows
        return
    said = f"{capital(_who(study, own[0]))} by {the(own[0].entry)}{_sources(own)}"
    said += f" on {_on(study, own[0])}{_options(own, test)}"
    if after:
        of = "each with the control" if after[0].control else "every pair"
        of = "the best model with each other one" if after[0].leader_only else of
        said += f", followed by {the(after[0].entry)}{_sources(after)} of {of}"
    adjusted = next((f for f in (*own, *after) if f.role == "pair" and not f.bayesian), None)
    if adjusted is not None:
        said += _correction(adjusted.rows[0])
    yield Sentence(f"{said}.", *_TESTS)


def _who(study: Study, family: Family) -> str:
    alike = (f for f in study.families if f.entry == family.entry and f.role == family.role)
    by = words(list(dict.fromkeys(f.measure.title for f in alike)), MOST)
    if family.role == "single":
        return f"{by} of each model was tested against a value"
    if family.role == "omnibus":
        return f"all models were compared at once in {by}"
    if family.control:
        return f"{study.name(family.control)} was compared with each other model in {by}"
    return f"{'pairs of' if len(study.models) > 2 else 'the two'} models were compared in {by}"


def _on(study: Study, family: Family) -> str:
    if not family.dataset:
        return f"one score per data set, from {prose.PLANS[family.plan]}"
    each = ", in each data set" if study.several else ""
    return f"{prose.PLANS[family.plan]}{each}"


def _sources(families: Sequence[Family]) -> str:
    entry = families[0].entry
    used = (row.result.get("method") for family in families for row in family.rows)
    return cited(entry.citation, *used)


def _options(families: Sequence[Family], test: PlannedTest) -> str:
    """Name the form of a test, its side, its margin and its region of equivalence."""
    row = families[0].rows[0]
    said = []
    variants = list(dict.fromkeys(r.variant for f in families for r in f.rows if r.variant))
    if variants:
        said.append(f"variant {words(variants)}")
    if row.alternative != "two-sided":
        said.append("one-sided")
    for value, what in ((row.margin, "a margin"), (row.rope, "a region of practical equivalence")):
        if value == value and value is not None:
            said.append(f"{what} of ±{value:g} {families[0].written.unit}".rstrip())
    asked = {key: v for key, v in test.options.items() if key in ("p0", "mu0")}
    said += [f"{key} = {value:g}" for key, value in asked.items()]
    return f" ({', '.join(said)})" if said else ""


def _correction(row: Comparison) -> str:
    if row.family_size < 2:
        return ""
    if row.correction == "none":
        return f"; the {row.family_size} p-values were not corrected"
    how = prose.CORRECTIONS.get(row.correction, row.correction.replace("-", " "))
    by = f"the {how} procedure{cited(_CORRECTED.get(row.correction))}"
    return f"; p-values of {row.family_size:,} hypotheses were adjusted by {by}"


def _level(study: Study) -> Iterator[Sentence]:
    """State the level and the intervals, where anything was tested."""
    rows = [row for family in study.families if not family.bayesian for row in family.rows]
    if any(family.bayesian for family in study.families):
        said = (
            f"Bayesian tests decide by a posterior probability of {percent(1 - study.alpha)} or "
            "more."
        )
        yield Sentence(said, ("7b", "7c"), ("12e",))
    if not rows:
        return
    said = f"The level of every test is {percent(study.alpha)}"
    given = [row for row in rows if row.role == "pair" and not math.isnan(row.ci_low)]
    told: list[str] = []
    for tails in (1, 2):  # two one-sided tests at a level belong to an interval of twice this level
        own = [row for row in given if math.isnan(row.margin) == (tails == 1)]
        joint = any(prose.level_of(row).startswith("simultaneous") for row in own)
        kind = "simultaneous confidence intervals" if joint else "confidence intervals"
        whose = "those of the tests against a margin" if told else "differences are given"
        told += [f"{whose} with {percent(1 - tails * study.alpha)} {kind}"] if own else []
    if told:
        said += f", and {', '.join(told)}"
    yield Sentence(f"{said}.", ("7b",), ("12e",))


def _related(study: Study) -> Iterator[Sentence]:
    """Say what relates rows, and what the tests on rows made of it."""
    for dataset, kin in dependent(study.experiment).items():
        how = "come in groups" if kin.kind == "group" else "follow each other in time"
        on_rows = [
            f.rows[0] for f in study.families if f.dataset == dataset and f.entry.evidence.on_rows
        ]
        if not on_rows:
            continue
        said = f"Rows of {study.dataset_label(dataset)} {how} by {clean(kin.column)}"
        if any(INDEPENDENT in row.result for row in on_rows):
            said += "; tests on rows nevertheless treated them as independent"
        else:
            worth = prose.worth(study, on_rows[0]).partition(" sample size of ")[2]
            n = count(on_rows[0].n, "row")
            said += f"; the effective sample size of {n} is {worth}" if worth else ""
            said += "; the tests on rows account for this"
        yield Sentence(f"{said}.", ("6b", "7c"), ("12e",))


def _subgroups(study: Study) -> Iterator[Sentence]:
    if study.subgroups.empty:
        return
    columns = [clean(str(column)) for column in dict.fromkeys(study.subgroups["column"])]
    said = (
        f"Differences were estimated in the subgroups by {words(columns, MOST)}, with a test of "
        f"the interaction{cited('welch1951')}, adjusted by the Holm procedure{cited('holm1979')}."
    )
    yield Sentence(said, ("7b", "7c"), ("12d",))


def _without(study: Study) -> Iterator[Sentence]:
    """Name the models that dropped out."""
    if study.failed.empty:
        return
    pairs = dict.fromkeys(zip(study.failed["model"], study.failed["dataset"], strict=True))
    said = [f"{study.name(str(m))} on {study.dataset_label(str(d))}" for m, d in pairs]
    were = "was" if len(said) == 1 else "were"
    text = f"{words(said, MOST)} {were} left out because fits failed."
    yield Sentence(text, ("4a",))


def _programs(study: Study) -> Sentence:
    known = study.environment
    own = [
        f"{program} {known[program]}" for program in ("bakeoff", "snakemake") if program in known
    ]
    others = [
        f"{library} {version}"
        for library, version in known.items()
        if library not in _NOT_LIBRARIES
    ]
    python = [f"Python {known['python']}"] if "python" in known else []
    done = f"Computed with {words([*own, *python, *others], 20)}" if known else "Computed"
    seed = f"every random number comes from the seed {study.experiment.seed}"
    return Sentence(f"{done}; {seed}.", ("2c",))
