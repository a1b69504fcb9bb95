"""The server of the page: who may ask, what is taken, what is refused; no browser is needed."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra [view] is not installed: starlette")

from mbconcord.cli import main
from mbconcord.fixtures import folder
from mbconcord.model.limits import FILE_BYTES, VIEW_FILES
from mbconcord.view import work
from mbconcord.view.server import HOST, Guard, find_models, make_app, open_socket

TOKEN, PORT = "a-token", 4711
ARM = (folder() / "urdf/arm.urdf").read_bytes()
UR5 = (folder() / "robots/ur5.mbsd").read_bytes()
OWN = {"host": f"127.0.0.1:{PORT}", "cookie": f"mbconcord{PORT}={TOKEN}"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    work.ANSWER_SECONDS = 600.0  # however busy the machine is
    work.warm()
    found = make_app(main, TOKEN, PORT, tmp_path_factory.mktemp("view"))
    yield found
    found.view.close()


def ask(
    app: Guard, path: str, body: bytes | None = None, headers: Mapping[str, str] = OWN
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer; with a body the method is POST."""
    address, _, query = path.partition("?")
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": body or b"", "more_body": False}]

    async def receive() -> Any:
        if waiting:
            return waiting.pop()
        return await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "server": ("127.0.0.1", PORT),
        "method": "GET" if body is None else "POST", "path": address, "raw_path": address.encode(),
        "query_string": query.encode(), "root_path": "", "client": ("127.0.0.1", 1),
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    head = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return sent[0]["status"], head, b"".join(m.get("body", b"") for m in sent[1:])


def packed(files: Mapping[str, bytes]) -> bytes:
    return json.dumps([[name, len(data)] for name, data in files.items()]).encode() + b"\n" + b"".join(files.values())


def upload(app: Guard, files: Mapping[str, bytes]) -> list[dict[str, str]]:
    status, _, body = ask(app, "/models", packed(files))
    assert status == 200, body
    found: list[dict[str, str]] = json.loads(body)
    return found


def facts(app: Guard, files: Mapping[str, bytes]) -> dict[str, Any]:
    (one,) = upload(app, files)
    found: dict[str, Any] = json.loads(ask(app, f"/models/{one['id']}")[2])
    return found


def run(app: Guard, verb: str, models: list[str], **options: Any) -> dict[str, Any]:
    status, _, body = ask(app, "/run", json.dumps({"verb": verb, "models": models, "options": options}).encode())
    assert status == 200, body
    found: dict[str, Any] = json.loads(body)
    return found


@pytest.mark.parametrize(
    ("headers", "path"),
    [
        ({"host": OWN["host"]}, "/"), ({"host": OWN["host"]}, "/?token=other"),
        ({"host": OWN["host"]}, "/start?token="),
        ({**OWN, "host": "example.org"}, "/"), ({**OWN, "host": f"example.org:{PORT}"}, "/start"),
        ({**OWN, "origin": "http://example.org"}, "/start"), ({**OWN, "origin": "null"}, "/"),
        ({**OWN, "origin": f"http://127.0.0.1:{PORT + 1}"}, "/start"), ({"cookie": OWN["cookie"]}, "/"),
        ({**OWN, "cookie": f"mbconcord={TOKEN}"}, "/"),
    ],
)  # fmt: skip
def test_who_is_not_of_this_page_is_refused(app: Guard, headers: dict[str, str], path: str) -> None:
    assert ask(app, path, headers=headers)[0] == 403
    assert ask(app, "/run", b"{}", headers)[0] == 403


def test_a_socket_of_another_page_is_closed_before_it_opens(app: Guard) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app({"type": "websocket", "path": "/", "headers": []}, send, send))
    assert sent == [{"type": "websocket.close"}]


def test_the_address_becomes_a_cookie_and_every_answer_has_its_policy(app: Guard) -> None:
    status, head, _ = ask(app, f"/?token={TOKEN}", headers={"host": OWN["host"]})
    assert (status, head["location"]) == (303, "/")
    assert "httponly" in head["set-cookie"].lower() and "samesite=strict" in head["set-cookie"].lower()
    for headers in (OWN, {"host": OWN["host"]}):
        assert ask(app, "/", headers=headers)[1]["content-security-policy"].startswith("default-src 'self';")


def test_the_page_is_whole_small_and_loads_nothing_from_elsewhere(app: Guard) -> None:
    total = 0
    for name in ("", "view.js", "view.css", "scene.js", "icon.svg"):
        status, _, body = ask(app, f"/{name}")
        assert status == 200
        total += len(body)
        text = body.decode().replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text and "https://" not in text and "innerHTML" not in text
    assert total < 1_000_000
    assert ask(app, "/server.py")[0] == ask(app, "/..%2fserver.py")[0] == 404


