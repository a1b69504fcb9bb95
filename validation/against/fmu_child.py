"""An FMU in a process of its own, which knows nothing of mbconcord: states in, derivatives out, as lines of JSON.

Model Exchange, and steps of Co-Simulation, of FMI 2.0 and 3.0, called by ctypes. ``python -I -S fmu_child.py JOB``
reads its task from the file JOB and answers on standard output; what the FMU prints is discarded.
"""

import ctypes as C
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

REAL, SIZE, TEXT, POINTER = C.c_double, C.c_size_t, C.c_char_p, C.c_void_p
#: Most iterations of events at one state.
EVENTS = 100
#: Powers of two by which an effort is scaled, at most.
SCALED = 200
#: Size of an effort beside what acts without it.
LARGE = 2.0**10


class FmuError(Exception):
    """A function of the FMU is missing, or answers with a status above Warning."""


class Callbacks(C.Structure):
    """The functions that an importer of FMI 2.0 hands over."""

    _fields_ = (
        ("logger", POINTER), ("allocate", POINTER), ("free", POINTER), ("finished", POINTER), ("environment", POINTER),
    )  # fmt: skip


class EventInfo(C.Structure):
    """The answer of FMI 2.0 after an event."""

    _fields_ = (
        ("again", C.c_int), ("ends", C.c_int), ("nominals", C.c_int), ("changed", C.c_int), ("defined", C.c_int),
        ("next", REAL),
    )  # fmt: skip


def limit(seconds: int, memory: int) -> None:
    """Limit processor time and memory; forbid nonempty files and new processes, if the system can."""
    try:
        import resource as r
    except ImportError:
        return
    limits = [(r.RLIMIT_CPU, seconds), (r.RLIMIT_AS, memory), (r.RLIMIT_FSIZE, 0), (r.RLIMIT_CORE, 0)]
    limits += [(r.RLIMIT_NPROC, 0)] if hasattr(r, "RLIMIT_NPROC") else []
    for kind, most in limits:
        with suppress(ValueError, OSError):  # macOS has no limit of addresses
            r.setrlimit(kind, (most, most))


