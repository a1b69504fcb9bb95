"""The command line: one module per subcommand, with ``arguments(parser)`` and ``run(arguments)``.

A command's module is imported when the command is used and not before, so that ``--help`` answers at once; the
module itself imports what it needs at its top. Exit codes: 0 agreement or success, 1 disagreement or refused loss and
nothing else, 2 bad input or usage or an output that takes nothing, 3 not checked, 70 an internal error.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from mbconcord import __version__

from .io.streams import OutputError, show_control_characters

#: Commands, which are names of modules here, by what they are used for, and what each does.
GROUPS = {
    "models": {
        "check": "compare the equations of motion that several formalisms derive",
        "compare": "tell whether two models are the same machine",
        "convert": "write a model in another format",
        "info": "describe a model",
        "view": "show, check, compare and convert models on a page",
    },
    "equations": {
        "derive": "print the equations of motion",
        "evaluate": "print M, h and the forces at a state",
        "export": "write the equations of motion as a library in C, or for JAX or CasADi",
        "certify": "write the equations of motion with their proof, as a certificate",
        "verify": "verify certificates, as anyone can without mbconcord",
    },
    "motion": {
        "simulate": "integrate the motion in time",
        "equilibrium": "find where the forces balance",
        "linearize": "write the motion near a state as matrices and modes",
        "assemble": "move a state onto the constraints",
        "animate": "play the states of a table on a page",
        "walk": "compute the moments of a walking machine and its margin of stability",
    },
    "continuous integration": {
        "baseline": "keep the equations of models, and name what has changed",
        "campaign": "check many models, or random ones, and collect what is found",
    },
    "about mbconcord": {
        "um": "write probe models whose motion settles laws of Universal Mechanism",
        "doctor": "show what is installed, and whether it works",
        "formats": "list the formats",
        "formalisms": "list the formalisms",
        "completion": "print a script by which a shell completes commands, options and names",
    },
}
COMMANDS = {name: help for group in GROUPS.values() for name, help in group.items()}

SUCCESS, DISAGREEMENT, BAD_INPUT, NOT_CHECKED = 0, 1, 2, 3
INTERNAL_ERROR, INTERRUPTED = 70, 130
#: The variable of the environment that has the traceback of an internal error printed.
DEBUG = "MBCONCORD_DEBUG"
#: When the process collects garbage: seldom, as nearly all that a run makes, modules first, lives to its end.
COLLECTED = 200_000, 50, 100
#: Threads of NumPy's linear algebra: its matrices are small here, and threads that wait for each other cost more time
#: of the processor than all else where cores are shared. Read when NumPy is imported, so not by who imported it before.
THREADS = "OPENBLAS_NUM_THREADS", "1"

EPILOG = """exit codes: 0 agreement or success, 1 disagreement or refused loss, 2 bad input or usage,
3 not checked (some quantity had fewer than two witnesses), 70 internal error
environment: NO_COLOR=1 or FORCE_COLOR=1 (default: colours on a terminal), MBCONCORD_DEBUG=1 (print tracebacks)"""


# Commands and options of earlier days and of other programs, and where each of them is found here.

_CAMPAIGN = "is of campaigns: mbconcord campaign run FILE… "
_LABORATORY = "moved to the laboratory of the source checkout: make "
_TOLERANCE = "is no option: bounds on rounding decide; the column tolerance shows them"
_STATE = 'is --state FILE, which holds {"q": {"NAME": 0.3}}'
_PRINTS = "is no option: it prints; into a file: --json > out.json"
_OF_STATES = ("check", "compare", "evaluate", "assemble", "equilibrium", "linearize", "simulate", "walk")
_OF_ONE = ("--against", "--map", "--expect", "--simulate", "--state")
_ENVIRONMENT = "is now a variable of the environment:"
_COLOUR = f"{_ENVIRONMENT} FORCE_COLOR=1 for always, NO_COLOR=1 for never"

#: The words of a command line, without mbconcord, or an option of any command -> where to find what they did.
MOVED: Final = {
    "explore": "is mbconcord campaign run --random",
    "bench": f"{_LABORATORY}bench",
    "mutants": f"{_LABORATORY}mutants",
    "faults": f"{_LABORATORY}faults",
    "reference": f"{_LABORATORY}reference",
    "check --reference": f"{_LABORATORY}reference",
    "check --faults": f"{_LABORATORY}faults",
    "check --output": f"is --report FILE.html (.md, .xml, .sarif, .json); a folder {_CAMPAIGN}--output FOLDER",
    "check --cluster": f"{_CAMPAIGN}--cluster local|ADDRESS",
    "check --per-link": "is gone: models too large for matrices are compared link by link by themselves",
    "check --form": "is gone: a form is named with its formalism, --formalisms NAME:FORM",
    "check --force": "is gone: nothing is written onto a file that is read; name another file",
    **{f"{command} --tolerance": _TOLERANCE for command in ("check", "compare", "convert")},
    **{f"{command} --q": _STATE for command in _OF_STATES},
    **{f"{command} --no-check": "is --no-witness" for command in ("linearize", "equilibrium")},
    "check --junit": "is --report FILE.xml",
    "simulate --dt": "is --step-out DT; the steps follow --tolerance",
    "convert --output": "is the second argument, a file: mbconcord convert IN OUT",
    "export --output": "is the second argument, a folder: mbconcord export FILE FOLDER",
    "animate --output": "is the last argument, a file: mbconcord animate FILE TABLE OUT.html",
    **{f"{command} --output": _PRINTS for command in ("evaluate", "info", "compare")},
    **{f"campaign run {option}": f"is of one model: mbconcord check FILE {option}" for option in _OF_ONE},
    **{
        f"check --{table}": f"is now --map {table}:A=B"
        for table in ("coordinates", "rates", "symbols", "inputs", "bodies")
    },
    "check --allow-binary": "is now --allow binary",
    "check --format": "is now --report github",
    "check --closed-forms": "is gone: mbconcord derive FILE --closed-form simplifies by SymPy",
    "--allow-xacro": "is now --allow xacro",
    "--xacro-arg": "is now --read xacro:NAME=VALUE",
    "--physics": "is now --read physics=error (or warn, ignore)",
    "--package-path": "is now --read package-path=FOLDER",
    **{f"--{name}": f"is now --read {name}" for name in ("free-base", "snap-angles")},
    "--encoding": "is now --read encoding=PAGE",
    "--as": "is now --read as=mujoco",
    "--parameters": "is now --set FILE",
    "--debug": f"{_ENVIRONMENT} {DEBUG}=1",
    **dict.fromkeys(("--color", "--colour"), _COLOUR),
}


def find_moved(words: Sequence[str]) -> str:
    """Return a message if the command line has an option or command that was renamed; else an empty text."""
    command = list(words[: 2 if words[:1] == ["campaign"] else 1])
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    options = options[: options.index("--")] if "--" in options else options
    asked = (*(" ".join((*command, option)) for option in ("", *options)), *options)
    return next((f"{found} {MOVED[found]}" for found in map(str.strip, asked) if found in MOVED), "")


def _mistakes() -> ModuleType:
    """Import and return the module that explains wrong command lines; not before, since ``--help`` does not need it."""
    return import_module(f"{__name__}.terminal.mistakes")


class StoreOnce(argparse._StoreAction):
    """Action that stores the value of an option, and refuses a second, different value in one command line."""

    #: Where the option was met, and its value there.
    met: tuple[argparse.Namespace, Any] | None = None

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the value, or raise if the option had another value before."""
        if option and self.met is not None and self.met[0] is namespace and self.met[1] != values:
            raise argparse.ArgumentError(self, f"found {self.met[1]}, and {values}; give it once")
        self.met = namespace, values
        super().__call__(parser, namespace, values, option)


