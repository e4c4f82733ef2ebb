#!/usr/bin/env python3
"""Looks at a what-if page in headless Chromium: it computes what the command line computed, and is
used by keyboard, on a narrow screen, by night, and with addresses of somebody who means no good.

Usage: what_if_page.py [--start] [--firstframe PROGRAM] [--pictures FOLDER] [--axe AXE.JS]
                       [--moves N] [--addresses N] WHATIF.HTML

Of the page:
  check      the self-check says equal
  policy     nothing breaks the content security policy, the console says nothing, and only the page
             itself and its own blobs are asked for
  paint      the first paint comes within 300 ms (the best of three loads)
  keyboard   Tab reaches every control; the arrow keys move one, and an answer comes
  answer     when the first answer and the whole one have come, and that the address, once opened
             again, gives the same; the command line names the control
  native     with --firstframe: of ten settings at random, the command that the page shows gives
             the page's values, intervals and verdicts
  map        a map of two controls gets its cells, and a cell sets the controls
  viewer     a session is shown under the base and under the candidate; the arrow keys go from view
             to view and from moment to moment
  names      whatever takes the focus has a name; with --axe, axe-core finds nothing serious
  narrow     at 390 pixels the page is no wider than the screen
  addresses  random ones (10000) never throw; of some (200) that are opened the page says that
             something in them is no setting, and still answers
  moves      after so many moves (200) the page and its workers hold no more memory
  halts      with another fingerprint, a policy without WebAssembly or workers, and without scripts,
             the page says so, takes no moves, and shows the base's numbers
With --start only check, paint, keyboard and policy. FOLDER gets pictures by day and night, wide and
narrow. A line for each check goes to standard output.

Exit code: 0, 1 when something is found, 64 for wrong arguments. Needs Chromium.
"""

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

from chromium import Browser

LOOKS = Path(__file__).with_name("look_pages.js").read_text(encoding="utf-8")
# Violations of the policy, as the page itself is told of them.
LISTEN = """window.violations = [];
addEventListener('securitypolicyviolation', event =>
  violations.push(event.violatedDirective + ' ' + event.blockedURI), true);"""
TEXT = "document.getElementById('%s').textContent"
COMPLETE = ("/^(\\d+) of \\1 replications/.test(document.getElementById('progress').textContent)"
            " && !document.getElementById('results').classList.contains('old')")
ANSWERED = ("/^(Provisional: )?\\d+ of \\d+ replications[.]/.test("
            "document.getElementById('progress').textContent)")
FIRST_PAINT = 300  # milliseconds
MEGABYTE = 1 << 20


