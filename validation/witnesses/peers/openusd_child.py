"""A script that asks OpenUSD's own physics for masses of bodies and frames of joints, and prints them as JSON.

Arguments ``COMPOSE STAGE TEXT FOLDER …``: the script that opens stages, and its arguments. It runs in a process of its
own, under limits, and imports nothing of mbconcord.
"""

import json
import runpy
import sys
from typing import Any

#: Shapes that are measured here: edges, radii and lengths by attribute.
SIMPLE = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone")


def weigh(prim: Any) -> Any:
    """Return volume, moments at density 1 and pose of a collision shape, from its attributes and scale."""
    from pxr import Gf, Usd, UsdGeom, UsdPhysics

    found = UsdPhysics.RigidBodyAPI.MassInformation()
    cache = UsdGeom.XformCache(Usd.TimeCode.Default())
    body = prim
    while not body.HasAPI(UsdPhysics.RigidBodyAPI) and not body.GetParent().IsPseudoRoot():
        body = body.GetParent()
    own, around = (Gf.Transform(cache.GetLocalToWorldTransform(p)) for p in (prim, body))
    scale = [abs(x) for x in own.GetScale()]
    turn, place = own.GetRotation(), own.GetTranslation()
    back = around.GetRotation().GetInverse()
    found.localPos = Gf.Vec3f(back.TransformDir(place - around.GetTranslation()))
    found.localRot = Gf.Quatf((turn * back).GetQuat())
    found.centerOfMass = Gf.Vec3f(0)
    kind = prim.GetTypeName()
    size = {
        name: prim.GetAttribute(name).Get() for name in ("size", "radius", "height", "axis") if prim.HasAttribute(name)
    }
    if kind == "Cube":
        a, b, c = (size["size"] * s for s in scale)
        volume = a * b * c
        moments = [volume * (x * x + y * y) / 12 for x, y in ((b, c), (a, c), (a, b))]
    elif kind == "Sphere":
        r = size["radius"] * max(scale)
        volume = 4 / 3 * 3.141592653589793 * r**3
        moments = [0.4 * volume * r * r] * 3
    elif kind in SIMPLE:
        along = "XYZ".index(size["axis"])
        r = size["radius"] * max(s for k, s in enumerate(scale) if k != along)
        h = size["height"] * scale[along]
        volume, across, own_axis = round_solid(kind, r, h)
        moments = [own_axis if k == along else across for k in range(3)]
        if kind == "Cone":
            centre = [0.0] * 3
            centre[along] = -h / 4
            found.centerOfMass = Gf.Vec3f(*centre)
    else:
        volume, moments = -1.0, [0.0] * 3
    found.volume = volume
    found.inertia = Gf.Matrix3f(*(moments[i] if i == k else 0.0 for i in range(3) for k in range(3)))
    return found


def round_solid(kind: str, r: float, h: float) -> tuple[float, float, float]:
    """Return volume, and moments at density 1 about the centre across and along the axis of a round solid."""
    pi = 3.141592653589793
    cylinder, ball = pi * r * r * h, 4 / 3 * pi * r**3
    if kind == "Cylinder":
        return cylinder, cylinder * (3 * r * r + h * h) / 12, cylinder * r * r / 2
    if kind == "Cone":
        cone = cylinder / 3
        return cone, cone * 3 / 80 * (4 * r * r + h * h), 0.3 * cone * r * r
    ends = ball * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
    return cylinder + ball, cylinder * (3 * r * r + h * h) / 12 + ends, cylinder * r * r / 2 + 0.4 * ball * r * r


