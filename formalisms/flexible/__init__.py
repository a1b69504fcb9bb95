"""Generalised Newton–Euler: trees with elastic links, the effort or the acceleration given in every joint.

The same passes give expressions (from nodes of the graph) or numbers (from floats over states).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import State, System
from mbconcord.model.derivation import EFFORT, Assignment, Derivation, Lazy, LazySequence, Nested, Stage, flatten
from mbconcord.model.evaluation import Array, Evaluation, complete
from mbconcord.model.expressions import Expression, ExpressionError, as_expression, topological
from mbconcord.model.expressions.traversal import no_search_for_cycles
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.naming import Namer, strip_sign
from mbconcord.model.numbers import bind_states
from mbconcord.records import dataclass

from .equations import Equations, Machine
from .kinematics import Kinematics, joints_of
from .tree import Attachment
from .vectors import Batch, Graph, Scalars, times, unit


def positions(machine: Machine, scalars: Scalars) -> list[Any]:
    """Compute the origins of the bodies' frames in the axes of the base (m), in the model's order.

    ``r_j = r_i + R_i (r_A + D_j)``, ``R_j = R_i ⁱR_j``; a body's frame is fixed to its link, or to a node of it.
    """
    links, places = machine.links, [machine.tree.places[body.name] for body in machine.system.bodies]
    attachments: list[Attachment] = [*(link.at for link in links), *(place.attachment for place in places)]
    k = Kinematics(links, attachments, joints_of(links, attachments, scalars), scalars)
    section, joints = k.nodes, len(links)
    still = machine.g * 0
    frames: dict[int, tuple[Array, Array]] = {-1: (unit(still[..., 0]), still)}
    for j, link in enumerate(links):
        turn, origin = frames[link.at.link]
        frames[j] = turn @ k.turn[j], origin + times(turn, section.position[j] + k.arm[j])
    found = []
    for i, place in enumerate(places, joints):
        turn, origin = frames[place.link]
        shift = times(section.turn[i], scalars.row(place.shift, 3))
        found.append(origin + times(turn, section.position[i] + shift))
    return found


# Names of the intermediates: the passes as printed in the paper.
#
# ``V3_x`` … ``V3_wz`` are the components of V_3, velocity of A_3 and angular velocity, in the axes of link 3; the same
# six of ``h3``, ``C3``, ``p3``, ``u3``, ``dV3``, ``F3``.


SIX = ("x", "y", "z", "wx", "wy", "wz")


def stages(eq: Equations, quantities: Mapping[str, Nested]) -> tuple[Stage, ...]:
    """List the passes of a derivation; scalars that no quantity needs get no name."""
    needed = {n for n in topological(flatten(tuple(quantities.values()))) if n.args and not n.constant}
    namer = Namer(eq.system.names, needed.__contains__)
    closed: list[tuple[str, str, int]] = []

    def close(name: str, title: str) -> None:
        closed.append((name, title, len(namer.found) - sum(n for *_, n in closed)))

    k, J, count = eq.k, eq.J, range(len(eq.links))
    for j in count:
        _name(namer, f"R{j + 1}", k.turn[j])
        _name(namer, f"D{j + 1}", k.arm[j], "xyz")
    for j in count:
        _name(namer, f"V{j + 1}", k.velocities[j], SIX)
        _name(namer, f"h{j + 1}", k.bias[j], SIX)
    for j in count:
        _name(namer, f"Jrr{j + 1}", J.rr[j])
        _name(namer, f"Jre{j + 1}", J.re[j])
        _name(namer, f"C{j + 1}", eq.resisting.joints[j], SIX)
        _name(namer, f"Ce{j + 1}", eq.resisting.modal[j])
    close("first pass", "Joints and velocities, inertia and forces of the links, in their own axes")
    for j in reversed(count):
        _name(namer, f"F{j + 1}", eq.required_forces.joints[j], SIX)
    close("inverse dynamics", "What the joints transmit for given accelerations")
    if "acceleration" in quantities:
        for j in reversed(count):
            own = eq.motion.eliminated[j]
            _name(namer, f"K{j + 1}", own.K)
            _name(namer, f"p{j + 1}", own.p, SIX)
            _name(namer, f"u{j + 1}", own.u, SIX)
            if own.Z is not None:
                _name(namer, f"Z{j + 1}", own.Z)
        close("second pass", "Inertia and forces handed to the base, unknown accelerations eliminated")
        for j in count:
            _name(namer, f"dV{j + 1}", eq.motion.V[j], SIX)
        close("third pass", "Accelerations from the base to the tips")
    return _order_stages(namer.found, closed)


def _name(namer: Namer, stem: str, values: Any, parts: Iterable[str] | None = None) -> None:
    """Name the elements of a scalar, vector or matrix: ``stem_part``, ``stem_i``, ``stem_i_k``."""
    array = np.asarray(values, dtype=object)
    labels = [f"_{p}" for p in parts] if parts else ["".join(f"_{i + 1}" for i in at) for at in np.ndindex(array.shape)]
    for label, x in zip(labels, array.ravel(), strict=True):
        node = as_expression(x)
        name = f"{stem}{label}"
        namer.name(f"minus_{name}" if node.op == "neg" else name, strip_sign(node))


def _order_stages(found: Mapping[Expression, str], closed: list[tuple[str, str, int]]) -> tuple[Stage, ...]:
    """Order the stages so that each intermediate precedes its first use."""
    owners = [i for i, stage in enumerate(closed) for _ in range(stage[2])]
    earliest = dict(zip(found, owners, strict=True))
    order = topological(found)
    for node in reversed(order):  # users stand after what they use
        for inner in node.args:
            earliest[inner] = min(earliest.get(inner, earliest[node]), earliest[node])
    lines: list[list[Assignment]] = [[] for _ in closed]
    for node in order:
        if node in found:
            lines[earliest[node]].append(Assignment(found[node], node))
    made = zip(closed, lines, strict=True)
    return tuple(Stage(name, title, tuple(own)) for (name, title, _), own in made if own)


FROZEN = "frozen"


class Flexible(Formalism):
    """Recursive dynamics of trees of rigid and elastic links, in time linear in the links.

    Forms: ``full`` keeps every power of the modal coordinates; ``frozen`` takes the inertia of the undeformed
    links. Without elastic bodies, both forms give the same equations; with them, they differ by the deformation.
    """

    name = "flexible"
    title = "Generalised Newton–Euler for elastic links"
    reference = "Sargsyan, Stepanyan & Gevorgyan 2005, (1)-(5); Boyer & Khalil 1998"
    takes = OPEN_TREES | {"elastic_modes", "armatures", "follower_forces"}
    forms = ("full", FROZEN)

    def derive(self, system: System) -> Derivation:
        """Derive all canonical quantities, with the passes as stages.

        ``acceleration`` is q̈ by the paper's recursion; put into inverse dynamics it gives zero. It is absent if a
        joint has no inertia for any values. Native ``r`` are the origins of the bodies' frames, displaced by the
        deformation, in the axes of the base (m).

        Raises
        ------
        FormalismError
            The model uses a feature that this formalism does not take.
        """
        self.require(system)
        with no_search_for_cycles():
            graph = Graph()
            eq = Equations(Machine(system, graph), graph, self.form == FROZEN)
            quantities: dict[str, Nested] = {
                "M": tuple(map(_nodes, eq.mass_matrix)),
                "h": _nodes(eq.h),
                "gravity": _nodes(eq.gravity),
                "applied": _nodes(eq.applied),
                "inverse_dynamics": _nodes(eq.inverse_dynamics),
            }
            with suppress(ExpressionError, ZeroDivisionError):  # an inertia that is the number zero
                quantities["acceleration"] = _nodes(eq.accelerations)
                if eq.imposed_accelerations:
                    quantities[EFFORT] = _nodes(eq.drives_of_all)
            native = Lazy({"r": lambda: tuple(map(_nodes, positions(eq.machine, graph)))})
            indices = {"r": (tuple(body.name for body in system.bodies), ("x", "y", "z"))}
            named = LazySequence(lambda: stages(eq, quantities))
            return Derivation(self.name, system, quantities, named, native, indices=indices)

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Compute numbers by the recursion without expressions: for large systems and many states."""
        self.require(system)
        count, values = len(states), bind_states(system, states).values
        with np.errstate(all="ignore"):
            batch = Batch(system, values)
            eq = Equations(Machine(system, batch), batch, self.form == FROZEN)
            quantities: dict[str, Array] = {
                "M": _matrix(eq.mass_matrix, count),
                "h": _rows(eq.h, count),
                "gravity": _rows(eq.gravity, count),
                "applied": _rows(eq.applied, count),
                "inverse_dynamics": _rows(eq.inverse_dynamics, count),
                "acceleration": _rows(eq.accelerations, count),
            }
            if eq.imposed_accelerations:
                quantities[EFFORT] = _rows(eq.drives_of_all, count)
        return complete(Evaluation(self.name, quantities), system, states)

    def solve(self, system: System, states: Sequence[State]) -> Solution:
        """Solve for accelerations and unknown efforts at states, in time linear in the links: the mixed problem."""
        return self.prepare(system, states).solve_states(states)

    def prepare(self, system: System, states: Sequence[State]) -> Prepared:
        """Return a system with its constants computed, for solving at states that share the parameters' values."""
        values = bind_states(system, states).values
        fixed = {p.name: values[p.name] for p in system.parameters}
        return Prepared(system, Machine(system, Batch(system, fixed)), self.form == FROZEN)


