"""Mistakes of a first hour: each is answered with exit code 2, where it is, why it is wrong, and what to write."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbconcord.cli import Command, build_parser, main

from .commands import Run, runner

#: Files by name: texts, or bytes where the code page matters.
FILES: dict[str, str | bytes] = {
    "glued.mbsd": "z(z1) i(L) $2kg g9.81-y ; L=2",
    "unit.mbsd": "z(z1) i(L) $(m) g9.81-y ; L=10cm, m=3",
    "gravity.mbsd": "z(z1) i(L) $(m) g9,81-y ; L=1, m=3",
    "comma.mbsd": "z(z1) i(L) $(m) g9.81-y ; L=0,5, m=3",
    "cyrillic.mbsd": "z(z1) і(L) g",
    "marked.mbsd": "zi>zig".encode("utf-16"),
    "little.mbsd": "zi>zig".encode("utf-16-le"),
    "big.mbsd": "zi>zig".encode("utf-16-be"),
    "wide.mbsd": "% модель\nzi>zig".encode("utf-16"),
    "four.mbsd": "zi>zig".encode("utf-32"),
    "binary.mbsd": bytes(range(256)),
    "latin.mbsd": "% café\nzig".encode("latin-1"),
    "empty.mbsd": "",
    "prose.txt": "hello world, this is nothing",
    "robot.urdf": "<robot/>",
    "macros.urdf": '<robot name="r">\n<xacro:property name="m" value="1"/>\n</robot>',
    "yaml.mbs.json": "name: arm\nbodies: []\n",
    "yaml_state.json": "---\nq: {z1: 1}\n",
    "robot.urdf.xacro": '<robot name="r"><xacro:include filename="arm.xacro"/></robot>',
    "world.sdf": "<sdf/>",
    "stage.usda": "#usd 1.0",
    "arm.xml": "<mujoco/>",
    "input.dat": "with block; x = ".encode("utf-16"),
    "named.tp.csv": "КП;q;x;y;z;d\n".encode("utf-16"),
    "cell.tp.csv": "i;i-1;КП;q;d;x;y;z;m_o\n1;0;ВКП;y;y;x_1;y;z_1;2 kg\n",
    "newer.mbs.json": '{"format": "mbconcord", "version": 2}',
    "key.mbs.json": '{"format": "mbconcord", "version": 1, "name": "a", "bodys": []}',
    "unit.mbs.json": '{"format": "mbconcord", "version": 1, "gravity": {"value": "9,81", "direction": [0,-1,0]}}',
    "as_text.mbs.json": "zi>zig",
    "as_text.dat": "zi>zig",
    "comma.par": "par\nL = 2,5\n",
    "unit.par": "par\nL = 10 cm\n",
    "headless.par": "L = 2.5\n",
    "colon.par": "par\nL: 2\n",
    "wide.par": "par\nL = 2\n".encode("utf-16"),
    "stale.par": "par\nLL = 2\n",
    "comma.txt": "L = 2,5\n",
    "unit.txt": "m = 1\nL = 5 мм\n",
    "colon.txt": "L: 2\n",
    "wide.txt": "L = 2\n".encode("utf-16"),
    "quoted.json": '{"L": "2"}',
    "comma.json": '{"L": 2,5}',
    "list.json": "[2]",
    "single.json": "{'L': 2}",
    "trailing.json": '{"L": 2,}',
    "bare.json": "{L: 2}",
    "remark.json": '{"L": 2 // metres\n}',
    "comma_state.json": '{"q": {"z1": 0,3}}',
    "unit_state.json": '{"q": {"z1": "30 deg"}}',
    "bare_unit_state.json": '{"q": {"z1": 30 deg}}',
    "other_state.json": '{"q": {"z11": 1}}',
    "flat_state.json": '{"z1": 0.3}',
    "list_state.json": '{"q": [0.3]}',
    "case_state.json": '{"Q": {"z1": 1}}',
    "wide_state.json": '{"q": {"z1": 1}}'.encode("utf-16"),
    "nan_state.json": '{"q": {"z1": NaN}}',
    "text.xv": "q = 1",
    "catalog.toml": "[[model]\n",
    "cells.csv": "t,z1\n0,1\n1,a\n",
}

#: command -> where, why and what to write, as they stand in what is said.
MISTAKES: dict[str, tuple[str, str, str]] = {
    # commands and options
    "chek one.mbsd": ("argument COMMAND", "invalid choice: 'chek'", "did you mean 'check'?"),
    "help": ("argument COMMAND", "invalid choice: 'help'", "help is mbconcord --help"),
    "--verison": ("mbconcord: error", "--verison", "did you mean --version?"),
    "-v check one.mbsd": ("mbconcord: error", "unrecognized arguments: -v", "options stand after the command"),
    "check": ("mbconcord check: error", "required: FILE", "mbconcord check model.mbsd"),
    "check one.mbsd --reprot x.html": ("check: error", "--reprot", "did you mean --report?"),
    "check one.mbsd -x": ("check: error", "-x", "see mbconcord check --help"),
    "info one.mbsd --quantity M": ("info: error", "--quantity M", "--quantity is an option of derive, evaluate"),
    "check one.mbsd --until 3": ("check: error", "--until 3", "--until is an option of simulate"),
    "check one.mbsd --report": ("argument --report", "expected one argument", "write --report FILE"),
    "check one.mbsd --states three": ("--states", "found 'three'", "a whole number from 1 to 10,000"),
    "check one.mbsd --states 1.5": ("--states", "found '1.5'", "a whole number from 1 to 10,000"),
    "check one.mbsd --states 0": ("--states", "found '0'", "a whole number from 1 to 10,000"),
    "check one.mbsd --jobs 0": ("--jobs", "found '0'", "a whole number from 1 to"),
    "check one.mbsd -q -v": ("-v/--verbose", "not allowed with argument -q", "give one of them"),
    "check one.mbsd --read physics=wran": ("--read: physics", "'wran'", "did you mean 'warn'?"),
    "check one.mbsd --read free-bas": ("--read", "'free-bas'", "did you mean 'free-base'?"),
    "check one.mbsd --read root=1": ("--read", "'root=1'", "known: physics, package-path, free-base"),
    "check one.mbsd --read free-base=1": ("--read", "'free-base=1'", "expected free-base"),
    "check one.mbsd --read encoding": ("--read", "'encoding'", "expected encoding=cp1252"),
    "check one.mbsd --read free-base,physics=error,physics=warn": (
        "--read",
        "found physics=error, and",
        "give it once",
    ),
    "check one.mbsd --read xacro:a=1 --read xacro:a=2": ("--read", "found xacro:a=1, and xacro:a=2", "give it once"),
    "check one.mbsd --read as=drake": ("--read: as", "'drake'", "known: mujoco"),
    "check one.mbsd --allow xcaro": ("--allow", "'xcaro'", "did you mean 'xacro'?"),
    "info one.mbsd --allow binary": ("--allow", "'binary'", "known: xacro"),
    "check one.mbsd --map coordinate:1=q": ("--map", "'coordinate:1=q'", "did you mean 'coordinates'?"),
    "certify one.mbsd --equations eqs:x --map rates:a=b": (
        "--map",
        "'rates:a=b'",
        "known: coordinates, symbols, inputs",
    ),
    "check one.mbsd --report a.md --report b.md": ("--report", "found a.md, and b.md", "give it once"),
    "simulate one.mbsd": ("--until: error", "found no end of the motion", "for example --until 10"),
    "derive one.mbsd --form rdu": ("form", "no form 'rdu'", "did you mean 'rud'?"),
    "derive one.mbsd --formalism lagrange --output latx": ("--output", "'latx'", "did you mean 'latex'?"),
    "evaluate one.mbsd --formalism lagrange --seed 1 --state s": ("--state", "not allowed with", "one of them"),
    "info one.mbsd two.mbsd": ("info: error", "two.mbsd", "it takes FILE alone"),
    "compare one.mbsd": ("compare: error", "required: B", "mbconcord compare a.mbsd b.mbsd"),
    "convert one.mbsd": ("convert: error", "required: OUT", "convert model.mbsd out.mbs.json"),
    "convert --to mbsd one.mbsd": ("convert: error", "required: OUT", "convert model.mbsd out.mbs.json"),
    "completion tcsh": ("SHELL", "'tcsh'", "known: bash, zsh, fish"),
    # names
    "check one.mbsd --formalism lagrnge": ("formalism", "no formalism 'lagrnge'", "did you mean 'lagrange'?"),
    "check one.mbsd --formalisms lagrange konoplev": ("check: error", "konoplev", "joined by commas"),
    "check one.mbsd --formalisms lagrange,,konoplev": ("--formalisms", "no name", "one comma between"),
    "check one.mbsd --formalisms lagrange,lagrange": ("formalisms", "asked for twice", "ask once"),
    "derive one.mbsd --formalism lagrange,konoplev": ("--formalism", "found several", "check takes several"),
    "derive one.mbsd --formalism telegin:rdu": ("form", "no form 'rdu'", "did you mean 'rud'?"),
    "derive one.mbsd --formalism lagrange --form rud": ("form", "no form 'rud'", "telegin has it"),
    "derive one.mbsd --formalism lagrange --quantity gravty": ("--quantity", "'gravty'", "did you mean 'gravity'?"),
    "derive one.mbsd --formalism lagrange --quantity mass_matrix": ("--quantity", "'mass_matrix'", "did you mean 'M'?"),
    "evaluate one.mbsd --formalism lagrange --quantity crba": ("--quantity", "'crba'", "did you mean 'M'?"),
    "derive one.mbsd --formalism konoplev --subsystems zz": ("subsystems", "hold zz", "divide z1"),
    "check one.mbsd --claims fild": ("--claims", "no claim 'fild'", "did you mean 'fields'?"),
    "check one.mbsd --claims none,fields": ("--claims", "beside others", "say none alone"),
    "check one.mbsd --from mbds": ("format", "no format 'mbds'", "did you mean 'mbsd'?"),
    "convert one.mbsd - --to mbds": ("format", "no format 'mbds'", "did you mean 'mbsd'?"),
    "convert one.mbsd -": ("--to", "is not known", "name it: native"),
    "convert one.mbsd out.mbds": ("out.mbds", "cannot be told", "did you mean .mbsd?"),
    "convert one.mbsd out.usdc": ("format", "out.usdc is not text", "name it out.usda"),
    "check one.mbsd --accept-omissions contcat=1": ("--accept-omissions", "'contcat'", "did you mean 'contact'?"),
    "compare one.mbsd one.mbsd --coordinates zz1=z1": ("--coordinates", "A has no coordinate", "did you mean 'z1'?"),
    "bench start_up": ("bench moved to the laboratory", "of the source checkout", "make bench"),
    "mutants --seed 7": ("mutants moved to the laboratory", "of the source checkout", "make mutants"),
    "faults": ("faults moved to the laboratory", "of the source checkout", "make faults"),
    "reference": ("reference moved to the laboratory", "of the source checkout", "make reference"),
    "check one.mbsd --faults": ("check --faults moved", "of the source checkout", "make faults"),
    "check --reference=folder": ("check --reference moved", "of the source checkout", "make reference"),
    "check one.mbsd --against pinochio": ("--against", "no program 'pinochio'", "did you mean 'pinocchio'?"),
    "check one.mbsd --tolerance 1e-6": ("check --tolerance", "is no option", "the column tolerance shows"),
    "compare one.mbsd one.mbsd --tolerance=1e-6": ("compare --tolerance", "is no option", "bounds on rounding"),
    "derive one.mbsd --output eq.tex": ("--output", "'eq.tex'", "it is a notation, which is printed"),
    "convert one.mbsd --output x.urdf": ("convert --output", "is the second argument, a file", "convert IN OUT"),
    "export one.mbsd --output lib": ("export --output", "is the second argument, a folder", "export FILE FOLDER"),
    "animate one.mbsd x.csv --output p.html": ("animate --output", "the last argument, a file", "TABLE OUT.html"),
    "check one.mbsd --output x.json": ("check --output", "is --report FILE.html", "campaign run FILE… --output FOLDER"),
    "evaluate one.mbsd --output x.json": ("evaluate --output", "it prints", "--json > out.json"),
    "assemble one.mbsd --output .": (".: error", "a folder", "name a file"),
    "campaign run one.mbsd --output one.mbsd": ("--output", "one.mbsd: File exists", "name a folder"),
    "simulate one.mbsd --until 1 --output latex": ("latex", "no table has the suffix", "known: .csv"),
    "simulate one.mbsd --until 1 --dt 0.1": ("simulate --dt", "is --step-out DT", "the steps follow"),
    "check one.mbsd --junit out.xml": ("error: check", "--junit", "is --report FILE.xml"),
    "evaluate one.mbsd --formalism lagrange --q 1": ("evaluate --q", "is --state FILE", '{"q": {"NAME": 0.3}}'),
    "check one.mbsd --against um": ("--against", "found 'um'", "um:PATH"),
    "check one.mbsd --map coordinates:1=z1": ("--map", "no --against", "leave out --map coordinates"),
    # files
    "check on.mbsd": ("on.mbsd: error", "No such file", "did you mean one.mbsd?"),
    "check one.mbds": ("one.mbds: error", "No such file", "did you mean one.mbsd?"),
    "check one.mbsd --expect catlog.toml": ("catlog.toml", "No such file", "did you mean catalog.toml?"),
    "animate one.mbsd moton.csv p.html": ("moton.csv", "No such file", "did you mean motion.csv?"),
    "baseline check one.mbsd --output catalo.toml": ("catalo.toml", "no such file", "did you mean catalog.toml?"),
    "evaluate one.mbsd --state stat.json": ("stat.json", "No such file", "did you mean state.json?"),
    "check nowhere/one.mbsd": ("nowhere/one.mbsd: error", "No such file", "there is no folder nowhere"),
    "check https://example.org/a.mbsd": ("https://example.org/a.mbsd: error", "an address", "download it"),
    "check robot.urdf": ("robot.urdf:1:1", "without links", "at least one"),
    "check macros.urdf": ("macros.urdf:2:1", "macros are not expanded here", "add --allow xacro"),
    "check robot.urdf.xacro": ("robot.urdf.xacro", "not expanded unasked", "xacro robot.urdf.xacro > robot.urdf"),
    "check stage.usda": ("stage.usda:1:1", "does not begin with #usda", "--from"),
    "check world.sdf": ("world.sdf:1:1", "version of <sdf>", "from 1.4 to 1.12"),
    "check arm.xml": ("arm.xml:1:1", "without <worldbody>", "its bodies stand there"),
    "check prose.txt": ("prose.txt", "cannot be told", "--from"),
    "check empty.mbsd": ("empty.mbsd:1:1", "is empty", "that holds a model"),
    "check marked.mbsd": ("marked.mbsd:1:1", "in UTF-16", "as UTF-8"),
    "check little.mbsd": ("little.mbsd:1:1", "in UTF-16", "as UTF-8"),
    "check big.mbsd": ("big.mbsd:1:1", "in UTF-16", "as UTF-8"),
    "check wide.mbsd": ("wide.mbsd:1:1", "in UTF-16", "as UTF-8"),
    "check four.mbsd": ("four.mbsd:1:1", "in UTF-32", "as UTF-8"),
    "check input.dat": ("input.dat:1:1", "in UTF-16", "as UTF-8"),
    "check named.tp.csv": ("named.tp.csv:1:1", "in UTF-16", "as UTF-8"),
    "check binary.mbsd": ("binary.mbsd:1:1", "a binary file", "name a file that is a text"),
    "check latin.mbsd": ("latin.mbsd:1:6", "not UTF-8", "save the file as UTF-8"),
    "check as_text.mbs.json": ("as_text.mbs.json", "the content looks like mbsd", "--from mbsd"),
    "check as_text.dat": ("as_text.dat", "the content looks like mbsd", "--from mbsd"),
    "check key.mbs.json": ("key.mbs.json:1:", "bodys: unknown key", "did you mean 'bodies'?"),
    "check newer.mbs.json": ("newer.mbs.json:1:", "version 2", "a newer mbconcord"),
    "check one.mbsd --report x.pdf": ("--report", "x.pdf", "known: .html"),
    "convert one.mbsd nowhere/x.tp.csv": ("nowhere/x.tp.csv: error", "no folder", "make it"),
    "check prose.txt --from xacro": ("format", "no format 'xacro'", "known: native"),
    "simulate one.mbsd --motion cells.csv": ("motion", "row 2 of column 'z1' holds 'a'", "a number in every row"),
    "check one.mbsd --report nowhere/x.html": ("nowhere/x.html", "no folder", "make it"),
    "check one.mbsd --expect absent.toml": ("absent.toml", "No such file", "name a file"),
    "check one.mbsd --expect catalog.toml": ("catalog.toml:1:", "no TOML", "fixtures/catalog.toml"),
    "convert one.mbsd one.mbsd": ("one.mbsd", "written over", "--force"),
    # numbers
    "check one.mbsd --set L": ("--set", "'L' is not name=number", "--set m1=2.5"),
    "check one.mbsd --set l=2": ("parameters/l", "no such parameter", "did you mean 'L'?"),
    "check one.mbsd --set L=1 --set L=2": ("--set", "twice", "remove one"),
    "check one.mbsd --set L=2kg": ("--set: error: L", "'2kg'", "write 2: numbers are in kg"),
    "check one.mbsd --set L=10cm": ("--set: error: L", "'10cm'", "write 0.1: numbers are in m"),
    "check one.mbsd --set L=30°": ("--set: error: L", "'30°'", "write 0.5235987755982988: numbers are in rad"),
    "check one.mbsd --set L=0,5": ("--set: error: L", "'0,5'", "write 0.5, with a decimal point"),
    "check one.mbsd --set L=pi/2": ("--set: error: L", "'pi/2'", "write 1.570796326794896"),
    "check one.mbsd --set L=1'000": ("--set: error: L", "1'000", "write 1000, without separators"),
    "check glued.mbsd": ("glued.mbsd:1:17", "found 'g9.81'", "write 2: numbers are in kg"),
    "check gravity.mbsd": ("gravity.mbsd:1:19", "found ','", "write 9.81, with a decimal point"),
    "check comma.mbsd": ("comma.mbsd:1:31", "found '5'", "write 0.5, with a decimal point"),
    "check cyrillic.mbsd": ("cyrillic.mbsd:1:7", "Cyrillic letter", "type that"),
    "evaluate unit.mbsd --formalism lagrange": ("unit.mbsd:1:31", "parameters/cm: has no value", "a unit's name"),
    "check unit.mbs.json": ("unit.mbs.json:1:", "found ','", "write 9.81, with a decimal point"),
    "check cell.tp.csv": ("cell.tp.csv:2:", "'2 kg'", "write 2: numbers are in kg"),
    "check one.mbsd --set comma.par": ("comma.par:2:1", "'2,5'", "write 2.5, with a decimal point"),
    "check one.mbsd --set unit.par": ("unit.par:2:1", "'10 cm'", "write 0.1: numbers are in m"),
    "check one.mbsd --set headless.par": ("headless.par:1:1", "expected 'par'", "write it above"),
    "check one.mbsd --set colon.par": ("colon.par:2:1", "is not name = number", "m1 = 2.5"),
    "check one.mbsd --set wide.par": ("wide.par:1:1", "in UTF-16", "as UTF-8"),
    "check one.mbsd --set stale.par": ("parameters/LL", "no such parameter", "did you mean 'L'?"),
    "check one.mbsd --set comma.txt": ("comma.txt:1:5", "'2,5'", "write 2.5, with a decimal point"),
    "check one.mbsd --set unit.txt": ("unit.txt:2:5", "'5 мм'", "write 0.005: numbers are in m"),
    "check one.mbsd --set colon.txt": ("colon.txt:1:1", "is not name = number", "m1 = 2.5"),
    "check one.mbsd --set wide.txt": ("wide.txt:1:1", "in UTF-16", "as UTF-8"),
    "check one.mbsd --set quoted.json": ("quoted.json:1:2", '"2" is not', "write 2, without quotes"),
    "check one.mbsd --set comma.json": ("comma.json:1:9", "found '5'", "write 2.5, with a decimal point"),
    "check one.mbsd --set list.json": ("list.json:1:1", "found a list", '{"m1": 2.5}'),
    "check one.mbsd --set single.json": ("single.json:1:2", 'found "\'"', "double quotes"),
    "check one.mbsd --set trailing.json": ("trailing.json:1:9", "found '}'", "remove the comma before it"),
    "check one.mbsd --set bare.json": ("bare.json:1:2", "found 'L'", 'write "L"'),
    "check one.mbsd --set remark.json": ("remark.json:1:9", "found '/'", "JSON has no comments"),
    "check one.mbsd --state comma_state.json": ("comma_state.json:1:16", "found '3'", "write 0.3"),
    "check one.mbsd --state unit_state.json": ("unit_state.json:1:8", '"30 deg"', "write 0.5235987755982988"),
    "check one.mbsd --state bare_unit_state.json": ("bare_unit_state.json:1:17", "found 'deg'", "write 0.52359"),
    "check one.mbsd --state other_state.json": ("other_state.json:1:8", "no such coordinate", "did you mean 'z1'?"),
    "check one.mbsd --state flat_state.json": ("flat_state.json:1:2", "unknown key", "stand within q"),
    "check one.mbsd --state list_state.json": ("list_state.json:1:2", "an object of names", '"q": {"z1": 0.3}'),
    "check one.mbsd --state case_state.json": ("case_state.json:1:2", "unknown key", "did you mean 'q'?"),
    "check one.mbsd --state wide_state.json": ("wide_state.json:1:1", "in UTF-16", "as UTF-8"),
    "check one.mbsd --state nan_state.json": ("nan_state.json:1:14", "found 'NaN'", "finite numbers alone"),
    "check one.mbsd --state one.mbsd": ("one.mbsd:1:1", "a JSON value", "JSON begins with {"),
    "check one.mbsd --state yaml_state.json": ("yaml_state.json:1:1", "a JSON value", "this is YAML: write it as JSON"),
    "check yaml.mbs.json": ("yaml.mbs.json:1:1", "a JSON value", "this is YAML: write it as JSON"),
    "check one.mbsd --state text.xv": ("text.xv", "expected b'xv'", "or JSON"),
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_answered(run: Run, command: str, tmp_path: Path) -> None:
    words = command.split()
    for name in ("catalog.toml", "motion.csv", "state.json") if "did you mean" in MISTAKES[command][2] else ():
        (tmp_path / name).write_text("", encoding="utf-8")  # files that look alike
    for name in FILES.keys() & {word.partition(":")[2] or word for word in words}:
        content = FILES[name]
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run(*words)
    assert done.code == 2, done.out + done.err
    lines = [line for line in done.err.splitlines() if all(part in line for part in MISTAKES[command])]
    assert lines, done.err
    where, why, remedy = (lines[0].index(part) for part in MISTAKES[command])
    assert where <= why < remedy, lines[0]
    assert len(done.err.splitlines()) <= 3 and "Traceback" not in done.err


def test_the_table_is_long_and_leaves_no_file_unused() -> None:
    used = {word for command in MISTAKES for word in command.split()}
    assert len(MISTAKES) >= 100 and FILES.keys() <= used


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of all commands, and of their own commands."""
    if isinstance(parser, Command):
        parser.fill()
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for other in action.choices.values():
                yield from parsers(other)


def test_option_given_twice_loses_neither_value() -> None:
    """Options of one value refuse a second one, options of many keep both: of every command."""
    looked_at = 0
    for parser in parsers(build_parser()):
        for action in parser._actions:
            if not action.option_strings or action.nargs == 0 or isinstance(action.default, list):
                continue
            looked_at += 1
            (option, *_), at = action.option_strings, argparse.Namespace(**{action.dest: action.default})
            action(parser, at, "one", option)
            action(parser, at, "one", option)
            if isinstance(action, argparse._AppendAction):
                continue
            with pytest.raises(argparse.ArgumentError, match=rf"{option}.*: found one, and two; give it once"):
                action(parser, at, "two", option)
            action(parser, argparse.Namespace(**{action.dest: action.default}), "two", option)
    assert looked_at > 100


def test_two_witnesses_are_one_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.mbsd", "--against", "pinocchio", "--against", "um:folder"]) == 2
    assert "argument --against: found pinocchio, and um:folder; give it once" in capsys.readouterr().err
    assert main(["compare", "--pairs", "a.csv", "--pairs=b.csv"]) == 2
    assert "argument --pairs: found a.csv, and b.csv; give it once" in capsys.readouterr().err