@pytest.mark.parametrize(
    "name",
    [
        "../up.urdf", "/etc/up.urdf", "a/../../up.urdf", "", "a//b.urdf", "a\\b.urdf", "a\0b.urdf", "x" * 300, ".",
        "C:up.urdf", "\ud800.urdf",
    ],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused(app: Guard, name: str) -> None:
    assert ask(app, "/models", packed({name: ARM}))[0] == 400


def test_too_much_is_refused_in_words(app: Guard) -> None:
    many = json.dumps([[f"{k}.urdf", 0] for k in range(VIEW_FILES + 1)]).encode() + b"\n"
    large = json.dumps([["large.urdf", 2 * FILE_BYTES]]).encode() + b"\n"
    for body, word in ((many, "files"), (large, "bytes")):
        status, _, said = ask(app, "/models", body)
        assert status == 413 and word in said.decode()
    status, _, said = ask(app, "/models", ARM, {**OWN, "content-length": str(3 * FILE_BYTES)})
    assert status == 413


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/models", b'[["short.urdf", 10]]\nabc'), ("/models", b"no list"), ("/models", b'[["a.urdf", 1e400]]\nabc'),
        ("/models", b'[["a", 1], ["a/b.urdf", 1]]\nab'), ("/models", b'[["a/b.urdf", 1], ["a", 1]]\nab'),
        ("/run", b"[" * 99_999), ("/models/none/state", b'{"q": {"a": 1' + b"0" * 400 + b"}}"),
    ],
)  # fmt: skip
def test_malformed_requests_are_refused_and_leave_nothing(app: Guard, path: str, body: bytes) -> None:
    before = {*app.view.folder.iterdir()}
    status, _, said = ask(app, path, body)
    assert status == 400 and json.loads(said)["problems"][0]["message"]
    assert {*app.view.folder.iterdir()} == before


def test_a_dropped_model_is_described_and_drawn(app: Guard) -> None:
    found = facts(app, {"arm.urdf": ARM})
    assert "problems" not in found and found["format"] == "urdf"
    assert all(body["line"] for body in found["bodies"])
    assert found["picture"]["bodies"] == [body["name"] for body in found["bodies"]]
    assert found["text"].encode() == ARM


def test_a_picture_is_at_the_state_that_is_asked_for(app: Guard) -> None:
    (one,) = upload(app, {"ur5.mbsd": UR5})
    name = json.loads(ask(app, f"/models/{one['id']}")[2])["coordinates"][1]["name"]
    answers = [
        json.loads(ask(app, f"/models/{one['id']}/state", json.dumps({"q": {name: x}, "numbers": True}).encode())[2])
        for x in (0.0, 0.5)
    ]
    assert [a["q"][name] for a in answers] == [0.0, 0.5]
    assert answers[0]["picture"]["fixed"] != answers[1]["picture"]["fixed"]
    assert len(answers[0]["numbers"]["M"]) == len(answers[0]["q"]) and answers[0]["numbers"] != answers[1]["numbers"]


def at_state(app: Guard, name: str, **question: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(app, f"/models/{name}/state", json.dumps(question).encode())[2])
    return found


def test_of_a_picture_that_the_page_has_only_its_points_are_sent(app: Guard) -> None:
    (one,) = upload(app, {"ur5.mbsd": UR5})
    start = json.loads(ask(app, f"/models/{one['id']}")[2])
    name = start["coordinates"][1]["name"]
    for x in (0.25, 0.75):
        whole = at_state(app, one["id"], q={name: x})
        assert whole["outline"] == start["outline"]
        points = np.frombuffer(
            base64.b64decode(at_state(app, one["id"], q={name: x}, has=whole["outline"])["spots"]), "<f4"
        )
        assert points == pytest.approx(np.ravel(whole["picture"]["fixed"]), abs=1e-6)
    assert "picture" in at_state(app, one["id"], q={name: x}, has="another")


def test_parameters_that_the_page_changed_are_in_picture_and_numbers(app: Guard) -> None:
    (one,) = upload(app, {"two.mbsd": b"z i(l) $(m) > z i(l) $(m) g9.81-y ; l=1, m=2"})
    q = {"z1": 0.25, "z2": 0.5}
    before = at_state(app, one["id"], q=q, numbers=True)
    after = at_state(app, one["id"], q=q, numbers=True, set={"l": "2", "m": "3"})
    assert np.array(after["numbers"]["M"]) == pytest.approx(6 * np.array(before["numbers"]["M"]))
    assert after["picture"]["fixed"] != before["picture"]["fixed"]
    assert at_state(app, one["id"], q=q, numbers=True)["numbers"] == before["numbers"]
    for wrong in ({"l": "long"}, {"none": "1"}):
        assert at_state(app, one["id"], q=q, set=wrong)["problems"]


