#!/bin/sh
# Builds the position lab, one HTML file with everything in it:  sh docs/lab/build.sh [OUTPUT]
# OUTPUT is docs/lab/index.html unless named. Installs what is missing on Debian and Ubuntu: clang with its WebAssembly
# libraries (no emscripten) and Eigen.
set -eu
lab=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$lab/../.." && pwd)
output=${1:-$lab/index.html}
. "$root/tests/install_missing.sh"

# The clang that this system has WebAssembly libraries for; 14 on Debian 12, others elsewhere.
version=14
for candidate in 14 16 18 19; do
  if apt-cache show "libc++-$candidate-dev-wasm32" 2>/dev/null | grep -q '^Package:'; then
    version=$candidate
    break
  fi
done
install_missing "clang-$version" "lld-$version" wasi-libc "libc++-$version-dev-wasm32" \
  "libclang-rt-$version-dev-wasm32" libeigen3-dev
eigen=$(pkg-config --cflags-only-I eigen3 2>/dev/null || echo -I/usr/include/eigen3)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

say "Compiling docs/lab/lab.cpp to WebAssembly"
# shellcheck disable=SC2086  # the flags are separate words
"clang++-$version" --target=wasm32-wasi -std=c++17 -O3 -DNDEBUG -msimd128 -fno-exceptions -fno-rtti \
  -I "$root/include" $eigen -c "$lab/lab.cpp" -o "$objects/lab.o"
"clang++-$version" --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all "$objects/lab.o" -o "$objects/lab.wasm"

# A line of the template that names a file between two @ is replaced by that file, the module by its base64.
while IFS= read -r line; do
  case $line in
    @lab.wasm@) base64 -w 0 "$objects/lab.wasm" ;;
    @*@) cat "$lab/$(printf %s "$line" | tr -d @)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <"$lab/lab.html.in" >"$objects/index.html"
mkdir -p "$(dirname -- "$output")"
cp "$objects/index.html" "$output"
say "Written: $output, $(wc -c <"$output") bytes. Open it in a browser; it needs no server and no network."
