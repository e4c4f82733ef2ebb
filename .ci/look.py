#!/usr/bin/env python3
"""Opens reports in headless Chromium and looks at them.

Usage: look.py FOLDER REPORT...
Asserts for each report: no console message, no request but for the file itself, every section
present with contents, nothing wider than the screen at 360 px, text inside its chart and of 10
pixels at least, labels of a chart apart from each other. Writes screenshots at 360 and 1280 px, by
day and by night, and a PDF into FOLDER. Needs Chromium (Debian: chromium).
"""

import json
import sys
from pathlib import Path

from chromium import Browser

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


def look(browser, report, folder):
    complaints = []
    name = report.parent.name + ("" if report.stem == "report" else f"-{report.stem}")
    address = report.resolve().as_uri()
    for width, scheme in [(360, "light"), (1280, "light"), (1280, "dark")]:
        browser.screen(width, scheme)
        browser.navigate(address)
        check = CHECK.replace("SECTIONS", json.dumps(SECTIONS)).replace("WIDTH", str(width))
        check = check.replace("OTHERS", json.dumps(WORLD_SECTIONS))
        complaints += [f"{width} px: {text}" for text in browser.evaluate(check)]
        complaints += [f"console: {text}" for text in browser.messages()]
        for event in browser.events:
            if event.get("method") == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if url != address:
                    complaints.append(f"request: {url}")
        browser.shoot(folder / f"{name}-{width}-{scheme}.png", width)
    (folder / f"{name}.pdf").write_bytes(browser.pdf())
    return complaints


def main():
    if len(sys.argv) < 3:
        raise SystemExit("usage: look.py FOLDER REPORT...")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    with Browser() as browser:
        for name in sys.argv[2:]:
            complaints = look(browser, Path(name), folder)
            for text in complaints:
                print(f"look: {name}: {text}")
            failed = failed or bool(complaints)
            print(f"look: {name}: {len(complaints)} complaints")
    raise SystemExit(1 if failed else 0)


main()
