# One verb per task. CONTRIBUTING.md describes each of them.
# A bare machine with Python 3.11+, make and git is enough for `make run`.

PYTHON ?= python3
ARGS ?=
# A third of what a test takes is waiting: three keep two cores busy.
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --require-virtualenv
# The pins are complete, so pip need not resolve anything.
INSTALL := $(PIP) install -qq --require-hashes --no-deps
STAMPS := $(VENV)/stamps
BEGAN := $(shell date +%s)
TOOK = $$(($$(date +%s) - $(BEGAN))) s
TEMPLATES = $(shell find src -name '*.html' -not -path '*/built/*' 2>/dev/null)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-test setup-check run test test-all check fix bench bench-quick faults \
	coverage coverage-page docs audit lock pin-images wheel extension clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Feedloom needs Python 3.11 or newer; $(PYTHON) is not."; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) comes without venv. On Debian: apt-get install python3-venv"; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# Pins first; the package itself needs nothing more, so it is linked without them.
$(STAMPS)/run: requirements/build.txt requirements/run.txt pyproject.toml \
		| $(STAMPS)/venv
	@echo "installing what Feedloom runs on"
	@$(INSTALL) -r requirements/build.txt -r requirements/run.txt
	@$(PIP) install -qq --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMPS)/%: requirements/%.txt $(STAMPS)/run
	@echo "installing what the '$*' targets need"
	@$(INSTALL) -r $<
	@touch $@

setup: $(STAMPS)/run ## build .venv with everything for running
	@$(BIN)/python tools/fetch_assets.py
	@$(BIN)/python tools/build_docs.py --quiet || echo "no documentation under /docs"

setup-test: setup $(STAMPS)/test ## add what the tests need
	@$(BIN)/python tools/fetch_assets.py --with-tests
	@tools/ensure_programs.sh chromium:chromium newsboat:newsboat nginx:nginx-light \
	  tinyproxy:tinyproxy-bin microsocks:microsocks

setup-check: setup $(STAMPS)/test $(STAMPS)/check

run: setup ## set up and serve on port 8000
	@echo "set up in $(TOOK)"
	@exec $(BIN)/feedloom serve $(ARGS)

test: setup-test ## the tests, where only loopback exists; ARGS="-k word"
	@$(BIN)/python tools/only_loopback.py \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS); \
	  code=$$?; echo "make test took $(TOOK)"; exit $$code

test-all: setup-test $(STAMPS)/bench ## every test on both engines, each in its long form
	@LONG_TESTS=1 $(BIN)/python tools/only_loopback.py \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout 1800 $(ARGS); \
	  code=$$?; echo "make test-all took $(TOOK)"; exit $$code

check: setup-check ## lint, format, types, import contracts, spelling, leftovers, templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python tools/find_unused.py
	@echo "$(BIN)/djlint --lint (all templates)"
	@$(BIN)/djlint --quiet --lint $(TEMPLATES)

fix: setup-check ## let the tools repair what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/codespell --write-changes

bench: setup-test $(STAMPS)/bench ## the benchmarks; writes docs/performance.md
	@tools/ensure_programs.sh wrk:wrk
	@$(BIN)/python -m bench --write-docs $(ARGS)

bench-quick: setup-test $(STAMPS)/bench ## the benchmarks, small
	@tools/ensure_programs.sh wrk:wrk
	@$(BIN)/python -m bench --quick $(ARGS)

faults: setup-test $(STAMPS)/bench ## the fault tests in their long form
	@LONG_TESTS=1 $(BIN)/python tools/only_loopback.py \
	  $(BIN)/python -m pytest -m faults --timeout 1800 $(ARGS)

coverage: setup-test ## all tests, then which lines and branches they never reached
	@rm -rf build/coverage && mkdir -p build/coverage
	@$(BIN)/python tools/only_loopback.py \
	  $(BIN)/coverage run -m pytest --all -n $(WORKERS) --dist worksteal $(ARGS)
	@$(BIN)/coverage combine --quiet && $(BIN)/coverage report

coverage-page: setup ## write docs/security/coverage.md from the marks of the tests
	@$(BIN)/python tools/threat_coverage.py

docs: setup ## build the documentation site, which the program serves at /docs
	@$(BIN)/python tools/build_docs.py

audit: setup ## pins, licences and known advisories
	@$(BIN)/python tools/audit.py

lock: $(STAMPS)/lock ## compute the pins again; ARGS=--upgrade for newer ones
	@$(BIN)/python tools/lock.py $(ARGS)

pin-images: setup ## write the digests of the base images, before a release
	@$(BIN)/python tools/pin_images.py

wheel: setup ## build dist/*.whl and the sdist
	@rm -rf build/lib build/bdist.* dist
	@$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	@ls -l dist

extension: setup ## build the browser extension into dist
	@$(BIN)/python tools/build_extension.py

clean: ## remove everything that was built or fetched
	@rm -rf $(VENV) .cache build dist src/*.egg-info .mypy_cache .ruff_cache \
	  .pytest_cache .hypothesis .import_linter_cache .coverage \
	  src/feedloom/serve/pages/static/vendor src/feedloom/serve/pages/handbook/built
	@find src tests tools bench -name __pycache__ -type d -prune \
	  -exec rm -rf {} + 2>/dev/null || true
