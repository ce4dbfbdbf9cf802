"""The pages' Python runs."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT


@pytest.mark.parametrize("page", ["docs/python.md", "doors/python/README.md"])
def test_the_code_of_a_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
