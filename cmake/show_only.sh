#!/bin/sh
# A static library whose internals cannot clash with a stranger's: its objects become one, in which only the functions
# of its public headers stay global.
#   show_only.sh LIBRARY OUTPUT HEADER...      LD, OBJCOPY and AR name the tools
set -eu
library=$1
output=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
object=$(basename "$output" .a).o
"$here/public_names.sh" "$@" >"$work/names"
"${LD:-ld}" -r -o "$work/all.o" --whole-archive "$library"
"${OBJCOPY:-objcopy}" --keep-global-symbols="$work/names" "$work/all.o" "$work/$object"
rm -f "$output"
"${AR:-ar}" rcsD "$output" "$work/$object"
