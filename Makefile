# SPDX-License-Identifier: Apache-2.0
# Short names for the common commands; the build itself is CMake's (CMakePresets.json).
JOBS ?= $(shell nproc)
EXPERIMENT ?= riscv-batched-unmap

.PHONY: run build test bench format clean deps

## run: build the program and run the first experiment
run: build
	build/release/switchyard compare $(EXPERIMENT)

build: deps
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target switchyard

## test: everything that must hold, built and run
test: deps
	cmake -D JOBS=$(JOBS) -P cmake/RunTests.cmake

## bench: host speed of the optimised build
bench: deps
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target switchyard_bench
	build/release/tests/switchyard_bench

format:
	cmake -D ROOT=$(CURDIR) -D FIX=ON -P cmake/Format.cmake

clean:
	rm -rf build

deps:
	@scripts/install-deps.sh
