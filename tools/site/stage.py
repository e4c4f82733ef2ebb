#!/usr/bin/env python3
"""Lays out the pages for the site's generator, and looks at what it has built.

Usage: stage.py lay FOLDER     pages under FOLDER/pages, in the places that their links expect, and
                               FOLDER/mkdocs.yml with the list of pages
       stage.py check FOLDER   every link of every page of FOLDER/site has its file and its place,
                               and no page loads anything from elsewhere

A folder that a page links to and that has no page of its own gets a list of its files. A link to
a file that belongs to no site (source code) leads to its place in the repository, as text.
Exit code: 0, 1 when something is found, 64 for wrong arguments. Standard library only.
"""

import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
TAKEN = ["README.md", "LICENSES.md", "docs", "results/README.md", "results/answers", "scenarios",
         "results/calibration", "results/baselines", "notebooks-exported",
         "Tests/Reference/README.md"]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Where pages stand in the list at the side, and under which name.
PLACES = [
    ("Tutorials", "docs/tutorials"), ("How to", "docs/how-to"), ("Reference", "docs/reference"),
    ("Explanation", "docs/explanation"), ("Decisions", "docs/decisions")]
MORE = ["docs/README.md", "docs/ARCHITECTURE.md", "docs/CONTRIBUTING.md", "docs/CHANGELOG.md",
        "docs/audit.md", "docs/field-data.md", "docs/browser-truth.md", "LICENSES.md"]


def lay(folder):
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    for name in TAKEN:
        source, target = ROOT / name, pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    listed = set()
    for page in sorted(pages.rglob("*.md")):
        rewrite(page, pages, listed)
    unlink(pages / "docs/play/index.html")
    for place in sorted(listed):
        name = place.relative_to(pages).as_posix()
        files = sorted(file.name for file in place.iterdir() if file.is_file())
        rows = [f"- [{file}]({file})" for file in files]
        (place / "README.md").write_text("\n".join([f"# {name}", "", *rows, ""]), encoding="utf-8")
    shutil.copy(ROOT / "tools/site/wide.css", pages / "wide.css")
    lines = [f"INHERIT: {ROOT}/tools/site/mkdocs.yml", f"docs_dir: {pages}",
             f"site_dir: {folder}/site", "nav:", "  - FirstFrame: README.md"]
    for title, place in PLACES:
        lines.append(f"  - {title}:")
        # In the order in which the folder's own page names them, and what it does not behind.
        own = (pages / place / "README.md").read_text(encoding="utf-8")
        names = sorted(page.name for page in (pages / place).glob("*.md"))
        names.sort(key=lambda name: (name != "README.md", own.find(f"({name}") % len(own)))
        lines += [f"      - {place}/{name}" for name in names]
    lines.append("  - More:")
    lines += [f"      - {name}" for name in MORE]
    (folder / "mkdocs.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def unlink(page):
    """Of the playground's front page, links to pages that `make play` has not made become text."""
    def link(found):
        return found[0] if (page.parent / found[1]).exists() else f"{found[2]} (not made)"

    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r'<a href="([^"]+)">([^<]*)</a>', link, text), encoding="utf-8")


def rewrite(page, pages, listed):
    """Links to folders lead to their page, links to what is not taken become text."""
    def target_of(found):
        mark, text, target = found.groups()
        path, _, heading = target.partition("#")
        if not path or urlsplit(target).scheme:
            return found[0]
        where = (page.parent / path).resolve()
        if where.is_dir():
            if not (where / "README.md").exists():
                listed.add(where)
            return f"{mark}[{text}]({path.rstrip('/')}/README.md)"
        # What is nowhere stays, for the generator to complain of.
        outside = ROOT / where.relative_to(pages) if where.is_relative_to(pages) else where
        return text if outside.exists() and not where.exists() else found[0]

    lines, fence = [], None
    for line in page.read_text(encoding="utf-8").split("\n"):
        opening = re.match(r"^\s*(```+)", line)
        if fence:
            fence = None if line.strip() == fence else fence
        elif opening:
            fence = opening[1]
        else:
            line = LINK.sub(target_of, line)
        lines.append(line)
    page.write_text("\n".join(lines), encoding="utf-8")


class Page(HTMLParser):
    """Links and places of a page, and what it loads by itself."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name in ("id", "name"):
            if values.get(name):
                self.places.add(values[name])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img", "source", "iframe", "video", "object") and values.get("src"):
            self.loads.append(values["src"])
        if tag == "link" and "canonical" not in (values.get("rel") or "") and values.get("href"):
            self.loads.append(values["href"])


def check(folder):
    site, pages, found, count = folder / "site", {}, [], 0
    for path in sorted(site.rglob("*.html")):
        if "notebooks-exported" not in path.parts:
            pages[path.resolve()] = Page(path)
    for path, page in pages.items():
        name = path.relative_to(site.resolve()).as_posix()
        # Its links are written for any place of the site.
        if name == "404.html":
            continue
        found += [f"{name}: error: loads {target}" for target in page.loads
                  if urlsplit(target).scheme not in ("", "data") or target.startswith("//")]
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            where = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if where.is_dir():
                where /= "index.html"
            if not where.exists():
                found.append(f"{name}: error: expected a file, got {target}")
            elif parts.fragment and where in pages:
                if unquote(parts.fragment) not in pages[where].places:
                    found.append(f"{name}: error: expected a place of the page, got {target}")
    for line in found:
        print(line, file=sys.stderr)
    print(f"site: {len(pages)} pages, {count} links, {len(found)} errors")
    return 1 if found or not pages else 0


def main():
    verbs = {"lay": lay, "check": check}
    if len(sys.argv) != 3 or sys.argv[1] not in verbs:
        print("stage: error: expected lay FOLDER or check FOLDER", file=sys.stderr)
        return 64
    return verbs[sys.argv[1]](Path(sys.argv[2]).resolve())


if __name__ == "__main__":
    sys.exit(main())
