#!/bin/sh
# Both libraries built for arm64 by Debian's cross compiler, and their tests run by qemu, the NEON path of lines among
# them: in a root directory of its own in WORK, which is kept, so that this system's architectures stay as they are.
# Needs root and Debian's mirror, the first time some 130 s; then it builds what has changed, and tests for some 260 s.
#   arm64.sh WORK
set -eu
work=$1
tree=$(cd "$(dirname "$0")/../.." && pwd)
system=$work/root
me=arm64.sh
root=$tree
. "$tree/cmake/debian.sh"
[ "$(id -u)" -eq 0 ] || fail "making a root directory needs root"

# What an architecture can change, and qemu runs in seconds.
tests='hash digest_sha1 keys url_fast url_rules full_batch identity store snapshot'
programs='inside_mlbf contract_mlbf inside_frontier inside_frontier_store contract_frontier contract_care'
# Of address space, in KiB. Debian 12's qemu keeps some 24 bytes for each page that a program maps, used or not: 12 GB
# for the two TiB that a frontier asks for where nothing limits it. Under a limit it maps less (store_map.c).
address_space=16777216

mkdir -p "$work"
log=$work/log
if [ ! -e "$work/made" ]; then
  rm -rf "$system"
  libraries=$(printf '%s\n' "$BUILD_NEEDS" | awk '$1 ~ /-dev$/ && $1 != "libc6-dev" { printf ",%s:arm64", $1 }')
  mmdebstrap --quiet --mode=root --variant=apt --architectures=amd64,arm64 --include="gcc,cmake,ninja-build,pkg-config,\
gcc-aarch64-linux-gnu,g++-aarch64-linux-gnu,qemu-user,libcmocka-dev:arm64,libgumbo-dev:arm64,libnghttp2-dev:arm64,\
libxml2-dev:arm64$libraries" bookworm "$system" >"$log" 2>&1 || fail_with_log "no system for arm64 could be made"
  touch "$work/made"
fi

mkdir -p "$system/src"
(cd "$tree" && tar --exclude='./build*' --exclude=./.git -cf - .) | tar -xf - -C "$system/src"

in_system() # COMMAND
{
  chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -euc "$1" >"$log" 2>&1 </dev/null
}
in_system 'cmake -G Ninja -S /src -B /build -DCMAKE_TOOLCHAIN_FILE=/src/cmake/arm64.cmake -DCMAKE_BUILD_TYPE=Release \
  -DSTRATA_TESTS=ON -DSTRATA_ASSERTS=ON -DSTRATA_WERROR=ON' || fail_with_log "cmake could not configure for arm64"
in_system "ninja -C /build mlbf frontier $programs" || fail_with_log "the libraries do not build for arm64"
pattern=$(echo "$tests" | tr ' ' '|')
in_system "qemu-aarch64 /build/tests/inside_mlbf 'line.*'" || fail_with_log "lines fail on arm64"
grep -qx neon "$log" || fail_with_log "the NEON path was not run"
in_system "ulimit -v $address_space; ctest --test-dir /build --output-on-failure -R '^($pattern)\\.'" ||
  fail_with_log "tests fail on arm64"
say "$(sed -n '/tests passed/p' "$log")"
