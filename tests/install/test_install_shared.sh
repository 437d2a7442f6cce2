#!/bin/sh
# test_install.sh with shared libraries, which are built in BUILD-shared, and only what has changed since the last time.
# Their objects are those of BUILD, byte for byte, so that ccache has them: compiled by the same words, in a directory
# beside it.
#   test_install_shared.sh BUILD COMPILER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1-shared
launcher=$(command -v ccache || true)
cmake -G Ninja -S "$here/../.." -B "$build" -DBUILD_SHARED_LIBS=ON -DCMAKE_C_COMPILER="$2" \
  -DSTRATA_ASSERTS=ON -DSTRATA_WERROR=ON -DCMAKE_C_COMPILER_LAUNCHER="$launcher" >"$1/shared.log"
cmake --build "$build" >>"$1/shared.log" || { tail -50 "$1/shared.log"; exit 1; }
exec "$here/test_install.sh" "$build"
