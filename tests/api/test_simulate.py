"""Simulation and assembly as functions: tables, files, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api import tables
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import NumbersError, ReadError, WriteError
from mbconcord.reports import extras
from mbconcord.reports.plots.motion import motion_plot

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")

PENDULUM = mb.read(text="z(a)°90 -j1 $1 [0,0,0] ; g9.81-y", format="mbsd")
FOUR_BAR = folder() / "mbsd" / "four_bar.mbsd"


@pytest.fixture(scope="module")
def motion() -> mb.results.Simulation:
    return mb.simulate(FOUR_BAR, 0.2, step_out=0.05)


def test_the_table_has_everything(motion: mb.results.Simulation) -> None:
    table = motion.to_frame()
    names = motion.coordinates
    moving = [f"{n}{dot}" for dot in ("", "'", "''") for n in names]
    assert list(table.columns) == [
        "t", *moving, *(f"lambda[{row}]" for row in motion.rows), "kinetic", "potential", "work", "power", "balance",
        "position error", "rate error", "event",
    ]  # fmt: skip
    assert table["t"].tolist() == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    assert np.array_equal(table[moving[: len(names)]].to_numpy(), motion.q)
    at_end = mb.evaluate(FOUR_BAR, motion.last)
    accelerations = table[moving[2 * len(names) :]].to_numpy()[-1]
    assert np.allclose(at_end["acceleration"], accelerations, rtol=0, atol=1e-9)


def test_it_shows_itself(motion: mb.results.Simulation) -> None:
    assert repr(motion) == "<Simulation of four_bar by lagrange, dop853: 5 rows, to t = 0.2>"
    page = motion._repr_html_()
    assert "balance" in page and page.count("<tr>") == 6


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_goes_on(suffix: str, tmp_path: Path) -> None:
    """From the file, from the table and from the result alike: the rows before, then those of the new run."""
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow, of the extra [data], is not installed")
    first = mb.simulate(PENDULUM, 0.5, step_out=0.25, tolerance=1e-11)
    file = first.save(tmp_path / f"out{suffix}")
    whole = mb.simulate(PENDULUM, 1.0, step_out=0.25, tolerance=1e-11)
    for resume in (file, first, first.to_frame()):
        found = mb.simulate(PENDULUM, 1.0, step_out=0.25, tolerance=1e-11, resume=resume)
        assert found.t.tolist() == [0, 0.25, 0.5, 0.75, 1.0]
        assert np.array_equal(found.q[:3], first.q) and np.abs(found.q - whole.q).max() < 1e-10
        assert max(abs(row.balance) for row in found.found) < 1e-10


@pytest.mark.slow
def test_a_plot_over_time(motion: mb.results.Simulation, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, of the extra [plot], is not installed")
    text = motion.save(tmp_path / "out.svg").read_text(encoding="utf-8")
    for label in ("positions, rad", "rates, rad/s", "energies, J", "balance, J", "constraint error", "four_bar"):
        assert label in text, label
    assert not re.search(r"(src|href)=[\"'](?!#)", text.replace("xlink:href=", "href="))
    assert text == motion.save(tmp_path / "again.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_many_coordinates_have_panels_of_their_own(motion: mb.results.Simulation) -> None:
    """30 of them: the 24 that move most, said so; those that stay are left out."""
    pytest.importorskip("matplotlib", reason="matplotlib, of the extra [plot], is not installed")
    names = tuple(f"c{i}" for i in range(30))
    t = np.linspace(0, 1, 3)
    rows = tuple(
        replace(row, t=x, q=x * np.arange(30.0), v=np.arange(30.0), a=np.zeros(30))
        for x, row in zip(t, motion.found, strict=False)
    )
    drawn = motion_plot(replace(motion, coordinates=names, found=rows), dict.fromkeys(names, "m"))
    assert "Positions of 24 of 30 coordinates, which move most" in drawn
    assert [n for n in names if f">{n}, m</text>" in drawn] == list(names[6:])


def test_a_run_as_a_page(motion: mb.results.Simulation, tmp_path: Path) -> None:
    """Without matplotlib: what it is, by whose equations and how, what was said, and its energies."""
    text = motion.save(tmp_path / "out.html").read_text(encoding="utf-8")
    assert text == motion.animate().html and "<title>Motion of four_bar</title>" in text
    assert "By lagrange, dop853, tolerance 1e-09" in text and '"energies, J"' in text and "://" not in text
    shown = mb.animate(FOUR_BAR, motion.to_frame())
    assert shown.frames == 5 and [d for d in shown.diagnostics if d.severity != "warning"] == []
    own, again = (re.search(r'id="data">(.*?)</script>', page, re.DOTALL) for page in (text, shown.html))
    assert own and again and own[1] == again[1], "the table holds all that is drawn"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"until": -1.0}, "until: error: the end -1 s is not after the start 0 s"),
        ({"until": float("nan")}, "nan is not a finite number"),
        ({"tolerance": 0.0}, "tolerance: error: found 0"),
        ({"step_out": -0.1}, "give a positive step"),
        ({"step_out": 1e-9}, "more than 1,000,000 rows"),
        ({"method": "rk4"}, "there is no method 'rk4'.*dop853"),
        ({"formalism": "lagrnge"}, "did you mean 'lagrange'"),
        ({"formalism": "static_moments"}, "does not deliver M, h, applied"),
        ({"events": ["b - 1"]}, "events/b - 1: error: the model has no 'b'"),
        ({"q": [[0.1], [0.2]]}, "2 states were given"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(mb.MbconcordError, match=words):
        mb.simulate(PENDULUM, **({"until": 1.0} | arguments))


def test_tables_that_are_none_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("t,x\n0,1\n", encoding="utf-8")
    with pytest.raises(NumbersError, match="no column 'a'"):
        mb.simulate(PENDULUM, 1.0, resume=other)
    other.write_text("", encoding="utf-8")
    with pytest.raises(ReadError, match="no table"):
        mb.simulate(PENDULUM, 1.0, resume=other)
    with pytest.raises(ReadError, match="No such file"):
        mb.simulate(PENDULUM, 1.0, resume=tmp_path / "none.csv")


def test_an_unknown_suffix_is_refused(motion: mb.results.Simulation, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"'\.xls'.*known: \.csv, \.parquet; a drawing is \.svg or \.html"):
        motion.save(tmp_path / "out.xls")


@pytest.fixture
def little_room() -> Iterator[None]:
    """Files of this process hold 1,200 bytes, as on a disk that is nearly full."""
    resource = pytest.importorskip("resource", reason="limits of files are POSIX")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1200, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.usefixtures("little_room")
def test_a_full_disk_keeps_the_rows_that_fit(motion: mb.results.Simulation, tmp_path: Path, suffix: str) -> None:
    with pytest.raises(WriteError, match=r"too large; (\d) of 5 rows are in .*out\.part\.csv") as caught:
        motion.save(tmp_path / f"out{suffix}")
    kept = tables.read_table(tmp_path / "out.part.csv")
    assert f"; {len(kept)} of 5" in str(caught.value) and 1 <= len(kept) < 5
    assert np.array_equal(kept[list(motion.coordinates)], motion.q[: len(kept)])
    found = mb.simulate(FOUR_BAR, 0.3, step_out=0.05, resume=kept)
    assert found.reached == 0.3


def test_a_package_that_is_missing_is_named(
    motion: mb.results.Simulation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(extras, "import_module", missing)
    for call, words in (
        (lambda: mb.simulate(PENDULUM, 1.0), r"simulation needs scipy.*pip install 'mbconcord\[sim\]'"),
        (lambda: motion.save(tmp_path / "a.parquet"), r"needs pyarrow.*pip install 'mbconcord\[data\]'"),
        (lambda: motion.save(tmp_path / "a.svg"), r"needs matplotlib.*pip install 'mbconcord\[plot\]'"),
    ):
        with pytest.raises(mb.MbconcordError, match=words):
            call()


# --- assembly ----------------------------------------------------------------------------------------------

CRANK = mb.read(text="z(a) i1 #a > z(b) i2 #b \\ u(s) #c \\ #b z(p) = < #c", format="mbsd")


def test_what_is_given_is_kept() -> None:
    (found,) = mb.assemble(CRANK, {"a": 0.5, "s": 2.0}, {"a": 3.0})
    assert found.state.q["a"] != 0.5  # with a and s both kept the rod is too long
    assert any("a, s cannot be kept" in d.message for d in found.diagnostics)
    (found,) = mb.assemble(CRANK, {"a": 0.5}, {"a": 3.0})
    q, v = found.state.q, found.state.v
    assert q["a"] == 0.5 and v["a"] == 3.0
    assert q["s"] == pytest.approx(np.cos(0.5) + np.sqrt(4 - np.sin(0.5) ** 2), abs=1e-14)
    slope = -np.sin(0.5) - np.sin(0.5) * np.cos(0.5) / np.sqrt(4 - np.sin(0.5) ** 2)
    assert v["s"] == pytest.approx(3 * slope, abs=1e-13)
    assert found.regular and found.gap < 1e-15
    (held,) = mb.assemble(CRANK, {"a": 0.5, "s": 2.0}, hold=["a"])
    assert held.state.q["a"] == 0.5
    assert "moved" in held.to_frame().columns and "moved by" in repr(held) and "<table>" in held._repr_html_()


def test_other_branches_can_be_asked_for() -> None:
    """The rod up or down: the slider on the other side of the crank's pin."""
    found = mb.assemble(CRANK, {"a": 0.5}, others=5)
    ends = sorted(f.state.q["s"] for f in found)
    assert ends == pytest.approx(
        [np.cos(0.5) - np.sqrt(4 - np.sin(0.5) ** 2), np.cos(0.5) + np.sqrt(4 - np.sin(0.5) ** 2)]
    )
    assert found[0].placed.distance <= found[1].placed.distance
    assert all(f.state.q["a"] == 0.5 for f in found)


