"""Drive headless Chromium by chromedriver's plain HTTP interface."""

import base64
import contextlib
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--disable-dev-shm-usage",
]  # fmt: skip
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


class Browser:
    def __init__(self, base, session):
        self._base = f"{base}/session/{session}"

    def _post(self, command, **body):
        return _call(f"{self._base}/{command}", body)

    def open(self, path, width, *, dark=False):
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.devtools("Emulation.setEmulatedMedia", features=scheme)
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self._post("url", url=path if isinstance(path, str) else path.as_uri())

    def devtools(self, command, **params):
        return self._post("goog/cdp/execute", cmd=command, params=params)

    def script(self, code, *args):
        """Run JavaScript in the page and return its value."""
        return self._post("execute/sync", script=code, args=list(args))

    def key(self, name):
        """Press a key, as a person does who has no mouse."""
        codes = {"Tab": 9, "Enter": 13}
        pressed = {"key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
        if name == "Enter":
            pressed["text"] = "\r"
        self.devtools("Input.dispatchKeyEvent", type="keyDown", **pressed)
        self.devtools("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def errors(self):
        return [entry["message"] for entry in self._post("se/log", type="browser")]

    def pdf(self):
        return base64.b64decode(self._post("print"))

    def quit(self):
        _call(self._base, None, "DELETE")


def _call(url, body, method="POST"):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        with error:
            raise AssertionError(error.read().decode()[:2000]) from None


@contextlib.contextmanager
def browser(profile):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    driver = subprocess.Popen([DRIVER, f"--port={port}"], **quiet)
    try:
        _wait(port)
        options = {"args": [*FLAGS, f"--user-data-dir={profile}"], "binary": CHROMIUM}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = _call(f"{base}/session", {"capabilities": {"alwaysMatch": wanted}})
        one = Browser(base, session["sessionId"])
        try:
            yield one
        finally:
            one.quit()
    finally:
        driver.terminate()
        driver.wait(timeout=20)


def _wait(port):
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("chromedriver did not start")
