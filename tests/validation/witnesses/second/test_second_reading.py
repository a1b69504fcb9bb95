"""The second reading of texts: alone, right on every fixture and on drawn texts, silent on the rest."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from math import inf, pi, sin

import pytest
from hypothesis import given, settings

import mbconcord
from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model import MbconcordError, State
from mbconcord.model.expressions import ZERO
from mbconcord.model.numbers import Instance
from mbconcord.validation.check import check
from mbconcord.validation.claims import fields
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.judge.witness import Original
from mbconcord.validation.strategies.strategies import mbsd_texts
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses import second
from mbconcord.validation.witnesses.second.formula import FUNCTIONS, compute, number
from mbconcord.validation.witnesses.second.machine import READERS, At, UnreadError, machine
from mbconcord.validation.witnesses.second.world import World

from ....house.test_architecture import imports, sources

ROOT = folder().parent
#: Files by the ends of their names, with the format.
ENDS = {
    "mbsd": ".mbsd", "tp": ".tp.csv", "um": "input.dat", "urdf": ".urdf", "mjcf": ".xml", "sdf": ".sdf",
}  # fmt: skip
FILES = [
    (format, path.relative_to(folder()).as_posix())
    for format, end in ENDS.items()
    for path in sorted(folder().rglob(f"*{end}"))
]
#: What only some models have.
OF_SOME = {"text: constraints", "text: armatures", "text: controls"}
QUANTITIES = {f"text: {name}" for name in ("poses", "inertia", "gravity", "applied", "start")}


def tried(text: str, format: str, count: int = 2, changed: frozenset[str] = frozenset()) -> Trial:
    """A trial of a text by no formalism, its constraints open."""
    reading = registry.read_text(text, "-", format, "ignore")
    drawn = draw(reading.system, count, 0)
    made = trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), [])
    return replace(made, closed=drawn.system, text=Original(text, format, changed=changed))


def twice(text: str, format: str) -> dict[str, Comparison]:
    """What the claim says of a text, by quantity."""
    return {c.quantity: c for c in fields.second_reading(tried(text, format))}


@pytest.mark.parametrize(("format", "file"), FILES)
def test_every_fixture_is_read_twice(format: str, file: str) -> None:
    """Poses, inertias, forces, initial states and constraints, in 12 digits."""
    text = registry.read(folder() / file, physics="ignore").text
    found = twice(text, format)
    assert found.keys() - OF_SOME == QUANTITIES
    assert {c.verdict for c in found.values()} == {"agrees"}
    assert max(c.discrepancy for c in found.values()) < 1e-13
    system = registry.read(folder() / file, physics="ignore").system
    assert ("text: constraints" in found) == bool(system.constraints)
    assert ("text: armatures" in found) == bool(system.armatures)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(mbsd_texts())
def test_texts_that_are_drawn_are_read_alike(text: str) -> None:
    """Where the second reading knows a text of MBSD it is the model; functions without a formula it does not know."""
    try:
        found = twice(text, "mbsd")
    except MbconcordError:  # no physical values were found for parameters without one
        return
    for c in found.values():
        assert c.verdict == "agrees" or "which the text does not define" in c.explanation, (text, c)


@pytest.mark.parametrize("format", ENDS)
def test_texts_that_are_written_are_read_alike(format: str) -> None:
    """Random models as the writer of the format puts them."""
    known = 0
    for seed in range(5):
        try:
            text = registry.write(random_system(seed, 3), format).text
        except MbconcordError:
            continue
        found = twice(text, format).values()
        assert all(c.verdict == "agrees" or "does not define" in c.explanation for c in found), seed
        known += all(c.verdict == "agrees" for c in found)
    assert known >= 3


# --- what it does not know -------------------------------------------------------------------------

MBSD = "z i0.5 $2 [1, 1, 1] g"
TABLE = (folder() / "tp/leg.tp.csv").read_text("utf-8")
INPUT = (folder() / "um/gripper/input.dat").read_text("cp1251")
ROBOT, HOPPER, FINGER, STATION = (
    (folder() / name).read_text("utf-8")
    for name in ("urdf/arm.urdf", "mjcf/hopper.xml", "mjcf/finger.xml", "sdf/station.sdf")
)
PLATE = (folder() / "um/platform/input.dat").read_text("utf-8")
#: Feature of a format -> a text with it. The table of docs/evidence.md names these.
REFUSED: Mapping[str, Mapping[str, str]] = {
    "mbsd": {
        "functions without a formula": 'z i0.5 "(f(z1)) g',
        "tables": 'z i0.5 "(f(z1)) g; f(x) = table(x, 0, 0, 1, 2, hold)',
        "derivatives of functions of several arguments": "z\"(f'(z1, t)) ; f(x, y) = x y",
        "a connector behind a body without a name": "z i0.5 $1 > :(1) #0",
    },
    "tp": {
        "other separators than semicolons": TABLE.replace(";", "\t"),
        "English heads of columns": TABLE.replace("КП", "joint"),
        "decimal commas": TABLE.replace("2.14", "2,14"),
    },
    "um": {
        "`AutoCalcInertia`": INPUT.replace("m=m1;", "AutoCalcInertia=true; m=m1;"),
        "scalar forces of other types": INPUT.replace("type=expression;", "type=library;"),
        "functions other than `sqr` and `sqrt`": INPUT.replace("-kd*v;", "-sin(x);"),
        "joints 6dof with forces, turned frames or p2": PLATE.replace("p1z=0.025; p2x=;", "p1z=0.025; p2x=1;"),
        "bodies that no joint leads to": PLATE.replace('bd2="mast"', 'bd2="plate"'),
    },
    "urdf": {
        "elements of one kind twice in one": ROBOT.replace('<mass value="4"/>', '<mass value="4"/><mass value="4"/>')
    },
    "mjcf": {
        "free bodies along their principal axes": FINGER.replace("<freejoint ", '<freejoint align="true" '),
        "shapes that are fitted to a mesh": HOPPER.replace('type="sphere"', 'type="sphere" mesh="head"'),
        "shells of meshes and of ellipsoids": FINGER.replace('density="1100"', 'density="1100" shellinertia="true"'),
        "hulls of meshes, meshes in PLY or STL as text": HOPPER.replace(
            'type="sphere"', 'type="mesh" mesh="a"'
        ).replace("<worldbody>", '<asset><mesh name="a" file="a.ply"/></asset><worldbody>'),
        "sites between two points": FINGER.replace('name="pulley"', 'name="x"').replace(
            'name="hook"', 'name="hook" fromto="0 0 0 0 0 1"'
        ),
        "files in packages": HOPPER.replace("<sensor>", '<include file="package://a/b.xml"/><sensor>'),
    },
    "sdf": {
        "inertia of meshes": STATION.replace("<sphere><radius>0.05</radius></sphere>", "<mesh><uri>a.stl</uri></mesh>"),
        "one name for two frames": STATION.replace('name="swivel"', 'name="pole"').replace("1.9", "1.6", 1),
        "files in packages": STATION.replace("<physics", "<include><uri>package://a/b.sdf</uri></include><physics"),
    },
}


@pytest.mark.parametrize(("format", "feature"), [(f, feature) for f, rows in REFUSED.items() for feature in rows])
def test_what_it_does_not_know_it_refuses(format: str, feature: str) -> None:
    text = REFUSED[format][feature]
    numbers = dict.fromkeys((*"abc", "q1", "z1"), 0.1)
    state = At(numbers, numbers, 0.0, list("abc"))
    with pytest.raises(UnreadError):
        World(machine(text, format, state), lambda name: (0.1, 0.1, 0.0)).sum_applied_forces()


def test_other_formats_have_none_and_that_is_said() -> None:
    with pytest.raises(UnreadError, match="texts of native, which have no second reading"):
        machine("", "native", At({}, {}, 0.0))
    (note,) = (d for d in told(NATIVE).diagnostics if "second_reading" in d.place)
    assert "it does not know texts of native" in note.message


#: Models of each format that a check reads twice, with what the second reading does not know of them.
NATIVE = folder() / "native/geared_arm.mbs.json"


def told(model: object, **asked: object) -> mbconcord.results.Check:
    return mbconcord.check(model, **{"states": 1, "formalisms": ["newton_euler", "lagrange"], "exact": "off", **asked})


#: Of each format a text that its reader knows and the second reading does not.
ONCE = {
    "mbsd": "z\"(f'[1,0](z1, t)) i0.5 $1 [1, 1, 1] g ; f(x, y) = x y",
    "tp": REFUSED["tp"]["decimal commas"],
    "um": REFUSED["um"]["`AutoCalcInertia`"],
    "urdf": REFUSED["urdf"]["elements of one kind twice in one"],
    "mjcf": REFUSED["mjcf"]["free bodies along their principal axes"],
    "sdf": REFUSED["sdf"]["one name for two frames"],
}


@pytest.mark.slow
@pytest.mark.parametrize("format", ONCE)
def test_the_verdict_says_where_a_text_was_read_once(format: str) -> None:
    """In words and in JSON, of every format alike; not where it was read twice, nor where nobody asked."""
    reading = registry.read_text(ONCE[format], "-", format, "ignore")
    found = told(reading)
    assert found.verdict in ("agrees", "agrees in part"), found.headline
    assert found.headline.endswith("; its text was read by one reader only")
    assert found.to_json()["read_once"] is True and found.to_json()["headline"] == found.headline
    assert "; its text" not in told(reading, claims=("fields",)).headline


@pytest.mark.slow
def test_the_verdict_says_nothing_of_texts_that_were_read_twice_or_are_none() -> None:
    assert "; its text was read by one reader only" in told(NATIVE).headline
    for model in (folder() / "urdf/arm.urdf", registry.read(NATIVE).system):
        found = told(model)
        assert found.headline == "agrees" and found.to_json()["read_once"] is False


def coverage() -> list[str]:
    """The rows of the table of docs/evidence.md."""
    rows = []
    for format, refused in REFUSED.items():
        names = [file for f, file in FILES if f == format]
        rows.append(f"| `{format}` | {len(names)} of {len(names)} | {', '.join(refused)} |")
    return rows


def test_the_page_says_what_is_covered() -> None:
    page = (ROOT / "docs/evidence.md").read_text("utf-8") if (ROOT / "docs").is_dir() else ""
    assert {*READERS} - {"usd"} == set(REFUSED) == set(ENDS)  # stages have their own: tests/formats/usd
    assert [row for row in coverage() if row not in page] == []


# --- alone -----------------------------------------------------------------------------------------


def test_it_shares_nothing() -> None:
    """Its files import each other, mpmath, NumPy, SciPy and the standard library; of mbconcord nothing else."""
    for path in (p for p in sources("validation") if "second" in p.parent.relative_to(ROOT).parts[1:]):
        own = imports(path, "validation")
        assert all(name.startswith("mbconcord.validation.witnesses.second") for name in own), (path, own)
        tree = ast.parse(path.read_text("utf-8"))
        roots = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        roots |= {n.module.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and not n.level}
        assert roots - sys.stdlib_module_names <= {"mpmath", "numpy", "scipy"}, path
    assert "shares nothing" in (second.__doc__ or "") or "imports nothing" in (second.__doc__ or "")


# --- formulas --------------------------------------------------------------------------------------

U, T = 0.7, 0.4
FORMULAS = {
    "-u^2": -(U**2), "2^-1": 0.5, "2^3^2": 512, "u - t - 1": U - T - 1, "6/2/3": 1, "6/2*3": 9, "2 u t": 2 * U * T,
    "2 (u + t)": 2 * (U + T), "u (t)": U * T, "sin u": sin(U), "sin u t": sin(U * T), "sin(u) t": sin(U) * T,
    "sin u sin t": sin(U) * sin(T), "sin -u t": -sin(U * T), "sin (u)^2": sin(U**2), "sin(u)^2": sin(U) ** 2,
    "sin 2 u f(t)": sin(2 * U * T * 3), "f(t) u": 3 * T * U, "1/sin u t": 1 / sin(U * T),
    "a sin f(t) t": sin(3 * T * T),
    "atan2(1, -1)": 3 * pi / 4, "sign u'": -1, "u'(2)": -4, "f'(t)": 3, "@ @'": 10, ".5 u": U / 2, "1e-3u": U / 1000,
    "2.u": 2 * U, "pi": pi, "--u": U, "u*-t": -U * T, "abs(t - u)": U - T, "log exp u": U,
}  # fmt: skip
WRONG = (
    "1/2 u",
    "u 2",
    "sin^2 u",
    "u +",
    "(u",
    "u)",
    "1/0",
    "sqrt(-1)",
    "u,",
    "f u",
    "",
    "sin",
    "@''",
    "0^-1",
    "u & t",
)


def value(name: str) -> object:
    known = {"u": U, "t": T, "u'": -2, "a": 1, "@": 2, "@'": 5, "pi": FUNCTIONS["acos"](-1)}
    if name not in known:
        raise UnreadError(name)
    return number(known[name])


def call(name: str, arguments: list[object]) -> object:
    own = {"f": lambda x: 3 * x, "f'": lambda x: number(3)}
    return {**FUNCTIONS, **own}[name](*arguments)


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_by_hand(text: str) -> None:
    assert float(compute(text, value, call, FUNCTIONS, ["f"])) == pytest.approx(FORMULAS[text], rel=1e-15)


@pytest.mark.parametrize("text", WRONG)
def test_formulas_that_are_none(text: str) -> None:
    with pytest.raises(UnreadError):
        compute(text, value, call, FUNCTIONS, ["f"])


# --- in a check ------------------------------------------------------------------------------------

BRIEF = {"formalisms": ["newton_euler", "lagrange"], "states": 2, "claims": ("second_reading",), "exact": "off"}


def test_a_value_that_the_user_sets_is_no_fault() -> None:
    found = mbconcord.check(folder() / "mbsd/driven_arm.mbsd", parameters={"c_1": 5, "T": 7}, **BRIEF)
    assert found.verdict == "agrees" and "text: applied" in {c.quantity for c in found.comparisons}


def test_a_text_that_was_read_from_no_file_is_read_twice() -> None:
    found = mbconcord.check(mbconcord.read(text=MBSD, format="mbsd"), **BRIEF)
    assert {c.quantity for c in found.comparisons if c.claim} == QUANTITIES


def test_a_system_has_no_text_and_nothing_is_said() -> None:
    found = mbconcord.check(registry.read_text(MBSD, format="mbsd").system, **BRIEF)
    assert not [c for c in found.comparisons if c.claim] and not [d for d in found.diagnostics if "second" in d.place]


def test_a_value_of_a_subsystem_is_set_by_its_full_name() -> None:
    found = mbconcord.check(folder() / "um/six_legs/input.dat", parameters={"FL_l1": 0.07}, **BRIEF)
    assert {c.verdict for c in found.comparisons if c.claim} == {"agrees"}


def test_a_large_text_is_not_tried() -> None:
    (found,) = fields.second_reading(tried("(z i $1 >)^200 z i $1 g", "mbsd", 1))
    assert found.verdict == "not checked" and "not tried (size)" in found.explanation


#: What is changed in a text behind the reader's back, and what names it.
CHANGED = {
    "z i0.5 $2 [1, 1, 1.5] g": ("text: inertia", ("body1 Izz",)),
    "z i0.5 $3 [1, 1, 1] g": ("text: inertia", ("body1 mass",)),
    "z -i0.5 $2 [1, 1, 1] g": ("text: poses", None),
    "z i0.5 $2 [1, 1, 1] g3": ("text: gravity", ("g y",)),
    'z"(2) i0.5 $2 [1, 1, 1] g': ("text: applied", ("z1",)),
    "z°20 i0.5 $2 [1, 1, 1] g": ("text: start", ("z1",)),
    "y i0.5 $2 [1, 1, 1] g": ("text: coordinates", ()),
    "z i0.5 $2 [1, 1, 1] #arm g": ("text: bodies", ()),
    "z i0.5 $2 [1, 1, 1] #body1 g \\ #body1 :(1)": ("text: constraints", ()),
}


@pytest.mark.parametrize("other", CHANGED)
def test_another_model_disagrees_where_it_is_another(other: str) -> None:
    """The body or coordinate, and both numbers."""
    system = registry.read_text(MBSD, format="mbsd").system
    evidence = check(
        system, states=2, formalisms=["lagrange"], claims=["second_reading"], original=Original(other, "mbsd", ())
    )
    quantity, entry = CHANGED[other]
    assert evidence.verdict == "disagrees"
    found = next(c for c in evidence.comparisons if c.verdict == "disagrees" and c.quantity == quantity)
    assert entry in (None, found.entry)
    assert found.values or found.explanation
    if found.values:
        assert (found.discrepancy or inf) > 1e-3 and re.match("reader", found.a)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["mbsd/particle.mbsd", "um/suspension/input.dat", "tp/hexapod.tp.csv"])
def test_a_state_that_says_nothing_is_the_initial_one(file):
    """Its positions are none of zero: both witnesses take them where the model begins."""
    reading = registry.read(folder() / file)
    system = reading.system
    assert any(c.position != ZERO for c in system.coordinates)
    original = Original(reading.text, reading.format, ())
    evidence = check(system, file, ["lagrange"], given=[State()], original=original)
    told = {c.claim: c.verdict for c in evidence.comparisons if c.claim in ("second_reading", "maximal")}
    assert told == {"second_reading": "agrees", "maximal": "agrees"}
    assert [c for c in evidence.comparisons if c.verdict == "disagrees"] == []


SUSPENSION = (folder() / "um/suspension/input.dat").read_text("utf-8")
FOUR_BAR = (folder() / "um/four_bar/input.dat").read_text("utf-8")
LEFT_OUT = {
    "scalar-force/lost": FOUR_BAR.replace(
        "with end;", 'with scalarforce; name="lost"; type=expression;\nexpression="-v";\nwith end;'
    ),
    "contact/CFrc1": SUSPENSION,
    "bushing/bush": SUSPENSION,
    "magnetic-force/bush": SUSPENSION.replace("type=bushing", "type=maglev"),
    "special-force/bush": SUSPENSION.replace("type=bushing", "type=gears"),
    "linear-element/CFrc1": SUSPENSION.replace("with cfrc;", "with lfrc;"),
    "connection/CFrc1": SUSPENSION.replace("with cfrc;", "with conn;"),
}


@pytest.mark.parametrize("place", LEFT_OUT)
def test_what_the_reader_of_um_loses_without_a_word_disagrees(place: str) -> None:
    made = tried(LEFT_OUT[place], "um", 1)
    assert made.closed is not None and place in {o.place for o in made.closed.omissions}
    assert [c for c in fields.second_reading(made) if c.verdict == "disagrees"] == []
    others = tuple(o for o in made.closed.omissions if o.place != place)
    (found,) = fields.second_reading(replace(made, closed=replace(made.closed, omissions=others)))
    assert (found.quantity, found.verdict) == ("text: left out", "disagrees")
    assert f"the text has {place}:" in found.explanation
