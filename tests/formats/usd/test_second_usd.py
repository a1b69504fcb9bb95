"""Stages as texts, read without OpenUSD: against numbers of hand-written kinematics."""

import json
import re
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.usd.layer import print_layer
from mbconcord.converters.usd.reader import read_facts
from mbconcord.model import State
from mbconcord.model.numbers import Instance
from mbconcord.validation.check import BY_PROGRAM
from mbconcord.validation.claims.fields import second_reading
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.judge.witness import Original
from mbconcord.validation.witnesses.maximal.free_bodies import at_states
from mbconcord.validation.witnesses.second.machine import At, SecondMachine, UnreadError, machine
from mbconcord.validation.witnesses.second.robots.usd_text import SecondLayers
from mbconcord.validation.witnesses.second.world import World
from mbconcord.validation.witnesses.text import PRINTED
from tests.cli.commands import runner
from tests.formats.usd.test_usd import EXPECTED, FACTS, HERE, MOVING, ROUNDING, read
from tests.formats.usd.test_usd_opening import needs_openusd
from tests.formats.usd.test_usd_writer import facts_of

STAGES = HERE / "stages"


def text_of(name: str) -> str:
    return (STAGES / f"{name}.usda").read_text(encoding="utf-8")


def at(name: str) -> At:
    row = EXPECTED[name]
    return At(*(dict(zip(row["coordinates"], row[key], strict=True)) for key in "qv"), 0.0, folder=str(STAGES))


@cache
def second(name: str) -> tuple[SecondMachine, World]:
    state = at(name)
    found = machine(text_of(name), "usd", state)
    return found, World(found, lambda q: (state.q[q], state.v[q], 0.0))


def mass_matrix(name: str) -> np.ndarray:
    """M_ab = Σ tr(∂T/∂a P ∂Tᵀ/∂b), of pseudo-inertias P = [∫ r rᵀ dm, m c; m cᵀ, m]."""
    found, world = second(name)
    M = np.zeros((len(found.coordinates),) * 2)
    for solid in found.solids:
        J, c = np.array(solid.tensor), np.array(solid.centre)
        P = np.zeros((4, 4))
        P[:3, :3] = np.trace(J) / 2 * np.eye(3) - J + solid.mass * np.outer(c, c)
        P[:3, 3] = P[3, :3] = solid.mass * c
        P[3, 3] = solid.mass
        by = world.poses[solid.name].by
        for a, one in by.items():
            for b, other in by.items():
                M[world.index[a], world.index[b]] += np.trace(one @ P @ other.T)
    for inertia, along in found.armatures:
        row = np.array([along.get(q, 0.0) for q in found.coordinates])
        M += inertia * np.outer(row, row)
    return M


@pytest.mark.parametrize("name", MOVING)
def test_a_text_of_a_stage_has_the_expected_numbers(name: str) -> None:
    found, world = second(name)
    row = EXPECTED[name]
    assert list(found.coordinates) == row["coordinates"]
    assert not found.coarse
    for quantity, own in (
        ("M", mass_matrix(name)), ("gravity", world.gravity()), ("applied", world.sum_applied_forces()),
    ):  # fmt: skip
        expected = np.array(row[quantity])
        scale = np.abs(expected).max(initial=0.0) + np.abs(np.array(row["M"])).max() * (quantity != "M")
        assert np.abs(own - expected).max() <= ROUNDING * scale, (quantity, own, expected)
    for body, (R, p) in row["poses"].items():
        assert world.poses[body].T[:3, :3] == pytest.approx(np.array(R), abs=1e-12)
        assert world.poses[body].T[:3, 3] == pytest.approx(np.array(p), abs=1e-12)


def ask(name: str, text: str) -> Trial:
    """Return a question about the model of a stage's facts beside a text."""
    drawn = draw(read(name).system, 2, 0)
    made = trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), [])
    original = Original(text, "usd", file=str(STAGES / f"{name}.usda"))
    return replace(made, closed=drawn.system, text=original)


def verdicts(name: str, text: str) -> dict[str, str]:
    """Return what the claim says of the model of a stage's facts beside a text, by quantity."""
    found = second_reading(ask(name, text))
    return {c.quantity: f"{c.verdict} {c.explanation}".strip() for c in found}


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "05_bad"])
def test_a_stage_is_read_twice_alike(name: str) -> None:
    found = verdicts(name, text_of(name))
    assert {*found.values()} == {"agrees"}
    assert ("text: constraints" in found) == bool(read(name).system.constraints)


