"""Sweeps: every executor writes the same bytes, and a killed run goes on."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import distributed
import loky
import matplotlib
import pandas as pd
import pytest
from conftest import FIXTURES, ROOT

import pyoneport as op
from pyoneport._sweep import line_of

pytestmark = [pytest.mark.timeout(180), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
HERE = Path(__file__).parent


# Platforms of files: ours and other programs'.
PLATFORMS = ("platforms/star.json", "platforms/toy-scatter.toml", "platforms/four-sites.csv", "platforms/two-racks.toml",
             "topologies/three-cities.gml", "topologies/triangle.graphml", "topologies/triangle.dot", "topologies/nccl-topo.xml",
             "topologies/slurm-tree.conf", "topologies/simgrid-zones.xml")  # fmt: skip
TOYS = 40
ALL = TOYS + 2 * len(PLATFORMS)


def questions(count: int = ALL) -> Iterator[dict[str, Any]]:
    """Toys of several kinds, some of which have no answer, then questions about the platforms of files."""
    return itertools.islice(itertools.chain(toys(), of_files()), count)


def of_files() -> Iterator[dict[str, Any]]:
    """Two questions about each file."""
    for path in PLATFORMS:
        for collective in ("all-gather", "all-to-all"):
            yield op.question(str(FIXTURES / path), collective, id=f"{path} {collective}")


def toys() -> Iterator[dict[str, Any]]:
    """Toys of several kinds, some of which have no answer."""
    names = ("scatter", "broadcast", "all-gather", "reduce", "all-reduce")
    for place in range(TOYS):
        sides = [2, 2 + place % 3]
        yield op.question(
            {"generate": "torus", "sides": sides},
            names[place % 5],
            id={"place": place, "sides": sides},
            **({"source": "P0"} if place % 5 < 2 else {"target": "P0"} if place % 5 == 3 else {}),
            size=place % 4,
        )


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The rows of a sweep without an executor."""
    output = tmp_path_factory.mktemp("serial") / "rows.jsonl"
    rows = list(op.sweep(questions(), output=output))
    assert [row["line"] for row in rows] == list(range(1, ALL + 1))
    assert {row["status"] for row in rows[:TOYS]} == {"optimal", "error"}
    assert all(row["error"]["kind"] == "question" for row in rows[:TOYS] if row["status"] == "error")
    assert sum(row["status"] == "optimal" for row in rows[TOYS:]) >= 14, rows[TOYS:]
    return output.read_bytes()


@contextmanager
def executor(kind: str) -> Iterator[Executor]:
    """An executor of each kind."""
    if kind == "threads":
        with ThreadPoolExecutor(2) as pool:
            yield pool
    elif kind == "loky":
        with loky.ProcessPoolExecutor(2) as pool:
            yield pool
    elif kind == "dask":
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster, distributed.Client(cluster) as client, client.get_executor(pure=False) as pool:
            yield pool
    else:
        with ProcessPoolExecutor(2, mp_context=get_context(kind)) as pool:
            yield pool


@pytest.mark.parametrize("kind", ["threads", "fork", "spawn", "forkserver", "loky", "dask"])
def test_every_executor_writes_the_same_bytes(kind: str, serial: bytes, tmp_path: Path) -> None:
    with executor(kind) as pool:
        rows = list(op.sweep(questions(), pool, output=tmp_path / "rows.jsonl", chunk=3, window=5))
    assert (tmp_path / "rows.jsonl").read_bytes() == serial
    assert rows == [json.loads(line) for line in serial.splitlines()]


def block(heading: str) -> str:
    """The Python under a heading of docs/sweeps.md."""
    part = (ROOT / "docs/sweeps.md").read_text().split(f"\n## {heading}\n")[1]
    return part.split("```python\n")[1].split("```")[0]


