"""Numbers: exact in, exact out."""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import pyoneport as op


def cost(value: Any) -> Fraction:
    """The cost of a link that was given so."""
    return op.Platform.from_dict(native(value)).links[0].cost


def native(value: Any) -> dict[str, Any]:
    return {
        "format": "oneport-platform/1",
        "node": [{"name": "a", "compute": 1}, {"name": "b", "compute": 1}],
        "link": [{"from": "a", "to": "b", "cost": value}],
    }


@pytest.mark.parametrize(
    ("given", "exactly"),
    [
        (3, 3),
        (Fraction(2, 3), Fraction(2, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1E+3"), 1000),
        ("2/3", Fraction(2, 3)),
        ("1e-3", Fraction(1, 1000)),
        (0.1, Fraction(1, 10)),
        (1e-7, Fraction(1, 10**7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(7), 7),
    ],
)
def test_numbers_are_exact(given: Any, exactly: Fraction) -> None:
    assert cost(given) == exactly


@given(st.fractions(0, 10**9))
def test_fractions_lead_back(value: Fraction) -> None:
    assert cost(value) == value


@given(st.floats(0, 1e15, allow_nan=False))
def test_a_float_is_what_python_prints(value: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.FloatWarning)
        assert cost(value) == Fraction(repr(value))


def test_floats_that_look_rounded_warn_once() -> None:
    with pytest.warns(op.FloatWarning, match=r"2 numbers look rounded, first 0.3333333333333333 .*Fraction\(1, 3\)") as told:
        op.Platform.from_matrix([[0, 1 / 3], [2 / 3, 0]])
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        op.Platform.from_matrix([[0, 0.1], [0.2, 0]])
        op.Platform.from_matrix([[0, Fraction(1, 3)], [0.2, 0]])


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        (math.nan, ValueError, "nan is no number"),
        (math.inf, ValueError, "inf is no number"),
        (-1, ValueError, "-1"),
        (True, TypeError, "True is no number"),
        (None, TypeError, "None is no number"),
        (b"1", TypeError, "is no number"),
        ([1], TypeError, "is no number"),
        (1j, TypeError, "is no real number"),
        (Decimal("NaN"), ValueError, "NaN is no number"),
        ("many", ValueError, "many"),
        (10**2000, ValueError, "1000"),
        (Decimal("1E+999999999"), ValueError, "exponent|digits|large"),
        (object(), TypeError, "is no number"),
    ],
)
def test_what_is_no_number(given: Any, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        op.Platform.from_matrix([[0, given], [1, 0]])


def test_a_number_beside_units_is_noted() -> None:
    matrix = op.Platform.from_matrix([[0, "3 GB/s"], [1, 0]])
    assert [link.cost for link in matrix.links] == [Fraction(1, 3), 1]
    assert any("without a unit is in GB/s" in note for note in matrix.notes)
