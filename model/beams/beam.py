"""Euler–Bernoulli beams clamped at the origin of their body: shape integrals from material, section and length.

A beam along axis 1 of the body bends along axes 2 and 3, turns about axis 1 and stretches along it (1, 2, 3: the
axis that was chosen and the two that follow it). With f of a mode, f(L) = 1, and ′ = d/dx:

=================  ===================  ===========================  ==================
mode               displacement φ       rotation of the section ψ    stiffness
=================  ===================  ===========================  ==================
bending along 2    f e₂                 f′ e₃                        E I₃ ∫ f″f″
bending along 3    f e₃                 -f′ e₂                       E I₂ ∫ f″f″
torsion            0                    f e₁                         G J_t ∫ f′f′
along the axis     f e₁                 0                            E A ∫ f′f′
=================  ===================  ===========================  ==================

Modal coordinates are deflections of the tip (m), or its angle (rad) in torsion.

Sections of beams: area, second moments of area and torsion constant, in expressions (m², m⁴).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from mbconcord.model.limits import count
from mbconcord.records import dataclass, replace

from ..body import Inertia
from ..diagnostics import ModelError, error
from ..elastic import ElasticModes, ElasticNode, Matrix, matrix
from ..expressions import ONE, PI_NODE, ZERO, Expression, Scalar, as_expression, evaluate_float, number
from .shapes import ClampedFree, ShapeFunction, TipLoaded, Value, draw_back, moment, overlap


@dataclass(frozen=True, slots=True)
class CrossSection:
    """A section with its centre on the axis 1 of the beam and principal axes 2, 3.

    Attributes
    ----------
    area : A
    second, third : ∫ x₃² dA and ∫ x₂² dA: second moments about the axes 2 and 3
    torsion : torsion constant J_t; the polar moment where the section is round
    """

    area: Expression
    second: Expression
    third: Expression
    torsion: Expression

    @property
    def polar(self) -> Expression:
        """Polar moment I_p = I_2 + I_3, for the rotary inertia about axis 1."""
        return self.second + self.third


def round_section(radius: Scalar) -> CrossSection:
    """Return the section of a solid round beam of radius r: A = πr², I = πr⁴/4, J_t = I_p = πr⁴/2."""
    return tubular(radius, 0)


def tubular(outer: Scalar, inner: Scalar) -> CrossSection:
    """Return the section of a tube, a ring between two radii."""
    a, b = as_expression(outer), as_expression(inner)
    if a.constant and b.constant and not 0 <= evaluate_float(b, {}) < evaluate_float(a, {}):
        found = f"a ring from {b} to {a} m has no area"
        raise ModelError(error("section", found, "the outer radius is positive and above the inner one"))
    area, fourth = PI_NODE * (a**2 - b**2), PI_NODE * (a**4 - b**4)
    return CrossSection(area, fourth / 4, fourth / 4, fourth / 2)


def rectangular(width: Scalar, height: Scalar) -> CrossSection:
    """Return a rectangular section, ``width`` along axis 2 and ``height`` along axis 3, both numbers.

    J_t by Saint-Venant's series, a ≥ b the sides: a b³ (1/3 - 64/π⁵ b/a Σ tanh(nπa/2b)/n⁵), n = 1, 3, 5, …
    """
    w, h = as_expression(width), as_expression(height)
    if not (w.constant and h.constant):
        found = f"the sides {w} and {h} of a rectangle are no numbers"
        raise ModelError(error("section", found, "the torsion constant needs them; give numbers"))
    x, y = evaluate_float(w, {}), evaluate_float(h, {})
    if not (x > 0 and y > 0):
        raise ModelError(error("section", f"a rectangle of {w} by {h} m has no area", "its sides are positive"))
    a, b = max(x, y), min(x, y)
    rest = math.fsum(math.tanh(n * math.pi * a / (2 * b)) / n**5 for n in range(1, 400, 2))
    torsion = a * b**3 * (1 / 3 - 64 / math.pi**5 * b / a * rest)
    return CrossSection(w * h, w * h**3 / 12, h * w**3 / 12, number(repr(torsion)))


Kind = Literal["bending", "torsion", "axial"]
#: Axis 1 of the beam, and axes 2 and 3 that follow it: index in the body and sign.
FRAMES: dict[str, tuple[tuple[int, int], ...]] = {
    "x": ((0, 1), (1, 1), (2, 1)), "y": ((1, 1), (2, 1), (0, 1)), "z": ((2, 1), (0, 1), (1, 1)),
    "-x": ((0, -1), (1, 1), (2, -1)), "-y": ((1, -1), (2, 1), (0, -1)), "-z": ((2, -1), (0, 1), (1, -1)),
}  # fmt: skip
Column = tuple[Expression, Expression, Expression]


@dataclass(frozen=True, slots=True)
class Mode:
    """One mode of a beam: its kind, the axis 2 or 3 of bending, and its shape."""

    kind: Kind
    shape: ShapeFunction
    along: int = 2

    @property
    def is_clamped(self) -> bool:
        """True if the shape is zero at the clamped end, and its slope too if it bends."""
        slope = abs(float(self.shape.evaluate(Fraction(0), 1))) if self.kind == "bending" else 0.0
        return abs(float(self.shape.evaluate(Fraction(0)))) <= 1e-12 and slope <= 1e-12


def bending(along: int, shape: ShapeFunction) -> Mode:
    """Return a mode of bending along axis 2 or 3 of the beam."""
    if along not in (2, 3):
        raise ModelError(error("modes", f"a beam does not bend along axis {along}", "choose axis 2 or 3"))
    return Mode("bending", shape, along)


def torsion(shape: ShapeFunction) -> Mode:
    """Return a mode of torsion about the axis."""
    return Mode("torsion", shape)


def axial(shape: ShapeFunction) -> Mode:
    """Return a mode of extension along the axis."""
    return Mode("axial", shape)


@dataclass(frozen=True, slots=True)
class _Line:
    """Length, section and axes of a beam; ``frame``: for each beam axis, the index and sign of its body axis."""

    length: Expression
    section: CrossSection
    frame: tuple[tuple[int, int], ...]

    def column(self, axis: int, value: Expression) -> Column:
        """Return the vector of length ``value`` along axis 1, 2 or 3 of the beam, in body axes."""
        index, sign = self.frame[axis - 1]
        found = [ZERO, ZERO, ZERO]
        found[index] = value if sign > 0 else -value
        return found[0], found[1], found[2]

    def moves(self, mode: Mode) -> int:
        """Return the beam axis along which the mode moves points; 0 if it moves none."""
        return {"bending": mode.along, "torsion": 0, "axial": 1}[mode.kind]

    def turns(self, mode: Mode) -> tuple[int, int]:
        """Return the beam axis about which the mode rotates sections, and the sign; axis 0 if it rotates none."""
        if mode.kind == "bending":
            return (3, 1) if mode.along == 2 else (2, -1)
        return (1, 1) if mode.kind == "torsion" else (0, 1)

    def slope(self, mode: Mode, value: Value) -> Expression:
        """Return f′ = df/dξ/L if the mode bends, f in torsion."""
        return _exact(value) / self.length if mode.kind == "bending" else _exact(value)


def beam(
    length: Scalar,
    section: CrossSection,
    modes: Mapping[str, Mode],
    *,
    young: Scalar,
    density: Scalar,
    poisson: Scalar = 0.3,
    axis: str = "x",
    nodes: Mapping[str, Scalar] | None = None,
    damping: Sequence[Sequence[Scalar]] | Sequence[float] | float = 0.0,
    rotary: bool = False,
    stiffened: bool = False,
    load: Sequence[float] | None = None,
) -> tuple[Inertia, ElasticModes]:
    """Compute inertia and modes of a beam, for an elastic :class:`~mbconcord.model.Body`.

    Parameters
    ----------
    length, young, density, poisson : L (m), E (Pa), ρ (kg/m³), ν; numbers or formulas of parameters
    section : its section
    modes : by name of the modal coordinate, in the order of the rows and columns
    axis : the body axis along which the beam leads from the origin: x, y, z, -x, -y, -z
    nodes : places of attachment nodes by name, as the distance from the clamp (m)
    damping : an N×N matrix, or ratios of critical damping of the modes of the clamped beam by rising frequency,
        or one for all of them, with the load; ratios need numbers
    rotary : whether sections have rotary inertia in bending too; with torsion they have it about the axis
    stiffened : whether bending draws points back along the axis, by ½ ∫ (Σ f′ q)² dx: a beam that turns fast is then
        stiffened by it, where one whose displacements are linear loses stiffness that it has
    load : what the tip carries, its mass (kg) and its moment of inertia about the tip across the beam (kg m²): it
        enters the shapes ``ClampedFree``, not the inertia, for it is a body at the node; needs numbers

    Raises
    ------
    ModelError
        All findings: shapes that are not clamped, nodes outside of the beam, damping of a wrong size, kinds, signs.
    """
    _require_kinds(section, modes)
    L, E = as_expression(length), as_expression(young)
    if axis not in FRAMES:
        raise ModelError(error("axis", f"{axis!r} is no axis of the body", f"choose {', '.join(FRAMES)}"))
    line = _Line(L, section, FRAMES[axis])
    rho = as_expression(density)
    listed = list(modes.values())
    places = {name: as_expression(x) for name, x in (nodes or {}).items()}
    findings = [
        error(f"modes/{name}", "the shape is not clamped at the inboard joint", "f and, in bending, f′ are 0 there")
        for name, mode in modes.items()
        if not mode.is_clamped
    ]
    findings += [
        error(f"nodes/{name}", f"{x} m from the clamp is outside of the beam of {L} m", "choose 0 … L")
        for name, x in places.items()
        if x.constant and L.constant and not 0 <= evaluate_float(x, {}) <= evaluate_float(L, {}) * (1 + 1e-12)
    ]
    findings += [
        error(name, f"the {name} {x} is not positive", "m, Pa and kg/m³ are expected")
        for name, x in (("length", L), ("young", E), ("density", rho))
        if x.constant and not evaluate_float(x, {}) > 0
    ]
    if findings:
        raise ModelError(findings)
    if load is not None:
        modes = _carry(modes, load, L, rho * section.area * L)
        listed = list(modes.values())
    mu, G = rho * section.area, E / (2 * (1 + as_expression(poisson)))
    spinning = rotary or any(mode.kind == "torsion" for mode in listed)
    turning = _rotary(section, rho, rotary) if spinning else (ZERO, ZERO, ZERO)
    stiffness = [[_stiffness(a, b, line, E, G) for b in listed] for a in listed]
    inertia = _inertia(line, mu, turning)
    pairs = _pairs(modes) if stiffened else []
    fields = [
        *(_Field(mode, ONE) for mode in listed),
        *(_draw_back(modes[a], modes[b], a != b, line) for a, b in pairs),
    ]
    blocks = _second_moments(fields, line, mu)
    sections = _sections(listed, line, turning) if spinning else ()
    mass = [
        [sum((blocks[i + 1][k + 1][a][a] for a in range(3)), ZERO) for k in range(len(listed))]
        for i in range(len(listed))
    ]
    if sections:
        mass = [[m + r for m, r in zip(p, q, strict=True)] for p, q in zip(mass, sections[2], strict=True)]
    if load is not None:
        mass = [
            [m + _load(f, g, load, line) for m, g in zip(p, listed, strict=True)]
            for p, f in zip(mass, listed, strict=True)
        ]
    return inertia, ElasticModes(
        tuple(modes),
        tuple(_displace(own, line, mu * L, moment(own.mode.shape)) for own in fields),
        blocks,
        matrix(stiffness),
        _damping(damping, stiffness, mass),
        sections,
        tuple(_node(name, x, listed, fields, line) for name, x in places.items()),
        tuple(pairs),
    )


def _load(f: Mode, g: Mode, load: Sequence[float], line: _Line) -> Expression:
    """Return the tip load's entry of the mass matrix: m f g + J f′ g′ if both modes bend along one axis, else 0."""
    if f.kind != "bending" or (g.kind, g.along) != (f.kind, f.along):
        return ZERO
    one, other = (line.slope(mode, mode.shape.evaluate(Fraction(1), 1)) for mode in (f, g))
    return as_expression(load[0]) + as_expression(load[1]) * one * other


