# On a fresh Debian machine: make run, make test. Each target lists and installs missing packages, builds, and does one
# thing.

BUILD     ?= build
JOBS      ?= $(shell nproc)
# make run:
STEPS     ?= 10000
PS        ?= 1
WORKERS   ?= 2
DATA_DIR  ?= /usr/share/datasets/fashion-mnist
RUN_LOGS  ?= run_logs
# A directory that does not exist yet: each run trains a new model. LOG_DIR=DIR continues the one in DIR.
LOG_DIR   ?= $(RUN_LOGS)/$(shell n=1; while [ -e '$(RUN_LOGS)'/$$n ]; do n=$$((n + 1)); done; echo $$n)
RUN_FLAGS ?=
PREFIX    ?= /usr/local

PACKAGES = build-essential cmake ninja-build pkg-config libnghttp2-dev libprotobuf-c-dev protobuf-c-compiler \
           protobuf-compiler libdnnl-dev libopenblas0-pthread libjansson-dev libpcre2-dev zlib1g-dev \
           libssl-dev libjpeg62-turbo-dev libpng-dev libgif-dev libcurl4-openssl-dev
RUN_PACKAGES  = dataset-fashion-mnist
TEST_PACKAGES = zsh clang-format python3-dev python3-numpy iproute2 openssl libopenmpi-dev openmpi-bin \
                pocl-opencl-icd ocl-icd-libopencl1
LINT_PACKAGES = clang-format
HOSTS_PACKAGES = iproute2 openssh-server slurm-wlm munge buildah debootstrap
HOSTING_PACKAGES = dataset-fashion-mnist default-jdk-headless maven curl python3-venv python3-dev
METRICS_PACKAGES = prometheus chromium dataset-fashion-mnist python3
INTEROP_PACKAGES = python3-venv python3-dev
WHEEL_PACKAGES = python3-dev python3-numpy

.PHONY: all help build run test hosts gpu soak chaos simulate hosting hosting_bench metrics asan tsan lint format interop fuzz ops api python_api bench compare wheel install deb clean deps
all: build

help:
	@echo 'make run      train the MNIST model on a local cluster (SYNC=1 STEPS= PS= WORKERS= DATA_DIR= LOG_DIR=)'
	@echo 'make build    build/sluice, build/libsluice.so, build/examples/*'
	@echo 'make test     all tests that need no TensorFlow'
	@echo 'make hosts    clusters of several hosts, made of network namespaces, whose links fail; sshd, Slurm, a container'
	@echo 'make gpu      tests of GPUs, which PoCL makes of the CPU'
	@echo 'make chaos    kills, stops and restarts of every task in every kind of training (ROUNDS=20)'
	@echo 'make simulate trainings with faults in a simulated world, one seed after the other (SEEDS=1000 FIRST=1)'
	@echo 'make hosting  sweeps of real trainings, files in S3 and HDFS, clusters in Spark (make hosting_bench: throughput)'
	@echo 'make metrics  a training cluster, scraped by Prometheus and shown in Chromium'
	@echo 'make ops      regenerate sluice/ops.h, docs/ops.md and the files of each area from the op tables'
	@echo 'make api      regenerate docs/api.md from the public headers'
	@echo 'make python_api  regenerate docs/python_api.md from the names of the Python package'
	@echo 'make compare  the ways to train, and all-reduce beside OpenMPI: tables and a picture in docs'
	@echo 'make bench    the microbenchmarks, one table (BENCH="steps kernels linalg images files input remote store embedding" BENCH_MILLIS=)'
	@echo 'make lint     formatting, tools/check_*, warnings as errors (FILES="src/x/y.c": format and compile only these)'
	@echo 'make asan|tsan the tests under a sanitizer (TESTS="base_options": only these)'
	@echo 'make install  library, headers, command, pkg-config file and CMake package (PREFIX= DESTDIR=)'
	@echo 'make wheel    dist/*.whl, the Python package'
	@echo 'make deb      the same as a Debian package, $(BUILD)/sluice_VERSION_ARCHITECTURE.deb'
	@echo 'make soak|format|interop|clean'
	@echo 'make fuzz     fuzz every parser in turn, 60 s each, until stopped (FUZZ= FUZZ_SECONDS= FUZZ_ROUNDS=)'

