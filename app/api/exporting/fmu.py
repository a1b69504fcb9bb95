"""Equations as a Functional Mock-up Unit: an archive of description, sources, and a binary for this platform."""

from __future__ import annotations

import io
import math
import subprocess
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.c.library import Library
from mbconcord.kernels.c.texts import identifier
from mbconcord.kernels.c.trial import trial
from mbconcord.kernels.fmu.description import (
    EFFORTS,
    Description,
    FmuVariable,
    build_description,
    name_library,
    name_platform,
    name_variables,
)
from mbconcord.kernels.fmu.sources import FmuSources
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.derivatives import slopes
from mbconcord.model.derivatives.dynamics import Dynamics, require_parts
from mbconcord.model.diagnostics import (
    Diagnostic,
    DisagreementError,
    FormalismError,
    NumbersError,
    WriteError,
    among,
    error,
)
from mbconcord.model.expressions import TIME, Expression, ExpressionError, symbol, symbols, topological
from mbconcord.model.expressions.evaluate import evaluate_float
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.text import short_text
from mbconcord.model.force import JointEffort
from mbconcord.model.functions import define
from mbconcord.model.kinematics import split_words
from mbconcord.model.kinematics.machine import machine_obstacles
from mbconcord.model.kinematics.quantities import express_kinematics, read_kinematics
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.naming import Namer
from mbconcord.model.numbers import environment, parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.reports.description import units
from mbconcord.reports.extras import optional
from mbconcord.reports.summary import comment, list_omissions
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.witnesses.kinematics import has_motions

from ..derivatives import derived_whole
from ..interpreted import REMEDY, WITNESS
from .library import compute_known_numbers, library
from .self_test import SECONDS, find_compiler, run_self_test

if TYPE_CHECKING:
    from .closed import ClosedStart

SUFFIX: Final = ".fmu"
VERSIONS: Final = (3, 2)
#: Kinds of FMU by the words of an option; the shortest fixed step, s.
KINDS, SHORTEST = {"me": "ModelExchange", "cs": "CoSimulation"}, 1e-9
ENERGIES: Final = {"kinetic_energy": "kinetic", "potential_energy": "potential"}
DERIVATIVES: Final = ("da_dq", "da_dv", "da_dtau")
#: Powers of kg, m, s and rad in units of time and of energies.
POWERS, SECOND, JOULE = ("kg", "m", "s", "rad"), (0, 0, 1, 0), (1, 2, -2, 0)
#: Largest difference of a printed factor.
CLOSE: Final = 1e-12
#: Name of a variable, powers of its unit (none: no unit), start, and causality, variability, initial; None: any.
Written = tuple[str | None, tuple[float, ...] | None, float | None, str]
#: Causality, variability and initial of the time, of states, of their rates, and of what is computed.
CLOCK, STATE = "independent continuous None", "output continuous exact"
RATE, RESULT = "local continuous calculated", "output continuous calculated"
#: Longest name of files and of the model; names of libraries are two letters longer.
LONGEST: Final = 36
#: Members of an archive bear no date of their own.
DATE: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class FmuOptions:
    """Options of an FMU, named as the keywords of ``export``; ``start`` is the initial state."""

    version: int = 3
    kind: str = "me,cs"
    step: float | None = None
    start: State = field(default_factory=State)
    inputs: str | Sequence[str] = "all"
    binary: bool = True

    def list_kinds(self) -> tuple[str, ...]:
        """Return the kinds by their names in the standard; refuse an unknown version or kind, or an invalid step."""
        if self.version not in VERSIONS:
            raise WriteError(error("--fmi", f"there is no version {self.version!r}", "2 and 3 are written"))
        asked = [word.strip() for word in str(self.kind).split(",")]
        for word in asked:
            if word not in KINDS or asked.count(word) > 1:
                message = f"found {self.kind!r:.40}, expected kinds of FMU, each once"
                raise WriteError(error("--kind", message, "me (Model Exchange), cs (Co-Simulation) or me,cs"))
        if self.step is not None and not (isinstance(self.step, float | int) and SHORTEST <= self.step < math.inf):
            raise WriteError(
                error("--step", f"found {self.step}, expected {SHORTEST:g} s or more", "for example 0.001")
            )
        if self.step is not None and "cs" not in asked:
            raise WriteError(error("--step", f"Co-Simulation takes it, and the kind is {self.kind}", "leave it out"))
        return tuple(kind for word, kind in KINDS.items() if word in asked)

    def list_inputs(self, names: Sequence[str]) -> list[str]:
        """Return the coordinates along which the FMU takes efforts, in the model's order; refuse unknown names."""
        whole = {"all": [*names], "none": []}
        if isinstance(self.inputs, str) and self.inputs in whole:
            return whole[self.inputs]
        asked = [*(split_words(self.inputs) if isinstance(self.inputs, str) else self.inputs)]
        for name in {*(asked or [""])} - {*names}:
            message = f"{name!r} is no coordinate of the model, nor all or none"
            raise WriteError(error("--inputs", message, among(name, names)))
        return [name for name in names if name in asked]


