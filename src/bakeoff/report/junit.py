"""Rules and what came of them as JUnit XML, which build servers show as test cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree


class Case(NamedTuple):
    """One rule."""

    name: str
    failure: str = ""
    """Why it does not hold; empty where it does."""
    kind: str = ""
    """What kind of failure it is: block, or undecided."""


def to_xml(suite: str, cases: Sequence[Case]) -> str:
    """Return a suite of test cases."""
    failures = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures)}
    root = ElementTree.Element("testsuite", {"name": suite, **counts})
    for case in cases:
        at = ElementTree.SubElement(root, "testcase", {"classname": suite, "name": case.name})
        if case.failure:
            attributes = {"type": case.kind, "message": case.failure}
            ElementTree.SubElement(at, "failure", attributes).text = case.failure
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
