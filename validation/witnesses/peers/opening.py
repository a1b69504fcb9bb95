"""Written texts opened by the program that their format is of."""

from __future__ import annotations

from pathlib import Path


def refusal(format: str, text: str, file: str) -> str:
    """Return what the program of a format says against a text; empty if it opens it, or is not installed.

    Meshes are looked for from the folder of ``file``.
    """
    if format != "mjcf":
        return ""
    try:
        import mujoco
    except ImportError:
        return ""
    try:
        spec = mujoco.MjSpec.from_string(text)
        spec.modelfiledir = str(Path.cwd() if file in ("", "-") else Path(file).resolve().parent)
        spec.compile()
    except ValueError as problem:
        return f"MuJoCo {mujoco.__version__} refuses it: {' '.join(str(problem).split())}"
    return ""
