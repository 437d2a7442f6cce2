#!/bin/sh
# On a processor without AVX (qemu's Nehalem) the same test programs pass: hashes, lines, SHA-1 and URLs by plain C.
#   test_without_avx.sh PROGRAM...
set -eu
command -v qemu-x86_64 >/dev/null || { echo "skipped: there is no qemu-x86_64 here"; exit 77; }
for program; do
  qemu-x86_64 -cpu Nehalem "$program" || { echo "${program##*/} fails without AVX"; exit 1; }
done
echo "$# programs"