def _require_kinds(section: object, modes: object) -> None:
    """Raise ModelError if the section or a mode is something else, such as a number."""
    remedy, shapes = 'give {"e1": bending(2, ClampedFree(1))}', modes if isinstance(modes, Mapping) else {modes: modes}
    wrong = [error(f"modes/{n}", f"{x} is no mode", remedy) for n, x in shapes.items() if type(x) is not Mode]
    if not isinstance(section, CrossSection):
        wrong.append(error("section", f"{section} is no section", "give round_section(radius), or another one"))
    if wrong:
        raise ModelError(wrong)


def _carry(modes: Mapping[str, Mode], load: Sequence[float], length: Expression, mass: Expression) -> dict[str, Mode]:
    """Replace clamped-free shapes by those of the beam with a load at its tip."""
    if not (length.constant and mass.constant):
        remedy = "give numbers for material, section and length"
        raise ModelError(error("load", "a load on a beam without numbers", remedy))
    numbers = [float(x) for x in load if isinstance(x, (int, float)) and 0 <= x < np.inf]
    if not len(numbers) == len(load) == 2:
        found = f"found {load!r}"
        raise ModelError(error("load", found, "give its mass and its moment of inertia about the tip: (0.1, 0.0005)"))
    L, own = evaluate_float(length, {}), evaluate_float(mass, {})
    parts = numbers[0] / own, numbers[1] / (own * L**2)
    return {
        name: replace(mode, shape=TipLoaded(mode.shape.k, *parts)) if isinstance(mode.shape, ClampedFree) else mode
        for name, mode in modes.items()
    }


