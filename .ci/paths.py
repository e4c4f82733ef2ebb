#!/usr/bin/env python3
"""Does what three readers of the documents do, from a machine that has nothing to a result of their
own, and times it.

Usage: paths.py PACKAGES ROOTS

Each reader has a copy of a bare root of ROOTS and one package of PACKAGES, and types what the pages
say, block after block: how to install it (docs/how-to/install.md, the reader's section), the first
steps there, then a tutorial in an empty folder. Blocks that need a package (`<!-- not run: … make
package-test -->`) are run, too. What is printed is compared with what is shown, as .ci/pages.py
does. From the moment when the package is there

  first verdict   the first steps have to be done within two minutes
  own scenario    the whole tutorial, which ends with a scenario of the reader's, within ten

The times are those of typing nothing and reading nothing. Exit code: 0, 1 when something is found
or takes longer, 64 for wrong arguments. Needs root, and the standard library only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import pages  # noqa: E402

INSTALL = pages.ROOT / "docs/how-to/install.md"
TUTORIALS = pages.ROOT / "docs/tutorials"
VERDICT, OWN = 120, 600  # seconds
MARK = "make package-test"
# Who reads, the section of the install page, the bare root, the files, and the tutorial.
READERS = [
    ("an engineer", "A tarball", "minimal", "firstframe-*.tar.gz", "tune-a-feed.md"),
    ("who keeps a build green", "A Python wheel", "python", "firstframe-*.whl",
     "gate-a-pull-request.md"),
    ("a planner", "A Debian package", "minimal", "firstframe_*.deb", "plan-an-audience.md"),
]
# Nothing of this machine but its kernel and /proc; the prompt stands in the reader's folder.
ENTER = ('mount -t proc proc "$0/proc" && '
         'exec chroot "$0" bash -c "cd ~/download && exec bash --noprofile --norc"')
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
    "LC_ALL": "C.UTF-8", "TERM": "dumb"}


class Reader(pages.Runner):
    """Runs blocks in a root, those that need a package among them."""

    def __init__(self, root):
        super().__init__(program=None, write=False, slow=False)
        self.shell = pages.Shell(
            ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, str(root)],
            {**ENVIRONMENT, "PATH": f"{os.environ['PATH']}:{ENVIRONMENT['PATH']}"})
        self.shell.run(f"export PATH={ENVIRONMENT['PATH']}")

    def runs(self, block):
        return MARK in block.reason[1]

    def read(self, page, folder, section=None):
        """Does what a page, or a section of it, says; `folder` is where its files are."""
        blocks = blocks_within(page.read_text(encoding="utf-8"), section)
        if not blocks:
            self.complain(page, 1, f"expected blocks under '{section or page.name}', got none")
        for block in blocks:
            self.block(page, block, self.shell, folder)


def blocks_within(text, section=None):
    """The blocks of a page, or of its section with this heading."""
    lines = text.split("\n")
    first, last = 0, len(lines)
    if section is not None:
        heading = f"## {section}"
        first = lines.index(heading) if heading in lines else last
        last = next((at for at in range(first + 1, last) if lines[at].startswith("## ")), last)
    return [block for block in pages.blocks_of(text) if first < block.line <= last]


def late(who, verdict, own):
    """What took longer than it may, in seconds since the package was there."""
    return [
        f"{who}: expected the {name} within {limit} s, got it after {took:.1f} s"
        for name, took, limit in [("first verdict", verdict, VERDICT), ("own scenario", own, OWN)]
        if took >= limit]


def follow(packages, roots, who, section, root_name, pattern, tutorial):
    """Follows one path; the findings, and a line that tells the times."""
    files = sorted(packages.glob(pattern))
    if len(files) != 1:
        return [f"expected one file {pattern} in {packages}, got {len(files)}"], ""
    with tempfile.TemporaryDirectory(prefix="paths-") as temporary:
        root = Path(temporary) / "root"
        subprocess.run(["cp", "-a", roots / root_name, root], check=True)
        home = root / ENVIRONMENT["HOME"].lstrip("/")
        download, feed = home / "download", home / "feed"
        download.mkdir()
        feed.mkdir()
        shutil.copy(files[0], download)
        reader, begin, times = Reader(root), time.monotonic(), []
        try:
            for page, folder, part in [
                    (INSTALL, download, section), (INSTALL, download, "First steps"),
                    (TUTORIALS / tutorial, feed, None)]:
                if folder is feed:
                    reader.shell.run("cd ~/feed")
                reader.read(page, folder, part)
                times.append(time.monotonic() - begin)
        except EOFError:
            return reader.findings, ""
        finally:
            reader.shell.close()
        installed, verdict, own = times
        return reader.findings + late(who, verdict, own), (
            f"{who}, {section}, {tutorial}: {reader.commands} commands; installed after "
            f"{installed:.1f} s, first verdict after {verdict:.1f} s (limit {VERDICT}), own "
            f"scenario after {own:.1f} s (limit {OWN})")


def main():
    if len(sys.argv) != 3:
        print("paths: error: expected PACKAGES ROOTS, got " + " ".join(sys.argv[1:]),
              file=sys.stderr)
        return 64
    packages, roots = (Path(word).resolve() for word in sys.argv[1:])
    failed = False
    for reader in READERS:
        findings, line = follow(packages, roots, *reader)
        for text in findings:
            print(f"paths: {text}", file=sys.stderr)
        if line:
            print(f"paths: {line}", flush=True)
        failed = failed or bool(findings)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
