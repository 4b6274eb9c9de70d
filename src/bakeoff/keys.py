"""What every section of an experiment file shares: strict keys, names, messages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from bakeoff.errors import UserError, joined, shown, unknown

_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")
_SHORT = {"y": "yes", "n": "no", "t": "true", "f": "false"}
"""Letters that stand for names of classes."""
DOTTED = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$"
"""An import path."""
ID = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
Id = Annotated[
    str,
    Field(
        pattern=ID,
        max_length=60,
        description="Letters a to z, digits, `_` and `-`; it becomes a file name.",
    ),
]


def _one_line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise said(f"found {shown(text)}, expected one line of text that can be seen")
    return text


Label = Annotated[
    str,
    Field(min_length=1, max_length=200, description="Name shown in the report, any text."),
    AfterValidator(_one_line),
]


def _one_message(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Say once, not once for each kind of value, that none of them fits."""
    try:
        return handler(value)
    except ValidationError:
        raise said(f"expected one number or text, found {shown(value)}") from None


OneMessage = WrapValidator(_one_message)
ClassName = Annotated[str | int | float | bool, OneMessage]


class SpecSection(BaseModel):
    """Unknown keys are refused, values are not bent into shape, nothing changes afterwards.

    What a key says is its `description`, or the text below it, which `bakeoff.schema` reads.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
    retired: ClassVar[Mapping[str, str]] = {}
    """Keys of before, each with what to write instead."""

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:
        """Refuse other keys, and take ``1e-3`` for a number wherever numbers are expected."""
        if isinstance(values, SpecSection):
            return values
        keys = _keys(cls)
        if not isinstance(values, Mapping):
            raise said(f"expected keys ({', '.join(sorted(keys))}), found {shown(values)}")
        read = {}
        for key, value in values.items():
            # what is no text is refused by pydantic itself
            if isinstance(key, str) and key not in keys:
                raise cls._unknown_key(key, values)
            read[key] = value
            if key in _numeric_keys(cls):
                read[key] = with_numbers(value)
        return read

    @classmethod
    def _unknown_key(cls, key: str, values: Mapping[Any, Any]) -> PydanticCustomError:
        """Say that there is no such key, or no more, and what to write instead."""
        if key in cls.retired:
            text = f"there is no key {key!r} any more: {cls.retired[key]}"
        else:
            text = unknown("key", key, _keys(cls)) + cls._advice_on(key, values)
        return PydanticCustomError("unknown_key", "{text}", {"text": text, "key": key})

    @classmethod
    def _advice_on(cls, key: str, values: Mapping[Any, Any]) -> str:
        """Say where an unknown key may belong."""
        return ""


def has_keys(value: Any) -> bool:
    """Tell a section from a plain value, before or after it was read."""
    return isinstance(value, (Mapping, SpecSection))


def _kind_of_value(value: Any) -> str:
    """Name the kind of a value, as `ValueOrKeys` tags it."""
    if has_keys(value):
        return "(keys)"
    return "(value)"


V = TypeVar("V")
K = TypeVar("K")
ValueOrKeys: TypeAlias = Annotated[
    Annotated[V, Tag("(value)")] | Annotated[K, Tag("(keys)")],
    Discriminator(_kind_of_value),
]
"""A plain value or keys; what is wrong is said of one of them."""


def with_numbers(value: Any) -> Any:
    """Read texts like ``1e-3`` as the numbers that people mean: YAML 1.1 wants ``1.0e-3``."""
    if isinstance(value, str) and _EXPONENT.fullmatch(value):
        return float(value)
    if isinstance(value, Mapping):
        return {key: with_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_numbers(inner) for inner in value]
    return value


@cache
def _keys(section: type[SpecSection]) -> frozenset[str]:
    """Return the keys of a section as a file has them."""
    return frozenset(field.alias or name for name, field in section.model_fields.items())


@cache
def _numeric_keys(section: type[SpecSection]) -> frozenset[str]:
    """Return the keys of a section that hold nothing but numbers, or lists of them."""
    keys = []
    for name, field in section.model_fields.items():
        if _is_numeric(field.annotation):
            keys.append(field.alias or name)
    return frozenset(keys)


def _is_numeric(annotation: Any) -> bool:
    """Tell whether a field holds nothing but numbers, or lists of them."""
    if annotation is float:
        return True
    if get_origin(annotation) is Annotated:
        return _is_numeric(get_args(annotation)[0])
    # None is allowed beside numbers
    members = [member for member in get_args(annotation) if member is not NoneType]
    return len(members) > 0 and all(map(_is_numeric, members))


# --- names


def name_of(value: Any) -> str:
    """Return the name of a class or another value of the data: 1.0 is written 1."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def plain_name(name: str) -> str:
    """Return what is left of a name without capitals, blanks and Unicode form."""
    # capitals of some characters are not in the normal form, so that it is taken twice
    folded = unicodedata.normalize("NFKC", name).casefold()
    text = ""
    for character in unicodedata.normalize("NFKC", folded):
        # a character of the category Cf formats, and is not seen
        if unicodedata.category(character) != "Cf":
            text += character
    return " ".join(text.split())


def plain_class(name: str) -> str:
    """Return what is left of the name of a class or category, where y stands for yes."""
    plain = plain_name(name)
    return _SHORT.get(plain, plain)


def alike_classes(names: Iterable[str]) -> list[list[str]]:
    """List the names of classes or categories of which several may mean the same."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(plain_class(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def spelled(names: Sequence[str]) -> list[str]:
    """Write names so that they can be told apart: with code points where they look alike."""
    forms = [unicodedata.normalize("NFKC", name) for name in names]
    texts = []
    for name, form in zip(names, forms, strict=True):
        code_points = _code_points(name)
        text = repr(name)
        if code_points and (forms.count(form) > 1 or not name.isprintable()):
            text += f" ({code_points})"
        texts.append(text)
    return texts


def _code_points(name: str) -> str:
    """Write the characters beyond ASCII as ``U+00E9``."""
    return " ".join([f"U+{ord(letter):04X}" for letter in name if not letter.isascii()])


def same_names(first: str, second: str) -> str:
    """Say that two models, or data sets, have one name, or names that differ in spelling alone."""
    advice = "give each a name by which readers tell them apart"
    if first == second:
        return f"two are called {spelled([first, second])[0]}: {advice}"
    # they look alike, so that their code points are shown
    names = joined(spelled([first, second]))
    return (
        f"found the names {names}, which differ only in capitals, blanks or Unicode form: {advice}"
    )


def refuse_same_names(names: Iterable[str]) -> None:
    """Refuse names of models, or data sets, that differ in spelling alone."""
    seen: dict[str, str] = {}
    for name in dict.fromkeys(names):
        other = seen.setdefault(plain_name(name), name)
        if other != name:
            raise UserError(same_names(other, name))


def said(message: str) -> PydanticCustomError:
    """Make the error of a validator whose message is shown as it is, without the value."""
    return PydanticCustomError("said", "{text}", {"text": message})
