"""The effect of changes of a platform."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ._answer import Answer
from ._asking import Ask, calling, changes_of, limit, rate
from ._errors import Infeasible
from ._platform import PlatformLike, as_platform
from ._values import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Change(NamedTuple):
    """The effect of a change: bounds on the best throughput after it over the best one before it.

    The true factor is at least `least` and at most `most`: 3/2 is half as much again, 1 is no effect. They are equal if
    both optima are proved, and 0 if messages cannot arrive any more. `least` is `None` if no schedule is known after the
    change, `most` if none is known before it. `throughput` and `bound` are those after the change.

    `name` is the change, or with `each_one` a class of `members` parts and its `trial`: `"doubled"`, `"halved"`,
    `"removed"`, or `"doubled together"` with other classes. Of a doubled class, `enough` is a smaller factor of its speed
    that gains as much.
    """

    name: str
    trial: str
    members: int
    least: Fraction | None
    most: Fraction | None
    enough: Fraction | None
    throughput: Fraction | None
    bound: Fraction | None


def whatif(
    platform: PlatformLike, collective: str, /, *change: str | Sequence[str], each_one: bool = False, **how: Unpack[Ask]
) -> Table[Change]:
    """The throughput of a collective after each change of the platform. The keywords are the keywords of `rate`.

    A change is text in the grammar of `oneport whatif`; a list of texts is changes that are made together. With
    `each_one`, every class of links, ports and processors that are alike is made twice as fast, half as fast, and
    removed; if no class alone gains, pairs and triples of classes are made twice as fast together.

    >>> import pyoneport as op
    >>> star = op.Platform.from_matrix([[0, 1, 1], [1, 0, 0], [1, 0, 0]], names=["hub", "a", "b"])
    >>> [row.most for row in op.whatif(star, "broadcast", "hub: bandwidth x2", "a: remove", source="hub", targets=["b"])]
    [Fraction(2, 1), Fraction(1, 1)]
    """
    if not change and not each_one:
        raise ValueError("no change is given; write one such as 'a -> b: bandwidth x2', or each_one=True")
    sets = [changes_of(one) for one in change]
    own = as_platform(platform)
    before = rate(own, collective, **how)
    rows = [_row(own.changed(*texts), collective, "; ".join(texts), before, how) for texts in sets]
    if each_one:
        threads, callback = calling(how)
        limits = limit(how, "time_limit"), limit(how, "memory_limit")
        found = before._held.each(limits, threads, callback)
        rows += [
            Change(name, trial, members, least, most, enough, throughput, bound)
            for name, members, trial, (least, most), enough, (throughput, bound) in found
        ]
    return Table(Change._fields, rows)


def _row(changed: PlatformLike, collective: str, text: str, before: Answer, how: Ask) -> Change:
    try:
        after = rate(changed, collective, **how)
    except Infeasible:
        return Change(text, "", 1, Fraction(0), Fraction(0), None, Fraction(0), Fraction(0))
    least = None if after.throughput is None else after.throughput / before.bound
    most = None if not before.throughput else after.bound / before.throughput
    return Change(text, "", 1, least, most, None, after.throughput, after.bound)
