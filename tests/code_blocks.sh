#!/bin/sh
# Compiles every ```cpp block of a Markdown file as a program of its own and compares what it prints with the ```text
# block that follows it:  code_blocks.sh FILE WORK_FOLDER COMPILER FLAGS...
set -eu
file=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
awk -v folder="$folder" '
  /^```cpp$/  { n++; out = folder "/block_" n ".cpp"; next }
  /^```text$/ { out = n ? folder "/block_" n ".expected" : ""; next }
  /^```/      { if (out) close(out); out = ""; next }
  out         { print > out }' "$file"

count=0
for source in "$folder"/block_*.cpp; do
  [ -f "$source" ] || break
  count=$((count + 1))
  program=${source%.cpp}
  "$@" "$source" -o "$program" || { echo "$file: block $count does not compile"; exit 1; }
  "$program" >"$program.output" || { echo "$file: block $count fails"; exit 1; }
  [ ! -f "$program.expected" ] || diff -u "$program.expected" "$program.output" ||
    { echo "$file: block $count prints something else than the text shows"; exit 1; }
done
echo "$file: $count blocks compiled, and their output compared"
