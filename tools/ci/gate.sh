#!/usr/bin/env bash
# Runs firstframe gate as a CI job wants it: comment, history, JUnit, metrics and pages into one
# folder, the verdict into the job's outputs.
# Usage: gate.sh     everything comes in by variables:
#
#   FIRSTFRAME_SCENARIOS   scenario files or patterns, one a line
#   FIRSTFRAME             the program. Default: firstframe
#   FIRSTFRAME_BASELINE    committed: compare with the baselines of the repository; cached: with
#                          those that the last run on the main branch has left, if any; none.
#                          Default: none
#   FIRSTFRAME_BASELINES   the folder of the baselines. Default: results/baselines
#   FIRSTFRAME_UPDATE      true: write the baselines instead of comparing with them
#   FIRSTFRAME_NAME        of the gate, where a request has several. Default: gate
#   FIRSTFRAME_HISTORY     the file of the history; empty: none is kept
#   FIRSTFRAME_COMMIT      what is gated; empty: what the CI's own variables say
#   FIRSTFRAME_OUTPUT      the folder for everything. Default: firstframe-gate
#   FIRSTFRAME_ARGUMENTS   more arguments of firstframe gate, one a line
#   FIRSTFRAME_FAILS       false: end with 0 when there is a verdict, and leave it to the outputs
#
# Ends with firstframe's exit code (firstframe gate --help). Outputs, into $GITHUB_OUTPUT and
# FOLDER/outputs.env: exit-code, verdict, changed, folder, comment.
set -euo pipefail
shopt -s nullglob

fail() {
  echo "gate: error: $2" >&2
  exit "$1"
}

program=${FIRSTFRAME:-firstframe}
output=${FIRSTFRAME_OUTPUT:-firstframe-gate}
baselines=${FIRSTFRAME_BASELINES:-results/baselines}
files=()
while IFS= read -r pattern; do
  [ -n "${pattern// /}" ] || continue
  # A pattern is expanded, a name with blanks in it is not split.
  found=()
  while IFS= read -r file; do found+=("$file"); done < <(compgen -G "$pattern" | sort || true)
  [ ${#found[@]} -gt 0 ] || fail 66 "FIRSTFRAME_SCENARIOS: expected files, got none for $pattern"
  files+=("${found[@]}")
done <<<"${FIRSTFRAME_SCENARIOS:-}"
[ ${#files[@]} -gt 0 ] || fail 64 "FIRSTFRAME_SCENARIOS: expected scenario files, got none"

command=("$program" gate "${files[@]}" --output "$output/results" --junit "$output/junit.xml"
  --openmetrics "$output/metrics.txt" --pr-comment "$output/comment.md"
  --pr-comment-name "${FIRSTFRAME_NAME:-gate}" --progress plain)
if [ "${FIRSTFRAME_UPDATE:-false}" = true ]; then
  command+=(--update-baseline --baseline "$baselines")
else
  case ${FIRSTFRAME_BASELINE:-none} in
    none) ;;
    committed) command+=(--baseline "$baselines") ;;
    cached)
      known=("$baselines"/*.json)
      if [ ${#known[@]} -gt 0 ]; then
        command+=(--baseline "$baselines")
      else
        echo "gate: there are no cached baselines yet: the budgets alone are judged" >&2
      fi
      ;;
    *)
      fail 64 "FIRSTFRAME_BASELINE: expected committed, cached or none, got $FIRSTFRAME_BASELINE"
      ;;
  esac
fi
if [ -n "${FIRSTFRAME_HISTORY:-}" ]; then command+=(--history "$FIRSTFRAME_HISTORY"); fi
if [ -n "${FIRSTFRAME_COMMIT:-}" ]; then command+=(--commit "$FIRSTFRAME_COMMIT"); fi
if [ -n "${GITHUB_ACTIONS:-}" ]; then command+=(--github); fi
if [ -n "${GITLAB_CI:-}" ]; then command+=(--gitlab); fi
while IFS= read -r argument; do
  [ -z "$argument" ] || command+=("$argument")
done <<<"${FIRSTFRAME_ARGUMENTS:-}"

mkdir -p "$output"
rm -f "$output/comment.md" "$output/outputs.env"
code=0
"${command[@]}" || code=$?

field() { sed -nE "1s/.* $1=\"([^\"]*)\".*/\\1/p" "$output/comment.md"; }
verdict=
changed=
comment=
if [ -e "$output/comment.md" ]; then
  verdict=$(field verdict)
  changed=$(field changed)
  comment=$output/comment.md
fi
printf '%s\n' "exit-code=$code" "verdict=$verdict" "changed=$changed" "folder=$output" \
  "comment=$comment" | tee "$output/outputs.env" >>"${GITHUB_OUTPUT:-/dev/null}"
echo "gate: exit code $code, verdict ${verdict:-none}, changed ${changed:-unknown}"
# Without a verdict something is wrong with the job, and nothing after it makes sense.
if [ -n "$verdict" ] && [ "${FIRSTFRAME_FAILS:-true}" = false ]; then exit 0; fi
exit "$code"
