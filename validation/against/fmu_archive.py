"""The archive of an FMU: its description is read, and its binary is unpacked and run in another process, under limits.

FMI 2.0 and 3.0. Reading an archive runs nothing of it. The process that runs the binary has limits of time, memory and
files, an empty environment and a folder of its own; these protect against accidents and are no sandbox.
"""

from __future__ import annotations

import json
import lzma
import math
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath
from threading import Thread
from typing import Any, Final

from mbconcord.converters.registry import contents
from mbconcord.converters.xacro import end_process
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.kernels.fmu.description import name_library, name_platform
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import FMU_ANSWERS, FMU_BYTES, FMU_MEMBERS, FMU_MEMORY, FMU_SECONDS, FMU_XML_BYTES, count
from mbconcord.records import dataclass, field

DESCRIPTION: Final = "modelDescription.xml"
#: The script that runs the FMU.
CHILD: Final = Path(__file__).with_name("fmu_child.py")
#: What a damaged archive raises; ValueError: a name that is no text.
BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError, OSError, ValueError,
)  # fmt: skip
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
#: Units of SI without a prefix, and products of their powers: ``rad/s``, ``N.m.s/rad``, ``kg.m2``, ``m/s^2``.
_SI: Final = re.compile(r"(1|({0})([*./·]({0}))*)".format(r"(1|rad|m|s|kg|A|K|mol|cd|N|J|W|Pa|Hz|V|C|sr)(\^?-?\d)?"))
_REFERENCE: Final = re.compile(r"\s*\+?0*(\d{1,10})\s*", re.ASCII)


@dataclass(frozen=True)
class NamedReal:
    """A real variable of an FMU: name, value reference, causality, variability, start, unit, and factor to SI units.

    The factor is NaN if the unit has an offset, or is neither defined in the FMU nor a unit of SI.
    """

    name: str
    reference: int
    causality: str = "local"
    variability: str = "continuous"
    start: float | None = None
    factor: float = 1.0
    unit: str = ""

    @property
    def last(self) -> str:
        """The last part of the variable's name, without quotes: ``z1`` of ``q.'z1'``."""
        quoted = re.search(r"'((?:[^'\\]|\\.)*)'$", self.name)
        if quoted:
            return re.sub(r"\\(.)", r"\1", quoted[1])
        return self.name.rpartition(".")[2]

    def fits(self, group: str, name: str) -> bool:
        """Return True if the variable is member ``name`` of ``group``, such as ``q.z1``."""
        return self.last == name and self.name.startswith(f"{group}.")


@dataclass(frozen=True)
class FmuArchive:
    """An FMU as its model description states it.

    Attributes
    ----------
    file, data : name of the archive, and its bytes
    version : major version of FMI, 2 or 3
    token : instantiation token (GUID in FMI 2.0)
    exchange : model identifier for Model Exchange; empty: the FMU has only Co-Simulation
    events : True if the FMU has event indicators
    variables : name -> real variable
    states : continuous states, in the order of the derivatives
    platforms : platforms for which there are binaries
    tool : name of the tool that wrote the FMU
    simulation, pace : model identifier for Co-Simulation, and the step of which steps are multiples (s); 0: any
    """

    file: str
    data: bytes = field(repr=False)
    version: int
    token: str
    exchange: str
    events: bool
    variables: Mapping[str, NamedReal]
    states: tuple[NamedReal, ...]
    platforms: tuple[str, ...]
    tool: str = ""
    simulation: str = ""
    pace: float = 0.0

    def require_binary(self) -> str:
        """Return the name of the archive's member that is the binary for this platform.

        Raises
        ------
        ReadError
            It has neither Model Exchange nor Co-Simulation, or no binary that is run here.
        """
        if not (self.exchange or self.simulation):
            raise ReadError(error(self.file, "it has neither Model Exchange nor Co-Simulation", "export it for one"))
        here = name_platform(self.version)
        member = f"binaries/{here}/{name_library(self.exchange or self.simulation)}"
        if member not in zipfile.ZipFile(BytesIO(self.data)).namelist():
            have = f"there are {', '.join(self.platforms)}" if self.platforms else "there are sources alone, or nothing"
            remedy = "have its tool build it for this platform, or check it where there is one"
            raise ReadError(error(self.file, f"it has no binary for {here} ({member}): {have}", remedy))
        return member


