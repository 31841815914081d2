#!/bin/sh
# Builds and runs the examples, from any folder:  sh examples/run.sh [MODEL_DIR]
# The first needs no file. The second decodes a language model, stories260K.bin with tok512.bin, taken from MODEL_DIR,
# $POSENC_MODEL_DIR or ../shared/models. Installs a compiler and Eigen where they are missing on Debian and Ubuntu.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
models=${1:-${POSENC_MODEL_DIR:-$root/../shared/models}}
. "$root/tests/install_missing.sh"

install_missing g++ libeigen3-dev
choose_build_folder
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)

run() {  # run NAME ARGUMENTS...
  name=$1
  shift
  say "Compiling examples/$name.cpp"
  # shellcheck disable=SC2086  # the flags are separate words
  ${CXX:-g++} -std=c++17 -O3 -I "$root/include" $eigen "$root/examples/$name.cpp" -o "$build/run_$name"
  say "$name $*"
  "$build/run_$name" "$@"
}

run quickstart
if [ -f "$models/stories260K.bin" ] && [ -f "$models/tok512.bin" ]; then
  run tiny_llama "$models/stories260K.bin" "$models/tok512.bin"
else
  say "tiny_llama is skipped: there is no model in $models"
  echo "It needs stories260K.bin and tok512.bin:"
  echo "  https://huggingface.co/karpathy/tinyllamas/tree/main/stories260K"
  echo "Then:"
  echo "  sh examples/run.sh FOLDER_WITH_THE_TWO_FILES"
  [ $# -eq 0 ]  # a folder that was asked for and has no model is an error
fi
