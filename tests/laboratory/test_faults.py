"""Every seeded fault of every formalism is caught, and injecting one leaves no trace."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import mbconcord.formalisms
from laboratory.command import main
from laboratory.faults import __main__ as command
from laboratory.faults.__main__ import SeededFaults
from laboratory.faults.attempts import attempt_command
from laboratory.faults.models import STATES, everything, subjects
from laboratory.faults.score import catcher, constraint_faults, faults, honest, read_faults
from laboratory.faults.tables import FOLDER, numbers, read_fault, read_table, shared, texts
from laboratory.faults.tables.shared import LINEAR, Watched
from laboratory.runner.change import source_file
from laboratory.runner.record import ChangeOutcome
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.formalisms.telegin.planarity import PLANAR
from mbconcord.model import MbconcordError
from mbconcord.model.features import OPEN_TREES, features
from mbconcord.testing import Fault, compare_suspect, inject, objections
from mbconcord.testing.injection import seed_fault
from mbconcord.validation.claims import ALL, BY_NAME
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.many.cluster.worker import Children, ProcessAnswer

TABLE = [(name, fault) for name in BUILT_IN for fault in faults(name)]
SUBTLE = read_faults("subtle")


@pytest.mark.sampled(40)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), TABLE, ids=[f"{name}: {fault.title}" for name, fault in TABLE])
def test_the_claims_catch(name: str, fault: Fault) -> None:
    """A subtle one by the comparison alone, which knows what floats explain, and as faintly as it is."""
    assert fault.formalism == name
    caught = catcher(fault)
    assert caught is not None
    assert 0 < caught.discrepancy < 1e-8 if fault in SUBTLE else caught.discrepancy > 1e-6
    assert caught.claim == "agreement" or fault not in SUBTLE


@pytest.mark.parametrize("kind", ["factor", "off plane", "at speed", "offset centre"])
def test_every_formalism_has_a_subtle_fault_of_each_kind(kind: str) -> None:
    static = {"static_moments"} if kind == "at speed" else set()
    own = [row.fault.formalism for row in read_table("subtle", "") if row.section == (kind,)]
    assert set(own) == set(BUILT_IN) - static


def test_subtle_faults_change_the_ninth_digit() -> None:
    tiny = ("1e-9", "1e-10")
    assert all(any(x in f.faulty and x not in f.original for x in tiny) for f in SUBTLE)


def test_states_of_a_longer_draw_begin_with_those_of_a_shorter() -> None:
    assert draw(everything(), 10, 1).states[:STATES] == subjects()[0].states


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_formalism_has_ten_different_faults(name: str) -> None:
    table = faults(name)
    assert len(table) >= 10
    assert (
        len({fault.title for fault in table})
        == len({(f.module, f.function, f.original, f.faulty) for f in table})
        == len(table)
    )


@pytest.mark.sampled(20)
@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(subjects())))
def test_no_claim_objects_to_an_honest_formalism(index: int) -> None:
    system = subjects()[index].system
    takers = {name for name in BUILT_IN if not formalism(name).obstacles(system)}
    assert len(takers) >= 2, "a fault is seen by comparison too"
    for name in takers:
        made = compare_suspect(formalism(name), honest(index))
        assert set(made.evaluations) == takers
        assert [
            claim.name for claim in ALL if claim.name not in BY_NAME and objections(claim, made, formalism(name))
        ] == []


def test_every_formalism_but_two_has_faults_of_motions_with_constraints() -> None:
    counts = {name: len(constraint_faults(name)) for name in BUILT_IN if constraint_faults(name)}
    assert counts == {"lagrange": 10, "newton_euler": 28, "virtual_work": 23, "konoplev": 8, "telegin": 8}


ROW = Watched(Fault("no force", "mbconcord.model.force", "", "x - self.l0", "x", owner="shared"), "fields", LINEAR)


class Process(Children):
    """In place of a process: the catch is given."""

    def __init__(self, catch: dict[str, Any] | None) -> None:
        super().__init__()
        self.catch = catch

    def run(self, function: str, *arguments: Any) -> ProcessAnswer:
        found = {"found": [self.catch] if self.catch else [], "crash": ""}
        return ProcessAnswer(found if function.endswith(":call") else self.catch, seconds=0.5)


@pytest.mark.parametrize(
    "seeded", [SeededFaults("shared", ROW.fault, ROW), SeededFaults("lagrange", faults("lagrange")[0])]
)
@pytest.mark.parametrize(
    ("catch", "how", "by"),
    [
        ({"claim": "fields", "quantity": "h", "discrepancy": 0.25}, "check", "fields, h, 2.5e-01"),
        (None, "survived", ""),
    ],
)
def test_a_fault_ends_by_its_catch(seeded: SeededFaults, catch: dict[str, Any] | None, how: str, by: str) -> None:
    found = seeded.outcome(Process(catch))
    assert (found.how, found.by, found.key) == (how, by, seeded.key)


def test_another_claim_than_that_of_the_table_is_no_catch() -> None:
    other = Process({"claim": "agreement", "quantity": "h", "discrepancy": 0.25})
    assert SeededFaults("shared", ROW.fault, ROW).outcome(other).how == "survived"


def test_the_command_keeps_counts_and_names_survivors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(self: SeededFaults, children: Children) -> ChangeOutcome:
        how = "survived" if self.number == 2 else "check"
        return ChangeOutcome(self.key, self.fault.module, self.key, how, f"agreement, h, {self.number + 1}.0e-3")

    monkeypatch.setattr(SeededFaults, "outcome", ended)
    kept = tmp_path / "faults.jsonl"
    words = ["static_moments", "--results", str(kept), "--jobs", "1"]
    assert main(command, words) == 1
    said = capsys.readouterr().out
    (missed,) = (line for line in said.splitlines() if line.startswith("NOT CAUGHT: "))
    assert faults("static_moments")[2].title in missed and faults("static_moments")[0].title in said
    monkeypatch.setattr(SeededFaults, "outcome", lambda *_: pytest.fail("it was tried again"))
    assert main(command, words) == 1 and capsys.readouterr().out == said
    assert main(command, ["lagrnge"]) == 2 and "did you mean 'lagrange'?" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.rest
def test_a_crash_is_no_catch() -> None:
    real = faults("virtual_work")[0]
    assert catcher(replace(real, title="it raises", faulty="undefined_name")) is None


@pytest.mark.slow
def test_the_registry_never_holds_a_faulty_formalism() -> None:
    code = (
        "from mbconcord.formalisms.registry import formalism\n"
        "from mbconcord.testing import inject\n"
        "from laboratory.faults.score import faults\n"
        "with inject(faults('lagrange')[0]) as faulty:\n"
        "    inside = formalism('lagrange')\n"
        "assert type(inside) is not type(faulty) and inside is formalism('lagrange')\n"
        "import sys\n"
        "assert type(inside).mro()[1] is sys.modules['mbconcord.formalisms.lagrange'].Lagrange"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_the_machine_has_every_feature() -> None:
    assert {feature for feature, _ in features(everything())} == OPEN_TREES | {"follower_forces"}
    used = {feature for drawn in subjects() for feature, _ in features(drawn.system)}
    assert used == OPEN_TREES | {
        "bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures", "follower_forces",
    }  # fmt: skip


def _disk() -> Iterator[tuple[str, str]]:
    for path in sorted(Path(mbconcord.formalisms.__file__).parent.rglob("*.py")):
        yield str(path), sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", BUILT_IN)
def test_injection_leaves_modules_and_disk_untouched(name: str) -> None:
    fault = faults(name)[0]
    honest = formalism(name)
    modules = {key: value for key, value in sys.modules.items() if key.startswith("mbconcord.formalisms")}
    disk, finders = dict(_disk()), list(sys.meta_path)
    attribute = getattr(mbconcord.formalisms, name)
    with pytest.raises(ZeroDivisionError), inject(fault) as faulty:
        assert type(faulty) is not type(honest)
        assert type(faulty).__module__ == type(honest).__module__
        assert sys.modules[fault.module] is not modules[fault.module]
        _ = 1 / 0
    after = {key: value for key, value in sys.modules.items() if key.startswith("mbconcord.formalisms")}
    assert after.keys() == modules.keys()
    assert all(after[key] is modules[key] for key in modules)
    assert getattr(mbconcord.formalisms, name) is attribute
    assert sys.meta_path == finders
    assert dict(_disk()) == disk
    assert formalism(name) is honest


def test_a_faulty_copy_does_not_change_the_honest_formalism() -> None:
    drawn = draw(everything(), 2, 1)
    name = "virtual_work"
    before = trial(drawn.system, drawn.states, [formalism(name)]).evaluations[name]
    with inject(faults(name)[0]) as faulty:
        wrong = trial(drawn.system, drawn.states, [faulty]).evaluations[name]
        meanwhile = trial(drawn.system, drawn.states, [formalism(name)]).evaluations[name]
    for quantity, values in before.quantities.items():
        assert (meanwhile.quantities[quantity] == values).all()
    assert any((wrong.quantities[q] != before.quantities[q]).any() for q in before.quantities)


ALL_FAULTS = dict.fromkeys(
    (
        *(fault for _, fault in TABLE), *read_faults("constraints"),
        *(row.fault for row in (*shared.FAULTS, *texts.FAULTS)),
        *(fault for table in texts.READERS.values() for fault in table),
    )
)  # fmt: skip


@pytest.mark.parametrize("module", sorted({fault.module for fault in ALL_FAULTS}))
def test_every_fault_has_one_place_and_changes_what_it_says(module: str) -> None:
    source = source_file(module).read_text("utf-8")
    for fault in (fault for fault in ALL_FAULTS if fault.module == module):
        assert seed_fault(source, fault) != ast.unparse(ast.parse(source)), fault.title


def test_lines_of_tables_are_no_longer_than_those_of_sources() -> None:
    tables = sorted(FOLDER.glob("*.txt"))
    assert len(tables) >= 15
    assert [(p.name, line) for p in tables for line in p.read_text("utf-8").splitlines() if len(line) > 120] == []


def test_a_row_names_its_place_and_marks_its_change() -> None:
    package = "mbconcord.formalisms.lagrange"
    whole, below = Fault("sign", package, "f", "-x", "x"), Fault("sign", f"{package}.forces", "", "x + y", "x", "full")
    assert read_fault("formalisms.lagrange", "sign", ":f", "«- → »x") == whole
    assert read_fault("formalisms", "sign", "lagrange.forces:", "x« + y → »", "full") == below
    with pytest.raises(AssertionError, match="sign: '-x' marks no change"):
        read_fault("formalisms.lagrange", "sign", ":f", "-x")


SOURCE = """
def f(x, y):
    if x:  # a comment
        y = g(x -
              y)
        return y
    return h(x)(x)

