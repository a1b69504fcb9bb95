# Set-up and jobs. `make check` and `make test` need nothing but Python >= 3.11.
PYTHON ?= python3
BIN := .venv/bin
REPORT := out/report.html

.PHONY: check test lint bench build clean

.venv/created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv
	touch $@

.venv/installed: .venv/created pyproject.toml setup.py
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

.venv/installed-lint: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	touch $@

check: .venv/installed  ## Check every fixture of fixtures/mbsd, tp, konoplev and um and write the report
	@mkdir -p $(dir $(REPORT))
	@$(BIN)/mbconcord check fixtures/mbsd fixtures/tp fixtures/konoplev fixtures/um --faults --report $(REPORT); code=$$?; \
	  if [ $$code -eq 3 ]; then echo "Some fixtures are not checked: they are listed above with their obstacles."; exit 0; fi; exit $$code

test: .venv/installed-test  ## Run the whole suite
	$(BIN)/python -m pytest -n 2

lint: .venv/installed-lint  ## Style, types on a real install, and the contracts of layers and independence
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/typed && $(BIN)/python -m pip install --quiet --no-deps --target build/typed .
	cd build/typed && MYPYPATH=. ../../$(BIN)/mypy --config-file ../../pyproject.toml -p mbconcord
	cd build/typed && PYTHONPATH=. ../../$(BIN)/lint-imports --config ../../pyproject.toml --no-cache

bench: .venv/installed-test  ## Measure every number that the README claims
	$(BIN)/mbconcord bench

build: .venv/installed-test  ## Wheel and source distribution
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf .venv build dist out *.egg-info
