"""The catalogue of tests: what each needs, what its null is about, where it comes from."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache, cached_property, partial
from typing import Any, Literal, cast

from bakeoff.stats.core.arguments import (
    F,
    Relation,
    Variants,
    checking,
    facts_of,
    fill_docstring,
    keywords_of,
    spread_record,
)
from bakeoff.stats.core.citations import cite
from bakeoff.stats.core.error_rates import ErrorRate, TypeOneError, error_rates, overall
from bakeoff.stats.core.result import fill_in

FAMILY = ("control", "correction", "leader_only", "simultaneous")
"""What the form of a test for all pairs is told of the family."""


class Evidence(StrEnum):
    """What a test is fed with; its positional arguments show what it reads, of how many models."""

    ROWS = "rows"
    """The rows of one test set, predicted by one fit of each model."""
    RUNS = "runs"
    """The rows of one test set, predicted by several training runs of a model."""
    FOLD_SCORES = "fold_scores"
    """Scores on J folds, or on (r, k) for the tests that use the replication structure."""
    FOLD_ROWS = "fold_rows"
    """The rows of all folds of a plan, in each of its repetitions."""
    DATASETS = "datasets"
    """One score of each model on each of N data sets."""

    @property
    def on_rows(self) -> bool:
        """Whether it is about the rows of one test set."""
        return self in (Evidence.ROWS, Evidence.RUNS)


class Arity(StrEnum):
    """How many models one call takes and what it returns."""

    ONE = "one"
    """One model, a `Result`: it has sides, as a comparison with a value."""
    PAIR = "pair"
    """Two models, ``..._a`` and ``..._b``, a `Result`."""
    OMNIBUS = "omnibus"
    """All models at once, one `Result`."""
    ALL_PAIRS = "all_pairs"
    """All models at once, a `PairwiseResult` with its own multiplicity control."""


Reads = Literal["correctness", "classes", "ranking", "predictions", "values", "scores", "criteria"]
_READS: dict[str, Reads] = {
    "correct": "correctness",
    "pred": "classes",
    "score": "ranking",
    "predicted": "predictions",
    "rows": "predictions",
    "values": "values",
    "scores": "scores",
}
"""What a test reads, by the name of its last positional argument."""


def _arity_and_reads(signature: inspect.Signature) -> tuple[Arity, Reads]:
    """Tell how many models a test takes, and what it reads, by its arguments and its result."""
    names = signature.parameters
    last = ""
    for name, parameter in names.items():
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            last = name
    arity = Arity.OMNIBUS
    if "alternative" in names:
        arity = Arity.ONE
    if str(signature.return_annotation) == "PairwiseResult":
        arity = Arity.ALL_PAIRS
    if last.endswith("_b"):
        arity = Arity.PAIR
        last = last.removesuffix("_b")
    if last == "runs" and "y_true" in names:
        return arity, "predictions"
    if last == "runs":
        return arity, "values"
    if "criteria" in names:
        return arity, "criteria"
    return arity, _READS[last]


_RETIRED = {
    "it is the form for all pairs of a test of two models: write in Python `all_pairs`, else "
    "`cv5x2_mcnemar`, `mcnemar`, `wilcoxon_signed_rank`, `metric_difference`, `mean_difference`": (
        "pairwise_cv5x2_mcnemar pairwise_mcnemar pairwise_wilcoxon compare_models compare_values"
    ),
    "groups belong to the data set now; write `binomial_test`, `cochran_q`, `cost_sensitive`, "
    "`delong`, `mcnemar`, `mean_difference`, `noninferiority` or `tost_paired`": (
        "clustered_accuracy clustered_cochran_q clustered_costs clustered_delong clustered_mcnemar "
        "clustered_mean_difference clustered_noninferiority clustered_tost crossed_mcnemar "
        "pairwise_clustered_mcnemar"
    ),
    "two are equivalent where the 90 % interval of their difference lies within the margin: write "
    "`fold_rows_difference`, `half_sample_t`, `corrected_repeated_kfold_t`, "
    "`corrected_resampled_t`, `recipe_difference` or `recipe_mean_difference` with `alpha: 0.1`, "
    "in Python `confidence_level=0.9`": (
        "tost_cv5x2 tost_folds tost_half_samples tost_recipe_means tost_recipes"
    ),
    "write `wilcoxon_signed_rank`, `friedman_posthoc` or `bayes_correlated_t` of each data set; "
    "`win_rates` counts wins": (
        "dunn rank_sum pairwise_rank_sum improvability bayes_sign bayes_signed_rank"
    ),
    "write `iman_davenport`, or `quade`; `missing_cells:` says what missing scores mean": (
        "skillings_mack friedman_aligned_ranks"
    ),
    "write `adjust_pvalues`, with Shaffer's or Holm's method": (
        "bergmann_hommel mcnemar_minp replicability_count shaffer_static"
    ),
    "with two models `manova` gives its p-value (`blocks=False`: folds of their own)": (
        "hotelling_t2 hotelling_t2_unpaired"
    ),
    "write `corrected_mean_ci`: the interval holds the values that are not rejected": (
        "corrected_one_sample_t half_sample_one_t"
    ),
    "published numbers alone determine no p-value; compare the predictions with "
    "`bakeoff.compare`, or the counts of the four cells with `mcnemar_from_counts`": (
        "accuracy_claim area_claim f1_claim repeats_claim"
    ),
    "leave it out: runs and rows have a quantile of Student's t each (two_t)": (
        "recipe_difference.variant recipe_mean_difference.variant"
    ),
    "`recipe_difference` says how much of a difference is due to seeds and to rows": (
        "variance_components variance_components_from_means"
    ),
    "calibration is described by the metric `ici` and the curve that a report draws with it": (
        "CALIBRATION_INTERCEPT CALIBRATION_SLOPE"
    ),
    "read `effect_sizes['share_a_better']` of the tests on folds": "prob_a_better",
    "write `MetricPower.from_pilot`, `detectable_difference` or `rows_to_decide`": (
        "GroupsPower HalfSamplePower IntervalPower MarginPower RunsPower prob_a_better_sample_size"
    ),
    "it is alpha/(k(k + 1)) for the k-th decision": "level_of_use",
    "write `row_dependence` with the items as groups": "items_and_runs",
    "it is 1 + (rows per group − 1) · icc": "expected_design_effect",
}
RETIRED: dict[str, str] = {}
for _instead, _names in _RETIRED.items():
    RETIRED |= dict.fromkeys(_names.split(), _instead)
"""Names of before, and options as ``test.option``, each with the end of a sentence that says what
to write instead."""

_PLANS: dict[Evidence, tuple[str, ...]] = {
    Evidence.ROWS: ("holdout",),
    Evidence.RUNS: ("holdout",),
    Evidence.FOLD_ROWS: ("cv_5x2",),
    Evidence.DATASETS: ("holdout", "kfold", "cv_5x2", "resampled"),
}
"""The plans of a test that names none."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """One test of the catalogue.

    Attributes
    ----------
    name, title : str
        The key in an experiment (``cv5x2_f``) and the name people use.
    function : Callable
        The public function; its keyword-only parameters are the test's options.
    evidence, arity : Evidence, Arity
        What it is fed with, and of how many models.
    reads : str
        What it reads of each observation: ``correctness`` (right or wrong), ``classes`` (with the
        costs of errors), ``ranking`` (a score that is larger for the positive class),
        ``predictions`` (what the metric looks at), ``values`` (a number), ``scores``, or
        ``criteria`` (scores by several metrics).
    answers, caution, null_hypothesis : str
        One plain sentence each: its question, when not to use it, and its null hypothesis; the
        last two may be empty.
    type1 : TypeOneError
        Its behaviour under the null: what the simulations show, or that it is Bayesian.
    rates : tuple of ErrorRate
        Its simulated type I error, by kind of learner or situation.
    better_test, posthoc, in_time : str
        The tests that hold the level where this one is liberal or ignores what relates rows, that
        follow it with pairs of models, and that take its place where rows are in order of time.
    plans : tuple of str
        Resampling plans whose splits it is valid on (``holdout``, ``cv_5x2``, ``kfold``,
        ``halves``, ``resampled``), the best first; those of its evidence, where it names none.
    citation : str
        Key in `bakeoff.stats.core.citations`; `register` takes a whole BibTeX entry too.
    paired, replications : bool
        Whether it uses that all models were scored on the same rows, folds or data sets, and
        whether it takes the scores of folds as repeats × folds; others take them in one row.
    unit : str
        What its estimate is measured in, where that is not the metric.
    planning : Callable or None
        Makes the quick `bakeoff.stats.Power` of the test, of the ``discordance`` of the rows or of
        the ``sd`` of a fold's difference.
    all_pairs, all_pairs_from : Callable or None, int
        A function that computes all pairs in one call, of the evidence of all models, `control`,
        `correction`, `simultaneous` and the test's options; from how many pairs on it is used:
        more than 2 where it says less of each pair than the test itself.
    variants, intervals : Variants or None
        What its options `variant` and `ci_method` may be, where it has a form for `groups`.
    check_options : Callable or None
        Raises where options do not fit each other, how the rows hang together, or the numbers of
        models and data sets: it takes these four.
    """

    name: str
    title: str
    function: Callable[..., Any]
    evidence: Evidence
    arity: Arity
    reads: Reads
    answers: str
    plans: tuple[str, ...]
    citation: str
    caution: str = ""
    type1: TypeOneError = TypeOneError.UNKNOWN
    rates: tuple[ErrorRate, ...] = ()
    better_test: str = ""
    posthoc: str = ""
    paired: bool = True
    replications: bool = False
    null_hypothesis: str = ""
    unit: str = ""
    planning: Callable[..., Any] | None = None
    all_pairs: Callable[..., Any] | None = None
    all_pairs_from: int = 2
    variants: Variants | None = None
    intervals: Variants | None = None
    check_options: Callable[[Mapping[str, Any], Relation, int, int], None] | None = None
    in_time: str = ""

    @property
    def about(self) -> Literal["models", "recipes", "algorithms"]:
        """Whether its null is about these models, about training them again, or the algorithms."""
        if self.evidence is Evidence.RUNS:
            return "recipes"
        if self.evidence.on_rows:
            return "models"
        return "algorithms"

    @property
    def fewest_models(self) -> int:
        """How many models it needs."""
        if self.arity is Arity.ONE:
            return 1
        if self.arity is Arity.OMNIBUS and self.reads != "criteria":
            return 3
        return 2

    @property
    def can_take_rows_for_independent(self) -> bool:
        """Whether it has a form that counts rows one by one, whatever relates them."""
        return self.knows_no_relation or self.variants is not None

    @property
    def knows_no_relation(self) -> bool:
        """Whether it counts rows one by one and has no other form."""
        if self.evidence is Evidence.FOLD_ROWS and self.reads == "predictions":
            return False  # its values of rows know the groups
        by_rows = self.evidence.on_rows or self.evidence is Evidence.FOLD_ROWS
        return by_rows and "groups" not in self.options and "time" not in self.options

    @property
    def liberal_for(self) -> tuple[str, ...]:
        """Where it is liberal: kinds of learners, and situations such as `IN_GROUPS`."""
        liberal = [rate for rate in self.rates if rate.verdict is TypeOneError.LIBERAL]
        return tuple(rate.label for rate in liberal)

    @property
    def simulated(self) -> tuple[str, ...]:
        """The studies in benchmarks/ that show its error rate."""
        studies: dict[str, None] = {}
        for rate in self.rates:
            studies |= dict.fromkeys(rate.studies)
        return tuple(studies)

    @cached_property
    def options(self) -> dict[str, inspect.Parameter]:
        """The keyword-only parameters of the function, with what their annotations stand for."""
        return keywords_of(self.function)

    @cached_property
    def all_options(self) -> dict[str, inspect.Parameter]:
        """`options`, and those that the form for all pairs has of its own."""
        if self.all_pairs is None:
            return self.options
        options = keywords_of(self.all_pairs)
        for name in FAMILY:
            options.pop(name, None)
        return options | self.options

    @cached_property
    def family_options(self) -> frozenset[str]:
        """The options of `all_pairs`: its keyword-only parameters, or the test's handed on."""
        if self.all_pairs is None:
            return frozenset()
        names = set(keywords_of(self.all_pairs))
        for parameter in inspect.signature(self.all_pairs).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                names.update(self.options, FAMILY)
        return frozenset(names)


