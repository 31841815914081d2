#!/bin/sh
# Measures everything and writes docs/benchmarks.md and its plots:  sh bench/report.sh
# A run of seconds, to see that all of it works, written elsewhere:  sh bench/report.sh --quick OUTPUT_DIR
# Installs what is missing on Debian and Ubuntu. Builds in build-bench/, or in $POSENC_BUILD_DIR. The full run takes about
# ten minutes and wants a machine that does nothing else.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tests/install_missing.sh"

quick=''
output=$root/docs
case "${1-}" in
  '') ;;
  --quick)
    quick=1
    output=${2:?"usage: sh bench/report.sh [--quick OUTPUT_DIR]"}
    ;;
  *)
    echo "usage: sh bench/report.sh [--quick OUTPUT_DIR]" >&2
    exit 2
    ;;
esac
mkdir -p "$output"
output=$(CDPATH='' cd -- "$output" && pwd)

install_missing g++ make cmake libeigen3-dev libbenchmark-dev libmpfr-dev gnuplot-nox python3
[ -n "$quick" ] || install_missing libtorch-dev
: "${POSENC_BUILD_DIR:=$root/build-bench}"
choose_build_folder
: "${CMAKE_BUILD_PARALLEL_LEVEL:=$(nproc 2>/dev/null || echo 2)}"
export CMAKE_BUILD_PARALLEL_LEVEL
results=$build/results
rm -rf "$results"
mkdir -p "$results"

# Every program is run several times: where its memory happens to lie changes from run to run, and counts.
if [ -n "$quick" ]; then
  rounds='1' seconds=0.001 without_torch=ON
else
  rounds='1 2 3' seconds=0.1 without_torch=OFF
fi

# build_variant NAME FLAGS PROGRAM...: all of them where none is named
build_variant() {
  variant=$1 flags=$2
  shift 2
  say "Building for $variant: $flags"
  cmake -S "$root" -B "$build/$variant" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=$flags -DNDEBUG" \
    -DPOSENC_BUILD_TESTS=OFF -DPOSENC_BUILD_EXAMPLES=OFF -DPOSENC_INSTALL=OFF -DPOSENC_BUILD_BENCHMARKS=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_Torch="$without_torch" >"$build/$variant.log" 2>&1 || { cat "$build/$variant.log" && exit 1; }
  grep 'posenc:' "$build/$variant.log" || true  # what was not found
  [ $# -gt 0 ] || cmake --build "$build/$variant" -- -s
  for program in "$@"; do cmake --build "$build/$variant" --target "posenc_bench_$program" -- -s; done
}

# run_variant NAME FILTER PROGRAM...: those of the programs that were built
run_variant() {
  variant=$1 filter=$2
  shift 2
  say "Measuring $variant"
  mkdir -p "$results/$variant"
  for round in $rounds; do
    for program in "$@"; do
      [ -x "$build/$variant/bench/$program" ] || continue
      echo "$program, run $round"
      "$build/$variant/bench/$program" --benchmark_min_time=$seconds "--benchmark_filter=$filter" \
        --benchmark_out="$results/$variant/$program.$round.json" >"$build/$program.log" 2>&1 ||
        { cat "$build/$program.log" && exit 1; }
    done
  done
}

skip() {
  say "Skipped: $*"
  echo "$*" >>"$results/skipped.txt"
}

# Everything is built before anything is timed: a compiler beside it would be measured too.
prefill='^rotate/.*/float/tokens:(512|2048|4096|1024)/heads:(32|8|12)/'
build_variant o3_native "-O3 -march=native"
has() { for flag in "$@"; do grep -qw -m1 "$flag" /proc/cpuinfo 2>/dev/null || return 1; done; }
x86=''
case "$(uname -m)" in x86_64 | amd64) x86=1 ;; esac
haswell=''
if [ -n "$quick" ]; then
  skip "all builds but -O3 -march=native and -O2: a quick run"
else
  build_variant o2_native "-O2 -march=native" rotate rotate_to sinusoidal
  if [ -n "$x86" ] && has avx2 fma bmi1 bmi2 f16c movbe; then
    haswell=1
    build_variant o2_haswell "-O2 -march=haswell" rotate
  else
    skip "-O2 -march=haswell: this processor cannot run it"
  fi
fi
if [ -n "$x86" ]; then
  build_variant o2 "-O2" rotate
  [ -n "$quick" ] || build_variant o2_no_dispatch "-O2 -DPOSENC_NO_DISPATCH" rotate
else
  skip "plain x86-64 builds: this is another processor"
fi

run_variant o3_native . rotate rotate_to baselines sinusoidal construct threads torch_rope ggml_rope
[ -n "$quick" ] || run_variant o2_native . rotate rotate_to sinusoidal
[ -z "$haswell" ] || run_variant o2_haswell "$prefill" rotate
if [ -n "$x86" ]; then
  run_variant o2 "$prefill" rotate
  [ -n "$quick" ] || run_variant o2_no_dispatch "$prefill" rotate
fi
if [ -x "$build/o3_native/bench/error_by_position" ]; then
  say "Errors by position"
  "$build/o3_native/bench/error_by_position" >"$results/errors.dat"
else
  skip "errors by position: MPFR is not installed"
fi

say "Writing $output/benchmarks.md"
if command -v git >/dev/null && commit=$(git -C "$root" describe --always --dirty='+changes' 2>/dev/null); then
  echo "$commit" >"$results/commit.txt"
fi
mkdir -p "$output/plots"
python3 -B "$root/bench/report.py" "$results" "$output" $quick
