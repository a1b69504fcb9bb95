"""A headless Chromium that tests drive over two pipes: pages from disk, input as a person gives it, what it says.

Nothing but the program is needed: the protocol is JSON with a zero byte behind each message, on descriptors 3 and 4.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Seconds after which a browser is taken to hang, however busy the machine is.
PATIENCE = 600.0
#: Keys that do something by themselves, with their numbers.
KEYS = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def program() -> str | None:
    """The path of a Chromium, None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page of a browser; ``said`` are errors of its console, ``asked`` what it requested beside the page.

    ``choosers`` are dialogs for files that were opened, where these are intercepted.
    """

    def __init__(self, process: subprocess.Popen[bytes], send: int, receive: int) -> None:
        self.process, self._send, self._receive = process, send, receive
        self._number, self._rest, self._session = 0, b"", ""
        self.said: list[str] = []
        self.asked: list[str] = []
        self.choosers: list[int] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """The answer to a command; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._event(answer.get("method", ""), answer.get("params", {}))

    def _next(self) -> Any:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self._receive, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        first, self._rest = self._rest.split(b"\0", 1)
        return json.loads(first)

    def _event(self, method: str, given: Any) -> None:
        if method == "Runtime.exceptionThrown":
            self.said.append(str(given["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.said.append(str(given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.said.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent" and given.get("type") != "Document":
            self.asked.append(given["request"]["url"])
        elif method == "Page.fileChooserOpened":
            self.choosers.append(given["backendNodeId"])

    def open(self, page: Path, width: int = 1280, dark: bool = False) -> None:
        """Show a page from disk, and wait until it says that it is ready."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.until("document.body && document.body.dataset.ready === 'yes'")

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives."""
        given = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in given, given
        return given["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    def drag(self, start: tuple[float, float], end: tuple[float, float], shift: bool = False) -> None:
        """Press, move and release the mouse, with Shift held or not."""
        for kind, (x, y), buttons in (
            ("mousePressed", start, 1), ("mouseMoved", end, 1), ("mouseReleased", end, 0),
        ):  # fmt: skip
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                buttons=buttons,
                clickCount=1,
                modifiers=8 * shift,
            )

    def wheel(self, at: tuple[float, float], by: float) -> None:
        """Turn the wheel."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=at[0], y=at[1], deltaX=0, deltaY=by)

    def key(self, key: str, modifiers: int = 0) -> None:
        """Press a key; ``modifiers``: 1 Alt, 2 Ctrl, 8 Shift."""
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        code = {"windowsVirtualKeyCode": KEYS[key], "code": {" ": "Space"}.get(key, key)} if key in KEYS else {}
        for kind, more in (("keyDown", text), ("keyUp", {})):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **code, **more)

    def press(self, at: tuple[float, float]) -> None:
        """Click with the mouse."""
        self.drag(at, at)

    def drop(self, at: tuple[float, float], *files: Path) -> None:
        """Drag files from the desktop onto the page, and drop them."""
        data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=at[0], y=at[1], data=data)

    def choose(self, *files: Path) -> None:
        """Choose files in the dialog that the page opened."""
        while not self.choosers:
            self.value("0")
        self.call("DOM.setFileInputFiles", files=[str(file) for file in files], backendNodeId=self.choosers.pop())

    @contextmanager
    def second(self, address: str) -> Iterator[None]:
        """Go to another tab, which opens an address, and come back at the end."""
        first, self._session = self._session, ""
        target = self.call("Target.createTarget", url=address)["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.call(f"{domain}.enable")
        try:
            yield
        finally:
            self.call("Page.close")
            self._session = first

    def touch(self, *moments: tuple[tuple[float, float], ...]) -> None:
        """Put fingers down, move them, and lift them: where they are at each moment."""
        for k, fingers in enumerate((*moments, ())):
            kind = "touchStart" if not k else "touchMove" if fingers else "touchEnd"
            points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(fingers)]
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def picture(self, kind: str = "png") -> bytes:
        """The page as a picture: png, or webp, which is smaller."""
        quality = {} if kind == "png" else {"quality": 70}
        return base64.b64decode(self.call("Page.captureScreenshot", format=kind, **quality)["data"])


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser that ends with the block."""
    found = program()
    assert found is not None
    theirs_in, send = os.pipe()
    receive, theirs_out = os.pipe()
    inner = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 20) for descriptor in (theirs_in, theirs_out)]

    def placed() -> None:
        os.dup2(inner[0], 3)
        os.dup2(inner[1], 4)

    options = (
        "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--hide-scrollbars", f"--user-data-dir={profile}",
    )  # fmt: skip
    process = subprocess.Popen(
        [found, *options, "about:blank"], preexec_fn=placed, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for descriptor in (theirs_in, theirs_out, *inner):
        os.close(descriptor)
    try:
        yield Browser(process, send, receive)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(send)
        os.close(receive)