@dataclass(frozen=True)
class Fmu:
    """An FMU before it is written.

    Attributes
    ----------
    sources, description : source files, and the model description
    whole : all results of the FMU as one library, by which the built FMU is tested
    system : the model with further efforts along coordinates as parameters
    head : comment at the beginning of each source file
    packed : whether the binary is in the archive
    closed : start of a machine with constraints; None without constraints
    """

    sources: FmuSources
    description: Description
    whole: Library
    system: System
    head: str
    packed: bool = True
    closed: ClosedStart | None = None

    @property
    def operations(self) -> list[Expression]:
        """All expressions that the functions of the FMU compute."""
        return [x for each in self.sources.libraries.values() for x in each.outputs]

    @cached_property
    def texts(self) -> dict[str, str]:
        """Texts of the archive's files by name."""
        made = {f"sources/{name}": self.head + text for name, text in self.sources.files().items()}
        made["modelDescription.xml"] = self.description.text()
        if self.sources.version == 3:
            made["sources/buildDescription.xml"] = build_description(self.sources.name)
        return made

    @cached_property
    def binary(self) -> tuple[bytes, str]:
        """The binary for this platform and an empty text; or no bytes, and the reason."""
        return compile_binary(self.sources.files(), self.sources.name)

    def compare(self) -> Diagnostic:
        """Test the built FMU on known numbers, by calls of the standard's functions alone; return a note of the result.

        For a tree the known numbers have 40 digits; with constraints they are the accelerations of ``simulate``.

        Raises
        ------
        DisagreementError
            A number of the FMU differs from the known one.
        """
        self._compare_description()
        made, name = self.whole, name_library(self.sources.name)
        known = (
            compute_known_numbers(self.system, made)
            if self.closed is None
            else self.closed.store(made, self.sources.values, self.sources.energies)
        )
        files: dict[str, str | bytes] = {**trial(made, known)}
        files |= self.sources.caller(made)
        return run_self_test(files | {name: self.binary[0]} if self.binary[0] else files, "fmu", self.binary[1])

    def _compare_description(self) -> None:
        """Compare names, units, starts and roles of variables, read back from the description, with the model's."""
        root = ElementTree.fromstring(self.texts["modelDescription.xml"])
        units = {str(unit.get("name")): _read_unit(unit) for unit in root.iter("Unit")}
        found, of = dict[str | None, Written](), dict[str | None, str | None]()
        n, first = 2 * self.sources.coordinates, self.sources.version == 2  # FMI 2.0 counts from one
        for x in root.iterfind("ModelVariables/*"):
            real = x if self.sources.version == 3 else x[0]
            start = float(real.get("start", "nan"))
            unit = units.get(real.get("unit", ""), ())
            role = f"{x.get('causality')} {x.get('variability')} {x.get('initial')}"
            found[x.get("valueReference")] = x.get("name"), unit, None if math.isnan(start) else start, role
            of[x.get("valueReference")] = real.get("derivative")
        for place, known in enumerate(self._list_variables()):
            own = found.get(str(place), (None, None, None, ""))
            if (own[0], *own[2:]) != (known[0] or own[0], *known[2:]) or known[1] not in (None, own[1]):
                message = (
                    f"variable {place} is {own}, expected {known}: name, powers of {', '.join(POWERS)}, start, role"
                )
                raise DisagreementError(error(f"{WITNESS}/modelDescription.xml", message, REMEDY))
            state = str(place - n + first) if n < place <= 2 * n else None
            if of.get(str(place)) != state:
                message = f"variable {place} is the derivative of {of.get(str(place))}, expected {state}"
                raise DisagreementError(error(f"{WITNESS}/modelDescription.xml", message, REMEDY))

    def _list_variables(self) -> Iterator[Written]:
        """Yield the variables by their value references, from the model's joints; any unit of maps without numbers."""
        made, system = self.sources, self.system
        slides = {name: 1 for body in system.bodies for name in body.modal} | _list_kinds(system)
        unit: tuple[int, ...] | None
        last, none = len(system.forces) - made.inputs, [None] * made.coordinates
        pushed = {f.name: f.coordinate for f in system.forces[last:] if isinstance(f, JointEffort)}
        fixed = _list_fixed(system) if self.closed else ()
        yield "time", SECOND, None, CLOCK
        starts = (made.start[: made.coordinates], made.start[made.coordinates :], none, none)
        groups = zip(("q.{}", "v.{}", "der(q.{})", "der(v.{})"), (0, 1, 1, 2), starts, (STATE, STATE, RATE, RESULT),
                     strict=True)  # fmt: skip
        for name, order, of, role in groups:
            for c, start in zip(system.coordinate_names, of, strict=True):
                x = slides.get(c)
                unit = (0, x, -order, 1 - x) if x is not None else None if c in slides else ()
                yield _name_plainly(name, c), unit, start, role
        for p, value in zip(self.whole.parameters, made.values, strict=True):
            if p in pushed:
                x = slides.get(pushed[p])
                unit = (1, 2 - x, -2, 0) if x is not None else None if pushed[p] in slides else ()
                yield _name_plainly("effort.{}", pushed[p]), unit, value, "input continuous None"
            else:
                role = f"parameter {'fixed' if p in fixed else 'tunable'} exact"
                yield _name_plainly("parameter.{}", p), (), value, role
        for kind in made.libraries["energies"].results if "energies" in made.libraries else ():
            yield f"energy.{ENERGIES[kind]}", JOULE, None, RESULT

    def archive(self) -> bytes:
        """Return the archive as bytes, which are the same on every computer if it has no binary."""
        members = {name: text.encode("utf-8") for name, text in self.texts.items()}
        if self.packed and self.binary[0]:
            folder = f"binaries/{name_platform(self.sources.version)}"
            members[f"{folder}/{name_library(self.sources.name)}"] = self.binary[0]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
            for name in ("modelDescription.xml", *sorted({*members} - {"modelDescription.xml"})):
                made.writestr(_member(name), members[name])
        return packed.getvalue()


