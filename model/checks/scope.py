"""Names in the formulas of a model, and where each may be used.

Masses, lengths and angles are formulas of parameters; prescribed motions also of ``t``; forces also of the
coordinates and their rates; the law of a bipolar force of ``@`` and ``@'`` instead.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

from mbconcord.records import dataclass, replace

from ..body import Body, Inertia
from ..constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from ..coordinate import Effort, Motion
from ..diagnostics import Diagnostic, NumbersError, among, error, find_similar
from ..elastic import ElasticModes
from ..expressions import Expression, derivative, symbol, symbols, topological
from ..expressions.functions import PIECEWISE
from ..expressions.interpolant import TABLE, Interpolant
from ..expressions.traversal import Below
from ..force import (
    HERE,
    WORDS,
    Bipolar,
    Bushing,
    JointEffort,
    Point,
    PointForce,
    Torsion,
    Wrench,
    is_word_call,
    law_expressions,
    list_acting,
    list_words,
    read_word,
    rolling_formulas,
)
from ..limits import format_names
from ..numerals import UNIT, UNIT_NAMES
from ..transformation import Constant, ElementaryTransformation, Mapped, Prescribed
from .model import Model

#: Why masses are constant, and why rows are linear in rates; what can be done instead.
OF_MASSES = (
    "a part that moves is a body, and what leaves takes momentum with it; let a parameter vary with t (varies, of a "
    "Mechanism and of native files), and add the force m'*u of what leaves with the velocity u against the body"
)
OF_ROWS = (
    "rates stand in a row of rates, a factor of each and the rest; what a row f that is not linear in them exerts is "
    "an assumption: efforts -k*f*df/dq' along each q, of a large k, hold it as Appell and Chetaev assume"
)
#: Names by which laws are often meant to depend on reactions, and what can be done instead.
REACTIONS = frozenset(
    ("N", "Fn", "F_n", "normal", "normal_force", "lambda", "reaction", "reactions", "joint_force", "joint_forces")
)
#: Calls in which no names are looked for.
OPAQUE = frozenset({*WORDS, *REACTIONS})
OF_REACTIONS = "a normal force is declared, as docs/asked.md does, Friction by a normal force"
#: What a force that accelerations are to be in may be instead.
OF_ACCELERATIONS = "; a force of an acceleration is an inertia: a mass, or an armature"
#: How words about motions are written.
WRITTEN = "write vx(tip) along the axes of the world, or vx(tip, hull) along those of a body"

# Numbers that floats cannot hold: exact in the model, infinite or zero where it is evaluated.


def ranges(system: Model) -> list[Diagnostic]:
    """Report numbers of a model that are out of the range of floats, or so small that they become zero."""
    return [d for place, values, _ in formulas(SystemScopes(system)) for d in _beyond(place, values)]


def require_ranges(system: Model) -> None:
    """Raise :class:`.NumbersError` if a number of the model is not representable as a float."""
    findings = ranges(system)
    if findings:
        raise NumbersError(findings)


def _beyond(place: str, values: Iterable[Expression]) -> Iterator[Diagnostic]:
    """Report numbers that a float cannot represent in the formulas at a place."""
    for node in topological(list(values)):
        if node.op == "num" and not is_representable(node.data):
            shown = Decimal(node.data.numerator) / Decimal(node.data.denominator)
            yield error(place, f"{shown:.3e} is beyond the range of floats", "use other units")


def is_representable(exact: Fraction) -> bool:
    """Return True if the nearest float is finite, and zero only for zero."""
    try:
        value = float(exact)
    except OverflowError:
        return False
    return math.isfinite(value) and bool(value) == bool(exact)


@dataclass(frozen=True)
class FormulaScope:
    """Names that a formula may use, also in ``words``; a search for ``wrong`` ones; why names that move are wrong."""

    names: frozenset[str]
    words: str
    wrong: Below
    reason: str = ""

    @property
    def remedy(self) -> str:
        """Advice which names are allowed, and the reason why no others are."""
        return f"here only {self.words} may stand" + (f": {self.reason}" if self.reason else "")


class SystemScopes:
    """The scopes for formulas at different places of a system, and the number of arguments of its functions."""

    def __init__(self, system: Model) -> None:
        self.system = system
        parameters = frozenset(p.name for p in system.parameters)
        coordinates = frozenset(c.name for c in system.coordinates)
        rates = frozenset(f"{name}'" for name in coordinates)
        timed = parameters | {"t"}
        self.arities = {f.name: len(f.arguments) for f in system.functions}
        self.fixed = self.scope(parameters, "parameters")
        self.massive = replace(self.fixed, reason=OF_MASSES)
        self.timed = self.scope(timed, "parameters and t")
        self.placed = self.scope(timed | coordinates, "parameters, q and t")
        self.held = replace(self.placed, reason=OF_ROWS)
        self.moving = self.scope(timed | coordinates | rates, "parameters, q, q' and t")
        self.law = self.scope(timed | {"@", "@'"}, "parameters, t, @ and @'")
        self.words = frozenset(
            str(word) for _, group in list_acting(system.coordinates, system.forces) for word in list_words(group)
        )
        self.acting = self.scope(self.moving.names | self.words, self.moving.words)
        rolling = {str(word) for word in list_words(rolling_formulas(system.constraints))}
        self.rolling = self.scope(self.moving.names | rolling, self.moving.words)

    def scope(self, names: frozenset[str], words: str) -> FormulaScope:
        """Return the scope of these names."""

        def wrong(node: Expression) -> bool:
            if node.op == "call":
                return self.arities.get(node.data[0]) != len(node.args)
            return node.op == "sym" and node.data not in names

        return FormulaScope(names, words, Below(wrong))

    def is_call_of_word(self, node: Expression, words: Container[str] = WORDS) -> bool:
        """Return True for a call that has the name of a word, if no function of the model's author has that name."""
        return node.op == "call" and node.data[0] in words and node.data[0] not in self.arities

    def check(self, place: str, values: Iterable[Expression], scope: FormulaScope) -> Iterator[Diagnostic]:
        """Report names in the formulas at a place that are not in the scope."""
        roots = list(values)
        if not scope.wrong.any(roots):  # formulas that share what is below them are not walked over again
            return
        nodes = topological(roots, lambda node: () if self.is_call_of_word(node, OPAQUE) else node.args)
        strange = sorted({node.data for node in nodes if node.op == "sym"} - scope.names)
        if scope is self.held and len(strange) > 1 and self.moving.names.issuperset(n.rstrip("'") for n in strange):
            yield error(place, f"{format_names(map(repr, strange))} may not stand here", scope.remedy)
            strange = []
        for name in strange:
            if read_word(name) or name.removesuffix("'") in self.moving.names or name in self.law.names:
                more = OF_ACCELERATIONS if scope is self.acting and name.endswith("''") else ""
                yield error(place, f"{name!r} may not stand here", scope.remedy + more)
            else:
                likely = find_similar(name, sorted(scope.names))
                question = f"did you mean {likely!r}? if not, " if likely else ""
                remedy = UNIT if name in UNIT_NAMES else f"{question}declare it as a parameter"
                remedy = OF_REACTIONS if scope is self.acting and name in REACTIONS else remedy
                yield error(place, f"{name!r} is not known here", remedy)
        for node in filter(self.is_call_of_word, nodes):
            if is_word_call(node, self.arities):
                yield error(place, f"'{node}' may not stand here", scope.remedy)
            else:
                yield error(place, f"{node}: a place, and a body for the axes", WRITTEN)
        calls = {(node.data[0], len(node.args)) for node in nodes if node.op == "call"}
        for name, count in sorted(calls):
            arity = self.arities.get(name)
            if arity is None and name in WORDS:
                continue
            if arity is None:
                remedy = "declare it, with or without a formula"
                remedy = OF_REACTIONS if scope is self.acting and name in REACTIONS else remedy
                yield error(place, f"the function {name!r} is not declared", remedy)
            elif arity != count:
                message = f"the function {name!r} takes {arity} argument{'s' * (arity != 1)}, not {count}"
                yield error(place, message, "give it as many as its declaration has")


