"""``modelDescription.xml`` and ``buildDescription.xml``: names, units and structure of what an FMU computes."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from xml.sax.saxutils import quoteattr

from mbconcord.records import dataclass

#: Units as products of powers of SI's; rad is counted, so that rad/s is not 1/s.
UNITS: Final[Mapping[str, Mapping[str, int]]] = {
    "J": {"kg": 1, "m": 2, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "s": {"s": 1},
}
#: Unit of a coordinate -> that of the effort along it.
EFFORTS: Final = {"rad": "N.m", "m": "N"}
#: Tolerance of Co-Simulation where the importer gives none.
TOLERANCE: Final = 1e-8
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: What no document of XML 1.0 may hold, and the ends of lines and tabs, which no name may.
_NO_XML: Final = re.compile("[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class FmuVariable:
    """A variable of an FMU; its value reference is its place in the list.

    Attributes
    ----------
    name : in the naming convention of the description
    kind : causality, variability, and how it is initialized (empty where the standard lets it be)
    unit : one of :data:`UNITS`, or empty where none is known
    about : one line for the user
    start : value at the start; None where the FMU computes it
    of : place of the state variable whose derivative it is
    """

    name: str
    kind: tuple[str, str, str]
    unit: str = ""
    about: str = ""
    start: float | None = None
    of: int | None = None


@dataclass(frozen=True)
class Description:
    """Description of an FMU by itself.

    Attributes
    ----------
    version : 2 or 3
    name : identifier of files and of the model
    title, about : name of the model, and a text about its equations
    tool : program that wrote the FMU
    token : digest of the sources, which the importer passes back to the FMU
    structured : whether all names are of the structured convention; else they are flat
    variables : time, states, their derivatives, inputs and parameters, energies, in order of the value references
    coordinates : number of coordinates
    slopes : whether there are directional derivatives
    timed : whether accelerations, and whether energies, depend on the time itself
    kinds, step, begin : XML elements of the FMU's kinds; fixed step within Co-Simulation, start time, s
    closed : whether the FMU moves its state back onto constraints after a step of the importer
    """

    version: int
    name: str
    title: str
    about: str
    tool: str
    token: str
    structured: bool
    variables: Sequence[FmuVariable]
    coordinates: int
    slopes: bool
    timed: tuple[bool, bool] = (False, False)
    kinds: tuple[str, ...] = ("ModelExchange", "CoSimulation")
    step: float | None = None
    begin: float = 0.0
    closed: bool = False

    def text(self) -> str:
        """Write ``modelDescription.xml``."""
        return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        two = self.version == 2
        head = {
            "fmiVersion": f"{self.version}.0",
            "modelName": self.title or self.name,
            "guid" if two else "instantiationToken": self.token,
            "description": self.about,
            "generationTool": self.tool,
            "variableNamingConvention": "structured" if self.structured else "flat",
        } | ({"numberOfEventIndicators": "0"} if two else {})
        yield f"<fmiModelDescription{_attributes(head)}>"
        for kind in self.kinds:
            yield f"  <{kind}{_attributes(self._abilities(kind))}{self._sources(kind)}"
        yield "  <UnitDefinitions>"
        for unit in sorted({v.unit for v in self.variables if v.unit}):
            base = _attributes({name: str(power) for name, power in UNITS[unit].items()})
            degrees = '<DisplayUnit name="deg" factor="57.295779513082323"/>' if unit == "rad" else ""
            yield f'    <Unit name="{unit}"><BaseUnit{base}/>{degrees}</Unit>'
        yield "  </UnitDefinitions>"
        yield '  <LogCategories><Category name="logStatusError"/></LogCategories>'
        plan = {"startTime": f"{self.begin:.17g}", "stopTime": f"{self.begin + 10:.17g}", "tolerance": str(TOLERANCE)}
        yield f"  <DefaultExperiment{_attributes(plan | ({'stepSize': repr(self.step)} if self.step else {}))}/>"
        yield "  <ModelVariables>"
        yield from (self._variable(place, v) for place, v in enumerate(self.variables))
        yield "  </ModelVariables>"
        yield "  <ModelStructure>"
        yield from self._structure()
        yield "  </ModelStructure>"
        yield "</fmiModelDescription>"

    def _abilities(self, kind: str) -> dict[str, str]:
        two = self.version == 2
        found = {"modelIdentifier": self.name}
        if two:
            found["canNotUseMemoryManagementFunctions"] = "true"
        state = "FMUstate" if two else "FMUState"
        found |= {f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
        found["providesDirectionalDerivative" + "s" * (not two)] = str(self.slopes).lower()
        if kind == "ModelExchange" and self.closed and not two:
            found["needsCompletedIntegratorStep"] = "true"
        if kind == "CoSimulation":
            found["canHandleVariableCommunicationStepSize"] = "true"
            found |= {"fixedInternalStepSize": repr(self.step)} if self.step and not two else {}
        return found

    def _sources(self, kind: str) -> str:
        """Write the end of a kind's element; FMI 2.0 lists source files there, 3.0 in a file of its own."""
        return f'><SourceFiles><File name="fmu.c"/></SourceFiles></{kind}>' if self.version == 2 else "/>"

    def _variable(self, place: int, v: FmuVariable) -> str:
        causality, variability, initial = v.kind
        first = {"name": v.name, "valueReference": str(place), "causality": causality, "variability": variability}
        first |= {"initial": initial} if initial else {}
        about = {"description": v.about} if v.about else {}
        last = {"start": repr(v.start)} if v.start is not None else {}
        last |= {"unit": v.unit} if v.unit else {}
        last |= {"derivative": str(v.of + (self.version == 2))} if v.of is not None else {}
        if self.version == 2:
            return f"    <ScalarVariable{_attributes(first | about)}><Real{_attributes(last)}/></ScalarVariable>"
        return f"    <Float64{_attributes(first | last | about)}/>"

    def _structure(self) -> Iterator[str]:
        """Yield the elements that name outputs, derivatives and what is computed at the start."""
        n = self.coordinates
        states, slopes = range(1, 1 + 2 * n), range(1 + 2 * n, 1 + 4 * n)
        outputs = [place for place, v in enumerate(self.variables) if v.kind[0] == "output"]
        computed = [place for place, v in enumerate(self.variables) if v.kind[2] == "calculated"]
        inputs = [place for place, v in enumerate(self.variables) if v.kind[0] == "input"]
        known: dict[int, tuple[Sequence[int], str]] = {}
        of_motion, of_energies = ((0,) if timed else () for timed in self.timed)  # the place of time
        for i, place in enumerate(slopes):
            known[place] = ((states[n + i],), "constant") if i < n else ((*of_motion, *states, *inputs), "")
        for place in outputs:
            own = ((place,), "constant") if place in states else known.get(place, ((*of_energies, *states), ""))
            known[place] = own
        groups = (("Outputs", "Output", outputs), ("Derivatives", "ContinuousStateDerivative", slopes),
                  ("InitialUnknowns", "InitialUnknown", computed))  # fmt: skip
        for group, single, places in groups:
            if self.version == 2:
                yield f"    <{group}>"
            for place in places:
                at, kind = known[place]
                element = "Unknown" if self.version == 2 else single
                which = "index" if self.version == 2 else "valueReference"
                shift = self.version == 2
                # at the start everything may depend on parameters, too: then all is left open
                on = {} if single == "InitialUnknown" else {"dependencies": " ".join(str(p + shift) for p in at)}
                on |= {"dependenciesKind": kind} if on and kind else {}
                yield f"    <{element}{_attributes({which: str(place + shift)} | on)}/>"
            if self.version == 2:
                yield f"    </{group}>"


