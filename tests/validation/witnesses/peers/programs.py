"""Models, and a program that is none, for the tests of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import State, System
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.validation.witnesses.peers.peer import Peer, PeerError, PeerNumbers

ARM, GRIPPER, ROVER = (folder() / "urdf" / f"{name}.urdf" for name in ("arm", "gripper", "rover"))
VECTORS = Path(__file__).parents[5] / "shared" / "specs" / "vectors" / "robots"
FORMALISMS = ["lagrange", "newton_euler"]


def needs(name: str) -> None:
    """Skip where a program is not installed."""
    pytest.importorskip(name, reason=f"{name} is not installed: the extra peers")


class Fake(Peer):
    """Lagrange's numbers, of which one may be wrong."""

    name = "pinocchio"
    wrong, rounding = "", 0.0
    version = "1.2.3"

    def fit(self, system: System) -> None:
        self.system = system
        if self.wrong == "joints":
            raise PeerError("has no joint 'elbow'")

    def numbers(self, q, v, a) -> PeerNumbers:
        names = self.system.coordinate_names
        rows = ([dict(zip(names, map(float, x), strict=True)) for x in row] for row in zip(q, v, a, strict=True))
        states = [State(q=at, v=rates, a=accelerations) for at, rates, accelerations in rows]
        derivation = formalisms.formalism("lagrange").derive(self.system)
        found = dict(evaluate_derivation(derivation, states).quantities)
        if self.wrong in found:
            found[self.wrong] = found[self.wrong] * (1 + 1e-9) + self.rounding
        return PeerNumbers(found)


def known_of(path: Path, program: str, rest: str = "") -> list[str]:
    """List what is known of a program that disagrees; with it the model gives its numbers, unless other is said."""
    made = mbconcord.check(path, formalisms=["newton_euler"], states=2, claims=(), against=program, exact="off")
    assert made.verdict == "disagrees"
    said = [d.message for d in made.diagnostics if d.place == program]
    (why,) = (x for x in said if x.startswith("why"))
    assert why.startswith(rest or "why: the model with what is known of it gives its M, h, gravity, applied"), why
    return [x for x in said if x.startswith("known of it")]