class FmuInstance:
    """An instance of the FMU, in continuous time."""

    def __init__(self, library: C.CDLL, job: dict[str, Any], run: dict[str, Any]) -> None:
        self.library, self.version, self.job = library, job["version"], job
        self.said: list[str] = []
        self.keep: Any = None
        self.component = C.c_void_p(self._instantiate())
        if not self.component:
            raise FmuError("it makes no instance of itself")
        t, exact = REAL(run["t"]), run.get("tolerance", 0.0)
        if self.version == 3:
            self.set(*run["set"])  # before it enters, when it may compute from them
            self.call("EnterInitializationMode", C.c_bool(exact > 0), REAL(exact), t, C.c_bool(False), REAL(0))
        else:
            self.call("SetupExperiment", int(exact > 0), REAL(exact), t, 0, REAL(0))
            self.set(*run["set"])
            self.call("EnterInitializationMode")
        self.call("ExitInitializationMode")
        if job["exchange"]:
            self._settle()
            self.call("EnterContinuousTimeMode")

    def _instantiate(self) -> Any:
        exchange = self.job["exchange"]
        kind = ("ModelExchange" if exchange else "CoSimulation") if self.version == 3 else ""
        name = f"fmi{self.version}Instantiate{kind}"
        make = getattr(self.library, name, None)
        if make is None:
            raise FmuError(f"it has no function {name}")
        make.restype = POINTER
        token, place = self.job["token"].encode(), self.job["resources"]
        if self.version == 3:
            log: Any = C.CFUNCTYPE(None, POINTER, C.c_int, TEXT, TEXT)(lambda e, s, c, text: self._hear(text))
            self.keep = log
            more, last = ((), ()) if exchange else ((C.c_bool(False), C.c_bool(False), None, SIZE(0)), (None,))
            off = C.c_bool(False)
            return make(b"witness", token, place.encode() + b"/", off, off, *more, None, log, *last)
        log = C.CFUNCTYPE(None, POINTER, TEXT, C.c_int, TEXT, TEXT)(lambda e, n, s, c, text: self._hear(text))
        libc = C.CDLL(None) if os.name != "nt" else C.CDLL("msvcrt")
        libc.calloc.restype, libc.calloc.argtypes, libc.free.argtypes = POINTER, [SIZE, SIZE], [POINTER]
        give, free = C.cast(libc.calloc, POINTER), C.cast(libc.free, POINTER)
        calls = Callbacks(C.cast(log, POINTER), give, free, None, None)
        self.keep = log, calls
        return make(b"witness", int(not exchange), token, b"file://" + place.encode(), C.byref(calls), 0, 0)

    def _hear(self, text: Any) -> None:
        self.said = [*self.said[-2:], (text or b"").decode("utf-8", "replace")[:200]]

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the standard."""
        function = getattr(self.library, f"fmi{self.version}{name}", None)
        if function is None:
            raise FmuError(f"it has no function fmi{self.version}{name}")
        function.restype = C.c_int
        status = function(self.component, *arguments)
        if status > 1:
            heard = f" ({'; '.join(self.said)})" if self.said else ""
            raise FmuError(f"fmi{self.version}{name} gives status {status}{heard}")

    def free(self) -> None:
        """Free the instance."""
        function = getattr(self.library, f"fmi{self.version}FreeInstance", None)
        if function is not None:
            function.restype = None
            function(self.component)

    def _settle(self) -> bool:
        """Iterate events until they end; return True if they have changed states."""
        changed = False
        for _ in range(EVENTS):
            if self.version == 3:
                flags, last = [C.c_bool() for _ in range(5)], REAL()
                self.call("UpdateDiscreteStates", *map(C.byref, flags), C.byref(last))
                again, ends, moved = flags[0].value, flags[1].value, flags[3].value
            else:
                info = EventInfo()
                self.call("NewDiscreteStates", C.byref(info))
                again, ends, moved = bool(info.again), bool(info.ends), bool(info.changed)
            changed |= moved
            if ends:
                raise FmuError("it ends the simulation")
            if not again:
                return changed
        raise FmuError(f"its events do not end after {EVENTS} iterations")

    def set(self, references: list[int], values: list[float], verb: str = "Set") -> list[float]:
        """Set variables, or with ``verb`` "Get" return their values."""
        n, found = len(references), (REAL * len(references))(*values)
        if n:
            name, more = (f"{verb}Float64", [SIZE(n)]) if self.version == 3 else (f"{verb}Real", [])
            self.call(name, (C.c_uint * n)(*references), SIZE(n), found, *more)
        return [*found]

    def move(self, motion: dict[str, Any]) -> dict[str, Any]:
        """Return variables at the start and after each step of Co-Simulation, in one list."""
        self.set(*motion["set"])
        found = self.set(motion["read"], [], "Get")
        for k in range(motion["steps"]):
            h, t = motion["h"], motion["t"] + k * motion["h"]
            if self.version == 3:
                flags, last = [C.c_bool() for _ in range(3)], REAL(t)
                self.call("DoStep", REAL(t), REAL(h), C.c_bool(True), *map(C.byref, flags), C.byref(last))
                if flags[1].value or not abs(last.value - t - h) <= 1e-6 * h:
                    raise FmuError(f"it ends its step from {t:g} s at {last.value:g} s, or the simulation")
            else:
                self.call("DoStep", REAL(t), REAL(h), 1)
            found += self.set(motion["read"], [], "Get")
        return {"d": found}

    def states(self) -> list[float]:
        """Return the continuous states."""
        n = self.job["states"]
        x = (REAL * n)()
        self.call("GetContinuousStates", x, SIZE(n))
        return [*x]

    def _place(self, t: float, x: list[float]) -> None:
        self.call("SetTime", REAL(t))
        self.call("SetContinuousStates", (REAL * len(x))(*x), SIZE(len(x)))

    def slope(self, t: float, x: list[float], moves: bool = False) -> list[float]:
        """Compute the derivatives of the states at these, which the FMU moves or must not."""
        n = len(x)
        self._place(t, x)
        if self.job["events"]:
            self.call("EnterEventMode")
            changed = self._settle()
            self.call("EnterContinuousTimeMode")
            if changed and not moves and self.states() != x:
                raise FmuError("its events change the states that it is given")
            self._place(t, x)
        found = (REAL * n)()
        self.call("GetContinuousStateDerivatives" if self.version == 3 else "GetDerivatives", found, SIZE(n))
        return [*found]

    def answer(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return the derivatives at a point's state; if the point asks for it, also with each effort of either sign."""
        x = self.states() if point["x"] is None else point["x"]
        x = [a + b for a, b in zip(x, point["shift"])] if "shift" in point else x
        self.set(*point.get("set", ([], [])))
        efforts, take = point.get("push", []), point.get("take")

        def look() -> list[float]:
            d = self.slope(point["t"], x, "back" in point)
            return d if take is None else [d[i] for i in take]

        self.set(efforts, [0.0] * len(efforts))
        here = look()
        found: dict[str, Any] = {"x": x, "d": here}
        if "back" in point:
            found["back"] = self.states()
        if efforts:
            found["push"] = [self._push(effort, here, look) for effort in efforts]
        return found

    def _push(self, effort: int, here: list[float], look: Any) -> dict[str, Any]:
        """Compute derivatives with one effort of either sign, about as large as the forces that act without it."""

        def at(value: float) -> list[float]:
            self.set([effort], [value])
            found: list[float] = look()
            self.set([effort], [0.0])
            return found

        one = at(1.0)
        moved, still = (max(map(abs, x), default=0.0) for x in ([a - b for a, b in zip(one, here)], here))
        size = 1.0
        if 0.0 < moved < math.inf and 0.0 < still < math.inf:
            size = 2.0 ** max(-SCALED, min(SCALED, round(math.log2(still / moved))))
        size *= LARGE
        return {"size": size, "one": one, "plus": at(size), "minus": at(-size)}


def answers(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an answer for each point of each run."""
    library = C.CDLL(job["library"])
    for run in job["runs"]:
        instance = FmuInstance(library, job, run)
        for point in run["points"]:
            yield instance.move(point) if "read" in point else instance.answer(point)
        instance.free()


def main() -> None:
    """Read the job's file, run the FMU, and print its answers."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    out = os.dup(1)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    limit(job["seconds"], job["memory"])

    def say(found: dict[str, Any]) -> None:
        data = (json.dumps(found) + "\n").encode("ascii")
        while data:
            data = data[os.write(out, data) :]

    try:
        for found in answers(job):
            say(found)
        say({"end": True})
    except FmuError as problem:
        say({"fault": str(problem)})
    except OSError as problem:  # of the loader
        say({"fault": f"its binary is not loaded: {problem}"})
    except MemoryError:
        say({"fault": "it takes more memory than it is given"})
    os._exit(0)


if __name__ == "__main__":
    main()
