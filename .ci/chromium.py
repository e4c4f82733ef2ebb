"""A headless Chromium (Debian: chromium) that is spoken to over a pipe, by its remote protocol; it
needs no package besides. CHROMIUM names another program.
"""

import base64
import json
import os
import subprocess
import tempfile


class Browser:
    """One page of a Chromium; a context, which ends with it. Messages end with a zero byte."""

    def __init__(self):
        program = os.environ.get("CHROMIUM", "chromium")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command_read, self.writer = os.pipe()
        self.reader, answer_write = os.pipe()

        def at_start():
            # The protocol's fixed numbers: 3 to read from, 4 to write to.
            first, second = os.dup(command_read), os.dup(answer_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=at_start, pass_fds=(3, 4),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                raise SystemExit("chromium: error: it ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"chromium: error: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def evaluate(self, expression):
        """The value of an expression in the page, once its promise is kept."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise SystemExit(f"chromium: error: {details.get('exception', details)}")
        return answer["result"].get("value")

    def screen(self, width, scheme, media=""):
        """A screen 900 pixels high, by day (`light`) or by night (`dark`), or `print`."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def navigate(self, address):
        """Opens an address and waits until it is there; `events` is what happened since."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait("Page.loadEventFired")

    def shoot(self, path, width):
        """Writes a picture of the whole page, this wide."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call(
            "Page.captureScreenshot", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1})
        path.write_bytes(base64.b64decode(shot["data"]))

    def messages(self):
        """What the console has said since the page was opened."""
        said = []
        for event in self.events:
            if event.get("method") == "Log.entryAdded":
                said.append(event["params"]["entry"]["text"])
            elif event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                said.append(str(event["params"]))
        return said

    def pdf(self, **options):
        """The page on paper, as the bytes of a PDF."""
        answer = self.call(
            "Page.printToPDF", printBackground=True, preferCSSPageSize=True, **options)
        return base64.b64decode(answer["data"])

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *error):
        if error[0] is None:
            self.call("Browser.close")
        else:
            self.process.kill()
        self.process.wait(30)
        self.profile.cleanup()