@pytest.mark.parametrize(
    ("name", "old", "new", "quantity"),
    [
        ("04_two_hinges", "(0.7, 0.1, 0.2, 0.3)", "(0.7, -0.1, -0.2, -0.3)", "poses"),
        ("04_two_hinges", "(0.8, 0.3, -0.4, 0.2)", "(0.8, -0.3, 0.4, -0.2)", "inertia"),
        ("04_two_hinges", "mass = 1.5", "mass = 1.50000101", "inertia"),
        ("08_reversed", "0.001, -0.002, 0.003", "0.003, -0.002, 0.001", "inertia"),
        ("06_colliders", "collisionEnabled = false", "collisionEnabled = true", "inertia"),
        ("03_scale", "(2, 3, 4)", "(2, 3, 4.5)", "poses"),
        ("16_drive", "damping = 0.01", "damping = 0.02", "applied"),
        ("01_units", "upAxis = \"Y\"", "upAxis = \"Z\"", "gravity"),
        ("15_loop", "localPos0 = (1, 0, 0)\n        uniform bool", "localPos0 = (1, 0, 0.1)\n        uniform bool",
         "constraints"),
        ("17_mimic", "mimicCoef0 = 30", "mimicCoef0 = 31", "constraints"),
        ("18_composed", "mass = 4", "mass = 5", "inertia"),
        ("12_free", "velocity = (1, 0, 0)", "velocity = (1, 0, 0.5)", "start"),
    ],
)  # fmt: skip
def test_another_text_is_noticed(name: str, old: str, new: str, quantity: str) -> None:
    assert old in text_of(name)
    assert verdicts(name, text_of(name).replace(old, new))[f"text: {quantity}"].startswith("disagrees")


def test_what_single_precision_leaves_open_is_no_difference() -> None:
    """A number per degree is the shortest decimal per radian to the reader, and not to the second reading."""
    plain = text_of("04_two_hinges")
    text = plain.replace("mass = 1.5", "mass = 1.50000004")
    assert {*verdicts("04_two_hinges", text).values()} == {"agrees"}
    assert [at_states(ask("04_two_hinges", x))[1] for x in (plain, text)] == ["maximal (text)", "maximal (fields)"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("#usda 1.0", "PXR-USDC", "a stage that is no text"),
        ('def Xform "upper" (', 'def Xform "upper" (\n inherits = </robot>', "inherits of /robot/upper"),
        (
            "float physics:mass = 0.75",
            "float physics:mass.timeSamples = { 0: 1 }",
            "physics:mass, which changes with time",
        ),
        ('def Xform "upper" (', 'def Xform "upper" (\n references = @../part.usda@', "the file ../part.usda"),
        ('physics:axis = "Y"', 'physics:axis = "W"', "this text: KeyError: 'W'"),
        ("</robot/lower>", "</robot/nowhere>", "the target /robot/nowhere"),
        ("mass = 0.75", "mass = ?", "a layer with"),
    ],
)
def test_what_is_unknown_is_not_guessed(old: str, new: str, reason: str) -> None:
    name = "04_two_hinges"
    assert old in text_of(name)
    with pytest.raises(UnreadError, match=re.escape(reason)):
        machine(text_of(name).replace(old, new), "usd", at(name))


def test_opinions_of_lists_variants_and_sublayers(tmp_path: Path) -> None:
    (tmp_path / "base.usda").write_text("""#usda 1.0
        def Xform "a" (append apiSchemas = ["Two", "Three"]) { custom float x = 1  rel r = [</a/b>, </c>]
          over "gone" { } def "b" (active = false) { } class "model" { } def Cube "c" { float y = 2 } }""")
    text = """#usda 1.0
        (subLayers = [@./base.usda@ (offset = 2)] doc = \"\"\"words ( [ " \"\"\")
        over "a" (prepend apiSchemas = ["One"]; delete apiSchemas = "Three") { float x = 3 ; delete rel r = </c> }
        def "d" (references = </a> variants = { string v = "on" } prepend variantSets = "v"
            customData = { int n = 1  dictionary d = { string s = "x" } })
        { variantSet "v" = { "on" { float x = 5  float z = 7 } "off" { float z = 8 } } }"""
    found = SecondLayers(text, str(tmp_path)).prims
    assert [*found] == ["/a", "/a/c", "/d", "/d/c"]
    assert (found["/a"].type, found["/a"].value("x"), found["/d/c"].value("y")) == ("Xform", 3.0, 2.0)
    assert found["/a"].apis == {"One", "Two"}
    assert (found["/d"].value("x"), found["/d"].value("z")) == (5.0, 7.0)
    assert (found["/a"].targets("r"), found["/d"].targets("r")) == (["/a/b"], ["/d/b"])


def test_numbers_of_many_digits_are_coarse_and_their_decimals_are_not() -> None:
    name = "04_two_hinges"
    long = text_of(name).replace("mass = 1.5", "mass = 1.4999999")
    assert machine(long, "usd", at(name)).coarse
    told = long.replace("1.4999999", '1.4999999 ( customData = { string decimals = "1.49999987" } )')
    found = machine(told, "usd", at(name))
    assert not found.coarse
    assert found.solids[0].mass == 1.49999987


SOLIDS = {
    # corners, faces, volume and centre of mass, in edges of the box
    "corner": ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], 1 / 6, 0.25),
    "box": (
        [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)],
        [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)], 1.0, 1 / 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", ["none", "leftHanded", "convexHull", "exact", "legacy"])
