"""Laws of probe models: found from tables of closed forms, not found in foreign or perturbed ones, never guessed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import cos, exp, pi, sin, sqrt, tan
from pathlib import Path
from random import Random

import pytest

import mbconcord
from mbconcord.cli import main, um
from mbconcord.converters import registry
from mbconcord.converters.um.beside import read_xv
from mbconcord.converters.xacro import Allowed
from mbconcord.model import ReadError
from mbconcord.validation.against.probes import find_altered, laws, probes, settle
from mbconcord.validation.witnesses.printed.reader import PrintedTable, parse_table

BY_NAME = {p.name: p for p in probes()}
M, JX, JZ, G = 2.0, 0.3, 0.5, 9.81
#: Masses and weights along the coordinates of the one body, whose mass centre is its origin.
MASS = {"sx": M, "sy": M, "sz": M, "ax": JX, "az": JZ}
WEIGHT = {"sz": -M * G}

Law = Callable[[float, Mapping[str, float]], Mapping[str, float]]


def shift(sign: float = 1.0) -> Law:
    return lambda t, s: {
        "sx": sign * 10 - 100 * s["sx"] - 1 * s["sx'"],
        "sy": sign * 20 - 200 * s["sy"] - 2 * s["sy'"],
        "sz": sign * 30 - 300 * s["sz"] - 3 * s["sz'"],
    }


def turn(name: str, measure: Callable[[float], float]) -> Law:
    c, d = {"ax": (7, 0.4), "az": (9, 0.6)}[name]
    return lambda t, s: {name: -c * measure(s[name]) - d * s[name + "'"]}


def turn_by(share: float) -> Law:
    """The spring is in axes that follow a share of the body's turn."""

    def law(t: float, s: Mapping[str, float]) -> Mapping[str, float]:
        c, d = cos(share * s["az"]), sin(share * s["az"])
        along, across = 10 - 100 * (c * s["sx"] + d * s["sy"]), 20 - 200 * (c * s["sy"] - d * s["sx"])
        return {"sx": c * along - d * across, "sy": d * along + c * across}

    return law


def offset(t: float, s: Mapping[str, float]) -> Mapping[str, float]:
    x, y, z, dx, dy, dz = (s[n] for n in ("sx", "sy", "sz", "sx'", "sy'", "sz'"))
    return {
        "sx": 10 - 100 * (x - 0.1) - 40 * y - dx - 0.4 * dy,
        "sy": 20 - 50 * (x - 0.1) - 200 * y - 0.5 * dx - 2 * dy,
        "sz": 30 - 300 * z - 3 * dz,
    }


def linear(shift: float, harmonic: Callable[[float], float] = sin) -> Law:
    return lambda t, s: {"sx": 5 - 100 * (s["sx"] + shift) - s["sx'"] + 3 * harmonic(2 * t + 0.5)}


def friction(v: float) -> float:
    return 20 * (0.25 + 0.05 * exp(-abs(v) / 0.1)) * (-1 if v > 0 else 1)


#: The law of each table, worked out from the numbers of the probe, by the question and the name of the candidate.
KNOWN: dict[str, tuple[str, dict[str, Law]]] = {
    "parameters": ("c d f, forces on the second body", {"bushing_shift": shift()}),
    "turns": ("2 n tan(a/2)", {f"bushing_turn_{n[1]}": turn(n, lambda a: 2 * tan(a / 2)) for n in ("ax", "az")}),
    "axes": ("axes of the second body", {"bushing_turned": turn_by(1.0)}),
    "matrices": ("by rows, u is zero at ro2 of the first body", {"lfrc_offset": offset}),
    "linear": (
        "f0 - k (x - l0) - d v + q sin(w t + a)", {"linear_joint": linear(-0.1), "linear_bipolar": linear(1 - 1.1)},
    ),
    "sense": (
        "positive pulls the points together",
        {"bipolar_expression": lambda t, s: {"sx": -(5 + 10 * (1 + s["sx"]) - s["sx'"])}},
    ),
    "normal": (
        "c p^(3/2) + d p'",
        {"contact_normal": lambda t, s: {"sz": 1000 * (-s["sz"]) * sqrt(-s["sz"]) - 10 * s["sz'"]}},
    ),
    "friction": (
        "(f + (f0 - f) exp(-|v|/vstribeck)) N", {"contact_friction": lambda t, s: {"sx": friction(s["sx'"])}},
    ),
    "sticking": ("-f0 N v/vstar", {"contact_sticking": lambda t, s: {"sx": -0.3 * 20 * s["sx'"] / 0.01}}),
}  # fmt: skip
#: Laws that are no candidate.
FOREIGN: dict[str, Law] = {
    "bushing_shift": lambda t, s: {n: 1.001 * x for n, x in shift()(t, s).items()},
    "bushing_turn_x": turn("ax", tan),
    "bushing_turn_z": turn("az", lambda a: a + 1e-4 * a**3),
    "bushing_turned": turn_by(0.25),
    "linear_joint": linear(-0.1, lambda x: 2 * x / pi),
    "contact_normal": lambda t, s: {"sz": 1000 * s["sz"] ** 2 - 10 * s["sz'"]},
}


