"""The equations as tiers (ярусы), item 8 of the paper: lists of named scalars, each over the names of earlier tiers.

A-I rows s, A-II rows z, A-III the matrix A(q); b-I twists V, b-II W, b-III ``b¹ = S W``, b-IV rates of the rows,
b-V ``b² = Z Ṡᵀ q̇``; Q-I weights, Q-II their generalized forces; U-I and U-II the same of all other forces. A name
that is absent means zero. Names are the paper's: ``s_{3,3}^{2-5}`` is component 3 of the row of body 3 that belongs to
direction 5 of the pair of body 2. Tiers A-0, b-0, … hold auxiliary names of systems whose rows are long.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mbconcord.model.derivation import Stage
from mbconcord.model.expressions import ONE, TIME, Expression, as_expression, directional, rate, symbol
from mbconcord.model.listing import Listing
from mbconcord.model.section import Section

from ..aggregates import mass_matrix, massless, projected
from ..arithmetic import Symbolic
from ..body import Aggregate, Axes, aggregate
from ..canonical import column, nodes, square
from ..forces import efforts, loads
from ..mechanism import Mechanism
from ..places import Places
from ..screw import REST, Transfer
from ..structure import Direction, Rows, bias, structural_rows, through, tree
from ..vectors import Matrix, Vector, absent, add, against, plus, times
from .naming import Names
from .notation import TIERS
from .parallelism import loads_table

TITLES = {
    "I-0": "Auxiliary: inertias of the bodies with their flywheels",
    "A-0": "A, auxiliary: rows about the origins of the bodies' frames",
    "A-I": "A, tier I: rows of the structural matrix S",
    "A-II": "A, tier II: Z = S A",
    "A-III": "A, tier III: A(q) = Z S^T",
    "b-I": "b, tier I: absolute twists V = S^T q'",
    "b-II": "b, tier II: W = B V, and the flywheels' N = I psi'' + J psi'",
    "b-III": "b, tier III: b^1 = S (W + N)",
    "b-0": "b, auxiliary: rates of the auxiliary rows",
    "b-IV": "b, tier IV: rates of the rows of S",
    "b-V": "b, tier V: b^2 = Z (S')^T q'",
    "Q-0": "Q, auxiliary: gravity in the axes of the bodies",
    "Q-I": "Q, tier I: weights G of the bodies",
    "Q-II": "Q, tier II: generalized forces of weight S G",
    "U-0": "U, auxiliary: motion of the points where forces act",
    "U-I": "U, tier I: other forces F on the bodies",
    "U-II": "U, tier II: generalized forces S F + u",
}


def tiers(name: str, mechanism: Mechanism, axes: Axes) -> Listing:
    """The equations over names; the values of M, h, gravity and applied are names, or sums of two.

    Evaluating the assignments in order gives the numbers of the canonical quantities.
    """
    made = _Tiers(mechanism, axes)
    names = mechanism.system.coordinate_names
    A = made.matrix()
    b = made.bias_forces()
    Q = made.weights()
    U = made.applied()
    quantities = {
        "M": nodes(square(A, names)),
        "h": nodes(column(b, names)),
        "gravity": nodes(column(Q, names)),
        "applied": nodes(tuple(U.get(coordinate, 0) for coordinate in names)),
    }
    stages = made.stages()
    work = Section("work of the tiers", table=loads_table(stages))
    return Listing(name, mechanism.system, quantities, stages, notation=TIERS, sections=(work,))


class _Tiers:
    """The tiers of a mechanism; the public methods make them in order."""

    def __init__(self, mechanism: Mechanism, axes: Axes) -> None:
        self.mechanism, self.names = mechanism, Names()
        self.tree = tree(mechanism, Symbolic())
        self.inertias = {
            link.number: self._inertia(link.number, aggregate(link.body, _itself, axes))
            for link in mechanism.links
            if link.body and not massless(link.body)
        }
        self.origin = structural_rows(self.tree, self._shortened)
        self.rows = {number: self._rows(number) for number in self.tree.links}

    def stages(self) -> tuple[Stage, ...]:
        return self.names.stages(TITLES)

    def matrix(self) -> dict[tuple[Direction, Direction], Any]:
        self.z = {
            number: {
                d: self._named("A-II", "z", number, d, against(row, inertia.matrix))
                for d, row in self.rows[number].items()
            }
            for number, inertia in self.inertias.items()
        }
        found = mass_matrix((self.z[number], self.rows[number]) for number in self.inertias)
        return {
            (i, j): self.names.give("A-III", f"A_{{{j.name}}}^{{{i.name}}}", x) for (i, j), x in found.items()
        }

    def bias_forces(self) -> dict[Direction, Any]:
        twists, forces = {}, []
        for number in self.inertias:
            moving = (times(d.rate, row) for d, row in self.rows[number].items())
            twists[number] = self._components("b-I", "V", number, plus(REST, *moving), absolute(number))
        for number, inertia in self.inertias.items():
            twist = twists[number]
            W = self._components("b-II", "W", number, inertia.gyroscopic(twist), absolute(number))
            reactions = plus(REST, *(rotor.reaction(twist) for rotor in inertia.rotors))
            N = self._components("b-II", "N", number, reactions, absolute(number))
            forces.append((self.rows[number], plus(W, N)))
        first = self._forces("b-III", "b", "^{1}", projected(forces))
        rates = self._rates()
        second = projected((self.z[number], self._bias(number, rates[number])) for number in self.inertias)
        second = self._forces("b-V", "b", "^{2}", second)
        return {d: add(first.get(d, 0), second.get(d, 0)) for d in self.tree.free()}

    def weights(self) -> dict[Direction, Any]:
        fall = {0: tuple(self.mechanism.system.gravity_vector)}
        weights = []
        for number, link in self.tree.links.items():
            turned = against(fall[link.parent], self.tree.matrices[number].transfer.c)
            fall[number] = tuple(
                self.names.shorten("Q-0", f"g_{{{number},{i}}}", x) for i, x in enumerate(turned, 1)
            )
            inertia = self.inertias.get(number)
            if inertia:
                g = against(fall[number], inertia.seat.c) if inertia.seat else fall[number]
                weights.append((self.rows[number], self._components("Q-I", "G", number, inertia.weight(g))))
        return self._forces("Q-II", "Q", "", projected(weights))

    def applied(self) -> dict[str, Any]:
        system = self.mechanism.system
        places = _NamedPlaces(self)
        wrenches: dict[int, Vector] = {}
        for number, wrench in loads(system, places):
            wrenches[number] = plus(wrenches.get(number, REST), wrench)
        acting = []
        for number, wrench in wrenches.items():
            inertia = self.inertias.get(number)
            seated = inertia.seat.inverse().wrench(wrench) if inertia and inertia.seat else wrench
            acting.append((self.rows[number], self._components("U-I", "F", number, seated)))
        total = {d.coordinate: value for d, value in projected(acting).items()}
        for coordinate, effort in efforts(system, Symbolic()):
            total[coordinate] = add(total.get(coordinate, 0), effort)
        return {
            d.coordinate: self.names.give("U-II", f"U_{{{d.name}}}", total.get(d.coordinate, 0))
            for d in self.tree.free()
            if d.coordinate
        }

    def _inertia(self, number: int, inertia: Aggregate) -> Aggregate:
        """The aggregate with names for its long elements."""

        def named(letter: str, matrix: Matrix) -> Matrix:
            upper = {
                (i, k): self.names.shorten("I-0", f"{letter}_{{{number},{i + 1}{k + 1}}}", matrix[i][k])
                for i in range(6)
                for k in range(i, 6)
            }
            return tuple(tuple(upper[min(i, k), max(i, k)] for k in range(6)) for i in range(6))

        theta = named("Θ", inertia.theta)
        matrix = theta if inertia.matrix is inertia.theta else named("A", inertia.matrix)
        return replace(inertia, theta=theta, matrix=matrix, rate=inertia.rate and named("Ȧ", inertia.rate))

    def _shortened(self, number: int, rows: Rows) -> Rows:
        return {
            d: tuple(
                self.names.shorten("A-0", f"l_{{{number},{i}}}^{{{d.name}}}", x) for i, x in enumerate(row, 1)
            )
            for d, row in rows.items()
        }

    def _rows(self, number: int) -> Rows:
        inertia = self.inertias.get(number)
        rows = through(inertia.seat, self.origin[number]) if inertia else self.origin[number]
        short = {d: tuple(self.names.broken("A-0", x) for x in row) for d, row in rows.items()}
        return {d: self._named("A-I", "s", number, d, row) for d, row in short.items()}

    def _rates(self) -> dict[int, Rows]:
        """Rows of Ṡ by differentiating the entries of tier I, as the paper proposes beside (3.4)."""
        along: dict[Expression, Expression] = {TIME: ONE}
        for coordinate in self.mechanism.system.coordinate_names:
            along[symbol(coordinate)] = rate(coordinate)
        for item in self.names.groups.get("A-0", []):
            (slope,) = directional([item.expression], along)
            slope = self.names.broken("b-0", slope)
            along[symbol(item.name)] = as_expression(self.names.give("b-0", f"d{item.name}", slope))
        slopes = {
            item.name: slope
            for item, slope in zip(
                self.names.groups.get("A-I", []),
                directional([item.expression for item in self.names.groups.get("A-I", [])], along),
                strict=True,
            )
        }
        return {
            number: {
                d: self._named(
                    "b-IV",
                    "ṡ",
                    number,
                    d,
                    tuple(
                        self.names.broken("b-0", slopes.get(component("s", number, i, d), 0))
                        for i in range(1, 7)
                    ),
                )
                for d in self.rows[number]
            }
            for number in self.inertias
        }

    def _bias(self, number: int, rates: Rows) -> Vector:
        """V̇ where q̈ = 0; sums get the name ``dV_{p,i}^{0,p}``, single products none."""
        return tuple(
            self.names.give("b-V", f"dV_{{{number},{i}}}{absolute(number)}", x) if is_sum(x) else x
            for i, x in enumerate(bias(self.rows[number], rates), 1)
        )

    def _named(self, group: str, letter: str, number: int, d: Direction, row: Vector) -> Vector:
        return tuple(self.names.give(group, component(letter, number, i, d), x) for i, x in enumerate(row, 1))

    def _components(self, group: str, letter: str, number: int, vector: Vector, of: str = "") -> Vector:
        return tuple(
            self.names.give(group, f"{letter}_{{{number},{i}}}{of}", self.names.broken(group, x))
            for i, x in enumerate(vector, 1)
        )

    def _forces(
        self, group: str, letter: str, power: str, found: dict[Direction, Any]
    ) -> dict[Direction, Any]:
        return {d: self.names.give(group, f"{letter}_{{{d.name}}}{power}", x) for d, x in found.items()}


class _NamedPlaces(Places):
    """Motion of points with names for what is long."""

    def __init__(self, tiers: _Tiers) -> None:
        super().__init__(tiers.tree, tiers.origin, tiers.mechanism.numbers, Symbolic())
        self.names = tiers.names

    def named(self, link: int, frame: Transfer) -> Transfer:
        """The frame with names for its long elements."""
        o = tuple(self.names.shorten("U-0", f"o_{{{link},{i}}}", x) for i, x in enumerate(frame.o, 1))
        c = tuple(
            tuple(self.names.shorten("U-0", f"c_{{{link},{i}{k}}}", x) for k, x in enumerate(row, 1))
            for i, row in enumerate(frame.c, 1)
        )
        return Transfer(o, c)

    def kept(self, label: str, value: Any) -> Any:
        """The scalar by its name."""
        return self.names.give("U-0", label, self.names.broken("U-0", value))

    def twist(self, number: int) -> Vector:
        """Absolute twist of the link's frame with names for what is long."""
        found = super().twist(number)
        return tuple(self.names.shorten("U-0", f"v_{{{number},{i}}}", x) for i, x in enumerate(found, 1))


def component(letter: str, number: int, i: int, d: Direction) -> str:
    """``s_{p,i}^{σt-α}``."""
    return f"{letter}_{{{number},{i}}}^{{{d.name}}}"


def absolute(number: int) -> str:
    """``^{0,p}``: of the motion relative to the fixed frame."""
    return f"^{{0,{number}}}"


def is_sum(x: Any) -> bool:
    """Whether a scalar is a sum, or the opposite of one."""
    if absent(x):
        return False
    node = as_expression(x)
    return (node.args[0] if node.op == "neg" else node).op == "add"


def _itself(expression: Expression) -> Expression:
    return expression
