"""Questions."""

from __future__ import annotations

import json
import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from . import _core, _graphs
from ._answer import Answer, content_of
from ._numbers import Number, exact, one_warning, plain as plain_number, shown
from ._platform import PathLike, Platform, PlatformLike, as_platform
from ._values import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

Name = Union[str, int, "tuple[Any, ...]"]
"""A node: its name, or the node of a graph, whose name is `str(node)`."""
Size = Union[Number, Callable[[str, str], Number]]
"""The size of every message, or, of an all-to-all, a function of the names of its sender and its receiver."""
Nodes = Union[Iterable[Name], str]
"""Nodes; or text as the command reads it: names and patterns with commas between, or `"all"` nodes that compute."""
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
    root: Name
    sources: Nodes
    targets: Nodes
    participants: Nodes
    groups: Sequence[Any]
    demands: Union[PathLike, Mapping[str, Any]]
    counts: Union[Sequence[Any], str]
    size: Size
    bytes: Number
    work: Number
    commutative: bool
    model: str
    changes: Sequence[str]
    idle: str


class How(Ask, total=False):
    """A question, and which schedule is wanted."""

    period: Number
    max_loss: Number
    max_instances: Union[int, str]
    exact_period: bool
    whole_messages: bool
    formulation: str


class Asked(How, total=False):
    """A question of any kind: also the keys of times and comparisons."""

    sizes: Union[Sequence[Number], str]
    measured: Union[Number, PathLike]
    algorithms: Union[PathLike, Sequence[PathLike]]
    tuning: PathLike


_ONE = ("source", "target", "root")
_MANY = ("sources", "targets", "participants")
_NUMBERS = ("size", "bytes", "work", "period", "max_loss", "max_instances")
_FLAGS = ("commutative", "exact_period", "whole_messages")
_TEXTS = ("model", "idle", "formulation")
_LISTS = ("groups", "counts")
_LIMITS = ("time_limit", "memory_limit")
_CALL = ("threads", "callback")
_KEYWORDS = (*_ONE, *_MANY, *_LISTS, "demands", *_NUMBERS, *_FLAGS, "changes", *_TEXTS, *_LIMITS)
_ASKED = tuple(key for key in _KEYWORDS if key not in ("period", "max_loss", "max_instances", "exact_period",
                                                       "whole_messages", "formulation"))  # fmt: skip
_ASKS: dict[str, str] = {"schedule": "solve", "rate": "rate", "bound": "bound"}
_TABLES = ("time", "compare")
_OF_TABLES = ("sizes", "measured", "algorithms", "tuning")
TABLE_KEYWORDS = (*(key for key in _KEYWORDS if key in Ask.__annotations__ or key in _LIMITS), *_CALL)


def node_name(node: object, label: str) -> str:
    """The name of a node."""
    if isinstance(node, str):
        return node
    if isinstance(node, (bool, type(None))) or not isinstance(node, (numbers.Integral, tuple)):
        raise TypeError(f"{label}={shown(node)} is no node; give its name")
    return str(plain_node(node))


def plain_node(node: object) -> object:
    """A node whose numbers are Python's: numpy prints an integer inside a tuple as `np.int64(0)`."""
    if isinstance(node, numbers.Integral) and not isinstance(node, bool):
        return int(node)
    return tuple(map(plain_node, node)) if type(node) is tuple else node


def node_names(nodes: object, label: str) -> list[str] | str:
    """The names of nodes."""
    if isinstance(nodes, str):
        return nodes
    if isinstance(nodes, (bytes, Mapping)) or not isinstance(nodes, Iterable):
        raise TypeError(f"{label}={shown(nodes)} are no nodes; give a list of names, or 'all'")
    return [node_name(node, label) for node in nodes]


