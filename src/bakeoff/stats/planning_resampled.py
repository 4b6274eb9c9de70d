"""How large a difference the combined 5x2cv F test can find, by simulation.

The ten fold differences are drawn as d = δ + σ (√ρ g + √(1 − ρ) e) with standard normal g,
shared by all ten, and e, one for each. Everything then depends on δ/σ and ρ.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from bakeoff.stats._checks import FloatArray, check_count, check_level, check_number
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._power import PowerResult, check_discordance, check_positive

__all__ = ["cv5x2_f_detectable_difference", "cv5x2_f_power", "cv5x2_f_sample_size"]


@fill_docstring
def cv5x2_f_power(
    *,
    difference: float,
    sd: float | None = None,
    n: int | None = None,
    discordance: float | None = None,
    correlation: float = 0.0,
    alpha: float = 0.05,
    n_simulations: int = 20_000,
    seed: int = 0,
) -> PowerResult:
    """Power of the combined 5x2cv F test, by simulation.

    Parameters
    ----------
    difference : float
        The true difference of the algorithms' scores.
    sd : float, optional
        Standard deviation of one fold's difference, e.g. from a pilot run. Or give both:
    n, discordance : optional
        Rows of the data set, and the probability that exactly one model is right on a row.
        Then sd = √((discordance − difference²)/(n/2)), the sampling error on a test half: the
        least it can be, as training on another half adds to it.
    correlation : float
        Correlation of the fold differences, in [0, 1). The test takes it for 0; it is not,
        and makes the test more liberal.
    alpha : float
        Level of the test.
    n_simulations : int
        Number of simulated cross-validations.
    seed : int
        Seed of the simulation.

    Returns
    -------
    PowerResult
        With `power` and its `monte_carlo_error`.

    Examples
    --------
    >>> plan = cv5x2_f_power(difference=0.02, sd=0.01)
    >>> round(plan.power, 2), round(plan.monte_carlo_error, 4)
    (0.59, 0.0035)
    """
    scale = _scale(difference, sd, n, discordance)
    noise = _noise(correlation, n_simulations, seed)
    power = _power(difference / scale, noise, alpha)
    return _plan(difference, scale, n, discordance, correlation, alpha, power, seed, noise)


@fill_docstring
def cv5x2_f_detectable_difference(
    *,
    power: float = 0.8,
    sd: float | None = None,
    n: int | None = None,
    discordance: float | None = None,
    correlation: float = 0.0,
    alpha: float = 0.05,
    n_simulations: int = 20_000,
    seed: int = 0,
) -> PowerResult:
    """Smallest difference that the combined 5x2cv F test would find with a power.

    Parameters
    ----------
    power : float
        The power to reach.
    sd, n, discordance, correlation, alpha, n_simulations, seed
        As in `cv5x2_f_power`.

    Returns
    -------
    PowerResult
        With `difference` and its `monte_carlo_error`, in the unit of the scores.

    Examples
    --------
    >>> plan = cv5x2_f_detectable_difference(sd=0.01)
    >>> round(plan.difference, 3)
    0.025
    """
    unit = _scale(0.0, sd, n, discordance)  # checks, and is the answer's unit for a given sd
    noise = _noise(correlation, n_simulations, seed)
    effect, error = _effect_for(power, noise, alpha)
    if n is None:
        difference, per_effect = effect * unit, unit
    else:  # solves difference = effect * sd(difference)
        shrink = 1 / math.sqrt(1 + 2 * effect**2 / n)
        difference, per_effect = effect * unit * shrink, unit * shrink**3
    scale = difference / effect
    reached = _power(effect, noise, alpha)
    return _plan(
        difference,
        scale,
        n,
        discordance,
        correlation,
        alpha,
        reached,
        seed,
        noise,
        error * per_effect,
    )


@fill_docstring
def cv5x2_f_sample_size(
    *,
    difference: float,
    discordance: float,
    power: float = 0.8,
    correlation: float = 0.0,
    alpha: float = 0.05,
    n_simulations: int = 20_000,
    seed: int = 0,
) -> PowerResult:
    """Rows that the combined 5x2cv F test needs for a power, at the least.

    Parameters
    ----------
    difference, discordance : float
        The true accuracy difference, and the probability that exactly one model is right.
    power : float
        The power to reach.
    correlation, alpha, n_simulations, seed
        As in `cv5x2_f_power`; only the sampling error of the test halves is counted.

    Returns
    -------
    PowerResult
        With `n` and its `monte_carlo_error`, in rows.

    Examples
    --------
    >>> plan = cv5x2_f_sample_size(difference=0.03, discordance=0.10)
    >>> bool(1300 < plan.n < 1400)
    True
    """
    if difference == 0:
        raise ArgumentError("difference", "found 0, no number of rows gives power")
    _scale(difference, None, 2, discordance)
    noise = _noise(correlation, n_simulations, seed)
    effect, error = _effect_for(power, noise, alpha)
    rows = 2 * (discordance - difference**2) * effect**2 / difference**2
    n = max(math.ceil(rows), 2)
    scale = _scale(difference, None, n, discordance)
    reached = _power(difference / scale, noise, alpha)
    return _plan(
        difference,
        scale,
        n,
        discordance,
        correlation,
        alpha,
        reached,
        seed,
        noise,
        2 * rows / effect * error,
    )


def _scale(difference: float, sd: float | None, n: int | None, discordance: float | None) -> float:
    """Return the standard deviation of one fold's difference."""
    if not math.isfinite(check_number(difference, "difference")):
        raise ArgumentError("difference", f"found {difference!r}, must be finite")
    if sd is not None:
        if n is not None or discordance is not None:
            raise ArgumentError("sd", "give either sd, or n and discordance")
        return check_positive(sd, "sd")
    if n is None or discordance is None:
        raise ArgumentError("sd", "is missing; give either sd, or n and discordance")
    check_count(n, "n", least=2)  # two halves
    check_discordance(discordance, difference)
    if not difference**2 < discordance:
        raise ArgumentError(
            "difference", f"found {difference!r}, cannot reach the discordance {discordance!r}"
        )
    return math.sqrt((discordance - difference**2) / (n / 2))


