# shellcheck shell=sh disable=SC2034,SC2154
# What crawl.sh and check.sh share: which Debian packages the build stands on, how to get those that are
# missing, and how to build a preset. They set `me`, their name in messages, and `root`, the checkout.

# Each row: a package, and the thing that shows it is there. Asking for the thing keeps out of the way of
# for those who have it from elsewhere: libcurl4-gnutls-dev, a compiler of one's own, another distribution.
BUILD_NEEDS='
gcc                   command cc
libc6-dev             file /usr/include/stdio.h
cmake                 command cmake
ninja-build           command ninja
pkg-config            command pkg-config
libcurl4-openssl-dev  module libcurl
liburiparser-dev      module liburiparser
libunistring-dev      file /usr/include/uninorm.h
libpsl-dev            module libpsl
liblmdb-dev           module lmdb
libxxhash-dev         module libxxhash
libpcre2-dev          module libpcre2-8
libssl-dev            module libssl
libssl-dev            module libcrypto
zlib1g-dev            module zlib
libzstd-dev           module libzstd
libbrotli-dev         module libbrotlidec
liblzma-dev           module liblzma
libjansson-dev        module jansson
libhiredis-dev        module hiredis
ca-certificates       file /etc/ssl/certs/ca-certificates.crt
'

say() # SENTENCE
{
  printf '%s: %s\n' "$me" "$*" >&2
}

fail() # SENTENCE
{
  say "$*"
  exit 1
}

is_there() # KIND THING
{
  case $1 in
    command) command -v "$2" >/dev/null ;;
    file) [ -e "$2" ] ;;
    module) pkg-config --exists "$2" 2>/dev/null ;;
  esac
}

# The packages of the rows whose thing is not there, each with a blank before it.
missing_packages() # ROWS
{
  printf '%s\n' "$1" | while read -r package kind thing; do
    [ -z "$package" ] || is_there "$kind" "$thing" || printf ' %s' "$package"
  done
}

apt_get() # ARGUMENT...
{
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
}

# Install what is missing; ask apt nothing when nothing is.
install_missing() # ROWS
{
  missing=$(missing_packages "$1")
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || fail "there is no apt-get here; please install by hand:$missing"
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root and no sudo; please install as root:$missing"
    as_root=sudo
  fi

  say "installing$missing"
  log=$root/build/log/apt.log
  : >"$log"
  apt_get update || say "apt-get update failed; trying with the package lists there are"
  # --no-remove: a package that conflicts with one in use is for its owner to decide.
  # shellcheck disable=SC2086 # one word a package
  apt_get install --no-install-recommends --no-remove $missing ||
    fail "apt-get could not install$missing" \
      "($(grep -m 1 '^E:' "$log" || echo 'no reason given'); see build/log/apt.log)"
  missing=$(missing_packages "$1")
  [ -z "$missing" ] || fail "installed, but not usable:$missing"
}

# Configured for this very place? A tree that was copied here would build the place it came from.
is_configured() # DIRECTORY
{
  [ -e "$1/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt"
}

configure() # PRESET
{
  is_configured "$root/build/$1" && return
  say "configuring build/$1"
  log=$root/build/log/$1.log
  cmake --fresh -S "$root" --preset "$1" >"$log" 2>&1 || fail_with_log "cmake could not configure build/$1"
}

# Into build/PRESET, quietly, and only what is out of date.
build() # PRESET TARGET...
{
  preset=$1
  shift
  configure "$preset"
  ninja -C "$root/build/$preset" -n "$@" 2>/dev/null | grep -q 'no work to do' && return
  say "building build/$preset"
  log=$root/build/log/$preset.log
  ninja -C "$root/build/$preset" "$@" >"$log" 2>&1 || fail_with_log "build/$preset does not build"
}

fail_with_log() # SENTENCE
{
  tail -n 40 "$log" >&2
  fail "$1 (above: the end of ${log#"$root"/})"
}

mkdir -p "$root/build/log" 2>/dev/null || :
[ -w "$root/build/log" ] || fail "cannot write to $root/build; was it made by another user?"
