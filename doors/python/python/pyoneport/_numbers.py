"""Numbers as exact text. A float is the decimal that Python prints for it: 0.1 is 1/10."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from typing import Any, Union

from . import _core
from ._errors import FloatWarning

Number = Union[int, float, Fraction, Decimal, str]
"""A number: an int, a `Fraction`, a `Decimal`, text such as "2/3" or "25 GB/s", or a float by its decimal digits."""

RIGHT = "give an int, a Fraction, or text such as '3/2'"
MOST_DIGITS = 15
"""A float's decimal with more significant digits than this looks rounded: every shorter one survives a round trip."""

_seen: ContextVar[list[tuple[str, str]] | None] = ContextVar("pyoneport_floats", default=None)


@contextmanager
def one_warning() -> Iterator[None]:
    """Collects the floats of a call that look rounded, and warns once."""
    if _seen.get() is not None:
        yield
        return
    found: list[tuple[str, str]] = []
    token = _seen.set(found)
    try:
        yield
    finally:
        _seen.reset(token)
    if found:
        text, label = found[0]
        value = float(text)
        simple = Fraction(value).limit_denominator(1000)
        how = f"Fraction({simple.numerator}, {simple.denominator}) or '{simple}' says it exactly" if (
            math.isclose(float(simple), value, rel_tol=1e-9)
        ) else "a Fraction or text says it exactly"
        count = "1 number looks" if len(found) == 1 else f"{len(found)} numbers look"
        warnings.warn(f"{count} rounded, first {text} ({label}); {how}", FloatWarning, stacklevel=4)


def shown(value: Any) -> str:
    """A value in a message, on one line, cut if it is long."""
    try:
        text = str(value) if isinstance(value, numbers.Number) else repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def exact(value: Any, label: str) -> str:
    """The exact text of a number; `label` names its place, as `size` or `edge 'a' -> 'b': capacity`."""
    text = _text(value, label)
    if len(text) > 1000:
        raise ValueError(f"{label}: a number of {len(text)} characters; at most 1000 are read")
    return text


def _text(value: Any, label: str) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (bool, type(None))) or not isinstance(value, numbers.Number):
        raise TypeError(f"{label}={shown(value)} is no number; {RIGHT}")
    if isinstance(value, (numbers.Integral, numbers.Rational)):
        top, bottom = int(value.numerator), int(value.denominator)
        if max(abs(top), bottom).bit_length() > 3300:
            raise ValueError(f"{label}: a number of over 1000 digits; at most 1000 characters are read")
        return str(top) if bottom == 1 else f"{top}/{bottom}"
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{label}={value} is no number; {RIGHT}")
        return str(value)
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{label}={shown(value)} is no real number; {RIGHT}")
    if not math.isfinite(value):
        raise ValueError(f"{label}={float(value)} is no number; {RIGHT}")
    # numpy's narrower floats print fewer digits than the same value does as a float.
    text = float.__repr__(value) if isinstance(value, float) else str(value)
    if len(text.split("e")[0].replace(".", "").strip("-0")) > MOST_DIGITS:
        found = _seen.get()
        if found is not None and (text, label) not in found:
            found.append((text, label))
    return text


def fraction(text: str, label: str) -> Fraction:
    """The number that a text states, without a unit."""
    try:
        return _core.number(text)
    except ValueError as error:
        raise ValueError(f"{label}: {error}") from None


def plain(value: Number, label: str) -> Fraction:
    """A number without a unit."""
    return fraction(exact(value, label), label)
