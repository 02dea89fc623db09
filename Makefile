# `make demo` shows what innermost does, `make test` checks it.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PIP     = $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: demo test clean

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
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
