"""Objects that cannot change."""

from __future__ import annotations

from typing import NoReturn


class Frozen:
    """Attributes are set once, when the object is made."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"this {type(self).__name__} cannot change; make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"this {type(self).__name__} cannot change; make another one")