@pytest.mark.parametrize("name", SOLIDS)
def test_a_mesh_weighs_what_it_encloses(name: str, way: str) -> None:
    points, faces, volume, centre = SOLIDS[name]
    faces = [face[::-1] if way == "leftHanded" else face for face in faces]
    if way == "convexHull":
        pytest.importorskip("scipy")
        points = [*points, (0.2, 0.2, 0.2)]  # inside, and no face has it
        faces = faces[:1]
    if way == "legacy":
        faces = [faces[0][::-1], *faces[1:]]  # inward, and counted all the same
    lists = {"faceVertexCounts": [len(f) for f in faces], "faceVertexIndices": [i for f in faces for i in f]}
    kind = way if way == "leftHanded" else "rightHanded"
    rule = way if way in ("exact", "legacy") else ""
    approximation = "boundingCube" if rule else "convexHull" if way == "convexHull" else "none"
    text = f"""#usda 1.0
        (metersPerUnit = 1)
        def PhysicsScene "scene" {{}}
        def Xform "b" (apiSchemas = ["PhysicsRigidBodyAPI"])
        {{ def Mesh "m" (apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])
          {{ point3f[] points = {[tuple(p) for p in points]}
            int[] faceVertexCounts = {lists["faceVertexCounts"]}
            int[] faceVertexIndices = {lists["faceVertexIndices"]}
            uniform token orientation = "{kind}"
            uniform token physics:approximation = "{approximation}"
            {f'uniform token mjc:inertia = "{rule}"' if rule else ""}
            float3 xformOp:scale = (2, 3, 4)
            uniform token[] xformOpOrder = ["xformOp:scale"] }} }}"""
    values = {key: ["int[]", x] for key, x in lists.items()} | {"points": ["point3f[]", [list(p) for p in points]]}
    values |= {"orientation": ["token", kind], "physics:approximation": ["token", approximation]}
    values |= {"xformOp:scale": ["float3", [2.0, 3.0, 4.0]], "xformOpOrder": ["token[]", ["xformOp:scale"]]}
    values |= {"mjc:inertia": ["token", rule]} if rule else {}
    mesh = {
        "path": "/b/m",
        "type": "Mesh",
        "apis": ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"],
        "values": values,
    }
    body = {"path": "/b", "type": "Xform", "apis": ["PhysicsRigidBodyAPI"]}
    facts = {"stage": 1, "metres": 1.0, "prims": [{"path": "/scene", "type": "PhysicsScene"}, body, mesh]}
    system = read_facts(facts, "b.usda").system
    assert any(o.kind == "computed-inertia" for o in system.omissions) == (not rule)  # up to each program, but MuJoCo's
    (solid,) = machine(text, "usd", At(dict.fromkeys(system.coordinate_names, 0.0), {}, 0.0)).solids
    edges = np.array([2.0, 3.0, 4.0])
    assert solid.mass == pytest.approx(1000 * volume * edges.prod(), rel=1e-14)
    assert solid.centre == pytest.approx(centre * edges, rel=1e-14)
    own = system.bodies[0].inertia
    assert float(own.mass.value) == pytest.approx(solid.mass, rel=1e-14)
    J = np.array([[float(x.value) for x in row] for row in own.matrix()])
    assert pytest.approx(J, rel=1e-12) == np.array(solid.tensor)
    if name == "box":
        a, b, c = edges
        assert np.array(solid.tensor) == pytest.approx(
            solid.mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
        )


def absent(data: bytes, kept: tuple[str, ...]) -> tuple[str, list[str]]:
    raise UnreadError("it is not installed")


@pytest.mark.parametrize(
    ("kind", "mass", "reason"),
    [
        ("Mesh", "2", ""),
        ("Mesh", "0", "/b/shape in the layer ./library.usdc, which is no text"),
        ("Mesh", "0 ", "the layer ./library.usdc, which is no text: it is not installed"),
        ("Xform", "2 ", "the layer ./library.usdc, which is no text: it is not installed"),
        ("Xform", "2", "the layer ./library.usdc, which is no text"),
    ],
)
def test_binary_layers_are_not_needed_of_what_is_drawn_alone(
    tmp_path: Path, kind: str, mass: str, reason: str
) -> None:  # fmt: skip
    (tmp_path / "library.usdc").write_bytes(b"PXR-USDC and no text")
    text = f"""#usda 1.0
        (metersPerUnit = 1)
        def Xform "b" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{ float physics:mass = {mass}
          point3f physics:centerOfMass = (0, 0, 0)
          float3 physics:diagonalInertia = (1, 1, 1)
          def {kind} "shape" (prepend references = @./library.usdc@</x>) {{}} }}"""
    state = At(dict.fromkeys((f"b_{end}" for end in ("TX", "TY", "TZ", "RZ", "RY", "RX")), 0.0), {}, 0.0)
    state = replace(state, folder=str(tmp_path), transcribe=absent if mass.endswith(" ") else None)
    if reason:
        with pytest.raises(UnreadError, match=re.escape(reason)):
            machine(text, "usd", state)
    else:
        assert machine(text, "usd", state).solids[0].mass == 2.0


