# hotgraph: every target installs what it needs, builds, and then does its work.
#
#   make sweep    the paper's experiment on the bundled games, into results/
#   make test     the tests; ALL=1: those that take long, too
#   make studies  the larger experiments: samplings, uneven timers, replicates, wide grids, techniques, what a profile is
#                 worth (minutes); each says whether it was reproduced
#   make programs the same on real programs, recorded under QEMU
#   make optimise what BOLT makes of profiles: programs laid out by each technique's graph, and what they execute then
#   make cluster  the same on a Slurm cluster: SHARDS=N jobs and one that merges; make cluster-status shows the progress
#   make parallel the same in SHARDS=N parts under GNU parallel, here or over SSH (PARALLEL='--sshlogin a,b')
#   make report   write tables and figures again, from results/hotgraph.db
#   make artifact  repeat every claim of README and findings, as docs/artifact.md lists them: a table and a verdict; goes on
#                 where it was stopped; FULL=1: the long ones, too: hours
#   make paper    the paper, results/paper/paper.pdf, with every number from the databases; needs LaTeX
#   make bench    how fast the bundled games open and replay, graphs are built, and what a sweep's threads cost;
#                 REFERENCE=COMMAND: beside another emulator, called with ROM, movie and frames, which prints seconds
#   make bench-adapt   what a profile saves in the translator, in counted host instructions
#   make frontier  what each technique costs in host instructions and what it finds: five minutes
#   make costs     counted host instructions against callgrind, all games: an hour
#   make bench-native  what probes in native programs cost, beside other tools
#   make bench-peers  exact graphs of native programs, beside callgrind, BOLT, gcov, uftrace, perf and QEMU
#   make bench-record  what recording programs costs, beside QEMU alone
#   make deb      a Debian package, into DEB=FOLDER (default: here)
#   make games    rebuild the bundled games from their sources (cc65)
#   make coverage  how much of each parser the fuzzers' seeds reach (needs clang and llvm)
#   make mutants  change the program in many small ways, and check that a test notices each (ONLY=FOLDER);
#                 AT_RANDOM=500 SEED=1: as many changes at random places of all rooms (ONLY=ROOM), each tried with the tests
#                 that reach it; goes on where it was stopped; AGAIN=1: what survived once more
#   make program  build the program and its plugins for QEMU and native programs; make build: the tests, too
#   make install  install the program and its data in PREFIX (DESTDIR: a package's root, put before PREFIX)
#   make dist     a source archive that builds without git (DIST: the folder to put it into)
#   make deps     only install missing packages; deps-games, deps-programs, deps-optimise: for these
#   make clean    remove what was built
#   make help     print this
#
#   GAMES=airmail,umbel: sweep, studies and programs take only these; STUDIES='jitter wide': only these studies;
#   make bench QUICK=1, also bench-native, bench-peers, bench-record: whether it works at all

BUILD   ?= build
CONFIG  ?= configs/paper.cfg
RESULTS ?= results
JOBS    ?= 0
GAMES   ?=
QUICK   ?=
REFERENCE ?=
SHARDS  ?= 8
AT_RANDOM ?=
SEED    ?= 1
AGAIN   ?=
CLUSTER ?= $(RESULTS)/cluster
PREFIX  ?= /usr/local

BUILD_PACKAGES := build-essential meson ninja-build pkg-config git libsqlite3-dev sqlite3 libconfig-dev \
    libxxhash-dev libzydis-dev libpng-dev zlib1g-dev nettle-dev libelf-dev libcmocka-dev gnuplot-nox fonts-dejavu-core graphviz \
    librsvg2-bin librsvg2-dev
GAMES_PACKAGES := make cc65
NATIVE_PACKAGES := python3 sqlite3 gzip bzip2 lua5.4 gawk pigz xz-utils uftrace valgrind linux-perf
PEERS_PACKAGES := qemu-user gcc libc6-dev binutils bolt-19 uftrace valgrind linux-perf python3 gzip bzip2 xz-utils lua5.4 gawk mawk perl-base bash
PROGRAMS_PACKAGES := qemu-user gzip bzip2 xz-utils sqlite3 python3-minimal lua5.4 perl-base gawk gcc gcc-aarch64-linux-gnu \
    libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
