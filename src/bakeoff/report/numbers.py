"""Numbers as a journal prints them, and texts broken into lines."""

from __future__ import annotations

import math
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

MINUS = "\N{MINUS SIGN}"
INFINITE = "\N{INFINITY}"
NONE = "\N{EN DASH}"
_WIDEST = 100
_NARROWEST = 40
"""Letters of a line on a terminal."""
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Categories of characters that no page, SVG or terminal may carry."""
_MOST_CLAUSES = 6


def number(value: float | None) -> str:
    """Format a number with three significant digits."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        if value > 0:
            return INFINITE
        return MINUS + INFINITE
    size = abs(value)
    # whole numbers have no decimals, and from a million on an exponent
    if size == 0 or (value == int(value) and size < 1e6):
        text = f"{size:,.0f}"
    elif size < 1e-4 or size >= 1e6:
        mantissa, exponent = f"{size:.2e}".split("e")
        sign = ""
        if exponent.startswith("-"):
            sign = MINUS
        text = f"{mantissa}e{sign}{abs(int(exponent))}"
    else:
        # three significant digits: 12.3, 0.0123
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
    if value < 0 and any(digit in "123456789" for digit in text):
        return MINUS + text
    return text


def interval(low: float, high: float, decimals: int = 3) -> str:
    """Format an interval; the dash stands for none."""
    if math.isnan(low) or math.isnan(high):
        return NONE
    # an end that is infinite is not part of its interval
    opening = "["
    if math.isinf(low):
        opening = "("
    closing = "]"
    if math.isinf(high):
        closing = ")"
    return f"{opening}{fixed(low, decimals)}, {fixed(high, decimals)}{closing}"


def pvalue(p: float) -> str:
    """Format a p-value by itself, without leading zero."""
    if math.isnan(p):
        return "undecided"
    if p < 0.001:
        return "< .001"
    if p >= 1:
        return "1"
    # with three digits this would be 1.000
    if p >= 0.9995:
        return "> .999"
    return f"{p:.3f}".removeprefix("0")


def p_equals(p: float, name: str = "p") -> str:
    """Format a p-value as part of a sentence: ``p = .031``, ``p < .001``."""
    text = pvalue(p)
    if math.isnan(p):
        return f"{name} undecided"
    if text.startswith(("<", ">")):
        return f"{name} {text}"
    return f"{name} = {text}"


def probability(value: float) -> str:
    """Format a posterior probability; it is never rounded to certainty."""
    if math.isnan(value):
        return NONE
    if value == 0:
        return "0"
    return pvalue(value)


def percent(value: float) -> str:
    """Format a level or a share: ``95%``, ``99.5%``."""
    # a share close to 1 has all of its digits: 99.9999% is not 100%
    digits = 12
    if value > 1 or f"{value * 100:.4g}" != "100":
        digits = 4
    return f"{value * 100:.{digits}g}%"


def count(n: int, noun: str, plural: str = "") -> str:
    """Count things: ``1 row``, ``1,200 rows``."""
    if n != 1:
        noun = plural or f"{noun}s"
    return f"{n:,} {noun}"


def spread(sizes: Sequence[int]) -> str:
    """Give the least and the largest of some sizes: ``100``, ``100 to 5,000``."""
    low = int(min(sizes))
    high = int(max(sizes))
    if low == high:
        return f"{low:,}"
    return f"{low:,} to {high:,}"


def words(items: list[str], most: int = 4) -> str:
    """Join names to a phrase, the tail of a long list counted."""
    if len(items) > most:
        shown = items[: most - 1]
        return f"{', '.join(shown)} and {len(items) - len(shown)} others"
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} and {items[-1]}"


def enumerated(items: Iterable[str]) -> str:
    """Join clauses by semicolons, the tail of a long list counted."""
    clauses = list(items)
    shown = clauses[:_MOST_CLAUSES]
    if len(clauses) > _MOST_CLAUSES:
        shown.append(f"and {len(clauses) - _MOST_CLAUSES} more")
    return "; ".join(shown)


def capital(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]


def short(text: str, most: int = 30) -> str:
    """Abbreviate a name in its middle, for beginnings and ends tell names apart."""
    if len(text) <= most:
        return text
    head = most // 2
    # the ellipsis takes the place of one letter
    tail = len(text) - (most - head - 1)
    return f"{text[:head].rstrip()}…{text[tail:].lstrip()}"


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
    printable = []
    for letter in text:
        if unicodedata.category(letter) not in _UNSEEN:
            printable.append(letter)
    return " ".join("".join(printable).split()) or "(no name)"


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
