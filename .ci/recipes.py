#!/usr/bin/env python3
"""Runs the recipes for CI of tools/ci here, as their servers would, and looks at what they did.

Usage: recipes.py run --firstframe PROGRAM     the steps of the action, of the job for GitLab and of
                                               the Jenkinsfile, with stubs of the runner's files and
                                               of the servers' API on the loopback interface
       recipes.py hooks --firstframe PROGRAM   the hooks for pre-commit, by pre-commit itself

What it cannot show: what GitHub, GitLab and Jenkins make of the files beyond what is read here, and
the two actions of others, for cache and artefact, which are played by a few lines below.
"""

import argparse
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
CI = ROOT / "tools/ci"
STUDY = """\
version: 1
name: study
audience: {viewsPerDayPerEdge: 3000000, window: 15 s}
catalogue: {titles: 200}
policy: {pool: {size: 3}}
budgets:
  - {metric: ttff_cold_ms.mean, limit: "< 20 s", minimumSamples: 5}
  - {metric: ttff_ms.mean, limit: "< 20 s", minimumSamples: 5}
"""
CHANGED = STUDY.replace("size: 3", "size: 1")


def need(condition, message):
    if not condition:
        sys.exit(f"recipes: error: {message}")


# The servers.


class API(http.server.BaseHTTPRequestHandler):
    """Comments of GitHub's pull requests and notes of GitLab's merge requests."""

    comments = {}
    writes = []
    mayWrite = True
    number = 100

    def answer(self, body, status=200):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def known(self):
        token = self.headers.get("PRIVATE-TOKEN") or self.headers.get("Authorization", "")[7:]
        if token != "secret":
            self.answer({"message": "Bad credentials"}, 401)
        return token == "secret"

    def do_GET(self):
        if not self.known():
            return
        path, _, query = self.path.partition("?")
        if path == "/user":
            return self.answer({"id": 7})
        page = int(re.search(r"(?<!_)page=(\d+)", query)[1])
        self.answer(API.comments.get(path, [])[(page - 1) * 100 : page * 100])

    def write(self, into):
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length))["body"]
        if not self.known():
            return
        if not API.mayWrite:
            return self.answer({"message": "Resource not accessible by integration"}, 403)
        API.writes.append((self.command, self.path, body))
        into(body)
        self.answer({"id": API.number}, 201)

    def do_POST(self):
        def add(body):
            API.number += 1
            API.comments.setdefault(self.path, []).append(comment(API.number, body))

        self.write(add)

    def edit(self):
        identity = int(self.path.rsplit("/", 1)[1])

        def replace(body):
            for known in (one for all in API.comments.values() for one in all):
                if known["id"] == identity:
                    known["body"] = body

        self.write(replace)

    do_PATCH = do_PUT = edit

    def log_message(self, *_):
        pass


def comment(identity, body, author="github-actions[bot]"):
    return {"id": identity, "body": body, "user": {"login": author}, "author": {"id": 7}}


# GitHub's runner.


class Expression:
    """What stands in ${{ … }} and after if: of the action: names, texts, ==, !=, &&, ||, ( )."""

    TOKEN = re.compile(r"\s*(==|!=|&&|\|\||[()]|'[^']*'|[A-Za-z_][\w.-]*)")

    def __init__(self, text, context):
        self.tokens = []
        self.context = context
        place = 0
        while place < len(text.rstrip()):
            found = self.TOKEN.match(text, place)
            need(found, f"action.yml: cannot read the expression {text}")
            self.tokens.append(found[1])
            place = found.end()

    def value(self):
        result = self.either()
        need(not self.tokens, f"action.yml: an expression goes on with {self.tokens}")
        return result

    def next(self, *words):
        if self.tokens and self.tokens[0] in words:
            return self.tokens.pop(0)
        return None

    def either(self):
        result = self.both()
        while self.next("||"):
            other = self.both()
            result = result or other
        return result

    def both(self):
        result = self.equal()
        while self.next("&&"):
            other = self.equal()
            result = result and other
        return result

    def equal(self):
        result = self.one()
        while word := self.next("==", "!="):
            other = self.one()
            result = (str(result) == str(other)) == (word == "==")
        return result

    def one(self):
        if self.next("("):
            result = self.either()
            need(self.next(")"), "action.yml: expected )")
            return result
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1]
        found = self.context
        for step in token.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        return "" if found is None else found