OPTIMISE_PACKAGES := qemu-user bolt-19 valgrind gcc libc6-dev make dpkg-dev python3-minimal sqlite3 tcl

HERE := $(dir $(lastword $(MAKEFILE_LIST)))

# $(call quoted,TEXT): TEXT as one shell word, whatever it contains. $(call path,TEXT): the same, never taken for an option.
quoted = '$(subst ','\'',$(1))'
path = $(call quoted,$(if $(filter -%,$(firstword $(1))),./)$(1))
build   = $(call path,$(BUILD))
results = $(call path,$(RESULTS))
config  = $(call path,$(CONFIG))
here    = $(call path,$(HERE))
$(if $(shell test ! -e $(here)meson.build || echo there),,$(error make -f takes no path with blanks; make -C FOLDER does))
ONLY_GAMES = $(if $(GAMES),--games $(call quoted,$(GAMES)))

.PHONY: all studies build deps deps-games deps-programs deps-optimise programs optimise sweep cluster cluster-status parallel test coverage report bench bench-adapt bench-native bench-peers bench-record costs frontier artifact paper games install deb program mutants dist clean help

all: build

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' $(here)Makefile

# $(call install,PACKAGES): installs missing packages with apt; without the rights, prints the command to type. Where there is
# no dpkg, the tools report what they lack.
define install
	@command -v dpkg-query >/dev/null || exit 0; have=" $$(dpkg-query -W -f '$${db:Status-Status}:$${Package} ' $(1) 2>/dev/null) "; missing=; \
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

deps-programs:
	$(call install,$(PROGRAMS_PACKAGES))

deps-optimise:
	$(call install,$(OPTIMISE_PACKAGES))

deps-games:
	$(call install,$(GAMES_PACKAGES))

# Prints what it does only if there is something to do, and compilers' messages if there are any.
# $(call compile,TARGETS,WHAT): ninja first counts the outdated files.
define compile
	@test -f $(build)/build.ninja || { echo Setting up $(build)/; \
	    meson setup $(build) >$(build)-setup.log 2>&1 || { cat $(build)-setup.log >&2; exit 1; }; }
	@rm -f $(build)-setup.log
	@n=$$(ninja -C $(build) -n $(1) 2>/dev/null | grep -c 'Compiling'); \
	test "$$n" = 0 || echo "Building $(2): $$n file$$(test "$$n" = 1 || echo s) to compile, $$(nproc) at a time"; \
	start=$$(date +%s); ninja --quiet -C $(build) $(1) >$(build)/make.log 2>&1 || { cat $(build)/make.log >&2; exit 1; }; \
	test "$$n" = 0 || echo "Built in $$(($$(date +%s) - start)) s"
	@grep -A5 warning: $(build)/make.log >&2 || true
endef

# The program, with its plugins for QEMU (record) and native programs; `build` includes the tests.
program: deps
	$(call compile,program,the program)

build: deps
	$(call compile,,the program and its tests)

# Each study has its own database: results/sampling.db, ...
STUDIES ?= sampling jitter replicates wide techniques bias clock lbr worth

studies: program
	@mkdir -p $(results)
	@for study in $(STUDIES); do \
	    echo Sweeping configs/$$study.cfg into $(results)/$$study.db; \
	    $(build)/hotgraph sweep configs/$$study.cfg --db $(results)/$$study.db $(ONLY_GAMES) --jobs $(JOBS) \
	        >$(results)/$$study.txt || { tail -3 $(results)/$$study.txt; exit 1; }; \
	    tail -1 $(results)/$$study.txt; done
	@for study in $(if $(GAMES),,$(filter techniques bias clock lbr,$(STUDIES))); do \
	    $(build)/hotgraph results $(results)/$$study.db --view technique_table >$(results)/$$study.csv && \
	    cmp $(results)/$$study.csv docs/$$study.csv || \
	    { echo "docs/$$study.csv differs from these results" >&2; exit 1; }; done
	@echo In $(results)/: a database and a text with its tables for each of $(call quoted,$(STUDIES))

