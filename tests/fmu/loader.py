"""An FMU unpacked and called by ctypes alone: a small importer of the tests, in this process."""

from __future__ import annotations

import ctypes as C
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

DOUBLE, SIZE, TEXT, INSTANCE = C.c_double, C.c_size_t, C.c_char_p, C.c_void_p


class FmuError(Exception):
    """A function of the FMU answered with another status than OK."""


class Callbacks(C.Structure):
    """What an importer of FMI 2.0 hands over."""

    _fields_ = (
        ("logger", INSTANCE), ("allocate", INSTANCE), ("free", INSTANCE), ("finished", INSTANCE),
        ("environment", INSTANCE),
    )  # fmt: skip


class LoadedFmu:
    """An instance of an FMU, initialized at its start."""

    def __init__(self, path: Path, folder: Path, start: Mapping[str, float] | None = None, me: bool = True) -> None:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        self.version = int(self.root.attrib["fmiVersion"][0])
        variables = self.root.find("ModelVariables")
        assert variables is not None
        self.references = {v.attrib["name"]: int(v.attrib["valueReference"]) for v in variables}
        self.token = self.root.attrib.get("guid") or self.root.attrib["instantiationToken"]
        (binary,) = (folder / "binaries").rglob("*.*")
        self.library = C.CDLL(str(binary))
        self.said: list[str] = []
        self.me = me
        self.instance: Any = self.instantiate(self.token)
        assert self.instance, self.said
        if self.version == 2:
            self.call("SetupExperiment", C.c_int(1), DOUBLE(1e-11), DOUBLE(0), C.c_int(0), DOUBLE(0))
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", C.c_bool(True), DOUBLE(1e-11), DOUBLE(0), C.c_bool(False), DOUBLE(0))
        self.set(start or {})
        self.call("ExitInitializationMode")
        if me:
            self.call("EnterContinuousTimeMode")

    def instantiate(self, token: str) -> Any:
        """Make an instance by this token."""
        name = {2: "Instantiate", 3: "InstantiateModelExchange" if self.me else "InstantiateCoSimulation"}[self.version]
        make = getattr(self.library, f"fmi{self.version}{name}")
        make.restype = INSTANCE
        if self.version == 2:
            log: Any = C.CFUNCTYPE(None, INSTANCE, TEXT, C.c_int, TEXT, TEXT, TEXT)(
                lambda e, n, s, c, form, text: self.said.append(text.decode())
            )
            self.kept = log, Callbacks(C.cast(log, INSTANCE))
            return make(b"one", C.c_int(not self.me), token.encode(), b"", C.byref(self.kept[1]), 0, 0)
        log = C.CFUNCTYPE(None, INSTANCE, C.c_int, TEXT, TEXT)(lambda e, s, c, text: self.said.append(text.decode()))
        self.kept = log, None
        more = () if self.me else (C.c_bool(False), C.c_bool(False), None, SIZE(0))
        last = () if self.me else (None,)
        return make(b"one", token.encode(), b"", C.c_bool(False), C.c_bool(False), *more, None, log, *last)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the standard."""
        function: Callable[..., int] = getattr(self.library, f"fmi{self.version}{name}")
        status = function(INSTANCE(self.instance), *arguments)
        if status:
            raise FmuError(f"{name}: {status}, {self.said[-1:]}")

    def _list(self, names: Sequence[str]) -> Any:
        return (C.c_uint32 * len(names))(*(self.references[name] for name in names))

    def set(self, values: Mapping[str, float]) -> None:
        """Set variables by name."""
        n, numbers = len(values), (DOUBLE * len(values))(*values.values())
        sizes = (SIZE(n),) if self.version == 3 else ()
        name = "SetFloat64" if self.version == 3 else "SetReal"
        self.call(name, self._list([*values]), SIZE(n), numbers, *sizes)

    def get(self, *names: str) -> list[float]:
        """Get variables by name."""
        n, numbers = len(names), (DOUBLE * len(names))()
        sizes = (SIZE(n),) if self.version == 3 else ()
        name = "GetFloat64" if self.version == 3 else "GetReal"
        self.call(name, self._list(names), SIZE(n), numbers, *sizes)
        return [*numbers]

    def slope(self, t: float, x: Sequence[float]) -> list[float]:
        """Compute the derivatives of the states at these."""
        n, found = len(x), (DOUBLE * len(x))()
        self.call("SetTime", DOUBLE(t))
        self.call("SetContinuousStates", (DOUBLE * n)(*x), SIZE(n))
        self.call("GetContinuousStateDerivatives" if self.version == 3 else "GetDerivatives", found, SIZE(n))
        return [*found]

    def change(self, unknown: Sequence[str], known: Sequence[str], seed: Sequence[float]) -> list[float]:
        """Compute a directional derivative."""
        m, n, found = len(unknown), len(known), (DOUBLE * len(unknown))()
        a, b = ((SIZE(n),), (SIZE(m),)) if self.version == 3 else ((), ())
        self.call(
            "GetDirectionalDerivative", self._list(unknown), SIZE(m), self._list(known), SIZE(n),
            (DOUBLE * n)(*seed), *a, found, *b,
        )  # fmt: skip
        return [*found]

    def step(self, t: float, h: float) -> None:
        """Move on in Co-Simulation."""
        if self.version == 2:
            self.call("DoStep", DOUBLE(t), DOUBLE(h), C.c_int(1))
            return
        flags, last = [C.c_bool() for _ in range(3)], DOUBLE()
        self.call("DoStep", DOUBLE(t), DOUBLE(h), C.c_bool(True), *map(C.byref, flags), C.byref(last))
        assert last.value == t + h

    def save(self) -> Any:
        """Save the state of the instance."""
        kept = INSTANCE()
        self.call("GetFMUState" if self.version == 3 else "GetFMUstate", C.byref(kept))
        return kept

    def restore(self, kept: Any) -> None:
        """Go back to a saved state."""
        self.call("SetFMUState" if self.version == 3 else "SetFMUstate", kept)


def declared(header: Path) -> set[str]:
    """Names of the functions that a header of the standard declares."""
    text = header.read_text(encoding="utf-8")
    return {name.removesuffix("TYPE") for name in re.findall(r"FMI[23]_Export +(fmi[23]\w+TYPE)", text)}


def exported(library: Path) -> set[str]:
    """Names of functions of a binary, where the system has a program that lists them."""
    flag = "-gU" if sys.platform == "darwin" else "-D"
    done = subprocess.run(["nm", flag, "--defined-only", str(library)], capture_output=True, text=True, check=True)
    return {line.split()[-1].removeprefix("_") for line in done.stdout.splitlines()}