@dataclass(frozen=True, slots=True)
class _Field:
    """A displacement field: that of a mode, times a factor."""

    mode: Mode
    factor: Expression


def _pairs(modes: Mapping[str, Mode]) -> list[tuple[str, str]]:
    """Pair modes that bend along one axis, including each with itself."""
    bends = [name for name, mode in modes.items() if mode.kind == "bending"]
    return [(a, b) for i, a in enumerate(bends) for b in bends[i:] if modes[a].along == modes[b].along]


def _draw_back(a: Mode, b: Mode, twice: bool, line: _Line) -> _Field:
    """Return the axial field -½ ∫ f_a′ f_b′ dx of two modes; ``twice`` counts both orders of two different ones."""
    half = as_expression(-1) if twice else as_expression(Fraction(-1, 2))
    return _Field(axial(draw_back(a.shape, b.shape)), half / line.length)


def _exact(value: Value) -> Expression:
    return as_expression(value)


def _displace(own: _Field, line: _Line, factor: Expression, value: Value) -> Column:
    """Return a factor times an integral ``value`` of f, as a vector along the mode; zero if it moves no points."""
    along = line.moves(own.mode)
    return line.column(along, factor * own.factor * _exact(value)) if along else (ZERO, ZERO, ZERO)


def _rotary(section: CrossSection, rho: Expression, bending_too: bool) -> Column:
    """Compute the rotary inertia ρI_s of a section about the axes 1, 2, 3 (kg m)."""
    if not bending_too:
        return rho * section.polar, ZERO, ZERO
    return rho * section.polar, rho * section.second, rho * section.third


