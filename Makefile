# Every target sets up what it needs: a virtual environment from the lock file, and the smoke run's WARC files.
PYTHON ?= python3
CORES ?= $(shell nproc)
SMOKE := tests/smoke
READY := .venv/.ready
WARCS := $(SMOKE)/warc/.made
# torch comes first, in its CPU build; only where that cannot be had, the CUDA one with gigabytes that the lock leaves out.
PIP := --quiet --disable-pip-version-check --no-deps
TORCH := https://download.pytorch.org/whl/cpu/torch/
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: help run smoke test stress slurm-test lint format bench clean
.DEFAULT_GOAL := help

help:
	@echo "make run     the embedded smoke run: from WARC files to tables, figures and a page, in minutes"
	@echo "make test    all tests that need no GPU, no cluster and no network"
	@echo "make stress  the fault campaign: kills, full disks, poisoned pages, cut files (hours; goes on where it was stopped)"
	@echo "make slurm-test  a small run through a SLURM of this machine, which it starts and takes down (root, Debian)"
	@echo "make lint    style, types and workflow checks          make format  put the sources in form"
	@echo "make bench   speed and memory against the peers        make clean   remove the smoke run's outputs"

# A killed set-up leaves no stamp and starts again from nothing: half-installed packages cannot be mended in place.
$(READY): envs/requirements.lock pyproject.toml
	rm -rf .venv
	$(PYTHON) -m venv .venv
	.venv/bin/pip install $(PIP) --retries 0 --find-links $(TORCH) $$(grep -o '^torch==[0-9.]*' envs/requirements.lock)
	.venv/bin/pip install $(PIP) --require-hashes -r envs/requirements.lock
	.venv/bin/python -c "import torch" || .venv/bin/pip install --quiet $$(grep -o '^torch==[0-9.]*' envs/requirements.lock)
	.venv/bin/pip install $(PIP) --no-build-isolation --editable .
	.venv/bin/python -c "from modtok.tokenization.native_loop import load_loop; load_loop()"
	touch $@

$(WARCS): $(wildcard $(SMOKE)/*.py $(SMOKE)/text/*.txt $(SMOKE)/spam/*.txt) | $(READY)
	python $(SMOKE)/make_warcs.py
	touch $@

# The lock lasts as long as any process of a run, so a run started after a kill waits for what the kill left alive.
run: $(READY) $(WARCS)
	@flock $(SMOKE)/.lock $(MAKE) --no-print-directory smoke
	@echo "tables:   $(SMOKE)/results/tables"
	@echo "figures:  $(SMOKE)/results/figures"
	@echo "page:     $(SMOKE)/results/page/index.html"

smoke:
	@test -z "$$(ls -A $(SMOKE)/.snakemake/locks 2>/dev/null)" || snakemake --directory $(SMOKE) --unlock
	snakemake --directory $(SMOKE) --cores $(CORES) --rerun-incomplete --quiet rules host reason -- all

test: $(READY) $(WARCS)
	python -m pytest -n 2 -q

# Its report is build/stress/report.tsv; STRESS='--only kills --kills 10' for a part of it.
stress: $(READY) $(WARCS)
	python tests/workflow/stress.py $(STRESS)

# One SLURM at a time; its daemons do not keep the lock.
slurm-test: $(READY) $(WARCS)
	flock --close /tmp/modtok-slurm.lock tests/workflow/slurm/run.sh -s

lint: $(READY) $(WARCS)
	ruff check
	ruff format --check
	snakefmt --check Snakefile workflow/rules
	snakemake --lint --directory $(SMOKE)
	mypy

format: $(READY)
	ruff check --fix
	ruff format
	snakefmt Snakefile workflow/rules

bench: $(READY) $(WARCS)
	for script in tests/performance/bench_*.py; do echo "== $$script"; python $$script || exit 1; done

clean:
	rm -rf $(SMOKE)/results $(SMOKE)/.snakemake $(SMOKE)/warc