sweep: program
	@mkdir -p $(results)
	@echo Sweeping $(config) into $(results)/hotgraph.db
	@$(build)/hotgraph sweep $(config) --db $(results)/hotgraph.db --report $(results) $(ONLY_GAMES) --jobs $(JOBS)
	@echo; echo In $(results)/:; \
	line() { printf '  %-22s %s\n' "$$1" "$$2"; }; \
	line hotgraph.db "every result: sqlite3 -box "$(results)"/hotgraph.db 'select * from table1'"; \
	for kind in txt md csv tex svg png pdf; do \
	    n=$$(find $(results) -name "*.$$kind" | wc -l); case $$kind in \
	    txt) what="tables to read";; csv) what="tables and the figures' data";; tex) what="tables for LaTeX";; \
	    md) what="tables for the web";; pdf) what="figures for papers";; *) what="figures and tables as pictures";; esac; \
	    test "$$n" = 0 || line "$$(printf '%3s files of .%s' "$$n" "$$kind")" "$$what"; done; \
	line index.html "all of it to look at; open it in a browser: "$(results)/index.html

# See docs/cluster.md. SBATCH and PARALLEL are additional options for sbatch and parallel.
# An exported HOTGRAPH is the program to run; nothing is built then. CLUSTER: the folder for the parts and their results.
cluster_program = test -n "$$HOTGRAPH" || HOTGRAPH=$(build)/hotgraph; export HOTGRAPH; exec $(here)sweep/slurm
cluster: $(if $(HOTGRAPH),,program)
	@$(cluster_program)/submit $(config) $(call quoted,$(SHARDS)) $(call path,$(CLUSTER)) $(SBATCH)

# Status 3, not finished yet, is not an error.
cluster-status:
	@$(here)sweep/slurm/status $(call path,$(CLUSTER)) || test $$? = 3

parallel: $(if $(HOTGRAPH),,program)
	$(call install,parallel)
	@$(cluster_program)/parallel $(config) $(call quoted,$(SHARDS)) $(call path,$(CLUSTER)) $(PARALLEL)

# Real programs: Debian's own, and kernels for three processors. Records them under QEMU and runs all techniques on streams.
# The configurations name the folders of their programs, beside configs: BUILD does not move them.
programs: build deps-programs
	@echo Inputs and kernels, into build/programs ...
	@$(here)programs/build.sh build/programs
	@mkdir -p $(results)
	@$(build)/hotgraph sweep configs/programs.cfg --db $(results)/programs.db --report $(results)/programs $(ONLY_GAMES) --jobs $(JOBS)
	@$(if $(GAMES),exit 0;) sqlite3 -readonly -csv -header $(results)/programs.db <$(here)docs/programs.sql | tr -d '\r' >$(results)/programs.csv; \
	    cmp $(results)/programs.csv $(here)docs/programs.csv || echo "docs/programs.csv differs from these results: are these other versions of the programs?" >&2
	@$(if $(GAMES),exit 0;) $(build)/hotgraph sweep configs/worth_programs.cfg --db $(results)/worth_programs.db --report $(results)/worth_programs --jobs $(JOBS)
	@$(if $(GAMES),exit 0;) sqlite3 -readonly -csv -header $(results)/worth_programs.db <$(here)docs/worth_programs.sql | tr -d '\r' >$(results)/worth_programs.csv; \
	    cmp $(results)/worth_programs.csv $(here)docs/worth_programs.csv || echo "docs/worth_programs.csv differs from these results: are these other versions of the programs?" >&2

# docs/artifact.md is the list of claims and commands.
FULL ?=
artifact: program $(if $(FULL),deps-programs deps-optimise)
	@python3 $(here)tests/artifact.py $(if $(FULL),--full) $(here)docs/artifact.md $(results)/artifact.json

# The paper's databases are those of docs/artifact.md; reports draw its figures.
paper: program
	@command -v pdflatex >/dev/null || { echo "make paper needs LaTeX: apt-get install" \
	    "texlive-latex-base texlive-latex-recommended texlive-fonts-recommended lmodern" >&2; exit 1; }
	@cd $(here). && python3 tests/artifact.py --prepare
	@cd $(here). && for name in worth frontier; do build/hotgraph report results/$$name.db --out results/$$name >/dev/null || exit; done
	@cd $(here). && python3 docs/paper/paper.py results results/paper