deps:
	@tools/install_packages $(PACKAGES)

build: deps
	@cmake -S . -B $(BUILD) -G Ninja > $(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@cmake --build $(BUILD) -j $(JOBS)

run: build
	@if [ "$(DATA_DIR)" = /usr/share/datasets/fashion-mnist ]; then tools/install_packages $(RUN_PACKAGES); fi
	@log_dir='$(LOG_DIR)'; echo "checkpoints and summaries: $$log_dir"; \
	$(BUILD)/sluice launch --ps $(PS) --workers $(WORKERS) -- $(BUILD)/examples/mnist_replica \
	    --data_dir=$(DATA_DIR) --log_dir="$$log_dir" --steps=$(STEPS) $(if $(SYNC),--sync) $(RUN_FLAGS)

# The checkers, the tests under ASan and UBSan, then all tests optimised.
test: build
	@tools/install_packages $(TEST_PACKAGES)
	@cmake -S . -B $(BUILD) -G Ninja > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target tests
	@for check in tools/check_*; do $$check || exit 1; done
	@$(MAKE) --no-print-directory asan
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS) -LE long

# A sanitizer's build has a separate folder. TESTS="base_options tests_cli_launch": only these tests.
space = $(subst ,, )
asan tsan: deps
	@cmake -S . -B $(BUILD)-$@ -G Ninja -DSLUICE_SANITIZE=$(if $(filter asan,$@),address,thread) > /dev/null
	@cmake --build $(BUILD)-$@ -j $(JOBS) --target $(or $(if $(TESTS),sluice_cli $(addprefix test_,$(TESTS))),tests)
	@cd $(BUILD)-$@ && TSAN_OPTIONS="suppressions=$(CURDIR)/tools/tsan.supp" ctest --output-on-failure -j $(JOBS) \
	    $(or $(if $(TESTS),-R '^($(subst $(space),|,$(strip $(TESTS))))$$'),-LE 'slow|long')

# Clusters of several hosts, which are network namespaces: needs root or user namespaces, else they are skipped. Then the
# image of the Containerfile.
hosts: build
	@tools/install_packages $(HOSTS_PACKAGES)
	@cmake --build $(BUILD) -j $(JOBS) --target $(addprefix test_tests_hosts_,train links ssh slurm wire)
	@cd $(BUILD) && ctest --output-on-failure -R '^tests_hosts_'
	@tests/container/run $(BUILD) || [ $$? -eq 77 ]

# With the systems of others, which it installs. The S3 store is a Go program: Go 1.21 or later must be in PATH.
MAVEN_COPY = org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies
# The clients of others, and Spark.
HOSTING_PYTHON = numpy tensorboard==2.15.2 "setuptools<70" boto3 fsspec requests pyspark==3.5.3
S3_STORE = github.com/versity/versitygw/cmd/versitygw@v1.8.0
hosting: build
	@tools/install_packages $(HOSTING_PACKAGES)
	@[ -x $(BUILD)/hosting/versitygw ] || { PATH=$$PATH:/usr/local/go/bin; command -v go > /dev/null && \
	    go version | grep -Eq 'go(1\.(2[4-9]|[3-9][0-9])|[2-9])'; } || { echo 'make hosting needs Go 1.24 or newer in PATH' \
	    'for the S3 store ($(S3_STORE)); Debian 12 has 1.19 only, https://go.dev/dl has newer ones'; exit 1; }
	@[ -x $(BUILD)/hosting/versitygw ] || PATH=$$PATH:/usr/local/go/bin GOBIN=$(abspath $(BUILD))/hosting go install $(S3_STORE)
	@[ -d $(BUILD)/hosting/hadoop ] || { mvn -q -B -f tests/hosting/hadoop.pom.xml \
	    $(MAVEN_COPY) -DoutputDirectory=$(abspath $(BUILD))/hosting/hadoop.new && \
	    mv $(BUILD)/hosting/hadoop.new $(BUILD)/hosting/hadoop; }
	@[ -x $(BUILD)/hosting/venv/bin/python ] || { python3 -m venv $(BUILD)/hosting/venv.new && \
	    $(BUILD)/hosting/venv.new/bin/python -m pip install -q $(HOSTING_PYTHON) && \
	    mv $(BUILD)/hosting/venv.new $(BUILD)/hosting/venv; }
	@cmake --build $(BUILD) -j $(JOBS) --target python_package copy_file $(addprefix test_tests_hosting_,sweep s3 hdfs)
	@cd $(BUILD) && ctest --output-on-failure -R '^tests_hosting_'
	@tests/hosting/spark_check $(BUILD) $(BUILD)/hosting/venv

