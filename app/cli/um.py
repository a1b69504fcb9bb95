"""Write probe models of Universal Mechanism, whose motion settles the laws of its elements that no file shows.

probes writes a folder with an input.dat of one body and one element for each question, states to start from, and a page
in Russian and English for someone with a licence. mbconcord check FOLDER --against table:RETURNED settles the laws.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from mbconcord.converters.registry import read
from mbconcord.converters.um.beside import write_xv
from mbconcord.model.diagnostics import MbconcordError, ReadError, WriteError, error
from mbconcord.model.limits import count
from mbconcord.records import fields
from mbconcord.reports.table import table
from mbconcord.validation.against.probes import LawVerdict, find_altered, laws, probes, settle, start_state
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.printed.columns import map_columns
from mbconcord.validation.witnesses.printed.reader import parse_table, read_table
from mbconcord.validation.witnesses.screen import conclude
from mbconcord.witnessed import with_evidence

from . import DISAGREEMENT, NOT_CHECKED, SUCCESS
from .output import add_force, print_json, say, say_head, tell, write_file

PAGE = "README.md"
ENGLISH = """# Probes of Universal Mechanism

Each folder is a model of one body and one element. Its motion settles a law that no file of UM shows.

1. Open the model in UM. Change nothing in it.
2. Start the simulation from each state startN.xv (File, Load state). Simulate 0.2 s with an output step of 0.01 s; end
   before a contact opens.
3. Print the time, the coordinates, their rates and accelerations to eight digits or more. Put the rows of all starts
   into one file, FOLDER.csv, below the header given here. Name the units that you print: m, mm, rad, deg.
4. Models of an element "to add" have none: add one of each type in UM, in a copy of the folder, and send the copy.
5. Send all .csv files back. `mbconcord check PROBES --against table:RETURNED` settles the laws.
"""
RUSSIAN = """# Пробные модели для «Универсального механизма»

Каждая папка — модель из одного тела и одного элемента. Её движение показывает закон, которого нет в файлах UM.

1. Откройте модель в UM. Ничего в ней не меняйте.
2. Начните расчёт с каждого состояния startN.xv (загрузить состояние). Время 0,2 с, шаг вывода 0,01 с; закончите раньше,
   чем разомкнётся контакт.
3. Выведите время, координаты, скорости и ускорения, не менее восьми цифр. Строки всех расчётов поместите в один файл
   ПАПКА.csv под заголовком, который дан ниже. Назовите единицы, в которых выводите: m, mm, rad, deg.