def make_fmu(by: Formalism, system: System, name: str, options: FmuOptions, tool: str) -> tuple[Fmu, LeftOut]:
    """Make an FMU of a model's equations with further efforts along coordinates; return it and the model's omissions.

    Raises
    ------
    AssemblyError
        No state near the start satisfies the constraints.
    FormalismError
        The formalism gives no accelerations of the model, or accelerations jump, have kinks, or are imposed.
    NumbersError
        A parameter has no value, or there are no coordinates.
    """
    kinds, version = options.list_kinds(), options.version
    _require_efforts(system)
    parameter_values(system, options.start.parameters)  # refuses parameters without a value, and those that vary
    values = environment(system, [options.start])[0]
    namer = Namer(system.names)
    efforts = {namer.fresh(f"effort {c}"): c for c in options.list_inputs(system.coordinate_names)}
    driven = replace(
        system,
        parameters=(*map(Parameter, efforts), *system.parameters),
        forces=(*system.forces, *(JointEffort(e, c, symbol(e)) for e, c in efforts.items())),
    )
    plain = identifier(name)[:LONGEST].rstrip("_")
    closed: ClosedStart | None = None
    if system.constraints:
        optional("scipy", "sim", "an FMU of a machine with constraints")
        from .closed import derive_closed, start_closed

        parts = derive_closed(by, driven)
        given = {**options.start.parameters, **dict.fromkeys(efforts, 0.0)}
        closed = start_closed(by, driven, replace(options.start, parameters=given), parts.holonomic)
        values = values | closed.positions
        derivation, results = _add_energies(by, driven, parts.derivation)
        made = {
            "terms": library(derivation, parts.terms, f"{plain}_t"),
            "rows": library(replace(derivation, system=parts.wide), parts.rows, f"{plain}_r"),
        }
        moving: list[Any] = [*parts.terms.values(), *parts.rows.values()]
        whole = parts.write_whole(derivation, results, plain)
        fixed = _list_fixed(driven)
    else:
        derivation, results = _derive(by, driven, efforts)
        moving, made, fixed = [results["acceleration"]], {}, frozenset()
        whole = library(derivation, results, plain)
    _require_smooth(system, moving)
    slopes = [x for x in results if x in DERIVATIVES or x.startswith("d_")]
    groups = {"motion": [*filter(results.__contains__, ["acceleration"])], "slopes": slopes}
    groups["energies"] = energies = [*filter(results.__contains__, ENERGIES)]
    made |= {
        what: library(derivation, {x: results[x] for x in names}, f"{plain}_{what[0]}")
        for what, names in groups.items()
        if names
    }
    parameters = whole.parameters
    start = [float(values[f"{c}{mark}"]) for mark in ("", "'") for c in system.coordinate_names]
    numbers = [0.0 if p in efforts else float(values[p]) for p in parameters]
    sources = FmuSources(
        version, plain, len(system.coordinates), made, start, numbers, len(efforts), options.step,
        closed.numbers if closed else None,
    )  # fmt: skip
    left_out = LeftOut(system.omissions, quantities=tuple(whole.results))
    about = f"Equations of motion of {system.name} by {by.name}."
    lost = [x for x in list_omissions(left_out) if x != left_out.describe_acceptance()]
    about += f" Left out of the model, although it acts on the motion: {'; '.join(lost)}." if lost else ""
    about += f" The FMU {left_out.condition}." if left_out.condition else ""
    about += f" Co-Simulation moves by RK4 in equal steps of at most {options.step:g} s." if options.step else ""
    about += " It puts its state back onto the constraints." if closed else ""
    names, structured = _name(system, efforts, parameters, energies)
    description = Description(
        version, plain, system.name, about, tool, sources.token, structured,
        _describe(system, efforts, parameters, energies, names, start, numbers, fixed), len(system.coordinates),
        bool(slopes), (_is_timed(system, moving), _is_timed(system, [results[x] for x in energies])),
        kinds, options.step, float(options.start.t), closed is not None,
    )  # fmt: skip
    return Fmu(sources, description, whole, driven, comment(left_out, "c"), options.binary, closed), left_out


