"""Numbers that other programs computed: Pinocchio of robots, Universal Mechanism of a machine of two bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from laboratory.bench import um as um_reference
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import System

from .row import DOUBLE, Row, data, row, states

ROBOTS = ("ur5", "panda", "talos")
#: Right angles are printed to so many digits in the robots' published descriptions; here they are exact.
ROBOT_DIGITS = 10


def robot(name: str) -> Row:
    """A robot by Pinocchio, from its published description."""
    system = read(folder("robots") / f"{name}.mbsd").system
    reference = data("robots", f"{name}.reference.json")
    assert list(reference["coordinates"]) == list(system.coordinate_names)
    known = {key: [s[key] for s in reference["states"]] for key in ("M", "h", "gravity", "inverse_dynamics")}
    return row(system, states(system.coordinate_names, reference["states"]), ROBOT_DIGITS, known)


def um_equations(machine: System, found: Sequence[um_reference.Row], masses: Sequence[Any]) -> Row:
    """A machine by the equations that UM generated for it, with forces and moments on its bodies."""
    loaded = um_reference.add_loads(machine)
    at = [um_reference.state(r, loaded.coordinate_names) for r in found]
    known = {"M": masses, "inverse_dynamics": [r["residual"] for r in found]}
    return row(loaded, at, DOUBLE, known)


def reference_model() -> Row:
    """The machine as it is written here."""
    found = um_reference.read_states()
    return um_equations(um_reference.model(), found, [um_reference.mass_matrix(r) for r in found])


def two_bodies() -> Row:
    """The machine as UM's own file has it."""
    found = data("um", "facts.json")["two_bodies"]["states"]
    renamed = [r | {"a": r["a_predicted"], "joint_force": r["jf1"]} for r in found]
    machine = read(folder("um") / "two_bodies" / "input.dat").system
    return um_equations(machine, renamed, [r["mass_matrix"] for r in found])


def rows() -> dict[str, Callable[[], Row]]:
    """Three robots and two writings of the machine."""
    found: dict[str, Callable[[], Row]] = {f"robots/{name}.mbsd": partial(robot, name) for name in ROBOTS}
    return found | {"um/reference_model.mbs.json": reference_model, "um/two_bodies/input.dat": two_bodies}
