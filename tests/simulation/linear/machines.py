"""Small machines whose linear motion is known."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from typing import Any

from mbconcord.api.mechanism import Mechanism
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model import State, System
from mbconcord.simulation.linear.equilibrium import Resting, equilibrium
from mbconcord.simulation.linear.linearised import Linearised, derive_linearised

G = 9.81
#: Links of 1 m with 1 kg at their ends, hanging.
DOUBLE = "z(a) -j1 $1 [0,0,0] > z(b) -j1 $1 [0,0,0] g9.81-y"
#: A point of 1 kg on a rod of 1 m: two coordinates and a row, hanging.
ON_A_ROD = "u(x) v(y)°-1 $1 #bob ; g9.81-y \\ #bob :(1, 0) < #0"


def mbsd(text: str) -> System:
    return read_text(text, format="mbsd").system


def fixture(file: str) -> System:
    return read(folder() / file).system


def near(system: System, state: State | None = None, by: str = "lagrange", **more: Any) -> Linearised:
    return derive_linearised(system, registry.formalism(by), state or State(), **more)[0]


def rest(system: System, state: State | None = None, by: str = "lagrange", **more: Any) -> Resting:
    return equilibrium(system, registry.formalism(by), state or State(), **more)


def oscillator(mass: float = 2.0, stiffness: float = 50.0, damping: float = 3.0) -> System:
    """A mass that slides along x on a spring with a damper."""
    made = Mechanism("oscillator").body("mass", mass=mass, inertia=(1, 1, 1)).slides("x", along="x")
    return made.effort("spring", "x", f"-{stiffness}*x - {damping}*x'").build()


def top(mass: float = 1.5, length: float = 0.4, across: float = 0.3, along: float = 0.05) -> System:
    """A heavy top on its point, upright at zero: tilts about x and y, then the spin about its axis."""
    about_centre = across - mass * length**2
    inertia = (about_centre, about_centre, along)
    made = Mechanism("top").gravity(z=-G).body("top", mass=mass, com=(0, 0, length), inertia=inertia)
    return made.turns("tilt", about="x").turns("lean", about="y").turns("spin", about="z").build()


def hoop(spin: float = 5.0, radius: float = 1.0) -> System:
    """A bead in a hoop that turns about the vertical at a constant rate: the angle is 0 at the bottom."""
    made = Mechanism("hoop").gravity(z=-G).body("bead", mass=1, inertia=(0, 0, 0), com=(0, 0, -radius))
    return made.rotate(f"{spin}*t", about="z").turns("angle", about="y", start=0.9).build()


def sleigh(offset: Fraction = Fraction(3, 10)) -> System:
    """Chaplygin's sleigh on the level: 2 kg so far ahead of the blade, 0.15 kg m²; it goes along x."""
    made = Mechanism("sleigh").body("sleigh", mass=2, com=(float(offset), 0, 0), inertia=(0.1, 0.1, 0.15))
    made = made.slides("x", along="x", rate=2.0).slides("y", along="y").turns("heading", about="z")
    return made.rolls("blade", {"x": "-sin(heading)", "y": "cos(heading)"}).build()


def folded(angle: float = pi / 2) -> State:
    """The double pendulum with its second link turned so far from the first."""
    return State(q={"a": 0.0, "b": angle})
