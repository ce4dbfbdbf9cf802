"""Plots of sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ._numbers import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_LABELS = {
    "size": "size of the operation (bytes)",
    "algbw": "algorithm bandwidth (GB/s)",
    "busbw": "bus bandwidth (GB/s)",
    "gap": "gap (share of the bound)",
    "loss": "loss (share of the throughput)",
    "nodes": "nodes",
    "links": "links",
    "patterns": "patterns",
    "slots": "slots",
    "instances": "instances per period",
}


def plot_sweep(
    rows: Iterable[Mapping[str, Any]] | pd.DataFrame,
    /,
    *,
    x: str = "size",
    y: str = "throughput",
    by: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws rows of a sweep with matplotlib: `y` over `x`, a line for each value of `by`; axes have units.

    The rows are dicts, or a pandas `DataFrame` of them. A name is a key of the rows, else a key of their `id`. `"bytes"` is the size. Rows without both values are left out.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot_sweep() needs matplotlib: pip install 'pyoneport[plot]'") from None
    keys = tuple("size" if key == "bytes" else key for key in (x, y))
    lines: dict[Any, list[tuple[float, float]]] = {}
    units: set[object] = set()
    seen: set[str] = set()
    for row in _dicts(rows):
        seen.update(row)
        values = [_number(_value(row, key)) for key in keys]
        if values[0] is None or values[1] is None:
            continue
        units.add(row.get("units"))
        lines.setdefault(None if by is None else _value(row, by), []).append((values[0], values[1]))
    if not lines:
        raise ValueError(f"no row has numbers {x!r} and {y!r}; the keys are {', '.join(sorted(seen)) or 'none'}")
    chosen = ax if ax is not None else plt.subplots()[1]
    for label, points in lines.items():
        points.sort()
        chosen.plot(*zip(*points), marker="o", label=None if label is None else f"{by} = {label}")
    for key, name, put in ((keys[0], x, chosen.set_xlabel), (keys[1], y, chosen.set_ylabel)):
        put(_label(key, name, units))
    if by is not None:
        chosen.legend()
    return chosen


def _dicts(rows: Any) -> Iterable[Mapping[str, Any]]:
    """The rows as dicts; an absent cell of a frame is `None`."""
    if hasattr(rows, "columns") and hasattr(rows, "to_dict"):
        for row in rows.to_dict("records"):
            yield {str(key): None if isinstance(value, float) and value != value else value for key, value in row.items()}
        return
    wrong = "give what sweep() yields, a list of it, or a DataFrame of it"
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise TypeError(f"{shown(rows)} is no list of rows; {wrong}")
    for row in rows:
        if not isinstance(row, Mapping):
            raise TypeError(f"{shown(row)} is no row of a sweep; {wrong}")
        yield row


def _label(key: str, name: str, units: set[object]) -> str:
    known = _LABELS.get(key)
    if known is not None:
        return known
    per = "second" if units and None not in units else "unit of time"
    rates = {
        "throughput": f"throughput (per {per})",
        "upper_bound": f"bound (per {per})",
        "schedule_throughput": f"throughput of the schedule (per {per})",
        "period": "period (seconds)" if per == "second" else "period",
        "lower_bound": "lower bound on the time (seconds)" if per == "second" else "lower bound on the time",
        "time": "time of one operation (seconds)" if per == "second" else "time of one operation",
    }
    return rates.get(key, name)


def _value(row: Mapping[str, Any], key: str) -> Any:
    if row.get(key) is not None:
        return row[key]
    own = row.get("id")
    return own.get(key) if isinstance(own, Mapping) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(Fraction(value))
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        return None
