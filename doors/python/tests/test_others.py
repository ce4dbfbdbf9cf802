"""Reading with options, changes, generators, exports, reductions, rings, drawings."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import FIXTURES

import pyoneport as op


def test_options_of_reading() -> None:
    path = FIXTURES / "topologies/nccl-topo.xml"
    one = op.read(path)
    two = op.read(path, replicate=2, fabric="rail", fabric_bandwidth="50 GB/s")
    assert len(two.processors) == 2 * len(one.processors) and two.notes
    faster = op.read(path, link_bandwidth={"pci": 100})
    assert faster != one
    with pytest.raises(ValueError, match="fabric="):
        op.read(path, replicate=2)
    with pytest.raises(TypeError, match="takes no fabrik="):
        op.read(path, fabrik="rail")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="formats are"):
        op.read(path, format="png")
    assert {"toml", "nccl", "slurm-conf"} & set(op.formats())


def test_changes(toy: op.Platform) -> None:
    faster = toy.changed("Ps: bandwidth x2")
    before = op.rate(toy, "scatter", source="Ps", targets=["P0", "P1"])
    after = op.rate(toy, "scatter", source="Ps", targets=["P0", "P1"], changes=["Ps: bandwidth x2"])
    assert after.platform == faster != toy
    assert after.throughput is not None and before.throughput is not None and after.throughput > before.throughput
    assert toy.changed() == toy
    with pytest.raises(ValueError, match="P9"):
        toy.changed("P9: remove")
    with pytest.raises(TypeError, match="is no text"):
        toy.changed(3)  # type: ignore[arg-type]


def test_what_changes_give(dgx1: op.Platform, toy: op.Platform) -> None:
    table = op.whatif(toy, "scatter", "Ps: bandwidth x2", "Ps -> Pb: remove", source="Ps", targets=["P0", "P1"])
    # The source's port limits: with twice its bandwidth, 2/3 + 4/3 of the slower links at Pb do.
    assert [row.name for row in table] == ["Ps: bandwidth x2", "Ps -> Pb: remove"]
    assert table[0].least == table[0].most and table[0].most is not None and 1 < table[0].most <= 2
    assert table[1].most == 0
    assert [row.throughput for row in table] == [table[0].bound, 0]
    each = op.whatif(dgx1, "all-gather", each_one=True)
    assert {row.trial for row in each} <= {"doubled", "halved", "removed", "doubled together"} and len(each) >= 3
    for row in each:
        assert row.least is not None and row.most is not None and 0 <= row.least <= row.most <= 2
    # A chain of two equal links: either one alone gains nothing, both together gain all.
    chain = op.Platform.from_matrix([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
    ends = {"source": "a", "targets": ["c"]}
    one, other, both = op.whatif(
        chain, "broadcast", "a -> b: bandwidth x2", "b -> c: bandwidth x2", ["a -> b: bandwidth x2", "b -> c: bandwidth x2"], **ends
    )
    assert (one.most, other.most, both.least, both.most) == (1, 1, 2, 2)
    assert both.name == "a -> b: bandwidth x2; b -> c: bandwidth x2"
    # A second link at half the speed: a factor of 2 in the first is no better than the second allows.
    chain = chain.changed("b -> c: bandwidth x3/2")
    each = op.whatif(chain, "broadcast", each_one=True, **ends)
    (first,) = [row for row in each if (row.name, row.trial) == ("a -> b", "doubled")]
    assert first.least == first.most == Fraction(3, 2) == first.enough and first.members == 1
    with pytest.raises(TypeError, match="is no change"):
        op.whatif(chain, "broadcast", 3, **ends)
    with pytest.raises(ValueError, match="no change is given"):
        op.whatif(toy, "scatter", source="Ps")


def test_generators() -> None:
    assert len(op.generate.dgx_h100(2).processors) == 16
    assert op.generate.random(9, seed=7) == op.generate.random(9, seed=7) != op.generate.random(9, seed=8)
    assert len(op.generate.torus((3, 3, 3), bandwidth="25 GB/s")) == 27
    assert len(op.generate.racks(4, hosts=2, spines=2, seed=1).processors) == 8
    with pytest.raises(ValueError, match="torus"):
        op.generate.shape("toruss")
    with pytest.raises(ValueError, match="bandwidth"):
        op.generate.torus((3, 3), bandwidth="fast")


# RR-7898: a limit-free reduction with free merges doubles the values with every transfer.
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 9, 100])
def test_equal_costs(n: int) -> None:
    reduction = op.reduce_homogeneous(n, transfer=1, compute=0)
    assert reduction.length == (n - 1).bit_length() == reduction.lower_bound and reduction.status == "optimal"
    assert reduction.steps is not None and len(reduction.steps) == n - 1
    senders = [step.processor for step in reduction.steps]
    assert len(set(senders)) == n - 1 and reduction.root not in senders


def test_limits_of_equal_costs() -> None:
    free = op.reduce_homogeneous(20, transfer=2, compute=3)
    few = op.reduce_homogeneous(20, transfer=2, compute=3, max_transfers=1)
    assert free.length < few.length >= 19 * 2
    assert op.reduce_homogeneous(20, transfer=2, compute=3, strategy="chain").length > free.length
    with pytest.raises(ValueError, match="give one of them"):
        op.reduce_homogeneous(3, transfer=1, compute=1, max_transfers=1, max_reducers=1)
    with pytest.raises(ValueError, match="no strategy"):
        op.reduce_homogeneous(3, transfer=1, compute=1, strategy="best")
    for wrong in (0, -1, 2**64):
        with pytest.raises(ValueError):
            op.reduce_homogeneous(wrong, transfer=1, compute=1)
    with pytest.raises(TypeError, match="no whole number"):
        op.reduce_homogeneous(2.5, transfer=1, compute=1)  # type: ignore[arg-type]


def test_unequal_speeds() -> None:
    listed = op.reduce_heterogeneous([10, 5, 5, 4])
    assert listed.status == "optimal" and listed.steps is not None and len(listed.steps) == 4
    assert op.reduce_heterogeneous({10: 1, 5: 2, 4: 1}).length == listed.length
    to_frame = listed.steps.to_frame()
    assert list(to_frame.columns) == ["processor", "receiver", "start", "merge"]
    assert op.reduce_heterogeneous([3, 1, 1], destination=0).root == 0
    with pytest.raises(ValueError, match="method"):
        op.reduce_heterogeneous([1], method="best")
    with pytest.raises(TypeError, match="are no times"):
        op.reduce_heterogeneous("1,2")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="destination"):
        op.reduce_heterogeneous({1: 3}, destination=0)


# Six links of 25 GB/s at every GPU of a DGX-1, all of them busy.
def test_rings(dgx1: op.Platform) -> None:
    rings = op.rings(dgx1)
    assert rings.total == rings.bound == rings.equal_total == 150 and rings.status == "optimal"
    assert sum(ring.rate for ring in rings.packing) == 150
    for ring in rings.packing:
        assert sorted(ring.nodes) == sorted(dgx1.processors)
    with pytest.raises(ValueError, match="nobody"):
        op.rings(dgx1, participants=["nobody", "box0.gpu0"])


def test_exports(toy: op.Platform, tmp_path: Path) -> None:
    answer = op.solve(toy, "scatter", source="Ps", targets=["P0", "P1"])
    assert op.export(answer, "events", tmp_path / "events.json") == [str(tmp_path / "events.json")]
    assert json.loads((tmp_path / "events.json").read_text())
    assert op.export(answer, "mpi", tmp_path / "scatter.c")
    with pytest.raises(ValueError, match="mscclpp"):
        op.export(answer, "pdf", tmp_path / "x")
    with pytest.raises(ValueError, match="no schedule"):
        op.export(op.rate(toy, "scatter", source="Ps", targets=["P0"]), "mpi", tmp_path / "x")


def test_drawings(toy: op.Platform, dgx1: op.Platform, tmp_path: Path) -> None:
    answer = op.solve(toy, "scatter", source="Ps", targets=["P0", "P1"])
    for drawing in (answer.graph(), answer.gantt(), answer.tree(), answer._repr_svg_(), toy._repr_svg_()):
        assert drawing is not None and ElementTree.fromstring(drawing).tag.endswith("svg")
    answer.gantt().save(tmp_path / "period.svg")
    assert (tmp_path / "period.svg").read_text() == answer.gantt()
    large = op.generate.torus((16, 16))
    assert large._repr_svg_() is None and "256" in large._repr_html_()
    for shown in (answer, toy, dgx1, op.solve(dgx1, "all-gather")):
        assert len(shown._repr_html_()) < 1 << 19
    with pytest.raises(ValueError, match="no pattern 99"):
        answer.tree(99)
    with pytest.raises(ValueError, match="no schedule"):
        op.rate(toy, "scatter", source="Ps", targets=["P0"]).gantt()


def test_a_page_of_an_answer(toy: op.Platform, tmp_path: Path) -> None:
    answer = op.solve(toy, "scatter", source="Ps", targets=["P0", "P1"])
    page = answer.view()
    assert page.count("<svg") == 2 and "1/2" in page
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page
    frame = ElementTree.fromstring(answer.view(height=300)._repr_html_())
    assert frame.tag == "iframe" and frame.attrib["srcdoc"].split() == page.split() and "height: 300px" in frame.attrib["style"]
    assert op.rate(toy, "scatter", source="Ps", targets=["P0"]).view().count("<svg") == 1
    large = op.Page.of("x", "y" * (2 << 20), 9)
    assert "save it" in large._repr_html_() and len(large._repr_html_()) < 200
    with pytest.raises(ValueError, match="height=True is no number of pixels"):
        answer.view(height=True)


def test_an_export_replaces_a_file(toy: op.Platform, tmp_path: Path) -> None:
    answer = op.solve(toy, "scatter", source="Ps", targets=["P0", "P1"])
    path = tmp_path / "events.json"
    path.write_text("mine")
    assert op.export(answer, "events", path) == [str(path)] and path.read_text() != "mine"
    with pytest.raises(FileNotFoundError):
        op.export(answer, "events", tmp_path / "no/such/events.json")


def test_names_are_escaped() -> None:
    table = op.Table(["<b>"], [("<script>alert(1)</script>",)])
    assert "<script>" not in table._repr_html_() and "<b>" not in table._repr_html_()
    names = ["<script>x</script>", "b"]
    platform = op.Platform.from_matrix([[0, 1], [1, 0]], names=names)
    answer = op.solve(platform, "all-gather")
    assert "<script>" not in answer._repr_html_() + platform._repr_html_()


def test_tables() -> None:
    rows = [op.Limit("a", 1, Fraction(1, 3), Fraction(1)), op.Limit("b", 2, Fraction(2, 3), Fraction(1, 2))]
    table = op.Table(op.Limit._fields, rows)
    assert table.to_dicts()[0]["share"] == Fraction(1, 3) and len(table) == 2 and table[1] == rows[1]
    assert list(table.to_frame()["members"]) == [1, 2]
    assert 'title="1/3">0.333333' in table._repr_html_()
