#!/bin/sh
# Programs and libraries of an optimised build are hardened (cmake/hardening.cmake), as readelf and nm show.
#   test_hardened.sh FILE...     programs, shared libraries, static libraries
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0

fault() # SENTENCE
{
  echo "$file: $*"
  faults=$((faults + 1))
}

# Calls of __stack_chk_fail, and of checked functions as __snprintf_chk.
check_calls() # names of undefined symbols in $work/calls
{
  grep -q '^__stack_chk_fail$' "$work/calls" || fault "no stack protector"
  grep -v '^__stack_chk_fail$' "$work/calls" | grep -q '_chk$' || fault "no checked function (_FORTIFY_SOURCE)"
}

check_linked() # of a program or a shared library
{
  readelf -Wlhd "$file" >"$work/head"
  nm -D --undefined-only "$file" | sed 's/.* U //; s/@.*//' >"$work/calls"
  grep -q 'Type: *DYN ' "$work/head" || fault "it is not position-independent"
  grep -q ' GNU_RELRO ' "$work/head" || fault "no relro"
  grep -Eq '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' "$work/head" || fault "relro is partial: not bound at once"
  grep -Eq ' GNU_STACK .* RW ' "$work/head" || fault "its stack is executable"
  ! grep -Eq ' LOAD .* RWE ' "$work/head" || fault "a segment is writable and executable"
  grep -Eq '^ +INTERP ' "$work/head" && ! grep -Eq '\(FLAGS_1\).* PIE' "$work/head" && fault "a program, not marked PIE"
  check_calls
}

# Programs have no mark of jump targets where the C library's first object has none.
check_archive()
{
  nm -u "$file" 2>/dev/null | sed -n 's/^ *U //p' | sort -u >"$work/calls"
  check_calls
  [ "$(uname -m)" = x86_64 ] || return 0
  objects=$(ar t "$file" | wc -l)
  marked=$(readelf -Wn "$file" | grep -c 'x86 feature: IBT, SHSTK') || :
  [ "$objects" -eq "$marked" ] || fault "only $marked of $objects objects mark the targets of jumps (-fcf-protection)"
}

for file; do
  case $file in
  *.a) check_archive ;;
  *) check_linked ;;
  esac
done
[ $# -gt 0 ] && [ $faults -eq 0 ] && echo "$# files are hardened"
