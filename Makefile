# Two commands do everything on a fresh machine with Python 3.11+ and make:  make demo   make test
PYTHON ?= $(shell command -v python3.11 || command -v python3)
TORCH ?= torch==2.13.0
# For the CPU-only wheels of PyTorch:  make test TORCH_INDEX="--index-url <the CPU index>"
TORCH_INDEX ?=

VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
PIP := $(BIN)/python -m pip --disable-pip-version-check
SPEC := pyproject.toml constraints.txt

.PHONY: demo test test-privacy check lint types dist clean help mutations bench-import bench-scan quality catalogue kit schemas
.PHONY: test-faults test-kill nightly bench-calls test-gate bench-gate test-stats test-rebuilds test-sandbox bench-sandbox test-report bench-report queries queries-strong

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/core.stamp  ## the whole pipeline on synthetic sessions: no key, no network
	$(BIN)/tracedance demo

test: $(VENV)/dev.stamp  ## all tests
	$(BIN)/python -m pytest -q

test-privacy: $(VENV)/dev.stamp  ## 2,000 planted secrets: what redaction misses, what it flags wrongly, what leaves (2 minutes)
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.privacy.exam

mutations: $(VENV)/dev.stamp  ## 50,000 mutants of every format's fixture (the tests run 1,500)
	TRACEDANCE_MUTATIONS=50000 $(BIN)/python -m pytest -q tests/ingest/test_mutations.py

FAULT_CALLS ?= 5000
KILLS ?= 200
SIMULATIONS ?= 1000

test-faults: $(VENV)/dev.stamp  ## 5,000 calls to a provider that fails 1 to 60% of them
	TRACEDANCE_FAULT_CALLS=$(FAULT_CALLS) $(BIN)/python -m pytest -q tests/models/test_faults.py tests/models/test_budget.py

test-stats: $(VENV)/dev.stamp  ## do intervals hold what they say? 1,000 simulations of each (2 minutes of CPU)
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.analyse.simulation $(SIMULATIONS)

test-report: $(VENV)/dev.stamp  ## pages read back, and opened in headless Chromium where one is installed: hostile texts in every field, search, paper
	$(BIN)/python -m pytest -q tests/report

bench-report: $(VENV)/dev.stamp  ## size and load event of a report of 1,000 instances x 9 models, beside plain text of its size (3 minutes)
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.bench.report_size

test-kill: $(VENV)/dev.stamp  ## kill -9 at 200 random points and at every named one, of build and evaluate
	PYTHONPATH=pipeline:. $(BIN)/python -W ignore -m tests.kills --kills $(KILLS)

test-rebuilds: $(VENV)/dev.stamp  ## 50 evaluations in each of 4 settings: grades the same to the byte (5 minutes)
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.rebuilds

test-gate: $(VENV)/dev.stamp  ## the gate against its oracle in 10,000 cases; false FAILs and power in 2,000 simulations (3 minutes)
	TRACEDANCE_GATE_CASES=10000 TRACEDANCE_GATE_SIMULATIONS=2000 $(BIN)/python -m pytest -q -s tests/gate/workbench/test_oracle.py tests/gate/test_power.py

test-sandbox: $(VENV)/dev.stamp  ## every attack on the sandbox, with and without the gate, and all shipped anchors inside it (8 minutes)
	TRACEDANCE_ATTACKS=all $(BIN)/python -m pytest -q -rP tests/synthesis/test_attacks.py tests/synthesis/test_families.py

bench-sandbox: $(VENV)/core.stamp  ## what confinement costs over 10,000 sessions; fails above 1.3 times
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.bench.sandbox_ratio

bench-gate: $(VENV)/core.stamp  ## what the gate over 5,000 traces costs beside a json.loads pass; fails above 3 times
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.bench.gate_ratio

nightly: $(VENV)/dev.stamp  ## the same with 100,000 calls and 1,000 kills (hours)
	$(MAKE) test-faults FAULT_CALLS=100000
	$(MAKE) test-kill KILLS=1000

bench-calls: $(VENV)/dev.stamp  ## CPU per model call at 64 at a time, beside a bare litellm.acompletion (2 minutes)
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.bench.calls_ratio

bench-import: $(BENCH)/bench.stamp  ## what an import costs, beside json.loads and inspect_scout (15 minutes)
	PYTHONPATH=pipeline:. $(BENCH)/bin/python -m tests.bench.import_ratio

bench-scan: $(BENCH)/bench.stamp  ## what a scan costs, beside a json loop, a bare read and inspect_scout (20 minutes)
	PYTHONPATH=pipeline:. $(BENCH)/bin/python -m tests.bench.scan_ratio

quality: $(VENV)/core.stamp  ## precision and recall of every family, real traces beside synthetic ones
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.quality.measure

queries: $(VENV)/core.stamp  ## the shipped sentences put to the rules: which are read as meant
	PYTHONPATH=pipeline:. $(BIN)/python -m tracedance queries run configs/queries.yaml --store .tracedance --profile offline --dry-run

QUERIES ?= configs/queries.yaml

queries-strong: $(VENV)/core.stamp  ## the same put to builds by scripted models, on 2,000 synthetic sessions and 63 more; fails unless all is as expected (5 minutes)
	PYTHONPATH=pipeline:. $(BIN)/python -m tests.queries.acceptance $(QUERIES)

catalogue: $(VENV)/core.stamp  ## docs/catalogue.md, from the families
	PYTHONPATH=pipeline:. $(BIN)/python -m tracedance.catalogue.page > docs/catalogue.md

kit: $(VENV)/core.stamp  ## docs/kit.md, from the docstrings of tracedance.kit
	PYTHONPATH=pipeline:. $(BIN)/python -m tracedance.catalogue.kit_page > docs/kit.md

schemas: $(VENV)/core.stamp  ## docs/schemas/*.json and the tables of fields in their pages
	PYTHONPATH=pipeline:. $(BIN)/python -m tracedance.gate.schemas docs

check: lint types test  ## lint, types and tests

lint: $(VENV)/dev.stamp  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp  ## mypy, strict, anchors and rubrics too
	$(BIN)/mypy

dist: $(VENV)/dist.stamp  ## the wheel and the sdist, in dist/
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

clean:  ## remove the virtual environments and what was built
	rm -rf $(VENV) $(BENCH) dist tracedance-demo

$(VENV)/python.stamp:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/core.stamp: $(VENV)/python.stamp $(SPEC)
	$(PIP) install --quiet -e . -c constraints.txt
	@touch $@

# torch first and alone: its many CUDA packages would otherwise take part in resolving everything else.
$(VENV)/dev.stamp: $(VENV)/core.stamp
	$(PIP) install --quiet $(TORCH) $(TORCH_INDEX)
	$(PIP) install --quiet -e ".[embeddings,latent,dev]" -c constraints.txt
	@touch $@

# inspect_scout goes with neither our fsspec nor our litellm: it gets an environment of its own, in which only what an import runs on is pinned.
$(BENCH)/bench.stamp: $(VENV)/python.stamp $(SPEC)
	$(BIN)/python -m venv $(BENCH)
	grep -E '^(msgspec|polars|polars-runtime-32|pyarrow|google-re2|numpy|pydantic|pydantic-core)==' constraints.txt > $(BENCH)/constraints.txt
	$(BENCH)/bin/python -m pip --disable-pip-version-check install --quiet -e ".[bench]" -c $(BENCH)/constraints.txt
	@touch $@

$(VENV)/dist.stamp: $(VENV)/python.stamp
	$(PIP) install --quiet build
	@touch $@
