"""Reading of a text of MBSD at one state: chains are traversed from left to right, bodies attached one to another.

u v w and i j k shift along, x y z and l m n turn about, the axes x, y, z of the frame that was reached; u … z are
coordinates. ``$`` is a mass, ``[…]`` a tensor about the body's origin, ``{…}`` after these the centre of mass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .formula import Number, number
from .machine import (
    NO_TENSOR,
    NOWHERE,
    At,
    SecondClosure,
    SecondMachine,
    SecondPlace,
    SecondRod,
    SecondSolid,
    SecondStep,
    Spring,
    Steps,
    Triple,
    UnreadError,
    X,
    Y,
    Z,
    about_centre,
    symmetric,
)
from .mbsd_text import STEP, SecondNames, Sign, parts, signs, split_list
from .world import end_of

AXES = dict(zip("uvwxyzijklmn", (X, Y, Z) * 4, strict=True))
TURNS, CONSTANTS = frozenset("xyzlmn"), frozenset("ijklmn")
_ASSIGNED = re.compile(r"\s*([^\W\d]\w*)\s*(?:\(([^()]*)\))?\s*=(.*)", re.S)


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state."""
    return _Walk(text, at).machine()


@dataclass
class _SecondMbsdDraft:
    """A body with its joint's steps and the signs of its text; ``turns_last`` if its last move turns a coordinate."""

    name: str
    parent: str | None
    steps: Steps
    items: list[Sign]
    turns_last: bool


@dataclass
class _Made:
    """Parts of the machine found so far; ``forces`` are letters and formulas by coordinate."""

    solids: list[SecondSolid] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    rods: list[SecondRod] = field(default_factory=list)
    closures: list[SecondClosure] = field(default_factory=list)
    starts: dict[str, tuple[float, float]] = field(default_factory=dict)
    forces: dict[str, tuple[str, str]] = field(default_factory=dict)