def build_description(name: str) -> str:
    """Write ``buildDescription.xml`` of FMI 3.0: one source, which includes the others."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{name}">
    <SourceFileSet language="C99"><SourceFile name="fmu.c"/></SourceFileSet>
  </BuildConfiguration>
</fmiBuildDescription>
"""


def name_platform(version: int) -> str:
    """Name this platform as the standard does: ``x86_64-linux`` in FMI 3.0, ``linux64`` in 2.0."""
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    arm = platform.machine().lower() in ("aarch64", "arm64")
    wide = sys.maxsize > 2**32
    if version == 3:
        return f"{'aarch64' if arm else 'x86_64' if wide else 'x86'}-{system}"
    return f"{'win' if system == 'windows' else system}{64 if wide else 32}"


def name_library(identifier: str) -> str:
    """Name the binary of an FMU on this platform."""
    return identifier + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def name_variables(names: Iterable[tuple[str, str, bool]]) -> tuple[list[str], bool]:
    """Name variables by group and label, ``q`` and ``z1``; return the names, and whether they are structured.

    A label that is no identifier stands in quotes; one with letters that the structured convention has no place for
    makes all names flat, in which it stands as it is. The flag marks derivatives: ``der(q.z1)``.
    """
    listed = list(names)
    structured = all(label.isascii() and label.isprintable() for _, label, _ in listed)
    found, taken = [], set[str]()
    for group, label, derived in listed:
        own = _quote(label) if structured else _escape(label)
        name = ".".join(filter(None, (group, own)))
        name = f"der({name})" if derived else name
        while name in taken:  # names that differ in what XML cannot hold
            name += "_"
        taken.add(name)
        found.append(name)
    return found, structured


def _quote(label: str) -> str:
    if not label or _PLAIN.fullmatch(label):
        return label
    escaped = re.sub(r"(['\"?\\])", r"\\\1", label)
    return f"'{escaped}'"


def _attributes(values: Mapping[str, str]) -> str:
    """Write XML attributes; a character that XML cannot hold is written as its number."""
    return "".join(f" {name}={quoteattr(_escape(x))}" for name, x in values.items())


def _escape(text: str) -> str:
    return _NO_XML.sub(lambda m: f"\\x{ord(m[0]):02x}", text)
