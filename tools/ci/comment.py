#!/usr/bin/env python3
"""Keeps one comment of firstframe gate on a pull or merge request.

Usage: comment.py FILE     FILE is what firstframe gate --pr-comment wrote

The comment is found again by its first line, which readers do not see. Where none stands yet and
nothing changed, none is written. One that stands is edited when it would say something else,
which notifies nobody, and else left alone: a request never has two.

GitHub: GITHUB_REPOSITORY, GITHUB_TOKEN, and the request's number in PR_NUMBER, CHANGE_ID (Jenkins)
or the event's file GITHUB_EVENT_PATH; COMMENT_AUTHOR is whose comments are its own (default
github-actions[bot]); GITHUB_API_URL for a server of your own.
GitLab: CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, and FIRSTFRAME_GITLAB_TOKEN, a token
with the scope api (the job's own token cannot write notes).

Ends with 0 also where the server refuses, with a warning: the verdict is the gate's, not this
program's. 64 and 66 are wrong use.
"""

import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

MARK = re.compile(
    r'<!-- firstframe-gate name="([^"]*)" verdict="([^"]*)" '
    r'changed="([^"]*)" digest="([^"]*)" -->'
)
TRIES = 3


class Refused(Exception):
    """What a server does not want."""


def call(method, url, headers, body=None):
    """An answer's JSON; a server that is not well is asked again."""
    data = None if body is None else json.dumps(body).encode()
    headers = {**headers, "Content-Type": "application/json", "User-Agent": "firstframe-gate"}
    for attempt in range(1, TRIES + 1):
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            reason = f"{error.code} {error.reason}"
            if error.code < 500 and error.code != 429:
                raise Refused(f"{method} {urllib.parse.urlsplit(url).path}: {reason}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = str(getattr(error, "reason", error))
        # A comment that was written though the answer was lost would be written twice.
        if method == "POST" or attempt == TRIES:
            raise Refused(f"{method} {urllib.parse.urlsplit(url).path}: {reason}")
        time.sleep(attempt)
    raise AssertionError


def needed(name):
    if not os.environ.get(name):
        raise Refused(f"expected the variable {name}, got none")
    return os.environ[name]


class GitHub:
    def __init__(self):
        number = os.environ.get("PR_NUMBER") or os.environ.get("CHANGE_ID") or self.number()
        if not number:
            raise Refused("expected a pull request, got another event")
        server = os.environ.get("GITHUB_API_URL", "https://api.github.com")
        self.repository = f"{server}/repos/{needed('GITHUB_REPOSITORY')}"
        self.comments = f"{self.repository}/issues/{number}/comments"
        self.author = os.environ.get("COMMENT_AUTHOR") or "github-actions[bot]"
        self.headers = {
            "Authorization": f"Bearer {os.environ.get('GITHUB_TOKEN', '')}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    @staticmethod
    def number():
        path = os.environ.get("GITHUB_EVENT_PATH")
        if not path:
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file).get("pull_request", {}).get("number")

    def all(self):
        page = 1
        while True:
            found = call("GET", f"{self.comments}?per_page=100&page={page}", self.headers)
            for comment in found:
                if (comment.get("user") or {}).get("login") == self.author:
                    yield comment["id"], comment["body"]
            if len(found) < 100:
                return
            page += 1

    def write(self, body):
        call("POST", self.comments, self.headers, {"body": body})

    def edit(self, identity, body):
        call("PATCH", f"{self.repository}/issues/comments/{identity}", self.headers, {"body": body})


class GitLab:
    def __init__(self):
        if not os.environ.get("CI_MERGE_REQUEST_IID"):
            raise Refused("expected a pipeline of a merge request, got another one")
        if not os.environ.get("FIRSTFRAME_GITLAB_TOKEN"):
            raise Refused("FIRSTFRAME_GITLAB_TOKEN: expected a token with the scope api, got none")
        self.server = needed("CI_API_V4_URL")
        self.notes = (
            f"{self.server}/projects/{needed('CI_PROJECT_ID')}"
            f"/merge_requests/{needed('CI_MERGE_REQUEST_IID')}/notes"
        )
        self.headers = {"PRIVATE-TOKEN": os.environ["FIRSTFRAME_GITLAB_TOKEN"]}

    def all(self):
        own = call("GET", f"{self.server}/user", self.headers)["id"]
        page = 1
        while True:
            found = call("GET", f"{self.notes}?per_page=100&page={page}", self.headers)
            for note in found:
                if note["author"]["id"] == own:
                    yield note["id"], note["body"]
            if len(found) < 100:
                return
            page += 1

    def write(self, body):
        call("POST", self.notes, self.headers, {"body": body})

    def edit(self, identity, body):
        call("PUT", f"{self.notes}/{identity}", self.headers, {"body": body})


def keep(server, body):
    """Writes, edits or leaves alone; says which."""
    mark = MARK.match(body)
    name, _, changed, digest = mark.groups()
    for identity, old in server.all():
        known = MARK.match(old)
        if not known or known[1] != name:
            continue
        if known[4] == digest:
            return "up to date: nothing is written"
        server.edit(identity, body)
        return "edited"
    if changed == "false":
        return "silent: nothing changed"
    server.write(body)
    return "written"


def main():
    if len(sys.argv) != 2:
        print("comment: error: expected one file, got another number", file=sys.stderr)
        return 64
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            body = file.read()
    except OSError as error:
        reason = (error.strerror or "an error").lower()
        print(f"comment: error: {sys.argv[1]}: expected a file, got {reason}", file=sys.stderr)
        return 66
    if not MARK.match(body):
        print(
            f"comment: error: {sys.argv[1]}:1:1: expected what firstframe gate --pr-comment wrote, "
            "got something else",
            file=sys.stderr,
        )
        return 65
    try:
        server = GitLab() if os.environ.get("GITLAB_CI") else GitHub()
        print(f"comment: {keep(server, body)}")
    except Refused as reason:
        # On GitHub a warning stands at the job; a fork's token may not write.
        start = "::warning title=firstframe::" if os.environ.get("GITHUB_ACTIONS") else "warning: "
        print(f"{start}no comment: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
