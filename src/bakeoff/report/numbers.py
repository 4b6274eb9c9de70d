"""Numbers as a journal prints them, and texts broken into lines."""

from __future__ import annotations

import math
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"


def number(value: float | None) -> str:
    """Format a number with three significant digits."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else MINUS + "\N{INFINITY}"
    size = abs(value)
    if size == 0 or (value == int(value) and size < 1e6):
        text = f"{size:,.0f}"
    elif size < 1e-4 or size >= 1e6:
        mantissa, exponent = f"{size:.2e}".split("e")
        text = f"{mantissa}e{MINUS if exponent[0] == '-' else ''}{int(exponent[1:])}"
    else:
        decimals = max(0, 2 - math.floor(math.log10(size)))
        text = f"{size:,.{decimals}f}"
    return _signed(text, value)


def fixed(value: float | None, decimals: int) -> str:
    """Format a number with fixed decimals; no negative zero, and no rows of zeros or digits."""
    if value is None or not math.isfinite(value) or decimals > 7 or abs(value) >= 1e15:
        return number(value)
    # one number has one text, whatever the last digits of its way here
    return _signed(f"{abs(round(value, decimals + 6)):,.{decimals}f}", value)


def _signed(text: str, value: float) -> str:
    nonzero = any(c in "123456789" for c in text)
    return MINUS + text if value < 0 and nonzero else text


def interval(low: float, high: float, decimals: int = 3) -> str:
    """Format an interval; the dash stands for none."""
    if math.isnan(low) or math.isnan(high):
        return NONE
    opening, closing = "(" if math.isinf(low) else "[", ")" if math.isinf(high) else "]"
    return f"{opening}{fixed(low, decimals)}, {fixed(high, decimals)}{closing}"


def pvalue(p: float) -> str:
    """Format a p-value by itself, without leading zero."""
    if math.isnan(p):
        return "undecided"
    if p < 0.001:
        return "< .001"
    if 0.9995 <= p < 1:
        return "> .999"
    return "1" if p >= 1 else f"{p:.3f}".removeprefix("0")


def p_equals(p: float, name: str = "p") -> str:
    """Format a p-value as part of a sentence: ``p = .031``, ``p < .001``."""
    text = pvalue(p)
    if math.isnan(p):
        return f"{name} undecided"
    return f"{name} {text}" if text[0] in "<>" else f"{name} = {text}"


def probability(value: float) -> str:
    """Format a posterior probability; it is never rounded to certainty."""
    if math.isnan(value):
        return NONE
    return "0" if value == 0 else pvalue(value)


def percent(value: float) -> str:
    """Format a level or a share: ``95%``, ``99.5%``."""
    digits = 4 if value > 1 or f"{value * 100:.4g}" != "100" else 12
    return f"{value * 100:.{digits}g}%"


def count(n: int, noun: str, plural: str = "") -> str:
    """Count things: ``1 row``, ``1,200 rows``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def spread(sizes: Sequence[int]) -> str:
    """Give the least and the largest of some sizes: ``100``, ``100 to 5,000``."""
    low, high = int(min(sizes)), int(max(sizes))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def words(items: list[str], most: int = 4) -> str:
    """Join names to a phrase, the tail of a long list counted."""
    if len(items) > most:
        shown = items[: most - 1]
        return f"{', '.join(shown)} and {len(items) - len(shown)} others"
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def enumerated(items: Iterable[str]) -> str:
    """Join clauses by semicolons, the tail of a long list counted."""
    said = list(items)
    more = [f"and {len(said) - 6} more"] if len(said) > 6 else []
    return "; ".join([*said[:6], *more])


def capital(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]


def short(text: str, most: int = 30) -> str:
    """Abbreviate a name in its middle, for beginnings and ends tell names apart."""
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head].rstrip()}…{text[len(text) - (most - head - 1) :].lstrip()}"


def letters_for(names: Iterable[str], most: int = 30) -> int:
    """Return to how many letters names can be abbreviated without two of them looking alike."""
    different = set(names)
    longest = max(map(len, different), default=most)
    for letters in range(most, longest):
        if len({short(name, letters) for name in different}) == len(different):
            return letters
    return max(most, longest)


def clean(text: str) -> str:
    """Drop what no page, SVG or terminal may carry: control and direction-changing characters."""
    kept = (c for c in text if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
    return " ".join("".join(kept).split()) or "(no name)"


_WIDEST = 100
_NARROWEST = 40


def paragraph(text: str, indent: str = "") -> str:
    """Break a text into lines that fit the terminal."""
    width = min(shutil.get_terminal_size((_WIDEST, 0)).columns, _WIDEST)
    return textwrap.fill(
        text,
        max(width, _NARROWEST),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