def scopes(system: Model) -> Iterator[Diagnostic]:
    """Report names in formulas that are unknown, or not allowed at their place."""
    s = SystemScopes(system)
    for name in PIECEWISE.keys() & s.arities.keys():
        yield error(f"functions/{name}", f"{name} means {PIECEWISE[name]} in every formula", "give it another name")
    for place, values, scope in formulas(s):
        yield from s.check(place, values, scope)
    yield from check_words(s)
    yield from _check_normal_forces(s)
    yield from _check_varying(s)
    yield from _broken_motions(system)


def require_normal_forces(system: Model) -> None:
    """Raise :class:`.NumbersError` if a parameter is the normal force of something without one, or of nothing known."""
    findings = list(_find_without_normal_forces(system))
    if findings:
        raise NumbersError(findings)


def _find_without_normal_forces(system: Model) -> Iterator[Diagnostic]:
    bodies, rows = {b.name: b for b in system.bodies}, {c.name: c for c in system.constraints}
    for p in system.parameters:
        place, body, row = f"parameters/{p.name}", bodies.get(p.normal), rows.get(p.normal)
        if not p.normal:
            continue
        if body is not None and row is not None:
            yield error(place, f"both a body and a constraint are named {p.normal!r}", "rename one of them")
        elif body is None and row is None:
            known = [*bodies, *(c.name for c in rows.values() if isinstance(c, Holonomic))]
            yield error(place, f"there is no body and no constraint {p.normal!r}", among(p.normal, known))
        elif row is not None and not isinstance(row, Holonomic):
            message = f"the constraint {p.normal!r} has no normal force of its own"
            yield error(place, message, "name a constraint of one formula, or a body with a joint of one coordinate")
        elif body is not None and [et.coordinate is None for et in body.joint if et.moving] != [False]:
            message = f"the joint of {p.normal!r} does not move by one coordinate alone"
            yield error(place, message, "a normal force is across the axis of a guide or a pin: name such a body")


