"""Hypothesis profiles. ``ci`` (the default) is the same on every run; ``dev`` looks for new examples each time.

MBCONCORD_PROFILE chooses the profile, MBCONCORD_EXAMPLES how many random models the agreement property tries.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

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
