"""Processes that work for the page, with limits of time, memory and files: they run commands or hold a model.

A command runs as a person would type it: the page shows its output, and its files are the reports.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from mbconcord.api.assemble import assemble
from mbconcord.api.evaluate import evaluate
from mbconcord.api.source import Source, locate_errors, source
from mbconcord.converters import registry
from mbconcord.converters.findings import nearest
from mbconcord.converters.xacro import Allowed
from mbconcord.model import State
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, error
from mbconcord.model.limits import VIEW_MEMORY, VIEW_SECONDS, VIEW_TEXT, read_within
from mbconcord.model.numbers import environment
from mbconcord.reports import description
from mbconcord.reports.animation.page import drawing, floats
from mbconcord.reports.pictures.scene import scene_at
from mbconcord.validation.judge.progress import listen

Command = Callable[[Sequence[str]], int]
#: Processes are forked from one that has imported what they need; elsewhere each imports it.
CONTEXT: Final[Any] = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
COMMANDS: Final = ("animate", "check", "compare", "convert", "info", "simulate")
WARM: Final = (__name__, *(f"mbconcord.cli.{name}" for name in COMMANDS))
#: Seconds of the clock that a model at hand may take to be read, or to answer.
ANSWER_SECONDS = 60.0
#: The file in which a command says how far it is, and its size.
PROGRESS: Final = "progress"
PROGRESS_BYTES: Final = 400
#: Quantities that the page shows at a state.
SHOWN: Final = ("M", "h", "gravity")
#: Folders of the machine that programs read whatever the model says.
SYSTEM: Final = (
    "/dev/null", "/dev/urandom", "/usr/lib", "/usr/share/zoneinfo", "/lib", "/proc/self/maps", "/proc/cpuinfo",
    "/proc/meminfo", "/sys/devices/system/cpu",
)  # fmt: skip


def warm() -> None:
    """Start the process from which others are forked, so that slow imports are done once, in advance."""
    if CONTEXT.get_start_method() == "forkserver":
        CONTEXT.set_forkserver_preload(list(WARM))
        from multiprocessing.forkserver import ensure_running

        ensure_running()


def limit(folders: Sequence[str]) -> None:
    """Limit time and memory of this process; given ``folders``, files outside of these and of programs are refused."""
    with suppress(ImportError):  # a system without such limits
        import resource

        for kind, most in ((resource.RLIMIT_AS, VIEW_MEMORY), (resource.RLIMIT_CPU, VIEW_SECONDS)):
            hard = resource.getrlimit(kind)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
    if not folders:
        return
    tempfile.tempdir = folders[0]
    parts = {str(Path(module).parent) for module in (registry.__file__, description.__file__, __file__)}
    programs = (*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, *(str(Path(p).parent) for p in parts))
    inside = tuple(os.path.realpath(folder) for folder in (*folders, *programs, *SYSTEM))

    def refuse_outside(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.listdir", "os.scandir") or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if not any(path == folder or path.startswith(folder + os.sep) for folder in inside):
            raise PermissionError(13, "outside of the files that were given to the page", os.fsdecode(arguments[0]))

    sys.addaudithook(refuse_outside)


def run_command(command: Command, words: Sequence[str], folder: str, folders: Sequence[str]) -> None:
    """Run a command in ``folder``, which gets its output (``stdout``, ``stderr``) and files; exit with its code."""
    os.chdir(folder)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))  # noqa: SIM115
    written = os.open(PROGRESS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    limit([folder, *folders] if folders else [])
    parts: dict[str, str] = {}

    def tell(what: str, number: int, of: int, name: str) -> None:
        parts.pop(what, None)
        if of:
            parts[what] = f"{what} {number} of {of}: {name}"
        os.lseek(written, 0, os.SEEK_SET)
        os.write(written, ", ".join(reversed(parts.values())).encode()[:PROGRESS_BYTES].ljust(PROGRESS_BYTES))

    with listen(tell):
        code = command(words)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # what is left are caches and temporary files of a process that has given its answer


def start_command(command: Command, words: Sequence[str], folder: str, folders: Sequence[str]) -> Any:
    """Start a process that runs a command, and return the process."""
    process = CONTEXT.Process(target=run_command, args=(command, list(words), folder, list(folders)), daemon=True)
    process.start()
    return process


# Models at hand: a process has read one, and draws it at every state that the page asks for.


class ModelAtHand:
    """A process that holds a model: ``facts`` about it, then answers with pictures and numbers at states."""

    def __init__(self, file: str, packages: Sequence[str], folders: Sequence[str]) -> None:
        self._pipe, theirs = CONTEXT.Pipe()
        self._lock = Lock()
        given = (theirs, file, tuple(packages), tuple(folders))
        self._process = CONTEXT.Process(target=stand_by, args=given, daemon=True)
        self._process.start()
        theirs.close()
        self.facts: Mapping[str, Any] = self._receive()

    def ask(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a question; it has ``problems`` if the process cannot answer."""
        with self._lock:
            try:
                self._pipe.send(dict(question))
            except OSError:
                return _report(_explain_end())
            return self._receive()

    def _receive(self) -> Mapping[str, Any]:
        try:
            if self._pipe.poll(ANSWER_SECONDS):
                answer: Mapping[str, Any] = self._pipe.recv()
                return answer
            problem = error("", f"no answer within {ANSWER_SECONDS:g} s", "use the command in a shell")
        except (EOFError, OSError):
            problem = _explain_end()
        self.close()
        return _report(problem)

    @property
    def is_alive(self) -> bool:
        """True while the process can answer."""
        return bool(self._process.is_alive())

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()


