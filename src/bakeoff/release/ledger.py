"""How often a test set has decided: a file of JSON lines, one for each decision.

A test set that decides again and again passes something worse at last. The k-th decision gets the
level alpha/(k(k + 1)); all of them together stay below alpha.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError
from bakeoff.release.evidence import GateRows
from bakeoff.release.verdict import GateVerdict, Terms, Use
from bakeoff.stats import level_of_use

_KEYS = {"test_set", "base", "candidate", "terms", "use", "alpha", "decision"}


class Ledger:
    """The decisions of test sets, in a file.

    Parameters
    ----------
    path : path
        The file; it need not exist.

    Raises
    ------
    UserError
        The file cannot be read or is no ledger.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.entries = _read(self.path)

    def next(self, rows: GateRows, terms: Terms) -> Use:
        """Return the use of the test set that this question would be.

        Raises
        ------
        UserError
            Earlier decisions by this test set were to share another alpha.
        """
        uses = [entry for entry in self.entries if entry["test_set"] == rows.test_set]
        other = next((entry["alpha"] for entry in uses if entry["alpha"] != terms.alpha), None)
        if other is not None:
            raise UserError(
                f"--alpha: found {terms.alpha:g}, but {self.path} spends {other:g} on this test set"
            )
        asked = _question(rows, terms)
        for entry in uses:
            if asked.items() <= entry.items():
                level = level_of_use(entry["use"], terms.alpha)
                return Use(entry["use"], terms.alpha, level, True)
        number = max((entry["use"] for entry in uses), default=0) + 1
        return Use(number, terms.alpha, level_of_use(number, terms.alpha), False)

    def write(self, rows: GateRows, terms: Terms, use: Use, verdict: GateVerdict) -> None:
        """Append a decision, unless it is there.

        Raises
        ------
        UserError
            The file cannot be written.
        """
        if use.known:
            return
        entry = {
            "use": use.number,
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            **_question(rows, terms),
            "names": list(verdict.names),
            "rows": len(rows.truth),
            "alpha": use.alpha,
            "level": use.level,
            "decision": verdict.decision.value,
        }
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UserError(f"--ledger: {self.path} cannot be written: {error.strerror}") from None


def _question(rows: GateRows, terms: Terms) -> dict[str, Any]:
    """Return what makes two decisions the same."""
    return {
        "test_set": rows.test_set,
        "base": rows.digest(0),
        "candidate": rows.digest(1),
        "terms": {
            "metric": terms.metric,
            "positive": rows.about(terms.metric),
            "margin": terms.margin,
            "superior": terms.superior,
            "groups": rows.digest_of(rows.groups),
            "subgroups": rows.digest_of(rows.subgroups),
        },
    }


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    if not path.is_file():
        raise UserError(f"--ledger: {str(path)!r} is no regular file, and could not be read again")
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--ledger: {path} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            entry = None
        if not isinstance(entry, dict) or not entry.keys() >= _KEYS:
            raise UserError(
                f"--ledger: line {number} of {path} is no decision of `bakeoff gate`; a line that "
                "was cut short may be deleted"
            )
        found.append(entry)
    return found
