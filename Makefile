# Every target sets up .venv by itself: `make test` is enough on a fresh machine.
PYTHON ?= python3
WORKERS ?= 2

BIN := .venv/bin
READY := .venv/.ready
PARTS := .venv/.parts
PEERS := .venv-peers

.DEFAULT_GOAL := help
.PHONY: help demo test parts lint format web docs bench clean

help:  ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | column -t -s '|'
	@echo
	@echo "Options: PYTHON=python3.12 (the Python to build .venv with), WORKERS=2 (parallel test processes)"

demo: $(READY)  ## run the worked example
	$(BIN)/isometrics demo

# Code for parts that are missing is not run, so all of it is asked for only where all are there.
test: $(READY)  ## run all tests; those of missing parts (Node, chromium, Java, torch) are skipped
	@if command -v node >/dev/null; then $(MAKE) --no-print-directory web/node_modules/.ready; \
	    else echo "Node is missing: the tests of the page's own code are skipped"; fi
	$(BIN)/python -m pytest -n $(WORKERS) --cov $(if $(wildcard $(PARTS)),--cov-fail-under=100)

parts: $(PARTS)  ## install the large optional parts too: torch, JAX, Spark, MLflow, skore

$(PARTS): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group parts
	@touch $@

lint: $(READY)  ## check style, formatting, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## apply formatting and the safe fixes of the linter
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

web: web/node_modules/.ready  ## check, test and build the interactive page (needs Node)
	cd web && npm run check && npm test && npm run build

docs: $(READY)  ## draw the figures and build the site into site/
	$(BIN)/python docs/figures/draw.py
	$(BIN)/zensical build --clean --strict
	$(BIN)/python docs/check_site.py

bench: $(READY) $(PEERS)/.ready  ## time isometrics and other tools, and the page where chromium is
	$(BIN)/python benchmarks/kernel.py
	$(PEERS)/bin/python benchmarks/peers.py --write
	@if command -v chromium >/dev/null; then $(BIN)/python benchmarks/page.py; \
	    else echo "chromium is missing: the page is not timed"; fi

clean:  ## remove .venv and everything generated
	rm -rf .venv $(PEERS) web/node_modules site docs/images demo-report papers build dist .coverage .coverage.* .cache \
	    .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests docs examples benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# Other tools are pinned, and kept away from the environment of the tests.
$(PEERS)/.ready: benchmarks/peers-requirements.txt $(READY)
	@echo "Installing the tools to compare with into $(PEERS)"
	@test -x $(PEERS)/bin/python || $(BIN)/python -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check \
	    --requirement benchmarks/peers-requirements.txt --editable ".[fast]"
	@touch $@

web/node_modules/.ready: web/package-lock.json
	@command -v node >/dev/null || { \
	    echo "The page is built with Node 20 or newer, but there is no 'node' here. The built page is in the repository, so only who changes web/ needs it."; exit 1; }
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	    echo "isometrics needs Python 3.11 or newer, but there is no '$(PYTHON)' here. Give one: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "isometrics needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Give a newer one: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing isometrics and its development tools into .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@
