#!/usr/bin/env python3
"""Opens reports in headless Chromium and looks at them.

Usage: look.py FOLDER REPORT...
Asserts for each report: no console message, no request but for the file itself, every section
present with contents, nothing wider than the screen at 360 px, text inside its chart and of 10
pixels at least, labels of a chart apart from each other. Writes screenshots at 360 and 1280 px, by
day and by night, and a PDF into FOLDER. Needs Chromium (Debian: chromium) and speaks its remote
protocol over a pipe, so it needs no package besides.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SECTIONS = """budgets why startup ttff series playback caches links bytes players cohorts
comparisons changes metrics provenance""".split()
# Of a world other than the feed.
WORLD_SECTIONS = "budgets why times numbers changes provenance".split()

# Runs in the page; answers a list of complaints.
CHECK = """(() => {
  const found = [];
  const isWorld = document.getElementById('numbers') !== null;
  // Pages beside a report have sections of their own.
  const own = [...document.querySelectorAll('main section')].map(element => element.id);
  const isReport = document.getElementById('provenance') !== null;
  const needed = (isWorld ? OTHERS : SECTIONS).concat(['verdict']);
  for (const id of isReport ? needed : own) {
    const element = document.getElementById(id);
    if (!element) found.push('no section ' + id);
    else if (element.innerText.trim().split('\\n').length < 2) found.push('empty section ' + id);
  }
  // A phone's innerWidth grows with what is too wide.
  if (document.documentElement.scrollWidth > WIDTH)
    found.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push('twice: ' + id);
  for (const link of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(link.getAttribute('href').slice(1)))
      found.push('a link to nothing: ' + link.getAttribute('href'));
  for (const chart of document.querySelectorAll('figure svg')) {
    const name = chart.querySelector('title').textContent;
    const frame = chart.getBoundingClientRect();
    const scale = frame.width / chart.viewBox.baseVal.width;
    // A drawing for another width is hidden.
    if (frame.width > 0 && 12 * scale < 9.95)
      found.push(name + ': text of ' + (12 * scale).toFixed(1) + ' px');
    const texts = [...chart.querySelectorAll('text')].map(
      element => [element.textContent, element.getBoundingClientRect()]);
    for (const [text, box] of texts)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2
          || box.bottom > frame.bottom + 2) found.push(name + ': outside: ' + text);
    texts.forEach(([text, box], index) => texts.slice(index + 1).forEach(([other, next]) => {
      const wide = Math.min(box.right, next.right) - Math.max(box.left, next.left);
      const high = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
      if (wide > 1 && high > 4) found.push(name + ': ' + text + ' covers ' + other);
    }));
  }
  return found;
})()"""


class Browser:
    """A Chromium that is spoken to over two pipes, with messages ended by a zero byte."""

    def __init__(self, program, profile):
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
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
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
                raise SystemExit("look: error: Chromium ended")
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
                    raise SystemExit(f"look: error: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def close(self):
        self.call("Browser.close")
        self.process.wait(30)


def look(browser, report, folder):
    complaints = []
    name = report.parent.name + ("" if report.stem == "report" else f"-{report.stem}")
    for width, scheme in [(360, "light"), (1280, "light"), (1280, "dark")]:
        browser.events.clear()
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                     deviceScaleFactor=1, mobile=width < 600)
        browser.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        browser.call("Page.navigate", url=report.resolve().as_uri())
        browser.wait("Page.loadEventFired")
        check = CHECK.replace("SECTIONS", json.dumps(SECTIONS)).replace("WIDTH", str(width))
        check = check.replace("OTHERS", json.dumps(WORLD_SECTIONS))
        answer = browser.call("Runtime.evaluate", expression=check, returnByValue=True)
        if "exceptionDetails" in answer:
            complaints.append(str(answer["exceptionDetails"]))
        else:
            complaints += [f"{width} px: {text}" for text in answer["result"]["value"]]
        for event in browser.events:
            method = event.get("method", "")
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                complaints.append(f"console: {event['params']}")
            if method == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if url != report.resolve().as_uri():
                    complaints.append(f"request: {url}")
        size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = browser.call(
            "Page.captureScreenshot", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1})
        path = folder / f"{name}-{width}-{scheme}.png"
        path.write_bytes(base64.b64decode(shot["data"]))
    pdf = browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
    (folder / f"{name}.pdf").write_bytes(base64.b64decode(pdf["data"]))
    return complaints


def main():
    if len(sys.argv) < 3:
        raise SystemExit("usage: look.py FOLDER REPORT...")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("CHROMIUM", "chromium")
    failed = False
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        browser.open()
        for name in sys.argv[2:]:
            complaints = look(browser, Path(name), folder)
            for text in complaints:
                print(f"look: {name}: {text}")
            failed = failed or bool(complaints)
            print(f"look: {name}: {len(complaints)} complaints")
        browser.close()
    raise SystemExit(1 if failed else 0)


main()
