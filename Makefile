# hotgraph: every target sets up what it needs, builds, and then does its work.
#
#   make sweep    the paper's experiment on the bundled games, into results/
#   make test     all tests
#   make report   tables and figures again, from results/hotgraph.db alone
#   make bench    how fast the bundled games replay
#   make games    rebuild the bundled games from their sources (cc65)
#   make coverage  how much of each parser the fuzzers' seeds reach (needs clang and llvm)
#   make deps     only install what is missing

BUILD   ?= build
CONFIG  ?= configs/paper.cfg
RESULTS ?= results
JOBS    ?= 0

BUILD_PACKAGES := build-essential meson ninja-build pkg-config git libsqlite3-dev sqlite3 libconfig-dev \
    libxxhash-dev libzydis-dev libpng-dev zlib1g-dev libmd-dev libcmocka-dev gnuplot-nox fonts-dejavu-core graphviz
GAMES_PACKAGES := make cc65

.PHONY: all build deps deps-games sweep test coverage report bench games clean

all: build

# $(call install,PACKAGES): nothing when all are there; apt otherwise; without the rights, the one command to type.
define install
	@have=" $$(dpkg-query -W -f '$${db:Status-Status}:$${Package} ' $(1) 2>/dev/null) "; missing=; \
	for p in $(1); do case "$$have" in *" installed:$$p "*) ;; *) missing="$$missing $$p";; esac; done; \
	test -z "$$missing" && exit 0; \
	if test "$$(id -u)" = 0; then as=; elif sudo -n true 2>/dev/null; then as="sudo -n"; else \
	    echo "These packages are missing, and installing them needs root. Please run:" >&2; \
	    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends$$missing" >&2; exit 1; fi; \
	echo "Installing:$$missing"; \
	{ $$as apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive $$as apt-get install -q -y --no-install-recommends $$missing; } >/tmp/hotgraph-apt.$$$$ 2>&1 \
	    || { cat /tmp/hotgraph-apt.$$$$ >&2; rm -f /tmp/hotgraph-apt.$$$$; exit 1; }; rm -f /tmp/hotgraph-apt.$$$$
endef

deps:
	$(call install,$(BUILD_PACKAGES))

deps-games:
	$(call install,$(GAMES_PACKAGES))

build: deps
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) >$(BUILD)-setup.log 2>&1 || { cat $(BUILD)-setup.log >&2; exit 1; }
	@rm -f $(BUILD)-setup.log
	@ninja --quiet -C $(BUILD) >$(BUILD)/make.log 2>&1 || { cat $(BUILD)/make.log >&2; exit 1; }
	@grep -A5 warning: $(BUILD)/make.log >&2 || true

sweep: build
	@mkdir -p $(RESULTS)
	@$(BUILD)/hotgraph sweep $(CONFIG) --db $(RESULTS)/hotgraph.db --report $(RESULTS) --jobs $(JOBS)

report: build
	@$(BUILD)/hotgraph report $(RESULTS)/hotgraph.db --out $(RESULTS)

test: build
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs

coverage: deps
	@sh tests/coverage.sh

bench: build
	@sh tests/bench.sh $(BUILD)/hotgraph

games: deps-games
	@for g in games/*/Makefile; do d=$$(dirname $$g); $(MAKE) --no-print-directory -C $$d OUT=../$$(basename $$d).nes || exit 1; done
	@cd games && sha1sum -c *.sha1

clean:
	rm -rf $(BUILD)