def write(name: str, law: Law, form: str = "{:.9g}", rows: int = 9, start: float = 1.0, gap: float = 0.0) -> str:
    """A table of a law: the states of the probe, and random ones near them."""
    probe, random = BY_NAME[name], Random(3)
    names = [head.partition(" ")[0] for head in probe.header.split(";")]
    states = [{n: 0.0 for n in names if "''" not in n} | {k: start * v for k, v in x.items()} for x in probe.starts]
    for _ in range(rows):
        near = dict(random.choice(states))
        moved = {n: float(form.format(x * random.uniform(0.5, 1.5))) for n, x in near.items()}
        states.append(moved | {"t": round(random.uniform(0, 0.2), 3)})
    lines = [probe.header]
    for s in states:
        q = law(s["t"], s)
        a = {f"{n}''": (q.get(n, 0.0) + WEIGHT.get(n, 0.0)) / MASS[n] * (1 + gap * random.uniform(-1, 1)) for n in MASS}
        lines.append(";".join(form.format((s | a)[n]) for n in names))
    return "\n".join(lines) + "\n"


def table(name: str, law: Law, **how: object) -> PrintedTable:
    return parse_table(write(name, law, **how), f"{name}.csv")  # type: ignore[arg-type]


@pytest.mark.parametrize("law", KNOWN)
def test_the_law_of_the_tables_is_the_one_that_all_agree_with(law: str) -> None:
    name, made = KNOWN[law]
    (found,) = settle({probe: table(probe, of) for probe, of in made.items()}, [p for p in probes() if p.law == law])
    assert (found.verdict, found.agrees, found.missing) == ("settled", (name,), ())
    assert found.digits is not None and 6 <= found.digits <= 9
    assert found.headline.startswith(f"{name}, in {found.digits} digits, the only one of {len(found.candidates)}")


def test_digits_are_not_more_than_the_table_has() -> None:
    _, made = KNOWN["parameters"]
    asked = [BY_NAME["bushing_shift"]]
    digits = [
        settle({"bushing_shift": table("bushing_shift", made["bushing_shift"], form=form)}, asked)[0].digits
        for form in ("{:.4g}", "{:.6g}", "{:.9g}")
    ]
    assert digits == sorted(digits) and digits[0] <= 3 and digits[2] >= digits[0] + 4


@pytest.mark.parametrize("probe", FOREIGN)
def test_a_law_that_is_no_candidate_is_none_of_them(probe: str) -> None:
    asked = [p for p in probes() if p.law == BY_NAME[probe].law]
    (found,) = settle({probe: table(probe, FOREIGN[probe])}, asked)
    assert (found.verdict, found.agrees, found.digits) == ("none", (), None)
    assert found.headline == f"none of {len(found.candidates)} candidate laws"


@pytest.mark.parametrize("law", KNOWN)
def test_a_perturbed_table_is_of_no_candidate(law: str) -> None:
    _, made = KNOWN[law]
    found = settle({p: table(p, of, gap=1e-5) for p, of in made.items()}, [p for p in probes() if p.law == law])
    assert [v.verdict for v in found] == ["none"]


