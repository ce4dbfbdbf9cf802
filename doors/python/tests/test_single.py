"""One reduction executed once: values that are there at different dates, files, drawings."""

from __future__ import annotations

import json
import pickle
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import pyoneport as op


def shortest(ready: list[int], transfer: int, compute: int) -> int:
    """The shortest reduction by trial of every order: a merge joins two values, and the pair takes one's place.

    Processors send one value at a time, receive one at a time, and merge one at a time; all dates are as early as they can
    be for a sequence of pairs (receiver, sender).
    """
    best = [10**9]

    def step(values: dict[int, int], receives: dict[int, int], merges: dict[int, int]) -> None:
        if len(values) == 1:
            best[0] = min(best[0], *values.values())
            return
        for to in values:
            for sender in values:
                if to != sender:
                    arrived = max(values[sender], receives[to]) + transfer
                    merged = max(arrived, values[to], merges[to]) + compute
                    if merged < best[0]:
                        rest = {one: date for one, date in values.items() if one != sender}
                        step({**rest, to: merged}, {**receives, to: arrived}, {**merges, to: merged})

    step(dict(enumerate(ready)), dict.fromkeys(range(len(ready)), 0), dict.fromkeys(range(len(ready)), 0))
    return best[0]


@pytest.mark.parametrize(
    ("ready", "transfer", "compute"),
    [([0, 0, 5], 1, 1), ([0, 1, 2, 3], 1, 2), ([4, 0, 0, 0], 2, 2), ([0, 7], 3, 1), ([3], 1, 1), ([2, 2, 2, 2], 1, 0)],
)
def test_values_that_are_there_at_different_dates(ready: list[int], transfer: int, compute: int) -> None:
    found = op.reduce_homogeneous(ready=ready, transfer=transfer, compute=compute)
    assert found.lower_bound <= shortest(ready, transfer, compute) <= found.length
    if found.status == "optimal":
        assert found.length == shortest(ready, transfer, compute)
    assert found.steps is not None and len(found.steps) == len(ready) - 1
    assert all(step.start >= ready[step.processor] for step in found.steps)


def test_dates_of_other_kinds() -> None:
    dates = [Fraction(1, 2), "3/2", 0.25]
    found = op.reduce_homogeneous(ready=dates, transfer=1, compute=1)
    assert found == op.reduce_homogeneous(3, ready=["1/2", "3/2", "1/4"], transfer=1, compute=1)
    assert op.reduce_homogeneous(ready=np.array([0, 0, 5]), transfer=1, compute=1).length == 6
    # All there at 0: the shortest reduction without dates.
    assert op.reduce_homogeneous(ready=[0] * 9, transfer=1, compute=1).length == op.reduce_homogeneous(9, transfer=1, compute=1).length


BAD: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    ((), {}, TypeError, "needs the number of values, or ready="),
    ((3,), {"ready": [0, 0]}, ValueError, "n=3 is not the number of dates; ready= has 2, leave n out"),
    ((), {"ready": []}, ValueError, "number of dates=0 is no number from 1"),
    ((), {"ready": "0,1"}, TypeError, "are no dates; give a list of numbers"),
    ((), {"ready": [0, None]}, TypeError, r"ready\[1\]=None is no number"),
    ((), {"ready": [0, -1]}, ValueError, "-1"),
    ((), {"ready": [0, 1], "max_transfers": 1}, ValueError, "ready= and max_transfers=: no method has both"),
    ((), {"ready": [0, 1], "strategy": "chain"}, ValueError, "leave strategy= and ties= out"),
]


@pytest.mark.parametrize("place", range(len(BAD)))
def test_what_is_refused(place: int) -> None:
    given, how, kind, told = BAD[place]
    with pytest.raises(kind, match=told):
        op.reduce_homogeneous(*given, transfer=1, compute=1, **how)


def reductions() -> list[op.Reduction]:
    """One of each kind."""
    return [
        op.reduce_homogeneous(9, transfer=1, compute=2),
        op.reduce_homogeneous(9, transfer=1, compute=2, max_transfers=2),
        op.reduce_homogeneous(9, transfer=1, compute=2, strategy="chain"),
        op.reduce_homogeneous(ready=[0, 3, "1/2"], transfer=1, compute=2),
        op.reduce_heterogeneous([10, 5, 5, 4]),
        op.reduce_heterogeneous([3, 1, 1], destination=0),
    ]


def test_files_lead_back(tmp_path: Path, command: str) -> None:
    path = tmp_path / "reduction.json"
    for reduction in reductions():
        reduction.save(path)
        again = op.Reduction.load(path)
        assert again.steps == reduction.steps and again.root == reduction.root
        assert (again.length, again.lower_bound, again.status) == (reduction.length, reduction.lower_bound, reduction.status)
        assert pickle.loads(pickle.dumps(reduction)) == reduction
        checked = subprocess.run([command, "verify", path], capture_output=True, text=True, timeout=60)
        assert checked.returncode == 0, checked.stderr


def test_a_false_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reduction.json"
    reduction = op.reduce_heterogeneous([10, 5, 5, 4])
    reduction.save(path)
    content = json.loads(path.read_text())
    content["length"] = str(reduction.length - 1)
    content["lower_bound"] = content["length"]
    path.write_text(json.dumps(content))
    with pytest.raises((op.Violation, ValueError)):
        op.Reduction.load(path)
    with pytest.raises(TypeError, match="is no path"):
        op.Reduction.load(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        op.Reduction.load(tmp_path / "none.json")


def test_drawings() -> None:
    for reduction in reductions():
        for drawing in (reduction.gantt(), reduction.tree(), reduction._repr_svg_()):
            assert drawing is not None and ElementTree.fromstring(drawing).tag.endswith("svg")
        assert str(reduction.length) in repr(reduction) and len(repr(reduction)) < 200


def test_what_is_not_listed(tmp_path: Path) -> None:
    for reduction in (op.reduce_homogeneous(20_000, transfer=1, compute=1), op.reduce_heterogeneous({1: 2, 2: 3})):
        if reduction.steps is None:
            with pytest.raises(ValueError, match="are not listed"):
                reduction.save(tmp_path / "x.json")
            assert reduction._repr_svg_() is None
    assert op.reduce_homogeneous(20_000, transfer=1, compute=1).steps is None
