"""A script that composes a stage and prints its facts as JSON: the only place where OpenUSD is imported.

Arguments ``STAGE TEXT FOLDER …``: file of the stage, a file with its text instead (or empty), and folders in which
files that it names may lie. ``layer ARRAYS LAYER`` prints a layer as text instead, composing nothing. It runs in a
process of its own, under limits, and imports nothing of mbconcord.
"""

import json
import sys
from pathlib import Path
from typing import Any

#: Largest number of prims.
PRIMS = 200_000
#: Beginnings of names of attributes that are read; sizes of shapes; triangles of meshes that need a mass.
READ = ("physics:", "newton:", "mjc:", "physx", "drive:", "limit:", "state:", "xformOp", "material:binding", "urdf:")
SIZES = ("size", "radius", "height", "axis", "radiusTop", "radiusBottom", "width", "length")
TRIANGLES = ("points", "faceVertexCounts", "faceVertexIndices", "orientation")
COLLIDERS = ("Physics", "Newton", "NewtonMesh", "Mjc", "MjcMesh")
LAYERS = (".usd", ".usda", ".usdc", ".usdz")
#: Most elements of an array that the text of a layer has unasked.
LONG = 64
#: What is to be done about an address of the network.
FETCH = "put the file into the folder of the model, and name it there"


def list_arcs(layer: Any) -> list[tuple[str, str, str]]:
    """List the other layers that a layer names: kind of arc, prim and address of each."""
    found = [("sublayer", "/", str(path)) for path in layer.subLayerPaths]

    def look(path: Any) -> None:
        spec = layer.GetPrimAtPath(path) if path.IsPrimPath() or path.IsPrimVariantSelectionPath() else None
        if spec is not None:
            own = str(path.StripAllVariantSelections())
            for word, items in (("reference", spec.referenceList), ("payload", spec.payloadList)):
                found.extend((word, own, item.assetPath) for item in items.GetAddedOrExplicitItems() if item.assetPath)
            if spec.HasInfo("clips"):
                found.append(("clips", own, ""))

    layer.Traverse(layer.pseudoRoot.path, look)
    return found


def close_over(layer: Any, stage: str, folders: list[str]) -> tuple[list[list[str]], bool]:
    """Return the named files that are missing or outside of the folders, and whether the rest may be composed."""
    from pxr import Sdf, Tf

    refused: list[list[str]] = []
    root = Path(stage).resolve()
    safe, seen, waiting = True, {root}, [(layer, root.parent)]
    while waiting:
        at, folder = waiting.pop(0)
        for word, prim, name in list_arcs(at):
            if word == "clips":
                refused.append([prim, "clips: values in time are not read", "write the default values"])
                safe = False
                continue
            plain = name.split(":SDF_FORMAT_ARGS:")[0]
            path = (folder / plain).resolve()
            inside = any(path.is_relative_to(own) for own in folders)
            if "://" in plain or not inside:
                where = "is an address of the network" if "://" in plain else "lies outside of the folder of the model"
                refused.append([prim, f"{name} {where}", "--read package-path=FOLDER" if "://" not in plain else FETCH])
                safe = False
            elif not path.is_file():
                refused.append([prim, f"{word} of <{prim}>: {name} is not there", "put the file there"])
            elif path not in seen and path.suffix in LAYERS:
                seen.add(path)
                try:
                    other = None if path.suffix == ".usdz" else Sdf.Layer.FindOrOpen(str(path))
                except Tf.ErrorException as problem:
                    said = " ".join(str(problem).split()).rpartition(" : ")[2].strip("' ")
                    refused.append([prim, f"{word} of <{prim}>: {name} cannot be read: {said}", "mend it there"])
                    safe, other = False, None
                if other is not None:
                    waiting.append((other, path.parent))
    return refused, safe


def plain(value: Any) -> Any:
    """Return a value as numbers, texts and lists of them; quaternions begin with their real part."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "real") and hasattr(value, "imaginary"):
        return [value.real, *value.imaginary]
    if hasattr(value, "__len__"):
        return [plain(x) for x in value]
    return str(value)


def read_attributes(prim: Any, keys: Any, found: dict[str, Any]) -> None:
    """Add the authored values of a prim to its facts ``found``, each with its type."""
    values, varied, mistyped = {}, [], []
    for attribute in prim.GetAuthoredAttributes():
        key = attribute.GetName()
        if not keys(key):
            continue
        if attribute.GetNumTimeSamples():
            varied.append(key)
        kind = attribute.GetTypeName()
        if any(spec.typeName != kind and spec.HasInfo("default") for spec in attribute.GetPropertyStack()):
            mistyped.append(key)
            continue
        value = attribute.Get()
        if value is not None:
            exact = attribute.GetCustomDataByKey("decimals")
            values[key] = [str(kind), plain(value), *([exact] if isinstance(exact, str) else [])]
    for key, items in (("values", values), ("varied", varied), ("mistyped", mistyped)):
        if items:
            found[key] = items


def read_prim(prim: Any, weighs: bool) -> dict[str, Any]:
    """Return the facts of a prim; with the triangles of a mesh if its body takes mass from shapes (``weighs``)."""
    found: dict[str, Any] = {"path": str(prim.GetPath())}
    if prim.GetTypeName():
        found["type"] = prim.GetTypeName()
    operation = prim.GetMetadata("apiSchemas")
    applied = dict.fromkeys([*prim.GetAppliedSchemas(), *(operation.GetAddedOrExplicitItems() if operation else ())])
    if applied:
        found["apis"] = list(applied)
    if prim.HasAuthoredMetadata("displayName"):
        found["name"] = prim.GetMetadata("displayName")
    shown = (*SIZES, *TRIANGLES) if weighs and any(f"{c}CollisionAPI" in applied for c in COLLIDERS) else SIZES
    read_attributes(prim, lambda key: key.startswith(READ) or key in shown, found)
    targets = {
        r.GetName(): [str(t) for t in r.GetTargets()]
        for r in prim.GetAuthoredRelationships() if r.GetName().startswith(READ)
    }  # fmt: skip
    if targets:
        found["targets"] = targets
    return found


def list_specs(prim: Any) -> list[list[str]]:
    """List the files of the layers below the stage's own that say something of a prim, and its paths there."""
    specs = [[spec.layer.realPath, str(spec.path.StripAllVariantSelections())] for spec in prim.GetPrimStack()]
    return [own for own in specs if own[0] not in ("", prim.GetStage().GetRootLayer().realPath)]


