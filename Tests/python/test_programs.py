"""Tests of the package alone, with a program of two lines in place of the real one.

python3 -m unittest discover -s Tests/python -p test_programs.py
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "Sources" / "python" / "src" / "firstframe"
STAND_IN = '#!/bin/sh\necho "$0 $*"\nexit 12\n'


class ProgramsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.package = self.folder / "firstframe"
        shutil.copytree(SOURCE, self.package, ignore=shutil.ignore_patterns("bin", "__pycache__"))
        # What pip writes, so that the package has a version.
        about = self.folder / "firstframe-9.9.9.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: firstframe\nVersion: 9.9.9\n")

    def carry(self, name: str, mode: int = 0o755) -> None:
        (self.package / "bin").mkdir(exist_ok=True)
        path = self.package / "bin" / name
        path.write_text(STAND_IN)
        path.chmod(mode)

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments],
            check=False,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )

    def test_the_program_gets_all_arguments_and_its_exit_code_is_ours(self) -> None:
        self.carry("firstframe")
        done = self.python("-m", "firstframe", "run", "a file.yaml", "--short")
        self.assertEqual(done.returncode, 12, done.stderr)
        self.assertTrue(done.stdout.endswith("run a file.yaml --short\n"), done.stdout)

    def test_the_live_program_is_the_other_one(self) -> None:
        self.carry("firstframe-live")
        code = "import firstframe.__main__ as m; m.firstframe_live()"
        done = self.python("-c", code, "edge")
        self.assertEqual(done.returncode, 12, done.stderr)
        self.assertTrue(done.stdout.split()[0].endswith("firstframe-live"), done.stdout)

    def test_without_a_program_one_line_says_so(self) -> None:
        done = self.python("-m", "firstframe")
        self.assertEqual(done.returncode, 69)
        self.assertRegex(done.stderr, r"^firstframe: expected the program firstframe in .*\n$")
        self.assertEqual(done.stdout, "")

    def test_a_file_that_may_not_be_executed_is_no_program(self) -> None:
        self.carry("firstframe", mode=0o644)
        self.assertEqual(self.python("-m", "firstframe").returncode, 69)

    def test_the_path_of_the_program_and_the_version_are_told(self) -> None:
        self.carry("firstframe")
        done = self.python("-c", "import firstframe as f; print(f.__version__, f.program())")
        version, path = done.stdout.split()
        self.assertEqual(version, "9.9.9")
        self.assertEqual(Path(path), (self.package / "bin" / "firstframe").resolve())


if __name__ == "__main__":
    unittest.main()
