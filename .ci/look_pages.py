#!/usr/bin/env python3
"""Looks at pages in headless Chromium as people with and without eyes, mice, styles and paper do.

Usage: look_pages.py --axe AXE.JS --seeded PAGE.HTML FOLDER NAME=PAGE.HTML…

Of each page, at 1280 and 390 pixels, by day and by night:
  axe       axe-core finds nothing serious or critical
  wide      the page is no wider than the screen
  console   the console says nothing, and only the page itself is asked for
Once each:
  keyboard  Tab reaches every link, control and box that scrolls, at both widths; the focus shows
  static    no script, no attribute that is one, no style attribute
  headers   under the headers that Jenkins gives by default to what a job leaves: all of the text is
            there, charts keep what is filled and drawn, and the console objects to the style sheet
            alone
  paper     it prints; no box cuts its contents, and every text of the page is in the PDF, inside
            of its paper
FOLDER gets pictures of all four, one without the style sheet, and the PDF. The seeded page has each
fault on purpose, and each has to be found: a check that finds nothing there is itself an error.

Exit code: 0, 1 when something is found, 64 for wrong arguments. Needs Chromium and pypdf.
"""

import contextlib
import html.parser
import http.server
import io
import re
import sys
import threading
import unicodedata
from pathlib import Path

import pypdf

from chromium import Browser

SCREENS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]
# Of Jenkins, for files of a job's workspace and its artefacts (DirectoryBrowserSupport.CSP).
POLICY = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"
PAPER = {"paperWidth": 8.27, "paperHeight": 11.69}  # A4, in inches
BETWEEN_MARGINS = 703  # pixels of A4 between the margins of the style sheet, 12 mm each
IN_PAGE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

# What the seeded page has, as kind of check and a part of the complaint.
SEEDED = [
    ("axe", "image-alt"), ("axe", "color-contrast"), ("axe", "label"), ("axe", "html-has-lang"),
    ("axe", "color-contrast 2.32: <text#pale>"),
    ("wide", "<div#wide>"), ("console", "seeded"), ("keyboard", "never reached: <a#unreachable>"),
    ("keyboard", "no outline shows the focus: <a#unmarked>"),
    ("keyboard", "out of sight or covered with the focus: <a#covered>"),
    ("static", "style="), ("static", "<script>"), ("static", "onclick="),
    ("headers", "textwrittenbyascript"), ("headers", "fill is black"),
    ("headers", "inline style"), ("paper", "<div#cut>"), ("paper", "notprinted")]


def squashed(text):
    """A text without blanks, and without ligatures."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


class Source(html.parser.HTMLParser):
    """What a file says by itself: what is no matter of a browser."""

    def __init__(self, text):
        super().__init__()
        self.styles, self.found = 0, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.styles += tag == "style"
        line = self.getpos()[0]
        if tag in ("script", "noscript", "canvas", "iframe", "object", "embed"):
            self.found.append(f"<{tag}> in line {line}")
        for name, value in attributes:
            if name == "style" or name.startswith("on"):
                self.found.append(f"{name}= of <{tag}> in line {line}: {(value or '')[:40]}")
            elif value and value.strip().lower().startswith("javascript:"):
                self.found.append(f"javascript: of <{tag}> in line {line}")


class Handler(http.server.BaseHTTPRequestHandler):
    """Gives every address but the browser's icon the one page, under Jenkins' header."""

    def do_GET(self):
        page = self.server.page if self.path == "/page.html" else b""
        self.send_response(200 if page else 204)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *words):
        pass


@contextlib.contextmanager
def served(page):
    """The address of a page that is served under Jenkins' header."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.page = page
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()


