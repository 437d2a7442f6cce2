#!/bin/sh
# Crawls two trees of pages that no one here wrote: the manuals of PostgreSQL and CMake, as Debian packages them.
# Usage: real_tree.sh REAL_TREE DIRECTORY     (the program that serves, crawls and compares; where to unpack)
# Exit code 77: the packages are not to be had here.
set -eu
real_tree=$1 work=$2
# shellcheck source=tests/site/manuals.sh
. "$(dirname "$0")/manuals.sh"

set --
for package in postgresql-doc-15 cmake-doc; do
  unpack_manual "$work" "$package" || exit 77
  set -- "$@" "$package" "$work/$package.tree/$(manual_root "$package")"
done
exec "$real_tree" "$@"
