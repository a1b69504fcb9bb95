"""Every place that opens a file for reading asks its size, or stands here with the reason why it need not."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from mbconcord.cli import main
from mbconcord.model import limits
from mbconcord.model.limits import FILE_BYTES, read_within

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("app", "converters", "formalisms", "kernels", "model", "reports", "simulation", "validation")
OPENERS = {
    "open",
    "read_bytes",
    "read_text",
    "read_csv",
    "read_parquet",
    "ParquetFile",
    "fromfile",
    "loadtxt",
    "ZipFile",
    "mmap",
}
#: File or folder -> the reason why what it opens is no input, or is bounded there.
EXCUSED = {
    "model/limits.py": "the opener itself",
    "converters/registry.py": "is_model reads the head of what is_file says is regular",
    "converters/mjcf/writing/model.py": "reads the head of a regular file",
    "converters/usd/compose.py": "shares nothing; opens the text that its parent wrote, whose size this asked",
    "converters/tp/storage.py": "opens bytes in memory, whose inflation it bounds",
    "app/api/tables.py": "opens bytes in memory; the numbers in them are counted first",
    "app/api/exporting/fmu.py": "writes an archive in memory, and reads the library that the compiler just made of it",
    "app/certificate/process.py": "reads the end of a regular file",
    "app/certificate/pair.py": "reads the head of a regular file",
    "app/certificate/verify_": "share nothing, and ask the size themselves",
    "app/api/files.py": "writes, and opens a folder for its fsync",
    "app/cli/check.py": "appends to the summary of a job",
    "app/cli/convert.py": "opens a written text in the program of its format",
    "app/cli/io/streams.py": "the null device",
    "app/cli/view.py": "opens a browser",
    "app/view/": "regular files of an upload whose sizes it asked, and what its own commands wrote",
    "app/plugins.py": "entry_points.txt of installed packages",
    "app/pytest_plugin/__init__.py": "imports nothing, and asks the size itself",
    "validation/against/fmu_archive.py": "opens bytes in memory, whose inflation it bounds",
    "validation/against/fmu_child.py": "shares nothing; opens the null device and the job that its parent wrote",
    "kernels/llvm/": "its own folder of the cache, of regular files alone",
    "validation/many/campaign/": "its own output folder",
    "validation/many/cluster/": "sources and fixtures of the program itself, the null device",
    "model/expressions/grammars.py": "grammars of the package, and their tables",
    "app/testing/": "sources of the formalism on trial",
    "validation/witnesses/second/robots/usd_text.py": "opens bytes in memory, stored entries whose sizes it sums",
    "validation/witnesses/second/robots/tags.py": "shares nothing with the model, and asks the size itself",
}


def is_of_texts(called: ast.expr) -> bool:
    """Return True for readers of texts and bytes in memory, and of files of the package itself."""
    if isinstance(called, ast.Name):
        return called.id in ("read_bytes", "read_text")
    owners = {getattr(node, "id", "") for node in ast.walk(called)}
    return bool(owners & {"registry", "formats", "files"})


@pytest.mark.slow
def test_every_opener_asks_the_size() -> None:
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            calls = [node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
            called = OPENERS & {
                f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls if not is_of_texts(f)
            }
            assert not called or any(name.startswith(other) for other in EXCUSED), f"{name}: {called}"


MJCF = "<mujoco><include file='{0}'/><worldbody/></mujoco>"
MESH = "<mujoco><asset><mesh name='m' file='{0}'/></asset><worldbody><body><joint/>"
MESH += "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
#: Other commands that read a model.
VERBS = {
    "check": "check --states 1 {}", "convert": "convert {} - --to native", "simulate": "simulate {} --until 0.01",
    "compare": "compare {} fixtures/mbsd/zig.mbsd", "the other of compare": "compare fixtures/mbsd/zig.mbsd {}",
}  # fmt: skip
#: Command with the name of a file that attacks, NAME; MODEL is a text of MJCF with it.
TAKEN = {
    "model": "info NAME.mbsd",
    "state": "evaluate fixtures/mbsd/double_pendulum.mbsd --formalism lagrange --state NAME.json",
    "parameters": "info fixtures/mbsd/double_pendulum.mbsd --set NAME.par",
    "catalog": "check fixtures/mbsd/zjg.mbsd --expect NAME.toml",
    "equations": "check fixtures/mbsd/double_pendulum.mbsd --against um:NAME.hpp",
    "pairs": "compare --pairs NAME.csv",
    "table": "animate fixtures/mbsd/double_pendulum.mbsd NAME.csv out.html",
    "include": "info INCLUDE",
    "mesh": "info MESH",
    **{
        f"{kind} of {verb}": command.format(word)
        for kind, word in {"model": "NAME.mbsd", "include": "INCLUDE", "mesh": "MESH"}.items()
        for verb, command in VERBS.items()
    },
}


@pytest.mark.parametrize("kind", ("pipe", "silent", "sparse"))
@pytest.mark.parametrize("taken", TAKEN)
def test_pipe_or_huge_file_is_refused(
    tmp_path: Path, taken: str, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = []
    for word in TAKEN[taken].split():
        if "NAME" in word or word in ("INCLUDE", "MESH"):
            name = word.replace("NAME", "bad").split(":")[-1] if "NAME" in word else "bad.stl"
            bad = tmp_path / name
            if word in ("INCLUDE", "MESH"):
                (tmp_path / "model.xml").write_text((MJCF if word == "INCLUDE" else MESH).format(name))
            word = word.replace("NAME", str(tmp_path / "bad")) if "NAME" in word else str(tmp_path / "model.xml")
            if kind == "sparse":
                with bad.open("wb") as opened:
                    opened.truncate(3_000_000_000)
            else:
                os.mkfifo(bad)
        words.append(word if not word.startswith("fixtures/") else str(ROOT / word))
    monkeypatch.setattr(limits, "PIPE_SECONDS", 0.2)
    # a writer that keeps the pipe open and says nothing
    writer = os.open(bad, os.O_RDWR) if kind == "silent" else None
    try:
        code = main(words)
    finally:
        if writer is not None:
            os.close(writer)
    said = "".join(capsys.readouterr())
    # of a mesh the inertia is told to be left out, or to be missing
    assert code in ((0, 1, 2, 3) if taken.startswith("mesh") else (2, 4)), said
    if taken.startswith("mesh of") and "bad" not in said:
        assert "left out: 1 inertia computed from an image" in said or "no inertia along body1_joint" in said
    else:
        assert "bad" in said and ("not all its bytes" in said or "more than" in said), said


def test_file_within_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_within(path, 5) == b"12345" and read_within(path, 4) is None
    source, sink = os.pipe()
    os.write(sink, b"12345")
    os.close(sink)
    assert read_within(f"/dev/fd/{source}", 5) == b"12345"
    os.close(source)


#: Commands that take states from a file.
STATES = (
    "check MODEL --state FILE", "compare MODEL MODEL --state FILE", "simulate MODEL --until 1 --state FILE",
    "evaluate MODEL --formalism lagrange --state FILE", "linearize MODEL --at FILE", "equilibrium MODEL --state FILE",
    "assemble MODEL --state FILE",
)  # fmt: skip


@pytest.mark.slow
def test_parquet_is_not_unpacked_beyond_its_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra [data]")
    from pyarrow import parquet

    model = str(ROOT / "fixtures/mbsd/double_pendulum.mbsd")
    columns = {"numbers": arrow.array([0.0]).take(arrow.array([0] * 11_000_000, arrow.int32()))}
    columns |= {"texts": arrow.array(["x" * (FILE_BYTES + 1)]), "lists": arrow.array([[1.0] * 1000])}
    columns |= {"differences": arrow.array(["x" * 1000] * 1000)}
    for name, said in (
        ("numbers", "11,000,000 numbers"),
        ("texts", "bytes when unpacked"),
        ("differences", "DELTA_BYTE_ARRAY"),
        ("lists", "expected numbers or words"),
    ):
        file, column = str(tmp_path / f"{name}.parquet"), columns[name]
        how = {"use_dictionary": False, "column_encoding": {"t": "DELTA_BYTE_ARRAY"}}
        parquet.write_table(arrow.table({"t": column}), file, **(how if name == "differences" else {}))
        assert main(["animate", model, file, str(tmp_path / "a.html")]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("command", STATES)
def test_parquet_is_no_state(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A few kilobytes that unpack to 88 MB are refused unpacked."""
    arrow = pytest.importorskip("pyarrow", reason="needs the extra [data]")
    from pyarrow import parquet

    file = str(tmp_path / "numbers.parquet")
    parquet.write_table(arrow.table({"t": arrow.array([0.0]).take(arrow.array([0] * 11_000_000, arrow.int32()))}), file)
    model = str(ROOT / "fixtures/mbsd/double_pendulum.mbsd")
    assert main([word.replace("MODEL", model).replace("FILE", file) for word in command.split()]) == 2
    assert "numbers.parquet:1:1: error: a binary file; expected a text" in capsys.readouterr().err
