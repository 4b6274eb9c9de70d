"""ARFF, the format of Weka and OpenML (https://waikato.github.io/weka-wiki/formats_and_processing/).

Dense and sparse rows, names and values in quotes, missing values as ``?``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd

from bakeoff.sources.common.identifiers import exact

_NAME = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_NAME}|[^\s{{]+)\s*(.+)", re.IGNORECASE | re.DOTALL)
_VALUE = re.compile(rf"\s*({_NAME}|[^,]*?)\s*(?:,|$)")
_SPARSE = re.compile(rf"\s*(\d+)\s+({_NAME}|[^,]*?)\s*(?:,|$)")
_ESCAPED = re.compile(r"\\(.)")
_NUMBERS = {"numeric", "real", "integer"}


class Attribute(NamedTuple):
    """A column: its name, its kind, and what a sparse row without it means."""

    name: str
    kind: str
    default: str


def read_arff(lines: Iterable[str]) -> pd.DataFrame:
    """Read the rows of an ARFF file: numbers, dates, texts; missing values are missing.

    Raises
    ------
    ValueError
        It has no attributes or no data, or a row does not fit them; with the line.
    """
    numbered = enumerate(lines, 1)
    attributes = _attributes(numbered)
    rows = list(_rows(numbered, attributes))
    columns = zip(*rows, strict=True) if rows else [()] * len(attributes)
    values = [_typed(a, list(c)) for a, c in zip(attributes, columns, strict=True)]
    frame = pd.concat(values, axis=1) if values else pd.DataFrame()
    return frame.set_axis([attribute.name for attribute in attributes], axis=1)


def _attributes(numbered: Iterator[tuple[int, str]]) -> list[Attribute]:
    found: list[Attribute] = []
    for number, raw in numbered:
        line = raw.strip()
        keyword = line.partition(" ")[0].partition("\t")[0].lower()
        if keyword == "@data":
            if not found:
                raise ValueError("no @attribute before @data")
            return found
        if keyword == "@attribute":
            match = _ATTRIBUTE.fullmatch(line)
            if match is None:
                raise ValueError(f"line {number}: expected a name and a kind, found {line!r}")
            found.append(_attribute(match[1], match[2].strip()))
        elif line and line[0] != "%" and keyword != "@relation":
            raise ValueError(f"line {number}: expected @attribute or @data, found {line[:60]!r}")
    raise ValueError("it has no data" if found else "it is empty or has no @attribute")


def _attribute(name: str, kind: str) -> Attribute:
    if kind.startswith("{"):
        values = _VALUE.match(kind.removeprefix("{").rstrip().removesuffix("}"))
        return Attribute(_bare(name), "nominal", _bare(values[1]) if values else "")
    kind = kind.split()[0].lower()
    return Attribute(_bare(name), kind, "0")


def _rows(
    numbered: Iterator[tuple[int, str]], attributes: Sequence[Attribute]
) -> Iterator[list[str | None]]:
    for number, raw in numbered:
        line = raw.strip()
        if not line or line[0] == "%":
            continue
        if line[0] == "{":
            yield _sparse(line.strip("{}").strip(), attributes, number)
            continue
        plain = "'" not in line and '"' not in line
        texts = [t.strip() for t in line.split(",")] if plain else _quoted(line)
        if len(texts) != len(attributes):
            raise ValueError(
                f"line {number} has {len(texts)} values, there are {len(attributes)} attributes"
            )
        yield [None if text == "?" else _bare(text) for text in texts]


def _quoted(line: str) -> list[str]:
    """Split at the commas that no quotes hold."""
    found, position = [], 0
    while position <= len(line):
        match = _VALUE.match(line, position)
        if match is None:
            raise ValueError(f"a quote is not closed in {line[position : position + 60]!r}")
        found.append(match[1])
        if match.end() == len(line) and not match[0].endswith(","):
            break
        position = match.end()
    return found


def _sparse(line: str, attributes: Sequence[Attribute], number: int) -> list[str | None]:
    row: list[str | None] = [attribute.default for attribute in attributes]
    for match in _SPARSE.finditer(line):
        if int(match[1]) >= len(row):
            raise ValueError(f"line {number}: there is no attribute {match[1]}")
        row[int(match[1])] = None if match[2] == "?" else _bare(match[2])
    return row


def _bare(text: str) -> str:
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return _ESCAPED.sub(r"\1", text[1:-1])
    return text


def _typed(attribute: Attribute, values: list[Any]) -> pd.Series[Any]:
    column = pd.Series(values)
    if attribute.kind in _NUMBERS:
        try:
            numbers = pd.to_numeric(column)
        except ValueError:
            raise ValueError(f"attribute {attribute.name!r} holds what is no number") from None
        return exact(numbers.to_frame(), lambda lost: dict.fromkeys(lost, values)).iloc[:, 0]
    if attribute.kind == "date":
        return pd.to_datetime(column, format="ISO8601")
    return column
