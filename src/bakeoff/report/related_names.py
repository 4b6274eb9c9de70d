"""Data sets whose names are nearly equal: they may be versions of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bakeoff.report.numbers import words
from bakeoff.report.study import Study

_MOST = 4
_VERSION = re.compile(r"(?:[\s._-]*(?:v|ver|version))?[\s._-]*\d+(?:\.\d+)*$")


def related_names(study: Study) -> Iterator[str]:
    """Note data sets that tests over data sets count one by one though their names are alike."""
    if all(row.dataset for row in study.comparisons):
        return
    units = study.experiment.tests.units(study.datasets).values()
    alone = [study.dataset_label(own[0]) for own in units if len(own) == 1]
    for names in alike(alone):
        yield (
            f"The data sets {words(names, _MOST)} have nearly equal names. If they are versions of "
            "one data set, they are to count as one: name the groups of data sets (`--groups` of "
            "`bakeoff compare`, `groups` in Python, `dataset_groups` of an experiment)."
        )


def alike(names: Iterable[str]) -> list[list[str]]:
    """Group names that differ in case, blanks and punctuation, or by a version after a name."""
    # Numbers alone tell no versions: there must be a name without one (vehicle, vehicle-2), or
    # a word for it (glass v1, glass v2).
    listed = list(names)
    plain = {_plain(name) for name in listed}
    found: dict[str, list[str]] = {}
    for name in listed:
        base = _plain(_VERSION.sub("", name.casefold()))
        named = re.search(r"[\s._-](?:v|ver|version)[\s._-]*[\d.]+$", name.casefold())
        versioned = bool(base) and (base in plain or named is not None)
        found.setdefault(base if versioned else _plain(name), []).append(name)
    return [own for own in found.values() if len(own) > 1]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold()) or name
