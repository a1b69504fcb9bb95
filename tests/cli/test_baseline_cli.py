"""`mbconcord baseline`: saved, checked, what has changed and why, what is missing or wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.certificate.emit import seal

from .commands import Run, runner

FILE = "mbconcord-baseline.toml"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def edit(file: str, old: str, new: str) -> None:
    text = Path(file).read_text("utf-8")
    assert old in text
    Path(file).write_text(text.replace(old, new), encoding="utf-8")


def test_saved_and_the_same(run: Run) -> None:
    assert run("baseline", "save", "one.mbsd", "two.mbsd").out == f"{FILE}: 2 new\n"
    first = Path(FILE).read_bytes()
    done = run("baseline", "check", "one.mbsd", "two.mbsd")
    assert done.code == 0 and done.out.splitlines() == ["one.mbsd: same  (6 entries)", "two.mbsd: same  (13 entries)"]
    assert run("baseline", "save", "two.mbsd").out == f"{FILE}: 1 same\n"
    assert Path(FILE).read_bytes() == first


def test_a_change_is_exit_code_1_with_its_cause(run: Run) -> None:
    run("baseline", "save", "one.mbsd", "two.mbsd", "--output", "b.toml")
    edit("one.mbsd", "g9.81-y", "g9.81y")
    done = run("baseline", "check", "one.mbsd", "two.mbsd", "--baseline", "b.toml", "-q")
    assert done.code == 1
    assert "Residues and digits are of the equations at points of the baseline's own" in done.out
    assert "one.mbsd: changed: gravity" in done.out and "two.mbsd" not in done.out
    assert 'gravity/direction was "-y", is "y"' in done.out
    assert "why: the model equals the baseline when gravity" in done.out
    told = run("baseline", "check", "one.mbsd", "--output", "b.toml", "--json").json
    assert told["models"]["one.mbsd"]["outcome"] == "changed"
    assert run("baseline", "save", "one.mbsd", "--output", "b.toml").out.splitlines() == [
        "b.toml: 1 changed",
        "  changed: one.mbsd",
    ]
    assert run("baseline", "check", "one.mbsd", "--output", "b.toml").code == 0


def test_of_a_folder_models_that_are_new_or_gone_are_told(run: Run) -> None:
    Path("sub").mkdir()
    for name in ("a", "b"):
        Path("sub", f"{name}.mbsd").write_text("zig", encoding="utf-8")
    assert run("baseline", "save", "sub").code == 0
    Path("sub", "b.mbsd").rename("sub/c.mbsd")
    done = run("baseline", "check", "sub")
    assert done.code == 1
    assert "sub/c.mbsd: error: mbconcord-baseline.toml has no baseline of it (save it: mbconcord" in done.err
    assert "sub/b.mbsd: error: there is a baseline, and no such model" in done.err
    assert run("baseline", "save", "sub").out.splitlines()[0] == f"{FILE}: 1 new, 1 same, 1 gone"
    assert run("baseline", "check", "sub").code == 0


def test_models_are_known_by_their_paths_from_the_file(run: Run) -> None:
    for folder in ("x", "y"):
        Path(folder).mkdir()
        Path(folder, "arm.mbsd").write_text("zig" if folder == "x" else "xkg", encoding="utf-8")
    Path("kept").mkdir()
    assert run("baseline", "save", "x/arm.mbsd", "y/arm.mbsd", "--output", "kept/b.toml").code == 0
    text = Path("kept/b.toml").read_text("utf-8")
    assert '[models."../x/arm.mbsd"]' in text and '[models."../y/arm.mbsd"]' in text
    assert run("baseline", "check", str(Path("y/arm.mbsd").resolve()), "--output", "kept/b.toml").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("check", "one.mbsd"),
            "no such file of baselines (write it: mbconcord baseline save one.mbsd --output mbconcord-baseline.toml)",
        ),
        (("save", "-"), "a baseline is of a file, found standard input"),
        (("save", "none.mbsd"), "none.mbsd"),
        (("save", "one.mbsd", "--output", "one.mbsd"), "one.mbsd"),
        (("save", "one.mbsd", "--output", "nowhere/b.toml"), "there is no folder nowhere"),
        (("sve", "one.mbsd"), "save"),
    ],
)
def test_what_is_refused(run: Run, arguments: tuple[str, ...], words: str) -> None:
    try:
        done = run("baseline", *arguments)
    except SystemExit as stop:
        assert stop.code == 2
        return
    assert done.code == 2 and words in done.err


def test_a_model_that_does_not_read_stops_no_other(run: Run) -> None:
    run("baseline", "save", "one.mbsd", "two.mbsd")
    Path("two.mbsd").write_text("z(", encoding="utf-8")
    done = run("baseline", "check", "two.mbsd", "one.mbsd")
    assert done.code == 2 and "one.mbsd: same" in done.out and "two.mbsd:1:2: error:" in done.err
    before = Path(FILE).read_bytes()
    assert run("baseline", "save", "two.mbsd", "one.mbsd").code == 2
    assert Path(FILE).read_bytes() == before


def test_an_older_prime(run: Run) -> None:
    run("baseline", "save", "one.mbsd", "two.mbsd")
    edit(FILE, 'prime = "9b2d', 'prime = "8b2d')
    done = run("baseline", "check", "one.mbsd")
    assert done.code == 0 and "one.mbsd: same by digits" in done.out and "mbconcord baseline save FILE" in done.out
    refused = run("baseline", "save", "one.mbsd")
    assert refused.code == 2 and "two.mbsd would stay as they are" in refused.err
    assert run("baseline", "save", "one.mbsd", "two.mbsd").code == 0
    assert run("baseline", "check", "two.mbsd").out == "two.mbsd: same  (13 entries)\n"


@pytest.mark.slow
def test_certificates_beside_the_models_are_verified_with_what_the_models_are_now(run: Run) -> None:
    assert run("baseline", "save", "one.mbsd", "two.mbsd", "--certificates").code == 0
    assert run("verify", "one.mbsd.cert", "two.mbsd.cert").code == 0
    assert run("baseline", "check", "one.mbsd", "two.mbsd").code == 0
    lines = Path("one.mbsd.cert").read_text("ascii").replace("9.81", "9.8").splitlines()
    Path("one.mbsd.cert").write_text(seal(lines[:-1]), encoding="ascii")
    done = run("baseline", "check", "one.mbsd", "two.mbsd", "-q")
    assert done.code == 1 and "one.mbsd.cert: error: not the same machine: gravity 1 of " in done.err
    edit("two.mbsd.cert", "program lagrange", "programme lagrange")
    done = run("baseline", "check", "two.mbsd", "-q")
    assert done.code == 3 and "two.mbsd.cert: error: it proves nothing; not readable" in done.err
    assert run("baseline", "save", "one.mbsd", "two.mbsd", "--certificates").code == 0
    Path("one.mbsd.cert").write_bytes(Path("two.mbsd.cert").read_bytes())
    done = run("baseline", "check", "one.mbsd", "-q")
    assert done.code == 1 and "one.mbsd.cert: error: not the same machine: coordinates are 2 in A, 1 in B" in done.err
