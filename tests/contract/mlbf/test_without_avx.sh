#!/bin/sh
# On a processor without AVX (qemu's Nehalem) the same tests pass: hashes, lines, SHA-1 and URLs by plain C.
#   test_without_avx.sh PROGRAM CASES... [-- PROGRAM CASES...]...
set -eu
command -v qemu-x86_64 >/dev/null || { echo "skipped: there is no qemu-x86_64 here"; exit 77; }
program=
for word in "$@"; do
  case $word in
    --) program= ;;
    *)
      [ -n "$program" ] || { program=$word; continue; }
      qemu-x86_64 -cpu Nehalem "$program" "$word" || { echo "$word fails without AVX"; exit 1; }
      ;;
  esac
done
