"""From an MBSD text to the model: formulas, inertias, defaults, and where each thing stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lark import Token, Tree

from mbconcord.converters.registry import Reading
from mbconcord.model import (
    Bipolar, Body, Coordinate, Diagnostic, ElementaryTransformation, Frame, FrameCoincidence, Function, Gravity, Inertia,
    JointEffort, Location, ModelError, Parameter, Point, ReadError, Rod, System, Variable, rotation, translation,
)  # fmt: skip
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions import ONE, ZERO, Expression, as_expression, number, symbol
from mbconcord.model.expressions.formula import RESERVED
from mbconcord.model.force import Force
from mbconcord.model.transformation import AXES, Vector

from .angles import to_radians
from .arrange import arrange, declared, loops
from .chains import Outline, outline
from .drafts import BodyDraft, Drafts, LinkDraft, Move, drafts
from .items import Braces, Degree, Shift, Tensor, Value
from .offsets import position
from .plausible import implausible
from .scope import Kind, Own, Scope, definition, depends_on_time
from .syntax import parse

AXIS_OF = dict(zip("ijklmnuvwxyz", "xyz" * 4, strict=True))
STANDARD_GRAVITY = number("9.81")
#: Letters of a planar text: only these leave the xy plane alone.
PLANAR = frozenset("uvzijn")


@dataclass(frozen=True, slots=True)
class Default:
    """A generated name: the value it has when none is given, in words, and where it arose."""

    value: Expression
    words: str
    at: Location


def read(text: str, file: str) -> Reading:
    """The model of an MBSD text.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    tree = parse(text, file)
    plan = outline(tree, file)
    made = drafts(plan)
    if not made.bodies and not plan.findings:
        plan.refuse(Location(file, 1, 1), "found no body, expected at least one", "as in 'z i g'")
    return _Reader(plan, made, _functions(tree, made), file).reading()


def _functions(tree: Tree[Token], made: Drafts) -> set[str]:
    """Names that are called or defined and are no coordinates: only these have derivatives with primes."""
    names = set()
    for node in tree.iter_subtrees():
        token = node.children[0] if node.children else None
        if node.data in ("call", "definition") and isinstance(token, Token):
            names.add(token.partition("'")[0])
    return names - set(made.coordinates) - set(made.auxiliary)