def _check_normal_forces(s: SystemScopes) -> Iterator[Diagnostic]:
    """Report normal forces in formulas where they are not allowed."""
    names = {p.name for p in s.system.parameters if p.normal}
    for place, group, scope in formulas(s) if names else ():
        values = list(group)
        for name in sorted(names & symbols(values)):
            if scope is not s.acting:
                message = f"{name!r} is a normal force, and stands in forces and efforts alone"
                yield error(place, message, "give a parameter a number")
            elif any(name in symbols([derivative(x, symbol(name))]) for x in values):
                remedy = "write the force as a coefficient times it"
                yield error(place, f"the force is not linear in the normal force {name!r}", remedy)


def _check_varying(s: SystemScopes) -> Iterator[Diagnostic]:
    """Report parameters that vary, and formulas of them, where they are not allowed."""
    laws = {p.name: symbols([p.varies]) for p in s.system.parameters if p.varies is not None}
    names, values = {*laws}, {p.name: symbols([p.value]) for p in s.system.parameters if p.value is not None}
    while laws and (more := {name for name, used in values.items() if used & names} - names):
        names |= more
    for p in s.system.parameters if names else ():
        if p.name in laws and (p.value is not None or p.normal):
            yield error(f"parameters/{p.name}", "it varies, and has another value too", "leave out one of them")
        if laws.get(p.name, names - names) & names:
            yield error(f"parameters/{p.name}", "it varies by another that varies", "write the formula of t")
    for place, group, scope in formulas(s) if names else ():
        if scope not in (s.massive, s.acting, s.law) and not place.startswith("parameters/"):
            for name in sorted(names & symbols(list(group))):
                message = f"{name!r} varies, and stands in masses and forces alone"
                yield error(place, message, "prescribe motions by formulas of t, whose rates count")


def _broken_motions(system: Model) -> Iterator[Diagnostic]:
    """Report prescribed motions that use a linear table, as their rates jump."""
    broken: set[str] = set()
    formulas_of = {f.name: [f.formula] for f in system.functions if f.formula is not None}
    while found := [n for n, formula in formulas_of.items() if n not in broken and _is_broken(formula, broken)]:
        broken |= set(found)
    amounts = [
        (f"bodies/{body.name}/joint/{i}", et.motion.value)
        for body in system.bodies for i, et in enumerate(body.joint)
        if isinstance(et.motion, (Mapped, Prescribed))
    ]  # fmt: skip
    amounts += [(f"constraints/{c.name}", c.expression) for c in system.constraints if isinstance(c, Holonomic)]
    for place, amount in amounts:
        if _is_broken([amount], broken):
            message = "its rate jumps at each row of a linear table: an impulse that these equations do not have"
            yield error(place, message, "method cubic")