class K:
    def f(self):
        return a - b, a - b
"""


@pytest.mark.parametrize(
    ("function", "original", "faulty", "found"),
    [
        ("f", "x - y", "x + y", "y = g(x + y)"),
        ("f", "h(x)(x)", "h(x)", "return h(x)"),
        ("f", "y = g(x - y)\nreturn y", "return g(x)", "if x:\n        return g(x)\n    return"),
        ("f", "y = g(x - y)\nreturn y", "", "if x:\n        pass\n    return"),
        ("f", "return h(x)(x)", "", "return y\n\nclass"),
        ("", "x - y", "x", "y = g(x)"),
        ("K.f", "(a - b, a - b)", "(a - b, b - a)", "return (a - b, b - a)"),
    ],
)
def test_a_place_is_found_by_its_syntax(function: str, original: str, faulty: str, found: str) -> None:
    assert found in seed_fault(SOURCE, Fault("sign", "m", function, original, faulty, owner="none"))


@pytest.mark.parametrize(
    ("function", "original", "faulty", "message"),
    [
        ("f", "a - b", "a + b", "does not stand in f of m"),
        ("K.f", "a - b", "a + b", "stands 2 times in K.f of m"),
        ("K.g", "a - b", "a + b", "m has no function K.g"),
        ("f", "x - y", "(x-y)", "it changes nothing"),
        ("f", "x -", "x", "is no Python"),
        ("f", "x - y", "return x", "an expression is expected"),
    ],
)
def test_a_place_that_is_none_is_refused(function: str, original: str, faulty: str, message: str) -> None:
    with pytest.raises(MbconcordError, match=re.escape(message)):
        seed_fault(SOURCE, Fault("sign", "m", function, original, faulty, owner="none"))


@pytest.mark.parametrize("form", PLANAR)
def test_every_planar_form_has_a_fault_of_sign(form: str) -> None:
    """Caught on the planar linkage alone: no other model is taken by the form."""
    own = [fault for fault in faults("telegin") if fault.form == form]
    assert any(bare(fault.original) == bare(fault.faulty) for fault in own)
    with inject(own[0]) as faulty:
        assert faulty.form == form
        taken = [i for i, drawn in enumerate(subjects()) if not faulty.obstacles(drawn.system)]
    assert taken == [len(subjects()) - 1]


def bare(text: str) -> str:
    """A source text without signs."""
    return text.replace("-", "").replace("+", "")


@pytest.mark.parametrize("row", numbers.FAULTS, ids=lambda row: row.fault.title)
def test_a_fault_of_a_printed_number_has_its_place(row: numbers.PrintedFault) -> None:
    assert seed_fault(source_file(row.fault.module).read_text("utf-8"), row.fault)


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children((), 120) as found:
        yield found


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("row", numbers.FAULTS, ids=lambda row: row.fault.title)
def test_the_command_that_prints_a_number_notices(children: Children, row: numbers.PrintedFault) -> None:
    how, by = attempt_command(children, row)
    assert how == "check", by


def test_a_fault_of_a_reader_is_tried_by_the_rows_that_a_short_run_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = next(item for item in command.list_faults("readers") if "about the origin (converters.mbsd" in item.key)
    with Children((), 120) as own:
        assert found.outcome(own).how == "tests"
        monkeypatch.setattr(command, "run_changed", lambda *_: ProcessAnswer(3))  # pytest's own error is no catch
        assert found.outcome(own).how == "raised"
