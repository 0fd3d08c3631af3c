# `make demo` and `make test` set up everything in .venv; GNU make 3.81 (macOS) is enough.

UV_VERSION := 0.13.9
BIN := .venv/bin
READY := .venv/.ready
UV := env -u VIRTUAL_ENV UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON_DOWNLOADS=never $(BIN)/uv
SYNC := $(UV) sync --locked --inexact --extra local
RUN := runs/demo-$(shell date +%Y%m%d-%H%M%S)

.PHONY: help demo test lint docs wheel clean
.DEFAULT_GOAL := help

help: ## Say what can be made.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## Watch a small local model get better at a task, ending with a report.
	@echo "== The example: examples/lost-property, $$(grep -c . examples/lost-property/tasks.jsonl) messages. Two to four minutes."
	@$(BIN)/evolith run examples/lost-property/evolith.toml --run-dir $(RUN)
	@$(BIN)/evolith report $(RUN) --html $(RUN)/report.html
	@echo
	@echo "What next?"
	@echo "  Look at the champion:  $(BIN)/evolith show $(RUN)"
	@echo "  Take it out:           $(BIN)/evolith export $(RUN) --to champion"
	@echo "  Your own tasks:        $(BIN)/evolith init mine, then docs/how-to/your-tasks.md"

test: $(READY) ## Run all tests, those with the real local model included.
	@$(BIN)/pytest

lint: $(READY) ## Check style, types and the direction of imports.
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs: $(READY) ## Write the generated reference pages and build the site into site/.
	@$(SYNC) --quiet --group docs
	@$(BIN)/python -m tools.reference
	@$(BIN)/zensical build --clean --strict

wheel: $(READY) ## Build the package into dist/ and try it in an environment of its own.
	@rm -rf dist
	@$(UV) build --quiet
	@tools/try_wheel.sh

clean: ## Remove what was built or installed here. Runs stay.
	rm -rf .venv dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml uv.lock Makefile
	@tools/check_machine.sh
	@test -x $(BIN)/pip || { echo "== Making .venv"; "$$(tools/find_python.sh)" -m venv .venv; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@echo "== Installing. The first time, the runtime of the local model is compiled: about 5 minutes."
	@tools/heartbeat.sh "installing and compiling" $(SYNC)
	@touch $@
