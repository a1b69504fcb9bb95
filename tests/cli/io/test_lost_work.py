"""Work of several processes, and of one whose disk is full, is not lost and not done twice."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mbconcord import export
from mbconcord.api.regression import baselines
from mbconcord.converters.registry import read_text
from mbconcord.model.diagnostics import WriteError
from mbconcord.validation.baseline.fingerprint import fingerprint
from mbconcord.validation.baseline.text import read_baselines, to_saved
from mbconcord.validation.many.campaign.campaign import explore
from mbconcord.validation.many.campaign.corpus import Corpus, CorpusRequest
from mbconcord.validation.many.campaign.folder import open_folder
from mbconcord.validation.many.campaign.survey import survey


def test_six_writers_of_baselines_keep_six_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = to_saved(fingerprint(read_text("z j-2 $3 g", format="mbsd").system), "a test")
    written = baselines.to_toml

    def write_slowly(made: baselines.Baselines) -> str:
        time.sleep(0.05)  # what another has read by now is old
        return written(made)

    monkeypatch.setattr(baselines, "to_toml", write_slowly)
    file, names = str(tmp_path / "models.toml"), [f"m{i}.mbsd" for i in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: baselines.save({name: own}, file), names))
    assert sorted(read_baselines(file).models) == names


def test_campaign_begins_again_after_a_full_disk(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(WriteError):
            open_folder(tmp_path / "out", "ci", None, 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert open_folder(tmp_path / "out", "ci", None, 0).rows == {}


@pytest.mark.slow
def test_second_campaign_in_a_folder_is_refused(tmp_path: Path) -> None:
    wanted = CorpusRequest(("lagrange", "newton_euler"), 2, 5, (), "off")
    folder, corpus = open_folder(tmp_path / "drawn", "ci", None, 0), Corpus(tmp_path / "files", wanted)

    def begin_again(*_: object) -> None:
        for begin in (lambda: explore(folder, 3, None, 1), lambda: survey(corpus, (), 1)):
            with pytest.raises(WriteError, match="another campaign works in it"):
                begin()

    from mbconcord.validation.many.campaign.parts import working_alone

    with working_alone(folder.path), working_alone(corpus.path):
        begin_again()
    assert survey(corpus, (), 1).done == 0


@pytest.mark.slow
def test_export_writes_all_of_its_files_or_none(tmp_path: Path) -> None:
    model, folder = read_text("z j-2 $3 g", format="mbsd"), tmp_path / "code"
    files = export(model, folder, name="arm").files
    before = {file: file.read_bytes() for file in files}
    (folder / "mine.c").write_text("int mine;", encoding="utf-8")
    files[-1].unlink()
    files[-1].mkdir()  # the last of them cannot be written
    with pytest.raises(WriteError):
        export(model, folder, name="arm", formalism="newton_euler")
    assert {f: f.read_bytes() for f in files[:-1]} == {f: before[f] for f in files[:-1]}
    files[-1].rmdir()
    export(model, folder, name="arm", formalism="newton_euler")
    assert files[0].read_bytes() != before[files[0]]
    assert sorted(folder.iterdir()) == sorted((*files, folder / "mine.c"))
