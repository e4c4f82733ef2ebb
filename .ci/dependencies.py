#!/usr/bin/env python3
"""Holds docs/reference/dependencies.md to what is fetched and linked, and writes bills of material.

Usage: .ci/dependencies.py check [--scratch FOLDER]
       .ci/dependencies.py sbom --scratch FOLDER --artefact FILE --version VERSION --commit COMMIT
                                --created SECONDS [--gsl VERSION] [--swift VERSION] --output FILE

check reads the Swift packages that a build in FOLDER (.build/tests) has resolved: each is a row of
the table and each row is one of them, its version is within the row's, its licence is the row's by
the text of its own, and the programs that it is linked into are those named. What Package.swift
asks for itself stands with its range; of what that brings along the major version is held.

sbom writes an SPDX 2.3 document of one artefact: the programs, and what is linked into them, with
the versions and commits of the build in FOLDER. Equal inputs give equal bytes.

Exit codes: 0, 1 (the table is wrong), 64 (usage), 66 (nothing was built there).
"""

import argparse
import datetime
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/dependencies.md"
PROGRAMS = ("firstframe", "firstframe-live")
# Modules that do not have the name of their folder.
ELSEWHERE = {"SystemPackage": "swift-system"}
LICENCES = {
    "Apache-2.0": r"Apache License\s+Version 2\.0",
    "MIT": r"The MIT License|MIT License",
}


class Package:
    def __init__(self, found, folder):
        state = found["state"]["checkoutState"]
        self.name = found["packageRef"]["identity"]
        self.url = found["packageRef"]["location"]
        self.version, self.revision = state.get("version"), state["revision"]
        self.folder = folder / "checkouts" / found["subpath"]

    def licence(self):
        """The identifier of SPDX whose text its licence file has; None: it is another."""
        for file in sorted(self.folder.glob("LICENSE*")):
            text = file.read_text(encoding="utf-8", errors="replace")
            for name, pattern in LICENCES.items():
                if re.search(pattern, text):
                    return name
        return None

    def modules(self):
        sources = self.folder / "Sources"
        return {one.name for one in sources.iterdir() if one.is_dir()} if sources.is_dir() else set()


def resolved(scratch):
    state = scratch / "workspace-state.json"
    if not state.exists():
        print(f"dependencies: error: expected a build in {scratch}, got none", file=sys.stderr)
        sys.exit(66)
    found = json.loads(state.read_text(encoding="utf-8"))["object"]["dependencies"]
    return [Package(one, scratch) for one in found]


def linked(scratch, packages):
    """Package to the programs that have objects of it, as the linker was told."""
    owner = {module: package.name for package in packages for module in package.modules()}
    owner.update(ELSEWHERE)
    programs = {package.name: [] for package in packages}
    for program in PROGRAMS:
        lists = sorted(scratch.glob(f"*/release/{program}.product/Objects.LinkFileList"))
        if not lists:
            print(f"dependencies: error: expected a build of {program} in {scratch}, got none",
                  file=sys.stderr)
            sys.exit(66)
        modules = set(re.findall(r"/release/([^/\s]+)\.build/", lists[0].read_text(encoding="utf-8")))
        for name in sorted({owner[module] for module in modules if module in owner}):
            programs[name].append(program)
    return programs


