"""Platforms by shape: the shapes of `oneport generate`, with its options as keywords.

>>> import pyoneport as op
>>> op.generate.dgx1()
<Platform: 8 nodes, 32 links, links, GB/s>
>>> op.generate.torus([4, 4], bandwidth="25 GB/s")
<Platform: 16 nodes, 64 links, links, GB/s>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from . import _graphs
from ._numbers import Number, one_warning
from ._platform import Platform, made

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Options(TypedDict, total=False):
    """Costs, bandwidths and the seed of what is drawn."""

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
    return made({"platform": {"generate": name, **given}})


def complete(nodes: int, /, **options: Unpack[Options]) -> Platform:
    """Every node linked to every other."""
    return shape("complete", nodes=nodes, **options)


def ring(nodes: int, /, **options: Unpack[Options]) -> Platform:
    """Nodes in a circle."""
    return shape("ring", nodes=nodes, **options)


def star(leaves: int, /, **options: Unpack[Options]) -> Platform:
    """A hub linked to all others."""
    return shape("star", leaves=leaves, **options)


def grid(rows: int, columns: int, /, **options: Unpack[Options]) -> Platform:
    """Rows and columns, each node linked to its neighbours."""
    return shape("grid", rows=rows, columns=columns, **options)


def random(nodes: int, /, *, degree: int = 4, **options: Unpack[Options]) -> Platform:
    """A random connected graph; `seed` chooses it."""
    return shape("random", nodes=nodes, degree=degree, **options)


def torus(sides: Sequence[int], /, **options: Unpack[Options]) -> Platform:
    """A torus of any number of dimensions."""
    return shape("torus", sides=list(sides), **options)


def fat_tree(ports: int, /, **options: Unpack[Options]) -> Platform:
    """A fat tree of switches with this many ports, and ports^3 / 4 hosts."""
    return shape("fat-tree", ports=ports, **options)


def dragonfly(groups: int, routers: int, hosts: int, /, **options: Unpack[Options]) -> Platform:
    """Groups of routers, each with hosts; every two groups are linked once."""
    return shape("dragonfly", groups=groups, routers=routers, hosts=hosts, **options)


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