def _require_efforts(system: System) -> None:
    """Refuse imposed accelerations, and a model in which nothing moves."""
    found: list[Diagnostic] = []
    for name in find_imposed_accelerations(system):
        message = "its acceleration is imposed by a drive, and an FMU takes efforts"
        found.append(error(f"coordinates/{name}/drive", message, "give the drive an effort"))
    if found:
        raise FormalismError(found)
    if not system.coordinates:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))


def _require_smooth(system: System, moving: Sequence[Any]) -> None:
    """Refuse jumps and kinks: the FMU has no events at which an integrator would stop."""
    outputs = [*define(flatten(tuple(moving)), system.functions)]
    for node in filter(_bends, topological(outputs)):
        message = f"the motion has a jump or a kink at {short_text(node):.80}, and this FMU has no events"
        remedy = "write sign(v) as v/sqrt(v^2 + s^2) with a small s, smooth a table, or use simulate"
        raise FormalismError(error(system.name, message, remedy))


def _is_timed(system: System, results: Sequence[Any]) -> bool:
    """Return True if results depend on the time explicitly."""
    return TIME.data in symbols(define(flatten(tuple(results)), system.functions))


def _bends(node: Expression) -> bool:
    """Return True if a node is a function that jumps, or a function of time alone with kinks."""
    timed = node.op == "fun" and symbols([node]) == {TIME.data}
    if isinstance(node.data, Interpolant):
        return bool(node.data.corners(slopes=timed))
    return node.op == "fun" and (node.data == "sign" or (node.data == "abs" and timed))