class Page:
    """The page under test in a browser, and what is found about it."""

    def __init__(self, browser, path, pictures):
        self.browser, self.path, self.pictures = browser, path, pictures
        self.address = path.resolve().as_uri()
        self.failures = 0

    def report(self, check, problems, remark=""):
        self.failures += bool(problems)
        print(f"{check:<10} {'FAIL' if problems else 'ok':<5} {remark}".rstrip(), flush=True)
        for problem in problems:
            print(f"{'':<16} {problem}", flush=True)

    def ask(self, expression):
        return self.browser.evaluate(expression)

    def text(self, name):
        return self.ask(TEXT % name)

    def until(self, expression, seconds=60):
        """Seconds until an expression holds in the page; nothing when it never does."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            if self.ask(expression):
                return time.monotonic() - begin
            time.sleep(0.02)
        return None

    def open(self, width=1280, scheme="light", end="", address=None):
        """Opens the page anew, and waits for its self-check."""
        self.browser.screen(width, scheme)
        self.browser.navigate("about:blank")
        self.browser.navigate((address or self.address) + end)
        return self.until("document.getElementById('check').textContent.includes('✓')"
                          " || !document.getElementById('note').hidden")

    def key(self, key, code=0):
        for form in ("rawKeyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=form, key=key, code=key,
                              windowsVirtualKeyCode=code)

    def shoot(self, name, width):
        if self.pictures:
            self.browser.shoot(self.pictures / f"{name}.png", width)

    def complaints(self):
        """What the console and the policy have to say, and what was asked for from elsewhere."""
        found = [f"console: {text[:200]}" for text in self.browser.messages()]
        found += [f"policy: {text}" for text in self.ask("window.violations ?? []")]
        for event in self.browser.events:
            if event.get("method") == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if url.split("#")[0] != self.address and not url.startswith(("blob:", "about:")):
                    found.append(f"a request: {url[:100]}")
        return found


def look_at_start(page):
    paints, checks = [], []
    for _ in range(3):
        checks.append(page.open())
        paints.append(page.ask("performance.getEntriesByType('paint')[0]?.startTime ?? 1e9"))
    said = page.text("check")
    problems = [] if "equal" in said and checks[-1] is not None else [
        f"the self-check says “{said}”, the note “{page.text('note')}”"]
    page.report("check", problems, f"{min(check or 99 for check in checks):.2f} s after the load")
    best = min(paints)
    page.report("paint", [f"{best:.0f} ms"] if best > FIRST_PAINT else [],
                f"first paint after {', '.join(f'{paint:.0f}' for paint in paints)} ms")
    page.shoot("base-1280-light", 1280)
    return not problems


def look_at_keyboard(page):
    """Reaches every control by Tab, and moves the first that has a step by the arrow keys."""
    page.open()
    page.browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    wanted = page.ask("[...document.querySelectorAll('input,select,button')]"
                      ".filter(e => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled).length")
    reached = set()
    for _ in range(4 * wanted + 40):
        page.key("Tab", 9)
        number = page.ask(
            "[...document.querySelectorAll('input,select,button')].indexOf(document.activeElement)")
        if number in reached:
            break
        if number >= 0:
            reached.add(number)
    problems = [] if len(reached) == wanted else [f"Tab reaches {len(reached)} of {wanted}"]
    page.ask("document.querySelector('#groups input').focus()")
    before = page.ask("document.querySelector('#groups input').value")
    way = page.ask("document.activeElement.value < document.activeElement.max")
    page.key("ArrowRight" if way else "ArrowLeft", 39 if way else 37)
    if page.ask("document.querySelector('#groups input').value") == before:
        problems.append("an arrow key moves nothing")
    first = page.until(ANSWERED)
    provisional = page.text("progress")
    whole = page.until(COMPLETE)
    if first is None or whole is None:
        problems.append(f"no answer came: {page.text('progress')}")
    elif "–" == page.ask("document.querySelector('#budgets .candidate, #headline .candidate')"
                         ".textContent"):
        problems.append("the candidate has no numbers")
    page.report("keyboard", problems, f"{len(reached)} controls reached")
    return first, whole, provisional


def look_at_answer(page, first, whole, provisional):
    problems = []
    remark = "none"
    if whole is not None:
        workers = page.ask("Math.max(1, Math.min(8, navigator.hardwareConcurrency))")
        remark = (f"first after {first:.2f} s ({provisional.rstrip('.')}), all after "
                  f"{first + whole:.2f} s, with {workers} workers")
    end = page.ask("location.hash")
    if not end.startswith("#1&"):
        problems.append(f"the address ends with “{end}”")
    key = urllib.parse.unquote(end[3:].split("=")[0])
    if key not in page.text("command"):
        problems.append(f"the command does not name {key}: {page.text('command')}")
    page.ask("document.getElementById('copy').click()")
    if page.until("document.getElementById('copied').textContent", 5) is None:
        problems.append("Copy says nothing")
    tables = "document.getElementById('budgets').innerText + "\
             "document.getElementById('headline').innerText"
    once = page.ask(tables)
    page.open(end=end)
    page.until(COMPLETE)
    if page.ask(tables) != once:
        problems.append("the address, opened again, gives other numbers")
    page.shoot("candidate-1280-light", 1280)
    page.report("answer", problems, remark)
    return end


def numbers_of(page):
    """What the page has of its state: the command, metrics by name, and verdicts."""
    return page.ask("""(() => {
      const number = value => Number.isFinite(value) ? value : null;
      const words = ["pass", "fail", "inconclusive", "invalid", "not-run"];
      const verdict = found => words[found] ?? found;
      return { command: document.getElementById("command").textContent,
        metrics: page.metrics.map((metric, place) => {
          const { value, lower, upper } = shown.metrics[place];
          return [metric.reference, [value, lower, upper].map(number)]; }),
        verdicts: page.budgets.map((_, place) => verdict(shown.budgets[place].verdict)) };
    })()""")


def look_at_native(page, program, count=10):
    """Moves one to three controls at random, and runs what the page says does the same."""
    source = random.Random(40)
    problems, compared, skipped = [], 0, 0
    keys = page.ask("page.controls.map(control => [control.key, control.steps.map(s => s.text)])")
    begin = time.monotonic()
    done = 0
    while done < count and skipped < 5 * count:
        moved = source.sample(keys, source.randrange(1, 4))
        end = "#1" + "".join(f"&{urllib.parse.quote(key, safe='')}="
                             f"{urllib.parse.quote(source.choice(steps), safe='')}"
                             for key, steps in moved)
        page.open(end=end)
        if page.until(COMPLETE, 120) is None or not page.ask("shown !== null"):
            # The base, or two controls that do not go together, which the page has said.
            skipped += 1
            continue
        done += 1
        ours = numbers_of(page)
        with tempfile.TemporaryDirectory() as folder:
            words = shlex.split(ours["command"])
            run = subprocess.run([program, *words[1:], "--quiet", "--output", folder],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            found = list(Path(folder).glob("*/result.json"))
            if not found:
                problems.append(f"{ours['command']}: {run.stderr.strip()[:200]}")
                continue
            result = json.loads(found[0].read_text(encoding="utf-8"))
        theirs = {metric["metric"]: metric for metric in result["metrics"] + result["budgets"]}
        for name, numbers in ours["metrics"]:
            metric = theirs.get(name)
            if metric is None:
                continue
            wanted = [metric["value"], *(metric["interval"] or [None, None])]
            compared += 1
            for mine, its in zip(numbers, wanted):
                if mine is None and its is None:
                    continue
                if mine is None or its is None or abs(mine - its) > 1e-6 * max(abs(its), 1e-9):
                    problems.append(f"{ours['command']}: {name}: {numbers}, natively {wanted}")
                    break
        verdicts = [budget["verdict"] for budget in result["budgets"]]
        if result["replications"]["run"] == page.ask("page.replications") and \
                verdicts != ours["verdicts"]:
            problems.append(f"{ours['command']}: {ours['verdicts']}, natively {verdicts}")
    if done < count:
        problems.append(f"{done} of {count} settings had an answer")
    page.report("native", problems[:10],
                f"{done} settings, {compared} metrics, {time.monotonic() - begin:.0f} s")


def look_at_map(page, end):
    """Draws the smallest map, and presses its last cell."""
    page.open(end=end)
    page.until(COMPLETE)
    if page.ask("document.getElementById('map-section').hidden"):
        return page.report("map", [], "none: the page has not two controls and a budget")
    page.ask("""(() => {
      const steps = [...document.querySelectorAll('#groups input')].map((input, place) =>
        [Number(input.max), Number(input.id.split('-')[1])]).sort((a, b) => a[0] - b[0]);
      for (const [id, at] of [['map-x', 0], ['map-y', 1]])
        document.getElementById(id).value = steps[at][1];
      document.getElementById('map-go').click();
    })()""")
    took = page.until("document.getElementById('map-go').textContent !== 'Stop'", 300)
    said = page.text("map-says")
    problems = [] if took is not None else [f"the map is not done: {said}"]
    page.ask("[...document.querySelectorAll('#map button')].at(-1).click()")
    if page.until("document.querySelector('#map [aria-current=true]') ==="
                  " [...document.querySelectorAll('#map button')].at(-1)", 5) is None:
        problems.append("a cell does not set the controls")
    page.until(COMPLETE)
    page.shoot("map-1280-light", 1280)
    page.report("map", problems, f"{said} {took or 0:.1f} s")


def watch(page):
    """Has a session shown, whichever there is; seconds until all sides are there."""
    begin = time.monotonic()
    session = 0
    for _ in range(2):
        page.ask(f"""(field => {{
          field.value = {session};
          field.dispatchEvent(new Event('change'));
        }})(document.getElementById('viewer-number'))""")
        if page.until(f"!/simulating/.test({TEXT % 'viewer-says'})") is None:
            return None
        near = re.search(r"(\d+) is near", page.text("viewer-says"))
        if not near:
            return time.monotonic() - begin
        session = int(near[1])
    return None


def look_at_viewer(page, end):
    """Shows a session, and steps through it by keyboard."""
    page.open(end=end)
    page.browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    page.until(COMPLETE)
    took = watch(page)
    if took is None:
        return page.report("viewer", [f"no session is shown: {page.text('viewer-says')}"])
    problems = []
    sides = page.ask("document.querySelectorAll('#viewer-sides figure').length")
    if sides != 2:
        problems.append(f"{sides} sides are shown")
    if not page.ask("document.querySelectorAll('#viewer-sides .lanes rect').length"):
        problems.append("nothing is drawn")

    def presses(focus, key, code, name):
        before = page.text(name)
        page.ask(f"document.getElementById('{focus}').focus()")
        page.key(key, code)
        if page.until(f"{TEXT % name} !== {json.dumps(before)}", 5) is None:
            problems.append(f"{key} on {focus} changes nothing")
        return page.text(name)

    if not re.search(r" of 1:", page.text("viewer-place")):
        presses("viewer-next", "ArrowRight", 39, "viewer-place")
        presses("viewer-back", "ArrowLeft", 37, "viewer-place")
    presses("viewer-moment", "ArrowRight", 39, "viewer-time")
    presses("viewer-moment", "End", 35, "viewer-time")
    for width, scheme in [(1280, "light"), (390, "dark")]:
        page.browser.screen(width, scheme)
        page.shoot(f"viewer-{width}-{scheme}", width)
        problems += [f"{width} {scheme}: {text}"
                     for text in page.ask(f"({LOOKS}).overflow({width})")]
    page.ask("document.getElementById('reset-all').click()")
    if page.until("document.querySelectorAll('#viewer-sides figure').length === 1", 10) is None:
        problems.append("at the base there are two sides")
    problems += page.complaints()
    page.report("viewer", problems, f"{page.text('viewer-place')}, {took:.1f} s")


def look_at_names(page, end, axe):
    page.open(end=end)
    page.until(COMPLETE)
    watch(page)
    page.ask(f"({LOOKS}).unfold()")
    page.browser.call("Accessibility.enable")
    nodes = page.browser.call("Accessibility.getFullAXTree")["nodes"]
    stops = [node for node in nodes if not node.get("ignored") and any(
        each["name"] == "focusable" and each["value"].get("value") for each in
        node.get("properties", [])) and node["role"]["value"] != "RootWebArea"]
    # The results take the focus from the link that skips to them, and are called by their headings.
    nameless = [node["role"]["value"] for node in stops
                if not node.get("name", {}).get("value") and node["role"]["value"] != "generic"]
    page.browser.call("Accessibility.disable")
    problems = [f"without a name: {role}" for role in nameless]
    looked = ""
    if axe:
        # It adds a style of its own, which the page's policy would forbid.
        page.browser.call("Page.setBypassCSP", enabled=True)
        for width, scheme in [(1280, "light"), (1280, "dark"), (390, "light")]:
            page.open(width, scheme, end)
            page.until(COMPLETE)
            watch(page)
            page.ask(f"({LOOKS}).unfold()")
            page.ask(axe + ";0")
            rules = page.ask(f"({LOOKS}).axe()")
            problems += [f"axe, {width} {scheme}: {rule['rule']} at {rule['first']}: {rule['why']}"
                         for rule in rules["violations"]]
            problems += [f"axe, {width} {scheme}: {text}" for text in rules["pale"]["found"]]
        page.browser.call("Page.setBypassCSP", enabled=False)
        looked = ", axe-core at three screens"
    page.report("names", problems, f"{len(stops)} stops{looked}")


def look_at_screens(page, end):
    problems = []
    for width, scheme in [(390, "light"), (390, "dark"), (1280, "dark")]:
        page.open(width, scheme, end)
        page.until(COMPLETE)
        page.shoot(f"candidate-{width}-{scheme}", width)
        page.ask(f"({LOOKS}).unfold()")
        problems += [f"{width} {scheme}: {text}"
                     for text in page.ask(f"({LOOKS}).overflow({width})")]
    page.report("narrow", problems, "390 and 1280 pixels, day and night")


def hostile(source, keys):
    """An address' end of somebody who means no good, or of a page of another version."""
    pieces = keys + ["1", "2", "&", "&&", "=", "==", "%", "%zz", "%E0%A4%A", "%00", "__proto__",
                     "constructor", "toString", "<script>", "\u202e", "\ud7ff", "🦊", "-1", "NaN",
                     "1e999", "'", '"', "#", "?", "javascript:alert(1)", "../..", " ", "+"]
    text = "".join(source.choice(pieces) for _ in range(source.randrange(1, 12)))
    return "#" + ("1&" if source.random() < 0.7 else "") + text


