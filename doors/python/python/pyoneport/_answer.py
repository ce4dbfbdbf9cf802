"""Answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from . import _core, _graphs
from ._display import MOST_NODES, Page, SVG, facts, small
from ._frozen import Frozen
from ._numbers import shown
from ._platform import PathLike, Platform
from ._values import Bandwidth, Limit, Load, Merge, Pattern, Reason, Send, Slot, Table, decimal, frame, text_table

if TYPE_CHECKING:
    import pandas as pd

MOST_PLAN_BYTES = 1 << 30
MOST_FACT = 300
"""Letters of a fact of a printed answer."""
MOST_NAMES = 8
"""Names of nodes in a line of a printed answer."""


class Certificate(Mapping[str, Fraction]):
    """The proof of a bound: a price for each resource that limits, by name.

    The names are `"send port of 'a'"`, `"receive port of 'a'"`, `"processor of 'a'"`, `"link 'a -> b'"` and others
    (docs/python.md lists them). No schedule has more instances per unit of time than the prices times the capacities, over the least that an
    instance costs under these prices. `reasons` says why an instance costs so much.
    """

    __slots__ = ("_answer", "_prices", "capacities")

    def __init__(self, answer: _core.Answer) -> None:
        rows = answer.prices()
        self._answer = answer
        self._prices = {name: price for name, _, price in rows}
        self.capacities: dict[str, int] = {name: capacity for name, capacity, _ in rows}
        """The capacity of each priced resource: 1, or the number of its ports."""

    @property
    def supply(self) -> Fraction:
        """The sum of price x capacity: what all resources earn in a unit of time."""
        return sum((price * self.capacities[name] for name, price in self._prices.items()), Fraction(0))

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The inequalities that say what an instance costs at least, as sentences; their shares add up to 1 / bound."""
        return tuple(map(Reason._make, self._answer.reasons()))

    def __getitem__(self, resource: str, /) -> Fraction:
        return self._prices[resource]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prices)

    def __len__(self) -> int:
        return len(self._prices)

    def __repr__(self) -> str:
        return f"<Certificate: {len(self)} prices>"