class Look:
    """One page, and what is found about it: kind, text, and where it holds."""

    def __init__(self, browser, axe, folder, name, path):
        self.browser, self.axe, self.folder = browser, axe, folder
        self.name, self.path = name, path
        self.address = path.resolve().as_uri()
        self.found, self.remarks = {}, {}
        self.looked = 0  # texts whose contrast axe has left to us

    def complain(self, kind, text, where=""):
        self.found.setdefault((kind, text), []).append(where)

    def ask(self, call):
        return self.browser.evaluate(f"({IN_PAGE}).{call}")

    def everything(self):
        source = Source(self.path.read_text(encoding="utf-8"))
        for text in source.found:
            self.complain("static", text)
        for width, scheme in SCREENS:
            self.screen(width, scheme)
        for width in (1280, 390):
            self.keyboard(width)
        self.paper()
        self.headers(source.styles)

    def open(self, width, scheme, address=None):
        self.browser.screen(width, scheme)
        self.browser.navigate(address or self.address)

    def screen(self, width, scheme):
        where = f"{width} {scheme}"
        self.open(width, scheme)
        for text in self.browser.messages():
            self.complain("console", text, where)
        for event in self.browser.events:
            if event.get("method") == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if url != self.address and not url.startswith("data:"):
                    self.complain("console", f"a request: {url}", where)
        self.browser.shoot(self.folder / f"{self.name}-{width}-{scheme}.png", width)
        self.ask("unfold()")
        for text in self.ask(f"overflow({width})"):
            self.complain("wide", text, where)
        self.browser.evaluate(self.axe + ";0")
        rules = self.ask("axe()")
        for rule in rules["violations"]:
            self.complain("axe", f"{rule['rule']} ({rule['impact']}), {rule['count']} times, first "
                          f"{rule['first']}: {rule['why']}", where)
        for text in rules["pale"]["found"]:
            self.complain("axe", text, where)
        self.looked += rules["pale"]["count"]
        for form in ("minor", "undecided"):
            for rule in rules[form]:
                text = f"{form}: {rule['rule']} ({rule['impact']}), first {rule['first']}"
                self.remarks.setdefault(text, []).append(where)

    def keyboard(self, width):
        where = f"{width} px"
        self.open(width, "light")
        self.browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.ask("unfold()")
        stops = self.ask("stops()")
        reached = set()
        # Some may be stops that nobody asked for.
        for _ in range(2 * len(stops) + 10):
            for form in ("rawKeyDown", "keyUp"):
                self.browser.call("Input.dispatchKeyEvent", type=form, key="Tab", code="Tab",
                                  windowsVirtualKeyCode=9)
            focus = self.ask("focus()")
            if focus["body"] or focus["number"] in reached:
                break
            reached.add(focus["number"])
            for text in focus["wrong"]:
                self.complain("keyboard", f"{text}: {focus['name']}", where)
        for number, name in enumerate(stops):
            if number not in reached:
                self.complain("keyboard", f"never reached: {name}", where)

    def paper(self):
        self.open(BETWEEN_MARGINS, "light")
        self.browser.screen(BETWEEN_MARGINS, "light", media="print")
        for text in self.ask("cutOnPaper()"):
            self.complain("paper", f"cut: {text}")
        texts = [squashed(text) for text in self.ask("texts()")]
        self.browser.screen(1280, "light")
        document = self.browser.pdf(**PAPER)
        (self.folder / f"{self.name}.pdf").write_bytes(document)
        printed = ""
        pages = pypdf.PdfReader(io.BytesIO(document)).pages
        for number, page in enumerate(pages, 1):
            printed += page.extract_text(visitor_text=self.beside(page, number))
        printed = squashed(printed)
        if not pages or not printed:
            self.complain("paper", "nothing is printed")
        missing = [text for text in texts if text not in printed]
        for text in missing[:5]:
            self.complain("paper", f"not in the PDF: {text[:60]}")
        if len(missing) > 5:
            self.complain("paper", f"and {len(missing) - 5} more of {len(texts)} texts")

    def charts(self, styled, plain):
        """Complains of charts that say something else, or nothing, without the style sheet."""
        lost = {}
        for before, after in zip(styled, plain, strict=True):
            for paint in ("fill", "stroke"):
                if {before[paint], after[paint]} == {"black", "colour"}:
                    change = "black" if after[paint] == "black" else "coloured"
                elif "none" in (before[paint], after[paint]) and before[paint] != after[paint]:
                    change = "none" if after[paint] == "none" else "drawn"
                else:
                    continue
                lost.setdefault((paint, change), []).append(before)
        for (paint, change), shapes in lost.items():
            self.complain("headers", f"{paint} is {change} without the style sheet: {len(shapes)} "
                          f"shapes, first {shapes[0]['shape']} of {shapes[0]['chart']}")

    def beside(self, page, number):
        """Complains of texts that begin beside a page of paper."""
        def visit(text, transform, matrix, font, size):
            x = matrix[4] * transform[0] + matrix[5] * transform[2] + transform[4]
            y = matrix[4] * transform[1] + matrix[5] * transform[3] + transform[5]
            inside = -1 <= x <= page.mediabox.width + 1 and -1 <= y <= page.mediabox.height + 1
            if text.strip() and not inside:
                self.complain("paper", f"beside the paper: {text.strip()[:40]}", f"page {number}")

        return visit

    def headers(self, styles):
        self.open(1280, "light")
        self.ask("unfold()")
        wanted, painted = self.ask("texts()"), self.ask("paints()")
        with served(self.path.read_bytes()) as address:
            self.open(1280, "light", address)
            self.browser.shoot(self.folder / f"{self.name}-1280-unstyled.png", 1280)
            self.ask("unfold()")
            here = set(self.ask("texts()"))
            for text in wanted:
                if text not in here:
                    self.complain("headers", f"not there: {text[:60]}")
            self.charts(painted, self.ask("paints()"))
            said = self.browser.messages()
        objections = [text for text in said if "inline style" in text]
        for text in said:
            if text not in objections:
                self.complain("headers", f"console: {text[:100]}")
        if len(objections) > styles:
            self.complain("headers", f"{len(objections)} objections to inline style, for {styles} "
                          "style sheets")