def _noise(correlation: float, n_simulations: int, seed: int) -> FloatArray:
    """Draw standard normal fold differences, shape (n_simulations, 5, 2)."""
    if not 0 <= check_number(correlation, "correlation") < 1:
        raise ArgumentError("correlation", f"found {correlation!r}, must lie in [0, 1)")
    n_simulations = check_count(n_simulations, "n_simulations", least=100)
    rng = np.random.default_rng(check_count(seed, "seed"))
    each = rng.standard_normal((n_simulations, 5, 2))
    shared = rng.standard_normal((n_simulations, 1, 1))
    noise: FloatArray = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * each
    return noise


def _power(effect: float, noise: FloatArray, alpha: float) -> float:
    """Share of simulated F tests that reject: F = Σd²/(2Σs²) with (10, 5) degrees of freedom."""
    check_level(alpha, "alpha")
    total = np.square(noise + effect).sum(axis=(1, 2))
    variances = np.square(noise[:, :, 0] - noise[:, :, 1]).sum(axis=1) / 2
    return float((special.fdtrc(10, 5, total / (2 * variances)) <= alpha).mean())


def _effect_for(power: float, noise: FloatArray, alpha: float) -> tuple[float, float]:
    """Smallest δ/σ with this power on these random numbers, and its standard error."""
    check_level(power, "power")
    low, high = 0.0, 1.0
    while _power(high, noise, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _power(middle, noise, alpha) >= power else (middle, high)
    step = 0.05 * high
    rise = _power(high + step, noise, alpha) - _power(high - step, noise, alpha)
    error = math.sqrt(power * (1 - power) / len(noise))
    return high, error * 2 * step / rise if rise > 0 else math.inf


def _plan(
    difference: float,
    scale: float,
    n: int | None,
    discordance: float | None,
    correlation: float,
    alpha: float,
    power: float,
    seed: int,
    noise: FloatArray,
    error: float | None = None,
) -> PowerResult:
    details = {
        "sd": scale,
        "effect": difference / scale,
        "correlation": correlation,
        "n_simulations": len(noise),
        "seed": seed,
    }
    if discordance is not None:
        details["discordance"] = discordance
    return PowerResult(
        test="cv5x2_f",
        variant="",
        n=math.nan if n is None else n,
        difference=difference,
        power=power,
        alpha=alpha,
        alternative="two-sided",
        calculation="simulation",
        method="alpaydin1999",
        monte_carlo_error=math.sqrt(power * (1 - power) / len(noise)) if error is None else error,
        details=details,
    )
