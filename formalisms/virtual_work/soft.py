"""The terms of an elastic body in (9): its points have possible displacements δr + δπ × ρ + Σ φ_k δq_k.

All is in the body's axes about its origin, with ρ = Σ q_k φ_k, φ_0 = r0, q_0 = 1. An acceleration of its points

    a = a_0 + Σ X_k φ_k

needs the force, moment and modal forces

    f = m a_0 + Σ X_k S_k ,   n = s × a_0 + Σ q_k ∫ φ_k × X_l φ_l dm ,   g_j = S_j · a_0 + Σ ∫ φ_j · X_l φ_l dm

which follow from the integrals S_k = ∫φ_k dm and P_kl = ∫ φ_k φ_lᵀ dm. A column of Φ is such a field, with X_k =
q_k δπ̃, plus E for the column's own mode; so are velocity terms, X_k = q_k (ε̃ + ω̃²) + 2 q'_k ω̃, and weight, a_0 = g.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mbconcord.model import Body, ElasticModes, Inertia
from mbconcord.model.elastic import Matrix
from mbconcord.model.expressions import ONE, ZERO, Expression, as_expression, rate, symbol
from mbconcord.records import dataclass

from .body import Acting, BodyTerms, Inertial, acting, add_shares
from .kinematics import NONE, Kinematics, Rows, Triple, cross, dot, minus, plus, times, to_body, to_world, weights

#: Force, moment about the origin, and forces along the modes.
Forces = tuple[Triple, Triple, tuple[Expression, ...]]
#: Columns δr, δπ, and which mode it is of the body's own.
Column = tuple[Triple, Triple, int | None]


@dataclass(frozen=True, slots=True)
class SoftTerms:
    """The terms of one elastic body.

    Attributes
    ----------
    frame : motion of the body's frame
    D, B : columns of Φ for the origin and for the rotation, in body axes, by coordinate
    omega, W : angular velocity, and accelerations of origin and rotation at q'' = 0, in body axes
    fall : acceleration of gravity in body axes
    """

    name: str
    inertia: Inertia
    modes: ElasticModes
    frame: Kinematics
    D: Mapping[str, Triple]
    B: Mapping[str, Triple]
    omega: Triple
    W: tuple[Triple, Triple]
    fall: Triple

    @property
    def columns(self) -> Iterator[tuple[str, Column]]:
        """Columns of Φ by coordinate: those of the frame, then those of the modes."""
        for name, d in self.D.items():
            yield name, (d, self.B[name], None)
        for j, name in enumerate(self.modes.coordinates, 1):
            yield name, (NONE, NONE, j)

    @property
    def q(self) -> list[Expression]:
        """Factors q_k of the displacements φ_k: 1, the modal coordinates, and products of them that move points."""
        return [ONE, *weights(self.modes).q]

    @property
    def first(self) -> list[Triple]:
        """Integrals S_k = ∫φ_k dm."""
        return [times(self.inertia.mass, self.inertia.centre), *map(_triple, self.modes.first_moments)]

    def work(self, column: Column, forces: Forces) -> Expression:
        """Compute the work of force, moment and modal forces on the possible displacement of a column."""
        d, b, mode = column
        own = forces[2][mode - 1] if mode else ZERO
        return dot(d, forces[0]) + dot(b, forces[1]) + own

    def momenta(self, column: Column) -> Forces:
        """Compute the force, moment and modal forces that accelerations equal to the column need."""
        d, b, mode = column
        fields = [_scale(x, _skew(b)) for x in self.q]
        if mode:
            for k, slope in enumerate(weights(self.modes).slopes[mode - 1], 1):
                fields[k] = _sum(fields[k], _scale(slope, UNIT_MATRIX))
        unit = [ONE if mode == j else ZERO for j in range(1, len(self.modes.coordinates) + 1)]
        return _add_forces(self._project_acceleration(d, fields), self._rotary(b, unit))

    @property
    def bias(self) -> Forces:
        """Forces due to velocities and prescribed motions."""
        own, count = weights(self.modes), len(self.modes.coordinates)
        v, pulled = [ZERO, *own.v], [ZERO, *own.bias]
        spin, two = _skew(self.omega), as_expression(2)
        turning = _sum(_skew(self.W[1]), _times(spin, spin))
        fields = [_sum(_scale(x, turning), _scale(two * dx, spin)) for x, dx in zip(self.q, v, strict=True)]
        fields = [_sum(x, _scale(c, UNIT_MATRIX)) if c else x for x, c in zip(fields, pulled, strict=True)]
        still = [ZERO] * count
        rotary = self._rotary(self.W[1], still)
        momentum = self._rotary(self.omega, v[1 : count + 1])[1]
        gyroscopic: Forces = (NONE, cross(self.omega, momentum), tuple(still))
        return _add_forces(_add_forces(self._project_acceleration(self.W[0], fields), rotary), gyroscopic)

    @property
    def weight(self) -> Forces:
        """Weight: force, moment and modal forces of gravity."""
        return self._project_acceleration(self.fall, [_scale(ZERO, UNIT_MATRIX)] * len(self.q))

    @property
    def resistance(self) -> list[Expression]:
        """Modal forces -K q - D q' of stiffness and damping."""
        names, K, D = self.modes.coordinates, self.modes.stiffness, self.modes.damping
        return [
            -sum((k * symbol(n) + d * rate(n) for k, d, n in zip(K[i], D[i], names, strict=True)), ZERO)
            for i in range(len(names))
        ]

    def _project_acceleration(self, a: Triple, fields: Sequence[Rows]) -> Forces:
        """Compute f, n and g_j for the acceleration a + Σ X_k φ_k, where ``fields`` are the X_k."""
        q, S, P, m = self.q, self.first, self.modes.second_moments, range(len(self.q))
        force = plus(times(self.inertia.mass, a), *(to_world(fields[k], S[k]) for k in m))
        moment = cross(plus(*(times(q[k], S[k]) for k in m)), a)
        along = [dot(S[k], a) for k in m]
        for k in m:
            for j in m:
                if any(x for row in fields[j] for x in row):
                    part = _times(_rows(P[k][j]), _transpose(fields[j]))  # ∫ φ_k (X φ_j)ᵀ dm
                    moment = plus(moment, times(q[k], _vector_of(part)))
                    along[k] = along[k] + (part[0][0] + part[1][1] + part[2][2])
        slopes = weights(self.modes).slopes
        return (
            force,
            moment,
            tuple(sum((slope * own for slope, own in zip(row, along[1:], strict=True)), ZERO) for row in slopes),
        )

    def _rotary(self, b: Triple, e: Sequence[Expression]) -> Forces:
        """Multiply the sections' own inertia [I_s D; Dᵀ R_ee] by (b; e): the result is a moment and modal forces."""
        if not self.modes.section_inertia:
            return NONE, NONE, tuple(ZERO for _ in e)
        own, mixed, twisting = self.modes.section_inertia
        moment = plus(
            to_world(_rows(own), b), *(times(x, (mixed[0][k], mixed[1][k], mixed[2][k])) for k, x in enumerate(e))
        )
        along = (
            dot((mixed[0][k], mixed[1][k], mixed[2][k]), b) + sum((twisting[k][i] * x for i, x in enumerate(e)), ZERO)
            for k in range(len(e))
        )
        return NONE, moment, tuple(along)


