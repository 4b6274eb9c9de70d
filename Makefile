# `make` runs the default experiment, `make test` all tests that take minutes, `make test-all` every
# test there is; each first makes .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := run
.PHONY: run test test-all lint format generate docs wheel lock clean

run: $(VENV)/run.stamp
	@$(BIN)/snakemake
	@echo "The report of the default experiment: results/breast-cancer/report.html"

# one process per core; tests of one group (a shared fixture, the one Slurm) stay in one process
PYTEST = $(BIN)/pytest --quiet --numprocesses logical --maxprocesses 8 --dist loadgroup

test: $(VENV)/dev.stamp lint
	@$(PYTEST) -m 'not slow'

test-all: $(VENV)/dev.stamp lint
	@$(PYTEST)

lint: $(VENV)/dev.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/snakefmt --check Snakefile workflow
	@$(BIN)/snakemake --lint

format: $(VENV)/dev.stamp
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format . ; $(BIN)/snakefmt Snakefile workflow

# What is made from the code and the simulations: what the catalogue says of error rates, the
# experiment's schema, the tables of config/README.md and docs.
generate: $(VENV)/dev.stamp
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m bakeoff.schema
	@$(BIN)/python docs/generate.py

# The site, from the Markdown that is there and the docstrings: site/index.html
docs: $(VENV)/dev.stamp
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# A wheel and a source distribution in dist/, checked as the package index checks them
wheel: $(VENV)/dev.stamp
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation
	@$(BIN)/python -m twine check --strict dist/*

# The locks hold for Python 3.11 to 3.13; they name versions and hashes, no index.
lock: $(VENV)/bootstrap.stamp
	@for set in bootstrap run dev; do $(UV) compile --quiet --universal --python-version 3.11 --upgrade \
	  --generate-hashes --no-emit-index-url --no-header --no-annotate --constraint requirements/constraints.in \
	  $$( [ $$set = bootstrap ] && echo requirements/bootstrap.in || echo pyproject.toml ) \
	  $$( case $$set in run) echo --extra all;; dev) echo --extra dev --extra slurm;; esac ) -o requirements/$$set.lock; done
	@$(BIN)/python requirements/conda.py

clean:
	rm -rf $(VENV)

# uv installs in seconds what takes pip a minute; pip's own index setting, if any, is handed on.
UV = $(if $(INDEX),UV_DEFAULT_INDEX=$(INDEX)) UV_LINK_MODE=copy VIRTUAL_ENV=$(VENV) $(BIN)/uv pip
INDEX = $(shell $(BIN)/pip config get global.index-url 2>/dev/null)

$(VENV)/bootstrap.stamp: requirements/bootstrap.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] <= (3, 13) else "bakeoff needs Python 3.11 to 3.13, this is " + sys.version.split()[0] + "; say which with: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# dev holds all of run: once it is there, `make` leaves it as it is
$(VENV)/run.stamp: $(VENV)/bootstrap.stamp requirements/run.lock pyproject.toml
	@echo "installing into $(VENV)"
	@$(UV) install --quiet --compile-bytecode --require-hashes -r requirements/run.lock
	@$(UV) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.lock
	@$(UV) install --quiet --compile-bytecode --require-hashes -r requirements/dev.lock
	@touch $@