def filled(text, context):
    def one(found):
        value = Expression(found[1].strip(), context).value()
        return str(value).lower() if isinstance(value, bool) else str(value)

    return re.sub(r"\$\{\{(.*?)\}\}", one, str(text))


class Action:
    """Runs the steps of tools/ci/action/action.yml."""

    def __init__(self, work, server):
        self.work = work
        self.server = server
        self.cache = {}
        self.runs = 0
        with open(CI / "action/action.yml", encoding="utf-8") as file:
            self.action = yaml.safe_load(file)

    def run(self, event, number=None, **given):
        """The result of a job: exit code, what it printed, its outputs, summary and artefact."""
        self.runs += 1
        temp = self.work / f"runner-{self.runs}"
        temp.mkdir()
        files = {name: temp / name for name in ("output", "summary", "path", "event.json")}
        for file in files.values():
            file.touch()
        files["event.json"].write_text(
            json.dumps({"pull_request": {"number": number}} if number else {}), encoding="utf-8"
        )
        github = {
            "event_name": event, "run_id": str(self.runs), "run_attempt": "1", "token": "secret",
            "sha": f"{self.runs:040x}",
            "event": {"pull_request": {"head": {"sha": f"{self.runs:040x}"}}} if number else {},
        }  # fmt: skip
        context = {"github": github, "runner": {"temp": str(temp)}, "steps": {}}
        inputs = {}
        for name, one in self.action["inputs"].items():
            need(not one.get("required") or name in given, f"the action needs {name}")
            inputs[name] = given.pop(name, filled(one.get("default", ""), context))
        need(not given, f"the action has no inputs {given}")
        context["inputs"] = inputs
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "FIRSTFRAME_PILOTS": "off", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "own/feed",
            "GITHUB_API_URL": self.server, "GITHUB_EVENT_PATH": str(files["event.json"]),
            "GITHUB_OUTPUT": str(files["output"]), "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "GITHUB_PATH": str(files["path"]), "RUNNER_TEMP": str(temp), "TERM": "dumb",
            "GITHUB_ACTION_PATH": str(CI / "action"),
        }  # fmt: skip
        result = {"code": 0, "text": "", "artefact": None}
        for step in self.action["runs"]["steps"]:
            condition = step.get("if", "")
            # A step runs when none before it has failed.
            if result["code"] or (condition and not Expression(condition, context).value()):
                continue
            if "uses" in step:
                self.play(step, context, result)
                continue
            need(step.get("shell") == "bash", f"{step['name']}: expected the shell bash")
            files["output"].write_text("", encoding="utf-8")
            added = [line for line in files["path"].read_text().splitlines() if line]
            more = {name: filled(text, context) for name, text in step.get("env", {}).items()}
            path = os.pathsep.join([*reversed(added), environment["PATH"]])
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.work / "repository", env={**environment, **more, "PATH": path},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            result["text"] += done.stdout + done.stderr
            result["code"] = done.returncode
            lines = files["output"].read_text(encoding="utf-8").splitlines()
            outputs = dict(line.split("=", 1) for line in lines)
            if "id" in step:
                context["steps"][step["id"]] = {"outputs": outputs}
        result["summary"] = files["summary"].read_text(encoding="utf-8")
        result["outputs"] = {
            name: filled(one["value"], context) for name, one in self.action["outputs"].items()
        }
        return result

    def play(self, step, context, result):
        """The actions of others."""
        use = {name: filled(text, context) for name, text in step["with"].items()}
        paths = [line.strip() for line in use["path"].splitlines() if line.strip()]
        repository = self.work / "repository"
        name = step["uses"].split("@")[0]
        if name == "actions/cache/save":
            kept = {}
            for path in paths:
                for file in [repository / path, *sorted((repository / path).glob("**/*"))]:
                    if file.is_file():
                        kept[file.relative_to(repository)] = file.read_bytes()
            self.cache[use["key"]] = kept
        elif name == "actions/cache/restore":
            keys = [key for key in self.cache if key.startswith(use["restore-keys"])]
            for path, data in self.cache[keys[-1]].items() if keys else ():
                (repository / path).parent.mkdir(parents=True, exist_ok=True)
                (repository / path).write_bytes(data)
        elif name == "actions/upload-artifact":
            found = sorted(file for file in pathlib.Path(paths[0]).glob("**/*") if file.is_file())
            need(found, f"{paths[0]}: expected files for the artefact, got none")
            result["artefact"] = found
        else:
            sys.exit(f"recipes: error: {step['uses']} is played by nobody here")