def main():
    arguments = sys.argv[1:]
    options = {}
    while len(arguments) > 1 and arguments[0] in ("--axe", "--seeded"):
        options[arguments[0]] = Path(arguments[1])
        arguments = arguments[2:]
    if len(options) < 2 or len(arguments) < 2 or not all("=" in word for word in arguments[1:]):
        print("look-pages: error: expected --axe AXE.JS --seeded PAGE FOLDER NAME=PAGE…, got "
              + " ".join(sys.argv[1:]), file=sys.stderr)
        return 64
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    axe = options["--axe"].read_text(encoding="utf-8")
    failed = False
    with Browser() as browser:
        seeded = Look(browser, axe, folder, "seeded", options["--seeded"])
        seeded.everything()
        for kind, part in SEEDED:
            if not any(kind == found and part in text for found, text in seeded.found):
                print(f"look-pages: error: the seeded fault was not found: {kind}: {part}")
                failed = True
        if failed:
            for kind, text in seeded.found:
                print(f"look-pages: seeded: {kind}: {text}")
        print(f"look-pages: {len(SEEDED)} seeded faults looked for", flush=True)
        for word in arguments[1:]:
            name, _, path = word.partition("=")
            look = Look(browser, axe, folder, name, Path(path))
            look.everything()
            for (kind, text), where in look.found.items():
                places = f" [{', '.join(where)}]" if any(where) else ""
                print(f"look-pages: {name}: {kind}: {text}{places}")
            for text, where in look.remarks.items():
                print(f"look-pages: {name}: remark: {text} [{', '.join(where)}]")
            print(f"look-pages: {name}: {len(look.found)} complaints; contrast of {look.looked} "
                  "texts that axe leaves undecided", flush=True)
            failed = failed or bool(look.found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
