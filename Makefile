# Every target sets itself up: the first one makes .venv, later ones find it. `make` alone lists them.
# PYTHON=… picks the interpreter when .venv is first made; without it the newest of these that runs.

SUITS := -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3 python; do \
	$$python $(SUITS) && { echo $$python; break; }; done)
BIN := .venv/bin
FRONT_ENDS := tests/referees/node
FUZZ_SECONDS ?= 60
FRAMINGS := sse ndjson json_array aws sniff
SOURCES = openai-chat openai-responses anthropic gemini ollama bedrock cohere ai-sdk ai-sdk-ui provider-delta events

# Pyright uses the Node of this machine, and does not ask the network for a newer self.
export PYRIGHT_PYTHON_GLOBAL_NODE := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run demo test test-fast test-deep check format docs bench fuzz

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

run: demo ## what Weft does, in the terminal

demo: .venv/.stamp ## a conversion shown in the terminal
	@$(BIN)/weft demo

test: .venv/.stamp .venv-referees/.stamp $(FRONT_ENDS)/node_modules/.stamp ## all tests, those against the vendors' SDKs included
	@echo "==> tests"
	@$(BIN)/pytest -q -n auto --dist loadfile -m "not deep"

test-fast: .venv/.stamp ## the tests that take seconds
	@$(BIN)/pytest -q -n auto --dist loadfile -m "not deep and not slow and not referees"

test-deep: .venv/.stamp .venv-referees/.stamp $(FRONT_ENDS)/node_modules/.stamp ## the campaigns of minutes
	@$(BIN)/pytest -q -m deep --timeout=1800 --hypothesis-profile=deep

check: .venv/.stamp ## format, lint, types, generated docs
	@echo "==> ruff format"
	@$(BIN)/ruff format --check --quiet .
	@echo "==> ruff check"
	@$(BIN)/ruff check --quiet .
	@command -v node >/dev/null || { echo "make check needs Node 20 or newer, which pyright runs on" >&2; exit 1; }
	@echo "==> pyright"
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@echo "==> docs"
	@$(BIN)/python tools/docs.py --check

format: .venv/.stamp ## rewrite the sources as `make check` wants them
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format --quiet .

docs: .venv/.stamp ## write the tables of the docs anew from the code
	@$(BIN)/python tools/docs.py

bench: .venv/.stamp .venv-referees/.stamp .venv-peers/.stamp .venv-peers-apart/.stamp ## cost per chunk against the floor, beside SDKs and other bridges
	@$(BIN)/python -m benchmarks.bench
	@$(BIN)/python -m benchmarks.beside

fuzz: .venv/.stamp ## throw bytes at the framings and the sources, FUZZ_SECONDS each
	@for name in $(FRAMINGS); do \
		echo "==> fuzz framing $$name"; \
		$(BIN)/python tests/fuzz/fuzz_framing.py $$name $(FUZZ_SECONDS) || exit 1; \
	done
	@for name in $(SOURCES); do \
		echo "==> fuzz source $$name"; \
		$(BIN)/python tests/fuzz/fuzz_decoders.py $$name $(FUZZ_SECONDS) || exit 1; \
	done

# A venv whose pip does not answer is made anew: its Python has gone, or its making was interrupted.
define venv
	@$(1)/bin/python -m pip --version >/dev/null 2>&1 || { \
		$(PYTHON) $(SUITS) || { echo "Weft needs Python 3.11 or newer with venv; say where with PYTHON=" >&2; exit 1; }; \
		echo "==> $(1): new, with $(PYTHON)"; \
		$(PYTHON) -m venv --clear $(1); \
	}
endef

.venv/.stamp: pyproject.toml
	$(call venv,.venv)
	@echo "==> .venv: Weft and its tools"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,test,dev]'
	@touch $@

.venv-referees/.stamp: pyproject.toml
	$(call venv,.venv-referees)
	@echo "==> .venv-referees: the vendors' SDKs (only the tests use them; \`make test-fast\` does without)"
	@.venv-referees/bin/python -m pip install --quiet --disable-pip-version-check -e '.[referees]'
	@touch $@

# The benchmarks alone use them: where they cannot be had, their rows say so.
.venv-peers/.stamp .venv-peers-apart/.stamp: .venv%/.stamp: pyproject.toml
	$(call venv,.venv$*)
	@echo "==> .venv$*: other bridges, to be measured beside Weft (takes a minute)"
	@if .venv$*/bin/python -m pip install --quiet --disable-pip-version-check -e '.[$(*:-%=%)]'; then touch $@; \
	else echo "none here: their rows are left out" >&2; fi

# Without Node the tests that ask front ends are skipped, and say so: nobody needs it to work on the rest.
$(FRONT_ENDS)/node_modules/.stamp: $(FRONT_ENDS)/package.json
	@if command -v npm >/dev/null && { \
		echo "==> $(FRONT_ENDS): the clients of front ends (only the tests use them)"; \
		npm install --prefix $(FRONT_ENDS) --no-package-lock --no-audit --no-fund --silent; \
	}; then touch $@; else echo "no clients of front ends: their tests are skipped" >&2; fi