def _inertia(line: _Line, mu: Expression, turning: Column) -> Inertia:
    """Compute mass, centre and tensor of the undeformed beam about its clamp."""
    L = line.length
    about = [turning[0] * L, turning[1] * L, turning[2] * L]
    long = mu * L**3 / 3
    diagonal = [ZERO, ZERO, ZERO]
    for i, own in enumerate((about[0], about[1] + long, about[2] + long)):
        diagonal[line.frame[i][0]] = own
    return Inertia.about_origin(mu * L, line.column(1, L / 2), diagonal)


def _second_moments(fields: list[_Field], line: _Line, mu: Expression) -> tuple[tuple[Matrix, ...], ...]:
    """Compute the blocks P_kl = ∫ φ_k φ_lᵀ dm, each 3×3, with φ_0 = x e₁."""
    L = line.length

    def block(a: int, b: int, value: Expression) -> Matrix:
        left, right = line.column(a, value), line.column(b, as_expression(1))
        return matrix([[p * q for q in right] for p in left])

    zero = matrix([[0, 0, 0]] * 3)
    first: list[Matrix] = [block(1, 1, mu * L**3 / 3)]
    rows: list[list[Matrix]] = [first]
    for k, own in enumerate(fields):
        f, along = own.mode, line.moves(own.mode)
        arm = mu * L**2 * own.factor * _exact(moment(f.shape, 1))
        first.append(block(1, along, arm) if along else zero)
        row = [block(along, 1, arm) if along else zero]
        for m, against in enumerate(fields):
            g, across = against.mode, line.moves(against.mode)
            one, other = (f, g) if k <= m else (g, f)  # both blocks of a pair are the same number
            value = _exact(overlap(one.shape, other.shape)) * (own.factor * against.factor)
            row.append(block(along, across, mu * L * value) if along and across else zero)
        rows.append(row)
    return tuple(map(tuple, rows))


