# FirstFrame: `make run` and `make test` do all the set-up they need; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# Two builds fight over the same two cores, and over a build folder; only `test` starts two, which
# have a folder each, and two sets of tests: the live ones mostly wait, and come first where both
# want a core.
.NOTPARALLEL:
.PHONY: run quick test test-slow tidy format embedded browser bench fidelity notebooks build \
  what-if play package package-test reference clean setup help docs docs-api docs-check docs-run \
  coverage-of-requirements mutants peers debug release determinism test-build \
  swift-test swift-test-live tidy-rules format-lint live checks-of-build checks-of-program python

SCENARIO ?= scenarios/wifi-budget-gate.yaml
FIRSTFRAME ?= .build/release/firstframe
EDGE ?= nginx
# Of `live`: model, or none where a browser plays.
LINK ?=
CLIENT ?= model
FORMATTED := Sources Tests Package.swift
STEP := .ci/step
# No test, measurement or comparison depends on what pilots others have kept.
test test-slow quick bench determinism swift-test swift-test-live: export FIRSTFRAME_PILOTS := off
# What .ci/with-tests does for the tests; `built` where all is built and two sets run at a time.
TESTS := test

## run: simulate SCENARIO and exit with its verdict (0 pass)
run: setup release
	.build/release/firstframe run $(SCENARIO)

## live: run SCENARIO live (EDGE=nginx|varnish|firstframe LINK=… CLIENT=model|browser)
live: setup
	@EDGE=$(EDGE) LINK=$(LINK) CLIENT=$(CLIENT) SCENARIO=$(SCENARIO) .ci/live

## browser: build the page of `live run --client browser`, whose viewer is WebAssembly
browser:
	@.ci/browser

## test: everything that gates; stops at the first that fails
test: setup
	@.ci/beside $(MAKE) --no-print-directory checks-of-build -- \
	  $(STEP) "build all with tests, release" $(MAKE) --no-print-directory test-build
	@$(STEP) "dependencies" .ci/dependencies.py check
	@.ci/beside $(MAKE) --no-print-directory checks-of-program TESTS=built -- \
	  nice -n 19 $(STEP) "swift test" $(MAKE) --no-print-directory swift-test TESTS=built

## quick: build what changed, in debug, and run the tests about it (SINCE=COMMIT)
quick: setup
	@.ci/quick $(if $(SINCE),--since $(SINCE))

## test-slow: the steps of .ci/slow.d, however long they take
test-slow: setup
	@.ci/slow

## tidy: the house rules and the format
tidy: format-lint tidy-rules

## coverage-of-requirements: the product's requirements, and what names each
coverage-of-requirements: setup
	@swift build --product tidy
	@.build/debug/tidy requirements

## mutants: seeded faults in the policies, each caught by the test it names
mutants: setup
	@swift build --product tidy
	@.build/debug/tidy mutants

## format: rewrite the sources in the house format
format:
	swift format --in-place --recursive --parallel --configuration .swift-format $(FORMATTED)

## embedded: compile the shipped code as Embedded Swift
embedded:
	@.ci/embedded

## what-if: a feed's replications as a WebAssembly module, in .build/what-if
what-if:
	@.ci/what-if

## play: pages of the flagships that simulate in a browser, in docs/play
play: setup release
	@.ci/play

## bench: speed as ratios to baselines of the same run (BENCH=--json, --check)
bench: setup
	swift run -c release firstframe-bench $(BENCH)

## fidelity: the network model against measurements of real TCP; names published sets it misses
fidelity: setup
	swift run -c release firstframe-fidelity

## peers: agreement and speed beside others' programs (SABRE= PENSIEVE= MM22= folders; needs PyPI)
peers: setup release
	@tools/peers.py --firstframe "$(FIRSTFRAME)" $(if $(SABRE),--sabre "$(SABRE)") \
	  $(if $(PENSIEVE),--pensieve "$(PENSIEVE)") $(if $(MM22),--mm22 "$(MM22)") $(PEERS)

## notebooks: run the scenarios of notebooks-exported again and render its pages (needs PyPI)
notebooks: setup release
	.ci/notebooks export

## docs: the documents as a site (needs PyPI), in .build/docs/site
docs:
	@.ci/docs site

## docs-api: pages of the library products, in .build/docs/api
docs-api: setup
	@.ci/docs api

## docs-check: links of the pages, and terms that a page leaves unexplained
docs-check:
	@.ci/pages_test.py
	@.ci/dependencies_test.py
	@.ci/pages.py links
	@.ci/pages.py terms

## reference: write the pages, schemas and llms.txt that the program makes of itself and the docs
reference: setup release
	$(FIRSTFRAME) reference --docs docs

## build: firstframe, release
build: setup release

## package: what can be installed, in .build/dist (tarball, Debian package, Python wheel)
package: setup
	@.ci/package

## package-test: make the packages, install each into a bare Debian root, compare results
package-test: setup
	@.ci/slow.d/65-packages

## clean: remove build products; results stay
clean:
	rm -rf .build

## setup: install git, pkg-config and GSL when missing
setup:
	@.ci/setup

## help: this list
help:
	@awk -F ': ' '/^## [a-z-]+: / { printf "  make %-25s %s\n", substr($$1, 4), $$2 }' Makefile

format-lint:
	@swift format lint --strict --recursive --parallel --configuration .swift-format $(FORMATTED)

tidy-rules: setup
	@swift build --product tidy
	@.build/debug/tidy

debug: setup
	@swift build --product firstframe

release: setup
	@swift build -c release --product firstframe

# Beside the build with tests, which waits for one module after the other and leaves a core free.
checks-of-build: setup
	@$(STEP) "tidy" $(MAKE) --no-print-directory tidy
	@$(STEP) "links and terms of the pages" $(MAKE) --no-print-directory docs-check
	@$(STEP) "embedded" $(MAKE) --no-print-directory embedded
	@$(STEP) "build firstframe, debug" $(MAKE) --no-print-directory debug

test-build: setup
	@.ci/with-tests build

# Of the build with tests, so that `make test` optimises the product once.
determinism: debug
	@FIRSTFRAME_RELEASE=$$(.ci/with-tests program) .ci/determinism $(SCENARIO)

# Beside the tests that are not live, which take longer.
checks-of-program:
	@$(STEP) "determinism" $(MAKE) --no-print-directory determinism
	@$(STEP) "commands of the pages" $(MAKE) --no-print-directory docs-run
	@$(STEP) "swift test, live" $(MAKE) --no-print-directory swift-test-live
	@$(STEP) "python" $(MAKE) --no-print-directory python

## python: ruff, mypy and pytest over the Python package, with the program of `make test`
python:
	@code=0; FIRSTFRAME=.build/tests/release/firstframe .ci/python test || code=$$?; \
	  if [ "$$code" -eq 75 ]; then echo "python: skipped"; else exit "$$code"; fi

# What README, tutorials and how-tos tell a user to type, and what they show.
docs-run:
	@.ci/pages.py run --firstframe "$$(.ci/with-tests program)"

# Without what .ci/long-suites names, and what .ci/slow.d/10-swift-tests runs.
swift-test: setup
	@.ci/with-tests $(TESTS) --skip 'LoadHarnessTests\.' \
	  --skip "\.($$(grep -v '^#' .ci/long-suites | paste -sd '|'))/"

# Live tests run by the clock, and one after the other. In one process with the simulator's tests,
# which keep every thread busy for minutes, no server would answer in time; beside another process
# that yields to theirs (`nice`) they do.
swift-test-live: setup
	@.ci/with-tests $(TESTS) --no-parallel --filter 'LoadHarnessTests\.'