def _derive(by: Formalism, system: System, efforts: Mapping[str, str]) -> tuple[Derivation, dict[str, Any]]:
    """Derive accelerations of a tree, energies, and derivatives by states and efforts; return all and these by name."""
    derivation = derived_whole(by, system, DERIVATIVES)
    require_parts(derivation)
    names = system.coordinate_names
    found: dict[str, Any] = {"acceleration": Dynamics(derivation).acceleration}
    derivation, energies = _add_energies(by, system, derivation)
    found |= energies
    if all(x in derivation.native for x in DERIVATIVES):
        by_q, by_v, _ = slopes([*energies.values()], names)
        rows = {f"d_{kind}": (*of_q, *of_v) for kind, of_q, of_v in zip(energies, by_q, by_v, strict=True)}
        found |= {x: derivation.native[x] for x in DERIVATIVES}
        if len(efforts) < len(names):
            by_effort = [zip(names, row, strict=True) for row in found.pop("da_dtau")]
            if efforts:
                found["d_inputs"] = tuple(tuple(x for c, x in row if c in efforts.values()) for row in by_effort)
        found |= rows
    return replace(derivation, native={**derivation.native, **found}), found


def _add_energies(by: Formalism, system: System, derivation: Derivation) -> tuple[Derivation, dict[str, Any]]:
    """Derive kinetic and potential energy, if the formalism can; return the extended derivation and the energies."""
    system = system.open_loops()
    energies = [kind for kind in ENERGIES if has_motions(by) and not machine_obstacles(system, kind, "energies")]
    wanted = read_kinematics(system, energies)
    found = express_kinematics(system, lambda points: by.motions(system, points) or (), wanted)
    return replace(derivation, native={**derivation.native, **found}), {**found}


def _name(
    system: System, efforts: Mapping[str, str], parameters: Sequence[str], energies: Sequence[str]
) -> tuple[list[str], bool]:
    """Return names of the variables in the order of their value references; True if they are structured names."""
    states = [(group, c) for group in ("q", "v") for c in system.coordinate_names]
    kept = (("effort", efforts[p]) if p in efforts else ("parameter", p) for p in parameters)
    return name_variables([
        ("", "time", False), *((*x, False) for x in states), *((*x, True) for x in states),
        *((*x, False) for x in kept), *(("energy", ENERGIES[kind], False) for kind in energies),
    ])  # fmt: skip


def _name_plainly(form: str, label: str) -> str | None:
    """Return the name of a variable; None where its label needs quotes."""
    return form.format(label) if label.isascii() and label.isidentifier() else None


def _list_fixed(system: System) -> Collection[str]:
    """Return the names on which constraints depend: an importer may not change them while the machine moves."""
    from .closed import constraint_symbols

    return symbols(define([*constraint_symbols(system)], system.functions))


def _list_kinds(system: System) -> dict[str, int | None]:
    """Return by coordinate whether it slides (1) or turns (0): by its joint, or the first map that it moves evenly.

    None: a map has no numbers, so that it is not known how evenly. A coordinate that bends all its maps is left out.
    """
    steps = [step for body in system.bodies for step in body.joint]
    found: dict[str, int | None] = {x.coordinate: int(x.is_translation) for x in steps if x.coordinate}
    for step in steps:
        (amount,) = define([step.amount], system.functions)
        places = {name: 0.31 + 0.17 * i for i, name in enumerate(sorted(symbols([amount])))}
        for c in (c for c in step.moving if c not in found):
            try:
                ends = [evaluate_float(amount, {n: k * x for n, x in places.items()} | {c: 0.2 + j * 0.7})
                        for k in (1, 2) for j in (0, 1, 2)]  # fmt: skip
            except ExpressionError:
                found[c] = None
                continue
            if max(map(abs, (ends[1] - ends[0] - x for x in (ends[2] - ends[1], ends[4] - ends[3])))) < CLOSE * 1e3:
                found[c] = int(step.is_translation)
    return found