class Parser(argparse.ArgumentParser):
    """A parser that suggests the probable spelling of an unknown word, and takes only one value of an option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name in (None, "store"):
            self.register("action", name, StoreOnce)

    def error(self, message: str) -> NoReturn:
        """Exit with code 2 and a message: what is wrong, and what to write instead; the usage is in --help."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {_mistakes().explain(self, message)}\n")

    def refuse(self, extras: Sequence[str]) -> None:
        """Exit with code 2 and a message if arguments are left over."""
        if extras:
            self.error(_mistakes().left_over(self, extras))


class Command(Parser):
    """The parser of one command, which takes its arguments from the command's module on first use."""

    def __init__(self, *, command: str, **options: Any) -> None:
        super().__init__(**options)
        self._module: str | None = f"{__name__}.{command}"

    def fill(self) -> Command:
        """Add the arguments of the command's module to the parser."""
        if self._module is not None:
            module = import_module(self._module)
            self._module = None
            self.description = module.__doc__
            module.arguments(self)
            self.add_argument("--json", action="store_true", help="print JSON")
            self.set_defaults(run=getattr(module, "run", None))  # an action has its own
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Add the arguments of the command's module, then parse; refuse arguments that are left over."""
        self.fill()
        found, extras = super().parse_known_args(args, namespace)
        self.refuse(extras)
        return found, extras


