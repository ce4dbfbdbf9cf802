"""Fixtures of several tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

import pyoneport as op

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures"

set_hypothesis_home_dir(ROOT / "target/wheel/hypothesis")
settings.register_profile("oneport", derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
settings.load_profile("oneport")


@pytest.fixture(scope="session")
def toy() -> op.Platform:
    """The toy platform of the scatter paper: five nodes, throughput 1/2."""
    return op.read(FIXTURES / "platforms/toy-scatter.toml")


@pytest.fixture(scope="session")
def dgx1() -> op.Platform:
    """Eight GPUs of a DGX-1."""
    return op.read(FIXTURES / "platforms/dgx1.toml")


@pytest.fixture(scope="session")
def command() -> str:
    """The command `oneport`."""
    path = os.environ.get("ONEPORT", str(ROOT / "target/debug/oneport"))
    assert os.access(path, os.X_OK), f"the command is not at {path}; ONEPORT names it"
    return path