#: A body whose mass is that of a box in a binary layer, and of its material there.
BOX = """#usda 1.0
(
    metersPerUnit = 1
)
def Xform "b" (apiSchemas = ["PhysicsRigidBodyAPI"])
{
    def Mesh "box" (references = @LAYER@</Shapes/box>) {
    }
    def Xform "drawn" (references = @LAYER@</Shapes/drawn>) {
    }
}"""
POINTS = [*(tuple(int(letter) for letter in f"{i:03b}") for i in range(8)), *[(0, 0, 0)] * 60]
FACES = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
LIBRARY = f"""#usda 1.0
class "Shapes"
{{
    def Mesh "box" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
    {{
        rel material:binding:physics = </Shapes/box/stuff>
        point3f[] points = {POINTS}
        int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
        int[] faceVertexIndices = {FACES}
        def Material "stuff" (apiSchemas = ["PhysicsMaterialAPI"])
        {{
            float physics:density = 500
        }}
    }}
    def Xform "drawn"
    {{
    }}
}}"""
FREE = dict.fromkeys((f"b_{end}" for end in ("TX", "TY", "TZ", "RZ", "RY", "RX")), 0.0)


def test_binary_layers_are_printed_and_their_arrays_asked_for_where_a_body_weighs_them(tmp_path: Path) -> None:
    asked = []

    def printed(data: bytes, kept: tuple[str, ...]) -> tuple[str, list[str]]:
        asked.append(kept)
        arrays = [f"/Shapes/box.{key}" for key in ("points", "faceVertexIndices")]
        text = LIBRARY if kept else LIBRARY.replace(f" = {POINTS}", "").replace(f" = {FACES}", "")
        return text, [x for x in arrays if x not in kept]

    (tmp_path / "shapes.usdc").write_bytes(b"PXR-USDC and no text")
    state = At(FREE, {}, 0.0, folder=str(tmp_path), transcribe=printed)
    text = BOX.replace("LAYER", "./shapes.usdc")
    found = machine(text, "usd", state)
    assert found.transcribed and found.solids[0].mass == 500.0
    assert found.solids[0].centre == (0.5, 0.5, 0.5)
    assert asked == [(), ("/Shapes/box.points", "/Shapes/box.faceVertexIndices")]
    asked.clear()
    weighed = text.replace('def Mesh "box" (', 'def Mesh "box" ( active = false ')
    assert machine(weighed, "usd", state).solids[0].mass == 0.0  # nothing weighs: no array is asked for
    assert asked == [()]


def test_an_archive_is_unpacked_and_what_is_packed_otherwise_is_not(tmp_path: Path) -> None:
    layers = {"all.usda": BOX.replace("LAYER", "./in/shapes.usda"), "in/shapes.usda": LIBRARY}
    state = At(FREE, {}, 0.0, folder=str(tmp_path), transcribe=absent, file="box.usdz")
    for way, name, reason in (
        (zipfile.ZIP_STORED, "in/shapes.usda", ""),
        (zipfile.ZIP_DEFLATED, "in/shapes.usda", "the archive box.usdz, which is packed otherwise than a stage"),
        (zipfile.ZIP_STORED, "shapes.usda", "the file ./in/shapes.usda of an archive"),
    ):
        with zipfile.ZipFile(tmp_path / "box.usdz", "w", way) as packed:
            for place, text in (("all.usda", layers["all.usda"]), (name, layers["in/shapes.usda"])):
                packed.writestr(place, text)
        if reason:
            with pytest.raises(UnreadError, match=re.escape(reason)):
                machine('{"stage": 1}', "usd", state)
        else:
            assert machine('{"stage": 1}', "usd", state).solids[0].mass == 500.0
    (tmp_path / "box.usdz").write_bytes(b"PK\x03\x04 and nothing")
    with pytest.raises(UnreadError, match=r"the archive box\.usdz, which cannot be read"):
        machine('{"stage": 1}', "usd", state)


@needs_openusd
@pytest.mark.parametrize("part", ["root", "library"])
def test_a_binary_layer_is_read_twice_and_the_verdict_says_who_printed_it(tmp_path: Path, part: str) -> None:
    from pxr import Sdf

    text = {"root": text_of("04_two_hinges"), "library": BOX.replace("LAYER", "./library.usdc")}[part]
    printed = Sdf.Layer.CreateAnonymous(".usda")
    printed.ImportFromString(text if part == "root" else LIBRARY)
    printed.Export(str(tmp_path / f"{part}.usdc"))
    if part == "library":
        (tmp_path / "root.usda").write_text(text, encoding="utf-8")
    file = tmp_path / ("root.usdc" if part == "root" else "root.usda")
    found = mbconcord.check(file, states=2, claims=["second_reading"])
    assert {c.verdict for c in found.comparisons if c.b == PRINTED} == {"agrees"}
    assert BY_PROGRAM in {d.message for d in found.diagnostics}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[]", []),
        ("[1, -2.5, 3e-2]", [1, -2.5, 0.03]),
        ("[(.5, 1.), (+2, -3.E+1),]", [[0.5, 1], [2, -30]]),
        ("[\n  (1, 2),\n  (3, 4)\n]", [[1, 2], [3, 4]]),
        ("[inf, 1]", [np.inf, 1]),
    ],
)
def test_arrays_are_read_at_once(text: str, numbers: list[float]) -> None:
    found = SecondLayers(f'#usda 1.0\ndef "a" {{ double[] x = {text} double y = 1.25 }}', "").prims["/a"]
    assert (found.value("x"), found.value("y")) == (numbers, 1.25)
    assert found.opinion("y").digits == 3  # type: ignore[union-attr]


