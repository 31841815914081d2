# Sourced by tests/run.sh and examples/run.sh, which set `root`, the top of the repository.

say() { printf '\n== %s\n' "$*"; }

# Installs those of the named Debian or Ubuntu packages that are not there yet. Where that cannot be done, it says
# so and goes on: the tools may be there under another name.
install_missing() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "No apt on this machine. What is needed, by Debian's names: $*"
    return 0
  fi
  missing=
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0

  say "Installing with apt-get:$missing"
  sudo=$(command -v sudo || true)  # root may have none and needs none
  # env, because sudo drops variables. An update that fails for one of several sources is no reason to stop.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq update || true
  # shellcheck disable=SC2086  # the names are separate words
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq \
    install -y --no-install-recommends $missing >/dev/null ||
    say "Could not install them (are you root, or may you use sudo?). Going on with what is there."
}

# Sets `build` to a folder that can be written to.
choose_build_folder() {
  build=${POSENC_BUILD_DIR:-$root/build}
  if ! mkdir -p "$build" 2>/dev/null || ! [ -w "$build" ]; then
    build=$(mktemp -d)
    say "The build folder cannot be written to, using $build"
  fi
}
