#!/usr/bin/env python3
"""Checks the pages that tell a user what to do: README.md and docs/tutorials, how-to, explanation.

Usage: pages.py run [--firstframe PROGRAM] [--slow] [--write] [PAGE...]
       pages.py links
       pages.py terms [--write]

run     executes the command blocks of the pages (by default README.md, the tutorials and the
        how-tos) and compares what is shown with what is printed. A page has a fresh folder, with
        `firstframe` on PATH and a copy of the shipped scenarios in `scenarios`; its blocks run in
        their order, in one shell.
          ```console         lines `$ command`, each followed by what it shows; a command goes on
                             behind a `\\` at the end of a line. A code other than 0 is an error
                             unless the next command is `echo $?`.
          …                  alone on a line: any lines, or none; within a line: any text
          ```yaml title="F"  is written into the file F before the blocks behind it run
          <!-- not run: R --> before a block of commands: it is not run, for the reason R, which
                             the list at the end prints
          <!-- slow: R -->   the same, but with --slow it is
        Lines that are shown must be able to fail: each is changed, number by number, and the
        comparison has to notice. --write puts what was printed in place of lines that differ in
        numbers only.
links   every link of every page has its file, and its heading.
terms   the first use of each term in bold of docs/reference/glossary.md is a link or is explained
        where it stands: *term* or **term**. --write makes links to the glossary.

Exit code: 0, 1 when something is found, 64 for wrong arguments. Standard library only.
"""

import contextlib
import difflib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs/reference/glossary.md"
LIMIT = 180  # seconds of CPU that all commands may take on a machine of its own
PATIENCE = 300  # seconds after which a command counts as hanging
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def pages(*folders):
    """The README and the pages of these folders of docs, by path."""
    found = [ROOT / "README.md"]
    for folder in folders:
        found += sorted((ROOT / "docs" / folder).glob("*.md"))
    return found


def name_of(page):
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.as_posix()


class Block:
    """A fenced block: its language, its title, the line of its first text, and the texts."""

    def __init__(self, info, line, reason):
        words = info.split(None, 1)
        self.language = words[0] if words else ""
        title = re.search(r'title="([^"]+)"', info)
        self.title = title and title[1]
        self.line, self.reason, self.lines = line, reason, []


def blocks_of(text):
    """Fenced blocks in their order; a remark `<!-- not run: … -->` or `slow` is of the next."""
    blocks, block, fence, reason = [], None, "", None
    for number, line in enumerate(text.split("\n"), 1):
        opening = re.match(r"^(\s*)(```+)(.*)$", line)
        if block is not None:
            if line.strip() == fence:
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
        elif opening:
            fence = opening[2]
            block, reason = Block(opening[3].strip(), number + 1, reason), None
        elif remark := re.match(r"^\s*<!-- (not run|slow): (.+) -->$", line):
            reason = (remark[1], remark[2])
    return blocks


class Command:
    """A command of a block: its text, its line, and what is shown behind it, with line numbers."""

    def __init__(self, text, line):
        self.text, self.line, self.shown = text, line, []


def commands_of(block):
    commands, goes_on = [], False
    for number, line in enumerate(block.lines, block.line):
        if goes_on:
            commands[-1].text += "\n" + line
        elif line.startswith("$ "):
            commands.append(Command(line[2:], number))
        elif commands:
            commands[-1].shown.append((number, line))
            continue
        else:
            return commands, number
        goes_on = line.endswith("\\")
    return commands, None


def fits(shown, printed):
    """Whether a line of a page stands for a printed one; `…` is any text."""
    if "…" not in shown:
        return shown.rstrip() == printed.rstrip()
    parts = [re.escape(part) for part in shown.rstrip().split("…")]
    return re.fullmatch(".*".join(parts), printed.rstrip()) is not None


def difference(shown, printed):
    """None when the shown lines stand for the printed ones, else the index of the first that
    does not and the printed line beside it (or None at the end)."""
    # reach[i]: the printed lines that the first i shown ones may have taken.
    reach = {0}
    for index, line in enumerate(shown):
        if line.strip() == "…":
            after = set(range(min(reach), len(printed) + 1))
        else:
            after = {at + 1 for at in reach if at < len(printed) and fits(line, printed[at])}
        if not after:
            rest = printed[min(reach):]
            # Behind a … any line might have been meant: the likest is shown.
            if index > 0 and shown[index - 1].strip() == "…":
                rest = difflib.get_close_matches(line, rest, n=1, cutoff=0) or rest
            return index, rest[0] if rest else None
        reach = after
    if len(printed) in reach:
        return None
    return len(shown), printed[max(reach)]


def changed(line):
    """A line with something behind it, and with each of its numbers made another."""
    yield line + "~"
    for number in NUMBER.finditer(line):
        at = number.end() - 1
        yield f"{line[:at]}{(int(line[at]) + 1) % 10}{line[at + 1:]}"