def _explain_end() -> Diagnostic:
    return error("", "the process of this model has ended: it took too much memory or time", "drop the model again")


def _report(*problems: Diagnostic) -> dict[str, Any]:
    return {"problems": [_finding(d) for d in problems]}


def _finding(finding: Diagnostic) -> dict[str, Any]:
    at = finding.location
    return {
        "severity": finding.severity, "place": finding.place, "message": finding.message, "remedy": finding.remedy,
        "file": Path(at.file).name if at else "", "line": at.line if at else None,
    }  # fmt: skip


def stand_by(pipe: Connection, file: str, packages: Sequence[str], folders: Sequence[str]) -> None:
    """Read a model, send facts about it, and answer questions until the pipe is closed."""
    own = tempfile.mkdtemp()
    try:
        limit([own, *folders] if folders else [])
        held = None
        try:
            reading = registry.read_allowed(registry.model_file(file), None, "ignore", Allowed(packages=(*packages,)))
            held = HeldModel(source(reading))
            pipe.send(held.describe(file))
        except (MbconcordError, RecursionError, MemoryError, OSError) as problem:
            pipe.send(_refuse(problem) | {"text": _text(file)})
        while held:
            question = pipe.recv()
            try:
                pipe.send(held.answer(**question))
            except (MbconcordError, ArithmeticError, MemoryError, ValueError) as problem:
                pipe.send(_refuse(problem))
    except (EOFError, OSError):
        pass
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _refuse(problem: BaseException) -> dict[str, Any]:
    if isinstance(problem, MbconcordError):
        return _report(*problem.diagnostics)
    said: dict[type, str] = {
        RecursionError: "the text is nested too deeply",
        MemoryError: "this needs more memory than is allowed",
    }
    return _report(error("", said.get(type(problem), " ".join(str(problem).split()))))


def _text(file: str) -> str:
    with suppress(OSError):
        return (read_within(file, VIEW_TEXT) or b"").decode("utf-8", "replace")
    return ""


class HeldModel:
    """A model that has been read, with the parameters that the page changed, and the size of axes in its pictures."""

    def __init__(self, model: Source) -> None:
        self.given = self.model = model
        self.changes: Mapping[str, str] = {}
        self.size: float | None = None

    def describe(self, file: str) -> dict[str, Any]:
        """Return the contents of the page: facts of ``info``, the model's text, a picture at the initial positions."""
        model, system = self.model, self.model.system
        with locate_errors(model):
            findings = [*model.diagnostics, *description.physical_findings(system, model.physics)]
            facts = description.describe(file, system, {}, findings, {})
            for kind in ("bodies", "coordinates", "omissions"):
                for one in facts[kind]:
                    at = nearest(f"{kind}/{one.get('place', one.get('name'))}", model.locations)
                    one["line"] = at.line if at else None
            facts |= {"findings": [_finding(model.locate(d)) for d in findings], "format": model.format}
            facts |= {"text": model.text[:VIEW_TEXT], "loops": bool(system.constraints)}
            try:
                facts |= self.answer({})
            except MbconcordError as problem:  # parameters without values, for example
                facts |= _refuse(problem)
        return facts

    def answer(
        self, q: Mapping[str, float], hold: str = "", numbers: bool = False, changes: Mapping[str, str] | None = None,
        has: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Return the picture at positions, by default the initial ones; loops are closed with ``hold`` kept fixed.

        ``changes`` are values of parameters. If the page ``has`` the outline of this picture, only its points are sent.
        With ``numbers``, the mass matrix and forces are added, as ``evaluate`` returns them, with its findings.
        """
        if changes is not None and changes != self.changes:
            self.model = source(self.given, parameters=changes)
            self.changes = dict(changes)
        model, system = self.model, self.model.system
        notes: list[Diagnostic] = []
        if hold and system.constraints:
            try:
                q = assemble(model, dict(q), hold=[hold])[0].state.q
            except MbconcordError as problem:
                notes += problem.diagnostics
        with locate_errors(model):
            values: dict[str, Any] = environment(system, [State(q=dict(q))])[0]
            found: dict[str, Any] = {"q": {name: float(values[name]) for name in system.coordinate_names}}
            picture = drawing(system, values, scene_at(system, values, {}, True), 1, self.size)
            self.size = self.size or picture["size"]
            found |= _list_changes(picture, has)
        if numbers:
            given = evaluate(model, dict(q))
            found["numbers"] = {name: np.asarray(x).tolist() for name, x in given.items() if name in SHOWN}
            notes += given.diagnostics
        return found | {"notes": [_finding(d) for d in notes]}


def _list_changes(picture: dict[str, Any], has: str) -> dict[str, Any]:
    """Return only the points of a picture if the page has its outline, else the picture and the outline's checksum."""
    rest = {key: x for key, x in picture.items() if key not in ("fixed", "points", "centre")}
    outline = sha256(json.dumps(rest).encode()).hexdigest()
    if has == outline:
        return {"spots": floats(np.array(picture["fixed"]))}
    return {"picture": picture, "outline": outline}
