"""Hypothesis profiles. ``ci`` (the default) is the same on every run; ``dev`` looks for new examples each time.

MBCONCORD_PROFILE chooses the profile, MBCONCORD_EXAMPLES how many random models the agreement property tries.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from mbconcord.cli import main

_COMMON = {
    "deadline": None,
    "print_blob": True,
    "report_multiple_bugs": False,
    # Explaining which choices matter traces every line: it makes shrinking fifty times slower.
    "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
}
settings.register_profile("ci", derandomize=True, **_COMMON)
settings.register_profile("dev", derandomize=False, **_COMMON)
settings.load_profile(os.environ.get("MBCONCORD_PROFILE", "ci"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line; both streams, once the exit code is the expected one."""

    def call(*arguments: object, code: int = 0) -> tuple[str, str]:
        found = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        assert found == code, captured.err
        return captured.out, captured.err

    return call
