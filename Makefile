# Set-up and jobs. `make check` and `make test` need nothing but Python >= 3.11.
PYTHON ?= python3
BIN := .venv/bin
REPORT := out/report.html
SCORE := out/mutants.md
CORPUS := fixtures/mbsd fixtures/tp fixtures/konoplev fixtures/um fixtures/native fixtures/elastic fixtures/overconstrained fixtures/urdf fixtures/mjcf fixtures/sdf fixtures/robots
# Bytecode is kept, whatever the caller's shell says: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: gate check test test-rest test-fast test-house same faults mutants sweep fuzz tables lint contracts house bench reference converters conversions corpus demo docs build release clean

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

.venv/installed-docs: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

.venv/installed-lint: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	touch $@

check: .venv/installed  ## Check every fixture of fixtures/mbsd, tp, konoplev, um, native, elastic, overconstrained, urdf, mjcf and sdf against the catalog and write the report
	@mkdir -p $(dir $(REPORT))
	$(BIN)/mbconcord check fixtures/mbsd fixtures/tp fixtures/konoplev fixtures/um fixtures/native fixtures/elastic fixtures/overconstrained fixtures/urdf fixtures/mjcf fixtures/sdf \
	  --expect fixtures/catalog.toml --report $(REPORT)

test: .venv/installed-test  ## Run the suite; of slow tests every fourth of a file, of tables that are long or slow every eighth row
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-rest: .venv/installed-test  ## Run the tests and the rows of tables that make test leaves out
	$(BIN)/python -m pytest -n 2 --dist worksteal -m rest

test-fast: .venv/installed-test  ## Run what is not marked slow: some of every file of tests, two minutes on two cores
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow'

test-house: .venv/installed-test  ## Run what of tests/house is marked slow
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow and not rest' tests/house

same: .venv/installed-test  ## Check every fixture on main, in a clean clone, and here: the JSON must be the same, or a commit names the file
	$(BIN)/python -m tests.house.snapshot --against main --only check_json

gate: .venv/installed-lint  ## Tell within five minutes whether a change will land: lint, test-fast, tests/house, the same bytes as main
	bash .ci/run lint test-fast test-house same

faults: .venv/installed-test  ## Try every seeded fault: which claim catches it, how faintly
	$(BIN)/python -m laboratory.faults

mutants: .venv/installed-test  ## Try 300 random changes of formalisms and the model: who notices them? The score goes to out/mutants.md, or SCORE=file
	@mkdir -p out
	$(BIN)/python -m laboratory.mutants --seed 7 --count 300 --modules formalisms,model --results out/mutants.jsonl --report $(SCORE)

sweep: .venv/installed-test  ## Explore 2,800 random models, of which 980 are closed and 420 elastic, and scaled robots: nothing may disagree; it goes on where it was stopped
	@mkdir -p out
	$(BIN)/mbconcord campaign run --random --count 2800 --output out/sweep --report out/sweep.html
	$(BIN)/python -m laboratory.sweep

fuzz: .venv/installed-test  ## Feed 100,000 damaged and drawn inputs to every reader, kill a writer of files 100 times
	$(BIN)/python -m tests.fuzz

tables: .venv/installed-test  ## Write the parsers' tables anew after a change of a grammar
	$(BIN)/python -m tests.formats.grammars

lint: .venv/installed-lint  ## Style, the contracts of layers and independence, types on a real install, the numbers of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory contracts
	cd build/typed && MYPYPATH=. ../../$(BIN)/mypy --config-file ../../pyproject.toml --cache-dir ../types-known -p mbconcord -p laboratory
	$(MAKE) --no-print-directory house

house: .venv/installed-test  ## Measure how simple the house is; a number above its budget in laboratory/house.toml is an error
	$(BIN)/python -m laboratory.house

contracts: .venv/installed-lint  ## The contracts alone, on a copy that is installed without network
	rm -rf build/typed build/lib && $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --target build/typed .
	cp -r laboratory build/typed/
	cd build/typed && PYTHONPATH=. ../../$(BIN)/lint-imports --config ../../pyproject.toml --no-cache

demo: .venv/installed-test  ## The crane of fixtures/mbsd/patu655.mbsd: its equations by every formalism, 20 s of its motion; both reports in out/
	@mkdir -p out
	$(BIN)/mbconcord check fixtures/mbsd/patu655.mbsd --report out/crane_equations.html
	$(BIN)/mbconcord simulate fixtures/mbsd/patu655.mbsd --until 20 --output out/crane.csv --plot out/crane.html

conversions: .venv/installed-test  ## Write tests/laboratory/conversions.md anew: every fixture in every format, what becomes of it; two minutes
	@mkdir -p out
	$(BIN)/python -m laboratory.conversions > out/conversions.md && mv out/conversions.md tests/laboratory/conversions.md

# Each converter of others in an environment of its own.
WITH := out/with
$(WITH)/%:
	$(PYTHON) -m venv $@ && $@/bin/pip install --quiet $*

converters: .venv/installed-test  ## Write tests/laboratory/converters.md anew: what converters make of robots; those that do not install are said
	-$(MAKE) --keep-going $(addprefix $(WITH)/,mujoco yourdfpy urchin urdf2mjcf urdf-mujoco-converter urdf2any)
	$(BIN)/python -m laboratory.converters $(WITH)

corpus: .venv/installed-test  ## Write tests/reports/corpus.md anew: every fixture checked as one campaign; it goes on where it was stopped
	@mkdir -p out
	-$(BIN)/mbconcord campaign run $(CORPUS) --output out/corpus --report out/corpus.md
	mv out/corpus.md tests/reports/corpus.md

bench: .venv/installed-test  ## Measure machine code beside other programs, write tests/laboratory/performance/performance.md; then every number with a limit
	$(BIN)/python -m laboratory.performance
	$(BIN)/python -m laboratory.bench

reference: .venv/installed-test  ## Follow mechanisms whose motion is known: errors beside processor time
	$(BIN)/python -m laboratory.reference fixtures/reference

docs: .venv/installed-docs  ## Every page and the reference from docstrings, as HTML that loads nothing from elsewhere
	rm -rf build/docs && $(BIN)/python docs/site/assemble.py build/docs/pages
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs 2 -c docs/site build/docs/pages build/docs/html
	$(BIN)/python docs/site/look.py build/docs/html
	@echo 'build/docs/html/index.html'

build: .venv/installed-test  ## Wheel and source distribution
	$(BIN)/python -m build --outdir dist .

release: .venv/installed-test  ## All of a release but the upload: two builds, twine, every Python found, notes; signs and uploads nothing
	$(BIN)/python .ci/release.py

clean:
	rm -rf .venv build dist out *.egg-info