def _sections(listed: list[Mode], line: _Line, turning: Column) -> tuple[Matrix, Matrix, Matrix]:
    """Compute I_s = ∫ρI_s dx (3×3), D = ∫ρI_sΨ dx (3×N), R_ee = ∫ΨᵀρI_sΨ dx (N×N)."""
    L, n = line.length, len(listed)
    about = [[ZERO] * 3 for _ in range(3)]
    for i in range(3):
        at = line.frame[i][0]
        about[at][at] = turning[i] * L
    columns: list[Column] = []
    own = [[ZERO] * n for _ in range(n)]
    for k, f in enumerate(listed):
        axis, sign = line.turns(f)
        if not axis:
            columns.append((ZERO, ZERO, ZERO))
            continue
        bends = f.kind == "bending"
        total = f.shape.evaluate(Fraction(1)) if bends else moment(f.shape)  # ∫ f′ dx or ∫ f dx / L
        weight = turning[axis - 1] * (1 if bends else L)
        columns.append(line.column(axis, weight * _exact(total) * sign))
        for m, g in enumerate(listed):
            other, back = line.turns(g)
            if other == axis and g.kind == f.kind:
                value = _exact(overlap(f.shape, g.shape, int(bends)))
                own[k][m] = turning[axis - 1] * value * (sign * back) * (1 / L if bends else L)
    return matrix(about), matrix(zip(*columns, strict=True)), matrix(own)


def _stiffness(f: Mode, g: Mode, line: _Line, E: Expression, G: Expression) -> Expression:
    if f.kind != g.kind or (f.kind == "bending" and f.along != g.along):
        return ZERO
    s, L = line.section, line.length
    if f.kind == "bending":
        return E * (s.third if f.along == 2 else s.second) * _exact(overlap(f.shape, g.shape, 2)) / L**3
    factor = G * s.torsion if f.kind == "torsion" else E * s.area
    return factor * _exact(overlap(f.shape, g.shape, 1)) / L


def _node(name: str, x: Expression, listed: list[Mode], fields: list[_Field], line: _Line) -> ElasticNode:
    """Compute the node at a distance x (m) from the clamp: its position, Φ and Ψ."""
    xi = x / line.length
    if not xi.constant:
        found = f"the place {x} on a beam of {line.length} m is no known fraction of its length"
        raise ModelError(error(f"nodes/{name}", found, "give it as a number times the length"))
    at: Value = Fraction(xi.data) if xi.op == "num" else evaluate_float(xi, {})
    moves = [_displace(own, line, ONE, own.mode.shape.evaluate(at)) for own in fields]
    turns = []
    for mode in listed:
        axis, sign = line.turns(mode)
        value = mode.shape.evaluate(at, 1 if mode.kind == "bending" else 0)
        turns.append(line.column(axis, line.slope(mode, value) * sign) if axis else (ZERO, ZERO, ZERO))
    return ElasticNode(name, line.column(1, x), matrix(zip(*moves, strict=True)), matrix(zip(*turns, strict=True)))


def _damping(
    given: Sequence[Sequence[Scalar]] | Sequence[float] | float,
    stiffness: Sequence[Sequence[Expression]],
    mass: Sequence[Sequence[Expression]],
) -> Matrix:
    """Compute D = M U diag(2 ζ ω) Uᵀ M from ratios ζ, with K U = M U Ω², Uᵀ M U = 1; or return the given matrix."""
    n = len(stiffness)
    if not isinstance(given, (int, float)) and given and not isinstance(given[0], (int, float)):
        found = matrix(given)  # type: ignore[arg-type]
        if len(found) != n or any(len(row) != n for row in found):
            raise ModelError(error("damping", f"a matrix of another size than {n} by {n}", "one row for each mode"))
        return found
    ratios = [float(given)] * n if isinstance(given, (int, float)) else [float(x) for x in given]  # type: ignore[arg-type]
    if len(ratios) != n:
        found_text = f"{count(len(ratios), 'ratio')} for {count(n, 'mode')}"
        raise ModelError(error("damping", found_text, "one for each mode, or one for all of them"))
    if not any(ratios):
        return matrix([[0] * n] * n)
    if not all(x.constant for part in (stiffness, mass) for row in part for x in row):
        remedy = "give numbers for material, section and length, or a matrix"
        raise ModelError(error("damping", "ratios of damping of a beam without numbers", remedy))
    K, M = (np.array([[evaluate_float(x, {}) for x in row] for row in part]) for part in (stiffness, mass))
    left = np.linalg.inv(np.linalg.cholesky(M))
    squares, vectors = np.linalg.eigh(left @ K @ left.T)
    U = left.T @ vectors
    own = M @ U @ np.diag(2 * np.array(ratios) * np.sqrt(squares)) @ U.T @ M
    return matrix([[float(x) for x in row] for row in (own + own.T) / 2])
