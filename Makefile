# `make demo` shows what innermost does, `make test` checks it.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
INSTALL = -m pip --disable-pip-version-check install --quiet
PIP     = $(BIN)/python $(INSTALL) --constraint constraints.txt
LOWEST  = $(VENV)-lowest
CORE    = $(VENV)-core

.PHONY: demo test test-lowest test-core clean

demo: $(VENV)/.core
	$(BIN)/innermost models
	$(BIN)/innermost predict --input examples/news.txt
	$(BIN)/innermost predict --model genia --input examples/biomedical.txt
	$(BIN)/innermost predict --model litbank --input examples/prose.txt

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/footprint.py
	$(BIN)/pytest -n auto

# The lowest versions that pyproject.toml allows; of torch, the pinned one. seqeval has no wheel.
test-lowest:
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python $(INSTALL) --editable .
	$(LOWEST)/bin/python tools/lowest_versions.py torch > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python $(INSTALL) "$$(grep '^torch==' constraints.txt)"
	$(LOWEST)/bin/python $(INSTALL) --only-binary :all: --no-binary seqeval --constraint $(LOWEST)/lowest.txt --editable '.[test]'
	$(LOWEST)/bin/pytest -n auto

# No extras, the lowest versions: tests that need an extra are skipped.
test-core:
	$(PYTHON) -m venv --clear $(CORE)
	$(CORE)/bin/python $(INSTALL) --editable .
	$(CORE)/bin/python tools/lowest_versions.py > $(CORE)/lowest.txt
	$(CORE)/bin/python $(INSTALL) --only-binary :all: --constraint $(CORE)/lowest.txt --editable . pytest hypothesis
	$(CORE)/bin/pytest

$(VENV)/.core: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

# torch first and pinned: a range may resolve to a build of several gigabytes.
$(VENV)/.dev: $(VENV)/.core
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(CORE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
