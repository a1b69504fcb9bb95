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


def defaults(evidence: Evidence) -> str:
    """The parameters whose values are defaults: ``i1 = 1, g = 9.81``."""
    return ", ".join(f"{p.name} = {p.value}" for p in evidence.system.parameters if p.origin == "default")


def notes(evidence: Evidence) -> list[str]:
    """What the reader and the formalisms remarked; defaults of parameters are in :func:`defaults`."""
    places = {f"parameters/{p.name}" for p in evidence.system.parameters if p.origin == "default"}
    found = [str(d) for d in evidence.diagnostics if d.severity != "note" or d.place not in places]
    return found + [f"{w.name}: {d}" for w in evidence.witnesses for d in w.diagnostics]


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
