"""Many questions: answers in the order of the questions, by any executor."""

from __future__ import annotations

import itertools
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack
from typing import Any

from . import _core
from ._numbers import shown
from ._platform import PathLike


def answer_lines(part: list[tuple[int, str]]) -> list[str]:
    """The rows of numbered questions: what an executor's workers run."""
    return [_core.answer_line(number, line) for number, line in part]


def sweep(
    questions: Iterable[Mapping[str, Any] | str],
    executor: Executor | None = None,
    *,
    output: PathLike | None = None,
    resume: bool = False,
    unordered: bool = False,
    chunk: int = 16,
    window: int = 256,
) -> Iterator[dict[str, Any]]:
    """Answers questions, made by `question` or written as lines of JSON, and yields a dict for each.

    The work is done by an executor: `concurrent.futures.ProcessPoolExecutor`, Dask's `client.get_executor(pure=False)`,
    `mpi4py.futures.MPIPoolExecutor`, loky; without one, here. A worker takes `chunk` questions at a time; at most
    `window` parts wait. A question that has no answer is a row with `"status": "error"`.

    With `output`, each row is a line of that file, which `oneport batch` reads and resumes, too; all executors write the
    same bytes. A file that exists is refused, unless `resume` is true: then its rows are kept, a last line that was cut
    is dropped, and the questions that they answer are not asked again. With `unordered`, rows come as they are ready.

    >>> import pyoneport as op
    >>> ring = op.Platform.from_matrix([[0, 1], [1, 0]])
    >>> [row["throughput"] for row in op.sweep(op.question(ring, name) for name in ("all-gather", "all-to-all"))]
    ['1', '1']
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"{shown(executor)} is no executor; give one of concurrent.futures, or what is made like it")
    if chunk < 1 or window < 1:
        raise ValueError(f"chunk={chunk} and window={window} are numbers from 1 on")
    return _rows(questions, executor, output, resume, unordered, chunk, window)


def _rows(
    questions: Iterable[Mapping[str, Any] | str],
    executor: Executor | None,
    output: PathLike | None,
    resume: bool,
    unordered: bool,
    chunk: int,
    window: int,
) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        done: dict[int, str] = {}
        write: Callable[[str], object] = len
        if output is not None:
            path = os.fspath(output)
            if resume and os.path.exists(path):
                done = kept(path)
            file = stack.enter_context(open(path, "ab" if resume else "xb", buffering=0))
            write = lambda row: file.write(row.encode() + b"\n")  # noqa: E731
        lines = _open(map(line_of, questions), done, str(output))
        if executor is None:
            executor, chunk, window = Here(), 1, 1
        waiting: deque[Future[list[str]]] = deque()
        stack.callback(lambda: [future.cancel() for future in waiting])
        while True:
            while len(waiting) < window and (part := list(itertools.islice(lines, chunk))):
                waiting.append(executor.submit(answer_lines, part))
            if not waiting:
                return
            if unordered:
                ready = next(iter(wait(waiting, return_when=FIRST_COMPLETED).done))
                waiting.remove(ready)
            else:
                ready = waiting.popleft()
            for row in ready.result():
                write(row)
                yield json.loads(row)


def line_of(question: Mapping[str, Any] | str) -> str:
    """A question as a line of JSON."""
    if isinstance(question, str):
        if "\n" in question.strip():
            raise ValueError("a question has a line break inside; a line holds one question")
        return question.strip()
    if not isinstance(question, Mapping):
        raise TypeError(f"{shown(question)} is no question; give what question() returns, or a line of JSON")
    return json.dumps(question, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _open(lines: Iterable[str], done: dict[int, str], output: str) -> Iterator[tuple[int, str]]:
    """The numbered questions that have no row yet."""
    for number, line in enumerate(lines, 1):
        known = done.pop(number, None)
        if known is None:
            yield number, line
        elif known != digest(line):
            raise ValueError(
                f"{output}: line {number} was another question when it was answered; give another output, or resume=False"
            )


def digest(line: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a question."""
    import hashlib

    return hashlib.sha256(line.strip().encode()).hexdigest()[:16]


def kept(path: str) -> dict[int, str]:
    """Cuts a last line that was not written whole; returns the digest of the question of each row that stands."""
    with open(path, "r+b") as file:
        text = file.read()
        end = text.rfind(b"\n") + 1
        file.truncate(end)
    rows: dict[int, str] = {}
    for place, line in enumerate(text[:end].splitlines(), 1):
        try:
            row = json.loads(line)
            number, question = int(row["line"]), str(row["question"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}:{place}: this is no row of a sweep; give another output") from None
        if number in rows:
            raise ValueError(f"{path}:{place}: line {number} is answered twice; keep one of the rows")
        rows[number] = question
    return rows


class Here(Executor):
    """An executor without workers: the caller's own thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Works at once."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