def _read_unit(unit: ElementTree.Element) -> tuple[float, ...]:
    """Return the powers of a unit's definition; NaN where it has a factor, an offset, or wrong degrees."""
    base, shown = unit[0].attrib, [float(x.get("factor", "0")) for x in unit[1:]]
    if {*base} - {*POWERS} or any(abs(math.radians(x) - 1) > CLOSE for x in shown):
        return (math.nan,)
    return tuple(int(base.get(x, "0")) for x in POWERS)


def _describe(
    system: System, efforts: Mapping[str, str], parameters: Sequence[str], energies: Sequence[str],
    names: Sequence[str], start: Sequence[float], values: Sequence[float], fixed: Collection[str],
) -> list[FmuVariable]:  # fmt: skip
    """Describe the variables in the order of their value references; constraints depend on ``fixed`` parameters."""
    n, unit = len(system.coordinates), units(system)
    unit_of = [(c, unit[c].strip("-")) for c in system.coordinate_names]
    kinds: list[tuple[tuple[str, str, str], str, str, float | None, int | None]] = []
    state, rate = ("output", "continuous", "exact"), ("local", "continuous", "calculated")
    kinds.append((("independent", "continuous", ""), "s", "time", None, None))
    kinds += [(state, u, f"coordinate {c}", x, None) for (c, u), x in zip(unit_of, start[:n], strict=True)]
    kinds += [(state, u and f"{u}/s", f"rate of {c}", x, None) for (c, u), x in zip(unit_of, start[n:], strict=True)]
    kinds += [(rate, u and f"{u}/s", "", None, 1 + i) for i, (_, u) in enumerate(unit_of)]
    result = ("output", "continuous", "calculated")
    kinds += [(result, u and f"{u}/s2", f"acceleration of {c}", None, 1 + n + i) for i, (c, u) in enumerate(unit_of)]
    for p, x in zip(parameters, values, strict=True):
        if p in efforts:
            c = efforts[p]
            about = f"further effort along {c}, in addition to the model's own forces"
            kinds.append((("input", "continuous", ""), EFFORTS.get(unit.get(c, ""), ""), about, x, None))
        else:
            change = "fixed" if p in fixed else "tunable"
            kinds.append((("parameter", change, "exact"), "", f"parameter {p}", x, None))
    zero = {"kinetic": "kinetic energy", "potential": "potential energy of the weights, zero at the fixed origin"}
    kinds += [(result, "J", zero[ENERGIES[kind]], None, None) for kind in energies]
    return [FmuVariable(name, *kind) for name, kind in zip(names, kinds, strict=True)]


def compile_binary(files: Mapping[str, str], name: str) -> tuple[bytes, str]:
    """Compile the sources for this platform; return the binary and an empty text, or no bytes and the reason."""
    compiler = find_compiler()
    if not compiler:
        return b"", "there is no C compiler"
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            (Path(folder) / file).write_text(text, encoding="utf-8")
        made = name_library(name)
        flags = ["-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-s"]
        words = [compiler, *flags, "fmu.c", "-o", made, "-lm"]
        try:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS)
            if done.returncode == 0:
                return (Path(folder) / made).read_bytes(), ""
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            return b"", f"{Path(compiler).name} ends with {done.returncode}: {last}"
        except (OSError, subprocess.TimeoutExpired) as problem:
            return b"", f"{Path(compiler).name} did not end: {problem}"


def require_fmu(target: Path) -> None:
    """Refuse a path to which no FMU can be written.

    Raises
    ------
    WriteError
        The path has another suffix than .fmu, or is a folder.
    """
    if target.suffix.lower() != SUFFIX:
        raise WriteError(error(str(target), "an FMU is one file", f"name it {target.name or 'model'}{SUFFIX}"))
    if target.is_dir():
        raise WriteError(error(str(target), "it is a folder, and an FMU is one file", "name another file"))


def _member(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, DATE)
    made.compress_type = zipfile.ZIP_DEFLATED
    made.create_system = 3
    made.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
    return made
