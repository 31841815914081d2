#!/bin/sh
# Computes the numbers of every picture with posenc and draws the pictures anew:  sh docs/pictures/draw.sh
# Writes docs/pictures/data/*.dat and docs/pictures/*.svg. Installs what is missing on Debian and Ubuntu.
set -eu
pictures=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$pictures/../.." && pwd)
. "$root/tests/install_missing.sh"

install_missing g++ libeigen3-dev gnuplot-nox
choose_build_folder
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)

say "Compiling docs/pictures/pictures.cpp"
# shellcheck disable=SC2086  # the flags are separate words
${CXX:-g++} -std=c++17 -O3 -I "$root/include" $eigen "$pictures/pictures.cpp" -o "$build/run_pictures"

say "Writing the numbers to docs/pictures/data"
mkdir -p "$pictures/data"
"$build/run_pictures" "$pictures/data"

say "Drawing with $(gnuplot --version)"
cd "$pictures"
for script in *.gp; do
  name=${script%.gp}
  [ "$name" != style ] || continue
  LC_ALL=C.UTF-8 gnuplot -e "data='data/$name.dat'; svg='$name.svg'" "$script"
  echo "docs/pictures/$name.svg"
done
