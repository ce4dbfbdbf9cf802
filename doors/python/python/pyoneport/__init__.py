"""Optimal collective communication: exact optima with proofs, periodic schedules.

>>> import pyoneport as op
>>> ring = op.Platform.from_matrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]], names=["a", "b", "c"])
>>> op.solve(ring, "all-gather").throughput
Fraction(1, 2)

Numbers in are ints, Fractions, Decimals, text such as "25 GB/s", or floats by their decimal digits; numbers out are
Fractions. Nodes are names. Every answer has been checked by a referee that shares no code with the search.
"""

from . import _core, generate
from ._answer import Answer, Certificate, Schedule, export
from ._asking import Goal, bound, collectives, question, rate, solve, verify
from ._errors import FloatWarning, Infeasible, OneportError, Stopped, Violation
from ._display import SVG, Page
from ._platform import Platform, read
from ._plot import plot_sweep
from ._single import Reduction, Ring, Rings, Step, reduce_heterogeneous, reduce_homogeneous, rings
from ._sweep import sweep
from ._tables import Compared, Comparison, Estimate, Latency, Measured, Run, Timed, Times, compare, time
from ._values import Bandwidth, Limit, Link, Load, Merge, Node, Pattern, Progress, Reason, Send, Shared, Slot, Table
from ._whatif import Change, whatif

__version__: str = _core.VERSION


def formats() -> dict[str, str]:
    """The formats of `read`, each with a description."""
    return dict(_core.formats())


__all__ = [
    "Answer",
    "Bandwidth",
    "Certificate",
    "Change",
    "Compared",
    "Comparison",
    "Estimate",
    "FloatWarning",
    "Goal",
    "Infeasible",
    "Latency",
    "Limit",
    "Link",
    "Load",
    "Measured",
    "Merge",
    "Node",
    "OneportError",
    "Page",
    "Pattern",
    "Platform",
    "Progress",
    "Reason",
    "Reduction",
    "Ring",
    "Rings",
    "Run",
    "SVG",
    "Schedule",
    "Send",
    "Shared",
    "Slot",
    "Step",
    "Stopped",
    "Table",
    "Timed",
    "Times",
    "Violation",
    "bound",
    "collectives",
    "compare",
    "export",
    "formats",
    "generate",
    "plot_sweep",
    "question",
    "rate",
    "read",
    "reduce_heterogeneous",
    "reduce_homogeneous",
    "rings",
    "solve",
    "sweep",
    "time",
    "verify",
    "whatif",
]