def read_archive(file: str) -> FmuArchive:
    """Read the description of an FMU.

    Raises
    ------
    ReadError
        The file is no archive, is hostile or too large, or has no description of FMI 2.0 or 3.0.
    """
    data = contents(file)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
            _require_harmless(file, members)
            names = [member.filename for member in members]
            if DESCRIPTION not in names:
                raise ReadError(error(file, f"it has no {DESCRIPTION}", "an FMU has one at the top of its archive"))
            text = _read_member(file, archive, DESCRIPTION, FMU_XML_BYTES)
    except BROKEN as problem:
        raise ReadError(error(file, f"it is no archive that can be read: {problem}", "an FMU is a zip file")) from None
    platforms = sorted({PurePosixPath(name).parts[1] for name in names if _is_binary(name)})
    try:
        root = parse(text.decode("utf-8-sig"), f"{file}:{DESCRIPTION}").root
    except UnicodeDecodeError:
        raise ReadError(error(file, f"{DESCRIPTION} is not UTF-8", "FMI asks for it")) from None
    return _describe(file, data, root, tuple(platforms))


def _is_binary(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) > 2 and parts[0] == "binaries"


def _require_harmless(file: str, members: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse an archive that would write outside its folder, or that is larger than an FMU may be."""
    if len(members) > FMU_MEMBERS:
        raise ReadError(error(file, f"it has {len(members):,} members, at most {FMU_MEMBERS:,} are taken"))
    seen: set[str] = set()
    for member in members:
        name = member.filename
        linked = stat.S_ISLNK(member.external_attr >> 16)
        parts = name.replace("\\", "/").split("/")
        if linked or ".." in parts or name.startswith(("/", "\\")) or "\\" in name or ":" in name or "\0" in name:
            raise ReadError(error(file, f"its member {name!r:.80} leads outside, or is a link", "do not trust it"))
        if name in seen:
            raise ReadError(error(file, f"its member {name!r:.80} is there twice", "do not trust it"))
        seen.add(name)
    size = sum(member.file_size for member in members)
    if size > FMU_BYTES:
        raise ReadError(error(file, f"it inflates to {size:,} bytes, at most {FMU_BYTES:,} are taken"))


def _read_member(file: str, archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    with archive.open(name) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ReadError(error(file, f"its {name} has more than {most:,} bytes", "no FMU has so many"))
    return data


def _describe(file: str, data: bytes, root: XmlElement, platforms: tuple[str, ...]) -> FmuArchive:
    version = root.attributes.get("fmiVersion", "")
    if root.tag != "fmiModelDescription" or not re.match(r"[23]\.0(\D|$)", version):
        found = f"FMI {version[:20]}" if version else f"<{root.tag:.40}>"
        raise ReadError(error(file, f"found {found}: 2.0 and 3.0 are read", "export it as one of these"))
    number = int(version[0])
    parts = {child.tag: child for child in root.children}
    kinds = [parts[kind].attributes if kind in parts else None for kind in ("ModelExchange", "CoSimulation")]
    exchange, simulation = ("" if kind is None else kind.get("modelIdentifier", "") for kind in kinds)
    for name in (name for kind, name in zip(kinds, (exchange, simulation), strict=True) if kind is not None):
        if not _IDENTIFIER.fullmatch(name):
            raise ReadError(error(file, f"its modelIdentifier is {name!r:.40}", "expected an identifier"))
    missing = [name for name in ("ModelVariables", "ModelStructure") if name not in parts]
    if missing:
        raise ReadError(error(file, f"its description has no {missing[0]}", "FMI asks for it"))
    listed = [*parts["ModelVariables"].children]
    try:
        factors = _read_units(parts.get("UnitDefinitions"))
        types = _read_types(parts.get("TypeDefinitions"))
        reals = [_read_real(x, number, factors, types) for x in listed]
        slopes = [*_list_derivatives(parts["ModelStructure"], number)]
        plan = parts["DefaultExperiment"].attributes if "DefaultExperiment" in parts else {}
        pace = float((kinds[1] or {}).get("fixedInternalStepSize", plan.get("stepSize", 0)))
        if not 0 <= pace < math.inf:
            raise ValueError(f"step {pace}")
        indicators = int(root.attributes.get("numberOfEventIndicators", "0"))
        states = tuple(_list_states(listed, reals, slopes, number))
    except (ValueError, KeyError, IndexError) as problem:
        message = f"its description is broken: {type(problem).__name__} {problem}"
        raise ReadError(error(file, message, "its tool wrote it so")) from None
    indicators += sum(x.tag == "EventIndicator" for x in parts["ModelStructure"].children)
    token = root.attributes.get("guid" if number == 2 else "instantiationToken", "")
    known = {x.name: x for x in reals if x is not None}
    tool = root.attributes.get("generationTool", "")
    return FmuArchive(
        file, data, number, token, exchange, indicators > 0, known, states, platforms, tool, simulation, pace
    )


def _read_units(defined: XmlElement | None) -> dict[str, float]:
    """Read unit definitions: name -> factor to SI units; NaN if the unit has an offset, too."""
    found = {}
    for unit in defined.children if defined else ():
        for base in (child for child in unit.children if child.tag == "BaseUnit"):
            factor = float(base.attributes.get("factor", "1"))
            offset = float(base.attributes.get("offset", "0"))
            if not (math.isfinite(factor) and math.isfinite(offset)):
                name = unit.attributes.get("name", "")
                message = f"the unit {name!r:.40} has factor {factor}, offset {offset}"
                raise ReadError(error("", message, "give it finite numbers", base.at))
            found[unit.attributes.get("name", "")] = math.nan if offset else factor
    return found


def _read_types(defined: XmlElement | None) -> dict[str, str]:
    """Read the units of type definitions, which variables of these types inherit."""
    kinds = [(x, child) for x in (defined.children if defined else ()) for child in (x, *x.children)]
    return {x.attributes.get("name", ""): child.attributes["unit"] for x, child in kinds if "unit" in child.attributes}


def _read_real(x: XmlElement, version: int, factors: Mapping[str, float], types: Mapping[str, str]) -> NamedReal | None:
    """Read a variable; None if it is not a real scalar."""
    own = x if version == 3 else next((child for child in x.children if child.tag == "Real"), None)
    if own is None or (version == 3 and (x.tag != "Float64" or any(c.tag == "Dimension" for c in x.children))):
        return None
    a, start = x.attributes, own.attributes.get("start")
    reference = _read_reference(x)
    unit = own.attributes.get("unit", types.get(own.attributes.get("declaredType", ""), ""))
    return NamedReal(
        a["name"], reference, a.get("causality", "local"), a.get("variability", "continuous"),
        None if start is None else float(start),
        factors.get(unit, 1.0 if not unit or _SI.fullmatch(unit) else math.nan), unit,
    )  # fmt: skip


def _read_reference(x: XmlElement) -> int:
    """Read a value reference, which is a number of 32 bits."""
    text = x.attributes["valueReference"]
    found = _REFERENCE.fullmatch(text)
    if found is None or int(found[1]) >= 1 << 32:
        name = x.attributes.get("name", x.tag)
        message = f"the valueReference of {name!r:.80} is {text!r:.40}, expected 0 to 4,294,967,295"
        raise ReadError(error("", message, "its tool wrote it so", x.at))
    return int(found[1])


def _list_derivatives(structure: XmlElement, version: int) -> Iterator[int]:
    """Yield the places (2.0, from 1) or value references of the derivatives."""
    if version == 3:
        yield from (_read_reference(x) for x in structure.children if x.tag == "ContinuousStateDerivative")
        return
    for group in (x for x in structure.children if x.tag == "Derivatives"):
        yield from (int(x.attributes["index"]) for x in group.children if x.tag == "Unknown")


def _list_states(
    listed: Sequence[XmlElement], reals: Sequence[NamedReal | None], slopes: Sequence[int], version: int
) -> Iterator[NamedReal]:
    """Yield the state of each derivative.

    Raises
    ------
    ValueError
        A state does not exist, or is not a real scalar.
    """
    places = {_read_reference(x): i for i, x in enumerate(listed)} if version == 3 else {}
    for slope in slopes:
        at = places[slope] if version == 3 else slope - 1
        own = listed[at] if version == 3 else next(child for child in listed[at].children if child.tag == "Real")
        of = int(own.attributes["derivative"])
        state = reals[places[of] if version == 3 else of - 1]
        if state is None or at < 0 or (version == 2 and of < 1):
            raise ValueError(f"the derivative {listed[at].attributes['name']!r:.80} is of no real scalar")
        yield state


def ask(fmu: FmuArchive, runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Run the FMU's binary in a process of its own, and return its answer at each point of each run.

    Raises
    ------
    MbconcordError
        The FMU fails, its process ends, or it does not answer in time.
    """
    with tempfile.TemporaryDirectory() as folder:
        library = _unpack(fmu, Path(folder))
        job = {
            "library": str(library), "version": fmu.version, "token": fmu.token,
            "resources": str(Path(folder) / "fmu" / "resources"), "states": len(fmu.states), "events": fmu.events,
            "exchange": bool(fmu.exchange),
            "seconds": math.ceil(FMU_SECONDS) + 2, "memory": FMU_MEMORY, "runs": [*runs],
        }  # fmt: skip
        (Path(folder) / "job.json").write_text(json.dumps(job), encoding="utf-8")
        work = Path(folder) / "work"
        work.mkdir()
        found = _listen(fmu.file, [sys.executable, "-I", "-S", str(CHILD), str(Path(folder) / "job.json")], work)
    if [*map(_shape_answer, found)] != [_expect(point, len(fmu.states)) for run in runs for point in run["points"]]:
        message = "its process wrote other lines than the answers"
        raise MbconcordError(error(fmu.file, message, "the fault is the FMU's, and nothing is said of the model"))
    return found


def _expect(point: Mapping[str, Any], states: int) -> Any:
    """Return the expected shape of an answer: the number of derivatives, and the same for each effort."""
    n = len(point["take"]) if "take" in point else states
    n = (point["steps"] + 1) * len(point["read"]) if "read" in point else n
    return n, [(n, n, n)] * len(point.get("push", ())), (states, states) if "back" in point else None


def _shape_answer(found: Mapping[str, Any]) -> Any:
    """Return the shape of an answer, as :func:`_expect` does; None if the line is no answer."""

    def size(x: Any) -> int:
        if not all(type(value) is float for value in x):
            raise TypeError
        return len(x)

    try:
        pushed = [(size(x["one"]), size(x["plus"]), size(x["minus"])) for x in found.get("push", ()) if x["size"] > 0]
        back = (size(found["x"]), size(found["back"])) if "back" in found else None
        return size(found["d"]), pushed, back
    except (TypeError, KeyError):
        return None


def _unpack(fmu: FmuArchive, folder: Path) -> Path:
    """Unpack the binary of this platform and resources; return the binary."""
    binary = fmu.require_binary()
    kept = f"{PurePosixPath(binary).parent}/", "resources/"
    (folder / "fmu" / "resources").mkdir(parents=True)
    try:
        with zipfile.ZipFile(BytesIO(fmu.data)) as archive:
            for member in archive.infolist():
                if member.filename.startswith(kept) and not member.is_dir():
                    target = folder / "fmu" / member.filename
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(_read_member(fmu.file, archive, member.filename, member.file_size))
                    target.chmod(0o755)
    except BROKEN as problem:
        raise ReadError(error(fmu.file, f"it is not unpacked: {problem}", "an FMU is a zip file")) from None
    return folder / "fmu" / binary


def _listen(file: str, words: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """Run the process and read its lines; afterwards end it and its whole process group."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    process = subprocess.Popen(
        words, cwd=folder, env=kept, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    found: list[bytes] = []
    assert process.stdout is not None
    stream = process.stdout

    def read() -> None:
        left = FMU_ANSWERS
        while left > 0 and (data := os.read(stream.fileno(), min(left, 1 << 16))):
            found.append(data)
            left -= len(data)
            if data.endswith(b'{"end": true}\n'):
                return

    reader = Thread(target=read, daemon=True)
    reader.start()
    reader.join(FMU_SECONDS)
    late = reader.is_alive()
    try:
        code = None if late else process.wait(1.0)
    except subprocess.TimeoutExpired:
        code = None
    end_process(process)
    reader.join(1.0)
    if not reader.is_alive():
        stream.close()
    lines = b"".join(found).split(b"\n")
    told = [json.loads(line) for line in lines[:-1]] if _is_said(lines[:-1]) else []
    if told and told[-1] == {"end": True}:
        return told[:-1]
    at = f" (after {count(len(told), 'state')})" if told and "d" in told[-1] else ""
    remedy = "the fault is the FMU's, and nothing is said of the model"
    if told and "fault" in told[-1]:
        raise MbconcordError(error(file, str(told[-1]["fault"]), remedy))
    if late:
        raise MbconcordError(error(file, f"no answer in {FMU_SECONDS:g} s{at}: ended", remedy))
    ended = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
    raise MbconcordError(error(file, f"its process ended with {ended}{at}", remedy))


def _is_said(lines: Sequence[bytes]) -> bool:
    """Return True if all lines are answers in our own format."""
    try:
        return all(isinstance(json.loads(line), dict) for line in lines)
    except (ValueError, RecursionError):
        return False
