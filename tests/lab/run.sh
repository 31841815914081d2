#!/bin/sh
# Builds the position lab and tries it in headless Chromium, from any folder:  sh tests/lab/run.sh
# Leaves the page and its screenshots in build/lab, or in $POSENC_BUILD_DIR/lab. Ends with 77, which ctest can count as
# skipped, where there is no browser or no npm to fetch its driver, playwright-core, with.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/tests/install_missing.sh"

skip() {
  say "SKIPPED: $*"
  exit 77
}
find_browser() {
  for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
    command -v "$name" && return 0
  done
  return 1
}

install_missing g++ libeigen3-dev
command -v npm >/dev/null || install_missing npm
command -v npm >/dev/null || skip "there is no npm to fetch playwright-core with"
find_browser >/dev/null || install_missing chromium fonts-dejavu-core
browser=$(find_browser) || skip "there is no Chromium"
choose_build_folder
lab=$build/lab
mkdir -p "$lab"
if ! [ -d "$lab/node_modules/playwright-core" ]; then
  say "Fetching playwright-core with npm, into the build folder"  # a version that the Node 18 of Debian 12 runs
  npm install --prefix "$lab" --no-audit --no-fund --ignore-scripts --no-save --loglevel=error playwright-core@1.49.1 ||
    skip "npm could not fetch playwright-core"
fi

sh "$root/docs/lab/build.sh" "$lab/index.html"
say "Compiling tests/lab/expected.cpp"
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)
# shellcheck disable=SC2086  # the flags are separate words
${CXX:-g++} -std=c++17 -O2 -I "$root/include" $eigen "$root/tests/lab/expected.cpp" -o "$lab/expected"

say "Trying the page in $browser"
node "$root/tests/lab/lab_test.js" "$lab" "$browser"
