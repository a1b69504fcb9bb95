"""Reading of an input.dat of Universal Mechanism at one state: bodies, joints between them, forces.

It reads joints ``rotat``, ``transl``, ``6dof`` and ``comm``, scalar forces ``expression`` and ``linear``, bipolar
elements, and bushings and linear elements whose law the model assumes.
Other forces are not in the model either; they are listed in ``beside``, and the model's reader must report them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .formula import CONTEXT, Number, compute, number
from .machine import (
    NOWHERE,
    At,
    SecondBushing,
    SecondClosure,
    SecondMachine,
    SecondPlace,
    SecondRod,
    SecondSolid,
    SecondStep,
    Spring,
    Triple,
    UnreadError,
    X,
    Y,
    Z,
    symmetric,
)
from .um_text import OPEN, SecondUmBlock, main_object
from .world import FIXED, SecondPose, end_of, follow

AXES = dict(zip("xyz", (X, Y, Z), strict=True))
LINEAR = ("f0", "k", "l0", "d", "q", "w", "a")
#: Keyword, or keyword and type, of elements that act but are no part of a model -> kind of their omission.
BESIDE = {
    "cfrc": "contact", "lfrc": "linear-element", "conn": "connection", "sfrc": "special-force",
    "sfrc bushing": "bushing", "sfrc maglev": "magnetic-force",
}  # fmt: skip
#: Keyword of elements that a model may contain with an assumed law -> kind of their omission then.
HELD = {"sfrc": "assumed-bushing", "lfrc": "assumed-lfrc", "conn": "assumed-lfrc"}
#: g of UM where gravity is automatic, m/s².
STANDARD = 9.81
Unit = tuple[SecondStep, "SecondUmBlock | None", float]


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state."""
    found = _Object(main_object(text), at)
    return _Whole(found, at).machine()


@dataclass
class _SecondUmJoint:
    """A joint between two bodies (None: the base); ``units`` are steps from first to second, with force and start."""

    name: str
    first: str | None
    second: str | None
    units: list[tuple[SecondStep, SecondUmBlock | None, float]]
    thing: _Object


@dataclass
class _Object:
    """An object or subsystem (``main``) with its subsystems (``inner``), its place, and values of its identifiers."""

    main: SecondUmBlock
    at: At
    path: tuple[str, ...] = ()
    outer: _Object | None = None
    shift: Triple = NOWHERE
    inner: list[_Object] = field(default_factory=list)
    known: dict[str, Number] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.texts = {k[5:]: v for b in self.main.all("const") for k, v in b.values.items() if k.startswith("cnst ")}
        for subs in self.main.all("subs"):
            mains = subs.all("main")
            if subs.word("type") != "mbsincluded" or len(mains) != 1 or any(self.three(subs, "ro2")):
                raise UnreadError(f"the subsystem {subs.word('name')}")
            here = self.three(subs, "ro1")
            shift = (self.shift[0] + here[0], self.shift[1] + here[1], self.shift[2] + here[2])
            self.inner.append(_Object(mains[0], self.at, (*self.path, subs.word("name")), self, shift))

    def all(self) -> list[_Object]:
        """List this object and all subsystems within it, in the order of the file."""
        return [self, *(thing for one in self.inner for thing in one.all())]

    def full_name(self, name: str) -> str:
        """Return the name of an element after the names of the subsystems that contain it, joined by dots."""
        return ".".join((*self.path, name))

    def identifier(self, name: str) -> Number:
        """Return the value of an identifier, defined in this object or in one that contains it."""
        if name == "pi":
            return CONTEXT.acos(-1)
        if name not in self.texts:
            same = [n for n in self.texts if n.lower() == name.lower()]
            if len(same) != 1 and self.outer is None:
                raise UnreadError(f"the identifier {name}")
            if len(same) != 1 and self.outer is not None:
                return self.outer.identifier(name)
            name = same[0]
        full = re.sub(r"\W", "_", "_".join((*self.path, name)))
        if full in self.at.set:
            return number(self.at.set[full])
        if self.texts[name] == OPEN:
            if full not in self.at.open:
                raise UnreadError(f"the identifier {name}, which has no value")
            return number(self.at.open[full])
        if name not in self.known:
            self.known[name] = number("nan")
            self.known[name] = self.evaluate(self.texts[name])
        return self.known[name]

    def evaluate(self, text: str, own: dict[str, Number] | None = None) -> Number:
        """Evaluate an expression (empty: zero); ``own`` are numbers of names that hold in it only."""
        local = own or {}

        def value(name: str) -> Number:
            return local[name] if name in local else self.identifier(name)

        return compute(text, value, _call) if text.strip() else number(0)

    def three(self, block: SecondUmBlock, key: str, values: dict[str, str] | None = None) -> Triple:
        """Return the vector of a block's values ``key`` + x, y, z."""
        of = block.values if values is None else values
        x, y, z = (float(self.evaluate(of.get(f"{key}{a}", ""))) for a in "xyz")
        return x, y, z

    def body(self, block: SecondUmBlock, key: str) -> str | None:
        """Return the full name of the body that a block names by a key; None for the base."""
        name = block.word(key)
        return None if name == "Base0" else self.full_name(name)


