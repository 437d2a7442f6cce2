#!/bin/sh
# -DSTRATA_LIBRARIES_ONLY=ON: what a stranger needs is installed, and nothing of the crawler. And the static libraries
# can be part of a plugin, which a program that knows nothing of them loads. Built in BUILD-libraries, with the objects
# of BUILD (see test_install_shared.sh).
#   test_install_libraries.sh BUILD COMPILER
set -eu
build=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
launcher=$(command -v ccache || true)
{
  cmake -G Ninja -S "$here/../.." -B "$build-libraries" -DSTRATA_LIBRARIES_ONLY=ON -DCMAKE_C_COMPILER="$compiler" \
    -DSTRATA_ASSERTS=ON -DSTRATA_WERROR=ON -DCMAKE_C_COMPILER_LAUNCHER="$launcher" &&
    cmake --build "$build-libraries" && cmake --install "$build-libraries" --prefix "$work/prefix"
} >"$work/log" 2>&1 || { tail -50 "$work/log"; exit 1; }

for file in lib*/libmlbf.a lib*/libfrontier.a lib*/pkgconfig/strata-frontier.pc lib*/cmake/strata/strata-config.cmake \
  include/strata/frontier/frontier.h include/strata/mlbf/filter.h share/man/man3/mlbf_insert.3; do
  [ -n "$(find "$work/prefix" -path "$work/prefix/$file" -o -path "$work/prefix/lib/*-linux-gnu/${file#lib\*/}")" ] ||
    { echo "$file was not installed"; exit 1; }
done
if find "$work/prefix" -name 'strata.1' -o -path '*/bin/*' -o -name '_strata' | grep .; then
  echo "this is not of the libraries"
  exit 1
fi

cmake -G Ninja -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log"
cmake --build "$work/cmake" >>"$work/log" || { cat "$work/log"; exit 1; }
"$work/cmake/stranger_frontier"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name strata-mlbf.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # one word a flag
"$compiler" -shared -fPIC -Wl,-z,text,-z,defs "$here/stranger_module.c" -o "$work/module.so" \
  $(pkg-config --cflags --libs strata-frontier) || { echo "no plugin can have the libraries in it"; exit 1; }
python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).module_run() != 42)' "$work/module.so"