@dataclass(frozen=True)
class Solution:
    """``accelerations`` (states, coordinates), and ``efforts`` (states,) of drives that impose some, by coordinate."""

    accelerations: Array
    efforts: dict[str, Array]


@dataclass(frozen=True)
class Prepared:
    """A system whose constants are computed, which can be solved at states."""

    system: System
    machine: Machine
    frozen: bool

    def solve_states(self, states: Sequence[State]) -> Solution:
        """Solve the mixed problem at the given states."""
        return self.solve_values(bind_states(self.system, states).values, len(states))

    def solve_values(self, values: Mapping[str, Any], count: int) -> Solution:
        """Solve the mixed problem at ``count`` states; ``values`` has arrays for every state symbol and parameter."""
        with np.errstate(all="ignore"):
            eq = Equations(self.machine, Batch(self.system, values), self.frozen)
            found = _rows(eq.accelerations, count)
            drives = {name: np.broadcast_to(x, (count,)) for name, x in eq.drives.items()}
        return Solution(found, drives)


def _nodes(values: Sequence[Any]) -> tuple[Any, ...]:
    """Convert scalars of object arrays to expressions."""
    return tuple(as_expression(x) for x in values)


def _rows(values: Sequence[Any], states: int) -> Array:
    """Stack values over states in an array (states, values)."""
    result = np.empty((states, len(values)))
    for i, value in enumerate(values):
        result[:, i] = value
    return result


def _matrix(rows: Sequence[Sequence[Any]], states: int) -> Array:
    result = np.empty((states, len(rows), len(rows)))
    for i, row in enumerate(rows):
        for k, value in enumerate(row):
            result[:, i, k] = value
    return result
