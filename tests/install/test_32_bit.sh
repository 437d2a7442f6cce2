#!/bin/sh
# A compiler for 32 bits is refused in one sentence. This one is of no use but for that: its pointers have four bytes.
#   test_32_bit.sh
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if cmake -G Ninja -S "$tree" -B "$work" -DCMAKE_C_FLAGS="-m32" -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
  >"$work/said" 2>&1; then
  echo "it was configured"
  exit 1
fi
grep -q "Strata needs a 64-bit system: this compiler builds for 32 bits." "$work/said" || { cat "$work/said"; exit 1; }