def blind_lines(shown, printed):
    """Indices of shown lines that could say something else without anybody's noticing."""
    return [
        index for index, line in enumerate(shown)
        if line.strip("… ") and any(
            difference(shown[:index] + [other] + shown[index + 1:], printed) is None
            for other in changed(line))]


def masked(line):
    """A line without its numbers, and without the blanks that align them."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def renewed(shown, printed):
    """The shown lines with the printed numbers, or None when more than numbers differ."""
    forms = [masked(line) for line in printed]
    # Where each shown line may stand, from the end: a path of alternatives, the earliest taken.
    def place(index, at):
        if index == len(shown):
            return [] if at == len(printed) else None
        line = shown[index]
        if line.strip() == "…":
            for after in range(at, len(printed) + 1):
                rest = place(index + 1, after)
                if rest is not None:
                    return [line] + rest
            return None
        if at == len(printed):
            return None
        if fits(line, printed[at]):
            taken = line
        elif "…" not in line and masked(line) == forms[at]:
            taken = printed[at].rstrip()
        else:
            return None
        rest = place(index + 1, at + 1)
        return None if rest is None else [taken] + rest

    return place(0, 0)


class Shell:
    """A bash that a command starts; runs commands and tells what they print and end with."""

    MARK = "\x1e"

    def __init__(self, command, environment, folder=None):
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    @classmethod
    def of_page(cls, folder, program):
        """One for a page, in its folder, with the program on PATH."""
        tools = folder / ".bin"
        tools.mkdir()
        live = program.with_name("firstframe-live")
        (tools / "firstframe").symlink_to(program)
        if live.exists():
            (tools / live.name).symlink_to(live)
        # A copy: a page may write over them.
        shutil.copytree(ROOT / "scenarios", folder / "scenarios")
        environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8",
            "TERM": "dumb", "FIRSTFRAME_PILOTS": str(folder / ".pilots"), "COLUMNS": "80"}
        return cls(["bash", "--noprofile", "--norc"], environment, folder)

    def run(self, text):
        """Output lines and exit code; the code of the command before is `$?` of the next."""
        self.process.stdin.write(
            f"(exit ${{code:-0}})\n{text}\ncode=$?; printf '\\x1e%s\\n' \"$code\"\n")
        self.process.stdin.flush()
        printed = ""
        watch = threading.Timer(PATIENCE, os.killpg, (self.process.pid, signal.SIGKILL))
        watch.start()
        try:
            while self.MARK not in printed:
                line = self.process.stdout.readline()
                if not line:
                    raise EOFError
                printed += line
        finally:
            watch.cancel()
        output, code = printed.rsplit(self.MARK, 1)
        # How often progress is told depends on the machine.
        lines = [line for line in output.split("\n") if not line.startswith("progress: ")]
        if lines[-1] == "":
            lines.pop()
        return lines, int(code)

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Runner:
    """Runs the blocks of pages and keeps what was found."""

    def __init__(self, program, write, slow):
        self.program, self.write, self.slow = program, write, slow
        self.findings, self.left_out = [], []
        self.commands = self.lines = 0

    def complain(self, page, line, text):
        self.findings.append(f"{name_of(page)}:{line}: error: {text}")

    def leave_out(self, page, block):
        self.left_out.append(f"{name_of(page)}:{block.line}: {': '.join(block.reason)}")

    def page(self, page):
        text = page.read_text(encoding="utf-8")
        lines = text.split("\n")
        folder = Path(tempfile.mkdtemp(prefix="pages-"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        shell = Shell.of_page(folder, self.program)
        try:
            changes = []
            for block in blocks_of(text):
                changes += self.block(page, block, shell, folder)
        except EOFError:
            changes = []
        else:
            for first, count, new in reversed(changes):
                lines[first - 1:first - 1 + count] = new
            if changes:
                page.write_text("\n".join(lines), encoding="utf-8")
        finally:
            shell.close()
            shutil.rmtree(folder, ignore_errors=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def block(self, page, block, shell, folder):
        """Runs a block; with --write the changes of the page, as line, count and new lines."""
        if block.title and block.language != "console":
            path = folder / block.title
            if folder not in path.resolve().parents:
                self.complain(page, block.line, f"expected a file of the folder, got {block.title}")
                return []
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            return []
        if block.language != "console":
            for number, line in enumerate(block.lines, block.line):
                if re.match(r"^(\$ )?(firstframe|make|\.ci/\S+) ", line) and not block.reason:
                    self.complain(page, number, "expected a block `console`, which is run; got a "
                                  f"command in a block of {block.language or 'no language'}")
                    break
            if block.reason:
                self.leave_out(page, block)
            return []
        commands, stray = commands_of(block)
        if stray or not commands:
            self.complain(page, stray or block.line, "expected `$ command` first in its block")
            return []
        if block.reason and not self.runs(block):
            self.leave_out(page, block)
            return []
        changes = []
        for index, command in enumerate(commands):
            following = commands[index + 1] if index + 1 < len(commands) else None
            changes += self.command(page, command, following, shell)
        return changes

    def runs(self, block):
        """Whether a block of commands is run although a remark says that it is not or is slow."""
        return self.slow and block.reason[0] == "slow"

    def command(self, page, command, following, shell):
        try:
            printed, code = shell.run(command.text)
        except EOFError:
            self.complain(page, command.line, f"expected an end within {PATIENCE} s, and a shell "
                          f"that goes on, got neither: {command.text}")
            raise
        self.commands += 1
        self.lines += len(command.shown)
        if code != 0 and not (following and following.text == "echo $?"):
            self.complain(page, command.line, f"expected exit code 0, got {code}: {command.text}")
            for line in printed[-5:]:
                self.findings.append(f"    {line}")
        shown = [line for _, line in command.shown]
        while shown and not shown[-1].strip():
            shown.pop()
        while printed and not printed[-1].strip():
            printed.pop()
        found = difference(shown, printed)
        if found is None:
            for index in blind_lines(shown, printed):
                self.complain(page, command.shown[index][0], "nobody would notice another line "
                              f"here, shorten the … around it: {shown[index]}")
            return []
        if self.write and (new := renewed(shown, printed)) is not None:
            return [(command.line + 1 + command.text.count("\n"), len(shown), new)]
        index, got = found
        line = command.shown[index][0] if index < len(command.shown) else command.line
        wanted = shown[index] if index < len(shown) else "nothing more"
        self.complain(page, line, f"expected from `{command.text.splitlines()[0]}`:\n    {wanted}\n"
                      f"  got\n    {'nothing more' if got is None else got}")
        return []


def run(arguments):
    program, write, slow, chosen = shutil.which("firstframe"), False, False, []
    while arguments:
        word = arguments.pop(0)
        if word == "--write":
            write = True
        elif word == "--slow":
            slow = True
        elif word == "--firstframe" and arguments:
            program = arguments.pop(0)
        elif word.startswith("-"):
            return usage(f"expected --firstframe PROGRAM, --slow, --write or pages, got {word}")
        else:
            chosen.append(Path(word).resolve())
    if program is None or not os.access(program, os.X_OK):
        return usage(f"expected a program firstframe, got {program or 'none on PATH'}")
    runner, total = Runner(Path(program).resolve(), write, slow), 0
    for page in chosen or pages("tutorials", "how-to"):
        if not page.is_file():
            return usage(f"expected a page, got {page}")
        begin = time.monotonic()
        seconds = runner.page(page)
        total += seconds
        print(f"{name_of(page)}: {time.monotonic() - begin:.1f} s, {seconds:.1f} s of CPU",
              flush=True)
    for line in runner.left_out:
        print(f"left out: {line}")
    for line in runner.findings:
        print(line, file=sys.stderr)
    print(f"pages: {runner.commands} commands, {runner.lines} shown lines, {total:.0f} s of CPU, "
          f"{sum('error:' in line for line in runner.findings)} errors")
    if total > LIMIT:
        print(f"pages: warning: more than the {LIMIT} s that all may take", file=sys.stderr)
    return 1 if runner.findings else 0


def prose_of(text):
    """The lines of a page with code of blocks and remarks taken out."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"^\s*(```+)", line)
        if fence:
            if line.strip() == fence:
                fence = None
            lines.append("")
        elif mark:
            fence = mark[1]
            lines.append("")
        else:
            lines.append(re.sub(r"<!--.*?-->", lambda found: " " * len(found[0]), line))
    return lines


def anchor(heading):
    """The anchor of a heading, as the hosts of repositories and the site make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    kept = [c for c in unicodedata.normalize("NFC", plain)
            if c.isalnum() or c in " -_"]
    return "".join(kept).replace(" ", "-")


def anchors_of(page, known={}):
    if page not in known:
        found, counts = set(), {}
        for line in prose_of(page.read_text(encoding="utf-8")):
            if heading := re.match(r"^#+\s+(.*?)\s*#*$", line):
                name = anchor(heading[1])
                found.add(name if name not in counts else f"{name}-{counts[name]}")
                counts[name] = counts.get(name, 0) + 1
            found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        known[page] = found
    return known[page]


def ignored_by_git():
    """What .gitignore leaves out: a link to such a file leads somewhere on one machine alone."""
    if not (ROOT / ".git").exists():
        print("pages: no clone: whether git has what is linked to is not checked", file=sys.stderr)
        return set()
    listed = subprocess.run(["git", "ls-files", "-z", "--others", "--ignored", "--exclude-standard",
                             "--directory"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    return {(ROOT / name).resolve() for name in listed.decode().split("\0") if name}


def links(arguments):
    if arguments:
        return usage(f"expected nothing more, got {arguments[0]}")
    found, count, ignored = [], 0, ignored_by_git()
    every = pages() + sorted((ROOT / "docs").rglob("*.md")) + sorted(
        (ROOT / "results/answers").glob("*.md")) + [ROOT / "LICENSES.md"]
    for page in every:
        for number, line in enumerate(prose_of(page.read_text(encoding="utf-8")), 1):
            line = re.sub(r"`[^`]*`", lambda code: " " * len(code[0]), line)
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"^[a-z]+:", target):
                    continue
                count += 1
                path, _, heading = target.partition("#")
                where = (page.parent / path).resolve() if path else page
                if not where.exists():
                    found.append(f"{name_of(page)}:{number}: error: expected a file, got {target}")
                elif not ignored.isdisjoint([where, *where.parents]):
                    found.append(f"{name_of(page)}:{number}: error: expected a file that git has, "
                                 f"got {target}, which .gitignore leaves out")
                elif heading and where.suffix == ".md" and heading not in anchors_of(where):
                    found.append(f"{name_of(page)}:{number}: error: expected a heading of "
                                 f"{name_of(where)}, got #{heading}")
    for line in found:
        print(line, file=sys.stderr)
    print(f"pages: {count} links of {len(every)} pages, {len(found)} errors")
    return 1 if found else 0


def terms_of_glossary():
    """Terms in bold of the first column: name to the anchor of their section."""
    terms, section = {}, ""
    for line in GLOSSARY.read_text(encoding="utf-8").split("\n"):
        if heading := re.match(r"^## (.*)", line):
            section = anchor(heading[1])
        elif line.startswith("|"):
            for term in re.findall(r"\*\*([^*]+)\*\*", line.split("|")[1]):
                terms[term] = section
    return terms


def forms_of(term):
    """A pattern of a term and its plural; capitals count where the term has them."""
    word = r"\s+".join(re.escape(part) for part in term.split())
    plural = word[:-1] + "(?:y|ies)" if term.endswith("y") else word + "(?:s|es)?"
    return re.compile(rf"(?<![\w./-]){plural}(?![\w/-])", 0 if term.upper() == term else re.I)


def first_use(pattern, lines):
    """Line and match of a term's first use in prose, and whether it is explained there."""
    for number, line in enumerate(lines):
        if line.startswith("#") or re.match(r"^\s*<", line):
            continue
        hidden = re.sub(r"`[^`]*`", lambda code: "\x00" * len(code[0]), line)
        # Where a link leads to is no text.
        hidden = re.sub(r"(\]\()([^)]*)(?=\))", lambda to: to[1] + "\x00" * len(to[2]), hidden)
        if found := pattern.search(hidden):
            start, end = found.span()
            linked = any(link.start() < start and end <= link.end()
                         for link in re.finditer(r"\[[^\]]*\]\(", hidden))
            marked = any(mark.start() < start and end < mark.end()
                         for mark in re.finditer(r"\*[^*]+\*", hidden))
            return number, found, linked or marked
    return None


def terms(arguments):
    write = arguments == ["--write"]
    if arguments and not write:
        return usage(f"expected --write or nothing, got {arguments[0]}")
    known, found, count = terms_of_glossary(), [], 0
    for page in pages("tutorials", "how-to", "explanation"):
        text = page.read_text(encoding="utf-8")
        raw, changed = text.split("\n"), False
        # Longest first: a part of a longer term that is linked is not looked at again.
        for term, section in sorted(known.items(), key=lambda row: (-len(row[0]), row[0])):
            use = first_use(forms_of(term), prose_of("\n".join(raw)))
            if use is None:
                continue
            count += 1
            number, match, explained = use
            if explained:
                continue
            if write:
                target = os.path.relpath(GLOSSARY, page.parent).replace(os.sep, "/")
                line, (start, end) = raw[number], match.span()
                raw[number] = f"{line[:start]}[{line[start:end]}]({target}#{section}){line[end:]}"
                changed = True
            else:
                found.append(f"{name_of(page)}:{number + 1}: error: expected a link or an "
                             f"explanation at the first use of '{term}', got neither")
        if changed:
            page.write_text("\n".join(raw), encoding="utf-8")
    for line in found:
        print(line, file=sys.stderr)
    print(f"pages: {count} first uses of {len(known)} terms, {len(found)} errors")
    return 1 if found else 0


def usage(text):
    print(f"pages: error: {text}", file=sys.stderr)
    return 64


def main():
    verbs = {"run": run, "links": links, "terms": terms}
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in verbs:
        return usage(f"expected one of {' '.join(verbs)}, got {' '.join(arguments[:1]) or 'none'}")
    return verbs[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main())