def refuse_unknown(function: str, how: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuses keywords that the function does not take."""
    for key in how:
        if key not in known:
            from difflib import get_close_matches

            close = get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]}=?" if close else f"it takes {', '.join(f'{one}=' for one in known)}"
            raise TypeError(f"{function}() takes no {key}=; {hint}")


def limit(how: Mapping[str, Any], key: str) -> str | None:
    """A limit as the command reads it."""
    given = how.get(key)
    return None if given is None else exact(given, key)


def calling(how: Mapping[str, Any]) -> tuple[int | None, Callable[[str, float, str | None], object] | None]:
    """Threads and callback, checked."""
    threads = how.get("threads")
    if threads is not None:
        if isinstance(threads, bool) or not isinstance(threads, int):
            raise TypeError(f"threads={shown(threads)} is no number of threads; give 1 or more")
        if not 1 <= threads <= 1024:
            raise ValueError(f"threads={threads} is no number of threads from 1 to 1024")
    callback = how.get("callback")
    if callback is None:
        return threads, None
    if not callable(callback):
        raise TypeError(f"callback={shown(callback)} cannot be called; give a function of one Progress")
    own: Callable[[Progress], object] = callback
    return threads, lambda stage, since, told: own(Progress(stage, since, told))


def keys_of(collective: object, goal: object, how: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a question, without its platform, in a fixed order; numbers are exact text."""
    if not isinstance(collective, str):
        raise TypeError(f"{shown(collective)} is no collective; the collectives are {', '.join(collectives())}")
    if goal not in _ASKS:
        raise ValueError(f"goal={shown(goal)} is no goal; give 'schedule', 'rate' or 'bound'")
    keys: dict[str, Any] = {"ask": _ASKS[str(goal)], "collective": _core.collective(collective)}
    for key in _KEYWORDS:
        given = how.get(key)
        if given is not None:
            keys[key] = _key(key, given)
    return keys


def _key(key: str, given: Any) -> Any:
    if key in _ONE:
        return node_name(given, key)
    if key in _MANY:
        return node_names(given, key)
    if key in _NUMBERS or key in _LIMITS:
        return exact(given, key)
    if key in _FLAGS:
        if not isinstance(given, bool):
            raise TypeError(f"{key}={shown(given)} is neither True nor False")
        return given
    if key in _TEXTS:
        if not isinstance(given, str):
            raise TypeError(f"{key}={shown(given)} is no text")
        return given
    if key == "demands":
        if isinstance(given, (str, os.PathLike)):
            return os.fspath(given)
        if not isinstance(given, Mapping):
            raise TypeError(f"demands={shown(given)} are no demands; give the path of a file, or its content as a dict")
        return _graphs.plain(given, key)
    if key == "changes":
        return changes_of(given)
    given = _graphs.cells(given)
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        if isinstance(given, str) and key == "counts":
            return given
        raise TypeError(f"{key}={shown(given)} is no list")
    return [node_names(one, key) if key == "groups" else _graphs.plain(one, key) for one in given]


def table_keys(collective: object, ask: str, how: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a question for times or a comparison, without its platform."""
    keys = keys_of(collective, "rate", how)
    keys["ask"] = ask
    if (sizes := how.get("sizes")) is not None:
        if not isinstance(sizes, str) and (isinstance(sizes, (bytes, Mapping)) or not isinstance(sizes, Iterable)):
            raise TypeError(f"sizes={shown(sizes)} are no sizes; give a list, or text such as '8:4GiB:x2'")
        keys["sizes"] = sizes if isinstance(sizes, str) else [exact(size, "sizes") for size in sizes]
    if (measured := how.get("measured")) is not None:
        keys["measured"] = _path(measured, "measured") if isinstance(measured, os.PathLike) else exact(measured, "measured")
    if (algorithms := how.get("algorithms")) is not None:
        one = isinstance(algorithms, (str, os.PathLike))
        if not one and not isinstance(algorithms, Iterable):
            raise TypeError(f"algorithms={shown(algorithms)} are no paths; give the path of a file, or a list of paths")
        keys["with"] = [_path(path, "algorithms") for path in ([algorithms] if one else algorithms)]
    if (tuning := how.get("tuning")) is not None:
        keys["tuning"] = _path(tuning, "tuning")
    return keys


def _path(given: object, label: str) -> str:
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{label}={shown(given)} is no path; give the name of a file")
    name = os.fspath(given)
    if not isinstance(name, str):
        raise TypeError(f"{label}={shown(given)} is no text; give the name of a file")
    return name


def changes_of(given: object) -> list[str]:
    """Changes as texts."""
    several = [given] if isinstance(given, str) else given
    if isinstance(several, (bytes, Mapping)) or not isinstance(several, Iterable):
        raise TypeError(f"{shown(given)} is no change; write text such as 'a -> b: bandwidth x2'")
    texts = list(several)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{shown(text)} is no change; write text such as 'a -> b: bandwidth x2'")
    return texts


def collectives() -> dict[str, str]:
    """The collectives, each with a sentence."""
    return dict(_core.collectives())


def solve(platform: PlatformLike, collective: str, /, *, goal: Goal = "schedule", **how: Unpack[How]) -> Answer:
    """The best throughput of a collective on a platform, its proof, and a periodic schedule.

    >>> import pyoneport as op
    >>> star = op.Platform.from_matrix([[0, 1, 1], [1, 0, 0], [1, 0, 0]], names=["hub", "a", "b"])
    >>> answer = op.solve(star, "broadcast", source="hub")
    >>> answer.throughput, answer.status
    (Fraction(1, 2), 'optimal')
    >>> answer.limited_by[0].resource, answer.limited_by[0].busy
    ("send port of 'hub'", Fraction(1, 1))

    `platform` is a `Platform`, a graph of networkx, the path of a file, or a dict; `op.collectives()` lists the
    collectives. The keywords are the options of `oneport solve`, with underscores:

    - who takes part: `source`, `target`, `root`, `sources`, `targets`, `participants` (default: all that compute), `groups`,
      `demands` (a file or its content), `counts`;
    - how much: `size` of a message or `bytes` of the whole operation (default: 1 unit), `work` of a merge; of an
      all-to-all, `size` may be a function of sender and receiver: `size=lambda a, b: sizes[a, b]`;
    - `commutative=False` keeps the order of operands; `model` replaces the platform's port model; `changes` of the platform
      such as `["a -> b: bandwidth x2"]`;
    - `idle="out"` leaves out the processors that take no part, with their links; `idle="forward"` lets them forward, and
      merge if the collective combines values. By default accelerators are left out and other processors forward. Routers
      always forward. `Answer.left_out` and `Answer.forwarding` name the nodes;
    - which schedule: `period`, `max_loss`, `max_instances`, `exact_period`, `whole_messages`, `formulation`;
    - limits: `time_limit` (seconds, or "2 min"), `memory_limit` ("2G"), `threads`, and `callback`, which is called with a
      `Progress` and may raise `StopIteration` to end the search with the best so far. The answer comes at most 10 % and
      half a second after the time limit, so `time_limit=0` leaves half a second. Memory counts from the bytes that the
      process holds at the call. If a limit comes, the answer is the best that was found and checked, and `ended_by`
      names the limit; if nothing was, `Stopped` is raised.

    `goal="rate"` finds no schedule, `goal="bound"` a proved bound that perhaps no schedule attains.
    """
    refuse_unknown("solve", how, (*_KEYWORDS, *_CALL))
    threads, callback = calling(how)
    with one_warning():
        size = how.get("size")
        keys = keys_of(collective, goal, {**how, "size": None} if callable(size) else how)
        place = as_platform(platform)
    if (model := keys.pop("model", None)) is not None:
        place = place.with_model(model)
    if changes := keys.pop("changes", None):
        place = place.changed(*changes)
    _open_files(keys)
    if callable(size):
        with one_warning():
            keys.update(_sized(place, keys, size))
    keys["platform"] = "platform"
    answer, left_out = _core.ask(place._held, json.dumps(keys), threads, callback)
    return Answer._of(answer, place.notes, left_out)


def rate(platform: PlatformLike, collective: str, /, **how: Unpack[Ask]) -> Answer:
    """The best throughput and its proof, without a schedule: `solve(..., goal="rate")`."""
    refuse_unknown("rate", how, (*_ASKED, *_CALL))
    return solve(platform, collective, goal="rate", **how)


def bound(platform: PlatformLike, collective: str, /, **how: Unpack[Ask]) -> Answer:
    """A proved bound, found quickly, which an optimum may not attain: `solve(..., goal="bound")`."""
    refuse_unknown("bound", how, (*_ASKED, *_CALL))
    return solve(platform, collective, goal="bound", **how)


def question(
    platform: PlatformLike,
    collective: str,
    /,
    *,
    id: Any = None,
    goal: Goal | None = None,
    ask: str | None = None,
    keep: str | None = None,
    **how: Unpack[Asked],
) -> dict[str, Any]:
    """A question as a dict: what `sweep` answers, and a line of `oneport batch` after `json.dumps`.

    The keywords are those of `solve`, without `threads` and `callback`. A path stays a path; a dict with the key
    `"generate"` is a generator: `{"generate": "torus", "sides": [4, 4]}`. The answer repeats `id`, anything that JSON can
    hold. `keep="certificate"` or `keep="plan"` adds these to the answer. `ask` is the key of that name, in place of `goal`:
    `"solve"`, `"rate"`, `"bound"`, or `"time"` and `"compare"`, which take the keywords of `op.time` and `op.compare`.

    >>> import pyoneport as op
    >>> op.question("cluster.toml", "all-reduce", bytes="1 GiB", id=7)
    {'id': 7, 'platform': 'cluster.toml', 'ask': 'solve', 'collective': 'all-reduce', 'bytes': '1 GiB'}
    """
    refuse_unknown("question", how, (*_KEYWORDS, *_OF_TABLES))
    if ask is not None and goal is not None:
        raise TypeError("question() takes goal= or ask=, not both")
    if ask is not None and ask not in (*_ASKS.values(), *_TABLES):
        raise ValueError(f"ask={shown(ask)} is no kind of answer; give 'solve', 'rate', 'bound', 'time' or 'compare'")
    if callable(how.get("size")):
        raise TypeError("question() takes no function as size=, because a question is text; give counts= and all-to-all-v")
    with one_warning():
        if ask is None:
            keys_of(collective, goal or "schedule", how)  # refuses a goal that does not exist
        keys = table_keys(collective, ask or _ASKS[goal or "schedule"], how)
        asked: dict[str, Any] = {} if id is None else {"id": id}
        asked["platform"] = _source(platform)
    asked.update(keys)
    if keep is not None:
        asked["keep"] = keep
    try:
        json.dumps(id, allow_nan=False)
    except TypeError as error:
        raise TypeError(f"id={shown(id)} cannot be written as JSON: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"id={shown(id)} cannot be written as JSON: {error}") from None
    return asked


def _open_files(keys: Mapping[str, Any]) -> None:
    """Opens the files that the keys name, as `open` does, so that a missing one is a `FileNotFoundError`."""
    named = [keys[key][1:] for key in ("size", "work", "counts") if str(keys.get(key, "")).startswith("@")]
    if isinstance(keys.get("demands"), str):
        named.append(keys["demands"])
    for name in named:
        with open(name, "rb"):
            pass


def _sized(platform: Platform, keys: Mapping[str, Any], size: Callable[[str, str], Number]) -> dict[str, Any]:
    """The keys of an all-to-all whose messages have the sizes of a function: the common measure of the sizes is one
    message, and a pair has as many as it needs."""
    if keys["collective"] != "all-to-all" or any(key in keys for key in ("bytes", "sources", "targets", "groups")):
        raise TypeError("size= is a function, which all-to-all among participants= takes; give a number")
    chosen = keys.get("participants", "all")
    nodes = platform._held.listed(chosen if isinstance(chosen, str) else None, [] if isinstance(chosen, str) else chosen)
    sizes: dict[tuple[str, str], Fraction] = {}
    for one in nodes:
        for other in nodes:
            if one != other:
                label = f"size of {one!r} -> {other!r}"
                sizes[one, other] = plain_number(size(one, other), label)
                if sizes[one, other] < 0:
                    raise ValueError(f"{label} {sizes[one, other]} is no size; give 0 or more")
    if not sizes:
        return {}
    bottom = math.lcm(*(value.denominator for value in sizes.values()))
    measure = Fraction(math.gcd(*(int(value * bottom) for value in sizes.values())), bottom)
    if not measure:
        raise ValueError("size= is 0 for every pair; give at least one message a size above 0")
    counts = [[int(sizes[one, other] / measure) if one != other else 0 for other in nodes] for one in nodes]
    return {"collective": "all-to-all-v", "participants": nodes, "counts": counts, "size": str(measure)}


def _source(platform: Any) -> Any:
    if isinstance(platform, (str, os.PathLike)):
        return os.fspath(platform)
    if isinstance(platform, Mapping) and "generate" in platform:
        return _graphs.plain(platform, "platform")
    return as_platform(platform).to_dict()


def verify(
    plan: Answer | PathLike | Mapping[str, Any], platform: PlatformLike | None = None, /, **how: Unpack[Limits]
) -> Answer:
    """Checks a plan again, from its file or as it is; returns what is proved.

    If a platform is given, the plan must be for it: the same nodes by name, the same links by their ends, in any order.

    `plan` is an `Answer`, the path of a plan file, its content as a dict, what `Answer.to_dict()` returns, or a row of a
    sweep whose question had `keep="plan"`. A plan that is wrong raises `Violation`, so nobody can overlook it.
    """
    refuse_unknown("verify", how, (*_LIMITS, *_CALL))
    threads, callback = calling(how)
    own: Platform | None = None if platform is None else as_platform(platform)
    given = content_of(plan)
    limits = (limit(how, "time_limit"), limit(how, "memory_limit"))
    core = given._held.verify(None if own is None else own._held, limits, threads, callback)
    return Answer._of(core, (own or given.platform).notes, given.left_out)
