#!/usr/bin/env bash
# Puts a firstframe that others have built where a CI job finds it.
# Usage: install.sh [FROM [SHA256]]     prints the path of the program
#
# FROM is an executable, a tarball with one named firstframe in it, a folder that has one, or a URL
# of a tarball; without it firstframe has to be on PATH. SHA256 is the checksum of the file that a
# URL names. In GitHub Actions the program's folder is added to PATH for the steps that follow.
set -euo pipefail

from=${1:-${FIRSTFRAME_FROM:-}}
sha256=${2:-${FIRSTFRAME_SHA256:-}}
folder=${RUNNER_TEMP:-$(mktemp -d)}/firstframe-program

fail() {
  echo "install: error: $2" >&2
  exit "$1"
}

program=
case $from in
  "")
    program=$(command -v firstframe || true)
    [ -n "$program" ] ||
      fail 69 "FIRSTFRAME_FROM: expected a package, or firstframe on PATH, got neither"
    ;;
  http://* | https://*)
    mkdir -p "$folder"
    curl --fail --silent --show-error --location --retry 3 --output "$folder/package" "$from" ||
      fail 69 "$from: expected a package, got none"
    if [ -n "$sha256" ]; then
      got=$(sha256sum <"$folder/package" | cut -d ' ' -f 1)
      [ "$got" = "$sha256" ] || fail 65 "$from: expected SHA-256 $sha256, got $got"
    else
      echo "install: $from is not checked: no SHA-256 was given" >&2
    fi
    from=$folder/package
    ;;
esac

if [ -z "$program" ]; then
  [ -e "$from" ] || fail 66 "$from: expected a package, got no such file"
  if [ -d "$from" ]; then
    search=$from
  elif tar --list --file "$from" >/dev/null 2>&1; then
    search=$folder/unpacked
    rm -rf "$search"
    mkdir -p "$search"
    tar --extract --file "$from" --directory "$search"
  else
    # An executable by itself, whatever it is called.
    search=$folder/bin
    mkdir -p "$search"
    install -m 755 "$from" "$search/firstframe"
  fi
  program=$(find "$search" -type f -name firstframe -perm -u+x | sort | head -n 1)
  [ -n "$program" ] || fail 65 "$from: expected an executable firstframe in it, got none"
fi
program=$(realpath "$program")
"$program" --help >/dev/null ||
  fail 69 "$program: expected a program that runs here, got one that does not"
if [ -n "${GITHUB_PATH:-}" ]; then dirname "$program" >>"$GITHUB_PATH"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "program=$program" >>"$GITHUB_OUTPUT"; fi
echo "$program"