def look_at_addresses(page, count):
    page.open()
    source = random.Random(20250816)
    keys = page.ask("[...document.querySelectorAll('#groups code')].map(code => code.textContent)")
    ends = [hostile(source, keys) for _ in range(count)]
    problems = []
    for place in range(0, count, 1000):
        # A function of the page's script; it takes any text.
        wrong = page.ask(f"""{json.dumps(ends[place:place + 1000])}.filter(end => {{
          try {{
            const {{ steps, isWhole }} = readAddress(end);
            return typeof isWhole !== 'boolean' || steps.length !== {len(keys)}
              || steps.some(step => !Number.isInteger(step) || step < 0);
          }} catch {{ return true; }}
        }})""")
        problems += [f"not understood: {end!r}" for end in wrong[:3]]
    opened = [*ends[:199], "#1&" + "x" * 1_000_000]
    for end in opened:
        page.browser.call("Page.navigate", url=page.address + urllib.parse.quote(
            end, safe="#%&=?+'!()*~:/"))
    if page.until("!document.getElementById('note').hidden", 10) is None:
        problems.append("no note says that something was left out")
    page.until("document.getElementById('check').textContent.includes('✓')")
    page.ask("document.getElementById('reset-all').click()")
    page.until("!/Simulating|Provisional/.test(document.getElementById('progress').textContent)")
    page.ask("(input => { input.value = input.value > 0 ? 0 : 1; input.dispatchEvent(new Event("
             "'input')); })(document.querySelector('#groups input'))")
    time.sleep(0.3)
    if page.until(COMPLETE) is None:
        problems.append(f"no answer after them: {page.text('progress')}")
    problems += page.complaints()
    page.report("addresses", problems, f"{count} read, {len(opened)} opened")