def test_numbers_that_no_array_has_are_no_guess() -> None:
    with pytest.raises(UnreadError, match="this text: JSONDecodeError"):
        machine('#usda 1.0\ndef "a" { double[] x = [1 2] }', "usd", At({}, {}, 0.0))


# Actuators of MuJoCo.

TIP, ANCHOR = [0.1, 0.2, 0.3], [0.5, 0.1, -0.4]
CONTROLS = {"push_ctrl": 0.7, "servo_ctrl": -0.4, "both_ctrl": 1.3, "kept_ctrl": 0.2, "actuator12_ctrl": 0.0}


def actuated(metres: float = 1.0, kilograms: float = 1.0, **scene: list) -> tuple[str, dict]:
    """Return text and facts of the stage of MuJoCo's words with actuators."""
    facts = json.loads(json.dumps(FACTS["19_mjc"])) | {"metres": metres, "kilograms": kilograms}
    for prim in facts["prims"]:
        if prim["path"] == "/scene":
            prim["values"] |= scene

    def add(name: str, kind: str, targets: list[str], **values: object) -> None:
        own = {f"mjc:{key.replace('_', ':')}": x if isinstance(x, list) else ["double", x] for key, x in values.items()}
        key = "mjc:path" if kind == "MjcTendon" else "mjc:target"
        facts["prims"].append(
            {"path": f"/robot/{name}", "type": kind, "values": own, "targets": {key: [f"/robot/{x}" for x in targets]}}
        )

    affine = {"gainType": ["token", "affine"], "biasType": ["token", "affine"]}
    add("twice", "MjcTendon", ["hinge", "hinge"], type=["token", "fixed"], path_coef=["double[]", [2.0, 0.5]])
    add("line", "MjcTendon", [], stiffness=2.0)
    for site, at in (("anchor", ANCHOR), ("car/tip", TIP)):
        placed = {"xformOp:translate": ["double3", at], "xformOpOrder": ["token[]", ["xformOp:translate"]]}
        own = {"path": f"/robot/{site}", "type": "Xform", "apis": ["MjcSiteAPI"], "values": placed}
        facts["prims"].insert(1 + [p["path"] for p in facts["prims"]].index("/robot/car"), own)
    sites = ["anchor", "car/tip"]
    add("rope", "MjcTendon", sites, stiffness=40.0, damping=2.0, springlength=["double[]", [0.5, 0.5]])
    add("bare", "MjcTendon", sites, range_min=0.1, range_max=2.0)
    add("sprung", "MjcTendon", sites, stiffness=1.0)  # at rest at a place where the stage does not stand
    add("slack", "MjcTendon", ["hinge"], type=["token", "fixed"], path_coef=["double[]", [1.0]],
        stiffness=1.0, springlength=["double[]", [0.0, 1.0]])  # fmt: skip
    add("stiff", "MjcTendon", ["hinge"], type=["token", "fixed"], path_coef=["double[]", [1.0]], stiffness=3.0)
    add("push", "MjcActuator", ["slide"], gear=["double[]", [3.0, 0.0]], gainPrm=["double[]", [2.0, 9.0]])
    add(
        "servo",
        "MjcActuator",
        ["hinge"],
        gear=["double[]", [2.0]],
        gainPrm=["double[]", [5.0, 0.5, 0.25]],
        biasPrm=["double[]", [1.0, -5.5, -0.5]],
        **affine,
    )
    add("both", "MjcActuator", ["twice"], gear=["double[]", [0.5]])
    add(
        "kept",
        "MjcActuator",
        ["slide"],
        biasPrm=["double[]", [4.0]],
        biasType=["token", "affine"],
        forceRange_min=-1.0,
        forceRange_max=1.5,
    )
    add("filtered", "MjcActuator", ["slide"], dynType=["token", "filter"])
    add("muscle", "MjcActuator", ["slide"], gainType=["token", "muscle"])
    add("ratio", "MjcActuator", ["slide"], biasPrm=["double[]", [0.0, -1.0, 0.7]], biasType=["token", "affine"])
    add("pulled", "MjcActuator", ["line"])
    add("off", "MjcActuator", ["slide"], group=["int", 3])
    add("Actuator_12", "MjcActuator", ["slide"], gear=["double[]", [7.0]])
    text = print_layer("robot", facts["prims"]).replace("metersPerUnit = 1", f"metersPerUnit = {metres}")
    return text.replace("kilogramsPerUnit = 1", f"kilogramsPerUnit = {kilograms}"), facts