# Programs from Debian's sources, laid out by BOLT.
optimise: program deps-optimise
	@echo Programs and their inputs, into build/optimise ...
	@$(here)programs/build_optimised.sh build/optimise
	@mkdir -p $(results)
	@echo Laying them out by configs/optimise.cfg, into $(results)/optimise.db
	@$(build)/hotgraph optimise configs/optimise.cfg --db $(results)/optimise.db $(ONLY_GAMES) --jobs $(JOBS)
	@$(if $(GAMES),exit 0;) sqlite3 -readonly -csv -header $(results)/optimise.db <$(here)docs/optimised.sql | tr -d '\r' >$(results)/optimised.csv; \
	    cmp $(results)/optimised.csv $(here)docs/optimised.csv || echo "docs/optimised.csv differs from these results: are these other versions of the programs?" >&2

report: program
	@$(build)/hotgraph report $(results)/hotgraph.db --out $(results)

# One more than there are cores: the tests of clusters mostly wait, for a minute and more.
test: build
	@meson test -C $(build) --no-rebuild --print-errorlogs --num-processes $$(($$(nproc) + 1)) $(if $(ALL),,--no-suite long)

coverage: deps
	@sh tests/coverage.sh

bench-adapt: deps
	$(call compile,hotgraph,the program)
	@$(here)tests/bench/adapt.sh "$$(realpath -m -- $(build))/hotgraph" $(if $(QUICK),60 burrow)

bench: deps
	$(call compile,hotgraph tests/bench_builds tests/bench_open,the program and what measures it)
	@QUICK=$(QUICK) REFERENCE=$(call quoted,$(REFERENCE)) sh $(here)tests/bench/bench.sh "$$(realpath -m -- $(build))/hotgraph"
	@echo; python3 $(here)tests/bench/bench_registers.py $(if $(QUICK),--quick) "$$(realpath -m -- $(build))/hotgraph"
	@mkdir -p $(results)
	@for config in configs/bench_live.cfg configs/bench.cfg; do \
	    $(build)/hotgraph bench $$config --db $(results)/bench.db \
	        $(if $(QUICK),--games mazewisp --rounds 1 --frames 120) >/dev/null || exit 1; done
	@echo; echo "Techniques inside the machine, times the replay without:" $(results)/bench.db
	@sqlite3 -readonly -header -column $(results)/bench.db 'SELECT * FROM technique_cost'

frontier: program
	@mkdir -p $(results)
	@echo Sweeping configs/frontier.cfg into $(results)/frontier.db, and counting host instructions
	@$(build)/hotgraph sweep configs/frontier.cfg --db $(results)/frontier.db $(ONLY_GAMES) --jobs $(JOBS) >$(results)/frontier.txt || \
	    { tail -3 $(results)/frontier.txt; exit 1; }
	@$(build)/hotgraph costs configs/frontier.cfg --db $(results)/frontier.db $(ONLY_GAMES) >>$(results)/frontier.txt
	@$(build)/hotgraph report $(results)/frontier.db --out $(results)/frontier
	@$(if $(GAMES),exit 0;) sqlite3 -readonly -csv -header $(results)/frontier.db <$(here)docs/frontier.sql | tr -d '\r' >$(results)/frontier.csv; \
	    cmp $(results)/frontier.csv $(here)docs/frontier.csv || echo "docs/frontier.csv differs from these results: has the translator changed since?" >&2

costs: deps
	$(call compile,hotgraph,the program)
	@cd $(here). && python3 tests/costs.py check "$$(realpath -m -- $(build))/hotgraph" $(if $(GAMES),$(GAMES))

bench-native: build
	$(call install,$(NATIVE_PACKAGES))
	@mkdir -p $(results)
	@python3 $(here)tests/bench/bench_native.py $(if $(QUICK),--quick) $(build)/hotgraph $(build)/tests/native_insert $(results)/native.db

bench-peers: program
	$(call install,$(PEERS_PACKAGES))
	@mkdir -p $(results)
	@python3 $(here)tests/bench/bench_peers.py $(if $(QUICK),--quick) --db $(results)/native.db $(build)/hotgraph $(or $(here),.)

