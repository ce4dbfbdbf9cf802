"""Platforms by shape: the shapes of `oneport generate`, with its options as keywords.

| shape | keywords for its costs |
|---|---|
| `torus`, `fat_tree`, `dragonfly` | `bandwidth`, `uplink` |
| `complete`, `ring`, `star`, `grid`, `random` | `cost`, `compute`, `seed`: without units |
| `racks` | `bandwidth` and with it `uplink`; or `cost`, `compute`, `seed` |
| boxes of accelerators | none: their rates are those of the product |

All of `Options` take `latency` and `model`, too. A keyword that a shape does not take is refused.

>>> import pyoneport as op
>>> op.generate.dgx1()
<Platform: 8 nodes, 32 links, links, GB/s>
>>> op.generate.torus([4, 4], bandwidth="25 GB/s")
<Platform: 16 nodes, 64 links, links, GB/s>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from . import _graphs
from ._asking import refuse_unknown
from ._numbers import Number, one_warning
from ._platform import Platform, made

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Options(TypedDict, total=False):
    """Costs, bandwidths and the seed of what is drawn. A table of this module says which shape takes which."""

    cost: Number
    compute: Number
    bandwidth: Number
    uplink: Number
    latency: Any
    model: str
    seed: int


def shape(name: str, /, **options: Any) -> Platform:
    """The platform of a shape by its name, with the options of `oneport generate NAME`: `shape("racks", racks=4)`."""
    with one_warning():
        given = {key: _graphs.plain(value, key) for key, value in options.items() if value is not None}
    try:
        return made({"platform": {"generate": name, **given}})
    except ValueError as error:
        raise ValueError(str(error).removeprefix("platform=: ")) from None


def _shape(name: str, options: Mapping[str, Any], **own: Any) -> Platform:
    """A shape with parameters of its own, and options that are those of `Options`."""
    refuse_unknown(f"generate.{name.replace('-', '_')}", options, tuple(Options.__annotations__))
    return shape(name, **own, **options)


def complete(nodes: int, /, **options: Unpack[Options]) -> Platform:
    """Every node linked to every other. Takes `cost`, `compute`, `seed`, no `bandwidth`."""
    return _shape("complete", options, nodes=nodes)


def ring(nodes: int, /, **options: Unpack[Options]) -> Platform:
    """Nodes in a circle. Takes `cost`, `compute`, `seed`, no `bandwidth`."""
    return _shape("ring", options, nodes=nodes)


def star(leaves: int, /, **options: Unpack[Options]) -> Platform:
    """A hub linked to all others. Takes `cost`, `compute`, `seed`, no `bandwidth`."""
    return _shape("star", options, leaves=leaves)


def grid(rows: int, columns: int, /, **options: Unpack[Options]) -> Platform:
    """Rows and columns, each node linked to its neighbours. Takes `cost`, `compute`, `seed`, no `bandwidth`."""
    return _shape("grid", options, rows=rows, columns=columns)


def random(nodes: int, /, *, degree: int = 4, **options: Unpack[Options]) -> Platform:
    """A random connected graph; `seed` chooses it. Takes `cost`, `compute`, no `bandwidth`."""
    return _shape("random", options, nodes=nodes, degree=degree)


def torus(sides: Sequence[int], /, **options: Unpack[Options]) -> Platform:
    """A torus of any number of dimensions. Takes `bandwidth`, `uplink`."""
    return _shape("torus", options, sides=list(sides))


def fat_tree(ports: int, /, **options: Unpack[Options]) -> Platform:
    """A fat tree of switches with this many ports, and ports^3 / 4 hosts. Takes `bandwidth`, `uplink`."""
    return _shape("fat-tree", options, ports=ports)


def dragonfly(groups: int, routers: int, hosts: int, /, **options: Unpack[Options]) -> Platform:
    """Groups of routers, each with hosts; every two groups are linked once. Takes `bandwidth`, `uplink`."""
    return _shape("dragonfly", options, groups=groups, routers=routers, hosts=hosts)


def racks(racks: int = 3, /, **options: Any) -> Platform:
    """Racks of hosts behind a switch each, joined by spines: `hosts`, `spines`, `bandwidth`, `uplink`, `seed`."""
    return shape("racks", racks=racks, **options)


def dgx1() -> Platform:
    """A DGX-1: eight V100."""
    return shape("dgx1")


def dgx_a100(boxes: int = 1, /) -> Platform:
    """Boxes of DGX A100."""
    return shape("dgx-a100", boxes=boxes)


def dgx_h100(boxes: int = 1, /, *, sharp: bool = False) -> Platform:
    """Boxes of DGX H100; with `sharp`, their NVSwitches combine and duplicate."""
    return shape("dgx-h100", boxes=boxes, sharp=sharp)


def dgx_b200(boxes: int = 1, /, *, sharp: bool = False) -> Platform:
    """Boxes of DGX B200."""
    return shape("dgx-b200", boxes=boxes, sharp=sharp)


def mi300x(boxes: int = 1, /) -> Platform:
    """Boxes of eight MI300X."""
    return shape("mi300x", boxes=boxes)
