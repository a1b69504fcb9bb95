"""Show models on a page of this machine: drop them, see them, check, compare, convert and move them.

The server listens on 127.0.0.1 at a free port; the address holds a token, and who does not have it is refused. What is
dropped is read by processes with limits of time, memory and files, and deleted at the end. Ctrl+C stops the server.
"""

from __future__ import annotations

import argparse
import secrets
import signal
import tempfile
import webbrowser
from importlib.util import find_spec
from pathlib import Path

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.limits import format_names

from . import SUCCESS, main
from .output import print_json, say


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: files, the browser."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="model to show at once")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")


def run(arguments: argparse.Namespace) -> int:
    """Run the server of the page until the user stops it; return the exit code."""
    if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
        message = f"{format_names(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
        raise MbconcordError(error("view", message, "pip install 'mbconcord[view]'"))
    import uvicorn

    from mbconcord.view.server import HOST, make_app, open_socket
    from mbconcord.view.work import warm

    for file in arguments.files:
        if not Path(file).exists():
            raise MbconcordError(error(file, "there is no such file", "name a model"))
    warm()
    token = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="mbconcord-view-") as folder, open_socket() as opened:
        port = opened.getsockname()[1]
        app = make_app(main, token, port, Path(folder), arguments.files)
        address = f"http://{HOST}:{port}/?token={token}"
        if arguments.json:
            print_json({"address": address})
        else:
            say(f"{address}\nCtrl+C stops the server")
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="critical", lifespan="off", server_header=False, timeout_graceful_shutdown=3)
        )
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was dropped is deleted then, too
        if not arguments.no_browser:
            webbrowser.open(address)
        try:
            server.run(sockets=[opened])
        except KeyboardInterrupt:
            pass
        finally:
            app.view.close()
    return SUCCESS
