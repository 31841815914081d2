#!/bin/sh
# Builds everything and runs all tests, from any folder:  sh tests/run.sh
# Installs what is missing on Debian and Ubuntu. Builds in build/, or in $POSENC_BUILD_DIR.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tests/install_missing.sh"

install_missing g++ make cmake pkg-config libeigen3-dev catch2 nlohmann-json3-dev libmpfr-dev gnuplot-nox
choose_build_folder
jobs=$(nproc 2>/dev/null || echo 2)

say "Configuring in $build"
cmake -S "$root" -B "$build" -DPOSENC_BUILD_BENCHMARKS=OFF  # bench/report.sh builds these
say "Building with $jobs jobs"
cmake --build "$build" -j "$jobs"
say "Testing"
cd "$build"
ctest --output-on-failure --no-tests=error -j "$jobs"