def test_what_cannot_close_is_told_with_the_gap() -> None:
    far = mb.read(text="z(a) i1 #a ; g-y \\ #a :(1) {5, 0} < #0", format="mbsd")
    with pytest.raises(NumbersError, match=r"constraints/rod1: cannot be closed.* a gap of 3 m") as caught:
        mb.assemble(far)
    assert caught.value.nearest.q["a"] == pytest.approx(0.0, abs=1e-3)  # type: ignore[attr-defined]
    with pytest.raises(NumbersError, match="hold: error: no such coordinate 'x'"):
        mb.assemble(CRANK, hold=["x"])


def test_a_coordinate_that_is_called_like_a_column_of_the_run_keeps_its_own(tmp_path: Path) -> None:
    named = tmp_path / "named.mbsd"
    named.write_text("z(work) i(0.5) $2 > z(event) i(0.4) $1 g9.81-y", encoding="utf-8")
    first = mb.simulate(named, 0.02, q={"work": 0.3}, step_out=0.01)
    table = first.to_frame()
    assert table["work"].tolist() == first.q[:, 0].tolist() and table["event"].tolist() == first.q[:, 1].tolist()
    assert table["work_"].tolist() == [row.work for row in first.found] and table["event_"].tolist() == ["", "", ""]
    again = mb.simulate(named, 0.04, step_out=0.01, resume=table)
    assert again.q[:3].tolist() == first.q.tolist()
    assert mb.evaluate(named, table)["M"].shape == (3, 2, 2)