# How fast files go to and from stores, beside the stores' own clients.
hosting_bench: build
	@cmake --build $(BUILD) -j $(JOBS) --target copy_file
	@tests/hosting/measure/stores $(BUILD) $(BUILD)/hosting/venv

# The metrics of a training cluster in a real Prometheus, and its page in a real browser.
metrics: build
	@tools/install_packages $(METRICS_PACKAGES)
	@tests/metrics/run $(abspath $(BUILD))

# Kills tasks at random moments, twenty rounds of each kind.
soak: build
	@cmake --build $(BUILD) -j $(JOBS) --target test_tests_train_kill
	@$(BUILD)/tests/test_tests_train_kill soak

# Every task, every fault, every kind of training: ROUNDS=20 for twenty rounds.
chaos: build
	@cmake --build $(BUILD) -j $(JOBS) --target test_tests_train_chaos
	@$(BUILD)/tests/test_tests_train_chaos all $(or $(ROUNDS),1)

# GPUs, which PoCL makes of the CPU, with a training that takes too long for "make test".
gpu: build
	@tools/install_packages pocl-opencl-icd
	@cmake --build $(BUILD) -j $(JOBS) --target $(addprefix test_tests_gpu_,gpu golden cluster convolution)
	@cd $(BUILD) && ctest --output-on-failure -R '^tests_gpu_'

# Clusters in one process, on a simulated clock, network and disk. A seed that fails prints how to replay it.
simulate: build
	@cmake --build $(BUILD) -j $(JOBS) --target simulate
	@$(BUILD)/tests/simulate --seeds=$(or $(SEEDS),1000) --first=$(or $(FIRST),1)

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

# Runs until an input fails, until it is stopped, or for FUZZ_ROUNDS. Inputs that reach new code are kept in
# $(BUILD)-fuzz/corpus. FUZZ="record http2": only these targets.
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

# After a change of the public headers.
api:
	@tools/generate_api_reference > docs/api.md.new
	@if cmp -s docs/api.md.new docs/api.md; then rm docs/api.md.new; else mv docs/api.md.new docs/api.md; fi

# After a change of the names that the Python package has.
python_api: wheel
	@SLUICE_PYTHON_PROGRAM=python/tools/generate_later_names tests/python/run $(BUILD) > python/sluice/_later_names.py.new
	@mv python/sluice/_later_names.py.new python/sluice/_later_names.py
	@SLUICE_PYTHON_PROGRAM=python/tools/generate_api tests/python/run $(BUILD) > docs/python_api.md.new
	@mv docs/python_api.md.new docs/python_api.md

# Each row is the best of three repetitions of this length.
BENCH_MILLIS ?= 150
bench: build
	@cmake --build $(BUILD) -j $(JOBS) --target sluice_bench
	@$(BUILD)/sluice_bench --millis=$(BENCH_MILLIS) $(BENCH)

# Writes docs/training_compared.md with its picture, and docs/all_reduce_compared.md: about ten minutes.
compare: build
	@cmake --build $(BUILD) -j $(JOBS) --target compare_training compare_all_reduce
	@bench/compare/run training --build $(BUILD)
	@bench/compare/run all_reduce --build $(BUILD)

# A wheel for any CPython from 3.9, with numpy as its only dependency.
wheel: build
	@tools/install_packages $(WHEEL_PACKAGES)
	@cmake -S . -B $(BUILD) -G Ninja > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target python_package
	@python/build_wheel . $(BUILD) dist

install: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX) --strip
	@if [ -f $(BUILD)/libsluice_mpi.so ]; then \
	  DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX) --strip --component mpi; fi

deb: build
	@cd $(BUILD) && cpack -G DEB

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-lint $(BUILD)-fuzz
