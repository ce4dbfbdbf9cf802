"""Functions that the tests run in other processes: importable by name."""

from __future__ import annotations

from fractions import Fraction

import pyoneport as op


def throughput(platform: op.Platform) -> Fraction | None:
    """The throughput of an all-gather."""
    return op.rate(platform, "all-gather").throughput


def solved(platform: op.Platform) -> op.Answer:
    """A plan."""
    return op.solve(platform, "all-gather")


def refused(platform: op.Platform) -> None:
    """Raises `Infeasible` or `ValueError`."""
    op.solve(platform, "scatter", source=platform.nodes[-1].name, targets=[platform.nodes[0].name])
