# Everything a developer or CI does, by name. `make setup` is a prerequisite of all and costs nothing when nothing changed.
SHELL := bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-stamp
NATIVE := $(wildcard src/runglass/native/*.pyx src/runglass/native/*.pxd src/runglass/native/*.h src/runglass/native/crc32c.c)
PAGE_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null)
DOCS := $(shell find docs -type f 2>/dev/null)
PORT ?= 6006
SECONDS ?= 60
# A process that compiles all it imports anew is slow to start, and tests start hundreds: containers that forbid it are overruled.
export PYTHONDONTWRITEBYTECODE :=
BROWSERS := firefox-esr webkit2gtk-driver xvfb

# One thing after the other: two installs into one environment would be in each other's way.
.NOTPARALLEL:

.PHONY: setup demo docs test check bench bench-page bench-writer fuzz load interop notebook-test scale-test browsers dev fix gen clean

setup: $(STAMP)

# What is never imported need not be compiled: Python does it at the first import.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile
# The page's packages come while pip fetches ours; setup.py says what is missing where npm is.
NODE_PACKAGES := web/node_modules/.package-lock.json
FETCH_NODE_PACKAGES = [ $(NODE_PACKAGES) -nt web/package-lock.json ] || ! command -v npm >/dev/null || \
	  (cd web && npm ci --no-audit --no-fund)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip

$(VENV)/.build-stamp: $(VENV)/bin/python pyproject.toml
	{ $(FETCH_NODE_PACKAGES); } & page=$$!; $(INSTALL) --group build; installed=$$?; wait $$page && exit $$installed
	@touch $@

# An editable install compiles the core in place and builds the page (setup.py).
$(STAMP): $(VENV)/.build-stamp pyproject.toml setup.py $(NATIVE) $(PAGE_SOURCES)
	$(INSTALL) --no-build-isolation --editable .
	@touch $@

# Before the core is compiled, so that the page's packages come meanwhile.
$(VENV)/.test-packages-stamp: $(VENV)/bin/python pyproject.toml
	{ $(FETCH_NODE_PACKAGES); } & page=$$!; $(INSTALL) --group build --group test; installed=$$?; wait $$page && exit $$installed
	@touch $(VENV)/.build-stamp $@

$(VENV)/.test-stamp: $(VENV)/.test-packages-stamp $(STAMP)
	@touch $@

$(VENV)/.browsers-stamp: $(VENV)/.test-stamp
	$(INSTALL) --group browsers
	@touch $@

$(VENV)/.scale-stamp: $(VENV)/.test-stamp pyproject.toml
	$(INSTALL) --group scale
	@touch $@

$(VENV)/.check-stamp: $(VENV)/.test-stamp
	$(INSTALL) --group check
	@touch $@

# The guide as the server has it at /help/.
docs: $(VENV)/.test-stamp $(DOCS)
	$(BIN)/python docs/build_site.py

demo: setup
	$(BIN)/runglass demo --port $(PORT)

test: $(VENV)/.test-stamp chromium
	cd web && npm run --silent test
	$(BIN)/python -m pytest --ignore=tests/browser -n 2 --dist worksteal
	$(BIN)/python -m pytest tests/browser -n 2 --dist worksteal -p no:schemathesis

# The browser that the page is tested in: Debian's package, installed when it is missing and we may.
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq chromium >/dev/null; \
	  else \
	    echo "The browser tests need Chromium: sudo apt-get install chromium (or put chromium on PATH)." >&2; exit 1; \
	  fi; }

# The page is checked beside the package, and tells its part when that is done.
check: $(VENV)/.check-stamp
	@mkdir -p build
	(cd web && npm run --silent check) >build/check-page.txt 2>&1 & page=$$!; status=0; \
	{ $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/python tools/check_layers.py; } || status=$$?; \
	wait $$page || status=$$?; cat build/check-page.txt; exit $$status

fix: $(VENV)/.check-stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd web && npm run --silent fix

bench: setup
	$(BIN)/python -m bench

# The page beside TensorBoard's, in a real Chromium.
bench-page: $(VENV)/.test-stamp chromium
	$(BIN)/python -m bench.page

# What logging costs, beside torch, tensorboardX and TensorFlow where `make interop` has put them.
bench-writer: setup
	$(BIN)/python -m bench.writer

# Random and damaged bytes for SECONDS at a build with bounds checks, which lies beside the ordinary one. Where the compiler can, the
# modules tell which branches an input takes (gcc and clang; elsewhere inputs are damaged without guidance).
FOLLOWED := -fsanitize-coverage=trace-pc
fuzz: $(VENV)/.check-stamp
	flags="$$(echo 'int x;' | $(CC) $(FOLLOWED) -x c -c - -o /dev/null 2>/dev/null && echo $(FOLLOWED))"; \
	CFLAGS="$$CFLAGS $$flags" RUNGLASS_CHECKED=1 $(BIN)/python setup.py --quiet build_ext \
	  --build-lib build/checked/lib --build-temp build/checked/temp
	RUNGLASS_NATIVE=build/checked/lib/runglass/native $(BIN)/python -m tests.fuzz --seconds $(SECONDS) --keep .fuzz

# The server under attack on loopback: clients, pages, slow and vanished readers, faults of files, restarts. LOAD takes the flags
# of tests/load: --small (two minutes), --only links,files, --patience 10 (slower machines), --no-browser.
load: $(VENV)/.test-stamp chromium
	$(BIN)/python -m tests.load $(LOAD)

# Logs written live by TensorFlow, PyTorch, tensorboardX and JAX, in an environment of its own.
interop: setup
	tools/interop.sh

# Notebooks in a real JupyterLab and a real VS Code, in environments of their own.
notebook-test: $(VENV)/.test-stamp chromium
	tools/notebook.sh

# Other engines and remote logs, all on loopback: the contract of DataSource on each, and what they alone have. A process has one
# embedded ClickHouse in one folder, and SQL over logs has its own in memory: these tests run apart.
scale-test: export RUNGLASS_SCALE_TEST = 1
scale-test: $(VENV)/.scale-stamp
	$(BIN)/python -m pytest -m scale -n 2 --dist loadfile --ignore=tests/scale/test_sql.py tests/scale tests/property
	$(BIN)/python -m pytest -m scale tests/scale/test_sql.py

# Every dashboard in Firefox and in WebKit, which are Debian's packages too.
browsers: $(VENV)/.browsers-stamp
	@command -v firefox-esr >/dev/null && command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends $(BROWSERS) >/dev/null; \
	  else \
	    echo "These tests need Firefox and WebKit: sudo apt-get install $(BROWSERS)" >&2; exit 1; \
	  fi; }
	$(BIN)/python -m pytest -m browsers tests/browsers

# The server with the demo logs, and Vite with hot reload beside it.
dev: setup
	trap 'kill $$(jobs -p) 2>/dev/null' EXIT; (cd web && npm run dev) & $(BIN)/runglass demo --port 6006

gen: setup
	@mkdir -p build
	$(BIN)/python tools/gen_types.py > web/openapi.json
	cd web && npm run --silent gen
	$(BIN)/python tools/gen_examples.py > build/answer_examples.json
	mv build/answer_examples.json src/runglass/server/answer_examples.json

clean:
	rm -rf build dist src/runglass/server/page src/runglass/native/*.so web/node_modules $(VENV) .venvs
	find src/runglass/native -name '*.c' ! -name crc32c.c -delete
