"""Collection of model files in a pytest run, and the test items of each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from mbconcord.api.check import CheckRequest
from mbconcord.api.regression.baselines import DEFAULT_FILE, beside
from mbconcord.api.regression.project import AGAINST, PROGRAM, Project, of_project, project_above, project_in
from mbconcord.api.source import source
from mbconcord.converters import registry as formats
from mbconcord.converters.registry import model_file
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.reports import text
from mbconcord.reports.part import assumptions
from mbconcord.validation.check import WATCHING
from mbconcord.validation.claims import DEFAULT, choose_claims
from mbconcord.validation.judge.evidence import Comparison, Evidence
from mbconcord.validation.witnesses.peers import PEERS
from mbconcord.validation.witnesses.um.sources import TABLE
from mbconcord.witnessed import list_head, with_constraints

from .model import ModelTests, PluginOptions, short

# The items of a model: each fails with what disagrees, where, by whom, and the command that shows it again.


class NotSoError(Exception):
    """Failure of a test item, reported by its message without a traceback."""


class ModelItem(pytest.Item):
    """Test item: one statement about one model; subclasses say which."""

    model: ModelTests

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the file, no line, and the title of the item."""
        return self.path, 0, f"{self.path.name}: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the text of a failure: its message alone, with a traceback only for unexpected errors."""
        if isinstance(excinfo.value, NotSoError | MbconcordError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def judge(self) -> Evidence:
        """Return the model's evidence, and store the assumptions of its numbers as properties of the item."""
        evidence = self.model.evidence
        self.user_properties += [("assumes", line) for line in assumptions(evidence)]
        return evidence

    def describe_failures(self, comparisons: tuple[Comparison, ...]) -> str:
        """Describe the comparisons that do not agree."""
        return self.describe(replace(self.model.evidence, comparisons=comparisons), self.model.options)

    def describe(self, evidence: Evidence, options: list[str]) -> str:
        """Return the report of evidence as text, with the command that repeats the check."""
        said = text.one_file(evidence, options, brief=True).rstrip()
        option = evidence.left_out.option  # of commands: pytest has it in the project's table
        return said.replace(option, self.model.accepting(evidence)) if option else said


class RefusedItem(ModelItem):
    """A model that cannot be read."""

    problem: Exception

    def runtest(self) -> None:
        """Fail with the error that the reader raised."""
        raise self.problem


class AgreementItem(ModelItem):
    """The formalisms agree in every quantity, and every omission that acts on the motion is reported."""

    judged_elsewhere: bool

    def runtest(self) -> None:
        """Fail if formalisms disagree or fewer than two take the model; skip the latter if a catalog judges it."""
        evidence = self.judge()
        own = replace(evidence, comparisons=self.model.of_claim(""))
        self.user_properties.append(("mbconcord", own.headline))
        if own.stands:
            return
        if own.verdict != "disagrees" and self.judged_elsewhere:
            pytest.skip(f"{own.headline}: the catalog says whether that is known")
        raise NotSoError(self.describe_failures(own.comparisons))


class ClaimItem(ModelItem):
    """One of the claims holds for the model."""

    def runtest(self) -> None:
        """Fail if the claim is violated; skip it with the reason if it does not apply to the model."""
        evidence, found = self.judge(), self.model.of_claim(self.name)
        if any(c.verdict == "disagrees" for c in found) or (
            self.name in WATCHING and any(c.verdict == "not checked" for c in found)
        ):
            raise NotSoError(self.describe_failures(found))
        if not any(c.verdict == "agrees" for c in found):
            place = f"claims/{self.name}"
            said = [d.message for d in evidence.diagnostics if d.place == place]
            said += [c.explanation for c in found if c.explanation]
            pytest.skip("; ".join(dict.fromkeys(said)) or "it says nothing of this model")


class AgainstItem(ModelItem):
    """A witness that is no formalism agrees with the model."""

    witness: str

    def runtest(self) -> None:
        """Fail if the witness disagrees, or could not be compared."""
        found = self.model.compare_with(self.witness)
        self.user_properties += [("mbconcord", found.headline), *(("assumes", line) for line in assumptions(found))]
        if not found.stands:
            raise NotSoError(self.describe(found, ["--against", self.witness]))


class ExpectedItem(ModelItem):
    """The result of the check is what the catalog expects of the model."""

    asked: PluginOptions

    def runtest(self) -> None:
        """Fail with the list of differences from the catalog."""
        found = self.asked.catalog.departures(self.judge())
        errors = [str(d) for d in found if d.severity == "error"]
        if errors:
            raise NotSoError("\n".join(errors))


class BaselineItem(ModelItem):
    """The equations are those of the baseline."""

    asked: PluginOptions

    def runtest(self) -> None:
        """Fail with a list of what has changed since the baseline, and the most likely cause."""
        assert self.asked.baseline is not None
        file = short(self.asked.baseline, Path.cwd())
        found = beside(self.model.source.plausible(), self.asked.baselines, file)
        accepted = of_project(self.model.source.file, self.model.folder)
        found = replace(found, left_out=replace(found.left_out, accepted=accepted))
        head = list_head("baseline", with_constraints(self.model.source.system, "digits"))
        self.user_properties += [("mbconcord_baseline", found.headline), *(("assumes", line) for line in head)]
        if not found.stands:
            name = self.model.source.file
            how = f"where that is meant: mbconcord baseline save {name} --output {file}"
            said = head if found.outcome == "changed" else ()
            raise NotSoError("\n".join((f"{name}: {found.headline}", *said, str(found), how)))
        if found.outcome == "same by digits":
            self.warn(pytest.PytestWarning(f"{self.model.source.file}: {'; '.join(found.notes)}"))


#: The name of the plugin that is registered where models are asked for.
ACTIVE: Final = "mbconcord-models"


def activate(config: pytest.Config) -> None:
    """Register the hooks that collect models, and add the folders of models to those that pytest searches.

    Raises
    ------
    UsageError
        The project's table is wrong, or a path has no models.
    """
    try:
        project = project_in(config.rootpath) or Project(config.rootpath)
        asked = _read_options(config, project)
        project_above(config.rootpath)  # what it accepts is read of every model: a wrong table is found once, here
    except MbconcordError as problem:
        raise pytest.UsageError(str(problem)) from None
    if asked.roots:
        config.pluginmanager.register(Models(config, asked), ACTIVE)


def _read_options(config: pytest.Config, project: Project) -> PluginOptions:
    here = config.invocation_params.dir
    told = [here / path for path in config.option.mbconcord]
    own = [project.folder / path for path in project.models or ()]
    _require_models((*told, *own))
    wanted = CheckRequest(
        claims=tuple(claim.name for claim in choose_claims(DEFAULT if project.claims is None else project.claims)),
        formalisms=project.formalisms, states=project.states or 10, seed=project.seed or 0,
    )  # fmt: skip
    for name in project.formalisms or ():
        formalisms.formalism(name)  # one that there is not is found before anything is checked
    given = config.option.mbconcord_baseline
    baseline = here / given if given else project.folder / (project.baseline or DEFAULT_FILE)
    if not (given or project.baseline or baseline.is_file()):
        baseline = None
    expect = project.folder / project.expect if project.expect else None
    _look_in(config, told or (own if config.args_source is not config.ArgsSource.ARGS else ()))
    roots = tuple(path.resolve() for path in (*told, *own))
    asked = PluginOptions(config.rootpath, roots, wanted, baseline, expect, project)
    for name, witnesses in project.against.items():
        _require_witnesses(name, witnesses, asked, bool(told))
    if asked.roots:
        _ = (baseline is None or asked.baselines, expect is None or asked.catalog)  # read once, refused once
    return asked


def _require_models(roots: Iterable[Path]) -> None:
    for path in roots:
        if not path.exists():
            raise pytest.UsageError(f"mbconcord: {path}: there is no such model file or folder of models")
        if path.is_dir() and not any(map(formats.is_model, path.rglob("*"))):
            suffixes = " ".join(s for f in formats.names() for s in formats.format_named(f).suffixes)
            raise pytest.UsageError(f"mbconcord: {path}: no model files in this folder (known: {suffixes})")


def _require_witnesses(name: str, witnesses: Iterable[str], asked: PluginOptions, partly: bool) -> None:
    """Raise if a model of [tool.mbconcord.against] is not among the checked ones, or has an unknown witness."""
    from mbconcord.validation.against.own.files import FMU, PREFIXES  # not before: it brings readers of equations

    place, file = f"[{PROGRAM}.{AGAINST}] {name!r}", Path(model_file(str(asked.project.folder / name)))
    if not file.is_file():
        raise MbconcordError(error(place, "there is no such model file", "paths are from the pyproject.toml"))
    if not (partly or asked.takes(file)):
        raise MbconcordError(error(place, "it is none of the models that are checked", f"add it: models = [{name!r}]"))
    kinds = [f"{kind}:" for kind in (*formats.with_equations(), TABLE)] + [*PREFIXES]
    for witness in witnesses:
        kind, colon, path = witness.partition(":")
        if witness.startswith(FMU):
            remedy = "in a test of your own: mbconcord.assert_agrees(model, against=…, allow_binary=True)"
            raise MbconcordError(error(place, f"found {witness!r}: an FMU is a program, and is not run here", remedy))
        if not (f"{kind}:" in kinds and path if colon else all(w.strip() in PEERS for w in witness.split(","))):
            remedy = f"expected {', '.join(f'{kind}PATH' for kind in kinds if kind != FMU)}, or {', '.join(PEERS)}"
            raise MbconcordError(error(place, f"found the witness {witness!r}", remedy))


def _locate(witness: str, folder: Path) -> str:
    """Return a witness with its paths, relative to ``folder``, rewritten relative to the working directory."""
    kind, colon, path = witness.partition(":")
    if not colon:
        return witness
    paths = path.split(",") if kind == "matlab" else [path]
    return f"{kind}:{','.join(short(folder / each.strip(), Path.cwd()) for each in paths)}"


def _look_in(config: pytest.Config, roots: Iterable[Path]) -> None:
    """Add paths to those that pytest collects, except paths that it collects already."""
    there = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    for root in roots:
        own = root.resolve()
        if not any(path == own or path in own.parents for path in there):
            config.args.append(str(root))
            there.append(own)


class Models:
    """Hooks of pytest in a run that checks models."""

    def __init__(self, config: pytest.Config, asked: PluginOptions) -> None:
        self.config, self.asked = config, asked

    def pytest_report_header(self) -> str:
        """Return the line of the header with paths of the models, baseline, catalog and witnesses."""
        root = self.config.rootpath
        said = [f"models: {', '.join(short(path, root) for path in self.asked.roots)}"]
        said += [f"baseline: {short(self.asked.baseline, root)}"] if self.asked.baseline else []
        said += [f"expected: {short(self.asked.expect, root)}"] if self.asked.expect else []
        witnesses = dict.fromkeys(name for own in self.asked.project.against.values() for name in own)
        said += [f"against: {', '.join(witnesses)}"] if witnesses else []
        return f"mbconcord: {'; '.join(said)}"

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Return the collector of a file if it is one of the requested models, else None."""
        if not self.asked.takes(file_path):
            return None
        found: ModelFile = ModelFile.from_parent(parent, path=file_path)
        found.asked = self.asked
        return found

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return a scheduler that gives all items of a model to one process; other tests are distributed as usual."""
        if config.getoption("dist") not in ("load", "loadgroup", "worksteal"):
            return None
        from xdist.scheduler import LoadGroupScheduling

        takes = self.asked.takes

        class ModelScheduling(LoadGroupScheduling):  # type: ignore[misc]
            def _split_scope(self, nodeid: str) -> str:
                file = nodeid.partition("::")[0]
                return file if takes(config.rootpath / file) else str(super()._split_scope(nodeid))

        return ModelScheduling(config, log)


class ModelFile(pytest.File):
    """Collector of a model file: an item for each claim, or one failing item if the file cannot be read."""

    asked: PluginOptions

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items: agreement, claims in their order, other witnesses, catalog, baseline."""
        file = short(self.path, Path.cwd())
        try:
            model = ModelTests(source(file), self.asked.wanted, self.asked.folder)
        except Exception as problem:  # whatever it is: the other models are checked
            yield self._item(RefusedItem, "reads", problem=problem)
            return
        catalog = self.asked.expect is not None
        yield self._item(AgreementItem, "agreement", model=model, judged_elsewhere=catalog)
        for name in self.asked.wanted.claims:
            yield self._item(ClaimItem, name, model=model)
        for name in self.asked.project.list_witnesses(file):
            own = _locate(name, self.asked.project.folder)
            yield self._item(AgainstItem, f"against {name}", model=model, witness=own)
        if catalog:
            yield self._item(ExpectedItem, "expected", model=model, asked=self.asked)
        if self.asked.baseline is not None:
            yield self._item(BaselineItem, "baseline", model=model, asked=self.asked)

    def _item(self, kind: type[ModelItem], name: str, **given: Any) -> ModelItem:
        found: ModelItem = kind.from_parent(self, name=name)
        for key, value in given.items():
            setattr(found, key, value)
        return found