4. В моделях с пометкой «добавить» элемента нет: добавьте в копии папки по элементу каждого типа и пришлите копии.
5. Пришлите все файлы .csv. Законы определяет команда `mbconcord check PROBES --against table:RETURNED`.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the action, and the folder."""
    parser.add_argument("action", choices=("probes",), help="write the probe models")
    parser.add_argument("folder", metavar="FOLDER", help="folder to write, which is new or empty")
    add_force(parser, ", and into a folder that is not empty")


def run(arguments: argparse.Namespace) -> int:
    """Write the probe models into a folder; return the exit code."""
    folder = Path(arguments.folder)
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not arguments.force)):
        raise WriteError(error(str(folder), "it is there, and is no empty folder", "name a new one, or say --force"))
    written = [PAGE]
    for probe in probes():
        (folder / probe.name).mkdir(parents=True, exist_ok=True)
        write_file(str(folder / probe.name / "input.dat"), probe.text)
        written.append(f"{probe.name}/input.dat")
        for i, start in enumerate(probe.starts, 1):
            name, system = f"{probe.name}/start{i}.xv", probe.system
            write_file(str(folder / name), "", write_xv(start_state(system, start), system))
            written.append(name)
    page = "\n".join([RUSSIAN, *_describe(1), "", ENGLISH, *_describe(0)])
    write_file(str(folder / PAGE), page + "\n")
    tell(wrong := [*contradict([_read_page(page, written)], "um")])
    tables = [f"{probe.name}.csv" for probe in probes()]
    if arguments.json:
        print_json({"folder": str(folder), "written": written, "tables": tables})
    else:
        say(f"{folder}: {count(len(tables), 'probe model')}, to send back: {', '.join(tables)}")
        say(f"the page for whoever has UM: {folder / PAGE}")
    return DISAGREEMENT if wrong else SUCCESS


def _describe(language: int) -> Iterator[str]:
    """Yield the lines of the page about the probes: folder, question, states, header of the table."""
    add, header = (("to add", "header"), ("добавить", "заголовок"))[language]
    for probe in probes():
        yield f"* `{probe.name}` — {laws()[probe.law][language]}" + ("" if probe.starts else f" ({add})")
        for i, start in enumerate(probe.starts, 1):
            yield f"  * `start{i}.xv`: " + ", ".join(f"{name} = {value:g}" for name, value in start.items())
        yield f"  * `{probe.name}.csv`, {header}: `{probe.header}`"


def _read_page(page: str, written: Collection[str]) -> Comparison:
    """Compare the page with the files, and the columns of its headers with those that each model needs, in SI units."""
    english = page.partition(ENGLISH)[2]
    folder, files, wrong = "", {PAGE}, list[str]()
    for probe, start in re.findall(r"^(?:\* `([^`]+)`|  \* `(start\d+\.xv)`)", english, re.MULTILINE):
        folder = probe or folder
        files.add(f"{folder}/{start or 'input.dat'}")
    wrong += [f"{name} is on the page or in the folder alone" for name in sorted(files ^ {*written})]
    for each in probes():
        own = {"t": 1.0} | {name + dots: 1.0 for name in each.system.coordinate_names for dots in ("", "'", "''")}
        header = re.findall(rf"`{each.name}\.csv`, header: `(.*)`", english)
        try:
            read_back = parse_table(f"{''.join(header)}\n{';'.join('0' for _ in own)}", PAGE)
            found = {name: x.heading.unit.factor for name, x in map_columns(read_back, each.system).given.items()}
            wrong += [f"{each.name}: found columns {found}, expected {own}"] if found != own else []
        except ReadError as problem:
            wrong += [f"{each.name}: {d.message}" for d in problem.diagnostics]
    return conclude("um", "page", wrong)


def settle_laws(arguments: argparse.Namespace, models: Sequence[str], folder: str, others: Sequence[str]) -> int:
    """Settle the laws that probe models ask about, by the tables in a folder; print verdicts, return the exit code.

    Raises
    ------
    MbconcordError
        A model is no probe or was altered, an option does not fit such tables, or there is no table.
    """
    if others:
        message = f"found {others[0]} beside a folder of tables, which settle laws of probes at their own states"
        raise MbconcordError(error("--against", message, f"leave out {others[0]}"))
    named = {_find_probe(file) for file in models}
    asked = [p for p in probes() if p.name in named]
    found = {path.stem: read_table(str(path)) for path in sorted(Path(folder).glob("*.csv"))}
    if not found:
        message = "no table of a probe: there is no .csv file"
        raise ReadError(error(folder, message, f"for example {asked[0].name}.csv, see the page of the probes"))
    verdicts = settle(found, asked)
    if arguments.json:
        told = [{f.name: getattr(v, f.name) for f in fields(v)} | {"headline": v.headline} for v in verdicts]
        print_json(with_evidence("check", {"laws": told}))
    else:
        rows = [(v.law, laws()[v.law][0], str(len(v.tables)), str(v.rows), v.headline) for v in verdicts]
        say_head("check", ["laws[].digits"])
        say(table(("law", "of", "tables", "rows", "verdict"), rows))
    return _exit_code(verdicts)


def _find_probe(file: str) -> str:
    """Return the name of a probe model.

    Raises
    ------
    ReadError
        The model is no probe, or differs from the probe of its name.
    """
    path = Path(file).resolve()
    name = path.name if path.is_dir() else path.parent.name
    altered = find_altered(read(file, "um").system, name)
    if altered:
        remedy = "a folder of tables is compared with the probe models, written by the command um, as they are"
        raise ReadError(error(file, f"this is not the probe {name}: {altered}", remedy))
    return name


def _exit_code(verdicts: Sequence[LawVerdict]) -> int:
    """Return the exit code: 1 if a law is none of the candidates, 3 if a law is not settled, else 0."""
    found = {v.verdict for v in verdicts}
    return DISAGREEMENT if "none" in found else NOT_CHECKED if "not settled" in found else SUCCESS
