"""Calls that mypy --strict accepts: checked, never run."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pyoneport as op

if TYPE_CHECKING:
    import networkx as nx


def theorist(graph: nx.DiGraph[str]) -> Fraction:
    """A graph in, a fraction out."""
    answer = op.solve(graph, "scatter", source="Ps", targets=["P0", "P1"], size=Fraction(1, 2), time_limit=60)
    prices: dict[str, Fraction] = dict(answer.certificate)
    return sum(prices.values(), Fraction(0)) / answer.bound


def user_of_mpi(path: str) -> str:
    """A file in, the first sentence of the proof out."""
    answer = op.bound(op.read(path), "all-reduce", participants="all", bytes="1 GiB", commutative=False)
    return answer.certificate.reasons[0].sentence


def planner(matrix: list[list[float]]) -> list[tuple[str, Fraction]]:
    """A matrix in, what limits out."""
    answer = op.rate(op.Platform.from_matrix(matrix, units="GB/s"), "all-to-all")
    return [(limit.resource, limit.share) for limit in answer.limited_by]


def tester(plan: str, goal: op.Goal = "schedule") -> Fraction:
    """A plan in, the period out."""
    answer = op.verify(op.Answer.load(plan), callback=lambda progress: print(progress.stage, progress.seconds))
    assert answer.schedule is not None
    return answer.schedule.period
