"""Refusals of readers, and what writers lose, in full: a page for each format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from mbconcord.converters import registry
from mbconcord.model import System, rotation
from mbconcord.model.diagnostics import MbconcordError

from ...said import Case, Tables
from .. import (
    test_mbsd_losses,
    test_mbsd_refusals,
    test_native_errors,
    test_tp_gravity,
    test_tp_refusals,
    test_tp_writer,
)
from ..robots import test_bad_input, test_mjcf_refusals, test_mjcf_writer, test_sdf_refusals, test_urdf
from ..um import test_um_equations, test_um_refusals, test_um_state


def _read(text: str, file: str, format: str | None = None) -> Callable[[], object]:
    return lambda: registry.read_text(text, file, format)


def _mbsd() -> Iterator[Case]:
    for text, *_ in test_mbsd_refusals.BAD:
        yield repr(text), _read(text, "bad.mbsd")


def _native() -> Iterator[Case]:
    for text in test_native_errors.BAD:
        yield repr(text[48:]), _read(text, "bad.mbs.json", "native")


def _tp() -> Iterator[Case]:
    for name, source, *_ in test_tp_refusals.TABLE:
        yield name, _read(source, "t.tp.csv")
    for row, *_ in test_tp_gravity.REFUSED:
        yield row, _read(test_tp_gravity.under(row), "t.tp.csv")


def _um() -> Iterator[Case]:
    for name, source, *_ in test_um_refusals.TABLE:
        yield name, _read(source, "input.dat", "um")
    for name, old, new, *_ in test_um_refusals.SUBSYSTEMS:
        yield name, _read(test_um_refusals.SUBS.replace(old, new), "input.dat", "um")
    for name, (data, _) in test_um_state.REFUSED.items():
        yield f"state: {name}", lambda data=data: test_um_state.read_xv(data, "last.xv")
    for name, (text, *_) in test_um_state.PARAMETERS_REFUSED.items():
        yield f"parameters: {name}", lambda text=text: test_um_state.read_par(text, "x.par")


def _equations() -> Iterator[Case]:
    for name, (stem, old, new, _) in test_um_equations.BAD.items():
        yield name, lambda edits={stem: (old, new)}: _edited(edits)


def _edited(edits: dict[str, tuple[str, str]]) -> None:
    """Read a set of equations with an edit, whose refusal names files by where they are."""
    with TemporaryDirectory() as folder:
        try:
            test_um_equations.read(str(test_um_equations.copy(Path(folder), **edits)))
        except MbconcordError as problem:
            raise ValueError(str(problem).replace(folder + "/", "")) from None


def _robots(name: str, file: str) -> Iterator[Case]:
    own = {"urdf": test_urdf.REFUSED, "mjcf": test_mjcf_refusals.REFUSED, "sdf": test_sdf_refusals.REFUSED}[name]
    for title, (text, *_) in own.items():
        yield title, _read(text, file, name)
    for title, row in test_bad_input.ROWS.items():
        if (case := row[name]) is not None:
            yield f"robots: {title}", _read(case[0], file, name)


def _losses() -> Iterator[Case]:
    """What every format loses of machines that at least one cannot hold."""
    systems = {f"tp {n}": test_tp_writer.model_with(**parts) for n, (parts, *_) in enumerate(test_tp_writer.LOSSES)}
    systems |= {f"urdf {n}": test_urdf.model(**parts) for n, (parts, *_) in enumerate(test_urdf.LOSSES)}
    systems |= {
        f"mbsd {n}": test_mbsd_losses.system_with(**parts) for n, (parts, *_) in enumerate(test_mbsd_losses.LOSSES)
    }
    systems |= {
        name: test_mjcf_writer.machine(rotation("y", "j"), **parts)
        for name, (parts, _) in test_mjcf_writer.LOST.items()
    }
    for title, system in systems.items():
        for name in registry.names():
            if registry.format_named(name).write:
                yield f"{title}, in {name}", lambda system=system, name=name: _lost(system, name)


def _lost(system: System, name: str) -> list[str]:
    return [str(loss) for loss in registry.write(system, name, physics="ignore").losses]


TABLES: Tables = {
    "mbsd": _mbsd,
    "native": _native,
    "tp": _tp,
    "um": _um,
    "um_equations": _equations,
    "urdf": lambda: _robots("urdf", "robot.urdf"),
    "mjcf": lambda: _robots("mjcf", "model.xml"),
    "sdf": lambda: _robots("sdf", "robot.sdf"),
    "losses": _losses,
}