def test_actuators_are_drives_and_those_that_are_none_are_named() -> None:
    _, facts = actuated(**{"mjc:option:actuatorgroupdisable": ["int[]", [3]]})
    system = read_facts(facts, "a.usda").system
    state = State(q={"hinge": 0.4, "slide": 0.2}, v={"hinge": 0.7, "slide": 0.3})
    own, bare = (
        np.array(
            mbconcord.evaluate(s, replace(state, parameters=own), quantities=["applied"], physics="ignore")["applied"]
        )
        for s, own in ((system, CONTROLS), (read("19_mjc").system, {}))
    )
    length, speed = 2 * 0.4, 2 * 0.7
    servo = 2 * ((5 + 0.5 * length + 0.25 * speed) * -0.4 + 1 - 5.5 * length - 0.5 * speed)
    both, stiff = 2.5 * 0.5 * 1.3, -3 * (0.4 - np.pi / 4)
    off = np.diag([1e-6, 1e-6])
    slope = np.array([_rope(*(np.array([0.4, 0.2]) + x)) - _rope(*(np.array([0.4, 0.2]) - x)) for x in off]) / 2e-6
    rope = -(40 * (_rope(0.4, 0.2) - 0.5) + 2 * slope @ [0.7, 0.3]) * slope
    assert own - bare - rope == pytest.approx([servo + both + stiff, 3 * 2 * 0.7 + min(0.2 + 4, 1.5)], rel=1e-7)
    assert {p.name for p in system.parameters} == {*CONTROLS}
    named = {o.place: o.effect for o in system.omissions if o.kind in ("actuator", "tendon", "saturation")}
    assert named == dict.fromkeys(
        ("tendon/line", "tendon/sprung", "tendon/slack", "actuator/filtered", "actuator/muscle", "actuator/ratio",
         "actuator/pulled"), "forces",
    )  # fmt: skip
    assert [(o.place, o.effect) for o in system.omissions if o.kind == "joint-limit"] == [
        ("joint-limit/bare", "forces")
    ]


def _rope(hinge: float, slide: float) -> float:
    """Return the length of the tendon between two sites; the stage stands at 20°."""
    turn = hinge - np.radians(20)
    x, y, z = slide + TIP[0], TIP[1], TIP[2]
    at = [np.cos(turn) * x + np.sin(turn) * z, y, np.cos(turn) * z - np.sin(turn) * x]
    return float(np.linalg.norm(np.array(at) - ANCHOR))


@pytest.mark.parametrize(("metres", "kilograms"), [(1, 1), (0.01, 0.001)])
def test_actuators_are_read_twice_alike(metres: float, kilograms: float) -> None:
    text, facts = actuated(metres, kilograms)
    system = read_facts(facts, "a.usda").system
    drawn = draw(system, 2, 0)
    made = trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), [])
    found = second_reading(replace(made, closed=drawn.system, text=Original(text, "usd", file="a.usda")))
    assert {f"{c.quantity}: {c.verdict} {c.explanation}" for c in found if c.verdict != "agrees"} == set()
    assert "text: controls" in {c.quantity for c in found}
    for old, new in (
        ("gainPrm = [5", "gainPrm = [6"),
        ("coef = [2", "coef = [3"),
        ("forceRange:max = 1.5", "forceRange:max = 1.4"),
        ("stiffness = 40", "stiffness = 41"),
        ("stiffness = 3\n", "stiffness = 4\n"),
    ):
        assert old in text
        other = second_reading(
            replace(made, closed=drawn.system, text=Original(text.replace(old, new), "usd", file="a.usda"))
        )
        assert "disagrees" in {c.verdict for c in other}, old


