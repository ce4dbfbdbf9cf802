"""Questions."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from . import _core
from ._answer import Answer, content_of
from ._numbers import Number, exact, one_warning, shown
from ._platform import PathLike, Platform, PlatformLike, as_platform
from ._values import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

Name = Union[str, int, "tuple[Any, ...]"]
"""A node: its name, or the node of a graph, whose name is `str(node)`."""
Nodes = Union[Iterable[Name], str]
"""Nodes, or `"all"` nodes that compute."""
Goal = Literal["schedule", "rate", "bound"]


class Limits(TypedDict, total=False):
    """Limits of a call."""

    time_limit: Union[float, str]
    memory_limit: Union[int, str]
    threads: int
    callback: Callable[[Progress], object]


class Ask(Limits, total=False):
    """A question about a collective."""

    source: Name
    target: Name
    sources: Nodes
    targets: Nodes
    participants: Nodes
    size: Number
    bytes: Number
    work: Number
    commutative: bool
    model: str


class How(Ask, total=False):
    """A question and the schedule wanted."""

    goal: Goal


COLLECTIVES = (
    "scatter",
    "gather",
    "all-to-all",
    "broadcast",
    "all-gather",
    "reduce",
    "reduce-scatter",
    "all-reduce",
    "reduce-to-several",
    "scan",
    "barrier",
)
ROLES = ("source", "target", "sources", "targets", "participants")
NUMBERS = ("size", "bytes", "work")
LIMITS = ("time_limit", "memory_limit", "threads", "callback")


def named(collective: object) -> str:
    """The collective's name, checked."""
    if not isinstance(collective, str):
        raise TypeError(f"{shown(collective)} is no collective; the collectives are {', '.join(COLLECTIVES)}")
    if collective in COLLECTIVES:
        return collective
    from difflib import get_close_matches

    close = get_close_matches(collective.lower().replace("_", "-"), COLLECTIVES, 1, 0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(
        f"there is no collective {shown(collective)}{hint} The collectives are {', '.join(COLLECTIVES)}"
        if close
        else f"there is no collective {shown(collective)}; the collectives are {', '.join(COLLECTIVES)}"
    )


def node_name(node: object, label: str) -> str:
    """The name of a node."""
    if isinstance(node, str):
        return node
    if isinstance(node, (bool, type(None), float)) or not isinstance(node, (int, tuple)):
        raise TypeError(f"{label}={shown(node)} is no node; give its name")
    return str(node)


def node_names(nodes: object, label: str) -> list[str]:
    """The names of nodes; a text alone is one name, a pattern or "all"."""
    if isinstance(nodes, str):
        return [nodes]
    if isinstance(nodes, (bytes, Mapping)) or not isinstance(nodes, Iterable):
        raise TypeError(f"{label}={shown(nodes)} are no nodes; give a list of names, or 'all'")
    return [node_name(node, label) for node in nodes]


def limits_of(how: Mapping[str, Any]) -> tuple[float | None, int | None, Callable[[str, float, str | None], object] | None]:
    """Seconds, threads and callback, checked."""
    seconds = how.get("time_limit")
    if seconds is not None:
        if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real):
            raise TypeError(f"time_limit={shown(seconds)} is no number of seconds; give one such as 60")
        seconds = float(seconds)
        if not 0 <= seconds < math.inf:
            raise ValueError(f"time_limit={seconds} is no number of seconds, 0 or more; give one such as 60")
        seconds = min(seconds, 1e9)
    threads = how.get("threads")
    if threads is not None:
        if isinstance(threads, bool) or not isinstance(threads, int):
            raise TypeError(f"threads={shown(threads)} is no number of threads; give 1 or more")
        if not 1 <= threads <= 1024:
            raise ValueError(f"threads={threads} is no number of threads from 1 to 1024")
    callback = how.get("callback")
    if callback is None:
        return seconds, threads, None
    if not callable(callback):
        raise TypeError(f"callback={shown(callback)} cannot be called; give a function of one Progress")
    own: Callable[[Progress], object] = callback
    return seconds, threads, lambda stage, since, told: own(Progress(stage, since, told))


