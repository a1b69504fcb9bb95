"""Other programs that compute the quantities of a model: each in its own way, at rows of states."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.converters.registry import write
from mbconcord.model.expressions import FLOAT, Expression, evaluate_float
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation

from ..kernels import Case

#: A folder of packages beside this environment's own, in which other programs are looked for too.
VARIABLE: Final = "MBCONCORD_PEERS"
#: As their authors advise.
FLAGS: Final = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")
COMPILERS: Final = {".cpp": ("c++", "g++", "clang++"), ".c": ("cc", "gcc", "clang")}
SOURCES: Final = Path(__file__).parent


class AbsentError(Exception):
    """A program that is not measured, and why."""


def places() -> list[Path]:
    """Return folders of packages."""
    other = os.environ.get(VARIABLE)
    return [Path(place) for place in ([other] if other else []) + sys.path if place and Path(place).is_dir()]


def version(package: str) -> str:
    """Return the version of a package; :class:`AbsentError` if it is not installed."""
    found = next(iter(distributions(name=package, path=[str(place) for place in places()])), None)
    if found is None:
        raise AbsentError("not installed")
    return found.version


def find_folder(*parts: str) -> Path:
    """Find a folder below one of the packages; :class:`AbsentError` if there is none."""
    found = next((place.joinpath(*parts) for place in places() if place.joinpath(*parts).exists()), None)
    if found is None:
        raise AbsentError(f"installed without {Path(*parts).name}")
    return found


def compiler(suffix: str) -> str:
    """Find a compiler of files of that ending; :class:`AbsentError` if there is none."""
    found = next(filter(None, map(shutil.which, COMPILERS[suffix])), None)
    if found is None:
        raise AbsentError(f"no compiler of C{'++' if suffix == '.cpp' else ''} is installed")
    return found


def build_library(sources: Sequence[Path], folder: Path, flags: Iterable[str] = ()) -> ctypes.CDLL:
    """Build the library of sources of one language in a folder.

    :class:`AbsentError`: there is no compiler, or it refuses them; its first complaint is included.
    """
    target = folder / f"{sources[0].stem}.so"
    command = [compiler(sources[0].suffix), *FLAGS, *map(str, sources), *flags, "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        complaints = [line for line in done.stderr.splitlines() if "error" in line] or [f"exit {done.returncode}"]
        raise AbsentError(f"does not compile: {complaints[0]}")
    return ctypes.CDLL(str(target))


Array = NDArray[np.float64]
#: Results at rows of states: ``work(states, out)``; without ``out`` they stay where the program leaves them.
Work = Callable[[list[Array], Array | None], None]
#: More coordinates take compilers of C minutes.
CASADI_MOST: Final = 40
_OTHER: Final = "not handed over: joints other than one turn about x, y or z"


@dataclass(frozen=True)
class PeerProgram:
    """Another program.

    Attributes
    ----------
    name, version : as they are shown
    works : what computes the quantity of a case; of several ways the program has, all
    """

    name: str
    version: str
    works: Callable[[Case], Mapping[str, Work]]


def pinocchio(folder: Path) -> PeerProgram:
    """Build Pinocchio's C++ algorithms from its package's headers: bodies one by one, joints about axes."""
    found = version("libpinocchio")
    headers = find_folder("cmeel.prefix", "include", "pinocchio").parent
    eigen = find_folder("cmeel.prefix", "include", "eigen3")
    defined = (
        "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
        "BOOST_FUSION_INVOKE_MAX_ARITY=12", "BOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT",
    )  # fmt: skip
    flags = ["-std=c++17", *(f"-D{name}" for name in defined), f"-I{headers}", f"-I{eigen}"]
    library = build_library([SOURCES / "pinocchio.cpp"], folder, flags)
    library.robot.restype = ctypes.c_void_p

    def works(case: Case) -> Mapping[str, Work]:
        robot = _bodies(library, case.system)
        if case.quantity == "inverse_dynamics":
            return {"": _over_rows(library.inverse_dynamics, robot)}
        if link := _link(case):
            number = ctypes.c_int([body.name for body in case.system.bodies].index(link))
            return {"": _over_rows(library.pose_and_jacobian, robot, number)}
        function = getattr(library, case.quantity)
        return {name: _over_rows(function, robot, ctypes.c_int(i)) for i, name in enumerate(("local", "world"))}

    return PeerProgram("Pinocchio (C++)", found, works)


def mujoco(folder: Path) -> PeerProgram:
    """Build MuJoCo's passes in C, of the model as MJCF."""
    found = version("mujoco")
    headers = find_folder("mujoco", "include")
    shared = next(headers.parent.glob("libmujoco.so*"), None)
    if shared is None:
        raise AbsentError("installed without its library")
    flags = [f"-I{headers}", str(shared), f"-Wl,-rpath,{shared.parent}"]
    library = build_library([SOURCES / "mujoco.c"], folder, flags)
    library.robot.restype = ctypes.c_void_p

    def works(case: Case) -> Mapping[str, Work]:
        file = folder / "model.xml"
        file.write_text(write(case.system, "mjcf").text, encoding="utf-8")
        said = ctypes.create_string_buffer(1000)
        robot = library.robot(str(file).encode(), said, len(said))
        if robot is None:
            raise AbsentError(f"refuses the model: {said.value.decode(errors='replace')}")
        if link := _link(case):
            return {"": _over_rows(library.pose_and_jacobian, ctypes.c_void_p(robot), ctypes.c_char_p(link.encode()))}
        return {"": _over_rows(getattr(library, case.quantity), ctypes.c_void_p(robot))}

    return PeerProgram("MuJoCo (C)", found, works)