def rows():
    """The table of Swift packages: name to its line's number and cells."""
    found, inside = {}, False
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            inside = line == "## Swift packages"
        cells = [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        if inside and len(cells) == 5 and not set(cells[0]) <= {"-", ":"} and cells[0] != "package":
            found[cells[0]] = (number, cells)
    return found


def asked_for():
    """What Package.swift asks for itself: package to the first version of its range."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    asked = re.findall(r'bounded\(\s*"[^"]*/([^"/]+)",\s*"([\d.]+)"', text)
    every = re.findall(r"\.package\(\s*url: (?!url,)", text)
    if every:
        print("dependencies: error: Package.swift: expected each package by bounded(…), got another",
              file=sys.stderr)
        sys.exit(1)
    return {name.lower(): version for name, version in asked}


def within(version, stated):
    """Whether a version is in `2.101.2 to 2.102`, its end excluded, or in `1`."""
    def numbers(text):
        return tuple(int(part) for part in text.split("."))
    if version is None or not re.fullmatch(r"\d+(\.\d+)*", version):
        return False
    if " to " in stated:
        first, end = stated.split(" to ")
        return numbers(first) <= numbers(version) < numbers(end)
    return numbers(version)[:len(numbers(stated))] == numbers(stated)


def check(scratch):
    packages, table, asked = resolved(scratch), rows(), asked_for()
    programs, problems = linked(scratch, packages), []
    page = PAGE.relative_to(ROOT)
    for name in sorted(set(table) - {package.name for package in packages}):
        problems.append(f"{page}:{table[name][0]}: {name}: expected a package that is fetched")
    for package in packages:
        if package.name not in table:
            problems.append(f"{page}: expected a row for {package.name} {package.version}")
            continue
        number, (_, version, licence, into, why) = table[package.name]
        where = f"{page}:{number}: {package.name}"
        if package.name in asked:
            first = asked[package.name]
            major, minor = first.split(".")[:2]
            if version != f"{first} to {major}.{int(minor) + 1}":
                problems.append(f"{where}: expected the range of Package.swift, {first} to "
                                f"{major}.{int(minor) + 1}, got {version}")
        if not within(package.version, version):
            problems.append(f"{where}: expected {package.version} within the row's, got {version}")
        if package.licence() != licence:
            problems.append(f"{where}: expected the licence {package.licence()}, got {licence}")
        if into != (", ".join(programs[package.name]) or "none"):
            problems.append(f"{where}: expected in {', '.join(programs[package.name]) or 'none'}, "
                            f"got {into}")
        if not why:
            problems.append(f"{where}: expected why it is there, got nothing")
    for line in problems:
        print(line, file=sys.stderr)
    print(f"dependencies: {len(packages)} Swift packages, {len(problems)} errors")
    return 1 if problems else 0


def spdx_package(name, version, licence, *, url=None, revision=None, digest=None):
    told = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": f"git+{url}@{revision}" if url else "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if digest:
        told["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    return told


def sbom(options):
    scratch = Path(options.scratch)
    packages = resolved(scratch)
    programs = linked(scratch, packages)
    artefact = Path(options.artefact)
    digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
    own = [spdx_package(artefact.name, options.version, "GPL-3.0-or-later", digest=digest)]
    for program in PROGRAMS:
        own.append(spdx_package(program, f"{options.version}+{options.commit}", "GPL-3.0-or-later"))
    others = [
        spdx_package("gsl", options.gsl, "GPL-3.0-or-later"),
        spdx_package("swift", options.swift, "Apache-2.0 WITH Swift-exception"),
        spdx_package("libstdc++", "NOASSERTION", "GPL-3.0-only WITH GCC-exception-3.1"),
    ]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own[0])]
    relations += [(own[0]["SPDXID"], "CONTAINS", program) for program in own[1:]]
    relations += [(program["SPDXID"], "STATIC_LINK", other) for program in own[1:] for other in others]
    for package in packages:
        if not programs[package.name]:
            continue
        licence = package.licence()
        if licence is None:
            print(f"dependencies: error: {package.name}: expected a licence that is known, got none",
                  file=sys.stderr)
            return 1
        told = spdx_package(package.name, package.version, licence, url=package.url,
                            revision=package.revision)
        others.append(told)
        relations += [(f"SPDXRef-{program}", "STATIC_LINK", told) for program in programs[package.name]]
    created = datetime.datetime.fromtimestamp(options.created, datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": artefact.name,
        "documentNamespace": f"https://firstframe.invalid/spdx/{artefact.name}/{digest}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: firstframe-package-{options.version}"],
        },
        "packages": own + others,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
            for one, kind, other in relations
        ],
    }
    output = Path(options.output)
    new = output.with_name(output.name + ".new")
    new.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    new.rename(output)
    print(f"dependencies: {output}: {len(document['packages'])} packages")
    return 0


class Usage(argparse.ArgumentParser):
    def error(self, message):
        print(f"dependencies: error: {message}", file=sys.stderr)
        sys.exit(64)


def main():
    parser = Usage(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("check")
    one.add_argument("--scratch", default=str(ROOT / ".build/tests"))
    two = verbs.add_parser("sbom")
    for name in ("scratch", "artefact", "version", "commit", "output"):
        two.add_argument(f"--{name}", required=True)
    two.add_argument("--created", type=int, required=True)
    two.add_argument("--gsl", default="NOASSERTION")
    two.add_argument("--swift", default="NOASSERTION")
    options = parser.parse_args()
    if options.verb == "check":
        return check(Path(options.scratch))
    return sbom(options)


if __name__ == "__main__":
    sys.exit(main())
