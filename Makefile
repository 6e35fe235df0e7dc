# Every target installs what it needs into .venv, and no more: `make demo` and `make test` are
# enough on a fresh machine.
PYTHON ?= python3
WORKERS ?= 2
# Of `make mutants`: another seed samples other mutants.
SEED ?= 2015
COUNT ?= 1000

BIN := .venv/bin
PACKAGES := .venv/lib/python*/site-packages
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# One file for each step of the installation, made when the step is complete.
RUNTIME := .venv/.runtime
TEST := .venv/.test
DEV := .venv/.dev
PARTS := .venv/.parts
MUTANTS := .venv/.mutants
LOOPS := .venv/.loops
RELEASE := .venv/.release

# Tests cover every branch of these, and nine in ten of all, the studies included.
MATHEMATICS := $(subst $() ,$(),*/_counting/*, */_table/*, */spaces/*, */measures.py, */decisions/*, \
    */uncertainty/*, */comparison.py, */calibration.py, */verdict/*)
# Code that is tested through a missing program is not run, so full coverage needs all programs.
PROGRAMS := cc chromium node java psql
MISSING := $(foreach program,$(PROGRAMS),$(if $(shell command -v $(program) 2>/dev/null),,$(program)))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-all matrix mutants parts lint format web docs bench clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "Options: PYTHON=python3.12 (the Python to build .venv with), WORKERS=2 (parallel test processes)"

demo: $(RUNTIME)  ## run the worked example
	$(BIN)/isometrics demo

test: $(TEST) $(LOOPS)  ## run the quick tests, three minutes; `make test-all` adds the slow ones
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-quick} $(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

test-all: $(PARTS) $(LOOPS) $(if $(filter node,$(MISSING)),,web/node_modules/.ready)  ## run all tests with branch coverage; installs the large optional parts first
	$(BIN)/python -m pytest -n $(WORKERS) --cov
	$(if $(MISSING),,$(BIN)/coverage report --format=total --include='$(MATHEMATICS)' --fail-under=100)
	$(if $(MISSING),,$(BIN)/coverage report --format=total --fail-under=90)

matrix: $(RELEASE)  ## build wheel and sdist, install and test them with Python 3.11 to 3.13, newest and oldest dependencies
	$(BIN)/python tests/matrix --write

mutants: $(MUTANTS) $(LOOPS)  ## sample 1,000 mutants of the mathematics and run the tests of each; goes on where it was stopped
	$(BIN)/python tests/mutants --workers $(WORKERS) --seed $(SEED) --count $(COUNT)

parts: $(PARTS)  ## install the large optional parts: torch, JAX, Spark, MLflow, skore, playwright

lint: $(DEV)  ## check style, formatting, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)  ## apply formatting and the safe fixes of the linter
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

web: web/node_modules/.ready  ## check, test and build the interactive page (needs Node)
	cd web && npm run check && npm test && npm run build

docs: $(DEV)  ## draw the pictures again and build the site into site/
	$(BIN)/python docs/figures/draw.py
	$(BIN)/zensical build --clean --strict
	$(BIN)/python docs/render_math.py
	$(BIN)/python docs/check_site.py

bench: $(PARTS) $(LOOPS)  ## time isometrics and other tools, ten minutes on an idle machine, and write benchmarks/README.md
	$(BIN)/python benchmarks/peers.py --write

clean:  ## remove .venv and everything generated
	rm -rf .venv __pycache__ web/node_modules site demo-report papers build dist .coverage .coverage.* .cache .matrix \
	    .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src/isometrics/_counting/native -name 'loops.*' ! -name loops.h -delete
	find src studies tests docs examples benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

web/node_modules/.ready: web/package-lock.json
	@command -v node >/dev/null || { \
	    echo "The page is built with Node 20 or newer, but there is no 'node' here. The built page is in the repository, so only who changes web/ needs it."; exit 1; }
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# pip takes a package for installed as soon as its metadata is there, also where it was interrupted
# before it had copied all files. It writes INSTALLER after them, so a package without it, and what
# pip had moved aside, is removed before every installation.
define resume
@for package in $(PACKAGES)/*.dist-info; do test -f "$$package/INSTALLER" || rm -rf "$$package"; done
@rm -rf $(PACKAGES)/~*
endef

$(RUNTIME): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	    echo "isometrics needs Python 3.11 or newer, but there is no '$(PYTHON)' here. Give one: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "isometrics needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Give a newer one: make PYTHON=python3.12"; exit 1; }
	@echo "Installing isometrics into .venv"
	$(resume)
	@test -x $(BIN)/python && ls -d $(PACKAGES)/pip-*.dist-info >/dev/null 2>&1 || { \
	    rm -rf $(PACKAGES)/pip && $(PYTHON) -m venv .venv; }
	@$(PIP) install --upgrade "pip>=25.1"
	@$(PIP) install --editable ".[cli]"
	@touch $@

# The installation compiles the loops too, where there is a C compiler; this is for who changes them.
$(LOOPS): hatch_build.py $(wildcard src/isometrics/_counting/native/*.[ch]) | $(RUNTIME)
	@$(BIN)/python hatch_build.py
	@touch $@

$(TEST): studies/pyproject.toml $(RUNTIME)
	@echo "Installing the packages of the tests, and the studies, into .venv"
	$(resume)
	@$(PIP) install --group test --editable studies
	@touch $@

$(DEV): $(TEST)
	@echo "Installing the linters and the tools of the documentation into .venv"
	$(resume)
	@$(PIP) install --group dev
	@touch $@

$(MUTANTS): $(TEST)
	@echo "Installing the mutation operators into .venv"
	$(resume)
	@$(PIP) install --group mutants
	@touch $@

$(RELEASE): $(RUNTIME)
	@echo "Installing the tools that build and check archives into .venv"
	$(resume)
	@$(PIP) install --group release
	@touch $@

$(PARTS): $(TEST)
	@echo "Installing the large optional parts into .venv; this takes minutes"
	$(resume)
	@$(PIP) install --group parts
	@touch $@
