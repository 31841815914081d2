#!/bin/sh
# Builds the documentation site: reference, guide, examples, benchmarks and position lab, to be read without a network.
#   sh docs/site/build.sh [OUTPUT_DIR]            build/site unless named; an earlier site there is replaced
# Installs what is missing on Debian and Ubuntu: doxygen, its style doxygen-awesome-css, Python, and what the lab needs.
set -eu
site=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$site/../.." && pwd)
output=${1:-$root/build/site}
. "$root/tests/install_missing.sh"

mkdir -p "$output"
if [ -n "$(ls -A "$output")" ] && ! [ -f "$output/doxygen.css" ]; then
  say "$output is neither empty nor an earlier site: not touched"
  exit 1
fi
install_missing doxygen doxygen-awesome-css python3
awesome=/usr/share/doxygen-awesome-css
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
number() { sed -n "s/^#define POSENC_VERSION_$1 //p" "$root/include/posenc/version.hpp"; }

lab=0 lab_tab=''
if sh "$root/docs/lab/build.sh" "$stage/html/lab/index.html"; then
  lab=1 lab_tab='<tab type="user" visible="yes" url="lab/index.html" title="Position lab"/>'
else
  say "The position lab could not be built: the site goes without it"
fi

say "Building the site"
python3 -B "$site/stage.py" "$root" "$stage" $lab
sed "s|@LAB_TAB@|$lab_tab|" "$site/layout.xml" >"$stage/layout.xml"
sed -e "s|@VERSION@|$(number MAJOR).$(number MINOR).$(number PATCH)|" -e "s|@STAGE@|$stage|g" -e "s|@SITE@|$site|g" \
  -e "s|@AWESOME@|$awesome|g" "$site/Doxyfile.in" >"$stage/Doxyfile"
# Newer versions would pick dark or light by themselves, against the style.
if doxygen -g - | grep -q '^HTML_COLORSTYLE  *='; then echo "HTML_COLORSTYLE = LIGHT" >>"$stage/Doxyfile"; fi
doxygen "$stage/Doxyfile" 2>"$stage/warnings" || { cat "$stage/warnings" && exit 1; }
sed "s|$stage/||" "$stage/warnings"
if grep -q 'resolve' "$stage/warnings"; then
  say "A reference leads nowhere: the site is not written"
  exit 1
fi

# Doxygen writes an empty page about each Markdown file as a file, and lists it in the search.
sed -i '/page__[a-z_]*_8md\.html/d' "$stage"/html/search/*.js
rm -f "$stage"/html/page__*_8md.html

say "Checking that no page asks another host for anything and no link is broken"
python3 -B "$site/check.py" "$stage/html"
rm -rf "${output:?}"/*
cp -R "$stage/html/." "$output/"
say "Written: $output/index.html. Open it in a browser; it needs no server and no network."
