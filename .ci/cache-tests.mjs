// Scores a result of http-tests/cache-tests: node cache-tests.mjs SUITE RESULT.json
// A test counts as the suite's own summary has it: one whose precondition fails does not pass.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [suite, file] = process.argv.slice(2)
const load = name => import(pathToFileURL(path.join(suite, name)))
const { default: groups } = await load('tests/index.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')

const ours = JSON.parse(fs.readFileSync(file))
const peers = ['nginx', 'varnish', 'squid']
const theirs = peers.map(name =>
  JSON.parse(fs.readFileSync(path.join(suite, 'results', `${name}.json`))))
// The groups that an edge lives by.
const gated = ['cc-freshness', 'cc-parse', 'cc-response', 'age-parse', 'expires', 'expires-parse',
  'stale', 'update304', 'heuristic', 'status', 'vary', 'conditional-lm', 'conditional-inm']
const least = 142

const passes = (tests, result) =>
  tests.filter(test => determineTestResult(groups, test.id, result) === resultTypes.pass).length
const failures = []
let [total, passed] = [0, 0]
console.log(['group'.padEnd(18), 'required', 'optimal', 'edge', ...peers].join('  '))
for (const group of groups) {
  const run = group.tests.filter(test => !test.browser_only)
  const required = run.filter(test => (test.kind ?? 'required') === 'required')
  const optimal = run.filter(test => test.kind === 'optimal')
  const scores = [ours, ...theirs].map(result => [required, optimal].map(of => passes(of, result)))
  total += required.length
  passed += scores[0][0]
  console.log([group.id.padEnd(18), String(required.length).padStart(8),
    String(optimal.length).padStart(7), ...scores.map(pair => pair.join('+'))].join('  '))
  const sums = scores.map(([a, b]) => a + b)
  if (gated.includes(group.id) && sums[0] < Math.max(...sums.slice(1))) {
    failures.push(`${group.id}: ${sums[0]}, below the best of ${peers.join(', ')}`)
  }
}
console.log(`required: ${passed} of ${total}`)
if (passed < least) failures.push(`required: ${passed}, below ${least}`)
for (const failure of failures) console.error(`cache-tests: error: ${failure}`)
process.exit(failures.length === 0 ? 0 : 1)
