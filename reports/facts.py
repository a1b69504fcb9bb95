"""What every form of a report says about evidence: the closest comparison, the command, the versions."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import version

from mbconcord.validation.evidence import Comparison, Evidence


def worst(evidence: Evidence) -> Comparison | None:
    """The comparison whose discrepancy is the largest part of its tolerance."""
    measured = [c for c in evidence.comparisons if c.discrepancy is not None and c.tolerance]
    return max(measured, key=lambda c: (c.discrepancy or 0.0) / (c.tolerance or 1.0), default=None)


def reproduction(evidence: Evidence, options: Sequence[str] = ()) -> str:
    """The command that repeats the check; ``options`` are those that set numbers."""
    names = ",".join(w.name for w in evidence.witnesses)
    words = ["mbconcord", "check", evidence.file, "--formalisms", names]
    words += ["--states", str(len(evidence.states)), "--seed", str(evidence.seed), *options]
    return shlex.join(words)


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    import numpy

    return {
        "mbconcord": version("mbconcord"),
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