class _Walk:
    def __init__(self, text: str, at: At) -> None:
        self.at, self.names, self.made = at, SecondNames(at), _Made()
        self.counts: Counter[str] = Counter()
        self.letters: set[str] = set()
        self.common: dict[str, Sign] = {}
        self.weight: tuple[Sign, Sign | None] | None = None
        self.bodies: set[str] = set()
        self.maps: list[tuple[bool, Sign]] = []
        chains: list[str] = []
        first, *others = parts(text)
        chains += first.split("\\")
        for part in others:
            before, *more = part.split("\\")
            if _ASSIGNED.match(before):
                self._assign(before)
            else:
                self._common(before)
            chains += more
        read = [signs(chain) for chain in chains]
        self._given = {
            sign.text
            for chain in read
            for before, sign in pairwise(chain)
            if sign.kind == "body" and before.kind != "back"
        }
        for items in read:
            self._chain(items)
        self._begin_maps()

    def _assign(self, text: str) -> None:
        for one in split_list(text.rstrip().rstrip(",")):
            found = _ASSIGNED.fullmatch(one)
            if found is None or found.group(1) in self.names.formulas:
                raise UnreadError(f"the assignment {one.strip()!r:.40}")
            name, arguments, formula = found.groups()
            if arguments is None:
                self.names.formulas[name] = formula
            else:
                self.names.functions[name] = ([a.strip() for a in arguments.split(",")], formula)

    def _common(self, text: str) -> None:
        items = self._take_gravity(signs(text))
        for sign in items:
            if sign.kind not in ("mass", "tensor", "braces"):
                raise UnreadError(f"{sign.kind} for all bodies")
            self.common["centre" if sign.kind == "braces" else sign.kind] = sign

    def _take_gravity(self, items: list[Sign]) -> list[Sign]:
        """Remove gravity and its direction in braces from the items."""
        left: list[Sign] = []
        for i, sign in enumerate(items):
            before = items[i - 1] if i else None
            if sign.kind == "gravity":
                if self.weight is not None:
                    raise UnreadError("a second gravity")
                beyond = items[i + 1] if i + 1 < len(items) else None
                braces = beyond if beyond is not None and beyond.kind == "braces" and not sign.text else None
                self.weight = sign, braces
            elif not (sign.kind == "braces" and before is not None and before.kind == "gravity" and not before.text):
                left.append(sign)
        return left

    def _chain(self, items: list[Sign]) -> None:
        items = self._take_gravity(items)
        if not items:
            return
        joins = [i for i, s in enumerate(items) if s.kind in ("rod", "spring", "closure")]
        if len(joins) > 1:
            raise UnreadError("two connectors in one chain")
        root = None
        rooted = items[0].kind == "body"
        if rooted:
            root = self._reference(items[0].text)
        left = items[rooted : joins[0]] if joins else items[rooted:]
        segments: list[list[Sign]] = [[]]
        for sign in left:
            if sign.kind == "next":
                segments.append([])
            else:
                segments[-1].append(sign)
        offset: list[Sign] = []
        if (
            joins
            and not any(s.kind in ("body", "mass", "tensor") for s in segments[-1])
            and (rooted or len(segments) > 1)
        ):
            if len(segments) > 1:
                raise UnreadError("a connector behind a body without a name")
            offset = segments.pop()
        for segment in segments:
            root = self._body(segment, root)
        if joins:
            self._join(items[joins[0]], root, offset, items[joins[0] + 1 :])

    def _reference(self, name: str) -> str | None:
        if name != "0" and name not in self.bodies:
            raise UnreadError(f"the body {name} before it is there")
        return None if name == "0" else name

    def _count(self, letter: str) -> int:
        self.letters.add(letter)
        self.counts[letter] += 1
        return self.counts[letter]

    def _step(self, sign: Sign) -> SecondStep:
        letter, turn = sign.text, sign.text in TURNS
        n = self._count(letter)
        if letter in CONSTANTS:
            stem = {"m": "mu", "n": "nu"}.get(letter, letter)
            scale = float(sign.factor) if sign.factor.strip("+-") else (-1.0 if sign.factor == "-" else 1.0)
            if sign.values:
                value = self.names.moving(sign.values[0])
            else:
                value = (float(self.names.name(f"{stem}{n}", number(0 if turn else 1))), 0.0, 0.0)
            return SecondStep(turn, AXES[letter], (scale * value[0], scale * value[1], scale * value[2]))
        x, y, z = AXES[letter]
        axis: Triple = (-x, -y, -z) if sign.factor == "-" else (x, y, z)
        if sign.map:
            return self._map(SecondStep(turn, axis), sign.map)
        name = sign.values[0] if sign.values else f"{letter}{n}"
        return SecondStep(turn, axis, coordinate=name)

    def _map(self, step: SecondStep, text: str) -> SecondStep:
        """Return the step with the value, rates and slopes of a map, by differences along the motion in 50 digits."""
        h, at = number(STEP), self.at
        one, no = number(1), number(0)

        def value(s: Number, moved: Mapping[str, Number], time: Number) -> Number:
            q = {name: number(x) + s * moved.get(name, no) for name, x in at.q.items()}
            return self.names.at_time(text, q, number(at.t) + s * time)

        def slope(moved: Mapping[str, Number], time: Number) -> Number:
            return (value(h, moved, time) - value(-h, moved, time)) / (2 * h)

        v = {name: number(x) for name, x in at.v.items()}
        here = value(no, v, one)
        second = (value(h, v, one) - 2 * here + value(-h, v, one)) / (h * h)
        slopes = {name: float(slope({name: one}, no)) for name in at.q}
        amount = float(here), float(slope(v, one)), float(second)
        return replace(step, amount=amount, slopes={name: x for name, x in slopes.items() if x})

    def _steps(self, items: list[Sign], auxiliary: bool = False) -> Steps:
        """Convert letters, and shifts in braces, to steps; braces after a mass or a tensor are a centre of mass."""
        found: list[SecondStep] = []
        for i, sign in enumerate(items):
            if sign.kind == "move":
                step = self._step(sign)
                found.append(step)
                if sign.map and auxiliary:
                    raise UnreadError("a map in a cut joint")
                if step.coordinate and not auxiliary:
                    self._starts(step.coordinate, step.turn, sign)
                elif sign.map:
                    self.maps.append((step.turn, sign))
            elif sign.kind == "braces" and not (i and items[i - 1].kind in ("mass", "tensor")):
                if len(sign.values) not in (2, 3):
                    raise UnreadError("a shift of neither two nor three values")
                for axis, value in zip((X, Y, Z), sign.values, strict=False):
                    found.append(SecondStep(False, axis, self.names.moving(value)))
        return tuple(found)

    def _begin_maps(self) -> None:
        """Set initial values of each map's new coordinate: the one in its formula that is introduced nowhere else."""
        for turn, sign in self.maps:
            named = [name for name in self.at.q if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sign.map)]
            new = [name for name in named if name not in self.made.starts]
            if len(new) > 1 or (sign.suffixes and not new):
                raise UnreadError(f"the map {sign.map}")
            for name in new:
                self._starts(name, turn, sign)

    def _starts(self, name: str, turn: bool, sign: Sign) -> None:
        if name in self.made.starts:
            raise UnreadError(f"a second coordinate {name}")
        position, rate = (sign.suffixes.get(kind) for kind in "°'")
        start = self.names.evaluate(position) if position is not None else number(0)
        if turn:
            start = start * self.names.name("pi") / 180
        self.made.starts[name] = float(start), self.names.real(rate) if rate is not None else 0.0
        force = sign.suffixes.get('"')
        if force is not None:
            self.made.forces[name] = sign.text, force

    def _body(self, items: list[Sign], parent: str | None) -> str:
        named = [s.text for s in items if s.kind == "body"]
        n = len(self.made.solids) + 1
        if not items or len(named) > 1 or (named and items[-1].kind != "body"):
            raise UnreadError(f"body {n}")
        name = named[0] if named else f"body{n}"
        while not named and name in self._given:
            name += "_"
        steps = self._steps(items)
        moves = [
            s
            for i, s in enumerate(items)
            if s.kind == "move" or (s.kind == "braces" and not (i and items[i - 1].kind in ("mass", "tensor")))
        ]
        turned = bool(moves) and moves[-1].kind == "move" and moves[-1].text in "xyz"
        self.made.solids.append(self._solid(n, _SecondMbsdDraft(name, parent, steps, items, turned)))
        self.bodies.add(name)
        return name

    def _solid(self, n: int, draft: _SecondMbsdDraft) -> SecondSolid:
        own: dict[str, Sign] = {}
        for i, sign in enumerate(draft.items):
            behind = i and draft.items[i - 1].kind in ("mass", "tensor")
            kind = "centre" if sign.kind == "braces" and behind else sign.kind
            if kind in ("mass", "tensor", "centre"):
                if kind in own:
                    raise UnreadError(f"a second {kind} of body {n}")
                own[kind] = sign
        item = {**self.common, **own}
        mass = self.names.evaluate(item["mass"].values[0]) if "mass" in item else self.names.name(f"m{n}", number(1))
        centre = self._three(item.get("centre"), [f"rho_{a}{n}" for a in "xyz"])
        names = [f"I{a}{n}" for a in "xyz"]
        place = (float(centre[0]), float(centre[1]), float(centre[2]))
        if "tensor" not in item:
            tensor = NO_TENSOR
            if draft.turns_last:
                xx, yy, zz = (float(self.names.name(i, number(1))) for i in names)
                tensor = symmetric(xx, yy, zz, 0.0, 0.0, 0.0)
            return SecondSolid(draft.name, draft.parent, draft.steps, float(mass), place, tensor)
        given = [self.names.evaluate(v) for v in item["tensor"].values]
        given = given or [self.names.name(i, number(1)) for i in names]
        if len(given) not in (3, 6):
            raise UnreadError(f"a tensor of {len(given)} values")
        about = symmetric(*given, *[number(0)] * (6 - len(given)))
        inside = about_centre(mass, (centre[0], centre[1], centre[2]), about)
        rows = [(float(a), float(b), float(c)) for a, b, c in inside]
        return SecondSolid(draft.name, draft.parent, draft.steps, float(mass), place, (rows[0], rows[1], rows[2]))

    def _three(self, sign: Sign | None, names: list[str]) -> list[Number]:
        if sign is None:
            return [number(0)] * 3
        if not sign.values:
            return [self.names.name(name, number(0)) for name in names]
        if len(sign.values) not in (2, 3):
            raise UnreadError("a centre of mass of neither two nor three values")
        return [self.names.evaluate(v) for v in sign.values] + [number(0)] * (3 - len(sign.values))

    def _join(self, sign: Sign, body: str | None, offset: list[Sign], right: list[Sign]) -> None:
        other = None
        if len(right) > 1 and right[-2].kind == "back" and right[-1].kind == "body":
            other, right = self._reference(right[-1].text), right[:-2]
        if any(s.kind not in ("move", "braces") for s in (*offset, *right)):
            raise UnreadError(f"what stands beside a {sign.kind}")
        here, there = self._steps(offset, auxiliary=True), self._steps(right, auxiliary=True)
        self.counts[sign.kind] += 1
        name = f"{sign.kind}{self.counts[sign.kind]}"
        if sign.kind == "closure":
            self.made.closures.append(SecondClosure(name, (body, here), (other, there)))
            return
        ends = SecondPlace(body, end_of(here)), SecondPlace(other, end_of(there))
        value, mass = sign.values[0], self.names.real(sign.values[1]) if len(sign.values) > 1 else 0.0
        if sign.kind == "rod":
            self.made.rods.append(SecondRod(name, *ends, self.names.real(value), mass))
        else:
            names = self.names

            def law(length: float, rate: float) -> float:
                return names.real(value, {"@": number(length), "@'": number(rate)})

            self.made.springs.append(Spring(name, *ends, law, mass))

    def machine(self) -> SecondMachine:
        """Return the machine of all parts that were found, with efforts and gravity."""
        made = self.made
        moving: dict[str, Number] = {}
        for name in made.starts:
            moving |= {name: number(self.at.q.get(name, 0.0)), f"{name}'": number(self.at.v.get(name, 0.0))}
        efforts = {
            name: self.names.real(text, {**moving, letter: moving[name], f"{letter}'": moving[f"{name}'"]})
            for name, (letter, text) in made.forces.items()
        }
        return SecondMachine(
            tuple(made.starts), tuple(made.solids), self._gravity(), efforts, tuple(made.springs),
            rods=tuple(made.rods), closures=tuple(made.closures), starts=made.starts,
        )  # fmt: skip

    def _gravity(self) -> Triple:
        if self.weight is None:
            return NOWHERE
        sign, braces = self.weight
        size = self.names.evaluate(sign.values[0]) if sign.values else self.names.name("g", number("9.81"))
        if braces is not None:
            x, y, z = self._three(braces, [])
        else:
            word = sign.text or ("-y" if self.letters <= set("uvzijn") else "-z")
            way = -1 if word.startswith("-") else 1
            x, y, z = (way * number(a) for a in AXES[word[-1]])
        length = (x * x + y * y + z * z) ** number("0.5")
        if not length:
            raise UnreadError("gravity without a direction")
        return float(size * x / length), float(size * y / length), float(size * z / length)