def test_a_command_says_how_far_it_is(app: Guard) -> None:
    (one,) = upload(app, {"two.mbsd": (folder() / "mbsd/double_pendulum.mbsd").read_bytes()})
    job = run(app, "check", [one["id"]])["job"]
    assert (app.view.folder / job / work.PROGRESS).stat().st_size == work.PROGRESS_BYTES  # told, and over
    assert json.loads(ask(app, "/progress/nobody")[2]) == {"said": ""}
    app.view.running["mine"] = app.view.folder / job
    (app.view.folder / job / work.PROGRESS).write_text("claim 2 of 6: fields   ")
    assert json.loads(ask(app, "/progress/mine")[2]) == {"said": "claim 2 of 6: fields"}


def test_loops_stay_closed_around_the_coordinate_that_is_held(app: Guard) -> None:
    (one,) = upload(app, {"four.mbsd": (folder() / "mbsd/four_bar.mbsd").read_bytes()})
    start = json.loads(ask(app, f"/models/{one['id']}")[2])
    name = start["coordinates"][0]["name"]
    moved = {**start["q"], name: start["q"][name] + 0.1}
    question = {"q": moved, "hold": name}
    found = json.loads(ask(app, f"/models/{one['id']}/state", json.dumps(question).encode())[2])
    assert found["q"][name] == pytest.approx(moved[name]) and found["q"] != moved
    assert not [line for line in found["picture"]["lines"] if line[0] == "gap"]


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00" * 99, b"<robot", b'<!DOCTYPE x [<!ENTITY a "b">]><robot name="&a;"/>']
)
def test_what_is_no_model_is_said_and_the_server_stays(app: Guard, data: bytes) -> None:
    found = facts(app, {"bad.urdf": data})
    assert found["problems"] and all(p["message"] for p in found["problems"])
    assert ask(app, "/start")[0] == 200