def is_weighed(own: dict[str, Any]) -> bool:
    """Return True if the attributes of a body give its mass, centre and moments."""
    values = own.get("values", {})
    tensor = "newton:inertia" in values or any(values.get("physics:diagonalInertia", ["", [0]])[1])
    return values.get("physics:mass", ["", 0])[1] > 0 and "physics:centerOfMass" in values and tensor


def open_stage(stage_file: str, text: str, folders: list[str]) -> tuple[Any, dict[str, Any]]:
    """Return a stage and its first facts, with refused files; or None and the reason why it is not opened."""
    from pxr import Sdf, Tf, Usd

    try:
        layer = Sdf.Layer.FindOrOpen(stage_file)
        if layer is not None and text:
            layer.ImportFromString(Path(text).read_text(encoding="utf-8"))
    except Tf.ErrorException as problem:
        return None, {"unread": " ".join(str(problem).split())}
    if layer is None:
        return None, {"unread": "OpenUSD cannot open it"}
    refused, safe = close_over(layer, stage_file, folders)
    facts: dict[str, Any] = {"stage": 1, "refused": refused, "prims": []}
    return (Usd.Stage.Open(layer) if safe else None), facts


def compose(stage_file: str, text: str, folders: list[str]) -> dict[str, Any]:
    """Return the facts of a stage, with refused files, or the reason why it cannot be read."""
    from pxr import Usd

    stage, facts = open_stage(stage_file, text, folders)
    if stage is None:
        return facts
    refused = bool(facts["refused"])
    for found in stage.GetCompositionErrors():
        if not (refused and "AssetPath" in type(found).__name__):
            site = str(getattr(getattr(found, "rootSite", None), "path", "/"))
            said = f"a layer or an arc that cannot be put in: {' '.join(str(found).split())}"
            facts["refused"].append([site, said, "see what OpenUSD says of it"])
    for key, name in (("metres", "metersPerUnit"), ("kilograms", "kilogramsPerUnit"), ("up", "upAxis")):
        if stage.HasAuthoredMetadata(name):
            facts[key] = stage.GetMetadata(name)
    weighed: dict[str, bool] = {}
    several = sum(not layer.anonymous for layer in stage.GetUsedLayers()) > 1
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)):
        if prim.IsPseudoRoot():
            continue
        above = weighed.get(str(prim.GetPath().GetParentPath()), True)
        own = read_prim(prim, not above)
        if "PhysicsRigidBodyAPI" in own.get("apis", ()):
            above = is_weighed(own)
            own = own if above else read_prim(prim, True)
        weighed[own["path"]] = above
        if several and (specs := list_specs(prim)):
            own["specs"] = specs
        facts["prims"].append(own)
        if len(weighed) > PRIMS:
            return {"unread": f"more than {PRIMS:,} prims"}
    return facts


def transcribe(layer_file: str, kept: list[str]) -> dict[str, Any]:
    """Return the text of one layer, and the paths of long arrays that it lacks: those whose paths are not ``kept``."""
    from pxr import Sdf, Tf

    try:
        layer = Sdf.Layer.OpenAsAnonymous(layer_file)
    except Tf.ErrorException as problem:
        return {"unread": " ".join(str(problem).split())}
    found: list[Any] = []
    layer.Traverse(layer.pseudoRoot.path, lambda path: found.append(layer.GetAttributeAtPath(path)))
    left = []
    for spec in found:
        if spec is None or spec.path.ContainsPrimVariantSelection() or str(spec.path) in kept:
            continue
        if hasattr(spec.default, "__len__") and not isinstance(spec.default, str) and len(spec.default) > LONG:
            spec.ClearDefaultValue()
            left.append(str(spec.path))
    return {"text": layer.ExportToString(), "left": left}


if __name__ == "__main__":
    own = sys.argv[1:]
    made = transcribe(own[2], json.loads(own[1])) if own[0] == "layer" else compose(own[0], own[1], own[2:])
    json.dump(made, sys.stdout)
