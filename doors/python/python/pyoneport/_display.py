"""Drawings and tables for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MOST_BYTES = 256 << 10
"""A larger drawing is left out of a page: it is saved instead."""
MOST_NODES = 200
MOST_PAGE = 2 << 20
"""A longer page is not shown in a frame: it is saved instead."""


class SVG(str):
    """A drawing as SVG text, which notebooks show."""

    __slots__ = ()

    def save(self, path: Any) -> None:
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<SVG of {len(self)} characters>"


class Page(str):
    """A page as HTML text, which notebooks show in a frame."""

    height: int

    @classmethod
    def of(cls, title: str, body: str, height: int) -> Page:
        """The page with this title and body."""
        from ._values import escape

        head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>body {{ font-family: sans-serif }}</style>'
        made = cls(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>")
        made.height = height
        return made

    def save(self, path: Any) -> None:
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)

    def _repr_html_(self) -> str:
        from ._values import escape

        if len(self) > MOST_PAGE:
            return f"<p>The page has {len(self)} characters; save it: answer.view().save('page.html')</p>"
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe style="{style}" srcdoc="{escape(str(self))}"></iframe>'

    def __repr__(self) -> str:
        return f"<Page of {len(self)} characters>"


def small(drawing: str | None, nodes: int) -> str | None:
    """The drawing, if a page can hold it."""
    return drawing if drawing is not None and nodes <= MOST_NODES and len(drawing) <= MOST_BYTES else None


def facts(rows: Sequence[tuple[str, object]]) -> str:
    """A table of two columns."""
    from ._values import cell, escape

    body = "".join(f'<tr><th style="text-align: left">{escape(name)}</th>{cell(value)}</tr>' for name, value in rows)
    return f"<table><tbody>{body}</tbody></table>"
