# Everything a newcomer needs, on a fresh Debian machine: make run, make test.
# Targets install what is missing (saying so first), build, and do one thing.

BUILD     ?= build
JOBS      ?= $(shell nproc)
# make run:
STEPS     ?= 10000
PS        ?= 1
WORKERS   ?= 2
DATA_DIR  ?= /usr/share/datasets/fashion-mnist
LOG_DIR   ?= mnist_logs
RUN_FLAGS ?=
PREFIX    ?= /usr/local

PACKAGES = build-essential cmake ninja-build pkg-config libnghttp2-dev libprotobuf-c-dev protobuf-c-compiler \
           protobuf-compiler libdnnl-dev libjansson-dev libpcre2-dev zlib1g-dev libssl-dev
RUN_PACKAGES  = dataset-fashion-mnist
TEST_PACKAGES = zsh clang-format
LINT_PACKAGES = clang-format
INTEROP_PACKAGES = python3-venv

.PHONY: all help build run test soak asan tsan lint format interop fuzz ops api bench install clean deps
all: build

help:
	@echo 'make run      train the MNIST model on a local cluster (SYNC=1 STEPS= PS= WORKERS= DATA_DIR= LOG_DIR=)'
	@echo 'make build    build/sluice, build/libsluice.so, build/examples/*'
	@echo 'make test     all that the project can prove without Python'
	@echo 'make ops      include/sluice/ops.h and docs/ops.md again, from the op tables'
	@echo 'make api      docs/api.md again, from the public headers'
	@echo 'make bench    the microbenchmarks, one table (BENCH="steps kernels files input remote" BENCH_MILLIS=)'
	@echo 'make lint     formatting, layers, banned functions, warnings as errors (FILES="src/x/y.c": of these only)'
	@echo 'make asan|tsan the tests under a sanitizer (TESTS="base_options": of these only)'
	@echo 'make soak|format|interop|install|clean'
	@echo 'make fuzz     every parser of foreign bytes, without end, 60 s each in turn (FUZZ= FUZZ_SECONDS= FUZZ_ROUNDS=)'

deps:
	@tools/install_packages $(PACKAGES)

build: deps
	@cmake -S . -B $(BUILD) -G Ninja > $(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@cmake --build $(BUILD) -j $(JOBS)

run: build
	@if [ "$(DATA_DIR)" = /usr/share/datasets/fashion-mnist ]; then tools/install_packages $(RUN_PACKAGES); fi
	@$(BUILD)/sluice launch --ps $(PS) --workers $(WORKERS) -- $(BUILD)/examples/mnist_replica \
	    --data_dir=$(DATA_DIR) --log_dir=$(LOG_DIR) --steps=$(STEPS) $(if $(SYNC),--sync) $(RUN_FLAGS)

# The whole proof: optimised tests, then the unit tests again under ASan and UBSan.
test: build
	@tools/install_packages $(TEST_PACKAGES)
	@cmake --build $(BUILD) -j $(JOBS) --target tests
	@tools/check_layers
	@$(MAKE) --no-print-directory asan
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

# A sanitizer's build has a folder of its own. TESTS="base_options tests_launch": these tests only.
space = $(subst ,, )
asan tsan: deps
	@cmake -S . -B $(BUILD)-$@ -G Ninja -DSLUICE_SANITIZE=$(if $(filter asan,$@),address,thread) > /dev/null
	@cmake --build $(BUILD)-$@ -j $(JOBS) --target $(or $(addprefix test_,$(TESTS)),tests)
	@cd $(BUILD)-$@ && TSAN_OPTIONS="suppressions=$(CURDIR)/tools/tsan.supp" ctest --output-on-failure -j $(JOBS) \
	    $(or $(if $(TESTS),-R '^($(subst $(space),|,$(strip $(TESTS))))$$'),-LE slow)

# Tasks killed at random moments, twenty rounds of each kind.
soak: build
	@cmake --build $(BUILD) -j $(JOBS) --target test_tests_train_kill
	@$(BUILD)/tests/test_tests_train_kill soak

lint: deps
	@tools/install_packages $(LINT_PACKAGES)
	@tools/lint $(FILES)
	@cmake -S . -B $(BUILD)-lint -G Ninja -DSLUICE_WERROR=ON > /dev/null
	@cmake --build $(BUILD)-lint -j $(JOBS) --target $(or $(addsuffix ^,$(abspath $(filter %.c,$(FILES)))),all tests)

format:
	@tools/install_packages $(LINT_PACKAGES)
	@git ls-files '*.c' '*.h' '*.inc' | xargs clang-format -i

interop: build
	@tools/install_packages $(INTEROP_PACKAGES)
	@tests/interop/run $(BUILD)

# Goes on until something breaks or somebody stops it, or for FUZZ_ROUNDS; what it finds worth keeping is in
# $(BUILD)-fuzz/corpus. FUZZ="record http2": these targets only.
FUZZ         ?= $(notdir $(wildcard tests/fuzz/corpus/*))
FUZZ_SECONDS ?= 60
FUZZ_ROUNDS  ?= 0
fuzz: deps
	@cmake -S . -B $(BUILD)-fuzz -G Ninja -DSLUICE_SANITIZE=address -DSLUICE_FUZZ=ON > /dev/null
	@cmake --build $(BUILD)-fuzz -j $(JOBS) --target $(addprefix fuzz_,$(FUZZ))
	@round=1; while :; do for name in $(FUZZ); do found=$(BUILD)-fuzz/corpus/$$name; mkdir -p $$found; \
	    $(BUILD)-fuzz/tests/fuzz_$$name --seconds=$(FUZZ_SECONDS) --seed=$$round --save=$$found \
	        tests/fuzz/corpus/$$name $$found || exit 1; done; \
	    [ $$round != $(FUZZ_ROUNDS) ] || exit 0; round=$$((round + 1)); done

ops: build
	@cmake --build $(BUILD) -j $(JOBS) --target generate_ops
	@tools/generate_ops_files $(BUILD)/tests/generate_ops

# docs/api.md, after a change of the public headers.
api:
	@tools/generate_api_reference > docs/api.md.new
	@if cmp -s docs/api.md.new docs/api.md; then rm docs/api.md.new; else mv docs/api.md.new docs/api.md; fi

# Each row is the best of three repetitions of this length.
BENCH_MILLIS ?= 150
bench: build
	@cmake --build $(BUILD) -j $(JOBS) --target sluice_bench
	@$(BUILD)/sluice_bench --millis=$(BENCH_MILLIS) $(BENCH)

install: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX) --strip

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-lint $(BUILD)-fuzz
