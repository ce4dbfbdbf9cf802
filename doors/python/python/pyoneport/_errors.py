"""Exceptions and warnings."""

from __future__ import annotations

from collections.abc import Sequence


class OneportError(Exception):
    """No answer: the reason is a limit, the question's platform, or a defect of this package.

    A mistake in an argument is a `ValueError` or a `TypeError` instead.
    """

    kind: str = "defect"


class Infeasible(OneportError):
    """Messages cannot arrive: some receivers have no path from a source.

    `unreachable` lists (source, receiver) pairs.
    """

    kind = "infeasible"

    def __init__(self, message: str, unreachable: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.unreachable: tuple[tuple[str, str], ...] = tuple(unreachable)


class Stopped(OneportError):
    """A limit ended the work before any answer was found and checked.

    `limit` is `"time_limit"`, `"memory_limit"` or `"callback"`.
    """

    kind = "limit"

    def __init__(self, message: str, limit: str = "time_limit") -> None:
        super().__init__(message)
        self.limit: str = limit


class Violation(OneportError):
    """The referee refuses a plan: the sentence names the place, what was found, and what would be right.

    `rule` is the subject of the broken rule, such as `"Schedule"` or `"Certificate"`.
    """

    kind = "violation"

    def __init__(self, message: str, rule: str = "Claim") -> None:
        super().__init__(message)
        self.rule: str = rule


class FloatWarning(UserWarning):
    """A float was taken by its decimal digits, and it has more than 15 of them, so it looks rounded."""


