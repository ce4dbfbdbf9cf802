"""Many questions: answers in the order of the questions, by any executor."""

from __future__ import annotations

import itertools
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

from . import _core
from ._numbers import shown
from ._platform import PathLike


# The blanks of ASCII: `oneport batch` removes these at both ends of a line.
BLANKS = " \t\n\f\r"
MOST_OF_A_PART = 16
"""Questions of a part, if the caller gives no number. Trades idle workers at the end for messages. Not measured."""


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
    chunk: int | None = None,
    window: int = 256,
) -> Iterator[dict[str, Any]]:
    """Answers questions, made by `question` or written as lines of JSON, and yields a dict for each.

    The work is done by an executor: `concurrent.futures.ProcessPoolExecutor`, Dask's `client.get_executor(pure=False)`,
    `mpi4py.futures.MPIPoolExecutor`, loky; without one, here. A worker takes a part of the questions at a time: `chunk`
    of them. By default the first `window` parts have one question each, so that few questions are shared by all workers;
    later parts have 16. At most `window` parts wait. A question that has no answer is a row with `"status": "error"`.

    With `output`, each row is a line of that file, which `oneport batch` reads and resumes, too; all executors write the
    same bytes. A file that exists is refused, unless `resume` is true: then its rows are kept, a last line that was cut
    is dropped, and the questions that they answer are not asked again. The kept rows are yielded as well, each in the
    place of its question, so that there is a row for each question. With `unordered`, rows come as they are ready.

    >>> import pyoneport as op
    >>> ring = op.Platform.from_matrix([[0, 1], [1, 0]])
    >>> [row["throughput"] for row in op.sweep(op.question(ring, name) for name in ("all-gather", "all-to-all"))]
    ['1', '1']
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"{shown(executor)} is no executor; give one of concurrent.futures, or what is made like it")
    for label, number in (("chunk", 1 if chunk is None else chunk), ("window", window)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{label}={shown(number)} is no whole number from 1 on")
    if isinstance(questions, (str, bytes, Mapping)) or not isinstance(questions, Iterable):
        raise TypeError(f"{shown(questions)} is no list of questions; give [question(...), ...] or an open file of lines")
    if output is not None and not resume and os.path.exists(output):
        raise FileExistsError(f"{shown(os.fspath(output))} exists; give resume=True to keep its rows, or another output=")
    return _rows(questions, executor, output, resume, unordered, chunk, window)


class Part(NamedTuple):
    """Consecutive questions, and the rows of those that have none yet. A question that has a row is `None`."""

    questions: list[tuple[int, str | None]]
    rows: Future[list[str]]


class Kept:
    """The rows that a file has, by the numbers of their questions."""

    def __init__(self, path: str) -> None:
        self._file: BinaryIO = open(path, "rb")
        self._places: dict[int, int] = {}
        place = 0
        for row in self._file:
            self._places[json.loads(row)["line"]] = place
            place += len(row)

    def row(self, number: int) -> str:
        """The row of a question."""
        self._file.seek(self._places[number])
        return self._file.readline().decode()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _rows(
    questions: Iterable[Mapping[str, Any] | str],
    executor: Executor | None,
    output: PathLike | None,
    resume: bool,
    unordered: bool,
    chunk: int | None,
    window: int,
) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        done: dict[int, str] = {}
        write: Callable[[str], object] = len
        rows = kept = None
        if output is not None:
            rows = _core.Rows(os.fspath(output), resume)
            done, write = rows.done(), rows.write
            if done:
                kept = Kept(os.fspath(output))
                stack.callback(kept.close)
        numbered = _open(map(line_of, questions), done, str(output))
        if executor is None:
            executor, chunk, window = Here(), 1, 1
        parts = _parts(numbered, executor, chunk, window)
        waiting: deque[Part] = deque()
        stack.callback(lambda: [part.rows.cancel() for part in waiting])
        while True:
            waiting.extend(itertools.islice(parts, window - len(waiting)))
            if not waiting:
                if rows is not None:
                    rows.finish(not unordered)
                return
            ready = waiting[0]
            if unordered:
                first = wait([part.rows for part in waiting], return_when=FIRST_COMPLETED).done
                ready = next(part for part in waiting if part.rows in first)
            waiting.remove(ready)
            new = iter(ready.rows.result())
            for number, line in ready.questions:
                if line is None and kept is not None:
                    yield json.loads(kept.row(number))
                    continue
                row = next(new)
                write(row)
                yield json.loads(row)


def _parts(
    numbered: Iterator[tuple[int, str | None]], executor: Executor, chunk: int | None, window: int
) -> Iterator[Part]:
    """Parts of the questions, each at work from the moment when it is taken."""
    for place in itertools.count():
        most = chunk if chunk is not None else 1 if place < window else MOST_OF_A_PART
        part = list(itertools.islice(numbered, most))
        if not part:
            return
        asked = [(number, line) for number, line in part if line is not None]
        yield Part(part, executor.submit(answer_lines, asked) if asked else Here().submit(list))


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


def _open(lines: Iterable[str], done: dict[int, str], output: str) -> Iterator[tuple[int, str | None]]:
    """The numbered questions; `None` for a question that has a row."""
    number = 0
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix("\ufeff")
        known = done.pop(number, None)
        if known is not None and known != digest(line):
            raise ValueError(
                f"{output}: line {number} was another question when it was answered; give another output=, or remove the file"
            )
        yield number, line if known is None else None
    if done:
        raise ValueError(f"{output} answers line {min(done)}, and there are {number} questions; give another output=")


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