class _Reader:
    def __init__(self, plan: Outline, made: Drafts, functions: set[str], file: str) -> None:
        self.plan, self.made, self.file = plan, made, file
        assigned = {a.name for a in plan.assignments}
        self.scope = Scope(file, made.coordinates, made.auxiliary, functions, assigned, findings=plan.findings)
        self.defaults: dict[str, Default] = {}
        self.locations: dict[str, Location] = {}
        self.notes: list[Diagnostic] = []
        self.coordinates: list[Coordinate] = []
        self.forces: list[Force] = []

    # -- the whole ---------------------------------------------------------------------------------------------

    def reading(self) -> Reading:
        bodies = [self._body(draft) for draft in self.made.bodies]
        constraints = self._links()
        gravity = self._gravity()
        values, formulas = self._assignments()
        self._collisions()
        functions = declared(bodies, self.coordinates, self.forces, constraints, values, formulas)
        if not self.scope.findings:
            loops(values, formulas, self.locations, self.scope)
        self._stop()
        try:
            names = arrange(bodies, self.coordinates, gravity, self.forces, constraints, formulas, values)
            parameters = [self._parameter(name, values) for name in names]
            name = "mbsd" if self.file in ("-", "") else Path(self.file).stem
            system = System(
                name, tuple(self.coordinates), tuple(parameters), tuple(functions), gravity, tuple(bodies),
                tuple(self.forces), tuple(constraints),
            )  # fmt: skip
        except ModelError as problem:
            raise ReadError([self._placed(d) for d in problem.diagnostics]) from None
        wrong = implausible(system)
        if wrong:
            raise ReadError([self._placed(d) for d in wrong])
        self._unused(values, system)
        return Reading(system, tuple(self.notes), self.locations)

    def _stop(self) -> None:
        """Raise everything found so far: each once, in order of place."""
        if self.scope.findings:
            first = {(d.location, d.message): d for d in reversed(self.scope.findings)}
            start = Location(self.file, 1, 1)
            raise ReadError(sorted(first.values(), key=lambda d: _order(d.location or start)))

    def _placed(self, finding: Diagnostic) -> Diagnostic:
        """The finding with the location of its place, or of the nearest place above it."""
        place = finding.place
        while place and place not in self.locations:
            place = place.rpartition("/")[0]
        return finding.at(finding.location or self.locations.get(place) or Location(self.file, 1, 1))

    # -- names -------------------------------------------------------------------------------------------------

    def _default(self, name: str, value: Expression, words: str, at: Location) -> Expression:
        """The symbol of a generated name, which has a default value."""
        self.defaults.setdefault(name, Default(value, words, at))
        return symbol(name)

    def _collisions(self) -> None:
        for name, default in self.defaults.items():
            taken = self.made.coordinates.get(name) or self.made.auxiliary.get(name)
            what = "a coordinate"
            if taken is None and name in self.scope.functions:
                taken, what = default.at, "a function"
            if taken is not None:
                message = f"the default name {name} collides with {what} {name!r}"
                self.scope.refuse(taken, message, "name that otherwise", f"parameters/{name}")
        for name, at in {**self.made.coordinates, **self.made.auxiliary}.items():
            if name in RESERVED:
                message = f"{name!r} as a coordinate's name; it already has a meaning in formulas"
                self.scope.refuse(at, message, "expected another name", f"coordinates/{name}")

    def _parameter(self, name: str, values: dict[str, Expression]) -> Parameter:
        default = self.defaults.get(name)
        at = self.scope.parameters.get(name) or (default.at if default else None)
        place = f"parameters/{name}"
        if at is not None:
            self.locations.setdefault(place, at)
        if name in values:
            return Parameter(name, values[name])
        if default is None:
            return Parameter(name)
        self.notes.append(Diagnostic("note", place, f"no value given: {default.words} by default", location=default.at))
        return Parameter(name, default.value, "default")

    def _assignments(self) -> tuple[dict[str, Expression], dict[str, Function]]:
        values: dict[str, Expression] = {}
        formulas: dict[str, Function] = {}
        seen: dict[str, Location] = {}
        for a in self.plan.assignments:
            if a.name in seen:
                first = seen[a.name]
                message = f"a second assignment of {a.name}; the first is in line {first.line}, column {first.column}"
                self.scope.refuse(a.at, message, "expected one")
                continue
            seen[a.name] = a.at
            if a.name in RESERVED:
                self.scope.refuse(a.at, f"found {a.name} =, expected a name without a meaning of its own")
            elif a.name in self.made.coordinates or a.name in self.made.auxiliary:
                message = f"found an assignment of {a.name}, which is a coordinate"
                self.scope.refuse(a.at, message, f"its initial position is written {a.name[0]}°…")
            elif not a.name.isidentifier():
                self.scope.refuse(a.at, f"{a.name!r} is no name: letters, digits and _ make names")
            elif a.arguments is None:
                self.locations[f"parameters/{a.name}"] = a.at
                values[a.name] = self.scope.expression(a.value, "constant", f"parameters/{a.name}")
            else:
                self.locations[f"functions/{a.name}"] = a.at
                self.scope.calls.setdefault(a.name, (len(a.arguments), a.at))
                formulas[a.name] = Function(a.name, a.arguments, definition(self.scope, a))
        for a in self.plan.assignments:  # calls that stood before this definition
            arity, at = self.scope.calls.get(a.name, (0, a.at))
            if a.arguments is not None and arity != len(a.arguments):
                message = f"{a.name} has {arity} argument{'s' * (arity != 1)} here, expected {len(a.arguments)}"
                self.scope.refuse(at, message, f"it is defined in line {a.at.line}, column {a.at.column}")
        return values, formulas

    def _unused(self, values: dict[str, Expression], system: System) -> None:
        used = set(self.defaults) | set(self.scope.parameters)
        for name in values:
            if name not in used:
                message = "it is assigned, but nothing uses it"
                self.notes.append(Diagnostic("warning", f"parameters/{name}", message, location=self.locations[f"parameters/{name}"]))
        still = [d.name for d in system.coordinates if not d.position and not d.velocity]
        if still:
            self.notes.append(Diagnostic("note", "coordinates", f"initial position and velocity 0: {', '.join(still)}"))

    # -- bodies ------------------------------------------------------------------------------------------------

    def _body(self, draft: BodyDraft) -> Body:
        place = f"bodies/{draft.name}"
        self.locations[place] = draft.at
        joint = []
        for move in draft.moves:
            for et in self._transformations(move, f"{place}/joint"):
                self.locations[f"{place}/joint/{len(joint)}"] = move.item.at
                joint.append(et)
            if isinstance(move.item, Degree):
                self._coordinate(move.name, move.item)
        return Body(draft.name, draft.parent, tuple(joint), self._inertia(draft, f"{place}/inertia"))

    def _transformations(self, move: Move, place: str) -> list[ElementaryTransformation]:
        """The transformations of one item; a constant zero leaves none."""
        item = move.item
        if isinstance(item, Degree):
            sign = "-" if item.reverse else ""
            make = rotation if item.rotational else translation
            return [make(sign + AXIS_OF[item.letter], Variable(move.name))]
        if isinstance(item, Braces):
            values = [self.scope.expression(v, "timed", place) for v in item.values]
            return [translation(axis, v) for axis, v in zip("xyz", values) if v]
        amount = self._factor(item) * self._amount(item, move.name, place)
        make = rotation if item.letter in "lmn" else translation
        return [make(AXIS_OF[item.letter], amount)] if amount else []

    def _factor(self, item: Shift) -> Expression:
        if item.factor in ("", "+"):
            return ONE
        if item.factor == "-":
            return -ONE
        text = item.factor.removesuffix("*")
        return -number(text[1:]) if text.startswith("-") else number(text.removeprefix("+"))

    def _amount(self, item: Shift, name: str, place: str) -> Expression:
        if item.value is not None:
            return self.scope.expression(item.value, "timed", place)
        if item.letter in "lmn":
            return self._default(name, ZERO, "0 rad", item.at)
        return self._default(name, ONE, "1 m", item.at)

    def _coordinate(self, name: str, item: Degree) -> None:
        place = f"coordinates/{name}"
        self.locations[place] = item.at
        position = velocity = ZERO
        for sign, suffix in item.suffixes.items():
            if suffix.value is None:
                words = {"°": "initial position 0", "'": "initial velocity 0", '"': "joint force 0"}[sign]
                note = f"{sign} without a value: {words} by default"
                self.notes.append(Diagnostic("note", place, note, location=suffix.at))
            elif sign == "°":
                position = self.scope.expression(suffix.value, "constant", place)
                position = to_radians(position) if item.rotational else position
            elif sign == "'":
                velocity = self.scope.expression(suffix.value, "constant", place)
            if sign == '"':
                self.locations[f"forces/{name}"] = suffix.at
                own = Own(item.letter, name)
                effort = self.scope.expression(suffix.value, "force", f"forces/{name}", own) if suffix.value else ZERO
                self.forces.append(JointEffort(name, name, effort))
        self.coordinates.append(Coordinate(name, position, velocity))

    def _inertia(self, draft: BodyDraft, place: str) -> Inertia:
        common = {type(item): item for item in self.plan.common}
        mass, tensor, centre = (
            own or common.get(kind) for own, kind in
            ((draft.mass, type(draft.mass)), (draft.tensor, Tensor), (draft.centre, Braces))
        )  # fmt: skip
        mass = draft.mass or next((i for i in self.plan.common if hasattr(i, "value") and i.__class__.__name__ == "Mass"), None)
        del common
        return self._assembled(draft, place, mass, tensor, centre)