def memory(page):
    """Megabytes of the page's own heap, and of all processes of the browser, garbage put aside."""
    page.browser.call("HeapProfiler.collectGarbage")
    heap = page.browser.call("Runtime.getHeapUsage")["usedSize"]
    parents, sizes = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text()
        except OSError:
            continue
        parents[int(folder.name)] = int(re.search(r"PPid:\s*(\d+)", status)[1])
        held = re.search(r"RssAnon:\s*(\d+) kB", status)
        sizes[int(folder.name)] = int(held[1]) * 1024 if held else 0
    mine = {page.browser.process.pid}
    for _ in range(8):
        mine |= {process for process, parent in parents.items() if parent in mine}
    return heap / MEGABYTE, sum(sizes.get(process, 0) for process in mine) / MEGABYTE


def look_at_moves(page, count):
    """Moves controls at random, some fast and some until the answer is whole."""
    page.open()
    source = random.Random(7)
    marks = []
    begin = time.monotonic()
    for number in range(count + 1):
        if number in (count // 4, count):
            page.until("!/Simulating|Provisional/.test(document.getElementById('progress')"
                       ".textContent)")
            marks.append(memory(page))
        page.ask(f"""(inputs => {{
          const input = inputs[{source.randrange(1 << 20)} % inputs.length];
          input.value = {source.randrange(1 << 20)} % (Number(input.max) + 1);
          input.dispatchEvent(new Event('input'));
        }})(document.querySelectorAll('#groups input'))""")
        time.sleep(source.choice([0.05, 0.2, 0.2, 0.6]))
        if number % 25 == 0:
            page.ask("document.getElementById('reset-all').click()")
    took = time.monotonic() - begin
    (heap, whole), (heap_end, whole_end) = marks
    problems = []
    if heap_end > heap * 1.1 + 2:
        problems.append("the page's heap grows")
    if whole_end > whole * 1.25 + 32:
        problems.append("the browser's processes grow")
    problems += page.complaints()
    page.report("moves", problems, f"{count} in {took:.0f} s; from a quarter to the end: heap "
                f"{heap:.1f} → {heap_end:.1f} MB, processes {whole:.0f} → {whole_end:.0f} MB")


def look_at_halts(page, folder):
    """The page with something changed, where it must not go on."""
    text = page.path.read_text(encoding="utf-8")

    def other(old, new):
        if not re.search(old, text):
            raise SystemExit(f"what-if: error: expected {old} in the page")
        path = folder / "other.html"
        path.write_text(re.sub(old, lambda _: new, text, count=1), encoding="utf-8")
        return path.as_uri()

    cases = [
        ("another fingerprint", r'"fingerprints":\s*\["[0-9a-f]{16}"',
         '"fingerprints":["0123456789abcdef"', "does not compute"),
        ("no WebAssembly", r" (?:'|&#39;)wasm-unsafe-eval(?:'|&#39;)", "", "cannot simulate"),
        ("no workers", r"worker-src blob:", "worker-src 'none'", "cannot simulate"),
    ]
    problems = []
    for name, old, new, wanted in cases:
        page.open(address=other(old, new))
        if page.until(f"{TEXT % 'note'}.includes({wanted!r})", 20) is None:
            problems.append(f"{name}: the note says “{page.text('note')}”")
        if not page.ask("document.getElementById('fields').disabled"):
            problems.append(f"{name}: the controls take moves")
        if not page.ask("document.querySelectorAll('#headline td, #budgets td').length"):
            problems.append(f"{name}: the base's numbers are not there")
        page.shoot("halt-" + name.replace(" ", "-"), 1280)
    page.browser.call("Emulation.setScriptExecutionDisabled", value=True)
    page.browser.navigate(page.address)
    page.browser.call("Emulation.setScriptExecutionDisabled", value=False)
    if not page.ask("document.querySelector('noscript p')?.checkVisibility()"):
        problems.append("without scripts nothing says so")
    page.report("halts", problems, f"{len(cases) + 1} cases")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("Usage: "))
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--firstframe")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--axe", type=Path)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--addresses", type=int, default=10000)
    parser.add_argument("page", type=Path)
    try:
        options = parser.parse_args()
    except SystemExit as end:
        return 64 if end.code else 0
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    axe = options.axe.read_text(encoding="utf-8") if options.axe else None
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=LISTEN)
        page = Page(browser, options.page, options.pictures)
        print(f"what-if: {options.page}, {options.page.stat().st_size / MEGABYTE:.2f} MB, "
              f"{os.cpu_count()} processors", flush=True)
        if look_at_start(page):
            times = look_at_keyboard(page)
            page.report("policy", page.complaints())
            if options.start:
                return 1 if page.failures else 0
            end = look_at_answer(page, *times)
            if options.firstframe:
                look_at_native(page, options.firstframe)
            look_at_map(page, end)
            look_at_viewer(page, end)
            look_at_names(page, end, axe)
            look_at_screens(page, end)
            look_at_addresses(page, options.addresses)
            look_at_moves(page, options.moves)
        look_at_halts(page, Path(folder))
    return 1 if page.failures else 0


if __name__ == "__main__":
    sys.exit(main())
