# make demo   install, index this repository, print a cited evidence pack by keyword search, embed, search again
# make test   install what the tests need and run them all
# make coverage  the same, with the lines that no test runs; takes nearly twice as long
# make check  format, lint, types, import contracts, spelling, prose
# make dist   build what is published, and check it
# make site   build the documentation into .site/html, and check its links
# make bench  measure quality and speed (needs the data that bench/ names)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES ?= README.md docs src
QUESTION ?= How is a citation checked against the file as it is now?
INDEX := $(VENV)/demo/.pincite
# One worker more than there are cores, as tests wait for the processes that they start. One that is
# done takes tests of the others.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 1)
PYTEST_ARGS ?=

.PHONY: demo test coverage check format site bench dist sbom licences wheel debian clean

demo: $(VENV)/installed
	@$(BIN)/pincite index $(SOURCES) --index $(INDEX) --background
	@echo
	@echo '$$ pincite search "$(QUESTION)"'
	@$(BIN)/pincite search "$(QUESTION)" -n 4 --index $(INDEX)
	@echo
	@echo 'A background process embeds the texts for semantic search: this waits for it, and Ctrl-C loses nothing.'
	@$(BIN)/pincite index --index $(INDEX)
	@echo
	@echo '$$ pincite search "$(QUESTION)"    # keyword search and semantic search'
	@$(BIN)/pincite search "$(QUESTION)" -n 4 --index $(INDEX)

# The tests start thousands of processes. Where PYTHONDONTWRITEBYTECODE is set, each would compile
# every module that it imports.
test: $(VENV)/dev debian
	$(BIN)/pincite models fetch all-MiniLM-L6-v2
	$(BIN)/python -m compileall -q -j 0 src
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

coverage: PYTEST_ARGS += --cov --cov-report=term
coverage: test

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python -m pytest -q --no-header tests/test_prose.py

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

site: $(VENV)/docs
	$(BIN)/python deploy/site/build.py
	$(BIN)/python deploy/site/links.py .site/html

bench: $(VENV)/dev
	$(BIN)/python -m bench $(BENCH_ARGS)

dist: $(VENV)/release
	$(BIN)/python -m release.dist --out dist

sbom: dist
	$(BIN)/python -m release.sbom --dist dist

licences: $(VENV)/dev
	$(BIN)/python -m release.licences > docs/licences.md

wheel: $(VENV)/dev
	$(BIN)/python -m pip wheel --no-deps --wheel-dir dist .

# Tests of git checkouts need git itself, those of workspaces a PostgreSQL server and pgbouncer.
# Those of the page need Chromium, and are skipped without it.
debian:
	@{ command -v git && ls /usr/lib/postgresql/*/bin/initdb && ls /usr/sbin/pgbouncer; } >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq git postgresql pgbouncer; \
	  else echo "programs of Debian are missing: apt-get install git postgresql pgbouncer, then make test" >&2; \
	    exit 1; fi; }
	@for browser in chromium chromium-browser google-chrome google-chrome-stable; do \
	  command -v $$browser >/dev/null && exit 0; done; \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || echo "there is no Chromium: the tests of the page are skipped" >&2

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; say which: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "python venv is missing: apt-get install python3-venv, then try again" >&2; rm -rf $(VENV); exit 1; }
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/dev: $(VENV)/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(VENV)/release: $(VENV)/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group release
	@touch $@

$(VENV)/docs: $(VENV)/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

clean:
	rm -rf $(VENV) .site build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