def repository(work, firstframe, text=STUDY):
    """A repository of a team with committed baselines."""
    folder = work / "repository"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "scenarios").mkdir(parents=True)
    (folder / "scenarios/study.yaml").write_text(STUDY, encoding="utf-8")
    subprocess.run(
        [firstframe, "gate", "scenarios/study.yaml", "--replications", "8", "--quiet",
         "--update-baseline"],
        cwd=folder, env={**os.environ, "FIRSTFRAME_PILOTS": "off"}, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    (folder / "scenarios/study.yaml").write_text(text, encoding="utf-8")
    return folder


def edit(folder, text):
    (folder / "scenarios/study.yaml").write_text(text, encoding="utf-8")


def check_comment(body):
    need("`policy.pool.size`" in body, f"the comment does not name the key:\n{body}")
    need(re.search(r"`3` → `1`", body), f"the comment does not say what changed:\n{body}")
    need(re.search(r"❌ worse \| `ttff", body), f"the comment does not say what is worse:\n{body}")
    need(re.search(r"\+[\d.]+ ±[\d.]+ ms \| \+\d[\d.,]* %", body), f"no size:\n{body}")
    need(re.search(r"`policy\.pool\.size` \d+ %", body), f"no cause:\n{body}")


def run_action(work, firstframe, package, server):
    action = Action(work, server)
    folder = repository(work, firstframe)
    usual = {"scenarios": "scenarios/*.yaml", "firstframe": str(package),
             "arguments": "--replications=8"}  # fmt: skip
    place = "/repos/own/feed/issues/5/comments"
    # A page of others' comments stands before it, one of them a forged mark.
    forged = '<!-- firstframe-gate name="gate" verdict="pass" changed="false" digest="0" -->'
    API.comments[place] = [comment(one, "mine", "somebody") for one in range(1, 101)]
    API.comments[place].append(comment(99, forged, "somebody"))

    def job(number=5, event="pull_request", **more):
        before = len(API.writes)
        result = action.run(event, number, **{**usual, **more})
        return result, API.writes[before:]

    done, writes = job()
    need(done["code"] == 0, f"an unchanged tree ends with {done['code']}:\n{done['text']}")
    need(done["outputs"]["verdict"] == "pass", f"outputs: {done['outputs']}")
    need(done["outputs"]["changed"] == "false", f"outputs: {done['outputs']}")
    need(not writes and "silent" in done["text"], f"an unchanged tree wrote {writes}")
    need("::error" not in done["text"], f"an unchanged tree is annotated:\n{done['text']}")
    need("study" in done["summary"], f"the summary says nothing: {done['summary']}")
    need(any(file.name == "report.html" for file in done["artefact"]), "no page in the artefact")

    edit(folder, CHANGED)
    done, writes = job()
    need(done["code"] == 11, f"a changed tree ends with {done['code']}:\n{done['text']}")
    need([write[:2] for write in writes] == [("POST", place)], f"a changed tree wrote {writes}")
    check_comment(writes[0][2])
    need("::error file=scenarios/study.yaml" in done["text"], f"no annotation:\n{done['text']}")
    need("policy.pool.size" in done["summary"], f"the summary names no cause: {done['summary']}")
    need(done["artefact"], "a red job leaves no page")
    need(done["outputs"]["exit-code"] == "11" and done["outputs"]["verdict"] == "fail",
         f"outputs: {done['outputs']}")  # fmt: skip

    done, writes = job()
    need(done["code"] == 11 and not writes, f"the same again wrote {writes}")

    edit(folder, STUDY)
    done, writes = job()
    need(done["code"] == 0, f"an unchanged tree ends with {done['code']}:\n{done['text']}")
    need([write[0] for write in writes] == ["PATCH"], f"the comment was not edited: {writes}")
    need("Nothing changed" in writes[0][2], f"the comment still tells:\n{writes[0][2]}")
    own = [one for one in API.comments[place] if "firstframe-gate" in one["body"]]
    need(len(own) == 2, f"expected the comment and the forged one, got {len(own)}")
    done, writes = job()
    need(done["code"] == 0 and not writes, f"nothing new wrote {writes}")
    done, writes = job(number=6)
    need(done["code"] == 0 and not writes, f"an unchanged tree wrote {writes}")

    # A fork's token may read only.
    edit(folder, CHANGED)
    API.mayWrite = False
    done, writes = job(number=7)
    API.mayWrite = True
    need(done["code"] == 11 and not writes, f"without rights: {done['code']}")
    need("::warning title=firstframe::no comment: POST" in done["text"], "no warning")

    # Wrong use ends the job before there is anything to tell.
    done, writes = job(scenarios="scenarios/none.yaml")
    need(done["code"] == 66 and not writes, f"no scenario: {done['code']}:\n{done['text']}")
    done, writes = job(firstframe=str(work / "none.tar"))
    need(done["code"] == 66 and "expected a package" in done["text"], f"{done['text']}")

    # Baselines of the main branch from the cache, and what it was like before.
    edit(folder, STUDY)
    shutil.rmtree(folder / "results")
    kept = {"baseline": "cached", "name": "kept"}
    done, writes = job(**kept)
    need(done["code"] == 0 and "no cached baselines" in done["text"], f"{done['text']}")
    shutil.rmtree(folder / ".firstframe")
    for count in (1, 2):
        done, writes = job(number=None, event="push", **kept)
        need(done["code"] == 0 and not writes, f"a push: {done['code']}:\n{done['text']}")
        lines = (folder / ".firstframe/history.jsonl").read_text().splitlines()
        need(len(lines) == count, f"expected {count} lines, got {len(lines)}")
        shutil.rmtree(folder / "results")
        shutil.rmtree(folder / ".firstframe")
    edit(folder, CHANGED)
    done, writes = job(number=8, **kept)
    need(done["code"] == 11, f"against the cache: {done['code']}:\n{done['text']}")
    check_comment(writes[0][2])
    page = next(file for file in done["artefact"] if file.name == "report.html").read_text()
    need("Over commits" in page and "3 runs of the gate" in page, "the page has no history")
    print("recipes: the action's steps: ok")


def run_gitlab(work, firstframe, package, server):
    with open(CI / "gitlab/firstframe.gitlab-ci.yml", encoding="utf-8") as file:
        job = yaml.safe_load(file)[".firstframe-gate"]
    folder = repository(work, firstframe, CHANGED)
    shutil.copytree(CI, folder / "tools/ci")
    script = "\n".join(job["script"])
    variables = {name: text.replace("$CI_JOB_NAME_SLUG", "feed-gate")
                 for name, text in job["variables"].items()}  # fmt: skip
    environment = {
        "PATH": os.environ["PATH"], "FIRSTFRAME_PILOTS": "off", "GITLAB_CI": "true",
        "CI_API_V4_URL": server, "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "4",
        "CI_COMMIT_SHA": "c" * 40, "FIRSTFRAME_GITLAB_TOKEN": "secret", "TERM": "dumb",
        "TMPDIR": str(work), **variables, "FIRSTFRAME_SCENARIOS": "scenarios/study.yaml",
        "FIRSTFRAME_FROM": str(package), "FIRSTFRAME_ARGUMENTS": "--replications=8",
    }  # fmt: skip
    place = "/projects/3/merge_requests/4/notes"
    for text, code, method in ((CHANGED, 11, "POST"), (STUDY, 0, "PUT"), (STUDY, 0, None)):
        edit(folder, text)
        before = len(API.writes)
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        need(done.returncode == code, f"GitLab: {done.returncode}:\n{done.stdout}{done.stderr}")
        writes = API.writes[before:]
        need([write[0] for write in writes] == ([method] if method else []), f"GitLab: {writes}")
        if method == "POST":
            need(writes[0][1] == place, f"GitLab: {writes}")
            check_comment(writes[0][2])
        reports = job["artifacts"]["reports"].values()
        need(all((folder / name).exists() for name in reports), "GitLab: a report is missing")
    lines = (folder / ".firstframe/history.jsonl").read_text().splitlines()
    need(len(lines) == 3 and '"commit":"ccc' in lines[0], f"GitLab: {lines}")
    print("recipes: the script of the job for GitLab: ok")


def run_jenkins(work, firstframe, package, server):
    text = (CI / "jenkins/Jenkinsfile").read_text(encoding="utf-8")
    block = re.search(r"environment \{(.*?)\n  \}", text, re.S)[1]
    variables = dict(re.findall(r"(\w+) = '(.*)'", block))
    scripts = re.findall(r"sh '''(.*?)'''", text, re.S)
    need(len(scripts) == 3, f"Jenkinsfile: expected three scripts, got {len(scripts)}")
    folder = repository(work, firstframe, CHANGED)
    shutil.copytree(CI, folder / "tools/ci")
    environment = {
        "PATH": os.environ["PATH"], "FIRSTFRAME_PILOTS": "off", "GIT_COMMIT": "d" * 40,
        "CHANGE_ID": "9", "GITHUB_API_URL": server, "GITHUB_TOKEN": "secret", "TERM": "dumb",
        "TMPDIR": str(work), **variables, "GITHUB_REPOSITORY": "own/feed",
        "FIRSTFRAME_SCENARIOS": "scenarios/study.yaml", "FIRSTFRAME_FROM": str(package),
        "FIRSTFRAME_ARGUMENTS": "--replications=8", "FIRSTFRAME_TRUSTED": str(CI),
    }  # fmt: skip
    for body, codes, writes in ((CHANGED, [0, 0, 11], 1), (STUDY, [0, 0, 0], 0)):
        edit(folder, body)
        API.comments.clear()
        before = len(API.writes)
        for script, code in zip(scripts, codes):
            done = subprocess.run(["sh", "-xe", "-c", script], cwd=folder, env=environment,
                                  capture_output=True, text=True, check=False)  # fmt: skip
            said = f"Jenkins: {done.returncode}:\n{done.stdout}{done.stderr}"
            need(done.returncode == code, said)
        need(len(API.writes) - before == writes, f"Jenkins: {API.writes[before:]}")
        junit = re.search(r"testResults: '(.*?)'", text)[1]
        need((folder / junit).exists(), f"Jenkins: no {junit}")
    print("recipes: the scripts of the Jenkinsfile: ok")


def run_hooks(work, firstframe):
    """pre-commit itself runs the hooks of this repository's last commit in another one."""
    folder = work / "hooks"
    (folder / "scenarios").mkdir(parents=True)
    bin_folder = work / "bin"
    bin_folder.mkdir()
    (bin_folder / "firstframe").symlink_to(firstframe)
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
                   "PRE_COMMIT_HOME": str(work / "pre-commit"), "TERM": "dumb"}  # fmt: skip
    # A copy as it is now, so that what is not committed yet is tried, too.
    source = work / "source"
    source.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", source)
    for place in (source, folder):
        for command in (["init", "--quiet"], ["config", "user.email", "ci@example.org"],
                        ["config", "user.name", "CI"]):  # fmt: skip
            subprocess.run(["git", *command], cwd=place, check=True)
    subprocess.run(["git", "add", "."], cwd=source, check=True)
    subprocess.run(["git", "commit", "--quiet", "-m", "hooks"], cwd=source, check=True)
    done = subprocess.run([firstframe, "fmt", "--help"], capture_output=True, check=False)
    hooks = ["firstframe-validate"] + (["firstframe-fmt"] if done.returncode == 0 else [])
    if len(hooks) == 1:
        print("recipes: firstframe-fmt: skipped: this program has no fmt")
    for hook in hooks:
        # A hook that writes fails once, which is pre-commit's way, and passes then.
        bad = "nam: x" if hook == "firstframe-validate" else "name:     study"
        for text, isGood in ((STUDY.replace("name: study", bad), False), (None, True)):
            if text is None:
                text = (folder / "scenarios/study.yaml").read_text(encoding="utf-8")
                if hook == "firstframe-validate":
                    text = STUDY
            (folder / "scenarios/study.yaml").write_text(text, encoding="utf-8")
            subprocess.run(["git", "add", "."], cwd=folder, check=True)
            done = subprocess.run(
                ["pre-commit", "try-repo", str(source), hook, "--all-files", "--verbose"],
                cwd=folder, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            need((done.returncode == 0) == isGood, f"{hook}: {done.stdout}{done.stderr}")
            if hook == "firstframe-validate":
                need(isGood or "scenarios/study.yaml:" in done.stdout, f"{hook}: {done.stdout}")
    print("recipes: hooks for pre-commit: ok")


def main():
    parser = argparse.ArgumentParser(description="Runs the recipes for CI of tools/ci here.")
    parser.add_argument("what", choices=["run", "hooks"])
    parser.add_argument("--firstframe", required=True)
    arguments = parser.parse_args()
    firstframe = str(pathlib.Path(arguments.firstframe).resolve())
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        if arguments.what == "hooks":
            return run_hooks(work, firstframe)
        package = work / "firstframe.tar"
        subprocess.run(
            ["tar", "--create", "--file", package, "--directory", os.path.dirname(firstframe),
             "--transform", "s,^,firstframe-0/bin/,", os.path.basename(firstframe)],
            check=True,
        )  # fmt: skip
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        for recipe in (run_action, run_gitlab, run_jenkins):
            recipe(work, firstframe, package, address)
        server.shutdown()


if __name__ == "__main__":
    main()
