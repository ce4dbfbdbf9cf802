"""A question runs beside the interpreter: callbacks, interrupts, limits, threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import FIXTURES

import pyoneport as op

# Takes some seconds to the end; finds a first answer at once.
LONG = FIXTURES / "platforms/dgx-a100-2.toml"
SOLVE = f"""
import pyoneport as op, sys, time
platform = op.read({str(LONG)!r})
print("ready", flush=True)
try:
    op.solve(platform, "all-reduce", commutative=False, participants=platform.processors[:12])
    print("done")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_callback_hears_the_stages(dgx1: op.Platform) -> None:
    heard: list[op.Progress] = []
    op.solve(dgx1, "all-reduce", callback=heard.append)
    assert [one.stage[:3] for one in heard if one.round is None] == ["1/4", "2/4", "3/4", "4/4"]
    assert all(one.seconds <= other.seconds for one, other in zip(heard, heard[1:]))
    assert any(one.round is not None for one in heard)


def test_an_exception_of_the_callback_passes_through(dgx1: op.Platform) -> None:
    class Own(Exception):
        pass

    def callback(progress: op.Progress) -> None:
        raise Own(progress.stage)

    with pytest.raises(Own):
        op.solve(dgx1, "all-reduce", callback=callback)


def test_stop_iteration_ends_with_the_best_so_far() -> None:
    def callback(progress: op.Progress) -> None:
        if progress.round is not None:
            raise StopIteration

    platform = op.read(LONG)
    answer = op.rate(platform, "all-reduce", callback=callback)
    assert answer.ended_by in ("callback", None)
    assert answer.throughput is None or answer.throughput <= answer.bound


def test_a_time_limit_ends() -> None:
    platform = op.read(LONG)
    start = time.monotonic()
    try:
        answer = op.solve(platform, "all-reduce", commutative=False, time_limit=0.3)
        assert answer.throughput is None or answer.throughput <= answer.bound
    except op.Stopped as stopped:
        assert stopped.limit == "time_limit" and stopped.kind == "limit"
    assert time.monotonic() - start < 20


def test_no_time_at_all_is_said(dgx1: op.Platform) -> None:
    try:
        assert op.solve(dgx1, "all-reduce", time_limit=0).ended_by in ("time_limit", None)
    except op.Stopped as stopped:
        assert stopped.limit == "time_limit" and "the time limit" in str(stopped)


# While a question runs, other threads of Python run on.
def test_the_interpreter_is_free(dgx1: op.Platform) -> None:
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            time.sleep(0.001)
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    for _ in range(5):
        op.solve(dgx1, "all-reduce")
    seconds = time.monotonic() - start
    done.set()
    thread.join()
    assert ticks > 20 * seconds


def test_threads_may_solve_at_once(dgx1: op.Platform) -> None:
    answers: list[op.Answer] = []
    threads = [threading.Thread(target=lambda: answers.append(op.rate(dgx1, "all-gather"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and all(answer == answers[0] for answer in answers)


# After an exception nothing works on: within some seconds the process takes no more time.
def idle(seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        before = time.process_time()
        time.sleep(0.2)
        if time.process_time() - before < 0.02:
            return True
    return False


# Stages of a solve: program, period, slots, referee.
@pytest.mark.parametrize("stage", [1, 2, 3, 4])
@pytest.mark.parametrize("later", [0, 0.1])
def test_every_stage_ends(stage: int, later: float) -> None:
    def callback(progress: op.Progress) -> None:
        if progress.stage.startswith(f"{stage}/"):
            time.sleep(later)
            raise KeyboardInterrupt

    platform = op.read(LONG)
    with pytest.raises(KeyboardInterrupt):
        op.solve(platform, "all-reduce", commutative=False, participants=platform.processors[:12], callback=callback)
    assert idle()


# The first takes seconds in the program, the second in the search for a period.
@pytest.mark.parametrize(
    ("platform", "collective", "how"),
    [
        (op.generate.random(24, seed=3), "all-reduce", {"commutative": False}),
        (op.generate.torus([6, 6, 4]), "all-gather", {}),
    ],
)
def test_a_long_stage_ends(platform: op.Platform, collective: str, how: dict[str, bool]) -> None:
    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            op.solve(platform, collective, **how)  # type: ignore[arg-type]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert idle()


SWEEP = """
import pyoneport as op, time
asked = op.question({"generate": "random", "nodes": 24, "seed": 3}, "all-reduce", commutative=False)
print("ready", flush=True)
try:
    list(op.sweep([asked]))
    print("done")
except KeyboardInterrupt:
    from test_waiting import idle
    print("interrupted", idle())
"""


# Without an executor the question of a sweep runs here, and ends as one of `solve` does.
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child")
def test_ctrl_c_in_a_sweep() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen([sys.executable, "-c", SWEEP], stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        told, _ = child.communicate(timeout=90)
        assert told == "interrupted True\n" and child.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child")
@pytest.mark.parametrize("delay", [0.05, 0.3])
def test_ctrl_c(delay: float) -> None:
    with subprocess.Popen([sys.executable, "-c", SOLVE], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(delay)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        told, _ = child.communicate(timeout=60)
        assert told in ("interrupted\n", "done\n") and child.returncode in (0, -signal.SIGINT)
        assert time.monotonic() - start < 30