def _call(name: str, arguments: Sequence[Number]) -> Number:
    (x,) = arguments
    if name == "sqr":
        return x * x
    if name == "sqrt":
        return CONTEXT.sqrt(x)
    raise UnreadError(f"the function {name}")


def _unit(axis: Triple) -> Triple:
    size = math.sqrt(sum(a * a for a in axis))
    if not size:
        raise UnreadError("an axis of length zero")
    return axis[0] / size, axis[1] / size, axis[2] / size


def _shift(by: Triple, sign: float = 1.0) -> list[Unit]:
    return [(SecondStep(False, AXES[a], (sign * x, 0.0, 0.0)), None, 0.0) for a, x in zip("xyz", by, strict=True)]


def _turn(axis: Triple, angle: float) -> Unit:
    return SecondStep(True, axis, (angle, 0.0, 0.0)), None, 0.0


def _backwards(units: list[Unit]) -> list[Unit]:
    """Reverse a joint as UM does: the order reversed, constants inverted, coordinates unchanged."""
    return [
        (unit if unit[0].coordinate else (replace(unit[0], amount=(-unit[0].amount[0], 0.0, 0.0)), unit[1], unit[2]))
        for unit in reversed(units)
    ]


def _as_rod(cut: SecondClosure) -> SecondClosure | SecondRod:
    """Return a cut joint as a rod if its steps are two turns, a length and three turns at right angles; else itself."""
    steps = [step for step in cut.first[1] if step.coordinate or any(step.amount)]
    free = [n for n, step in enumerate(steps) if step.coordinate]
    if len(free) != 5:
        return cut
    start, stop = free[0], free[-1] + 1
    if "".join("RT"[not s.turn] + "cq"[bool(s.coordinate)] for s in steps[start:stop]) != "RqRqTcRqRqRq":
        return cut
    if any(step.turn for step in (*steps[:start], *steps[stop:])):
        return cut
    u, v, along, a, b, c = (np.array(step.axis) for step in steps[start:stop])
    if any(abs(p @ q) > 1e-12 for p, q in ((u, v), (v, along), (a, b), (b, c))):
        return cut
    x, y, z = end_of(tuple(steps[stop:]))
    first, second = SecondPlace(cut.first[0], end_of(tuple(steps[:start]))), SecondPlace(cut.second[0], (-x, -y, -z))
    return SecondRod(cut.name, first, second, abs(steps[start + 2].amount[0]))


def _on_body(thing: _Object, body: str | None, point: Triple) -> SecondPlace:
    """Return the place of a point given in a body's frame; on the base it is relative to the subsystem's shift."""
    (x, y, z), (a, b, c) = point, thing.shift if body is None else NOWHERE
    return SecondPlace(body, (a + x, b + y, c + z))


