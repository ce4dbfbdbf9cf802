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


# The blanks of ASCII: `oneport batch` removes these at both ends of a line.
BLANKS = " \t\n\f\r"


def answer_lines(part: list[tuple[int, str]]) -> list[str]:
    """The rows of numbered questions: what an executor's workers run."""
    return [_answer_line(number, line) for number, line in part]


def _answer_line(number: int, line: str) -> str:
    try:
        line.encode()
    except UnicodeEncodeError:
        return _core.failed_line(number, line.encode(errors="surrogatepass"), "the line is no text in UTF-8")
    return _core.answer_line(number, line)


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
    for label, number in (("chunk", chunk), ("window", window)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{label}={shown(number)} is no whole number from 1 on")
    if isinstance(questions, (str, bytes, Mapping)) or not isinstance(questions, Iterable):
        raise TypeError(f"{shown(questions)} is no list of questions; give [question(...), ...] or an open file of lines")
    if output is not None and not resume and os.path.exists(output):
        raise FileExistsError(f"{shown(os.fspath(output))} exists; resume=True goes on with it")
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
        rows = None
        if output is not None:
            rows = _core.Rows(os.fspath(output), resume)
            done, write = rows.done(), rows.write
        lines = _open(map(line_of, questions), done, str(output))
        if executor is None:
            executor, chunk, window = Here(), 1, 1
        waiting: deque[Future[list[str]]] = deque()
        stack.callback(lambda: [future.cancel() for future in waiting])
        while True:
            while len(waiting) < window and (part := list(itertools.islice(lines, chunk))):
                waiting.append(executor.submit(answer_lines, part))
            if not waiting:
                if rows is not None:
                    rows.finish(not unordered)
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
        line = question.strip(BLANKS)
        if "\n" in line:
            raise ValueError("a question has a line break inside; a line holds one question")
        return line
    if not isinstance(question, Mapping):
        raise TypeError(f"{shown(question)} is no question; give what question() returns, or a line of JSON")
    try:
        return json.dumps(question, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"a question cannot be written as JSON: {error}; make it by question(...)") from None


def _open(lines: Iterable[str], done: dict[int, str], output: str) -> Iterator[tuple[int, str]]:
    """The numbered questions that have no row yet."""
    number = 0
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix("\ufeff")
        known = done.pop(number, None)
        if known is None:
            yield number, line
        elif known != digest(line):
            raise ValueError(
                f"{output}: line {number} was another question when it was answered; give another output, or resume=False"
            )
    if done:
        raise ValueError(f"{output} answers line {min(done)}, and there are {number} questions; give another output")


def digest(line: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a question."""
    import hashlib

    return hashlib.sha256(line.strip(BLANKS).encode(errors="surrogatepass")).hexdigest()[:16]


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
