"""Motions as evidence; skipped where SciPy, of the extra [sim], is not installed."""

import pytest

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
