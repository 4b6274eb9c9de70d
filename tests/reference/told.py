"""What a result says, by the names that the reference values use."""

from contextlib import contextmanager
from unittest import mock

from bakeoff.stats.design.groups import Leverage

ALIASES = {
    "auc_A": "auc_a",
    "auc_B": "auc_b",
    "auc_A_ci_unclipped": "auc_a_ci_unclipped",
    "auc_B_ci_unclipped": "auc_b_ci_unclipped",
    "var_A": "var_a",
    "var_B": "var_b",
    "cov_AB": "cov_ab",
    "value_A": "value_a",
    "value_B": "value_b",
    "e1": "cost_a",
    "e2": "cost_b",
    "misclassification1": "misclassification_a",
    "misclassification2": "misclassification_b",
    **dict.fromkeys(("difference", "mean", "value"), "estimate"),
    **dict.fromkeys(("holm", "step_down"), "pvalue_adjusted"),
}
"""What the reference calls a number that has another name in results."""
SIDES = {"pvalue": "two-sided", "pvalue_greater": "greater", "pvalue_less": "less"}
OWN = ("statistic", "df", "df1", "df2", "pvalue", "estimate", "n")


def told(result):
    """Return all that a result holds, under its own names."""
    return {
        **result.effect_sizes,
        **result.details,
        **{name: getattr(result, name) for name in OWN},
        "status": result.status.value,
        "ci": list(result.ci) if result.ci else ["NaN", "NaN"],
    }


def columns(result):
    """Return what the pairs of a family say, a list for each kind of number."""
    names = ("estimate", "statistic", "df", "pvalue", "pvalue_adjusted")
    found = {name: [getattr(pair, name) for pair in result.pairs] for name in names}
    steps = {"single_step": result.details.get("single_step")}
    return found | steps | {"pairs": [[pair.a, pair.b] for pair in result.pairs]}


def convention(status):
    """Return our answers where formulas have none: see `docs/catalogue.md`."""
    if status in ("identical_scores", "no_discordant_pairs"):
        return {"statistic": 0.0, "z": 0.0, **dict.fromkeys(SIDES, 1.0)}
    return dict.fromkeys(SIDES, "NaN") if status == "zero_variance" else {}


def on_all_sides(test, *data, **options):
    """Return what the two-sided test says, and the p-values of all sides."""
    results = {name: test(*data, alternative=side, **options) for name, side in SIDES.items()}
    return told(results["pvalue"]) | {name: one.pvalue for name, one in results.items()}


@contextmanager
def as_printed():
    """Leave out the leverage of groups, and with it sign flips: the reference has neither.

    That of the package is held to `delong` and `mean_difference`, which have reference values of
    their own, in tests/unit/stats/test_metrics.py.
    """
    with mock.patch.object(Leverage, "from_codes", return_value=None):
        yield