def test_a_law_stays_open_without_all_its_tables_and_where_two_candidates_agree() -> None:
    asked = [p for p in probes() if p.law == "turns"]
    (alone,) = settle({"bushing_turn_x": table("bushing_turn_x", turn("ax", sin))}, asked)
    assert (alone.verdict, alone.agrees, alone.missing) == ("not settled", ("n sin(a)",), ("bushing_turn_z",))
    assert "without the tables of bushing_turn_z" in alone.headline
    small = {f"bushing_turn_{n[1]}": turn(n, sin) for n in ("ax", "az")}
    coarse = {p: table(p, of, form="{:.1g}") for p, of in small.items()}
    (several,) = settle(coarse, asked)
    assert several.verdict == "not settled" and len(several.agrees) > 1


def test_two_tables_that_follow_different_laws_have_no_common_one() -> None:
    made = {"bushing_turn_x": turn("ax", sin), "bushing_turn_z": turn("az", lambda a: a)}
    (found,) = settle({p: table(p, of) for p, of in made.items()}, [p for p in probes() if p.law == "turns"])
    assert found.verdict == "none"


@pytest.mark.parametrize(
    "probe", ["bushing_shift", "bushing_turn_x", "bushing_turn_z", "bushing_turned", "lfrc_offset"]
)
def test_the_first_candidate_is_the_law_that_assume_reads(probe: str) -> None:
    """Confirm or refute by a returned table the candidate that --assume puts into the equations."""
    kind, found = probe.partition("_")[0], BY_NAME[probe]
    assumed = registry.read_text(found.text, "-", "um", allowed=Allowed(assume=(kind,))).system
    assert assumed.forces, "the element was left out"
    candidate = found.under(next(iter(found.candidates)))
    random = Random(1)
    for _ in range(5):
        q, v = ([random.uniform(-1, 1) for _ in assumed.coordinates] for _ in "qv")
        made = [mbconcord.evaluate(s, q=q, v=v, quantities="applied")["applied"] for s in (assumed, candidate)]
        assert made[0] == pytest.approx(made[1], rel=1e-12, abs=1e-12)


def test_every_probe_of_a_law_has_the_same_candidates_and_the_page_has_every_law() -> None:
    for law in {p.law for p in probes()}:
        assert len({tuple(p.candidates) for p in probes() if p.law == law}) == 1
    assert {p.law for p in probes()} == {*laws()}
    assert all(len(words) == 2 and all(words) for words in laws().values())
    for p in probes():
        system = p.system
        assert all({*of} <= {*system.coordinate_names} for of in p.candidates.values())
        assert len(system.bodies) == 1 and bool(p.candidates) == bool(p.starts)


# --- bad input --------------------------------------------------------------------------------------