def _is_broken(values: list[Expression], broken: set[str]) -> bool:
    """Return True if formulas contain a linear table, or call a function that contains one."""
    return any(
        (isinstance(x.data, Interpolant) and x.data.broken) or (x.op == "call" and x.data[0] in broken)
        for x in topological(values)
    )


def check_words(s: SystemScopes) -> Iterator[Diagnostic]:
    """Report kinematic words whose places or axes the model does not have."""
    bodies = {body.name: body for body in s.system.bodies}
    named = {p.name: p.point for p in s.system.points}
    known = {**bodies, **named}
    points = {f"forces/{f.name}": f.point for f in s.system.forces if isinstance(f, (PointForce, Wrench))}
    for place, group in list_acting(s.system.coordinates, s.system.forces) if s.words else ():
        for word in list_words(group):
            shown = replace(word, owner=None)
            for name in (word.place, word.along):
                if name is not None and name not in known and (name != HERE or name == word.along):
                    yield error(place, f"{shown}: there is no body or point {name!r}", among(name, known))
            message, remedy = "", ""
            if word.place == HERE:
                message, remedy = _check_here(points.get(place), bodies)
            elif word.place in named:
                message, remedy = _check_node(named[word.place], bodies)
            if message:
                yield error(place, f"{shown}: {message}", remedy)


def _check_here(point: Point | None, bodies: Mapping[str, Body]) -> tuple[str, str]:
    """Return why the motion of a force's point is not known, and the remedy; empty texts if it is known."""
    if point is None:
        return "here is the point of a force, and this has none", "name a body or a point"
    if HERE in bodies:
        return "here may mean the body of this name too", "rename the body"
    if point.body is None:
        return "the point is one of the fixed frame, which rests", "name a body or a point"
    return _check_node(point, bodies)


def _check_node(point: Point, bodies: Mapping[str, Body]) -> tuple[str, str]:
    """Return why the motion of a point at an elastic node is not known, and the remedy; empty texts if it is known."""
    body = bodies.get(point.body or "")
    if body is not None and body.modes and any(point.position):
        message = f"of {point.body!r}, an elastic body, motions of nodes are not known"
        return message, "weld a body without mass to the node, and name it"
    return "", ""


#: The formulas at a place of a model, and the names that may stand in them.
Formulas = tuple[str, Iterable[Expression], FormulaScope]


def used_names(system: Model) -> frozenset[str]:
    """Return the names of the symbols in all formulas of a system."""
    return frozenset(symbols([x for _, group, _ in formulas(SystemScopes(system)) for x in group]))


def formulas(s: SystemScopes) -> Iterator[Formulas]:
    """Yield every formula of a system, with its place and scope."""
    system = s.system
    for p in system.parameters:
        if p.value is not None:
            yield f"parameters/{p.name}", [p.value], s.fixed
        if p.varies is not None:
            yield f"parameters/{p.name}", [p.varies], s.timed
    for f in system.functions:
        if f.formula is not None:
            inner = s.scope(s.fixed.names | frozenset(f.arguments), "parameters and its arguments")
            yield f"functions/{f.name}", [f.formula], inner
    for c in system.coordinates:
        place = f"coordinates/{c.name}"
        yield place, [c.position, c.velocity], s.fixed
        if isinstance(c.drive, Effort):
            yield f"{place}/drive", [c.drive.value], s.acting
        elif isinstance(c.drive, Motion):
            yield f"{place}/drive", [c.drive.acceleration], s.moving
    if system.gravity:
        yield "gravity", [system.gravity.value], s.fixed
    for body in system.bodies:
        yield from _body(s, body)
    yield from _forces(s)
    yield from _constraints(s)
    for named in system.points:
        yield f"points/{named.name}", named.position, s.fixed
    for armature in system.armatures:
        yield f"armatures/{armature.name}", armature.expressions, s.massive
    for omission in system.omissions:
        if omission.gaps:
            yield f"omissions/{omission.place}", omission.gaps, s.moving