def build_parser() -> Parser:
    """Build the parser of the whole command line."""
    shape: dict[str, Any] = {
        "epilog": EPILOG,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }
    parser = Parser(prog="mbconcord", usage="mbconcord [-h] [--version] COMMAND ...", description=_describe(), **shape)
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(
        dest="command", prog="mbconcord", help=argparse.SUPPRESS, parser_class=Command, metavar="COMMAND"
    )
    for name, help in COMMANDS.items():
        commands.add_parser(name, command=name, help=help, **shape)
    return parser


def _describe() -> str:
    """Describe the program and its commands, group by group."""
    lines = ["Check the equations of motion of multibody models, compare models, convert them with proof."]
    width = max(map(len, COMMANDS))
    for title, group in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:{width}}  {help}" for name, help in group.items())]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; errors are lines on standard error, never tracebacks."""
    if argv is None:
        gc.set_threshold(*COLLECTED)
        atexit.register(gc.freeze)  # nor is it searched for garbage before it ends
        os.environ.setdefault(*THREADS)
    words = list(sys.argv[1:] if argv is None else argv)
    with show_control_characters():
        try:
            code = _run(words)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            return INTERRUPTED
        except OutputError as problem:
            if not problem.broken:  # who closed a pipe knows it
                print(f"error: standard output: {problem}", file=sys.stderr)
            return BAD_INPUT
        except MemoryError:
            print("error: this needs more memory than there is (divide the model)", file=sys.stderr)
            return BAD_INPUT
        except Exception as problem:
            if isinstance(problem, OSError) and problem.filename is not None:  # a file, whoever asked for it
                print(f"{str(problem.filename)[:1000]}: error: {problem.strerror}", file=sys.stderr)
                return BAD_INPUT
            if isinstance(problem, FileNotFoundError):  # without a name: the folder that the process is in
                print("error: the current folder does not exist any more (change into another one)", file=sys.stderr)
                return BAD_INPUT
            return _unforeseen(problem, os.environ.get(DEBUG, "0") not in ("", "0"))


def _unforeseen(problem: Exception, debug: bool) -> int:
    """Print an unexpected error, and how to report it to the authors; return the exit code."""
    if debug:
        traceback.print_exception(problem)
    *_, last = [None, *traceback.extract_tb(problem.__traceback__)]
    where = f" in {'/'.join(Path(last.filename).parts[-3:])}, line {last.lineno}" if last else ""
    said = " ".join(str(problem).split())[:200]
    print(f"internal error: {type(problem).__name__}: {said}{where}", file=sys.stderr)
    how = f"the command, its files, what it prints with {DEBUG}=1, and mbconcord doctor"
    print(f"this is a fault of mbconcord {__version__}, not of the model: please report it with {how}", file=sys.stderr)
    return INTERNAL_ERROR


def _run(argv: Sequence[str]) -> int:
    parser = build_parser()
    try:
        moved = find_moved(argv)
        if moved:
            parser.exit(BAD_INPUT, f"{parser.prog}: error: {moved}\n")
        arguments, extras = parser.parse_known_args(argv)
        parser.refuse(extras)
    except SystemExit as stop:
        return int(stop.code or 0)
    if arguments.version:
        print(f"mbconcord {__version__}")
        return SUCCESS
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return BAD_INPUT
    screen = import_module(f"{__name__}.terminal.screen").screen  # not before: help needs no screen
    try:
        with screen(getattr(arguments, "quiet", False)):
            if "accept_omissions" in vars(arguments):
                import_module(f"{__name__}.options.accepted").tell_other_projects(arguments)
            return int(arguments.run(arguments))
    except RecursionError:
        print("error: the input is nested too deeply (divide it into named parts)", file=sys.stderr)
    except Exception as problem:
        from .output import complain, is_disagreement, is_ours  # not before: help needs no model

        if not is_ours(problem):
            raise
        complain(problem)
        if is_disagreement(problem):
            return DISAGREEMENT
    return BAD_INPUT
