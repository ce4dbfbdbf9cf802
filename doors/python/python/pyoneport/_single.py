"""One reduction executed once, and rings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Union

from . import _core
from ._answer import MOST_PLAN_BYTES
from ._asking import Nodes, calling, limit, node_names, refuse_unknown
from ._display import MOST_NODES, SVG, small
from ._graphs import cells
from ._numbers import Number, one_warning, plain, shown
from ._platform import PathLike, PlatformLike, as_platform
from ._values import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Step(NamedTuple):
    """The transfer of a processor: its number, its receiver, its start, the start of the receiver's merge.

    `merge` is `None` where merging is part of the transfer. Processors count from 0.
    """

    processor: int
    receiver: int
    start: Fraction
    merge: Fraction | None


class Reduction(NamedTuple):
    """One reduction: its length, a bound below which no schedule is, and, if it is not too long, its transfers.

    `status` is `"optimal"` only if the referee repeated the proof of the bound. `text` is the content of its file. `root`,
    `steps` and `text` are `None` if the schedule has more than 10,000 processors or is one of classes.
    """

    length: Fraction
    lower_bound: Fraction
    status: str
    method: str
    root: int | None
    steps: Table[Step] | None
    text: str | None

    def save(self, path: PathLike) -> None:
        """Writes the file of the reduction, which `oneport verify`, `oneport show` and `Reduction.load` read. A file that
        exists is replaced."""
        text = self._listed()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def load(path: PathLike) -> Reduction:
        """Reads the file of a reduction. The referee checks it: a `Violation` says what is wrong."""
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{type(path).__name__} is no path; give the name of a file of a reduction")
        with open(path, "rb") as file:
            content = file.read(MOST_PLAN_BYTES)
        return _reduction(_core.reduction_of(os.fspath(path), content))

    def gantt(self) -> SVG:
        """A drawing of the times at which every processor sends, receives and merges."""
        return SVG(_core.reduction_svg("gantt", self._listed().encode()))

    def tree(self) -> SVG:
        """A drawing of the tree of receivers, with the start of every transfer."""
        return SVG(_core.reduction_svg("tree", self._listed().encode()))

    def _listed(self) -> str:
        if self.text is None:
            raise ValueError("the transfers of the reduction are not listed: it has too many processors, or classes of them")
        return self.text

    def _repr_svg_(self) -> str | None:
        if self.steps is None:
            return None
        return small(self.gantt(), len(self.steps)) if len(self.steps) <= MOST_NODES else None

    def __repr__(self) -> str:
        bound = "" if self.status == "optimal" else f", at least {self.lower_bound}"
        return f"<Reduction: length {self.length} ({self.status}{bound}), {self.method}>"


class Ring(NamedTuple):
    """A cycle through the processors, and the data that it carries per unit of time on every hop."""

    nodes: tuple[str, ...]
    rate: Fraction


class Rings(NamedTuple):
    """The best rings: with rates of their own, and equal ones as NCCL's channels are.

    `total` is the rate of all rings together, at most `bound`; `equal_total` that of the equal ones, each ring listed as
    often as it is used.
    """

    packing: Table[Ring]
    total: Fraction
    bound: Fraction
    status: str
    equal: Table[Ring]
    equal_total: Fraction


class Limited(TypedDict, total=False):
    """Limits of a search."""

    time_limit: Union[float, str]
    memory_limit: Union[int, str]
    threads: int


def _whole(value: Any, label: str, least: int) -> int:
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise TypeError(f"{label}={shown(value)} is no whole number")
    number = value.__index__()
    if not least <= number < 2**63:
        raise ValueError(f"{label}={shown(number)} is no number from {least} to 2^63 - 1")
    return int(number)


def _reduction(found: Any) -> Reduction:
    length, bound, status, method, listed = found
    if listed is None:
        return Reduction(length, bound, status, method, None, None, None)
    (root, receivers, starts, merges), text = listed
    steps = [
        Step(place, receiver, starts[place], None if merges is None else merges[place])
        for place, receiver in enumerate(receivers)
        if place != root
    ]
    steps.sort(key=lambda step: (step.start, step.processor))
    return Reduction(length, bound, status, method, root, Table(Step._fields, steps), text)


def reduce_homogeneous(
    n: int | None = None,
    /,
    *,
    transfer: Number,
    compute: Number,
    max_transfers: int | None = None,
    max_reducers: int | None = None,
    strategy: str = "greedy",
    ties: str = "oldest",
    ready: Sequence[Number] | None = None,
) -> Reduction:
    """The shortest reduction of `n` values, one per processor, with equal costs of a transfer and of a merge.

    At most `max_transfers` transfers, or `max_reducers` merging processors, at a time. `strategy` is `"greedy"` (the
    optimum), `"binomial"`, `"fibonacci"`, `"chain"` or `"flat"`. `ready` lists the dates at which the values are there, in
    place of `n`: then values may be combined in any order, no limit is given, and the method is its own.

    >>> import pyoneport as op
    >>> op.reduce_homogeneous(8, transfer=1, compute=0).length
    Fraction(3, 1)
    >>> op.reduce_homogeneous(ready=[0, 0, 5], transfer=1, compute=1).length
    Fraction(6, 1)
    """
    with one_warning():
        costs = plain(transfer, "transfer"), plain(compute, "compute")
        dates = None if ready is None else _dates(ready)
    if dates is not None:
        for label, given in (("max_transfers", max_transfers), ("max_reducers", max_reducers)):
            if given is not None:
                raise ValueError(f"ready= and {label}=: no method has both; leave one of them out")
        if strategy != "greedy" or ties != "oldest":
            raise ValueError("ready= has a method of its own; leave strategy= and ties= out")
    n = _values(n, dates)
    transfers = None if max_transfers is None else _whole(max_transfers, "max_transfers", 1)
    reducers = None if max_reducers is None else _whole(max_reducers, "max_reducers", 1)
    return _reduction(_core.reduce_homogeneous(n, *costs, transfers, reducers, strategy, ties, dates))


def _dates(ready: Any) -> list[Fraction]:
    ready = cells(ready)
    if isinstance(ready, (str, bytes, Mapping)) or not isinstance(ready, Iterable):
        raise TypeError(f"ready={shown(ready)} are no dates; give a list of numbers, one for each value")
    return [plain(date, f"ready[{place}]") for place, date in enumerate(ready)]


def _values(n: Any, dates: list[Fraction] | None) -> int:
    """The number of values, given or that of the dates."""
    if n is None:
        if dates is None:
            raise TypeError("reduce_homogeneous() needs the number of values, or ready= with a date for each")
        return _whole(len(dates), "the number of dates", 1)
    number = _whole(n, "n", 1)
    if dates is not None and number != len(dates):
        raise ValueError(f"n={number} is not the number of dates; ready= has {len(dates)}, leave n out")
    return number


def reduce_heterogeneous(
    times: Sequence[Number] | Mapping[Number, int],
    /,
    *,
    destination: int | None = None,
    method: str = "auto",
    **how: Unpack[Limited],
) -> Reduction:
    """The shortest reduction over processors of unequal speeds: the time of a transfer by each.

    `times` lists the processors, and `destination` is one of them by its number, by default one more. A dict
    `{time: number of senders}` stands for classes; then no transfers are listed.

    >>> import pyoneport as op
    >>> op.reduce_heterogeneous([1, 1, 1, 1]).length
    Fraction(3, 1)
    """
    refuse_unknown("reduce_heterogeneous", how, ("time_limit", "memory_limit", "threads"))
    classes = isinstance(times, Mapping)
    if isinstance(times, (str, bytes)) or not isinstance(times, (Mapping, Sequence)) and not hasattr(times, "tolist"):
        raise TypeError(f"{shown(times)} are no times; give a list of numbers, or a dict of times and numbers of senders")
    with one_warning():
        if isinstance(times, Mapping):
            listed = [(plain(time, "times"), _whole(count, f"senders of {time}", 1)) for time, count in times.items()]
        else:
            listed = [(plain(time, f"times[{place}]"), 1) for place, time in enumerate(times)]
    if destination is not None:
        if classes:
            raise ValueError("destination= is for a list of times; with classes the destination is one more processor")
        destination = _whole(destination, "destination", 0)
    limits = limit(how, "time_limit"), limit(how, "memory_limit")
    threads, _ = calling(how)
    return _reduction(_core.reduce_heterogeneous(listed, classes, destination, method, limits, threads))


def rings(
    platform: PlatformLike, /, *, participants: Nodes = "all", max_rings: int = 32, **how: Unpack[Limited]
) -> Rings:
    """The rings through all participants that carry the most together, and at most `max_rings` equal ones.

    >>> import pyoneport as op
    >>> triangle = op.Platform.from_matrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]], model="links")
    >>> op.rings(triangle).total
    Fraction(2, 1)
    """
    refuse_unknown("rings", how, ("time_limit", "memory_limit", "threads"))
    names = node_names(participants, "participants")
    limits = limit(how, "time_limit"), limit(how, "memory_limit")
    threads, _ = calling(how)
    most = min(_whole(max_rings, "max_rings", 1), 2**31)
    place = as_platform(platform)
    listed = place._held.listed(names if isinstance(names, str) else None, [] if isinstance(names, str) else names)
    found, total, bound, status, equal, share = _core.pack_rings(place._held, listed, most, limits, threads)
    packing = [Ring(tuple(nodes), rate) for nodes, rate in found]
    alike = [Ring(tuple(nodes), share) for nodes, times in equal for _ in range(times)]
    return Rings(packing=Table(Ring._fields, packing), total=total, bound=bound, status=status,
                 equal=Table(Ring._fields, alike), equal_total=share * len(alike))  # fmt: skip
