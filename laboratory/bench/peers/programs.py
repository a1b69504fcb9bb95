"""Other programs that compute the quantities of a model: each in its own way, at rows of states."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.converters.registry import write
from mbconcord.model.constraint import PointCoincidence
from mbconcord.model.expressions import FLOAT, ZERO, Expression, count_operations, evaluate_float
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import parameter_values
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
#: Longer programs take compilers of C minutes.
CASADI_MOST: Final = 7_500
#: Numbers of quantities in the sources; then pose and Jacobian, accelerations with constraints, their derivatives.
NUMBERS: Final = {
    "inverse_dynamics": 0, "acceleration": 1, "M": 2, "M_lower": 2, "dtau_dq, dtau_dv": 3, "da_dq, da_dv, da_dtau": 4,
    "regressor_nonzero": 5,
}  # fmt: skip
#: Ways of Pinocchio's with constraints: how singular rows are softened, in axes of the body or of the world.
WAYS: Final = [f"{soft}{axes}" for soft in ("", "1e-12, ", "1e-10, ", "1e-8, ") for axes in ("local", "world")]
_OTHER: Final = "not handed over: axes other than x, y or z"


@dataclass(frozen=True)
class PeerProgram:
    """Another program, with name and version as they are shown; what computes a case, of several ways all."""

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

    @cache
    def library(slides: bool) -> Any:
        (place := folder / f"slides {slides}").mkdir()
        made = build_library([SOURCES / "pinocchio.cpp"], place, [*flags, *["-DSLIDES"] * slides])
        made.robot.restype = ctypes.c_void_p
        return made

    def works(case: Case) -> Mapping[str, Work]:
        steps = [step for body in case.system.bodies for step in body.joint if step.coordinate]
        own = library(any(step.kind == "translation" for step in steps))
        robot, (number, link) = _bodies(own, case.system), _number(case)
        ways = WAYS if number > 6 else WAYS[:2] if number in (1, 2) else [""]
        entries = range(len(case.system.coordinates) * (number - 6)) if number > 6 else case.entries
        return {way: _pick(_over_rows(own.run, robot, number, i, link), entries) for i, way in enumerate(ways)}

    library(False)
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
        number, link = _number(case)
        if number in (3, 4, 5) or number > 6:
            raise AbsentError("its constraints are soft" if number > 6 else "by differences alone")
        file = folder / "model.xml"
        file.write_text(write(case.system, "mjcf").text, encoding="utf-8")
        said = ctypes.create_string_buffer(1000)
        robot = library.robot(str(file).encode(), said, len(said))
        if robot is None:
            raise AbsentError(f"refuses the model: {said.value.decode(errors='replace')}")
        return {"": _pick(_over_rows(library.run, ctypes.c_void_p(robot), number, 0, link + 1), case.entries)}

    return PeerProgram("MuJoCo (C)", found, works)


def casadi(folder: Path) -> PeerProgram:
    """Build CasADi's generated C of our program, operation by operation."""
    found = version("casadi")
    sys.path += [str(place) for place in places() if str(place) not in sys.path]
    ca: Any = import_module("casadi")

    def works(case: Case) -> Mapping[str, Work]:
        if case.system.constraints:
            raise AbsentError("not asked with constraints")
        if count_operations(case.outputs).total > CASADI_MOST:
            raise AbsentError("too long for a compiler of C")
        groups = [ca.SX.sym(name, len(names)) for name, names in case.operands.items()]
        values = {x: group[i] for group, names in zip(groups, case.operands.values()) for i, x in enumerate(names)}
        known = {name: getattr(ca, name) for name in ("sin", "cos")}
        own = replace(FLOAT, convert=lambda x: x, functions=known)
        results = run(program(case.outputs), values, own)
        here = folder / re.sub(r"\W+", "_", f"{case.name}_{case.quantity}")
        here.mkdir()
        generator = ca.CodeGenerator("equations.c", {})
        generator.add(ca.Function("equations", groups, [ca.vertcat(*results)]))
        generator.generate(f"{here}{os.sep}")
        made = build_library([here / "equations.c", SOURCES / "casadi.c"], here)
        return {"": _over_rows(made.run, len(case.system.coordinate_names), len(case.outputs))}

    return PeerProgram("CasADi (its C)", found, works)


#: In the order in which they are shown.
PROGRAMS: Final[Mapping[str, Callable[[Path], PeerProgram]]] = {
    "Pinocchio (C++)": pinocchio, "MuJoCo (C)": mujoco, "CasADi (its C)": casadi,
}  # fmt: skip


def _number(case: Case) -> tuple[int, int]:
    """Return the number of the quantity in the sources, and that of the link of which it is pose and Jacobian."""
    if case.system.constraints:
        return 7 + (case.quantity != "acceleration"), 0
    if link := re.fullmatch(r"pose\((\w+)\), jacobian\(\1\)", case.quantity):
        return 6, [body.name for body in case.system.bodies].index(link[1])
    return NUMBERS[case.quantity], 0


