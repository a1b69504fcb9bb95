"""Keep the equations of models as a text to be reviewed, and report what has changed since, and why.

save writes a file of baselines; check compares the models with it. A directory stands for all model files in it. Of
every entry of M, h, gravity and the forces there is a residue in a prime field, which no rounding changes and which all
right formalisms have in common, and twelve digits at two states. With --certificates, save writes a certificate beside
each model, which check verifies with the machine that the model is then. Exit code 0: as they were; 1: something
changed, is missing or is gone; 3: nothing could be compared, or what is left out and acts is not accepted.
"""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path

from mbconcord.api.regression.baselines import (
    DEFAULT_FILE,
    Saving,
    absent,
    baseline_of,
    beside,
    certificate_of,
    compare_kept,
    name_in,
    save,
)
from mbconcord.api.regression.project import model_files
from mbconcord.api.source import locate_errors
from mbconcord.certificate.emit import write_certificate
from mbconcord.certificate.pair import CertificatePair
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import count
from mbconcord.records import replace
from mbconcord.validation.baseline.changes import BaselineComparison
from mbconcord.validation.baseline.text import Saved, read_baselines
from mbconcord.validation.judge.progress import count_progress
from mbconcord.witnessed import with_constraints, with_evidence

from . import BAD_INPUT, DISAGREEMENT, NOT_CHECKED, SUCCESS
from .io.json_files import STANDARD_INPUT
from .options.accepted import add_accepted, find_accepted
from .output import (
    add_force,
    add_quiet,
    complain,
    print_json,
    require_other,
    require_writable,
    say,
    say_head,
    write_file,
)
from .source import add_allowed, find_group, read, read_allowed, read_physics

SAVE, CHECK = "save", "check"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the action, and the models."""
    parser.add_argument("action", choices=(SAVE, CHECK), help="write the baselines, or compare the models with them")
    parser.add_argument("files", metavar="FILE", nargs="+", help="model file or directory")
    parser.add_argument(
        "--output", "--baseline", metavar="FILE", default=DEFAULT_FILE,
        help="file of baselines, of any number of models (default: %(default)s)",
    )  # fmt: skip
    find_group(parser).add_argument("--from", dest="source_format", metavar="FORMAT", help="format of the files")
    parser.add_argument(
        "--certificates", action="store_true",
        help="save: also write a certificate beside each model, MODEL.cert; check verifies those that are there",
    )  # fmt: skip
    add_quiet(parser, "only what has changed")
    add_allowed(parser)
    add_accepted(parser)
    add_force(parser)


def run(arguments: argparse.Namespace) -> int:
    """Save baselines, or check models against them; return the exit code."""
    if STANDARD_INPUT in arguments.files:
        raise ReadError(error("", "a baseline is of a file, found standard input", "name the model's file"))
    files = model_files(arguments.files)
    return _save(arguments, files) if arguments.action == SAVE else _check(arguments, files)


def _folders(arguments: argparse.Namespace) -> list[str]:
    return [name for name in arguments.files if Path(name).is_dir()]


def _save(arguments: argparse.Namespace, files: list[str]) -> int:
    """Write baselines of models to a file, or nothing if a model is refused; return the exit code."""
    file = arguments.output
    require_other(file, files, arguments.force)
    require_writable(file)
    found: dict[str, Saved] = {}
    fields, refused, certificates = {"residues"}, False, dict[Path, str]()
    for name in count_progress("model", files):
        try:
            source = read(name, arguments.source_format, read_physics(arguments), read_allowed(arguments)).plausible()
            found[name_in(file, source.file)] = baseline_of(source)
            fields.update(with_constraints(source.system))
            if arguments.certificates:
                with locate_errors(source):
                    certificates[certificate_of(source)] = write_certificate(source.system)[0]
        except MbconcordError as problem:
            refused = True
            complain(problem)
    if refused:
        return BAD_INPUT
    done = save(found, file, _folders(arguments))
    for beside_it, text in certificates.items():
        write_file(str(beside_it), text)
    if arguments.json:
        told = {"file": file, **{key: list(value) for key, value in vars(done).items()}}
        print_json(with_evidence("baseline", told, fields))
    elif not arguments.quiet or done.changed or done.gone:
        say(f"{file}: {_words(done)}")
        for key in ("changed", "gone"):
            for name in getattr(done, key):
                say(f"  {key}: {name}")
    return SUCCESS


def _words(done: Saving) -> str:
    counts = {key: len(value) for key, value in vars(done).items()}
    return ", ".join(f"{n} {key}" for key, n in counts.items() if n)


def _check(arguments: argparse.Namespace, files: list[str]) -> int:
    file = arguments.output
    baselines = read_baselines(file, arguments.files)
    found: dict[str, BaselineComparison] = {}
    fields: dict[str, list[str]] = {}
    certified: dict[str, CertificatePair | None] = {}
    missing = list(absent(baselines, file, _folders(arguments)))
    refused = False
    for name in count_progress("model", files):
        try:
            source = read(name, arguments.source_format, read_physics(arguments), read_allowed(arguments)).plausible()
            known = name_in(file, source.file)
            if known not in baselines.models:
                missing.append(known)
                remedy = f"save it: mbconcord baseline save {name} --output {file}"
                complain(ReadError(error(str(name), f"{file} has no baseline of it", remedy)))
                continue
            own = beside(source, baselines, file)
            accepted = find_accepted(arguments, source.file)
            found[name] = replace(own, left_out=replace(own.left_out, accepted=accepted))
            certified[name] = compare_kept(source)
            fields[name] = with_constraints(source.system, "digits")
        except MbconcordError as problem:
            refused = True
            complain(problem)
    for name in absent(baselines, file, _folders(arguments)):
        remedy = "save the directory where that is meant"
        complain(ReadError(error(str(name), "there is a baseline, and no such model", remedy)))
    for name, pair in certified.items():
        if pair is not None and pair.code in (DISAGREEMENT, NOT_CHECKED):
            said = "; ".join((pair.headline, *pair.said))
            complain(ReadError(error(f"{name}.cert", said, f"mbconcord baseline save {name} --certificates renews it")))
    if arguments.json:
        models = {name: own.to_json() for name, own in found.items()}
        told = {"baseline": file, "models": models, "missing": missing}
        print_json(with_evidence("baseline", told, [*chain(*fields.values())] or ["digits"]))
    else:
        _tell(found, fields, arguments.quiet)
    kept = {pair.code for pair in certified.values() if pair is not None}
    codes = {_code(found, missing, refused), *(kept & {DISAGREEMENT, NOT_CHECKED})}
    return next(code for code in (BAD_INPUT, DISAGREEMENT, NOT_CHECKED, SUCCESS) if code in codes)


def _tell(found: dict[str, BaselineComparison], fields: dict[str, list[str]], quiet: bool) -> None:
    for name, own in found.items():
        if not quiet or not own.stands:
            entries = f"  ({count(own.compared, 'entry', 'entries')})" if own.outcome.startswith("same") else ""
            say(f"{name}: {own.headline}{entries}")
            say_head("baseline", fields[name] if own.outcome == "changed" else ())
            for line in str(own).splitlines():
                say(f"  {line}")


def _code(found: dict[str, BaselineComparison], missing: list[str], refused: bool) -> int:
    """Return the exit code of the worst result: bad input, then change, then nothing compared, then success."""
    outcomes = {own.outcome for own in found.values()}
    if refused:
        return BAD_INPUT
    if missing or "changed" in outcomes:
        return DISAGREEMENT
    return SUCCESS if all(own.stands for own in found.values()) else NOT_CHECKED
