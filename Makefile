# Everything a newcomer needs. Each target sets up .venv by itself, once.

# The first interpreter found that TensorFlow and numba support; PYTHON=… overrides it.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.10; do \
	$$p -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$p && break; done)
BIN := .venv/bin

.PHONY: help play train tensorboard evaluate tournament test lint demo benchmark clean

help:
	@echo "make play         play against the model that comes with the project, in the browser"
	@echo "make train        train limit hold'em; options: make train ARGS=\"--preset leduc\""
	@echo "make tensorboard  watch the runs"
	@echo "make evaluate     how exploitable is a model: make evaluate ARGS=checkpoints/RUN"
	@echo "make tournament   round robin: make tournament ARGS=\"checkpoints/RUN call honest\""
	@echo "make test         lint, type-check and test everything"
	@echo "make demo         show the rules, the betting tree and one random hand of limit hold'em"
	@echo "make benchmark    measure the speed of everything"
	@echo "make clean        remove the virtual environment and every cache"

.venv/.run: requirements.txt
	@test -n "$(PYTHON)" || { echo "Python 3.10, 3.11, 3.12 or 3.13 is needed and none was found; name one: make PYTHON=/path/to/python"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.dev: requirements-dev.txt requirements-ray.txt .venv/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-dev.txt -r requirements-ray.txt
	@touch $@

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n auto

play: .venv/.run
	$(BIN)/python play.py --web $(ARGS)

train: .venv/.run
	$(BIN)/python train.py $(ARGS)

tensorboard: .venv/.run
	$(BIN)/python -m commands.tensorboard --logdir runs

evaluate: .venv/.run
	$(BIN)/python evaluate.py $(ARGS)

tournament: .venv/.run
	$(BIN)/python tournament.py $(ARGS)

demo: .venv/.run
	$(BIN)/python -m env hulh

benchmark: .venv/.dev
	$(BIN)/python benchmarks/all.py $(ARGS)

clean:
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
