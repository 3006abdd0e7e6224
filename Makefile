.PHONY: setup run test check bench calibrate lock
.DEFAULT_GOAL := run

BIN := .venv/bin

setup: .venv/.installed

.venv/.installed: pyproject.toml requirements-dev.txt hatch_build.py scripts/setup
	@PYTHON="$(PYTHON)" scripts/setup

run: setup
	@$(BIN)/pretraining-lab serve $(if $(PORT),--port $(PORT))

test: setup
	@scripts/browser
	@$(BIN)/python -m pytest

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: setup
	@scripts/browser
	@$(BIN)/python -m bench

# Fits the constants of app/data/calibration.yaml and writes their errors: four minutes.
calibrate: setup
	@$(BIN)/python -m calibrate

# After a change of the dependencies in pyproject.toml.
lock:
	@scripts/lock