class Schedule(Sequence[Slot]):
    """A periodic schedule: slots that follow each other in every period, links that are busy in each."""

    __slots__ = ("_slots", "instances", "period")

    def __init__(self, period: Fraction, instances: int, slots: Sequence[Slot]) -> None:
        self.period: Fraction = period
        self.instances: int = instances
        self._slots: tuple[Slot, ...] = tuple(slots)

    @property
    def throughput(self) -> Fraction:
        """Instances per unit of time."""
        return self.instances / self.period

    def __len__(self) -> int:
        return len(self._slots)

    @overload
    def __getitem__(self, index: int, /) -> Slot: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Slot]: ...
    def __getitem__(self, index: int | slice, /) -> Slot | Sequence[Slot]:
        return self._slots[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return False
        return (self.period, self.instances, self._slots) == (other.period, other.instances, other._slots)

    def __hash__(self) -> int:
        return hash((self.period, self.instances, self._slots))

    def __repr__(self) -> str:
        return f"<Schedule: {self.instances} instances in {self.period}, {len(self)} slots>"

    def to_frame(self, *, exact: bool = True) -> pd.DataFrame:
        """A pandas `DataFrame` with a row for each link in each slot: slot, start, length, source, target, share.

        Fractions stay exact, in columns of objects; with `exact=False` they are floats.
        """
        columns = ("slot", "start", "length", "source", "target", "share")
        rows = [
            dict(zip(columns, (place, slot.start, slot.length, *link)))
            for place, slot in enumerate(self._slots)
            for link in slot.links
        ]
        return frame(rows, columns, exact)


class Answer(Frozen):
    """The proved answer to a question: a bound with its certificate, a throughput, patterns and a schedule.

    It cannot change, compares with `==` and pickles. The referee has checked all of it: it shares no code with the search. Parts that were not asked for are `None`.
    """

    _held: _core.Answer
    left_out: tuple[str, ...]
    """Processors that take no part and were left out, with their links: `idle=` decides. They are not in `platform`."""
    _notes: tuple[str, ...]

    def __init__(self) -> None:
        raise TypeError("an answer is made by solve, rate, bound, verify or Answer.load")

    @classmethod
    def _of(cls, core: _core.Answer, notes: Iterable[str] = (), left_out: Iterable[str] = ()) -> Answer:
        made = object.__new__(cls)
        made.__dict__.update(_held=core, _notes=tuple(notes), left_out=tuple(left_out))
        return made

    @cached_property
    def platform(self) -> Platform:
        """The platform, without the nodes that are left out. Its `notes` are those of the platform that was given."""
        return Platform._of(self._held.platform(), self._notes)

    @property
    def collective(self) -> str:
        """The collective, such as `"all-reduce"`."""
        return self._held.collective()

    @cached_property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The nodes of each role: `source`, `target`, `sources`, `targets`, `participants`."""
        return {role: tuple(nodes) for role, nodes in self._held.roles()}

    @cached_property
    def forwarding(self) -> tuple[str, ...]:
        """Nodes that own and want nothing, and may forward: routers, and processors with `idle="forward"`.

        Such a processor may merge, too, if the collective combines values.
        """
        return tuple(self._held.forwarding())

    @property
    def size(self) -> Fraction | None:
        """The size of a message in the platform's units of data; `None` if messages differ."""
        return self._held.size()

    @cached_property
    def bound(self) -> Fraction:
        """No schedule has more instances per unit of time: the certificate proves it."""
        return self._held.bound()

    @cached_property
    def throughput(self) -> Fraction | None:
        """Instances per unit of time of the best patterns found."""
        return self._held.throughput()

    @property
    def status(self) -> str | None:
        """`"optimal"` if the throughput equals the bound, else `"feasible"`; `None` if no throughput is known."""
        return self._held.status()

    @property
    def gap(self) -> Fraction | None:
        """The part of the bound that is not attained: 0 of an optimum."""
        return None if self.throughput is None else 1 - self.throughput / self.bound

    @property
    def ended_by(self) -> str | None:
        """The limit that ended the search: `"time_limit"`, `"memory_limit"` or `"callback"`; `None` if it came to its end."""
        return self._held.ended_by()

    @property
    def unlisted(self) -> str | None:
        """The reason why no schedule is listed although one was asked for."""
        return self._held.unlisted()

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of the bound."""
        return Certificate(self._held)

    @cached_property
    def limited_by(self) -> tuple[Limit, ...]:
        """The classes of resources that the certificate charges, the largest share first."""
        return tuple(map(Limit._make, self._held.limits()[0]))

    @cached_property
    def bandwidth(self) -> Bandwidth | None:
        """The operation as nccl-tests count it, at the throughput (at the bound if none is known).

        `None` without units, and for collectives that they do not measure.
        """
        counted = self._held.bandwidth()
        return None if counted is None else Bandwidth._make(counted)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...] | None:
        """The weighted patterns of the steady state."""
        listed = self._held.patterns()
        if listed is None:
            return None
        return tuple(Pattern(demand, weight, tuple(map(_task, tasks))) for demand, weight, tasks in listed)

    @cached_property
    def schedule(self) -> Schedule | None:
        """The periodic schedule."""
        listed = self._held.schedule()
        if listed is None:
            return None
        period, instances, parts = listed
        start, slots = Fraction(0), []
        for length, links in parts:
            slots.append(Slot(start, length, tuple(links)))
            start += length
        return Schedule(period, instances, slots)

    def loads(self) -> Table[Load]:
        """The busy share of the time of each port, link, processor and shared capacity, the busiest first.

        It is the load at the throughput: a schedule whose period loses throughput keeps resources less busy. A resource
        with a `capacity` of several ports is wholly busy at 1, too. Resources without a load are not listed.

        >>> import pyoneport as op
        >>> pair = op.Platform.from_matrix([[0, 2], [1, 0]], names=["a", "b"])
        >>> [(load.resource, str(load.busy)) for load in op.solve(pair, "broadcast", source="a").loads()]
        [("link 'a -> b'", '1'), ("receive port of 'b'", '1'), ("send port of 'a'", '1')]
        """
        listed = self._held.loads()
        if listed is None:
            raise ValueError("the answer lists no patterns, so its loads are not known; solve with goal='rate' or 'schedule'")
        rows = sorted(map(Load._make, listed), key=lambda load: (-load.busy, load.resource))
        return Table(Load._fields, rows)

    @property
    def loss(self) -> Fraction | None:
        """The part of the throughput that the schedule's period gives up."""
        if self.schedule is None or not self.throughput:
            return None
        return 1 - self.schedule.throughput / self.throughput

    def to_json(self) -> str:
        """The text of a plan file, which `oneport verify` and `Answer.load` read."""
        text = self._held.text()
        if text is None:
            raise ValueError("the answer has no schedule, so it is no plan; solve with goal='schedule'")
        return text

    def to_dict(self, *, plan: bool = True) -> dict[str, Any]:
        """The numbers of the answer as text, in the words of an answer of `oneport solve --json`.

        If a schedule is listed, `"plan"` has the content of its plan file, so that `verify` takes the dict. With
        `plan=False` it has the numbers alone.
        """
        bandwidth, schedule = self.bandwidth, self.schedule
        numbers = {
            "throughput": self.throughput,
            "upper_bound": self.bound,
            "gap": self.gap,
            "size": bandwidth and bandwidth.bytes,
            "algbw": bandwidth and bandwidth.algbw,
            "busbw": bandwidth and bandwidth.busbw,
            "period": schedule and schedule.period,
            "instances": schedule and schedule.instances,
            "loss": self.loss,
        }
        nodes, links = self._held.platform().extent()
        made: dict[str, Any] = {"collective": self.collective, "nodes": nodes, "links": links, "status": self.status}
        made.update((key, None if value is None else str(value)) for key, value in numbers.items())
        made["bottleneck"] = [
            {"resource": one.resource, "members": one.members, "share": str(one.share), "busy": str(one.busy)}
            for one in self.limited_by
        ]
        made["ended_by"] = self.ended_by
        if plan and schedule is not None:
            made["plan"] = json.loads(self.to_json())
        return made

    def save(self, path: PathLike) -> None:
        """Writes a plan file."""
        text = self.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def load(path: PathLike) -> Answer:
        """Reads a plan file. The referee checks it: a `Violation` says what is wrong."""
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{type(path).__name__} is no path; give the name of a plan file")
        with open(path, "rb") as file:
            content = file.read(MOST_PLAN_BYTES)
        return Answer._of(_core.Answer.from_plan(os.fspath(path), content))

    def graph(self) -> SVG:
        """A drawing of the platform: how long every link is busy, and in red what limits."""
        return SVG(self._held.svg("graph", 0) or "")

    def gantt(self) -> SVG:
        """A drawing of a period; of a large schedule it has megabytes: `answer.gantt().save("period.svg")`."""
        drawing = self._held.svg("gantt", 0)
        if drawing is None:
            raise ValueError("the answer has no schedule; solve with goal='schedule'")
        return SVG(drawing)

    def tree(self, place: int = 0) -> SVG:
        """A drawing of one of the patterns."""
        count = len(self.patterns or ())
        if not isinstance(place, int) or not 0 <= place < count:
            raise ValueError(f"there is no pattern {place}; there are {count}, counted from 0")
        return SVG(self._held.svg("tree", place) or "")

    def view(self, height: int = 600) -> Page:
        """A page with the numbers, the platform with its loads, and the period. A notebook shows it in a frame of this
        height, in pixels; `answer.view().save("page.html")` writes it."""
        if isinstance(height, bool) or not isinstance(height, int) or not 0 < height <= 100_000:
            raise ValueError(f"height={shown(height)} is no number of pixels from 1 to 100000")
        drawings = [self._held.svg("graph", 0), self._held.svg("gantt", 0)]
        body = facts(self._facts()) + "".join(one for one in drawings if one is not None)
        return Page.of(self.collective, body, height)

    def _repr_svg_(self) -> str | None:
        nodes = self._held.platform().extent()[0]
        return small(self.graph(), nodes) if nodes <= MOST_NODES else None

    def _repr_html_(self) -> str:
        return (self._repr_svg_() or "") + facts(self._facts())

    def _facts(self) -> list[tuple[str, object]]:
        counted, schedule, limits = self.bandwidth, self.schedule, self.limited_by
        rows: list[tuple[str, object]] = [
            ("collective", self.collective),
            ("throughput", self.throughput),
            ("status", self.status or "a bound alone"),
        ]
        if self.status != "optimal":
            rows.append(("at most", self.bound))
        if counted is not None:
            rows.append(("bandwidth", f"algorithm {decimal(counted.algbw)}, bus {decimal(counted.busbw)} GB/s"))
        if schedule is not None:
            rows.append(("period", f"{schedule.period} for {schedule.instances} instances, {len(schedule)} slots"))
        if limits:
            rows.append(("limited by", ", ".join(limit.resource for limit in limits[:3])))
        for label, nodes in (("left out", self.left_out), ("may forward", self.forwarding)):
            if nodes:
                more = f" and {len(nodes) - MOST_NAMES} more" if len(nodes) > MOST_NAMES else ""
                rows.append((label, ", ".join(nodes[:MOST_NAMES]) + more))
        reasons = self.certificate.reasons
        if reasons:
            rows.append(("proof", reasons[0].sentence))
        return rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self._held == other._held

    def __hash__(self) -> int:
        return hash((self.platform, self.collective, self.bound, self.throughput))

    def __str__(self) -> str:
        return text_table((), self._facts(), MOST_FACT)

    def __repr__(self) -> str:
        found = self.throughput
        if found is None:
            return f"<Answer: {self.collective}, throughput at most {self.bound}>"
        told = "optimal" if self.status == "optimal" else f"feasible, at most {decimal(self.bound)}"
        slots = "" if self.schedule is None else f", period {self.schedule.period}"
        return f"<Answer: {self.collective}, throughput {found} ({told}){slots}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Answer._of, (self._held, self._notes, self.left_out)


def _task(step: tuple[str, str, str | None, int, int, int | None]) -> Send | Merge:
    _, node, target, first, last, split = step
    if target is not None:
        return Send(node, target, first, last)
    return Merge(node, first, last if split is None else split, last)


def export(
    plan: Answer | PathLike,
    to: str,
    path: PathLike,
    /,
    *,
    bytes: int | None = None,
    pieces: int | None = None,
    periods: int | None = None,
    in_place: bool | None = None,
) -> list[str]:
    """Writes a plan for another program, and returns the names of the files: `export(answer, "mpi", "all_reduce.c")`.

    `to` is a format of `oneport export`: events, perfetto, goal, mscclpp, msccl, chakra, simgrid, mpi and others; an
    unknown one is answered with their list. A file that exists is replaced, as by `open(path, "w")`. `bytes` is the size
    of a message of formats that hold one operation, `pieces` their number of pieces; `periods` limits a run.
    """
    for label, number in (("bytes", bytes), ("pieces", pieces), ("periods", periods)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**63):
            raise ValueError(f"{label}={number!r} is no whole number from 1 on")
    if not isinstance(to, str):
        raise TypeError(f"to={to!r} is no format; give its name, such as 'mpi'")
    files, _ = content_of(plan)._held.export(to, (bytes, pieces, periods, in_place))
    written = []
    for suffix, content in files:
        name = os.fspath(path) + suffix
        with open(name, "wb") as file:
            file.write(content)
        written.append(name)
    return written


def content_of(plan: Answer | PathLike | Mapping[str, Any]) -> Answer:
    """The answer for a plan in any form."""
    if isinstance(plan, Answer):
        return plan
    if not isinstance(plan, Mapping):
        return Answer.load(plan)
    if "format" not in plan and "throughput" in plan:
        if not isinstance(plan.get("plan"), Mapping):
            raise ValueError(
                "the dict has the numbers of an answer and no plan; give the answer, its to_dict() with a schedule, or a row of "
                "a question with keep='plan'"
            )
        plan = plan["plan"]
    return Answer._of(_core.Answer.from_plan("plan", json.dumps(_graphs.plain(plan, "plan")).encode()))
