#!/usr/bin/env python3
"""Whether .ci/pages.py and .ci/paths.py notice what they are there for. Standard library only."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import pages  # noqa: E402
import paths  # noqa: E402

PROGRAM = """#!/bin/sh
case "$1" in
  fail) echo "no such thing"; exit 3 ;;
  slow) echo "progress: 3 of 8"; echo done ;;
  cat) cat "$2" ;;
  *) printf 'value  12.5 ms\\nsecond line\\nthird line\\n' ;;
esac
"""


class PagesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.program = self.root / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.page = self.root / "report.md"

    def run_page(self, text, *options):
        """Exit code and all that is printed."""
        self.page.write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = pages.run(["--firstframe", str(self.program), *options, str(self.page)])
        return code, printed.getvalue()

    def console(self, *lines, before=""):
        return "\n".join([before, "```console", *lines, "```", ""])

    def assert_passes(self, text, *options):
        code, printed = self.run_page(text, *options)
        self.assertEqual(code, 0, printed)
        return printed

    def assert_fails(self, text, part):
        code, printed = self.run_page(text)
        self.assertEqual(code, 1, printed)
        self.assertIn(part, printed)

    def test_what_is_printed_passes(self):
        self.assert_passes(self.console(
            "$ firstframe run", "value  12.5 ms", "second line", "third line"))
        self.assert_passes(self.console("$ firstframe run", "…", "third line"))
        self.assert_passes(self.console("$ firstframe run", "value  … ms", "…"))
        self.assert_passes(self.console("$ firstframe run", "…"))

    def test_a_changed_line_fails_with_its_place(self):
        self.assert_fails(
            self.console("$ firstframe run", "value  12.6 ms", "…"), "report.md:4: error:")
        self.assert_fails(self.console("$ firstframe run", "…", "third lime"), "third line")

    def test_a_line_too_few_or_too_many_fails(self):
        self.assert_fails(
            self.console("$ firstframe run", "value  12.5 ms", "second line"), "third line")
        self.assert_fails(self.console("$ firstframe run", "…", "third line", "x"), "nothing more")
        self.assert_fails(self.console("$ firstframe run"), "nothing more")

    def test_lines_out_of_order_fail(self):
        self.assert_fails(
            self.console("$ firstframe run", "…", "third line", "second line"), "second line")

    def test_a_code_other_than_0_fails_unless_it_is_shown(self):
        self.assert_fails(
            self.console("$ firstframe fail", "no such thing"), "expected exit code 0, got 3")
        self.assert_passes(
            self.console("$ firstframe fail", "no such thing", "$ echo $?", "3"))
        self.assert_fails(
            self.console("$ firstframe fail", "no such thing", "$ echo $?", "4"), "    4")

    def test_a_command_that_hangs_or_ends_the_shell_is_found(self):
        before = pages.PATIENCE
        self.addCleanup(setattr, pages, "PATIENCE", before)
        pages.PATIENCE = 1
        self.assert_fails(self.console("$ sleep 20"), "report.md:3: error: expected an end")
        self.assert_fails(self.console("$ exit 0"), "report.md:3: error: expected an end")

    def test_progress_is_left_out(self):
        self.assert_passes(self.console("$ firstframe slow", "done"))

    def test_a_titled_block_is_a_file(self):
        text = '```yaml title="in/a.yaml"\na: 1\n```\n' + self.console(
            "$ firstframe cat in/a.yaml", "a: 1")
        self.assert_passes(text)
        self.assert_fails('```yaml title="../a.yaml"\na: 1\n```\n', "a file of the folder")

    def test_shipped_scenarios_are_there_and_stay_as_they_are(self):
        path = pages.ROOT / "scenarios/wifi-budget-gate.yaml"
        before = path.read_bytes()
        self.assert_passes(self.console(
            "$ head -c 5 scenarios/wifi-budget-gate.yaml", "# S01",
            "$ rm scenarios/wifi-budget-gate.yaml"))
        self.assertEqual(path.read_bytes(), before)

    def test_commands_in_other_blocks_fail(self):
        self.assert_fails("```\nfirstframe run\n```\n", "expected a block `console`")
        self.assert_fails("```sh\nmake test\n```\n", "expected a block `console`")
        self.assert_fails(self.console("value", "$ firstframe run", "…"), "expected `$ command`")

    def test_what_is_left_out_is_listed_with_its_reason(self):
        block = self.console("$ firstframe fail", before="<!-- not run: it fails -->")
        self.assertIn("not run: it fails", self.assert_passes(block))
        block = self.console("$ firstframe fail", before="<!-- slow: it fails -->")
        self.assertIn("slow: it fails", self.assert_passes(block))
        code, printed = self.run_page(block, "--slow")
        self.assertEqual(code, 1, printed)

    def test_a_remark_is_of_the_next_block_only(self):
        text = self.console("$ firstframe fail", before="<!-- not run: it fails -->")
        self.assert_fails(text + self.console("$ firstframe fail"), "got 3")

    def test_numbers_are_renewed_and_words_are_not(self):
        self.assert_passes(self.console("$ firstframe run", "value  1.25 ms", "…"), "--write")
        self.assertIn("value  12.5 ms\n…", self.page.read_text())
        code, _ = self.run_page(self.console("$ firstframe run", "velue  1.2 ms", "…"), "--write")
        self.assertEqual(code, 1)
        self.assertIn("velue  1.2 ms", self.page.read_text())

    def test_a_line_that_nothing_holds_is_found(self):
        # With 2 in place of 1 it would fit the other line.
        self.assertEqual(pages.blind_lines(["…", "a 1", "…"], ["a 1", "a 2"]), [1])
        self.assertEqual(pages.blind_lines(["a 1", "a 2"], ["a 1", "a 2"]), [])
        self.assert_fails(
            self.console("$ printf 'a 1\\na 2\\n'", "…", "a 1", "…"), "nobody would notice")

    def test_anchors_are_those_of_hosts(self):
        self.assertEqual(pages.anchor("`gate`, and *why*?"), "gate-and-why")
        self.assertEqual(pages.anchor("A [link](glossary.md) here"), "a-link-here")

    def test_first_uses_are_found_where_they_stand(self):
        def use(*lines):
            found = pages.first_use(pages.forms_of("replication"), list(lines))
            return found and (found[0], found[2])
        self.assertEqual(use("many Replications here"), (0, False))
        self.assertEqual(use("# replications", "a [replication](glossary.md)"), (1, True))
        self.assertEqual(use("a *replication* is a run"), (0, True))
        self.assertIsNone(
            use("`replications: 8`", "[runs](glossary.md#replication)", "replicationless"))
        self.assertIsNotNone(pages.forms_of("policy").search("two policies"))
        self.assertIsNone(pages.forms_of("TTL").search("subttl"))

    def test_links_of_these_pages_are_looked_at(self):
        found = pages.prose_of("[a](report.md)\n```\n[c](report.md)\n```\n<!-- [e](report.md) -->")
        self.assertEqual([line.strip() for line in found], ["[a](report.md)", "", "", "", ""])

    def test_what_git_leaves_out_is_known(self):
        left = pages.ROOT / ".build/left-out"
        left.parent.mkdir(exist_ok=True)
        left.touch()
        self.addCleanup(left.unlink)
        self.assertFalse(pages.ignored_by_git().isdisjoint([left, *left.parents]))
        self.assertTrue(pages.ignored_by_git().isdisjoint([pages.ROOT / "README.md", pages.ROOT]))

    def test_wrong_arguments_are_usage(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(pages.run(["--firstframe", str(self.root / "none")]), 64)
            self.assertEqual(pages.run(["--what"]), 64)
            self.assertEqual(pages.run(["--firstframe", str(self.program), "no-such-page"]), 64)

    def test_a_reader_takes_a_section_and_needs_its_package(self):
        text = "\n".join([
            "## A tarball", "<!-- not run: needs a package, tried by make package-test -->",
            "```console", "$ one", "```", "## A wheel", "```console", "$ two", "```"])
        blocks = paths.blocks_within(text, "A tarball")
        self.assertEqual([block.lines for block in blocks], [["$ one"]])
        self.assertEqual(len(paths.blocks_within(text)), 2)
        self.assertEqual(paths.blocks_within(text, "A barrel"), [])
        self.assertTrue(paths.Reader.runs(None, blocks[0]))
        blocks[0].reason = ("not run", "needs files of yours")
        self.assertFalse(paths.Reader.runs(None, blocks[0]))

    def test_a_reader_may_take_two_minutes_and_ten(self):
        self.assertEqual(paths.late("a reader", 119.9, 599.9), [])
        self.assertIn("first verdict within 120 s", paths.late("a reader", 120, 300)[0])
        self.assertIn("own scenario within 600 s", paths.late("a reader", 5, 600)[0])

    def test_the_sections_that_readers_take_are_there(self):
        install = paths.INSTALL.read_text(encoding="utf-8")
        for _, section, _, _, tutorial in paths.READERS:
            blocks = paths.blocks_within(install, section)
            self.assertTrue(blocks and all(paths.MARK in block.reason[1] for block in blocks))
            self.assertTrue((paths.TUTORIALS / tutorial).is_file())
        self.assertTrue(paths.blocks_within(install, "First steps"))


if __name__ == "__main__":
    unittest.main()