class _Whole:
    """The machine of an object with all its subsystems."""

    def __init__(self, main: _Object, at: At) -> None:
        self.things, self.at = main.all(), at
        self.bodies = {t.full_name(b.word("name")): (t, b) for t in self.things for b in t.main.all("body")}
        self.joints = [self._joint(t, b) for t in self.things for b in t.main.all("joint")]
        if any(b.word("AutoCalcInertia") for _, b in self.bodies.values()):
            raise UnreadError("inertias that UM computes from images (AutoCalcInertia)")
        self.carrying, self.cuts = self._hung()

    def _joint(self, thing: _Object, block: SecondUmBlock) -> _SecondUmJoint:
        kind, units = block.word("type"), list[Unit]()
        if kind in ("rotat", "transl"):
            units = self._one(thing, block.all("jnt1dof")[0], kind == "rotat")
        elif kind == "6dof":
            units = self._six(thing, block.all("jnt6dof")[0])
        elif kind == "comm":
            for et in block.all("et"):
                units += self._elementary(thing, et)
        else:
            raise UnreadError(f"a joint of type {kind}")
        first, second = thing.body(block, "bd1"), thing.body(block, "bd2")
        if first is None:
            units = [*_shift(thing.shift), *units]
        elif second is None:
            units = [*units, *_shift(thing.shift, -1.0)]
        return _SecondUmJoint(thing.full_name(block.word("name")), first, second, units, thing)

    def _elementary(self, thing: _Object, et: SecondUmBlock) -> list[Unit]:
        kind = et.word("type")
        if et.word("enabled").lower() == "false":
            return []
        if kind == "tc":
            return _shift(thing.three(et, "e"))
        if kind not in ("rc", "rv", "tv"):
            raise UnreadError(f"an elementary transformation {kind}")
        axis, start = _unit(thing.three(et, "e")), float(thing.evaluate(et.values.get("coord0", "")))
        turn = kind != "tv"
        start = math.radians(start) if turn else start
        if kind == "rc":
            return [_turn(axis, start)]
        force = et.all("scalarforce")
        return [(SecondStep(turn, axis, coordinate="?"), force[0] if force else None, start)]

    def _one(self, thing: _Object, block: SecondUmBlock, turn: bool) -> list[Unit]:
        """Return the steps: shift ro1, turn consta about e1, the coordinate, smallest turn of e2 to e1, shift -ro2."""
        e1, e2 = _unit(thing.three(block, "e1")), _unit(thing.three(block, "e2"))
        consta, start = (float(thing.evaluate(block.values.get(k, ""))) for k in ("consta", "x0"))
        if float(thing.evaluate(block.values.get("constx", ""))) or (consta and not turn):
            raise UnreadError("constx or consta of a joint")
        normal = (
            e2[1] * e1[2] - e2[2] * e1[1], e2[2] * e1[0] - e2[0] * e1[2], e2[0] * e1[1] - e2[1] * e1[0],
        )  # fmt: skip
        sine, cosine = math.sqrt(sum(n * n for n in normal)), sum(a * b for a, b in zip(e1, e2, strict=True))
        if sine < 1e-12 and cosine < 0:
            raise UnreadError("opposite axes of a joint")
        aligned = [_turn(_unit(normal), math.atan2(sine, cosine))] if sine > 1e-12 else []
        force = block.all("scalarforce")
        moved = (
            SecondStep(turn, e1, coordinate="?"), force[0] if force else None, math.radians(start) if turn else start,
        )  # fmt: skip
        ro1, ro2 = thing.three(block, "ro1"), thing.three(block, "ro2")
        before = [_turn(e1, math.radians(consta))] if turn else []
        return [*_shift(ro1), *before, moved, *aligned, *_shift(ro2, -1.0)]

    def _six(self, thing: _Object, block: SecondUmBlock) -> list[Unit]:
        """Return shifts x, y, z and three turns, those that the block has, between frames on both bodies."""
        own, units = block.frames.get("0", {}), list[Unit]()
        for a in "xyz":
            if f"{a}0" in own:
                units.append((SecondStep(False, AXES[a], coordinate="?"), None, float(thing.evaluate(own[f"{a}0"]))))
        word = own.get("angles", "").removeprefix("Cardan(").removesuffix(")")
        for digit, k in zip(word, "123", strict=False):
            if f"angle{k}0" in own:
                start = math.radians(float(thing.evaluate(own[f"angle{k}0"])))
                units.append((SecondStep(True, AXES["xyz"[int(digit) - 1]], coordinate="?"), None, start))
        if block.all("scalarforce") or (len(units) and len(word) != 3):
            raise UnreadError("a joint 6dof with forces or other angles")
        first, second = (self._frame(thing, block, k) for k in "12")
        return [*first, *units, *_backwards(second)]

    def _frame(self, thing: _Object, block: SecondUmBlock, key: str) -> list[Unit]:
        values = block.frames.get(key, {})
        if any(float(thing.evaluate(values.get(f"angle{k}", ""))) for k in "123"):
            raise UnreadError("a turned frame of a joint 6dof")
        if any(thing.three(block, "p2", values)):
            raise UnreadError("p2 of a frame of a joint 6dof")
        return _shift(thing.three(block, "p1", values))

    def _hung(self) -> tuple[dict[str, tuple[_SecondUmJoint, str | None, bool]], list[_SecondUmJoint]]:
        """Return by body: its joint, its parent, and True if the joint is reversed; and the joints that close loops."""
        group: dict[str | None, int] = {name: n for n, name in enumerate([None, *self.bodies])}
        kept, cuts = list[_SecondUmJoint](), list[_SecondUmJoint]()
        for joint in self.joints:
            one, other = group.get(joint.first, -1), group.get(joint.second, -1)
            if one < 0 or other < 0:
                raise UnreadError(f"the bodies of the joint {joint.name}")
            (cuts if one == other else kept).append(joint)
            group = {name: one if g == other else g for name, g in group.items()}
        if len(set(group.values())) != 1:
            raise UnreadError("a body that no joint leads to")
        carrying: dict[str, tuple[_SecondUmJoint, str | None, bool]] = {}
        while len(carrying) < len(self.bodies):
            for joint in kept:
                for here, there, turned in ((joint.first, joint.second, False), (joint.second, joint.first, True)):
                    if (here is None or here in carrying) and there is not None and there not in carrying:
                        carrying[there] = joint, here, turned
        return carrying, cuts

    def machine(self) -> SecondMachine:
        """Return the machine of the object with all its subsystems."""
        named: dict[int, str] = {}
        by_joint = {id(joint): (name, turned) for name, (joint, _, turned) in self.carrying.items()}
        efforts: dict[str, float] = {}
        starts: dict[str, tuple[float, float]] = {}
        steps: dict[str, tuple[SecondStep, ...]] = {}
        for joint in self.joints:
            if id(joint) not in by_joint:
                continue
            name, turned = by_joint[id(joint)]
            made = []
            for step, force, start in _backwards(joint.units) if turned else joint.units:
                if step.coordinate:
                    n = len(starts)
                    q = self.at.order[n] if n < len(self.at.order) else f"coordinate {n + 1}"
                    starts[q], step = (start, 0.0), replace(step, coordinate=q)
                    if force is not None:
                        x, v = self.at.q.get(q, 0.0), self.at.v.get(q, 0.0)
                        efforts[q] = self._law(force, joint.thing, x, v)
                made.append(step)
            steps[name] = tuple(made)
        solids = tuple(self._solid(name, steps[name]) for name in self.carrying)
        found = [_as_rod(self._closure(n, joint, named)) for n, joint in enumerate(self.cuts, 1)]
        closures = tuple(x for x in found if isinstance(x, SecondClosure))
        return SecondMachine(
            tuple(starts),
            solids,
            self._gravity(),
            efforts,
            tuple(self._springs()),
            rods=tuple(x for x in found if isinstance(x, SecondRod)),
            closures=closures,
            starts=starts,
            beside=tuple(self._beside()),
            bushings=tuple(self._bushings(solids)),
        )

    def _beside(self) -> Iterator[str]:
        """Yield places of contacts, bushings and other forces outside the model; and of forces in loop joints."""
        for thing in self.things:
            for block in thing.main.within:
                kind = BESIDE.get(f"{block.keyword} {block.word('type')}") or BESIDE.get(block.keyword)
                name = thing.full_name(block.word("element") or block.word("name"))
                held = block.keyword in HELD and f"{HELD[block.keyword]}/{name}" in self.at.assumed
                if kind and (block.word("name") or block.word("element")) and not held:
                    yield f"{kind}/{name}"
        for joint in self.cuts:
            for _, force, _ in joint.units:
                if force is not None and force.word("type") != "none" and force.word("name"):
                    yield f"scalar-force/{joint.thing.full_name(force.word('name'))}"

    def _solid(self, name: str, steps: tuple[SecondStep, ...]) -> SecondSolid:
        thing, block = self.bodies[name]
        parts = [float(thing.evaluate(block.values.get(f"i{k}", ""))) for k in ("xx", "yy", "zz", "xy", "xz", "yz")]
        mass = float(thing.evaluate(block.values.get("m", "")))
        return SecondSolid(name, self.carrying[name][1], steps, mass, thing.three(block, "rc"), symmetric(*parts))

    def _closure(self, n: int, joint: _SecondUmJoint, named: dict[int, str]) -> SecondClosure:
        made, k = [], 0
        for step, _, _ in joint.units:
            k += bool(step.coordinate)
            made.append(replace(step, coordinate=f"c{n}_{k}") if step.coordinate else step)
        return SecondClosure(joint.name, (joint.first, tuple(made)), (joint.second, ()))

    def _law(self, block: SecondUmBlock, thing: _Object, x: float, v: float) -> float:
        kind = block.word("type")
        if kind == "none":
            return 0.0
        if kind == "expression":
            return float(thing.evaluate(block.values.get("expression", ""), {"x": number(x), "v": number(v)}))
        if kind == "linear":
            f0, k, l0, d, q, w, a = (float(thing.evaluate(block.values.get(key, ""))) for key in LINEAR)
            return f0 - k * (x - l0) - d * v + q * math.sin(w * self.at.t + a)
        raise UnreadError(f"a scalar force of type {kind}")

    def _springs(self) -> list[Spring]:
        found = []
        for thing in self.things:
            for block in thing.main.all("bfrc"):
                own = block.all("scalarforce")
                if len(own) != 1 or "External" in (block.word("bd1"), block.word("bd2")):
                    raise UnreadError(f"the bipolar element {block.word('name')}")
                first, second = (self._place(thing, block, k) for k in "12")

                def law(length: float, rate: float, force: SecondUmBlock = own[0], of: _Object = thing) -> float:
                    return self._law(force, of, length, rate)

                found.append(Spring(thing.full_name(block.word("name")), first, second, law))
        return found

    def _bushings(self, solids: Sequence[SecondSolid]) -> Iterator[SecondBushing]:
        """Yield bushings and linear elements that the model contains with the assumed laws of docs/formats/um.md."""
        rest: dict[str | None, SecondPose] = {None: FIXED}
        for s in solids:
            rest[s.name] = rest[s.parent].then(follow(s.steps, lambda _: NOWHERE))
        for thing in self.things:
            for block in thing.main.within:
                name = thing.full_name(block.word("name"))
                if block.keyword not in ("sfrc", "lfrc") or f"{HELD[block.keyword]}/{name}" not in self.at.assumed:
                    continue

                def values(key: str, of: SecondUmBlock = block, by: _Object = thing) -> list[float]:
                    return [float(by.evaluate(word)) for word in of.values.get(key, "").split("#")]

                def value(key: str, of: SecondUmBlock = block, by: _Object = thing) -> float:
                    return float(by.evaluate(of.values.get(key, "")))

                first, second = thing.body(block, "bd1"), thing.body(block, "bd2")
                if block.keyword == "sfrc":
                    row = values("parameters")
                    one, other = (thing.three(block, "p1", block.frames.get(k, {})) for k in "12")
                    ends = _on_body(thing, first, one), _on_body(thing, second, other)
                    stiffness, damping = (np.diag(row[i : i + 6]).tolist() for i in (0, 6))
                    yield SecondBushing(name, *ends, stiffness, damping, (*row[12:15], 0.0, 0.0, 0.0))
                    continue
                if block.word("bd2") == "External":
                    whole = ((t, b) for t in self.things for b in t.main.all("conn"))
                    second = next(t.body(b, "extbody") for t, b in whole if t.full_name(b.word("element")) == name)
                x, y, z = (value(f"ro2{a}1") for a in "xyz")
                here = _on_body(thing, first, (x, y, z))
                own = np.linalg.solve(rest[second].T, rest[first].T @ np.array([*here.point, 1.0]))
                ends = here, SecondPlace(second, (float(own[0]), float(own[1]), float(own[2])))
                stiffness = [[value(f"c{i}{j}") for j in range(1, 7)] for i in range(1, 7)]
                damping = np.array(values("dissmatrix")[:36]).reshape(6, 6).tolist()
                yield SecondBushing(name, *ends, stiffness, damping, [value(f"{k}{a}") for k in "ft" for a in "xyz"])

    def _place(self, thing: _Object, block: SecondUmBlock, key: str) -> SecondPlace:
        return _on_body(thing, thing.body(block, f"bd{key}"), thing.three(block, f"ro{key}"))

    def _gravity(self) -> Triple:
        main = self.things[0]
        blocks = main.main.all("egravity")
        if len(blocks) != 1:
            raise UnreadError("gravity of several blocks, or none")
        found = main.three(blocks[0], "gravity")
        size = math.sqrt(sum(g * g for g in found))
        if not size or main.main.word("autogravity") != "true":
            return found
        return found[0] / size * STANDARD, found[1] / size * STANDARD, found[2] / size * STANDARD
