"""The models for mutants, by name: files of the fixtures, and generated machines without symmetry.

Their states are chosen independently of the formalisms. A process that tries changes of formalisms alone has them
before its forks; one with another change makes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from laboratory.machines import four_links
from mbconcord.converters import registry as formats
from mbconcord.fixtures import folder
from mbconcord.model import Body, Coordinate, System, rotation
from mbconcord.model.beams import ClampedFree, Sine, beam, bending, power, round_section, static, torsion
from mbconcord.model.elastic.table import read_table, write_table
from mbconcord.model.numbers import Instance, bind_states
from mbconcord.model.state import State
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.machines import elastic_tree
from mbconcord.validation.strategies.special_trees import gyrostats, planar_system, sprung_system
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.peers import Original

from ..faults import models

#: Made machines: every feature of open trees, joints, loads and bodies, and closed ones.
MADE: Final[Mapping[str, Callable[[], System]]] = {
    "every feature": models.everything,
    "gyrostats": gyrostats,
    "sprung": lambda: sprung_system(9, 3),
    "planar linkage": lambda: planar_system(5, 4),
    "tree 2": lambda: random_system(2, 3),
    "tree 11": lambda: random_system(11, 4),
    "closed tree 0": lambda: models.closed_tree(0).system,
    "closed tree 2": lambda: models.closed_tree(2).system,
    "cut tree 0": lambda: models.cut_tree(0).system,
    "closed linkage 0": lambda: models.closed_linkage(0).system,
    "rods": lambda: models.build_closed(3, random_system(3, 2), ("rod",)).system,
    "elastic tree": lambda: elastic_tree(1, 2),
    "four links": lambda: four_links("rotary inertia"),
    "stiffened links": lambda: four_links("stiffened"),
    "beam": lambda: _of_a_beam(),
    "functions": lambda: formats.read_text(FUNCTIONS, "functions.mbsd", "mbsd").system,
    "cut at slides": lambda: formats.read_text(SLIDES, "slides.mbsd", "mbsd").system,
}

#: Every function that formulas have, arcs inside of sines, roots of numbers, turns by parts of π.
FUNCTIONS: Final = """
u(x)"(-k tan(x/2) + a sqrt(2) sin(pi x/7) + sqrt(8) x' + sqrt(12/5) cos(pi/5 + x) - atan(x) + asin(sin(x)/3)
+ acos(1/(2 + x^2)) + sin(atan2(x, 2) + x) + cos(2 acos(1/(1 + x^2))) + exp(-x) + log(4 + x^2) + abs x + sqrt(3 + x^2)
+ (1 + x^2)^(1/3) - sqrt(7/11))$(m)
> i(tan(t/5) + f'(t) + f(2 t)/3) y j0.3 $1.2 [0.1, 0.2, 0.25] {0.1, 0.2, 0.3} ; g-y
; m = 2, k = 0.0123456789012345678901234567, a = -1.5e-1, f(t) = atan(t) sqrt(t^2 + 1)
"""

#: A loop that is cut at a joint of three slides and a turn.
SLIDES: Final = """
xyz i0.3 $1.2 [0.4, 0.5, 0.45] {0.1, 0.2, 0.3} #arm > y j0.4 $0.7 [0.2, 0.25, 0.22] {0.3, -0.1, 0.2} #hand g-y
\\ #hand i0.1 u(c1) v(c2) w(c3) x(c4) = < #0
"""


def _of_a_beam() -> System:
    """Build an arm that bends and twists: shapes of every kind, its integrals written as a table and read again."""
    shapes = {
        "a": bending(2, ClampedFree(1)),
        "b": bending(3, static()),
        "c": torsion(Sine(1)),
        "d": bending(2, power(3)),
    }
    nodes = {"mid": 0.2, "tip": 0.5}
    made = beam(0.5, round_section(0.01), shapes, young=7e10, density=2700, nodes=nodes, damping=0.02, rotary=True)
    inertia, modes = read_table(write_table(*made), "beam.csv")
    arm = Body("arm", None, (rotation((1, 2, 2), "q"),), inertia, modes=modes)
    hand = Body("hand", "arm", (rotation((2, 1, 2), "r"),), random_system(1, 1).bodies[0].inertia, parent_node="tip")
    return System("beam", tuple(map(Coordinate, ("q", "r", *shapes))), bodies=(arm, hand))


def _files(table: str) -> tuple[str, ...]:
    """Return the files of rows: a pattern, and what stands in place of its star."""
    rows = (line.split() for line in table.strip().replace("\n  ", " ").splitlines())
    return tuple(pattern.replace("*", name) for pattern, *names in rows for name in names)


#: Small fixtures: of every kind of joint, load, body and constraint at least one.
FIXTURES: Final = _files("""
mbsd/*.mbsd u_z-jgx uvwg moving_support springs gimbal driven_arm double_pendulum four_bar free_body branched particle
konoplev/* mechanism_offset.mbsd gyrostat.mbs.json submarine.mbs.json four_bar.mbs.json
elastic/*.mbs.json planar_arm four_links slider_crank nodal_tree soft_arm
native/*.mbs.json bead_on_parabola bead_on_tilted_rod block_on_incline chaplygin_sleigh geared_arm pushed_gimbal
  quick_return rubber_mounts slider_crank torsion_shaft universal_joint ball_on_turntable
* overconstrained/bennett.mbs.json mjcf/linkage.xml urdf/arm.urdf urdf/gripper.urdf
tp/*.tp.csv spherical two_arm table8_corrected
um/*/input.dat suspension gripper two_bodies four_bar back_to_base
* um/reference_model.mbs.json
""")
#: Those on which judges are judged: each is checked five times.
JUDGED: Final = frozenset(
    _files("""
mbsd/*.mbsd double_pendulum moving_support springs driven_arm
native/*.mbs.json bead_on_parabola slider_crank chaplygin_sleigh geared_arm torsion_shaft
* konoplev/gyrostat.mbs.json elastic/planar_arm.mbs.json um/four_bar/input.dat mjcf/linkage.xml functions
""")
)
#: Files that only readers are tried on, beside the others.
READ: Final = _files("""
* mjcf/finger.xml mjcf/hopper.xml urdf/rover.urdf
um/*/input.dat platform manipulator patu655_tree six_legs
mbsd/*.mbsd patu655 andrews arm chain zug zi_zig xy-kg manipulator
sdf/*.sdf arm drone linkage press station
* konoplev/mechanism.mbsd konoplev/tree.mbsd robots/ur5.mbsd
tp/*.tp.csv angular cartesian cylindrical polar leg hexapod quadruped table1 table2 table3 table4 table5 table6 table7
  table8
""")
MODELS: Final = (*FIXTURES, *MADE, *READ)


def machine(name: str) -> System:
    """Return the model of a name: one of :data:`MADE`, or a file of the fixtures."""
    return MADE[name]() if name in MADE else formats.read(folder() / name).system


def original(name: str) -> Original | None:
    """Return the text of a file of the fixtures, which a check of the file reads a second time."""
    if name in MADE:
        return None
    found = formats.read(folder() / name)
    return Original(found.text, found.format, (), str(folder() / name)) if found.text else None


def in_words(problem: Exception) -> str:
    """Describe a problem, with files of the fixtures by their names there."""
    return f"{type(problem).__name__}: {problem}".replace(f"{folder()}/", "")


SEED: Final = 0
STATES: Final = 2


@dataclass(frozen=True)
class Posed:
    """A model as it is read, with what was drawn of it, and without constraints; at states that may satisfy these."""

    given: System
    system: System
    tree: System
    states: Sequence[State]
    at: Instance
    fits: bool


def pose(given: System) -> Posed:
    """Pose a model at random states, or at states that satisfy its constraints."""
    if not given.constraints:
        drawn = draw(given, STATES, SEED)
        at = bind_states(drawn.system, drawn.states)
        return Posed(given, drawn.system, drawn.system, drawn.states, at, False)
    closed = closed_states(given, STATES, SEED)
    tree = closed.system.open_loops()
    at = bind_states(tree, closed.states)
    return Posed(given, closed.system, tree, closed.states, at, closed.assembly is not None)


@cache
def load_model(name: str) -> Posed:
    """Return a model of the set."""
    return pose(machine(name))


def all_known() -> None:
    """Make all on which formalisms are tried."""
    for name in (*FIXTURES, *MADE):
        load_model(name)