def casadi(folder: Path) -> PeerProgram:
    """Build CasADi's generated C of our program, operation by operation."""
    found = version("casadi")
    sys.path += [str(place) for place in places() if str(place) not in sys.path]
    ca: Any = import_module("casadi")

    def works(case: Case) -> Mapping[str, Work]:
        if len(case.system.coordinate_names) > CASADI_MOST:
            raise AbsentError("too long for a compiler of C")
        groups = [ca.SX.sym(name, len(names)) for name, names in zip("qva", case.operands, strict=False)]
        values = {
            name: group[i] for group, names in zip(groups, case.operands, strict=True) for i, name in enumerate(names)
        }
        own = replace(FLOAT, convert=lambda x: x, functions={name: getattr(ca, name) for name in ("sin", "cos")})
        results = run(program(case.outputs), values, own)
        here = folder / f"{case.name}_{case.quantity}".replace(" ", "_")
        here.mkdir()
        generator = ca.CodeGenerator("equations.c", {})
        generator.add(ca.Function("equations", groups, [ca.vertcat(*results)]))
        generator.generate(f"{here}{os.sep}")
        return {"": _loop(build_library([here / "equations.c", SOURCES / "casadi.c"], here).loop, case)}

    return PeerProgram("CasADi (its C)", found, works)


#: In the order in which they are shown.
PROGRAMS: Final[Mapping[str, Callable[[Path], PeerProgram]]] = {
    "Pinocchio (C++)": pinocchio,
    "MuJoCo (C)": mujoco,
    "CasADi (its C)": casadi,
}


def _link(case: Case) -> str | None:
    """Return of which link the case is pose and Jacobian, if it is."""
    found = re.fullmatch(r"pose\((\w+)\), jacobian\(\1\)", case.quantity)
    return found and found[1]


def _over_rows(function: Any, robot: Any, *chosen: Any) -> Work:
    def work(states: list[Array], out: Array | None) -> None:
        given = [_address(x) for x in states]
        function(robot, *chosen, *given, None if out is None else _address(out), ctypes.c_long(len(states[0])))

    return work


def _loop(function: Any, case: Case) -> Work:
    n, m = len(case.system.coordinate_names), len(case.outputs)
    kept = np.empty((0, m))

    def work(states: list[Array], out: Array | None) -> None:
        nonlocal kept
        if len(kept) != len(states[0]):
            kept = np.empty((len(states[0]), m))
        three = (states * 3)[:3]  # what a quantity does not use is not read
        numbers = (ctypes.c_long(k) for k in (len(kept), n, m))
        function(*map(_address, three), _address(kept if out is None else out), *numbers)

    return work


def _address(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _bodies(library: ctypes.CDLL, system: System) -> Any:
    """Build a Pinocchio robot from a model whose joints turn about x, y or z, each last in its joint."""
    weight = _numbers(*(system.gravity.vector if system.gravity else ()))
    robot = ctypes.c_void_p(library.robot(_address(weight)))
    place = {body.name: i for i, body in enumerate(system.bodies)}
    for body in system.bodies:
        fixed = [step for step in body.joint if step.coordinate is None]
        turns = body.joint[len(fixed) :]
        if len(turns) > 1 or any(step.coordinate is None for step in turns):
            raise AbsentError(_OTHER)
        axis = _axis(turns[0]) if turns else -1
        pose = np.eye(4)
        for step in fixed:
            pose = pose @ _pose(step)
        xx, yy, zz, xy, xz, yz = body.inertia.tensor
        centre, tensor = _numbers(*body.inertia.centre), _numbers(xx, xy, yy, xz, yz, zz)
        rotation, shift = (np.ascontiguousarray(x) for x in (pose[:3, :3], pose[:3, 3]))
        mass = ctypes.c_double(evaluate_float(body.inertia.mass, {}))
        parent = -1 if body.parent is None else place[body.parent]
        library.body(robot, parent, axis, _address(rotation), _address(shift), mass, _address(centre), _address(tensor))
    library.ready(robot)
    return robot


def _axis(step: ElementaryTransformation) -> int:
    axis: list[float] = _numbers(*step.axis).tolist()
    if step.kind != "rotation" or sorted(axis) != [0.0, 0.0, 1.0]:
        raise AbsentError(_OTHER)
    return axis.index(1.0)


def _pose(step: ElementaryTransformation) -> Array:
    """Return a (4, 4) constant shift or turn, by Rodrigues' formula E + sin K + (1 - cos) K²."""
    (x, y, z), amount = _numbers(*step.axis), evaluate_float(step.amount, {})
    pose = np.eye(4)
    if step.kind == "translation":
        pose[:3, 3] = amount * np.array([x, y, z])
    else:
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        pose[:3, :3] += np.sin(amount) * K + (1 - np.cos(amount)) * (K @ K)
    return pose


def _numbers(*values: Expression) -> Array:
    return np.array([evaluate_float(value, {}) for value in values])
