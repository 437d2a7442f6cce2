#!/bin/sh
# The source tarball has what git has, and the same bytes from two checkouts under other umasks.
#   test_dist.sh
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
git -C "$tree" rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "skipped: no git checkout"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tree/cmake/dist.sh" 0.1.0 "$work/first.tar.gz" >"$work/log"
git clone -q --no-local "$tree" "$work/clone"
sleep 1 # another time of day
(umask 077 && "$work/clone/cmake/dist.sh" 0.1.0 "$work/second.tar.gz" >"$work/log")
cmp "$work/first.tar.gz" "$work/second.tar.gz"
tar -tzf "$work/first.tar.gz" | grep -v '/$' | sed 's,^strata-0.1.0/,,' | LC_ALL=C sort >"$work/packed"
git -C "$tree" ls-tree -r --name-only --full-tree HEAD | LC_ALL=C sort | diff - "$work/packed"
tar -xzf "$work/first.tar.gz" -C "$work"
cmake -S "$work/strata-0.1.0" -B "$work/build" -G Ninja >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
if "$work/strata-0.1.0/cmake/dist.sh" 0.1.0 "$work/third.tar.gz" 2>"$work/log"; then
  echo "what is no checkout was packed"
  exit 1
fi