BAD = {
    "a missing column": (lambda text: "\n".join(x.rpartition(";")[0] for x in text.splitlines()), "nothing to compare"),
    "no time": (lambda text: "\n".join(x.partition(";")[2] for x in text.splitlines()), "no column t"),
    "another unit": (lambda text: text.replace("sx'' [m/s^2]", "sx'' [m/s]"), "the unit [m/s] measures"),
    "a unit of a state": (lambda text: text.replace("sx [m]", "sx [mm]"), "has the state of start1.xv: t = 0"),
    "another model": (lambda text: text.replace("sx [m]", "sq [m]"), "the model has no 'sq'"),
    "an identifier": (
        lambda text: "\n".join(f"{x};{'c1 [1]' if i == 0 else 100}" for i, x in enumerate(text.splitlines())),
        "columns of identifiers: c1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_a_table_that_is_not_of_the_probe_is_refused_with_its_place(bad: str) -> None:
    change, message = BAD[bad]
    text = change(write("linear_joint", linear(-0.1)))
    with pytest.raises(ReadError) as found:
        settle({"linear_joint": parse_table(text, "linear_joint.csv")}, [BY_NAME["linear_joint"]])
    assert message in str(found.value) and "linear_joint.csv:" in str(found.value)
    assert all(d.remedy for d in found.value.diagnostics)


def test_one_missing_acceleration_is_refused() -> None:
    text = "\n".join(x.rpartition(";")[0] for x in write("bushing_shift", shift()).splitlines())
    with pytest.raises(ReadError, match="the table of bushing_shift has no column sz''"):
        settle({"bushing_shift": parse_table(text, "bushing_shift.csv")}, [BY_NAME["bushing_shift"]])


def test_other_states_and_an_open_contact_are_refused() -> None:
    with pytest.raises(ReadError, match=r"has the state of start1.xv: t = 0, sx = 0.2"):
        settle({"linear_joint": table("linear_joint", linear(-0.1), start=1.1)}, [BY_NAME["linear_joint"]])
    law = KNOWN["normal"][1]["contact_normal"]
    text = write("contact_normal", law) + "0.1;0.01;0;-9.81\n"
    with pytest.raises(ReadError, match="row 12: the contact of contact_normal is open"):
        settle({"contact_normal": parse_table(text, "contact_normal.csv")}, [BY_NAME["contact_normal"]])


def test_a_table_of_no_probe_is_refused() -> None:
    with pytest.raises(ReadError, match="no probe 'linear_join'"):
        settle({"linear_join": table("linear_joint", linear(-0.1))})


# --- the commands -----------------------------------------------------------------------------------


def test_the_kit_is_a_folder_of_models_states_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit = tmp_path / "kit"
    assert main(["um", "probes", str(kit), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted(told["written"]) == sorted(str(p.relative_to(kit).as_posix()) for p in kit.rglob("*") if p.is_file())
    assert told["tables"] == [f"{p.name}.csv" for p in probes()]
    page = (kit / "README.md").read_text("utf-8")
    assert "Пробные модели" in page and "Probes of" in page and all(page.count(f"`{p.header}`") >= 2 for p in probes())
    for p in probes():
        model = registry.read(kit / p.name / "input.dat").system
        assert find_altered(model, p.name) == ""
        for i, start in enumerate(p.starts, 1):
            state = read_xv((kit / p.name / f"start{i}.xv").read_bytes())
            assert dict(zip(model.coordinate_names, state.q, strict=True)) == {
                n: start.get(n, 0.0) for n in model.coordinate_names
            }
            assert [*state.v] == [start.get(n + "'", 0.0) for n in model.coordinate_names]
    assert main(["um", "probes", str(kit)]) == 2
    assert "it is there, and is no empty folder" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [("sx' [m/s]", "sx/s [m']"), ("sx' [m/s]", "sx' [mm/s]"), ("sx' [m/s]", "sx' [m]"), ("start2.xv", "start3.xv")],
)
def test_the_page_is_read_back(
    right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = um._describe
    monkeypatch.setattr(um, "_describe", lambda language: (x.replace(right, wrong) for x in lines(language)))
    assert main(["um", "probes", str(tmp_path / "kit")]) == 1
    assert "um: error: page; " in capsys.readouterr().err


def test_check_settles_the_laws_of_a_returned_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit, back = tmp_path / "kit", tmp_path / "back"
    assert main(["um", "probes", str(kit)]) == 0
    back.mkdir()
    (back / "linear_joint.csv").write_text(write("linear_joint", linear(-0.1)), "utf-8")
    against = ["--against", f"table:{back}"]
    capsys.readouterr()
    assert main(["check", str(kit), *against]) == 3
    out = capsys.readouterr().out
    assert "f0 - k (x - l0) - d v + q sin(w t + a), in " in out and "without the tables of linear_bipolar" in out
    (back / "linear_bipolar.csv").write_text(write("linear_bipolar", linear(-0.1)), "utf-8")
    of = [str(kit / p.name) for p in probes() if p.law == "linear"]
    assert main(["check", *of, *against, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["laws"]
    assert (found["law"], found["verdict"], found["tables"]) == (
        "linear",
        "settled",
        ["linear_joint", "linear_bipolar"],
    )
    (back / "linear_bipolar.csv").write_text(write("linear_bipolar", linear(-0.2)), "utf-8")
    assert main(["check", *of, *against]) == 1
    assert "none of 4 candidate laws" in capsys.readouterr().out
    (kit / "linear_joint" / "input.dat").write_text(BY_NAME["linear_joint"].text.replace("c1# 100", "c1# 101"), "utf-8")
    assert main(["check", *of, *against]) == 2
    assert "not the probe linear_joint: parameters" in capsys.readouterr().err
    assert main(["check", *of, *against, "--state", "x.json"]) == 2
    assert "found --state beside a folder of tables" in capsys.readouterr().err


def test_a_probe_whose_element_was_changed_is_not_that_probe() -> None:
    text = BY_NAME["bushing_shift"].text.replace("c1#c2", "c2#c1")
    assert find_altered(registry.read_text(text, "-", "um").system, "bushing_shift") == "the element"
    assert "no probe has the name" in find_altered(registry.read_text(text, "-", "um").system, "bushing")
