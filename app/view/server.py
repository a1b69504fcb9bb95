"""Server of the page: checks requests, stores uploads, and runs the commands that answer.

It listens on 127.0.0.1 alone. Requests need the token of the address, later its cookie, and must be of this page.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import shlex
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path, PureWindowsPath
from typing import Any, Final

import anyio
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.limits import FILE_BYTES, VIEW_FILES, VIEW_MODELS, VIEW_SECONDS, cores, count, cut
from mbconcord.records import dataclass
from mbconcord.reports.templating import template

from .work import PROGRESS, Command, ModelAtHand, start_command

HOST: Final = "127.0.0.1"
#: Bytes of the list of files that an upload begins with.
LIST_BYTES: Final = 1_000_000
#: Files of models among which those that others include are looked for.
RELATED: Final = 50
#: Models whose processes are kept.
AT_HAND: Final = 4
#: Seconds between looks at a process.
LOOK: Final = 0.02
HEADERS: Final = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}
KINDS: Final = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
PAGE: Final = ("icon.svg", "scene.js", "view.css", "view.js")
#: Files that a command writes into its folder, where the uploads are linked.
WRITTEN: Final = {"stdout", "stderr", PROGRESS, "state.json", "run.csv", "motion.html", "report.html"}
#: Names of parameters and coordinates, numbers, and pairs of coordinates, as options of commands.
SETTING: Final = re.compile(r"[^\W\d]\w*=[-+\d.eE/]{1,60}")
PAIRS: Final = re.compile(r"[^\s=,-][^\s=,]*=-?[^\s=,]+(,[^\s=,-][^\s=,]*=-?[^\s=,]+)*")
NUMBER: Final = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)


class Guard:
    """Middleware that refuses requests from anywhere but this page, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, view: View, token: str, port: int) -> None:
        self.app, self.view, self.token, self.port = app, view, token, port
        self.hosts = {f"{HOST}:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer 403."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close"})  # before it is accepted: 403
            return

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*(h for h in message["headers"] if h[0].decode() not in HEADERS), *own]
            await send(message)

        request = Request(scope)
        refused = self.refuse(request)
        if refused:
            await PlainTextResponse(refused, 403)(scope, receive, send_guarded)
        elif request.url.path == "/" and "token" in request.query_params:
            answer = RedirectResponse("/", 303)
            answer.set_cookie(f"mbconcord{self.port}", self.token, httponly=True, samesite="strict")
            await answer(scope, receive, send_guarded)
        else:
            await self.app(scope, receive, send_guarded)

    def refuse(self, request: Request) -> str:
        """Return the reason to refuse a request; empty if it is allowed."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self.hosts:
            return "the host is not this machine"
        if origin is not None and origin != f"http://{host}":
            return "the request comes from another page"
        given = request.query_params.get("token") or request.cookies.get(f"mbconcord{self.port}", "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return "the token is missing or wrong: open the address that mbconcord view prints"
        return ""


@dataclass(frozen=True)
class ViewedModel:
    """A model of the page: name, file, folder of its upload, and names of the top folders in the upload.

    ``folder`` is None for a file of the command line, which is not uploaded but read in its place.
    """

    name: str
    file: Path
    folder: Path | None = None
    packages: tuple[str, ...] = ()


class View:
    """State of the server: its models, the processes that hold some of them, and the folders of running commands."""

    def __init__(self, command: Command, folder: Path, given: Sequence[str]) -> None:
        self.command, self.folder = command, folder
        self.models: dict[str, ViewedModel] = {}
        self.at_hand: dict[str, ModelAtHand] = {}
        self.running: dict[str, Path] = {}
        self.turns = anyio.CapacityLimiter(max(2, cores()))
        for file in given:
            self._add(ViewedModel(file, Path(file)))

    def _add(self, model: ViewedModel) -> str:
        name = secrets.token_hex(8)
        self.models[name] = model
        return name

    def get(self, name: object) -> ViewedModel:
        """Return the model with an identifier; 404 if the server does not keep it any more."""
        if not isinstance(name, str) or name not in self.models:
            raise HTTPException(404, "this model is not kept any more: drop it again")
        return self.models[name]

    def hold(self, name: str) -> ModelAtHand:
        """Return the process that holds a model; start it if needed, and end the least recently used of too many."""
        model = self.get(name)
        if name in self.at_hand and self.at_hand[name].is_alive:
            self.at_hand[name] = self.at_hand.pop(name)
            return self.at_hand[name]
        while len(self.at_hand) >= AT_HAND:
            self.at_hand.pop(next(iter(self.at_hand))).close()
        packages = [str(model.folder / p) for p in model.packages] if model.folder else []
        self.at_hand[name] = ModelAtHand(str(model.file), packages, [str(model.folder)] if model.folder else [])
        return self.at_hand[name]

    def close(self) -> None:
        """End all processes."""
        for one in self.at_hand.values():
            one.close()

    # Uploads: a list of names and sizes in one line of JSON, then the bytes of the files.

    async def take(self, chunks: AsyncIterator[bytes]) -> list[str]:
        """Store the files of an upload, return identifiers of its models, and delete the oldest of too many uploads."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            names = await _store(chunks, folder)
            found = await run_sync(find_models, folder, names)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        tops = tuple(sorted({name.partition("/")[0] for name in names if "/" in name}))
        numbers = [self._add(ViewedModel(name, folder / name, folder, tops)) for name in found]
        while len({m.folder for m in self.models.values() if m.folder}) > VIEW_MODELS:
            oldest = next(m.folder for m in self.models.values() if m.folder)
            for name in [n for n, m in self.models.items() if m.folder == oldest]:
                if name in self.at_hand:
                    self.at_hand.pop(name).close()
                del self.models[name]
            shutil.rmtree(oldest, ignore_errors=True)
        return numbers

    # Commands.

    async def run(self, request: Request, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Run the command that a request asks for and return its output; kill it if the browser disconnects."""
        models = [self.get(name) for name in asked.get("models", ())]
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        words, outputs = write_words(asked, models, folder, self.folder)
        given = [str(m.file.resolve().parent) for m in models if m.folder is None]
        folders = [str(self.folder), *given] if len(given) < len(models) else []
        async with self.turns:
            key = cut(str(asked.get("key")))
            process = await run_sync(start_command, self.command, words, str(folder), folders)
            self.running[key] = folder
            with anyio.move_on_after(2 * VIEW_SECONDS) as clock:
                while process.is_alive():
                    if await request.is_disconnected():
                        break
                    await anyio.sleep(LOOK)
            self.running.pop(key, None)
            if process.is_alive():
                process.kill()
            await run_sync(process.join)
        both = (folder / "stderr", folder / "stdout")  # absent where the process was ended before it began
        said, printed = (p.read_text("utf-8", "replace") if p.is_file() else "" for p in both)
        code = process.exitcode
        if code is None or code < 0 or clock.cancelled_caught:
            said += f"\nthe process was ended after {VIEW_SECONDS} s of work, or for its memory, or by someone"
        shown = [word for word in words if word != "--json"]
        return {
            "code": code,
            "said": said.strip(),
            "json": _parse(printed) if "--json" in words else None,
            "printed": "" if "--json" in words else printed,
            "command": f"mbconcord {shlex.join(shown)}",
            "python": write_python(asked, words[1 : 1 + len(models)]),
            "job": folder.name,
            "files": [name for name in outputs if (folder / name).is_file()],
        }


def _parse(text: str) -> Any:
    with suppress(ValueError):
        return json.loads(text)
    return None


async def _store(chunks: AsyncIterator[bytes], folder: Path) -> list[str]:
    """Write the files of an upload below a folder and return their names; 413 if too large, 400 if malformed."""
    waiting = b""
    while b"\n" not in waiting:
        waiting += await anext(chunks, b"\n")
        if b"\n" not in waiting and len(waiting) > LIST_BYTES:
            raise HTTPException(413, "the list of files is too long")
    head, _, waiting = waiting.partition(b"\n")
    listed = _read_list(head)
    for name, size in listed:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as opened:
                while size:
                    waiting = waiting or await anext(chunks, b"")
                    if not waiting:
                        raise HTTPException(400, f"{name}: fewer bytes than its size: drop it again")
                    written = opened.write(waiting[:size])
                    size, waiting = size - written, waiting[written:]
        except OSError as problem:  # a folder that has the name of a file, a full disk
            raise HTTPException(400, f"{cut(name)}: cannot be kept: {problem.strerror}") from None
    return [name for name, _ in listed]


def _read_list(head: bytes) -> list[tuple[str, int]]:
    """Parse names and sizes of the files of an upload; refuse names that are not relative paths below a folder."""
    try:
        listed = [(str(name), int(size)) for name, size in json.loads(head[:LIST_BYTES])]
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise HTTPException(400, "an upload begins with the names and sizes of its files") from None
    if not listed or len(listed) > VIEW_FILES:
        raise HTTPException(413, f"found {count(len(listed), 'file')}; expected 1 to {VIEW_FILES:,}")
    if (total := sum(size for _, size in listed)) > FILE_BYTES:
        raise HTTPException(413, f"found {total:,} bytes; expected at most {FILE_BYTES:,}")
    for name, size in listed:
        parts = name.split("/")
        odd = {"", ".", ".."}.intersection(parts) or any(ord(c) < 32 or c == "\\" for c in name)
        long = len(name.encode()) > 1_000 or any(len(p.encode()) > 250 for p in parts)
        if odd or size < 0 or long or PureWindowsPath(name).drive:
            raise HTTPException(400, f"{cut(ascii(name))}: no name of a file")
    if len({name for name, _ in listed}) != len(listed):
        raise HTTPException(400, "two files have one name")
    return listed


def find_models(folder: Path, names: Sequence[str]) -> list[str]:
    """Return the names of files that are models and that no other model mentions; a single file always is a model."""
    if len(names) == 1:
        return [*names]
    heads = {}
    for name in names:
        head = (folder / name).read_bytes()[:FILE_BYTES].decode("utf-8", "replace")
        with suppress(MbconcordError):
            registry.detect(name, head[:4_000])
            heads[name] = head
    few = heads if len(heads) <= RELATED else {}
    parts = {n for n in few if any(n.rpartition("/")[2] in text for other, text in heads.items() if other != n)}
    found = [name for name in heads if name not in parts]
    if not found:
        raise HTTPException(400, f"none of {count(len(names), 'file')} is a model: see mbconcord formats")
    return found


# A command is written from what the page asks: the words that run are the words that the page shows.


def write_words(
    asked: Mapping[str, Any], models: Sequence[ViewedModel], folder: Path, root: Path
) -> tuple[list[str], list[str]]:
    """Return the words of the command line that a request stands for, and the names of the files it writes."""
    verb, options = asked.get("verb"), asked.get("options") or {}
    numbers = {"check": (1,), "compare": (2,), "convert": (1,), "simulate": (1,), "animate": (1, 2)}.get(str(verb), ())
    if len(models) not in numbers or not isinstance(options, dict):
        raise HTTPException(400, "no such command")
    names = link_models(models, folder)
    words, outputs = [str(verb), *names], []
    if verb == "check":
        words += ["--report", "report.html"] if options.get("report") else ["--json"]
        outputs = ["report.html"]
    elif verb == "compare":
        words += ["--why", *_option(options, "coordinates", PAIRS), *([] if options.get("report") else ["--json"])]
        outputs = ["stdout"] if options.get("report") else []
    elif verb == "convert":
        chosen = next((f for f in map(registry.format_named, registry.names()) if f.name == options.get("to")), None)
        if chosen is None or chosen.write is None:
            raise HTTPException(400, "no such format")
        stem = Path(names[0]).name.partition(".")[0].lstrip("-")[:50] or "model"
        suffix = chosen.suffixes[0]
        out = f"{stem}_{chosen.name}{suffix}" if suffix.startswith(".") else f"{stem}_{suffix}"
        while (folder / out).exists():
            out = f"new_{out}"
        words += [out, "--to", chosen.name, "--verify", *(["--force"] if options.get("force") else []), "--json"]
        outputs = [out]
    elif verb == "simulate":
        words += [*_option(options, "until", NUMBER), *_option(options, "step-out", NUMBER), "--output", "run.csv"]
        words, outputs = [*words, "--json"], ["run.csv"]
    else:
        if len(models) == 1:  # the table of a run, else one that was dropped
            (folder / "run.csv").symlink_to(find_output(root, options.get("table"), "run.csv"))
            words.append("run.csv")
        words, outputs = [*words, "motion.html", "--json"], ["motion.html"]
    if isinstance(options.get("state"), dict) and verb in ("check", "compare", "simulate"):
        (folder / "state.json").write_text(json.dumps(options["state"]), "utf-8")
        words, outputs = [*words, "--state", "state.json"], [*outputs, "state.json"]
    for setting in options.get("set") or ():
        if not SETTING.fullmatch(str(setting)):
            raise HTTPException(400, f"{cut(str(setting))}: expected NAME=NUMBER")
        words += ["--set", str(setting)]
    tops = dict.fromkeys(p for m in models for p in m.packages)
    return [*words, *(w for p in tops for w in ("--read", f"package-path={p}"))], outputs


def _option(options: Mapping[str, Any], name: str, form: re.Pattern[str]) -> list[str]:
    if not (value := options.get(name)):
        return []
    if not isinstance(value, str) or not form.fullmatch(value):
        raise HTTPException(400, f"{name}: found {cut(str(value))}")
    return [f"--{name}", value]


def link_models(models: Sequence[ViewedModel], folder: Path) -> list[str]:
    """Link the uploads of models into the folder of a command, and return the paths of the models from there."""
    tops = [{p.name for p in m.folder.iterdir()} if m.folder else set() for m in models]
    shared = any(WRITTEN & t for t in tops) or (models[0].folder != models[-1].folder and bool(tops[0] & tops[-1]))
    names = []
    for model, letter in zip(models, "AB"):
        below = folder / letter if shared else folder
        below.mkdir(exist_ok=True)
        for path in model.folder.iterdir() if model.folder else ():
            if not (below / path.name).exists():
                (below / path.name).symlink_to(path)
        own = f"{letter}/{model.name}" if shared else model.name
        names.append(str(model.file.resolve()) if model.folder is None else f"./{own}" if own.startswith("-") else own)
    return names


def find_output(root: Path, job: object, name: str) -> Path:
    """Return the path of a file that a command has written; 404 if there is no such file."""
    if isinstance(job, str) and re.fullmatch(r"\w+", job) and re.fullmatch(r"[^/\\\0]{1,250}", name):
        path = root / job / name
        if name not in (".", "..") and path.is_file() and not path.is_symlink():
            return path
    raise HTTPException(404, "there is no such file")


def write_python(asked: Mapping[str, Any], files: Sequence[str]) -> str:
    """Return Python source that asks the same as the command, for a test; empty for other commands."""
    names = ", ".join(map(repr, files))
    options = asked.get("options") or {}
    values = dict(str(x).split("=", 1) for x in options.get("set") or ())
    more = f", parameters={values!r}" if values else ""
    state = options.get("state")
    at = f", q={state.get('q')!r}" if isinstance(state, dict) else ""
    if asked["verb"] == "compare":
        pairs = dict(p.split("=", 1) for p in str(options.get("coordinates") or "").split(",") if p)
        more += f", coordinates={pairs!r}" if pairs else ""
        return f"import mbconcord\n\nfound = mbconcord.compare({names}{more})\nprint(found, found.why(), sep='\\n')\n"
    lines = {
        "check": f"mbconcord.assert_agrees({names}{more})",
        "convert": f"print(mbconcord.convert({names}, to={options.get('to')!r}, verify=True{more}))",
        "simulate": f"print(mbconcord.simulate({names}, {options.get('until')}{at}{more}))",
    }
    line = lines.get(asked["verb"], "")
    return f"import mbconcord\n\n{line}\n" if line else ""


# The application.


def open_socket() -> socket.socket:
    """Listen on a free port; asyncio answers without Nagle's delay, 40 ms, only on a socket that names TCP."""
    opened = socket.socket(proto=socket.IPPROTO_TCP)
    opened.bind((HOST, 0))
    opened.listen()  # before a browser asks
    return opened


def make_app(command: Command, token: str, port: int, folder: Path, given: Sequence[str] = ()) -> Guard:
    """Make the application; ``folder`` is for uploads and output of commands, ``given`` are files of the user."""
    view = View(command, folder, given)

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in (*PAGE, "index.html"):
            raise HTTPException(404, "there is no such page")
        own = files("mbconcord.view") / "page" / name
        text = template(name) if name == "scene.js" else own.read_text(encoding="utf-8")
        return Response(text, media_type=KINDS[Path(name).suffix])

    async def start(request: Request) -> Response:
        formats = [registry.format_named(name) for name in registry.names()]
        return JSONResponse(
            {
                "models": [{"id": n, "name": m.name} for n, m in view.models.items() if m.folder is None],
                "formats": [{"name": f.name, "title": f.title, "writes": f.write is not None} for f in formats],
                "limits": {"files": VIEW_FILES, "bytes": FILE_BYTES},
            }
        )

    async def upload(request: Request) -> Response:
        if int(request.headers.get("content-length") or 0) > FILE_BYTES + LIST_BYTES:
            raise HTTPException(413, f"more than {FILE_BYTES:,} bytes")
        numbers = await view.take(request.stream())
        return JSONResponse([{"id": n, "name": view.models[n].name} for n in numbers])

    async def look(request: Request) -> Response:
        return JSONResponse(_finite((await run_sync(view.hold, request.path_params["id"])).facts))

    async def at_state(request: Request) -> Response:
        question = await _read_json(request)
        q = {str(k): float(x) for k, x in dict(question.get("q") or {}).items()}
        asked = {"q": q, "hold": str(question.get("hold") or ""), "numbers": bool(question.get("numbers"))}
        asked |= {"changes": {str(k): str(x) for k, x in dict(question.get("set") or {}).items()}}
        asked |= {"has": str(question.get("has") or "")}
        held = await run_sync(view.hold, request.path_params["id"])
        return JSONResponse(_finite(await run_sync(held.ask, asked)))

    async def run(request: Request) -> Response:
        return JSONResponse(_finite(await view.run(request, await _read_json(request))))

    async def progress(request: Request) -> Response:
        path = view.running.get(request.path_params["key"], folder) / PROGRESS
        return JSONResponse({"said": path.read_text("utf-8", "replace").strip() if path.is_file() else ""})

    async def download(request: Request) -> Response:
        name = request.path_params["name"]
        path = find_output(folder, request.path_params["job"], name)
        name = "compare.txt" if name == "stdout" else name
        return FileResponse(path, media_type="application/octet-stream", filename=name)

    async def refuse(request: Request, problem: Exception) -> Response:
        status, said = getattr(problem, "status_code", 400), getattr(problem, "detail", str(problem))
        return JSONResponse({"problems": [{"severity": "error", "message": said}]}, status)

    routes = [
        Route("/", page), Route("/start", start), Route("/models", upload, methods=["POST"]),
        Route("/models/{id}", look), Route("/models/{id}/state", at_state, methods=["POST"]),
        Route("/run", run, methods=["POST"]), Route("/progress/{key}", progress),
        Route("/jobs/{job}/{name}", download), Route("/{name}", page),
    ]  # fmt: skip
    refused = (HTTPException, ValueError, TypeError, OverflowError, RecursionError)
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(refused, refuse))
    return Guard(app, view, token, port)


async def _read_json(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request; 400 for other values, 413 if it is too long."""
    text = b""
    async for chunk in request.stream():
        text += chunk
        if len(text) > LIST_BYTES:
            raise HTTPException(413, "the question is too long")
    found = json.loads(text)
    if not isinstance(found, dict):
        raise HTTPException(400, "expected an object of JSON")
    return found


def _finite(value: Any) -> Any:
    """Replace infinite numbers and NaN, which JSON lacks, by None."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, Mapping):
        return {k: _finite(x) for k, x in value.items()}
    return [_finite(x) for x in value] if isinstance(value, list | tuple) else value
