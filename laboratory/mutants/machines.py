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


#: Small fixtures: of every kind of joint, load, body and constraint at least one.
FIXTURES: Final = (
    "mbsd/u_z-jgx.mbsd", "mbsd/uvwg.mbsd", "mbsd/moving_support.mbsd", "mbsd/springs.mbsd", "mbsd/gimbal.mbsd",
    "mbsd/driven_arm.mbsd", "mbsd/double_pendulum.mbsd", "mbsd/four_bar.mbsd", "mbsd/free_body.mbsd",
    "mbsd/branched.mbsd", "mbsd/particle.mbsd",
    "konoplev/mechanism_offset.mbsd", "konoplev/gyrostat.mbs.json", "konoplev/submarine.mbs.json",
    "konoplev/four_bar.mbs.json", "elastic/planar_arm.mbs.json", "elastic/four_links.mbs.json",
    "elastic/slider_crank.mbs.json", "elastic/nodal_tree.mbs.json", "elastic/soft_arm.mbs.json",
    "native/bead_on_parabola.mbs.json", "native/bead_on_tilted_rod.mbs.json", "native/block_on_incline.mbs.json",
    "native/chaplygin_sleigh.mbs.json", "native/geared_arm.mbs.json", "native/pushed_gimbal.mbs.json",
    "native/quick_return.mbs.json", "native/rubber_mounts.mbs.json", "native/slider_crank.mbs.json",
    "native/torsion_shaft.mbs.json", "native/universal_joint.mbs.json", "native/ball_on_turntable.mbs.json",
    "overconstrained/bennett.mbs.json", "mjcf/linkage.xml", "urdf/arm.urdf", "urdf/gripper.urdf",
    "tp/spherical.tp.csv", "tp/two_arm.tp.csv", "tp/table8_corrected.tp.csv",
    "um/suspension/input.dat", "um/gripper/input.dat", "um/two_bodies/input.dat", "um/four_bar/input.dat",
    "um/back_to_base/input.dat", "um/reference_model.mbs.json",
)  # fmt: skip
#: Those on which judges are judged: each is checked five times.
JUDGED: Final = frozenset(
    {
        "mbsd/double_pendulum.mbsd", "mbsd/moving_support.mbsd", "mbsd/springs.mbsd", "mbsd/driven_arm.mbsd",
        "konoplev/gyrostat.mbs.json", "elastic/planar_arm.mbs.json", "native/bead_on_parabola.mbs.json",
        "native/slider_crank.mbs.json", "native/chaplygin_sleigh.mbs.json", "native/geared_arm.mbs.json",
        "native/torsion_shaft.mbs.json", "um/four_bar/input.dat", "mjcf/linkage.xml", "functions",
    }
)  # fmt: skip
#: Files that only readers are tried on, beside the others.
READ: Final = (
    "mjcf/finger.xml", "mjcf/hopper.xml", "urdf/rover.urdf", "um/platform/input.dat", "um/manipulator/input.dat",
    "um/patu655_tree/input.dat", "um/six_legs/input.dat", "mbsd/patu655.mbsd", "mbsd/andrews.mbsd", "mbsd/arm.mbsd",
    "mbsd/chain.mbsd", "mbsd/zug.mbsd", "mbsd/zi_zig.mbsd", "mbsd/xy-kg.mbsd", "mbsd/manipulator.mbsd",
    "sdf/arm.sdf", "sdf/drone.sdf", "sdf/linkage.sdf", "sdf/press.sdf", "sdf/station.sdf",
    "konoplev/mechanism.mbsd", "konoplev/tree.mbsd", "robots/ur5.mbsd",
    "tp/angular.tp.csv", "tp/cartesian.tp.csv", "tp/cylindrical.tp.csv", "tp/polar.tp.csv", "tp/leg.tp.csv",
    "tp/hexapod.tp.csv", "tp/quadruped.tp.csv",
    *(f"tp/table{n}.tp.csv" for n in range(1, 9)),
)  # fmt: skip
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
    """A model at its states.

    Attributes
    ----------
    given : the model as it is read
    system : with what was drawn of it
    tree : without constraints
    states, at : where its results are compared
    fits : whether it has constraints, and the states satisfy them
    """

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