bench-record: program deps-programs
	@$(here)programs/build.sh build/programs
	@python3 $(here)tests/bench/bench_record.py $(if $(QUICK),--quick) $(build)/hotgraph $(here)configs/recorded.cfg

games: deps-games
	@for g in games/*/Makefile; do d=$$(dirname $$g); $(MAKE) --no-print-directory -C $$d OUT=../$$(basename $$d).nes || exit 1; done
	@cd games && sha1sum -c *.sha1

# Not part of the tests: it takes almost an hour. ONLY=core/nes changes only that folder.
# With AT_RANDOM, build-mutants keeps the measurements and trials, so that a stopped run can continue.
mutants: $(if $(AT_RANDOM),deps,build)
	@$(if $(AT_RANDOM),nice $(here)tests/mutants_random.py --count $(AT_RANDOM) --seed $(SEED) $(if $(AGAIN),--again),\
	    nice tests/mutants.py) $(if $(ONLY),--only $(ONLY))

# The program and its data, without the tests.
install: export INSTALL_PREFIX = $(PREFIX)
install: export INSTALL_ROOT = $(DESTDIR)
install: deps
	$(call compile,program man1 programs,the program)
	@absolute() { case $$1 in '' | /*) printf '%s' "$$1";; *) printf '%s/%s' "$$PWD" "$$1";; esac; }; \
	prefix=$$(absolute "$$INSTALL_PREFIX") DESTDIR=$$(absolute "$$INSTALL_ROOT") log=$(build)/install.log; export DESTDIR; \
	{ meson configure $(build) -Dprefix="$$prefix" && ninja -C $(build) program man1 programs && meson install -C $(build) --no-rebuild; } >"$$log" 2>&1 || \
	    { cat "$$log" >&2; exit 1; }; \
	printf '%s\n' "Installed under $$DESTDIR$$prefix: bin/hotgraph, and what it needs in lib/hotgraph, share/hotgraph;" \
	    "pages in share/doc/hotgraph, share/man; completion in share/bash-completion. The folder may be moved."

# An archive of what is committed, with the commit's name in it.
DIST ?= .
VERSION = $(shell awk -F"'" '/^project/ { print $$6 }' $(here)meson.build)
dist:
	@to=$$(realpath -m -- $(call path,$(DIST))) && cd $(here). && \
	{ test -z "$$(git status --porcelain)" || echo "make dist: uncommitted changes are not in the archive" >&2; } && \
	work=$$(mktemp -d) && git rev-parse --short=12 HEAD >"$$work/COMMIT" && \
	git archive --format=tar --prefix=hotgraph-$(VERSION)/ --add-file="$$work/COMMIT" HEAD >"$$work/tar" && \
	gzip -n <"$$work/tar" >"$$to/.hotgraph-$(VERSION).tar.gz" && rm -r "$$work" && \
	mv "$$to/.hotgraph-$(VERSION).tar.gz" "$$to/hotgraph-$(VERSION).tar.gz" && \
	echo "$$to/hotgraph-$(VERSION).tar.gz"

# A Debian package of what is committed, or of an unpacked archive, into DEB=FOLDER: built in a folder of its own.
DEB ?= .
DEB_PACKAGES := dpkg-dev debhelper libcairo2-dev
deb: deps
	$(call install,$(DEB_PACKAGES))
	@to=$$(realpath -m -- $(call path,$(DEB))) && mkdir -p "$$to" && work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && \
	{ if test -s $(here)COMMIT; then mkdir "$$work/hotgraph-$(VERSION)" && tar -C $(here). --exclude='./build*' -cf - . | tar -C "$$work/hotgraph-$(VERSION)" -xf -; \
	else $(MAKE) --no-print-directory -s -C $(here). dist DIST="$$work" >/dev/null && tar -C "$$work" -xzf "$$work/hotgraph-$(VERSION).tar.gz"; fi; } && \
	cd "$$work/hotgraph-$(VERSION)" && \
	{ dpkg-buildpackage -us -uc -b >"$$work/log" 2>&1 || { tail -n 60 "$$work/log" >&2; exit 1; }; } && \
	cp "$$work"/hotgraph_$(VERSION)_*.deb "$$to"/ && ls "$$to"/hotgraph_$(VERSION)_*.deb

clean:
	rm -rf $(build)