def test_a_fluid_is_that_of_mjcf_by_its_numbers(capsys: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """The converter's unnamed actuators are those of MJCF, too."""
    run = runner(capsys, monkeypatch, tmp_path)
    inertial = '<inertial mass="2" pos="0.1 0 0.2" diaginertia="0.02 0.05 0.06"/>'
    for name, density in (("same", 4000), ("other", 4001)):
        Path(f"{name}.xml").write_text(
            f'''<mujoco model="m"><option density="{density}.0" viscosity="1e-1" timestep="0.1"/><worldbody>
            <body name="b"><joint name="j" axis="0 1 0"/>{inertial}</body></worldbody>
            <actuator><motor joint="j" gear="3"/></actuator></mujoco>'''
        )
    scene = {"physics:gravityMagnitude": ["float", 9.81], "mjc:option:density": ["double", 4000.0]}
    body = {"physics:mass": ["double", 2.0], "physics:centerOfMass": ["point3d", [0.1, 0.0, 0.2]]}
    body |= {"newton:inertia": ["double[]", [0.02, 0.05, 0.06, 0.0, 0.0, 0.0]]}
    facts = {"stage": 1, "metres": 1.0, "kilograms": 1.0, "up": "Z", "prims": [
        {"path": "/scene", "type": "PhysicsScene", "values": scene | {"mjc:option:viscosity": ["double", 0.1]}},
        {"path": "/b", "type": "Xform", "apis": ["PhysicsRigidBodyAPI", "PhysicsMassAPI"], "values": body},
        {"path": "/j", "type": "PhysicsRevoluteJoint", "values": {"physics:axis": ["token", "Y"]},
         "targets": {"physics:body1": ["/b"]}},
        {"path": "/Actuator_0", "type": "MjcActuator", "values": {"mjc:gear": ["double[]", [3.0]]},
         "targets": {"mjc:target": ["/j"]}},
    ]}  # fmt: skip
    Path("s.usda").write_text(json.dumps(facts), encoding="utf-8")
    same = run("compare", "same.xml", "s.usda", "--accept-omissions", "medium=1")
    assert (same.code, same.out.splitlines()[0]) == (0, "the same machine without 1 fluid around the bodies")
    assert "is an input of" not in same.out
    other = run("compare", "other.xml", "s.usda", "--accept-omissions", "medium=1").out
    assert 'medium/option: \'<option density="4001.0" viscosity="1e-1"/>\' in A, ' in other


def test_what_acts_in_the_text_and_is_not_named_is_noticed() -> None:
    text = text_of("04_two_hinges").replace(
        'def PhysicsRevoluteJoint "elbow"',
        'def MjcTendon "t" { double mjc:stiffness = 1 }\n def NewtonActuator "n" {}\n def PhysicsRevoluteJoint "elbow"',
    )
    (found,) = second_reading(ask("04_two_hinges", text))
    assert "the text has actuator/robot/n, tendon/t: it acts on the motion" in found.explanation


def test_a_weld_to_a_body_that_stands_still_is_one_closure() -> None:
    """The fixed joint that a converter writes beside a kinematic body joins what stands still, and says nothing."""
    facts = json.loads(json.dumps(FACTS["04_two_hinges"]))
    last = [prim["path"] for prim in facts["prims"] if "PhysicsRigidBodyAPI" in prim.get("apis", ())][-1]
    hand = {"path": "/robot/hand", "type": "Xform", "apis": ["PhysicsRigidBodyAPI"]}
    hand["values"] = {"physics:kinematicEnabled": ["bool", True]}
    held = {"path": "/robot/held", "type": "PhysicsFixedJoint", "targets": {"physics:body1": ["/robot/hand"]}}
    ends = {"physics:body0": ["/robot/hand"], "physics:body1": [last]}
    weld = {"path": "/robot/weld", "type": "PhysicsFixedJoint", "apis": ["MjcEqualityWeldAPI"], "targets": ends}
    weld["values"] = {"physics:excludeFromArticulation": ["bool", True]}
    facts["prims"] += [hand, held, weld]
    system = read_facts(facts, "w.usda").system
    assert [row.name for row in system.constraints] == ["weld"]
    assert "closure" not in {o.kind for o in system.omissions}
    found = machine(print_layer("robot", facts["prims"]), "usd", at("04_two_hinges"))
    assert ([x.name for x in found.closures], found.beside) == (["weld"], ())


TIMED = """<mujoco model="robot"><worldbody><body name="arm">
  <joint name="hinge" axis="0 1 0" ref="20" springref="45" springdamper="0.2 1.5" armature="0.05"/>
  <inertial mass="4" pos="0.1 0 0.2" diaginertia="0.04 0.1 0.12"/>
  <body name="car"><joint name="slide" type="slide" axis="1 0 0" springdamper="0.3 0.7"/>
    <inertial mass="2" pos="0 0 0.1" diaginertia="0.2 0.2 0.2"/></body></body></worldbody></mujoco>"""


def timed(hinge: list[float], *more: dict[str, Any], metres: float = 1.0) -> tuple[str, dict[str, Any]]:
    """Return text and facts of the stage of MuJoCo's words with time constants and damping ratios."""
    facts = json.loads(json.dumps(FACTS["19_mjc"])) | {"metres": metres}
    by_path = {prim["path"]: prim.setdefault("values", {}) for prim in facts["prims"]}
    by_path["/robot/hinge"] |= {"mjc:springdamper": ["double[]", hinge], "newton:armature": ["float", 0.05 / metres**2]}
    by_path["/robot/slide"]["mjc:springdamper"] = ["double[]", [0.3, 0.7]]
    for path in ("/robot/arm", "/robot/car"):
        for key, power in (("physics:centerOfMass", 1), ("physics:diagonalInertia", 2)):
            by_path[path][key][1] = [float(np.float32(x / metres**power)) for x in by_path[path][key][1]]
    facts["prims"] += more
    text = print_layer("robot", facts["prims"]).replace("metersPerUnit = 1", f"metersPerUnit = {metres}")
    return text, facts


@pytest.mark.parametrize("metres", [1, 0.01])
def test_a_time_constant_and_a_damping_ratio_are_those_of_mjcf_and_are_read_twice_alike(
    capsys: Any, monkeypatch: Any, tmp_path: Path, metres: float
) -> None:
    """The inertia is that of scaled masses, with the rotor, where the stage stands."""
    run = runner(capsys, monkeypatch, tmp_path)
    text, facts = timed([0.2, 1.5], metres=metres)
    Path("s.usda").write_text(json.dumps(facts), encoding="utf-8")
    for ratio, first in (("1.5", "the same machine"), ("1.50001", "not the same machine")):
        Path("a.xml").write_text(TIMED.replace("0.2 1.5", f"0.2 {ratio}"), encoding="utf-8")
        assert run("compare", "a.xml", "s.usda", "--read", "physics=ignore").out.startswith(first)
    drawn = draw(read_facts(facts, "a.usda").system, 2, 0)
    made = replace(trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), []), closed=drawn.system)
    for changed, verdicts in (("1.5]", {"agrees"}), ("1.6]", {"agrees", "disagrees"})):
        own = Original(text.replace("1.5]", changed), "usd", file="a.usda")
        assert {c.verdict for c in second_reading(replace(made, text=own))} == verdicts