def refuse_unknown(function: str, how: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuses keywords that the function does not take."""
    all_known = list(known)
    for key in how:
        if key not in all_known:
            from difflib import get_close_matches

            close = get_close_matches(key, all_known, 1)
            hint = f"did you mean {close[0]}=?" if close else f"it takes {', '.join(f'{one}=' for one in all_known)}"
            raise TypeError(f"{function}() takes no {key}=; {hint}")


def solve(
    platform: PlatformLike, collective: str, /, *, goal: Goal = "schedule", **how: Unpack[Ask]
) -> Answer:
    """The best throughput of a collective on a platform, its proof, and a periodic schedule.

    >>> import pyoneport as op
    >>> star = op.Platform.from_matrix([[0, 1, 1], [1, 0, 0], [1, 0, 0]], names=["hub", "a", "b"])
    >>> answer = op.solve(star, "broadcast", source="hub")
    >>> answer.throughput, answer.status
    (Fraction(1, 2), 'optimal')
    >>> answer.limited_by[0].resource, answer.limited_by[0].busy
    ("send port of 'hub'", Fraction(1, 1))

    Keywords: `source`, `target`, `sources`, `targets`, `participants` name nodes; `size` of a message or `bytes` of the
    operation; `work` of a merge; `commutative=False` keeps the order of operands; `model` replaces the platform's;
    `time_limit` in seconds, `threads`, and `callback`, which is called with a `Progress` and may raise `StopIteration`
    to end the search with the best so far. `goal="rate"` finds no schedule, `goal="bound"` no optimum.
    """
    refuse_unknown("solve", how, (*ROLES, *NUMBERS, "commutative", "model", *LIMITS))
    if goal not in ("schedule", "rate", "bound"):
        raise ValueError(f"goal={shown(goal)} is no goal; give 'schedule', 'rate' or 'bound'")
    asked = named(collective)
    seconds, threads, callback = limits_of(how)
    place = as_platform(platform)
    model = how.get("model")
    if model is not None:
        place = place.with_model(model)
    with one_warning():
        amounts = {key: exact(how[key], key) for key in ("size", "work") if how.get(key) is not None}
    roles = []
    for key in ROLES:
        given = how.get(key)
        if given is None:
            continue
        names = [node_name(given, key)] if key in ("source", "target") else node_names(given, key)
        if names != ["all"]:
            roles.append((key, names))
    core = _core.ask(
        place._held, asked, goal, roles, amounts.get("size"), amounts.get("work"), how.get("commutative", True), seconds, threads, callback
    )
    return Answer._of(core)


def rate(platform: PlatformLike, collective: str, /, **how: Unpack[Ask]) -> Answer:
    """The best throughput and its proof, without a schedule: `solve(..., goal="rate")`."""
    return solve(platform, collective, goal="rate", **how)


def bound(platform: PlatformLike, collective: str, /, **how: Unpack[Ask]) -> Answer:
    """A proved bound, found quickly, which an optimum may not attain: `solve(..., goal="bound")`."""
    return solve(platform, collective, goal="bound", **how)


def verify(
    plan: Answer | PathLike | Mapping[str, Any], platform: PlatformLike | None = None, /, **how: Unpack[Limits]
) -> Answer:
    """Checks a plan again, from its file or as it is, on its own platform or on this one; returns what is proved.

    A plan that is wrong raises `Violation`, so nobody can overlook it.
    """
    refuse_unknown("verify", how, LIMITS)
    seconds, threads, callback = limits_of(how)
    own: Platform | None = None if platform is None else as_platform(platform)
    given = content_of(plan)
    return Answer._of(given._held.verify(None if own is None else own._held, seconds, threads, callback))
