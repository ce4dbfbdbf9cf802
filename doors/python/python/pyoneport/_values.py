"""Parts of platforms and answers, as named tuples, and tables of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, Union, overload

if TYPE_CHECKING:
    import pandas as pd


class Node(NamedTuple):
    """A node. `compute` is the time of one unit of work, `None` for a router."""

    name: str
    compute: Fraction | None
    model: str | None
    ports: int | None
    replicates: bool
    accelerator: bool
    alias: str | None
    reduces: Fraction | None


class Link(NamedTuple):
    """A link in one direction. `cost` is the time of one unit of data, `latency` and `overhead` are times."""

    source: str
    target: str
    cost: Fraction
    latency: Fraction
    overhead: Fraction

    @property
    def bandwidth(self) -> Fraction | None:
        """Units of data per unit of time; `None` if data take no time."""
        return 1 / self.cost if self.cost else None


class Shared(NamedTuple):
    """A capacity that links share; `links` lists (source, target, number of times that the link counts)."""

    name: str
    bandwidth: Fraction
    links: tuple[tuple[str, str, int], ...]


class Bandwidth(NamedTuple):
    """An operation as nccl-tests count it: its bytes, algorithm and bus bandwidth in GB/s."""

    bytes: Fraction
    algbw: Fraction
    busbw: Fraction


class Limit(NamedTuple):
    """Resources that are alike: their name, number, share of the certificate's price, busy share of the time."""

    resource: str
    members: int
    share: Fraction
    busy: Fraction


class Load(NamedTuple):
    """The busy share of a resource's time, at the throughput of the answer."""

    resource: str
    busy: Fraction


class Reason(NamedTuple):
    """An inequality of a certificate as a sentence; the shares of all reasons add up to 1 / bound."""

    sentence: str
    share: Fraction


class Send(NamedTuple):
    """The operands from `first` to `last`, combined, over a link."""

    source: str
    target: str
    first: int
    last: int


class Merge(NamedTuple):
    """Operands `first` to `split` and `split + 1` to `last` are combined at a node."""

    node: str
    first: int
    split: int
    last: int


class Pattern(NamedTuple):
    """One way to carry out a demand, `weight` times per unit of time."""

    demand: int
    weight: Fraction
    tasks: tuple[Union[Send, Merge], ...]


class Slot(NamedTuple):
    """A part of the period: links that are busy at once, each for a share of it."""

    start: Fraction
    length: Fraction
    links: tuple[tuple[str, str, Fraction], ...]


class Progress(NamedTuple):
    """How far a solve has come: its stage, seconds since the call, and the last round of the search in words."""

    stage: str
    seconds: float
    round: str | None


R = TypeVar("R", bound="tuple[Any, ...]", covariant=True)


class Table(Sequence[R], Generic[R]):
    """Rows of one kind; each is a named tuple. `to_frame()` makes a pandas `DataFrame`.

    `print` shows fractions as decimals of six digits, and leaves out a column without any value.
    """

    __slots__ = ("_rows", "columns")

    def __init__(self, columns: Sequence[str], rows: Sequence[R]) -> None:
        self.columns: tuple[str, ...] = tuple(columns)
        self._rows: tuple[R, ...] = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int, /) -> R: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[R]: ...
    def __getitem__(self, index: int | slice, /) -> R | Sequence[R]:
        return self._rows[index]

    def __iter__(self) -> Iterator[R]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and (self.columns, self._rows) == (other.columns, other._rows)

    def __hash__(self) -> int:
        return hash((self.columns, self._rows))

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"

    def __str__(self) -> str:
        return text_table(self.columns, self._rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        return [dict(zip(self.columns, row)) for row in self._rows]

    def to_frame(self, *, exact: bool = True) -> pd.DataFrame:
        """A pandas `DataFrame`; fractions stay exact, in columns of objects. With `exact=False` they are floats."""
        return frame(self.to_dicts(), self.columns, exact)

    def _repr_html_(self) -> str:
        return html_table(self.columns, self._rows)


def frame(rows: Sequence[dict[str, Any]], columns: Sequence[str], exact: bool = True) -> pd.DataFrame:
    """A pandas `DataFrame`; if not `exact`, with floats for fractions."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame() needs pandas: pip install 'pyoneport[frames]'") from None
    if not exact:
        rows = [{key: _rounded(value) for key, value in row.items()} for row in rows]
    table: pd.DataFrame = pandas.DataFrame(rows, columns=list(columns))
    return table


def _rounded(value: object) -> object:
    """The nearest float of a fraction; infinity beyond the largest float."""
    if not isinstance(value, Fraction):
        return value
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


MOST_ROWS = 50


def escape(text: str) -> str:
    """The text without characters that mean something in HTML."""
    for letter, instead in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(letter, instead)
    return text


def cell(value: object) -> str:
    """A cell of a table: a fraction as a decimal, and in full where the pointer rests."""
    if isinstance(value, Fraction):
        if value.denominator == 1 and abs(value) < 10**9:
            return f'<td style="text-align: right">{value}</td>'
        return f'<td style="text-align: right" title="{value}">{decimal(value)}</td>'
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'


def decimal(value: Fraction) -> str:
    """Six significant digits."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return f"about 10^{len(str(abs(value.numerator))) - len(str(value.denominator))}"


def html_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """An HTML table of at most 50 rows."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows[:MOST_ROWS])
    more = f"<p>{len(rows) - MOST_ROWS} more rows</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


MOST_LETTERS = 60
"""Letters of a cell of a printed table."""


def text_table(columns: Sequence[str], rows: Sequence[Sequence[object]], most: int = MOST_LETTERS) -> str:
    """A table as text of at most 50 rows, with cells of at most `most` letters and numbers on the right.

    A column without any value is left out. Without columns, there is no head.
    """
    numbers = (int, float, Fraction)
    if rows and columns:
        used = [place for place in range(len(columns)) if any(row[place] not in (None, "") for row in rows)]
        columns, rows = [columns[place] for place in used], [[row[place] for place in used] for row in rows]
    lines = [[*columns]] if columns else []
    lines += [[_text(one, most) for one in row] for row in rows[:MOST_ROWS]]
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    right = [
        bool(columns) and all(one is None or isinstance(one, numbers) and not isinstance(one, bool) for one in cells)
        for cells in zip(*rows[:MOST_ROWS])
    ] or [False] * len(widths)
    text = [
        "  ".join(one.rjust(width) if to else one.ljust(width) for one, width, to in zip(line, widths, right)).rstrip()
        for line in lines
    ]
    if len(rows) > MOST_ROWS:
        text.append(f"{len(rows) - MOST_ROWS} more rows")
    return "\n".join(text)


def _text(value: object, most: int) -> str:
    """A cell of a printed table."""
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 and abs(value) < 10**9 else decimal(value)
    if isinstance(value, Table):
        return f"{len(value)} rows"
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= most else text[: most - 3] + "..."
