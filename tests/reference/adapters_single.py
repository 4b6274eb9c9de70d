"""Reference cases of one model: binomial test, proportion intervals, one-sample t."""

from __future__ import annotations

from bakeoff.stats import binomial_test_from_counts, one_sample_t
from bakeoff.stats.rows.proportions import proportion_ci
from tests.reference.told import Adapter, Inputs, Values, told


def _binomial(variant: str, alternative: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = binomial_test_from_counts(
            n_correct=inputs["n"] - inputs["errors"],
            n=inputs["n"],
            rate="error",
            p0=inputs["p0"],
            variant=variant,
            alternative=alternative,
            ci_method="clopper_pearson",
        )
        return told(result)

    return adapt


def _intervals(inputs: Inputs) -> Values:
    def limits(method: str, clip: bool = True) -> list[float]:
        return list(
            proportion_ci(
                inputs["errors"],
                inputs["n"],
                method=method,
                confidence_level=inputs["conf_level"],
                clip=clip,
            )
        )

    rate = binomial_test_from_counts(
        n_correct=inputs["n"] - inputs["errors"], n=inputs["n"], rate="error"
    )
    return {
        "estimate": rate.estimate,
        "clopper_pearson": limits("clopper_pearson"),
        "wilson": limits("wilson"),
        "wilson_cc": limits("wilson_cc"),
        "wald_unclipped": limits("wald", clip=False),
        "agresti_coull_unclipped": limits("agresti_coull", clip=False),
        "jeffreys": limits("jeffreys"),
    }


def _one_sample_t(alternative: str) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        result = one_sample_t(inputs["scores"], mu0=inputs["mu0"], alternative=alternative)
        convention: Values = {}
        if result.status == "identical_scores":
            # every score is mu0: no difference, p 1, no interval from a variance of 0
            convention = {"statistic": 0.0, "pvalue": 1.0, "ci": ["NaN", "NaN"]}
        elif result.status == "zero_variance":
            # equal scores that are not mu0: infinite statistic, nothing decided
            convention = {"statistic": result.statistic, "pvalue": "NaN", "ci": ["NaN", "NaN"]}
        elif result.status == "too_few":
            # a single fold: nothing can be said
            convention = {"statistic": "NaN", "pvalue": "NaN", "ci": ["NaN", "NaN"]}
        return told(result) | {"mean": result.estimate, "convention": convention}

    return adapt


ADAPTERS = {
    ("binomial_test", "exact_two_sided"): _binomial("exact", "two-sided"),
    ("binomial_test", "exact_greater"): _binomial("exact", "greater"),
    ("binomial_test", "exact_less"): _binomial("exact", "less"),
    ("binomial_test", "normal_approx_two_sided"): _binomial("normal", "two-sided"),
    ("binomial_test", "normal_approx_greater"): _binomial("normal", "greater"),
    ("binomial_test", "normal_approx_less"): _binomial("normal", "less"),
    ("proportion_ci", "all"): _intervals,
    ("one_sample_t", "two_sided"): _one_sample_t("two-sided"),
    ("one_sample_t", "greater"): _one_sample_t("greater"),
    ("one_sample_t", "less"): _one_sample_t("less"),
}