_entries: dict[str, Entry] = {}


def register(*, evidence: Evidence, citation: str, **facts: Any) -> Callable[[F], F]:
    """Enter the decorated function in the catalogue under its `Entry` facts.

    Its arguments are checked by their annotations, and its results carry its name, its citation
    and its null hypothesis, unless the function gives others.
    """

    def enter(function: F) -> F:
        name = function.__name__
        if name in _entries:
            raise ValueError(f"two tests are called {name!r}")
        arity, reads = _arity_and_reads(inspect.signature(spread_record(function)))
        documented = facts_of(function)
        if arity is Arity.ONE:
            fill_docstring(function, "one")
        else:
            fill_docstring(function, evidence)
        stamp = _stamp(name, cite(citation), facts.get("null_hypothesis", ""))
        if "all_pairs" in facts:
            facts["all_pairs"] = checking(facts["all_pairs"], stamp)
        rates = error_rates().get(name, ())
        usual: dict[str, Any] = {
            "plans": _PLANS.get(evidence, ()),
            "rates": rates,
            "type1": overall(rate.verdict for rate in rates),
        }
        entry = Entry(
            name=name,
            function=checking(function, stamp),
            evidence=evidence,
            arity=arity,
            reads=reads,
            citation=cite(citation),
            **usual | documented | facts,
        )
        _entries[name] = entry
        return cast(F, entry.function)

    return enter


def form_of(test: Callable[..., Any]) -> Callable[[F], F]:
    """Check and stamp as its test a function that takes counts in place of rows."""

    def enter(function: F) -> F:
        entry = _entries[test.__name__]
        stamp = _stamp(entry.name, entry.citation, entry.null_hypothesis)
        return checking(fill_docstring(function), stamp)

    return enter


def _stamp(name: str, citation: str, null_hypothesis: str) -> Callable[[Any], Any]:
    """Return what fills in a result of a test: the facts that it leaves to the registration."""
    facts = {"test": name, "method": citation, "null_hypothesis": null_hypothesis}
    return partial(fill_in, facts)


def catalogue() -> dict[str, Entry]:
    """Return every registered test by name; importing each family module finds them."""
    _import_families()
    return dict(sorted(_entries.items()))


@cache
def _import_families() -> None:
    package = importlib.import_module("bakeoff.stats")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