# The programs of docs/sweeps.md run unchanged.
@pytest.mark.parametrize("heading", ["Dask", "MPI"])
def test_the_page_on_sweeps(heading: str, serial: bytes, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("".join(line_of(one) + "\n" for one in questions()))
    (tmp_path / "sweep.py").write_text(block(heading))
    run = [sys.executable, "sweep.py"]
    if heading == "MPI":
        launcher = Path(sys.executable).with_name("mpirun")
        run = [str(launcher), "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", "sweep.py"]
    root = {f"{name}_ALLOW_RUN_AS_ROOT{end}": "1" for name in ("OMPI", "PRTE") for end in ("", "_CONFIRM")}
    ran = subprocess.run(run, cwd=tmp_path, env={**os.environ, **root}, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / f"answers-{heading.lower()}.jsonl").read_bytes() == serial


def test_the_command_writes_the_same_bytes(serial: bytes, tmp_path: Path, command: str) -> None:
    (tmp_path / "questions.jsonl").write_text("".join(line_of(one) + "\n" for one in questions()))
    ran = subprocess.run(
        [command, "batch", tmp_path / "questions.jsonl", "-o", tmp_path / "rows.jsonl"], timeout=120, capture_output=True
    )
    # Some questions have no answer.
    assert ran.returncode == 1, ran.stderr
    assert (tmp_path / "rows.jsonl").read_bytes() == serial


def test_shards_of_the_command_are_the_same_bytes(serial: bytes, tmp_path: Path, command: str) -> None:
    (tmp_path / "questions.jsonl").write_text("".join(line_of(one) + "\n" for one in questions()))
    parts = [tmp_path / f"part{part}.jsonl" for part in (1, 2, 3)]
    for part, path in enumerate(parts, 1):
        run = [command, "batch", tmp_path / "questions.jsonl", "-o", path, "--shard", f"{part}/3"]
        assert subprocess.run(run, timeout=120, capture_output=True).returncode in (0, 1)
    merged = tmp_path / "merged.jsonl"
    subprocess.run([command, "batch", "--merge", *parts, "-o", merged], timeout=60, capture_output=True)
    assert merged.read_bytes() == serial


def test_a_cut_file_is_resumed(serial: bytes, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    for cut in (0, 10, len(serial) // 2, len(serial) - 1, len(serial)):
        output.write_bytes(serial[:cut])
        rows = list(op.sweep(questions(), output=output, resume=True))
        assert output.read_bytes() == serial and rows == [json.loads(line) for line in serial.splitlines()]
    with pytest.raises(FileExistsError, match="resume=True to keep its rows, or another output="):
        list(op.sweep(questions(), output=output))
    with pytest.raises(ValueError, match="line 1 was another question.*; give another output=, or remove the file"):
        list(op.sweep([op.question("x", "barrier")], output=output, resume=True))
    output.write_bytes(b"{}\n" + serial)
    with pytest.raises(ValueError, match="line 1 is no answer"):
        list(op.sweep(questions(), output=output, resume=True))


KILLED = """
import sys
import pyoneport as op
sys.path.insert(0, {here!r})
from test_sweep import questions
for row in op.sweep(questions(), output={output!r}, resume=True):
    print(row["line"], flush=True)
"""


def test_a_killed_run_goes_on(serial: bytes, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    program = KILLED.format(here=str(HERE), output=str(output))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for _ in range(7):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    assert 0 < len(output.read_bytes()) < len(serial)
    list(op.sweep(questions(), output=output, resume=True))
    assert output.read_bytes() == serial


def test_a_killed_worker_loses_nothing(serial: bytes, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, pytest.raises(BrokenProcessPool):
        for row in op.sweep(questions(), pool, output=output, chunk=2, window=4):
            if row["line"] == 5:
                os.kill(next(iter(pool._processes)), signal.SIGKILL)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(op.sweep(questions(), pool, output=output, resume=True))
    assert output.read_bytes() == serial


def test_rows_may_come_as_they_are_ready(serial: bytes, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        rows = list(op.sweep(questions(), pool, output=tmp_path / "rows.jsonl", unordered=True, chunk=1))
    assert sorted(rows, key=lambda row: row["line"]) == [json.loads(line) for line in serial.splitlines()]
    # The file is not in the order of the questions, and the rows of a resumed sweep are.
    (tmp_path / "rows.jsonl").write_bytes(b"".join(reversed(serial.splitlines(keepends=True)[:ALL - 3])))
    again = list(op.sweep(questions(), output=tmp_path / "rows.jsonl", resume=True))
    assert again == [json.loads(line) for line in serial.splitlines()]
    assert (tmp_path / "rows.jsonl").read_bytes() == serial


class Counting(ThreadPoolExecutor):
    """Notes the number of questions of each part."""

    def __init__(self) -> None:
        super().__init__(2)
        self.parts: list[int] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Notes the part."""
        self.parts.append(len(args[0]))
        return super().submit(fn, *args, **kwargs)


def test_few_questions_are_shared_by_all_workers() -> None:
    with Counting() as pool:
        assert len(list(op.sweep(questions(8), pool))) == 8
        assert pool.parts == [1] * 8
        pool.parts.clear()
        taken: list[int] = []
        first = next(op.sweep((taken.append(place) or one for place, one in enumerate(questions())), pool, window=4))
        # No more is read than the window holds.
        assert first["line"] == 1 and len(taken) == 4 and pool.parts == [1] * 4
        pool.parts.clear()
        assert len(list(op.sweep(questions(40), pool, window=4))) == 40
        assert pool.parts == [1] * 4 + [16, 16, 4]
        pool.parts.clear()
        list(op.sweep(questions(8), pool, chunk=5))
        assert pool.parts == [5, 3]


def test_solve_and_sweep_agree(dgx1: op.Platform) -> None:
    asked = [op.question(dgx1, name, bytes="1 GiB", keep="plan") for name in ("all-to-all", "all-gather")]
    for one, row in zip(asked, op.sweep(asked)):
        answer = op.solve(dgx1, one["collective"], bytes="1 GiB")
        told = answer.to_dict()
        for key in ("throughput", "upper_bound", "status", "gap", "size", "algbw", "busbw", "period", "instances", "loss"):
            assert row[key] == told[key], key
        assert op.verify(row["plan"]) == answer


def test_what_is_no_sweep() -> None:
    with pytest.raises(TypeError, match="no question"):
        list(op.sweep([3]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="no executor"):
        op.sweep([], 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="line break"):
        list(op.sweep(["{\n}"]))
    with pytest.raises(ValueError, match="from 1 on"):
        op.sweep([], chunk=0)
    with pytest.raises(TypeError, match="JSON"):
        op.question("x", "barrier", id=object())
    rows = list(op.sweep(["nonsense", '{"platform": "no-such-file", "collective": "barrier"}', '{"platfrom": 1}']))
    assert [row["status"] for row in rows] == ["error"] * 3


def test_plots_have_units() -> None:
    matplotlib.use("Agg")
    asked = [op.question({"generate": "dgx1"}, "all-gather", bytes=2**k, id={"boxes": k % 2}) for k in range(10, 16)]
    rows = list(op.sweep(asked))
    axes = op.plot_sweep(rows, y="busbw", by="boxes")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("size of the operation (bytes)", "bus bandwidth (GB/s)")
    assert len(axes.lines) == 2
    assert op.plot_sweep(rows, x="bytes").get_ylabel() == "throughput (per second)"
    frame = pd.DataFrame(rows)
    drawn = op.plot_sweep(frame, y="busbw", by="boxes")
    assert [line.get_xydata().tolist() for line in drawn.lines] == [line.get_xydata().tolist() for line in axes.lines]
    assert (drawn.get_xlabel(), drawn.get_ylabel()) == (axes.get_xlabel(), axes.get_ylabel())
    frame.loc[0, "busbw"] = None
    assert len(op.plot_sweep(frame, y="busbw").lines[0].get_xdata()) == len(rows) - 1
    with pytest.raises(ValueError, match="no row has numbers"):
        op.plot_sweep(rows, x="color")


def test_one_writer_at_a_time(serial: bytes, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    first = op.sweep(questions(), output=output)
    next(first)
    second = op.sweep(questions(), output=output, resume=True)
    assert [next(second)["line"], next(second)["line"]] == [1, 2]
    with pytest.raises(ValueError, match="another process writes"):
        list(first)
    list(second)
    assert output.read_bytes() == serial


@pytest.mark.parametrize(
    "row",
    [
        '{"line":1,"question":"3"}',
        '{"line":true,"question":"3","status":"optimal"}',
        '{"line":0,"question":"3","status":"optimal"}',
        '{"line":1,"line":2,"question":"3","status":"optimal"}',
    ],
)
def test_other_rows_are_refused(row: str, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    output.write_text(row + "\n")
    with pytest.raises(ValueError, match="line 1 is no answer"):
        list(op.sweep(questions(), output=output, resume=True))
    assert output.read_text() == row + "\n"


def test_a_foreign_file_stays(tmp_path: Path) -> None:
    output = tmp_path / "mine.json"
    output.write_text('{"my": "data"}')
    with pytest.raises(ValueError, match="line 1 is no answer"):
        list(op.sweep(questions(), output=output, resume=True))
    with pytest.raises(FileExistsError, match="resume=True"):
        op.sweep(questions(), output=output)
    assert output.read_text() == '{"my": "data"}'


def test_a_missing_row_is_put_in_its_place(serial: bytes, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    rows = serial.splitlines(keepends=True)
    output.write_bytes(b"".join(rows[:6] + rows[7:]))
    with Counting() as pool:
        assert [row["line"] for row in op.sweep(questions(), pool, output=output, resume=True)] == list(range(1, ALL + 1))
        assert pool.parts == [1]
    assert output.read_bytes() == serial
    with pytest.raises(ValueError, match=f"answers line {ALL}, and there are {ALL - 1} questions"):
        list(op.sweep(questions(ALL - 1), output=output, resume=True))


def test_a_bad_question_is_one_row_and_a_bad_list_none() -> None:
    line = line_of(op.question({"generate": "torus", "sides": [2, 2]}, "all-gather"))
    rows = list(op.sweep([line, line.replace("all-gather", "\ud800"), "", line]))
    assert [row["status"] for row in rows] == ["optimal", "error", "error", "optimal"]
    assert "UTF-8" in rows[1]["error"]["message"]
    assert "empty" in rows[2]["error"]["message"]
    for wrong in (line, {"platform": "x"}, None, 3):
        with pytest.raises(TypeError, match="no list of questions"):
            op.sweep(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="chunk='a' is no whole number"):
        op.sweep([line], chunk="a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        list(op.sweep([{"platform": {1, 2}}]))
