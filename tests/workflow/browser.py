"""A headless Chromium, driven as a reader drives it, by clicks and keys, and what it loads and reports.

It speaks the DevTools protocol over a pipe (JSON ended by a zero byte, on the descriptors 3 and 4), which
needs no library and no port. https://chromedevtools.github.io/devtools-protocol
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PROGRAM = next((path for name in NAMES if (path := shutil.which(name))), None)
"The browser of this machine, None where there is none."
TIMEOUT_S = 60
# No sandbox: it cannot be had as root or in many containers, and the pages are our own.
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip
KEYS = {"Tab": 9, "Enter": 13, " ": 32}


class Browser:
    """One tab. with Browser(tmp_path) as tab: tab.open(page); tab.press("Tab")"""

    def __init__(self, profile: Path) -> None:
        commands, self._send_to = os.pipe()
        self._read_from, answers = os.pipe()
        start = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
        options = [*OPTIONS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            ["bash", "-c", start, str(PROGRAM), *options],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._session: dict[str, str] = {}
        self._sent = 0
        self._unread = b""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> "Browser":
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._send_to)  # the browser ends with its pipe
        try:
            self._process.wait(TIMEOUT_S)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._read_from)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its answer; what happens meanwhile goes to `events`."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": params, **self._session}
        os.write(self._send_to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._sent:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._read_from], [], [], TIMEOUT_S)
            part = os.read(self._read_from, 1 << 20) if ready else b""
            assert part, f"the browser ended, or said nothing for {TIMEOUT_S} s"
            self._unread += part
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)

    def open(self, page: Path) -> None:
        """Load a file and wait until it is there."""
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        end = time.monotonic() + TIMEOUT_S
        while not self.happened("Page.loadEventFired") and time.monotonic() < end:
            self.events.append(self._next())

    def happened(self, method: str) -> list[dict[str, Any]]:
        """What the browser told of a kind since the page was opened."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def resize(self, width: int, height: int = 900) -> None:
        """Show the page in a window of so many CSS pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element."""
        x, y = self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center", inline: "center"}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        text = {"Enter": "\r", " ": " "}.get(key)
        named = {"key": key, "code": key.strip() or "Space", "windowsVirtualKeyCode": KEYS[key]}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def screenshot(self, to: Path, whole: bool = True) -> None:
        """Save what is seen, or the whole page, as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        to.write_bytes(base64.b64decode(shot["data"]))