@pytest.mark.parametrize(
    ("hinge", "more", "left_out"),
    [
        ([0.0, 0.0], {}, set()),
        ([0.2, -1.5], {}, {"hinge"}),
        ([0.2, 1.5], {"path": "/robot/t", "type": "MjcTendon", "values": {"mjc:armature": ["double", 0.1]}},
         {"hinge", "slide"}),
        ([0.2, 1.5], {"path": "/robot/bare", "type": "Xform", "apis": ["PhysicsRigidBodyAPI"]}, {"hinge", "slide"}),
    ],
)  # fmt: skip
def test_springs_by_an_inertia_that_is_not_known_are_left_out(
    hinge: list[float], more: dict[str, Any], left_out: set[str]
) -> None:
    text, facts = timed(hinge, *([more] if more else []))
    system = read_facts(facts, "a.usda").system
    assert {o.place for o in system.omissions if o.kind == "joint-spring"} == {f"joint-spring/{x}" for x in left_out}
    assert {f.coordinate for f in system.forces} == {"hinge", "slide"} - left_out
    rest = {q: dict.fromkeys(system.coordinate_names, 0.1) for q in "qv"}
    found = machine(text, "usd", At(rest["q"], rest["v"], 0.0))
    assert {place for place in found.beside if "spring" in place} == {f"joint-spring/{x}" for x in left_out}
    assert {q for q, effort in found.efforts.items() if effort} == {"hinge", "slide"} - left_out


BALL = """<mujoco><worldbody><body name="b">{}<joint name="j" type="ball" damping="0.4"/>
    <inertial mass="2" pos="0.1 0.2 0.3" diaginertia="0.2 0.3 0.4"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("slide", ["", '<joint name="j_TZ" type="slide" axis="0 0 1" damping="0.006981317"/>'])
def test_damping_of_three_turns_is_that_of_a_ball_and_is_read_twice_alike(slide: str) -> None:
    """A published model has two such. One number is for shifts, too, in other units."""
    balled = registry.read_text(BALL.format(slide), format="mjcf").system
    facts = facts_of(registry.read_text(BALL.format("").replace('0.4"/>', '0"/>', 1), format="mjcf").system)
    joint = next(p for p in facts["prims"] if p.get("type") == "PhysicsSphericalJoint")
    joint.setdefault("values", {})["newton:damping"] = ["float", float(np.float32(0.4 * np.pi / 180))]
    if slide:
        joint["type"], locked = "PhysicsJoint", ("transX", "transY")
        joint["apis"] = [f"PhysicsLimitAPI:{axis}" for axis in locked]
        ends = {f"limit:{axis}:physics:low": ["float", 1.0] for axis in locked}
        joint["values"] |= ends | {f"limit:{axis}:physics:high": ["float", -1.0] for axis in locked}
    system = read_facts(facts, "a.usda").system
    assert str(mbconcord.compare(balled, system, states=2).headline).startswith("the same machine")
    drawn = draw(system, 2, 0)
    made = replace(trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), []), closed=drawn.system)
    text = print_layer(system.name, facts["prims"])
    for changed, verdicts in (("0.006981317", {"agrees"}), ("0.00698", {"agrees", "disagrees"})):
        own = Original(text.replace("0.006981317", changed), "usd", file="a.usda")
        assert {c.verdict for c in second_reading(replace(made, text=own))} == verdicts, changed


@pytest.mark.parametrize(("kind", "effect"), [("PhysicsFixedJoint", "none"), ("PhysicsSphericalJoint", "inertia")])
def test_a_body_without_mass_acts_only_where_it_moves(kind: str, effect: str) -> None:
    """A converter fixes the places of published hands to the world, as bodies without mass or shape."""
    facts = json.loads(json.dumps(FACTS["11_spherical"]))
    facts["prims"].append({"path": "/robot/place", "type": "Xform", "apis": ["PhysicsRigidBodyAPI"]})
    ends = {"physics:body0": ["/robot"], "physics:body1": ["/robot/place"]}
    facts["prims"].append({"path": "/robot/held", "type": kind, "targets": ends})
    (found,) = [o for o in read_facts(facts, "a.usda").system.omissions if o.kind == "computed-inertia"]
    assert found.effect == effect
