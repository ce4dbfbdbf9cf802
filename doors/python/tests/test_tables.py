"""Comparisons and times: the numbers of the command, exactly."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

import pyoneport as op

DGX1 = FIXTURES / "platforms/dgx1.toml"
THREE = "box0.gpu0..2"


def told(command: str, *words: str) -> dict[str, Any]:
    """The object that the command prints."""
    run = subprocess.run([command, *words, "--json"], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


@pytest.mark.parametrize("collective", ["all-gather", "all-to-all", "all-reduce"])
def test_a_comparison_is_the_command_s(command: str, collective: str) -> None:
    table = op.compare(DGX1, collective, participants=THREE)
    found = told(command, "compare", collective, str(DGX1), "--participants", THREE)
    assert (table.throughput, table.bound) == (number(found["throughput"]), number(found["upper_bound"]))
    assert table.status == found["status"]
    assert len(table) == len(found["rows"]) > 1
    for row, other in zip(table, found["rows"]):
        assert (row.name, row.about, row.own, row.compared) == (
            other["name"], other["about"], other["own"], other["compared"],
        )
        assert (row.throughput, row.share) == (number(other["throughput"]), number(other["share"]))
        assert (row.limited_by, row.run_by) == (other["limited_by"], other["run_by"])
        assert row.time is None and row.share <= 1


def test_one_operation_is_timed_as_the_command_does(command: str) -> None:
    table = op.compare(DGX1, "all-gather", participants=THREE, bytes="1 MiB", measured="10 GB/s")
    found = told(
        command, "compare", "all-gather", str(DGX1), "--participants", THREE, "--bytes", "1 MiB", "--measured", "10 GB/s"
    )
    assert (table.lower_bound, table.time) == (number(found["lower_bound"]), number(found["time"]))
    for row, other in zip(table, found["rows"]):
        assert (row.name, row.time, row.pieces) == (other["name"], number(other["time"]), other["pieces"])
        if row.time is not None and table.lower_bound is not None:
            assert row.share_once == table.lower_bound / row.time
    assert table.measured is not None and table.measured.share == number(found["measured"]["share"])
    assert table.measured.possible


def test_times_are_the_command_s(command: str, tmp_path: Path) -> None:
    ring = tmp_path / "ring.json"
    ring.write_text('{"format": "oneport-algorithm/1", "name": "mine", "ring": ["box0.gpu0", "box0.gpu2", "box0.gpu1"]}')
    sizes = ["64 KiB", 2**18]
    table = op.time(DGX1, "all-gather", participants=THREE, sizes=sizes, algorithms=[ring])
    found = told(
        command, "time", "all-gather", str(DGX1), "--participants", THREE, "--sizes", "64KiB,256KiB", "--with", str(ring)
    )
    assert [row.bytes for row in table] == [2**16, 2**18]
    for row, other in zip(table, found["sizes"]):
        assert (row.name, row.pieces, row.time) == (other["name"], other["pieces"], number(other["time"]))
        assert (row.lower_bound, row.busbw) == (number(other["lower_bound"]), number(other["busbw"]))
        assert [run.name for run in row.runs] == [run["name"] for run in other["rows"]]
        assert [run.time for run in row.runs] == [number(run["time"]) for run in other["rows"]]
        assert "mine (yours)" in [run.name for run in row.runs]
        assert row.time is not None and row.gap == row.time / row.lower_bound - 1
    assert op.time(DGX1, "all-gather", participants=THREE, sizes="64KiB:256KiB:x4", algorithms=ring) == table


def test_a_table_has_the_latencies_that_were_assumed() -> None:
    assumed = op.time({"generate": "dgx1"}, "all-gather", participants=THREE, bytes="64 KiB")
    assert {(one.kind, one.origin) for one in assumed.latencies} == {("nvlink", "assumed")}
    assert sum(one.links for one in assumed.latencies) > 0 and all(one.latency > 0 for one in assumed.latencies)
    assert len(assumed.left_out) == 5
    given = op.compare(DGX1, "all-gather", participants=THREE, bytes="64 KiB", read={"latency": "10 us"})
    assert {(one.latency, one.origin) for one in given.latencies} == {(Fraction(1, 100000), "given")}
    # Without a size, nothing is timed and nothing is assumed.
    assert len(op.compare(DGX1, "all-gather", participants=THREE).latencies) == 0
    assert pickle.loads(pickle.dumps(assumed)).latencies == assumed.latencies


def test_a_row_of_a_sweep_has_the_same_numbers(toy: op.Platform) -> None:
    where = {"source": "Ps", "targets": ["P0", "P1"]}
    rows = list(
        op.sweep([op.question(toy, "scatter", ask="compare", **where), op.question(toy, "scatter", ask="time", size=3, **where)])
    )
    table = op.compare(toy, "scatter", **where)
    assert [row.throughput for row in table] == [Fraction(row["throughput"]) for row in rows[0]["rows"]]
    assert table.bound == Fraction(rows[0]["upper_bound"]) == Fraction(1, 2)
    (size,) = op.time(toy, "scatter", size=3, **where)
    assert size.time == Fraction(rows[1]["sizes"][0]["time"]) and size.bytes is None
    # One scatter of messages of size 3 takes at least 2 x 3: the source sends both.
    assert size.lower_bound >= 6


def test_platforms_of_every_kind(toy: op.Platform) -> None:
    graph = toy.to_networkx()
    same = [
        op.compare(platform, "scatter", source="Ps", targets=["P0", "P1"])
        for platform in (toy, graph, toy.to_dict(), FIXTURES / "platforms/toy-scatter.toml")
    ]
    assert all(table == same[0] for table in same)
    slower = op.compare(toy, "scatter", source="Ps", targets=["P0", "P1"], changes=["Ps: bandwidth /2"])
    assert slower.bound < same[0].bound
    generated = op.time({"generate": "ring", "nodes": 4}, "all-gather")
    assert len(generated) == 1
    delayed = op.time(DGX1, "all-gather", participants=THREE, bytes="64 KiB", read={"latency": "10 us"})
    assert delayed[0].lower_bound > op.time(DGX1, "all-gather", participants=THREE, bytes="64 KiB")[0].lower_bound


def test_tables_pickle_and_are_frames(toy: op.Platform) -> None:
    pandas = pytest.importorskip("pandas")
    table = op.compare(toy, "scatter", source="Ps", targets=["P0", "P1"])
    frame = table.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == list(op.Compared._fields)
    assert list(frame["throughput"]) == [row.throughput for row in table]
    again = pickle.loads(pickle.dumps(table))
    assert again == table and again.bound == table.bound and again.status == table.status
    times = op.time(toy, "scatter", source="Ps", targets=["P0", "P1"])
    assert pickle.loads(pickle.dumps(times)) == times
    assert list(times.to_frame().columns) == list(op.Timed._fields)
    assert "<table>" in table._repr_html_()


def test_wrong_arguments(toy: op.Platform) -> None:
    where: dict[str, Any] = {"source": "Ps", "targets": ["P0", "P1"]}
    for error, match, call in [
        (TypeError, "compare.. takes no max_loss=", lambda: op.compare(toy, "scatter", max_loss="1%", **where)),
        (TypeError, "time.. takes no goal=", lambda: op.time(toy, "scatter", goal="rate", **where)),
        (TypeError, "sizes=3 are no sizes", lambda: op.time(toy, "scatter", sizes=3, **where)),  # type: ignore[arg-type]
        (ValueError, "sizes=", lambda: op.time(DGX1, "all-gather", sizes="8:4:x2")),
        (ValueError, "sizes= and bytes=", lambda: op.time(DGX1, "all-gather", sizes=[8], bytes=8)),
        (ValueError, "measured=", lambda: op.compare(toy, "scatter", measured="fast", **where)),
        (TypeError, "algorithms=3", lambda: op.compare(toy, "scatter", algorithms=3, **where)),  # type: ignore[arg-type]
        (ValueError, "no such file", lambda: op.compare(toy, "scatter", algorithms="no such file", **where)),
        (ValueError, "'tiem' is no kind|tiem", lambda: op.question(toy, "scatter", ask="tiem")),
        (TypeError, "goal= or ask=", lambda: op.question(toy, "scatter", ask="time", goal="rate")),
        (op.Infeasible, "P0", lambda: op.time(toy, "scatter", source="P0", targets=["Ps"])),
    ]:
        with pytest.raises(error, match=match):
            call()


def test_limits_and_callbacks(dgx1: op.Platform) -> None:
    heard: list[op.Progress] = []
    table = op.compare(dgx1, "all-gather", callback=heard.append, threads=1)
    assert heard and table.ended_by is None

    class Enough(Exception):
        """Raised by a callback."""

    def raise_it(progress: op.Progress) -> None:
        raise Enough

    with pytest.raises(Enough):
        op.time(dgx1, "all-to-all", bytes="1 GiB", callback=raise_it)
    with pytest.raises(ValueError, match="time_limit="):
        op.time(dgx1, "all-to-all", bytes="1 GiB", time_limit="soon")


LONG = FIXTURES / "platforms/dgx-a100-2.toml"
ASKED = f"""
import pyoneport as op
print("ready", flush=True)
try:
    op.KIND({str(LONG)!r}, "all-reduce", bytes="1 GiB", commutative=False)
    print("done")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child")
@pytest.mark.parametrize("kind", ["compare", "time"])
def test_ctrl_c_ends_a_table(kind: str) -> None:
    with subprocess.Popen([sys.executable, "-c", ASKED.replace("KIND", kind)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        told, _ = child.communicate(timeout=60)
        assert told in ("interrupted\n", "done\n") and child.returncode in (0, -signal.SIGINT)
        assert time.monotonic() - start < 30
