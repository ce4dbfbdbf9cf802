"""Answers and errors between processes, and forks at any time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import loky
import processes
import pytest

import pyoneport as op

pytestmark = [pytest.mark.timeout(120), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children find `processes`."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))


def checked(executor: Executor, toy: op.Platform, dgx1: op.Platform) -> None:
    """Answers come back equal, errors come back whole."""
    assert executor.submit(processes.solved, dgx1).result(60) == processes.solved(dgx1)
    assert list(executor.map(processes.throughput, [dgx1] * 4)) == [processes.throughput(dgx1)] * 4
    error = executor.submit(processes.refused, toy).exception(60)
    assert isinstance(error, op.Infeasible) and error.unreachable == (("P1", "Ps"),)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(method: str, toy: op.Platform, dgx1: op.Platform) -> None:
    processes.throughput(dgx1)
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as executor:
        checked(executor, toy, dgx1)


def test_loky(toy: op.Platform, dgx1: op.Platform) -> None:
    with loky.ProcessPoolExecutor(2) as executor:
        checked(executor, toy, dgx1)


def forked(work: Callable[[], object]) -> int:
    """The exit code of a child that works; -1 if it hangs."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


# The parent is in the middle of a question in another thread: its pool, its locks and its channels are copied half done.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks_in_the_middle_of_a_question(dgx1: op.Platform) -> None:
    expected, done = processes.solved(dgx1), threading.Event()
    begun = threading.Event()

    def busy() -> None:
        while not done.is_set():
            op.solve(dgx1, "all-reduce", callback=lambda _: begun.set())

    thread = threading.Thread(target=busy)
    thread.start()
    begun.wait(30)
    try:
        for place in range(10):
            time.sleep(0.003 * place)

            def work() -> None:
                assert processes.solved(dgx1) == expected

            assert forked(work) == 0
    finally:
        done.set()
        thread.join()


PROGRAM = """
import sys, threading
import pyoneport as op
platform = op.read(sys.argv[1])
threading.Thread(target=lambda: op.solve(platform, "all-reduce", commutative=False), daemon=True).start()
import time; time.sleep(0.1)
"""


def test_the_interpreter_ends_while_a_question_runs() -> None:
    from conftest import FIXTURES

    path = FIXTURES / "platforms/dgx-a100-2.toml"
    ran: Any = subprocess.run([sys.executable, "-c", PROGRAM, path], timeout=60)
    assert ran.returncode == 0
