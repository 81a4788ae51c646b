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
LINT_PACKAGES = clang-format
INTEROP_PACKAGES = python3-venv

.PHONY: all help build run test soak asan tsan lint format interop fuzz ops api bench install clean deps
all: build

help:
	@echo 'make run      train the MNIST model on a local cluster (SYNC=1 STEPS= PS= WORKERS= DATA_DIR= LOG_DIR=)'
	@echo 'make build    build/sluice, build/libsluice.so, build/examples/*'
	@echo 'make test     all that the project can prove without Python'
	@echo 'make ops      include/sluice/ops.h and docs/ops.md again, from the op tables'
	@echo 'make bench    the microbenchmarks, one table (BENCH="steps kernels files remote")'
	@echo 'make asan|tsan|soak|lint|format|interop|install|clean'
	@echo 'make fuzz     every parser of foreign bytes, without end, 60 s each in turn (FUZZ_SECONDS=)'

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
	@cmake --build $(BUILD) -j $(JOBS) --target tests
	@tools/check_layers
	@$(MAKE) --no-print-directory asan
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

# A sanitizer's build has a folder of its own.
asan tsan: deps
	@cmake -S . -B $(BUILD)-$@ -G Ninja -DSLUICE_SANITIZE=$(if $(filter asan,$@),address,thread) > /dev/null
	@cmake --build $(BUILD)-$@ -j $(JOBS) --target tests
	@cd $(BUILD)-$@ && TSAN_OPTIONS="suppressions=$(CURDIR)/tools/tsan.supp" ctest --output-on-failure -j $(JOBS) -LE slow

# Tasks killed at random moments, twenty rounds of each kind.
soak: build
	@cmake --build $(BUILD) -j $(JOBS) --target test_tests_train_kill
	@$(BUILD)/tests/test_tests_train_kill soak

lint: deps
	@tools/install_packages $(LINT_PACKAGES)
	@tools/lint
	@cmake -S . -B $(BUILD)-lint -G Ninja -DSLUICE_WERROR=ON > /dev/null
	@cmake --build $(BUILD)-lint -j $(JOBS)
	@cmake --build $(BUILD)-lint -j $(JOBS) --target tests

format:
	@tools/install_packages $(LINT_PACKAGES)
	@git ls-files '*.c' '*.h' '*.inc' | xargs clang-format -i

interop: build
	@tools/install_packages $(INTEROP_PACKAGES)
	@tests/interop/run $(BUILD)

# Goes on until something breaks or somebody stops it; what it finds worth keeping is in $(BUILD)-fuzz/corpus.
FUZZ_SECONDS ?= 60
fuzz: deps
	@cmake -S . -B $(BUILD)-fuzz -G Ninja -DSLUICE_SANITIZE=address -DSLUICE_FUZZ=ON > /dev/null
	@cmake --build $(BUILD)-fuzz -j $(JOBS) --target fuzz_targets
	@seed=1; while :; do for corpus in tests/fuzz/corpus/*; do name=$${corpus##*/}; found=$(BUILD)-fuzz/corpus/$$name; \
	    mkdir -p $$found; $(BUILD)-fuzz/tests/fuzz_$$name --seconds=$(FUZZ_SECONDS) --seed=$$seed --save=$$found \
	        $$corpus $$found || exit 1; done; seed=$$((seed + 1)); done

ops: build
	@cmake --build $(BUILD) -j $(JOBS) --target generate_ops
	@tools/generate_ops_files $(BUILD)/tests/generate_ops

# docs/api.md, after a change of the public headers.
api:
	@tools/generate_api_reference > docs/api.md

bench: build
	@cmake --build $(BUILD) -j $(JOBS) --target sluice_bench
	@$(BUILD)/sluice_bench $(BENCH)

install: build
	@cmake --install $(BUILD) --prefix $(DESTDIR)$(PREFIX)

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-lint $(BUILD)-fuzz
