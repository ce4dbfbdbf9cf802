"""Known algorithms beside the optimum, and times of one operation by size."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _core, _graphs
from ._asking import TABLE_KEYWORDS, Ask, calling, refuse_unknown, table_keys
from ._numbers import Number, fraction, one_warning
from ._platform import PathLike, Platform, PlatformLike, as_platform
from ._values import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Asked(Ask, total=False):
    """A question for a table. `read` holds the keywords of `op.read` for a platform that is a path."""

    read: Mapping[str, Any]


class Estimate(NamedTuple):
    """An estimate of NCCL's own model, in six digits: bus bandwidth in GB/s, time of one operation in microseconds.

    `time` is `None` if the size of the operation is not given.
    """

    algorithm: str
    protocol: str
    busbw: Fraction
    time: Fraction | None


class Measured(NamedTuple):
    """A measurement: its throughput, its share of the bound, and whether no proved bound excludes it.

    `in_network` is the bound if the switches combined and duplicated values, `None` if that bound is not above the
    other one.
    """

    shown: str
    throughput: Fraction
    share: Fraction
    possible: bool
    in_network: Fraction | None


class Compared(NamedTuple):
    """An algorithm, or the best of a shape, beside the optimum.

    `throughput` is in operations per unit of time, `share` its share of the bound, `busbw` in GB/s. `time` is the time of
    one operation in seconds (without units in units of time), with the best number of `pieces`; `share_once` is the lower
    bound on the time over it. `measured_share` is the measurement over the throughput. An algorithm that combines operands
    in another order than the question has `compared=False`. `own` marks an algorithm of `algorithms=`.
    """

    name: str
    about: str
    own: bool
    compared: bool
    in_order: bool
    throughput: Fraction
    share: Fraction
    busbw: Fraction | None
    time: Fraction | None
    pieces: int | None
    share_once: Fraction | None
    measured_share: Fraction | None
    nccl_expects: Estimate | None
    limited_by: str | None
    run_by: str | None


class Latency(NamedTuple):
    """The latency of links of a kind, in seconds (without units in units of time), and their number.

    `origin` is `"stated"` by the platform, `"given"` by `read=`, or `"assumed"` by kind of link.
    """

    kind: str
    latency: Fraction
    origin: str
    links: int


class Run(NamedTuple):
    """The best run of an algorithm: its number of pieces, its time, algorithm and bus bandwidth in GB/s."""

    name: str
    pieces: int
    time: Fraction
    algbw: Fraction | None
    busbw: Fraction | None


class Timed(NamedTuple):
    """One size: its bytes as nccl-tests count them, the best run, and a proved lower bound on the time.

    Times are in seconds, without units in units of time. `gap` is the excess of the best time over the bound, as a share
    of the bound. `measured` is the measured time, `nccl` the estimate of NCCL's own model. `runs` has the best run of each
    algorithm, the shortest first. If a limit came before the first run was dated, `name`, `pieces` and `time` are `None`.
    """

    bytes: Fraction | None
    name: str | None
    pieces: int | None
    time: Fraction | None
    algbw: Fraction | None
    busbw: Fraction | None
    lower_bound: Fraction
    gap: Fraction | None
    measured: Fraction | None
    nccl: Estimate | None
    runs: Table[Run]


class Comparison(Table[Compared]):
    """Algorithms beside the optimum: the throughput of the best schedule known, the bound, the status.

    `busbw` is the bound as a bus bandwidth in GB/s. If the size of the operation is given, `lower_bound` is a proved lower
    bound on its time and `time` the time of oneport's own best run, in seconds; `latencies` are those of the links, also
    the assumed ones. `ended_by` names the limit that ended a search, `left_out` the processors that are left out.
    """

    __slots__ = ("bound", "busbw", "ended_by", "latencies", "left_out", "lower_bound", "measured", "nccl", "status", "throughput", "time")

    throughput: Fraction | None
    bound: Fraction
    status: str
    busbw: Fraction | None
    lower_bound: Fraction | None
    time: Fraction | None
    measured: Measured | None
    nccl: Estimate | None
    ended_by: str | None
    latencies: Table[Latency]
    left_out: tuple[str, ...]

    @classmethod
    def _of(cls, told: Mapping[str, Any]) -> Comparison:
        table = cls(Compared._fields, [_compared(row) for row in told["rows"]])
        table.throughput = _number(told["throughput"])
        table.bound = _exactly(told["upper_bound"])
        table.status = told["status"]
        table.busbw = _number(told["busbw"])
        table.lower_bound = _number(told["lower_bound"])
        table.time = _number(told["time"])
        table.measured = _measured(told["measured"])
        table.nccl = None if told["nccl"] is None else _estimate(told["nccl"]["pick"])
        table.ended_by = _ended_by(told)
        table.latencies = _latencies(told)
        table.left_out = tuple(told.get("left_out", ()))
        return table


class Times(Table[Timed]):
    """Times of one operation by size.

    `latencies` are those of the links, also the assumed ones. `ended_by` names the limit that ended the search,
    `left_out` the processors that are left out.
    """

    __slots__ = ("ended_by", "latencies", "left_out")

    ended_by: str | None
    latencies: Table[Latency]
    left_out: tuple[str, ...]

    @classmethod
    def _of(cls, told: Mapping[str, Any]) -> Times:
        table = cls(Timed._fields, [_timed(row) for row in told["sizes"]])
        table.ended_by = _ended_by(told)
        table.latencies = _latencies(told)
        table.left_out = tuple(told.get("left_out", ()))
        return table


def compare(
    platform: PlatformLike,
    collective: str,
    /,
    *,
    measured: Union[Number, PathLike, None] = None,
    algorithms: Union[PathLike, Sequence[PathLike]] = (),
    tuning: Union[PathLike, None] = None,
    **how: Unpack[Asked],
) -> Comparison:
    """The algorithms that people run today, and yours, beside the optimum: `oneport compare`.

    With `bytes` or `size`, one operation is timed too, and rows are in the order of their times. `measured` is a bus
    bandwidth ("212 GB/s"), an algorithm bandwidth ("212 GB/s algbw"), the time of one operation ("3.1 ms"), a number of
    operations per unit of time, or a file of nccl-tests, OSU or IMB. `algorithms` are files of your own algorithms;
    `tuning` is a log of NCCL, from which its model is taken. The other keywords are those of `rate`.

    If the platform is a path, `read` holds the keywords of `op.read`; a `Platform` takes `model`, `units` and `latency` of
    them. Latencies that neither a file of another program nor `read` states are assumed by kind of link, as the command
    assumes them; `latencies` of the table lists all. A `Platform` and a file of ours state their own.

    >>> import pyoneport as op
    >>> star = op.Platform.from_matrix([[0, 1, 1], [1, 0, 0], [1, 0, 0]], names=["hub", "a", "b"])
    >>> table = op.compare(star, "all-gather")
    >>> table.bound, max(row.share for row in table if row.compared) <= 1
    (Fraction(1, 4), True)
    """
    keys = {"measured": measured, "algorithms": algorithms or None, "tuning": tuning}
    return Comparison._of(_tabled("compare", platform, collective, keys, how))


def time(
    platform: PlatformLike,
    collective: str,
    /,
    *,
    sizes: Union[Sequence[Number], str, None] = None,
    measured: Union[PathLike, None] = None,
    algorithms: Union[PathLike, Sequence[PathLike]] = (),
    **how: Unpack[Asked],
) -> Times:
    """The time of one operation by size, with latency, beside a proved lower bound: `oneport time`.

    `sizes` is a list of bytes, or text: "8:4GiB:x2" for sizes that grow by a factor. Without it, the one size is that of
    `bytes` or `size`; with a file of measurements (`measured`) and neither of them, the sizes are those of the file.
    `algorithms` are files of your own algorithms. The other keywords are those of `rate`, and `read` as in `compare`.

    >>> import pyoneport as op
    >>> box = op.generate.dgx1()
    >>> [row.time >= row.lower_bound for row in op.time(box, "all-gather", sizes=["64 KiB", "1 MiB"])]
    [True, True]
    """
    keys = {"sizes": sizes, "measured": measured, "algorithms": algorithms or None}
    return Times._of(_tabled("time", platform, collective, keys, how))


def _tabled(ask: str, platform: Any, collective: str, own: Mapping[str, Any], how: Mapping[str, Any]) -> dict[str, Any]:
    read = how.get("read")
    rest = {key: value for key, value in how.items() if key != "read"}
    refuse_unknown(ask, rest, TABLE_KEYWORDS)
    threads, callback = calling(how)
    with one_warning():
        keys = table_keys(collective, ask, {**rest, **own})
        if read is not None:
            keys["read"] = _graphs.plain(read, "read")
        held = None
        if isinstance(platform, (str, os.PathLike)):
            keys["platform"] = os.fspath(platform)
        elif isinstance(platform, Mapping) and "generate" in platform:
            keys["platform"] = _graphs.plain(platform, "platform")
        else:
            held, keys["platform"] = as_platform(platform)._held, "platform"
    told: dict[str, Any] = json.loads(_core.tabled(held, json.dumps(keys), threads, callback))
    return told


def _ended_by(told: Mapping[str, Any]) -> str | None:
    key: str | None = told["ended_by"]
    return "callback" if key == "caller" else key


def _latencies(told: Mapping[str, Any]) -> Table[Latency]:
    listed = told.get("latencies") or ()
    rows = [Latency(one["kind"], _exactly(one["latency"]), one["origin"], one["links"]) for one in listed]
    return Table(Latency._fields, rows)


def _exactly(text: str) -> Fraction:
    return fraction(text, "the answer")


def _number(text: str | None) -> Fraction | None:
    return None if text is None else _exactly(text)


def _estimate(told: Mapping[str, Any] | None) -> Estimate | None:
    if told is None:
        return None
    return Estimate(told["algorithm"], told["protocol"], _exactly(told["busbw_GB_per_s"]), _number(told["time_us"]))


def _measured(told: Mapping[str, Any] | None) -> Measured | None:
    if told is None:
        return None
    found = told["in_network"]
    bound = None if found is None else _exactly(found["bound"])
    return Measured(told["shown"], _exactly(told["throughput"]), _exactly(told["share"]), told["possible"], bound)


def _compared(told: Mapping[str, Any]) -> Compared:
    return Compared(
        name=told["name"],
        about=told["about"],
        own=told["own"],
        compared=told["compared"],
        in_order=told["in_order"],
        throughput=_exactly(told["throughput"]),
        share=_exactly(told["share"]),
        busbw=_number(told["busbw"]),
        time=_number(told["time"]),
        pieces=told["pieces"],
        share_once=_number(told["share_once"]),
        measured_share=_number(told["measured_share"]),
        nccl_expects=_estimate(told["nccl_expects"]),
        limited_by=told["limited_by"],
        run_by=told.get("run_by"),
    )


def _run(told: Mapping[str, Any]) -> Run:
    algbw, busbw = _number(told["algbw"]), _number(told["busbw"])
    return Run(told["name"], told["pieces"], _exactly(told["time"]), algbw, busbw)


def _timed(told: Mapping[str, Any]) -> Timed:
    runs = [_run(row) for row in told["rows"]]
    best = runs[0] if runs else None
    return Timed(
        bytes=_number(told["bytes"]),
        name=None if best is None else best.name,
        pieces=None if best is None else best.pieces,
        time=None if best is None else best.time,
        algbw=None if best is None else best.algbw,
        busbw=None if best is None else best.busbw,
        lower_bound=_exactly(told["lower_bound"]),
        gap=_number(told["gap"]),
        measured=_number(told.get("measured")),
        nccl=_estimate(told["nccl"]),
        runs=Table(Run._fields, runs),
    )
