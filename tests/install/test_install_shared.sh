#!/bin/sh
# test_install.sh with shared libraries, which are built in BUILD/shared, and only what has changed since the last time.
#   test_install_shared.sh BUILD COMPILER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
launcher=$(command -v ccache || true)
cmake -G Ninja -S "$here/../.." -B "$1/shared" -DBUILD_SHARED_LIBS=ON -DCMAKE_C_COMPILER="$2" \
  -DCMAKE_C_COMPILER_LAUNCHER="$launcher" >"$1/shared.log"
cmake --build "$1/shared" >>"$1/shared.log" || { tail -50 "$1/shared.log"; exit 1; }
exec "$here/test_install.sh" "$1/shared"
