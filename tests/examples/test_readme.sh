#!/bin/sh
# The README's examples are the files here, and their output is real. Each block of the README that follows a line
# "<!-- FILE -->" or "<!-- output of PROGRAM -->" must be that file, or what that program prints.
#   test_readme.sh README.md DIRECTORY-OF-PROGRAMS
set -eu
readme=$1
programs=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

block() # MARK: the first fenced block after that line
{
  awk -v mark="<!-- $1 -->" '$0 == mark { armed = 1; next }
    armed && /^```/ { if (inside) exit; inside = 1; next }
    inside { print }' "$readme"
}

same() # MARK FILE
{
  block "$1" >"$work/block"
  [ -s "$work/block" ] || { echo "README.md has no block marked \"$1\""; exit 1; }
  diff "$work/block" "$2" || { echo "README.md's block \"$1\" is not what it says"; exit 1; }
}

same tests/examples/seen_filter.c "$here/seen_filter.c"
"$programs/example_tiny_crawler" "$work/crawl" >"$work/output"
same "output of example_tiny_crawler" "$work/output"
[ -z "$("$programs/example_tiny_crawler" "$work/crawl")" ] || { echo "a second run fetched something again"; exit 1; }
