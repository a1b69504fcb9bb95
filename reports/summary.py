"""What every form of a report says about evidence: the closest comparison, the command, the versions."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import numpy

from mbconcord.model.derivation import Obstacle
from mbconcord.model.limits import listed
from mbconcord.model.omission import counted
from mbconcord.validation.judge.evidence import Comparison, Evidence

from .description import spoken
from .diagnostics import remarks

#: So many of what is left out are named.
MOST_NAMES = 20


def worst(evidence: Evidence) -> Comparison | None:
    """The comparison whose discrepancy is the largest part of its tolerance."""
    measured = (c for c in evidence.comparisons if c.discrepancy is not None)
    return max(measured, key=lambda c: c.excess, default=None)


def defaults(evidence: Evidence) -> str:
    """The parameters whose values are defaults, the first of many: ``i1 = 1, g = 9.81``."""
    return listed(f"{p.name} = {p.value}" for p in evidence.system.parameters if p.origin == "default")


def notes(evidence: Evidence) -> list[str]:
    """What the reader and the formalisms remarked; defaults of parameters are in :func:`defaults`."""
    places = {f"parameters/{p.name}" for p in evidence.system.parameters if p.origin == "default"}
    found = remarks(d for d in evidence.diagnostics if d.severity != "note" or d.place not in places)
    return found + said_by((w.name, line) for w in evidence.witnesses for line in remarks(w.diagnostics))


def left_out(evidence: Evidence) -> list[str]:
    """What the model does not hold and acts, or may act, on the motion, by its kinds, and whether that was accepted."""
    acting = [omission for omission in evidence.system.omissions if omission.acts]
    lines = []
    for kind, count in evidence.left_out.counts.items():
        own = [omission for omission in acting if omission.kind == kind]
        names = [omission.place.partition("/")[2] for omission in own[:MOST_NAMES]]
        more = [f"and {count - MOST_NAMES} more"] if count > MOST_NAMES else []
        effects = ", ".join(dict.fromkeys(omission.effect for omission in own))
        lines.append(f"{counted({kind: count})}, effect on the motion {effects}: {', '.join(names + more)}")
    said = evidence.left_out.said()
    return [*lines, said] if said else lines


def taken(evidence: Evidence) -> list[str]:
    """How formalisms take the model, where they have a choice."""
    return said_by(
        (w.name, line) for w in evidence.witnesses if w.derivation for line in spoken(w.derivation.notes)
    )


def obstacles(evidence: Evidence) -> list[str]:
    """Why formalisms cannot take the model; of one with constraints, its open tree."""
    return said_by((w.name, line) for w in evidence.witnesses for line in refusals(w.name, w.obstacles))


def open_tree_only(evidence: Evidence) -> list[str]:
    """Why formalisms that take the open tree give no motion with the constraints."""
    taking = (w for w in evidence.witnesses if not w.obstacles)
    return said_by((w.name, line) for w in taking for line in refusals(w.name, w.constraint_obstacles))


def refusals(name: str, found: Iterable[Obstacle]) -> list[str]:
    """A formalism's obstacles without its name."""
    return [f"{o.place}: {o.reason.removeprefix(f'{name} does not take ')}" for o in found]


def said_by(lines: Iterable[tuple[str, str]]) -> list[str]:
    """(who, what) as lines; who says the same shares a line: ``one, other: …``."""
    groups: dict[str, list[str]] = {}
    for name, line in lines:
        groups.setdefault(line, []).append(name)
    return [f"{', '.join(names)}: {line}" for line, names in groups.items()]


def reproduction(evidence: Evidence, options: Sequence[str] = ()) -> str:
    """The command that repeats the check; ``options`` are those that set numbers."""
    other = evidence.against.witness if evidence.against else ""
    names = ",".join(w.asked for w in evidence.witnesses if w.name != other)
    words = ["mbconcord", "check", evidence.file, *(["--formalisms", names] if names else [])]
    words += ["--per-link"] if evidence.by_links else []
    words += ["--states", str(len(evidence.states)), "--seed", str(evidence.seed), *options]
    return shlex.join(words)


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    return {
        "mbconcord": version("mbconcord"),
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