@dataclass(frozen=True, slots=True)
class Bent:
    """An elastic body, and massless bodies on which its loads act: at its frame, and sections at its nodes."""

    terms: SoftTerms
    loaded: tuple[BodyTerms, ...]

    def inertial(self, names: tuple[str, ...]) -> Inertial:
        """Compute M_i* and k_i."""
        index = {name: i for i, name in enumerate(names)}
        mass, k = {}, {}
        part, bias = self.terms, self.terms.bias
        columns = list(part.columns)
        for p, (name, column) in enumerate(columns):
            k[name] = part.work(column, bias)
            momenta = part.momenta(column)
            for other, own in columns[: p + 1]:
                first, second = sorted((name, other), key=index.__getitem__)
                mass[first, second] = part.work(own, momenta)
        return Inertial(mass, k)

    def acting(self) -> Acting:
        """Compute Q_i: weight, loads, stiffness and damping."""
        part, weight = self.terms, self.terms.weight
        shares = [*map(acting, self.loaded)]
        resisting = dict(zip(part.modes.coordinates, part.resistance, strict=True))
        own = {name: part.work(column, weight) for name, column in part.columns}
        return Acting(
            add_shares([own, *(share.gravity for share in shares)]),
            add_shares([resisting, *(share.applied for share in shares)]),
        )


def soft(body: Body, frame: Kinematics, fall: Triple) -> SoftTerms:
    """Build the terms of an elastic body in a given frame."""
    assert body.modes is not None
    return SoftTerms(
        body.name,
        body.inertia,
        body.modes,
        frame,
        {q: to_body(frame.A, column) for q, column in frame.D.items()},
        {q: to_body(frame.A, column) for q, column in frame.B.items()},
        to_body(frame.A, frame.omega),
        (to_body(frame.A, frame.w), to_body(frame.A, frame.epsilon)),
        to_body(frame.A, fall),
    )


UNIT_MATRIX: Rows = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def _triple(values: Sequence[Expression]) -> Triple:
    x, y, z = values
    return x, y, z


def _rows(matrix: Matrix) -> Rows:
    return _triple(matrix[0]), _triple(matrix[1]), _triple(matrix[2])


def _skew(a: Triple) -> Rows:
    """Return the matrix ã with ã b = a × b."""
    x, y, z = a
    return (ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO)


def _scale(factor: Expression, m: Rows) -> Rows:
    return times(factor, m[0]), times(factor, m[1]), times(factor, m[2])


def _sum(a: Rows, b: Rows) -> Rows:
    return plus(a[0], b[0]), plus(a[1], b[1]), plus(a[2], b[2])


def _transpose(m: Rows) -> Rows:
    x, y, z = zip(*m, strict=True)
    return x, y, z


def _times(a: Rows, b: Rows) -> Rows:
    columns = _transpose(b)
    return to_world(columns, a[0]), to_world(columns, a[1]), to_world(columns, a[2])


def _vector_of(m: Rows) -> Triple:
    """Return ∫ a × b dm from ∫ a bᵀ dm."""
    return minus((m[1][2], m[2][0], m[0][1]), (m[2][1], m[0][2], m[1][0]))


def _add_forces(a: Forces, b: Forces) -> Forces:
    return plus(a[0], b[0]), plus(a[1], b[1]), tuple(x + y for x, y in zip(a[2], b[2], strict=True))
