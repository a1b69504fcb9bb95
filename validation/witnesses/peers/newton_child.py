"""A script that asks Newton for masses of the bodies of a stage, and for M at positions, and prints them as JSON.

Arguments ``[POSITIONS] COMPOSE STAGE TEXT FOLDER …``: a list of positions by paths of joints, if M is wanted; the
script that opens stages, and its arguments. It runs in a process of its own and imports nothing of mbconcord.
"""

import contextlib
import json
import os
import runpy
import sys
from typing import Any


def look(compose: str, stage_file: str, text: str, folders: list[str], positions: list[dict[str, float]]) -> Any:
    """Return what Newton makes of a stage, or the reason why it says nothing."""
    import newton
    import warp
    from pxr import UsdGeom, UsdPhysics

    warp.config.quiet = True
    stage, facts = runpy.run_path(compose)["open_stage"](stage_file, text, folders)
    if stage is None:
        return {"unread": facts.get("unread") or "it names files that are not read"}
    builder = newton.ModelBuilder()
    try:
        builder.add_usd(stage)
    except Exception as problem:
        return {"unread": f"{type(problem).__name__}: {problem}"}
    degrees = all(p.GetAttribute("mjc:compiler:angle").Get() != "radian" for p in stage.Traverse())
    starts = [*builder.joint_qd_start, builder.joint_dof_count]
    found: dict[str, Any] = {
        "version": newton.__version__, "bodies": {}, "joints": {},
        "metres": UsdGeom.GetStageMetersPerUnit(stage), "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
        "scaled": any(p.GetAttribute("mjc:compiler:setTotalMass").Get() for p in stage.Traverse()),
    }  # fmt: skip
    for k, path in enumerate(builder.body_label):
        J = [[float(builder.body_inertia[k][i, j]) for j in range(3)] for i in range(3)]
        tensor = [J[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        mass = [float(builder.body_mass[k]), *map(float, builder.body_com[k]), *tensor]
        tensors = (read(stage, path, key) for key in ("newton:inertia", "physics:diagonalInertia"))
        moved = read(stage, path, "physics:centerOfMass") is not None and not any(x and any(x) for x in tensors)
        found["bodies"][path] = {"names": name(stage, path), "mass": mass, "moved": moved}
    for k, path in enumerate(builder.joint_label):
        axes = starts[k + 1] - starts[k]
        ref = read(stage, path, "mjc:ref") or 0.0
        turns = builder.joint_type[k] == newton.JointType.REVOLUTE
        if axes:
            unit = 3.141592653589793 / 180 if turns and degrees else 1.0
            own = {"names": name(stage, path), "axes": axes, "at": starts[k], "ref": ref * unit}
            found["joints"][path] = own
    if positions:
        try:
            found["M"] = masses(newton, builder, found["joints"], positions)
        except ValueError:  # joints outside of every articulation
            found["M"] = None
    return found


def read(stage: Any, path: str, key: str) -> Any:
    """Return an authored value of a prim; None where Newton made the joint, or nobody authored it."""
    prim = stage.GetPrimAtPath(path) if path.startswith("/") else None
    attribute = prim.GetAttribute(key) if prim else None
    return attribute.Get() if attribute and attribute.HasAuthoredValue() else None


def name(stage: Any, path: str) -> list[str]:
    """Return displayName or name of a prim, and its path without the first slash."""
    prim = stage.GetPrimAtPath(path) if path.startswith("/") else None
    return [(prim.GetMetadata("displayName") or prim.GetName()) if prim else path, path[1:]]


def masses(newton: Any, builder: Any, joints: Any, positions: list[dict[str, float]]) -> list[Any] | None:
    """Return M at each of the positions; None if joints are in no articulation, or in several."""
    model = builder.finalize(device="cpu")
    state, found = model.state(), []
    for at in positions:
        q = model.joint_q.numpy()
        for path, value in at.items():
            q[joints[path]["at"]] = value
        model.joint_q.assign(q)
        newton.eval_fk(model, model.joint_q, model.joint_qd, state)
        M = newton.eval_mass_matrix(model, state)
        if M is None or M.shape[:2] != (1, model.joint_dof_count):
            return None
        found.append(M.numpy()[0].tolist())
    return found


if __name__ == "__main__":
    given = json.loads(sys.argv.pop(1)) if sys.argv[1].startswith("[") else []
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what compilers print is no answer
    with contextlib.redirect_stdout(sys.stderr):
        answer = look(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:], given)
    json.dump(answer, said)
    said.close()