def test_nothing_outside_of_the_upload_is_read(app: Guard, tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text('<mujoco><worldbody><body name="secret"/></worldbody></mujoco>')
    text = f'<mujoco><include file="{secret}"/></mujoco>'.encode()
    found = facts(app, {"scene.xml": text})
    assert found["problems"] and "secret" not in json.dumps(found.get("bodies", ""))
    linked = facts(app, {"x/scene.xml": b'<mujoco><include file="../../../secret.xml"/></mujoco>'})
    assert linked["problems"]


def test_a_dropped_model_opens_no_file_of_the_user_beside_a_model_that_he_named(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine")
    for name in ("named", "server"):
        (tmp_path / name).mkdir()
    (tmp_path / "named/arm.urdf").write_bytes(ARM)
    app = make_app(_read_around, TOKEN, PORT, tmp_path / "server", [str(tmp_path / "named/arm.urdf")])
    (named,) = app.view.models
    (one,) = upload(app, {"arm.urdf": ARM})
    assert run(app, "compare", [named, one["id"]])["code"] == 3


def _read_around(words: Sequence[str]) -> int:
    """Read the two models of a command, and what lies above the first."""
    assert all(Path(file).read_bytes() == ARM for file in words[1:3])
    try:
        return len((Path(words[1]).parents[1] / "secret").read_text())
    except PermissionError:
        return 3


def test_a_process_with_folders_opens_no_other_file(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.write_text("secret")
    (own / "link").symlink_to(other)

    process = work.CONTEXT.Process(target=_open_guarded, args=(str(own), [str(other), str(own / "link")]))
    process.start()
    process.join()
    assert process.exitcode == 0


def _open_guarded(own: str, refused: list[str]) -> None:
    work.limit([own])
    (Path(own) / "file").write_text("mine")
    assert (Path(own) / "file").read_text() == "mine"
    for path in refused:
        with pytest.raises(PermissionError):
            Path(path).read_text()
    with pytest.raises(PermissionError):
        list(Path(own).parent.iterdir())


def test_of_several_files_the_models_are_found(tmp_path: Path) -> None:
    files = {
        "scene.xml": b'<mujoco><include file="robot.xml"/></mujoco>', "robot.xml": b"<mujoco/>", "mesh.stl": b"solid",
        "two.urdf": ARM, "sub/three.urdf": ARM,
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert find_models(tmp_path, [*files]) == ["scene.xml", "two.urdf", "sub/three.urdf"]


def test_a_check_is_the_command_and_its_report_the_file_of_the_command(app: Guard) -> None:
    (one,) = upload(app, {"плечо <b>.mbsd": (folder() / "mbsd/double_pendulum.mbsd").read_bytes()})
    found = run(app, "check", [one["id"]])
    assert found["code"] == 0 and found["json"]["verdict"] == "agrees", found["said"]
    assert found["command"] == "mbconcord check 'плечо <b>.mbsd'"
    assert "assert_agrees('плечо <b>.mbsd')" in found["python"]
    found = run(app, "check", [one["id"]], report=True)
    assert found["command"] == "mbconcord check 'плечо <b>.mbsd' --report report.html"
    status, head, body = ask(app, f"/jobs/{found['job']}/report.html")
    assert status == 200 and head["content-disposition"].startswith("attachment") and b"agrees" in body
    for name in ("nothing.html", "..%2f..%2fpasswd", "stdout%00"):
        assert ask(app, f"/jobs/{found['job']}/{name}")[0] == 404


def test_a_run_and_a_dropped_table_are_drawn(app: Guard) -> None:
    pendulum = {"two.mbsd": (folder() / "mbsd/double_pendulum.mbsd").read_bytes()}
    ids = [upload(app, files)[0]["id"] for files in (pendulum, {"swing.csv": b"t,z1\n0,0\n1,0.1\n"})]
    found = run(app, "animate", ids)
    assert found["files"] == ["motion.html"], found["said"]
    assert found["command"] == "mbconcord animate two.mbsd swing.csv motion.html"


def test_what_was_dropped_is_kept_though_a_command_writes_files_of_the_same_names(app: Guard) -> None:
    files = {"arm.urdf": ARM} | dict.fromkeys(
        ("stdout", "stderr", work.PROGRESS, "run.csv", "state.json", "report.html", "arm_mjcf.mjcf.xml"), b"kept"
    )
    ids = [one["id"] for one in upload(app, files) if one["name"] == "arm.urdf"]
    found = run(app, "simulate", ids, until="0.01", state={"q": {}})
    assert "run.csv" in found["files"], found["said"]
    assert found["command"].startswith("mbconcord simulate A/arm.urdf") and "'A/arm.urdf'" in found["python"]
    found = run(app, "convert", ids, to="mjcf")
    assert len(found["files"]) == 1 and found["json"]["out"] == found["files"][0], found["said"]
    kept = app.view.models[ids[0]].folder
    assert kept and {name: (kept / name).read_bytes() for name in files} == files
    (one,) = upload(app, {"stdout/arm.urdf": ARM})
    assert run(app, "animate", [one["id"], one["id"]])["said"]


def test_two_models_are_compared_with_the_cause(app: Guard) -> None:
    heavier = b'<mass value="1'.join(ARM.rsplit(b'<mass value="', 1))
    ids = [upload(app, {"arm.urdf": data})[0]["id"] for data in (ARM, heavier)]
    found = run(app, "compare", ids)
    assert found["code"] == 1 and found["json"]["why"]["fields"]["rows"], found["said"]
    assert found["command"] == "mbconcord compare A/arm.urdf B/arm.urdf --why"
    assert "compare('A/arm.urdf', 'B/arm.urdf')" in found["python"]
    saved = run(app, "compare", ids, report=True)
    assert saved["files"] == ["stdout"] and saved["printed"].startswith("not the same machine")


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("doctor", {}), ("check", {"set": ["--report=x"]}), ("check", {"set": ["/etc/passwd"]}),
        ("convert", {"to": "x"}),
        ("simulate", {"until": "--json"}), ("animate", {"table": "../x"}), ("convert", {}),
    ],
)  # fmt: skip
def test_no_other_command_and_no_other_option_runs(app: Guard, verb: str, options: dict[str, Any]) -> None:
    (one,) = upload(app, {"arm.urdf": ARM})
    question = json.dumps({"verb": verb, "models": [one["id"]], "options": options}).encode()
    assert ask(app, "/run", question)[0] in (400, 404)
    assert ask(app, "/run", b"[" * 100)[0] == ask(app, "/run", b"[]")[0] == 400
    assert ask(app, "/run", b'{"verb": "check", "models": ["gone"]}')[0] == 404


def test_a_killed_process_is_said_and_the_next_one_answers(app: Guard) -> None:
    (one,) = upload(app, {"arm.urdf": ARM})
    ask(app, f"/models/{one['id']}")
    app.view.at_hand[one["id"]].close()
    app.view.at_hand[one["id"]]._process.join()
    status, _, body = ask(app, f"/models/{one['id']}/state", b"{}")
    assert status == 200 and "picture" in json.loads(body)
    held = app.view.hold(one["id"])
    held._process.kill()
    held._process.join()
    assert "ended" in str(held.ask({}))


def test_answers_do_not_wait_for_the_acknowledgement_of_their_heads() -> None:
    """Nagle's delay had left 17 states a second to a slider."""

    async def look() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def meet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        opened = open_socket()
        async with await asyncio.start_server(meet, sock=opened):
            _, client = await asyncio.open_connection(HOST, opened.getsockname()[1])
            nodelay = await found
            client.close()
        return nodelay

    assert asyncio.run(look())