def _joint(s: SystemScopes, place: str, joint: Iterable[ElementaryTransformation]) -> Iterator[Formulas]:
    for i, et in enumerate(joint):
        if et.coordinate is None:
            motion = et.motion
            scope = s.placed if isinstance(motion, Mapped) else s.fixed if isinstance(motion, Constant) else s.timed
            yield f"{place}/{i}", [et.amount], scope


def _body(s: SystemScopes, body: Body) -> Iterator[Formulas]:
    place = f"bodies/{body.name}"
    yield from _joint(s, f"{place}/joint", body.joint)
    yield f"{place}/inertia", _inertia(body.inertia), s.massive
    if body.added_inertia:
        values = [x for row in body.added_inertia.rows for x in row]
        yield f"{place}/added_inertia", values, s.massive
    for wheel in body.flywheels:
        inner = f"{place}/flywheels/{wheel.name}"
        yield f"{inner}/angle", [wheel.angle], s.timed
        yield f"{inner}/inertia", _inertia(wheel.inertia), s.massive
        yield f"{inner}/mounting", [et.amount for et in wheel.mounting], s.fixed
    if body.modes:
        yield f"{place}/modes", _modes(body.modes), s.fixed


def _inertia(inertia: Inertia) -> list[Expression]:
    return [inertia.mass, *inertia.centre, *inertia.tensor]


def _modes(modes: ElasticModes) -> Iterator[Expression]:
    matrices = [modes.first_moments, modes.stiffness, modes.damping, *modes.section_inertia]
    matrices += [block for row in modes.second_moments for block in row]
    for node in modes.nodes:
        matrices += [(node.position,), node.translation, node.rotation]
    yield from (x for matrix in matrices for row in matrix for x in row)


def _forces(s: SystemScopes) -> Iterator[Formulas]:
    for force in s.system.forces:
        place = f"forces/{force.name}"
        if isinstance(force, JointEffort):
            yield place, law_expressions(force.effort), s.acting
            yield from ((place, [c], s.fixed) for c in getattr(force.element, "coefficients", {}).values())
        elif isinstance(force, Bipolar):
            yield place, law_expressions(force.law), s.law
            yield place, [force.mass], s.massive
            yield place, [*force.first.position, *force.second.position], s.fixed
        elif isinstance(force, (Bushing, Torsion)):
            if isinstance(force, Bushing):
                matrix = [x for row in (*force.stiffness, *force.damping, force.preload) for x in row]
                yield place, matrix, s.fixed
            else:
                yield place, law_expressions(force.law), s.law
            for end, frame in (("first", force.first), ("second", force.second)):
                yield (f"{place}/{end}", [et.amount for et in frame.transformations if not et.coordinate], s.fixed)
        else:
            moment = force.moment if isinstance(force, Wrench) else ()
            yield place, [*force.force, *moment], s.acting
            yield place, force.point.position, s.fixed


def _constraints(s: SystemScopes) -> Iterator[Formulas]:
    for c in s.system.constraints:
        place = f"constraints/{c.name}"
        if isinstance(c, (Rod, PointCoincidence)):
            if isinstance(c, Rod):
                yield place, [c.mass], s.massive
            own = [c.length] if isinstance(c, Rod) else []
            yield place, [*own, *c.first.position, *c.second.position], s.fixed
        elif isinstance(c, FrameCoincidence):
            yield from _joint(s, f"{place}/first", c.first.transformations)
            yield from _joint(s, f"{place}/second", c.second.transformations)
        elif isinstance(c, Holonomic):
            yield place, [c.expression], s.held if c.element is None else s.rolling
        else:
            assert isinstance(c, Nonholonomic)
            yield place, [*c.coefficients.values(), c.rest], s.held if c.element is None else s.rolling


def name_tables(text: str, system: Model) -> str:
    """Replace labels of tables in a message by the names of the model's functions that have them."""
    if f"{TABLE}_" not in text:
        return text
    for label, name in list_tables(system).items():
        text = text.replace(label, name)
    return text


def list_tables(system: Model) -> dict[str, str]:
    """Map the label of each table to the name of the function whose formula contains it."""
    formulas = ((f.name, f.formula) for f in system.functions if f.formula is not None)
    tables = ((name, node.data) for name, x in formulas for node in topological([x]) if node.op == "fun")
    return {table.label: name for name, table in tables if isinstance(table, Interpolant)}
