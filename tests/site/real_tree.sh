#!/bin/sh
# Crawls two trees of pages that no one here wrote: the manuals of PostgreSQL and CMake, as Debian packages them.
# Usage: real_tree.sh REAL_TREE DIRECTORY     (the program that serves, crawls and compares; where to unpack)
# Exit code 77: the packages are not to be had here.
set -eu
real_tree=$1 work=$2
mkdir -p "$work"
cd "$work"

# unpack PACKAGE: makes $work/PACKAGE.tree, if it is not there yet
unpack() {
  [ -d "$1.tree" ] && return
  if ! ls "$1"_*.deb >/dev/null 2>&1 && ! apt-get download "$1" >apt.log 2>&1; then
    echo "skipped: the package $1 cannot be downloaded here: $(tail -n 1 apt.log)"
    exit 77
  fi
  rm -rf "$1.new" && dpkg-deb -x "$1"_*.deb "$1.new"
  mv "$1.new" "$1.tree"
}
unpack postgresql-doc-15
unpack cmake-doc
exec "$real_tree" \
  postgresql-doc-15 "$work/postgresql-doc-15.tree/usr/share/doc/postgresql-doc-15/html" \
  cmake-doc "$work/cmake-doc.tree/usr/share/doc/cmake-data/html"