def _pick(work: Work, entries: Sequence[int] | None) -> Work:
    """Return work whose first results are these entries of each row of a longer one."""
    if entries is None:
        return work

    def pick(states: list[Array], out: Array | None) -> None:
        whole = None if out is None else np.empty((len(out), max(entries) + 1))
        work(states, whole)
        if out is not None and whole is not None:
            out[:, : len(entries)] = whole[:, entries]

    return pick


def _over_rows(function: Any, *chosen: Any) -> Work:
    def work(states: list[Array], out: Array | None) -> None:
        given = map(_address, (states * 4)[:4])  # what a quantity does not use is not read
        function(*chosen, *given, None if out is None else _address(out), ctypes.c_long(len(states[0])))

    return work


def _address(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _bodies(library: Any, system: System) -> Any:
    """Build a Pinocchio robot from a model whose joints turn about x, y or z or shift along them."""
    known = parameter_values(system)
    numbers, placed = partial(_numbers, known=known), partial(_pose, known=known)
    weight = numbers(*(system.gravity.vector if system.gravity else (ZERO, ZERO, ZERO)))
    robot = ctypes.c_void_p(library.robot(_address(weight)))
    place: dict[str | None, int] = {None: -1}
    count = 0
    for body in system.bodies:
        parent, pose, moves = place[body.parent], np.eye(4), list[tuple[Array, int]]()
        for step in body.joint:
            if step.coordinate is None:
                pose = pose @ placed(step)
            else:
                moves, pose = [*moves, (pose, _axis(step))], np.eye(4)
        xx, yy, zz, xy, xz, yz = body.inertia.tensor
        (mass,), six = numbers(body.inertia.mass), numbers(xx, xy, yy, xz, yz, zz)
        inertia = mass, numbers(*body.inertia.centre), six
        moves += [(pose, -1)] * (not moves or not np.array_equal(pose, np.eye(4)))
        for i, (pose, axis) in enumerate(moves):
            mass, centre, tensor = inertia if i == len(moves) - 1 else (0.0, np.zeros(3), np.zeros(6))
            rotation, shift = (np.ascontiguousarray(x) for x in (pose[:3, :3], pose[:3, 3]))
            weights = ctypes.c_double(mass), _address(centre), _address(tensor)
            library.body(robot, parent, axis, _address(rotation), _address(shift), *weights)
            parent, count = count, count + 1
        place[body.name] = parent
    steps = [step for body in system.bodies for step in body.joint if step.kind == "rotation"]
    planar = all(numbers(*step.axis)[2] for step in steps)
    for row in system.constraints:
        for first, second in _points(row, planar, known):
            ends = ((place[body], _address(np.ascontiguousarray(at))) for body, at in (first, second))
            library.loop(robot, *(x for end in ends for x in end))
    library.ready(robot)
    return robot


def _points(row: Any, planar: bool, known: Mapping[str, Any]) -> Iterator[Any]:
    """Yield pairs of points that coincide: of a cut joint that turns two on its axis, in a plane one."""
    if isinstance(row, PointCoincidence):
        yield tuple((point.body, _numbers(*point.position, known=known)) for point in (row.first, row.second))
        return
    steps = row.first.transformations
    (turn,) = (i for i, step in enumerate(steps) if step.coordinate)
    parts = steps[:turn], steps[turn + 1 :], row.second.transformations
    before, behind, other = (reduce(np.matmul, (_pose(step, known) for step in part), np.eye(4)) for part in parts)
    for far in (0,) if planar else (0, 1):
        at = np.append(far * _numbers(*steps[turn].axis), 1)
        first, second = before @ at, other @ np.linalg.inv(behind) @ at
        yield (row.first.body, first[:3]), (row.second.body, second[:3])


def _axis(step: ElementaryTransformation) -> int:
    axis: list[float] = _numbers(*step.axis).tolist()
    if sorted(axis) != [0.0, 0.0, 1.0]:
        raise AbsentError(_OTHER)
    return axis.index(1.0) + 3 * (step.kind == "translation")


def _pose(step: ElementaryTransformation, known: Mapping[str, Any] = {}) -> Array:
    """Return a (4, 4) constant shift or turn, by Rodrigues' formula E + sin K + (1 - cos) K²."""
    (x, y, z), amount = _numbers(*step.axis), evaluate_float(step.amount, known)
    pose = np.eye(4)
    if step.kind == "translation":
        pose[:3, 3] = amount * np.array([x, y, z])
    else:
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        pose[:3, :3] += np.sin(amount) * K + (1 - np.cos(amount)) * (K @ K)
    return pose


def _numbers(*values: Expression, known: Mapping[str, Any] = {}) -> Array:
    return np.array([evaluate_float(value, known) for value in values])
