# Every target sets up what it needs: a venv in .venv with the tools of pyproject.toml, and the real
# clients from npm in a cache folder (see tests/e2e/client.py). Nothing global is installed or changed.

export PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/ready
PIP := $(RUN) -m pip --quiet --disable-pip-version-check

unexport PYTHONDONTWRITEBYTECODE # each worker of pytest would compile all tests anew

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build test hold soak pythons newest bench replay reader facts audit recall compare demo picture lint unit processes attacks e2e matrix clean \
	needs-all needs-python

# $(call need,PACKAGES): stops with one line that names what is missing and how to get it.
need = @missing="$$(sh .ci/missing $(1))"; [ -z "$$missing" ] || { \
	echo "compact-keeper: missing: $$(echo "$$missing" | sed 's/ /, /g')." \
		"On Debian: apt-get install $$missing" >&2; exit 1; }

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: needs-all $(READY) ## Checks everything: lint, types, functions, scripts, attacks, then the real clients
	$(RUN) tests/run_parts.py lint unit processes attacks e2e

hold: needs-all $(READY) ## Tries to break what is promised, at full length (PARTS="kills leaks" for some; Pythons apart)
	$(RUN) tests/hold/hold.py $(PARTS)

soak: SCALE ?= 1
soak: needs-all $(READY) ## Lives a month of 500,000 records through all hooks (SCALE=0.1 for a tenth)
	$(RUN) tests/hold/soak.py --scale $(SCALE)

pythons: needs-all $(READY) ## Runs every unit test and the loop with each Python from 3.9 to 3.13
	$(RUN) tests/hold/hold.py pythons

newest: needs-all ## Says in what the newest client on npm differs from the newest one under test
	$(PYTHON) tests/e2e/newest.py

bench: ## Measures what the hooks import, and the hooks as whole processes
	$(call need,python3)
	$(PYTHON) tests/bench/imports.py
	$(PYTHON) tests/bench/latency.py

replay: ## Measures what comes back in real sessions (PATHS=…; else your own)
	$(call need,python3)
	$(PYTHON) tests/bench/replay.py $(PATHS)

reader: ## Tests readers on your own compactions (PATHS=…; READER="claude -p" asks a model; OUT=… keeps all)
	$(call need,python3)
	$(PYTHON) tests/bench/reader.py $(PATHS) $(if $(READER),--reader "$$READER") $(if $(OUT),--out "$(OUT)")

facts: ## Measures what comes back of facts planted in made-up sessions
	$(call need,python3)
	$(PYTHON) tests/bench/facts.py

audit: ## Measures what the audit says about made-up summaries
	$(call need,python3)
	$(PYTHON) tests/bench/audit.py

recall: ## Measures what the archive finds and how fast (PATHS=…; else your own; CACHE=… keeps the large one)
	$(call need,python3)
	$(PYTHON) tests/bench/archive.py $(PATHS) $(if $(CACHE),--cache $(CACHE))

compare: ## Measures other tools on the same sessions (PATHS=…; else your own; CACHE=… keeps their files)
	$(call need,git python3 nodejs)
	$(PYTHON) tests/bench/peers.py $(PATHS) $(if $(CACHE),--cache $(CACHE))

demo: ## Shows a session of the real client losing and getting back its facts (DETAILS=1 for all that is given)
	$(call need,git python3 nodejs npm)
	$(PYTHON) tests/e2e/demo.py $(if $(DETAILS),--details)

picture: needs-all $(READY) ## Draws README's picture of the client after a compaction
	$(RUN) tests/e2e/picture.py

build: ## Writes the scripts that are made from src/
	$(call need,python3)
	$(PYTHON) src/build.py

lint: $(READY) ## Runs ruff and mypy, and compares the built scripts with their sources
	$(RUN) src/build.py --check
	$(RUN) -m ruff check
	$(RUN) -m mypy

unit: $(READY) ## Runs the tests of functions, on the sources
	$(RUN) -m pytest tests/unit --numprocesses=2

processes: $(READY) ## Runs the tests of the built scripts, as processes
	$(call need,postgresql chromium tmux)
	$(RUN) -m pytest tests/processes --numprocesses=3 --dist=loadgroup

attacks: $(READY) ## Runs the attacks of tests/hold in their short form
	$(RUN) -m pytest tests/hold --numprocesses=3

e2e: needs-all $(READY) ## Runs the tests with the newest and the oldest client (COMPACT_KEEPER_CLIENTS=all with each)
	$(RUN) tests/e2e/client.py --install
	$(RUN) -m pytest tests/e2e --numprocesses=3 --dist=loadgroup

matrix: export COMPACT_KEEPER_CLIENTS := between
matrix: needs-all $(READY) ## Runs what differs from client to client with those that e2e leaves out
	$(RUN) tests/e2e/client.py --install
	$(RUN) -m pytest tests/e2e/test_matrix.py --numprocesses=3 --dist=loadgroup

clean: ## Removes the venv and every tool's cache, and says where the clients are
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find scripts tests -name __pycache__ -prune -exec rm -rf {} +
	@clients="$${COMPACT_KEEPER_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/compact-keeper}/claude-code"; \
		[ ! -d "$$clients" ] || echo "The clients that tests and demo downloaded stay. To remove them: rm -r $$clients"

needs-all:
	$(call need,git python3 python3-venv nodejs npm postgresql chromium tmux)

needs-python:
	$(call need,python3 python3-venv)

# A worktree's .venv may be a link to another checkout's: venv would follow it and empty what others work with.
# pip reads dependency groups from 25.1 on; Debian's venv begins with an older one.
$(READY): pyproject.toml | needs-python
	@[ ! -L $(VENV) ] || { echo "compact-keeper: $(VENV) is a link, and the tools of pyproject.toml would be set up anew" \
		"in the folder it leads to. Remove the link for a venv of this checkout, or run make over there." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group dev
	@touch $@
