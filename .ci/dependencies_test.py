#!/usr/bin/env python3
"""Each kind of untruth in the list of dependencies is found, in a build that is made up."""

import contextlib
import importlib.util
import io
import json
import tempfile
import unittest
from pathlib import Path

spec = importlib.util.spec_from_file_location(
    "dependencies", Path(__file__).resolve().parent / "dependencies.py")
dependencies = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dependencies)

MANIFEST = 'bounded("https://example.invalid/a/Yams", "6.2.2"),\n'
HEAD = "# D\n\n## Swift packages\n\n| package | version | licence | in | why |\n|---|---|---|---|---|\n"
GOOD = ["| `yams` | 6.2.2 to 6.3 | MIT | firstframe, firstframe-live | scenarios |",
        "| `swift-nio` | 2 | Apache-2.0 | firstframe-live | sockets |"]


class DependenciesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.scratch = self.root / ".build/tests"
        self.package("yams", "Yams", "6.2.4", "The MIT License (MIT)", "Yams")
        self.package("swift-nio", "swift-nio", "2.101.2", "Apache License\nVersion 2.0", "NIO")
        self.state()
        self.link("firstframe", ["Yams", "Own"])
        self.link("firstframe-live", ["Yams", "NIO", "Own"])
        (self.root / "Package.swift").write_text(MANIFEST)
        self.page = self.root / "docs/reference/dependencies.md"
        self.page.parent.mkdir(parents=True)
        dependencies.ROOT, dependencies.PAGE = self.root, self.page

    def package(self, name, folder, version, licence, module):
        where = self.scratch / "checkouts" / folder
        (where / "Sources" / module).mkdir(parents=True, exist_ok=True)
        (where / "LICENSE.txt").write_text(licence)
        self.__dict__.setdefault("found", []).append({
            "packageRef": {"identity": name, "location": f"https://example.invalid/{folder}"},
            "state": {"checkoutState": {"version": version, "revision": "0" * 40}},
            "subpath": folder})

    def state(self):
        (self.scratch / "workspace-state.json").write_text(
            json.dumps({"object": {"dependencies": self.found}}))

    def link(self, program, modules):
        folder = self.scratch / f"x/release/{program}.product"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Objects.LinkFileList").write_text(
            "".join(f"/b/x/release/{module}.build/a.o\n" for module in modules))

    def check(self, rows):
        self.page.write_text(HEAD + "\n".join(rows) + "\n")
        told = io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            code = dependencies.check(self.scratch)
        return code, told.getvalue()

    def test_the_truth_is_no_error(self):
        self.assertEqual(self.check(GOOD), (0, ""))

    def test_each_untruth_is_one(self):
        for rows, word in [
            (GOOD[:1], "expected a row for swift-nio 2.101.2"),
            ([*GOOD, "| `gone` | 1 | MIT | none | who knows |"], "expected a package that is fetched"),
            ([GOOD[0].replace("6.3 ", "6.4 "), GOOD[1]], "expected the range of Package.swift"),
            ([GOOD[0], GOOD[1].replace("| 2 |", "| 3 |")], "expected 2.101.2 within the row's, got 3"),
            ([GOOD[0], GOOD[1].replace("Apache-2.0", "MIT")], "expected the licence Apache-2.0"),
            ([GOOD[0], GOOD[1].replace("firstframe-live", "none")], "expected in firstframe-live"),
            ([GOOD[0], GOOD[1].replace("sockets", "")], "expected why it is there"),
        ]:
            code, told = self.check(rows)
            self.assertEqual(code, 1, word)
            self.assertIn(word, told)
            self.assertEqual(told.count("\n"), 1, told)

    def test_a_version_that_has_left_its_range(self):
        self.found[0]["state"]["checkoutState"]["version"] = "6.3.0"
        self.state()
        self.assertIn("expected 6.3.0 within the row's", self.check(GOOD)[1])

    def test_a_bill_names_what_is_linked_and_is_the_same_twice(self):
        artefact, bill = self.root / "a.tar.gz", self.root / "a.spdx.json"
        artefact.write_bytes(b"program")
        options = type("Options", (), {
            "scratch": self.scratch, "artefact": artefact, "version": "1", "commit": "c",
            "created": 0, "gsl": "2.7", "swift": "6.3", "output": bill})
        texts = []
        for _ in range(2):
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(dependencies.sbom(options), 0)
            texts.append(bill.read_text())
        self.assertEqual(texts[0], texts[1])
        links = {(one["spdxElementId"], one["relatedSpdxElement"])
                 for one in json.loads(texts[0])["relationships"]
                 if one["relationshipType"] == "STATIC_LINK"}
        self.assertIn(("SPDXRef-firstframe-live", "SPDXRef-swift-nio"), links)
        self.assertNotIn(("SPDXRef-firstframe", "SPDXRef-swift-nio"), links)

    def test_a_licence_that_nobody_knows_makes_no_bill(self):
        (self.scratch / "checkouts/Yams/LICENSE.txt").write_text("All rights reserved.")
        artefact = self.root / "a.tar.gz"
        artefact.write_bytes(b"program")
        options = type("Options", (), {
            "scratch": self.scratch, "artefact": artefact, "version": "1", "commit": "c",
            "created": 0, "gsl": "2.7", "swift": "6.3", "output": self.root / "a.spdx.json"})
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(dependencies.sbom(options), 1)
        self.assertFalse((self.root / "a.spdx.json").exists())


if __name__ == "__main__":
    unittest.main()