def look(compose: str, stage_file: str, text: str, folders: list[str]) -> dict[str, Any]:
    """Return what OpenUSD says of the bodies and joints of a stage, or the reason why it says nothing."""
    from pxr import Usd, UsdGeom, UsdPhysics

    stage, facts = runpy.run_path(compose)["open_stage"](stage_file, text, folders)
    if stage is None:
        return {"unread": facts.get("unread") or "it names files that are not read"}
    found: dict[str, Any] = {
        "version": ".".join(map(str, Usd.GetVersion()[1:])), "bodies": {}, "joints": {},
        "metres": UsdGeom.GetStageMetersPerUnit(stage), "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
        "scaled": any(p.GetAttribute("mjc:compiler:setTotalMass").Get() for p in stage.Traverse()),
    }  # fmt: skip
    degrees = all(p.GetAttribute("mjc:compiler:angle").Get() != "radian" for p in stage.Traverse())
    for kind, (paths, all_said) in UsdPhysics.LoadUsdPhysicsFromRange(stage, ["/"]).items():
        word = str(kind).rpartition(".")[2]
        for path, said in zip(paths, all_said):
            if word == "RigidBody" and said.rigidBodyEnabled:
                found["bodies"][str(path)] = of_body(stage.GetPrimAtPath(path), said)
            elif word.endswith("Joint") and said.jointEnabled:
                ref = stage.GetPrimAtPath(path).GetAttribute("mjc:ref").Get() or 0.0
                unit = found["metres"] if word == "PrismaticJoint" else 3.141592653589793 / 180 if degrees else 1.0
                found["joints"][str(path)] = {
                    "type": word, "axis": str(getattr(said, "axis", "")).rpartition(".")[2],
                    "bodies": [str(said.body0), str(said.body1)], "closes": said.excludeFromArticulation,
                    "ref": ref * unit,
                    "places": [[*said.localPose0Position], [*said.localPose1Position]],
                    "turns": [quaternion(said.localPose0Orientation), quaternion(said.localPose1Orientation)],
                }  # fmt: skip
    order = {str(prim.GetPath()): i for i, prim in enumerate(stage.Traverse(Usd.TraverseInstanceProxies()))}
    found["joints"] = dict(sorted(found["joints"].items(), key=lambda pair: order[pair[0]]))
    return found


def quaternion(q: Any) -> list[float]:
    """Return a quaternion, its real part first."""
    return [q.GetReal(), *q.GetImaginary()]


def plain(value: Any) -> Any:
    """Return a number, or a list of those of a vector or quaternion."""
    return quaternion(value) if hasattr(value, "GetReal") else [*value] if hasattr(value, "__len__") else value


def of_body(prim: Any, said: Any) -> dict[str, Any]:
    """Return pose, mass, centre, principal moments and axes of a body, and what it and its shapes leave unsaid."""
    from pxr import Usd, UsdPhysics

    body, api = UsdPhysics.RigidBodyAPI(prim), UsdPhysics.MassAPI(prim)
    mass, moments, centre, axes = body.ComputeMassProperties(weigh)
    shapes, below = [], iter(Usd.PrimRange(prim, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))
    for p in below:
        if p != prim and p.HasAPI(UsdPhysics.RigidBodyAPI):  # it has its own shapes
            below.PruneChildren()
        elif p.HasAPI(UsdPhysics.CollisionAPI):
            shapes.append(p)
    other = any(
        p.HasAttribute(key) and p.GetAttribute(key).HasAuthoredValue()
        for p in shapes
        for key in ("mjc:inertia", "newton:massModel")
    )  # fmt: skip
    given = {
        key: plain(attribute.Get()) if attribute.HasAuthoredValue() else None
        for key, attribute in (
            ("mass", api.GetMassAttr()), ("moments", api.GetDiagonalInertiaAttr()),
            ("centre", api.GetCenterOfMassAttr()), ("axes", api.GetPrincipalAxesAttr()),
        )
    }  # fmt: skip
    return {
        "names": [prim.GetMetadata("displayName") or prim.GetName(), str(prim.GetPath())[1:]],
        "place": [*said.position], "turn": quaternion(said.rotation), "fixed": said.kinematicBody,
        "mass": mass, "moments": [*moments], "centre": [*centre], "axes": quaternion(axes),
        "said": given, "newton": plain(prim.GetAttribute("newton:inertia").Get()),
        "shapes": sorted({str(p.GetTypeName()) for p in shapes}), "other": other,
    }  # fmt: skip


if __name__ == "__main__":
    json.dump(look(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]), sys.stdout)
