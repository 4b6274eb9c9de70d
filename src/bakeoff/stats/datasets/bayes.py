"""Two classifiers on several data sets: the Bayesian signed-rank test with a rope."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import PositiveInt, Rope, Seed
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.error_rates import TypeOneError
from bakeoff.stats.core.paired_differences import Differences, effect_sizes, paired_differences
from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, BayesResult, Status

Strength = Annotated[float, Ge(0), Le(1_000_000)]
"""A number of data sets; beyond this the integration would lose digits."""
_CHUNK = 4_000_000  # weights held at a time, 32 MB


@register(
    title="Bayesian signed-rank test",
    evidence=Evidence.DATASET_SCORES,
    arity=Arity.PAIR,
    about="algorithms",
    answers="Over data sets like these, how probable is it that A is better, that both are "
    "practically equivalent, or that B is better?",
    type1=TypeOneError.BAYESIAN,
    plans=ANY_PLAN,
    citation="benavoli2014",
    caution="It assumes that differences on different data sets are commensurable.",
    null_hypothesis="None is tested: the posterior weighs which of the two learning algorithms is "
    "better on a data set drawn like these.",
)
def bayes_signed_rank(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: Rope = 0.01,
    prior: Strength = 0.5,
    prior_place: Literal["rope", "a", "b"] = "rope",
    n_samples: PositiveInt = 100_000,
    seed: Seed = 0,
    greater_is_better: bool = True,
) -> BayesResult:
    """Bayesian signed-rank test over data sets: a Dirichlet process on the differences.

    Weights w ~ Dirichlet(prior, 1, ..., 1) over a pseudo-difference z₀ and the N differences
    give θ_A = Σᵢⱼ wᵢwⱼ [zᵢ + zⱼ > 2·rope], θ_B alike and θ_rope the rest; each probability is
    that of the region's θ being the largest (Benavoli et al. 2014, 2017). Sums on the border of
    the rope count half.

    Parameters
    ----------
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores; 0 for none.
    prior : float
        Strength of the pseudo-difference z₀, in data sets.
    prior_place : {"rope", "a", "b"}
        Where z₀ lies: at 0, beyond all differences on A's side, or on B's.
    n_samples : int
        Number of Dirichlet draws.

    Returns
    -------
    BayesResult
        `estimate` is the Hodges-Lehmann median of A − B. ``details`` holds the Monte Carlo
        standard error of each probability.

    Examples
    --------
    >>> a = [0.90, 0.85, 0.77, 0.93, 0.81, 0.66]
    >>> b = [0.87, 0.80, 0.78, 0.93, 0.76, 0.62]
    >>> result = bayes_signed_rank(a, b, seed=1)
    >>> print(f"{result.p_a_better:.2f} {result.p_equivalent:.2f} {result.p_b_better:.2f}")
    0.96 0.04 0.00
    """
    d = paired_differences(scores_a, scores_b, greater_is_better=greater_is_better)
    wins = _sample_winners(d, rope, prior, prior_place, n_samples, seed)
    p = wins / n_samples
    errors = np.sqrt(p * (1 - p) / n_samples)
    return BayesResult(
        statistic=math.nan,
        pvalue=math.nan,
        estimate=_hodges_lehmann(d.values),
        effect_sizes=effect_sizes(d),
        n=d.values.size,
        status=Status.IDENTICAL_SCORES if d.identical else Status.OK,
        assumptions=(
            _few_datasets(d.values.size, prior),
            Assumption(
                "Monte Carlo error is negligible",
                bool(errors.max() < 0.005),
                f"largest standard error {errors.max():.2g} from {n_samples} draws, seed {seed}",
            ),
        ),
        p_a_better=float(p[0]),
        p_equivalent=float(p[1]),
        p_b_better=float(p[2]),
        rope=rope,
        details={
            "monte_carlo_error": dict(
                zip(("a_better", "equivalent", "b_better"), errors.tolist(), strict=True)
            ),
            "n_samples": n_samples,
            "seed": seed,
            "prior": prior,
            "prior_place": prior_place,
        },
    )


def _few_datasets(n: int, prior: float) -> Assumption:
    return Assumption(
        "the data outweigh the prior",
        n > 5 * prior,
        f"{n} data sets against a prior worth {prior:g}",
    )


def _sample_winners(
    d: Differences, rope: Rope, prior: float, place: str, n_samples: int, seed: Seed
) -> FloatArray:
    """Count in how many draws each region (A, rope, B) has the largest weight.

    With the differences sorted, [zᵢ + zⱼ > c] holds for a suffix of j, so each draw costs one
    cumulative sum and not N² products.
    """
    far = 4 * (float(np.abs(d.values).max()) + rope + 1)
    z = np.append(d.values, {"rope": 0.0, "a": far, "b": -far}[place])
    weight = np.append(np.ones(d.values.size), prior)
    order = np.argsort(z, kind="stable")
    z, weight = z[order], weight[order]
    # sums within float noise of the border lie on it
    edge, tiny = 2 * rope, 2 * d.noise
    borders = {
        "up_to_above": np.searchsorted(z, edge + tiny - z, side="right"),
        "under_above": np.searchsorted(z, edge - tiny - z, side="left"),
        "up_to_below": np.searchsorted(z, -edge + tiny - z, side="right"),
        "under_below": np.searchsorted(z, -edge - tiny - z, side="left"),
    }
    rng = np.random.default_rng(seed)
    wins = np.zeros(3)
    rows = max(1, _CHUNK // z.size)
    for start in range(0, n_samples, rows):
        w = rng.gamma(weight, size=(min(rows, n_samples - start), z.size))
        w /= w.sum(axis=1, keepdims=True)
        up_to = np.concatenate((np.zeros((len(w), 1)), np.cumsum(w, axis=1)), axis=1)
        mass = {key: (w * up_to[:, j]).sum(axis=1) for key, j in borders.items()}
        theta_a = 1 - (mass["up_to_above"] + mass["under_above"]) / 2
        theta_b = (mass["up_to_below"] + mass["under_below"]) / 2
        theta = np.column_stack((theta_a, 1 - theta_a - theta_b, theta_b))
        wins += _count_winners(theta)
    return wins


def _count_winners(theta: FloatArray) -> FloatArray:
    """Count the largest entry of each row; ties within float noise share the row."""
    winners = theta >= theta.max(axis=1, keepdims=True) - 1e-12
    shared: FloatArray = (winners / winners.sum(axis=1, keepdims=True)).sum(axis=0)
    return shared


def _hodges_lehmann(z: FloatArray) -> float:
    i, j = np.triu_indices(z.size)
    return float(np.median((z[i] + z[j]) / 2))
