#!/bin/sh
# The shared libraries' binary interface (functions, their types, layouts of public structs) is what tests/install/abi/
# keeps. A change is intended or a mistake; if intended:
#   tests/install/test_abi.sh --renew      writes them anew; commit them with the change
#   test_abi.sh [--renew | BUILD]          the libraries are built in BUILD/abi, or build/abi
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
is_renewed=
case ${1-} in
--renew) is_renewed=yes build=$root/build ;;
*) build=${1:-$root/build} ;;
esac
build=$build/abi
mkdir -p "$build"
launcher=$(command -v ccache || true)
# -gdwarf-4: the reader of Debian 12 sees all of it.
if ! {
  cmake -G Ninja -S "$root" -B "$build" -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_C_FLAGS=-gdwarf-4 -DCMAKE_C_COMPILER_LAUNCHER="$launcher" &&
    cmake --build "$build" --target mlbf_shared frontier_shared
} >"$build.log" 2>&1; then
  tail -50 "$build.log"
  exit 1
fi
faults=0
for room in mlbf frontier; do
  library=$(find "$build" -name "lib$room.so")
  rm -rf "$build/headers"
  mkdir -p "$build/headers/mlbf" "$build/headers/frontier"
  cp "$root"/mlbf/*.h "$build/headers/mlbf"
  cp "$root"/frontier/*.h "$build/headers/frontier"
  dump=$build/lib$room.abi
  # what is not in a public header is nobody's interface
  abidw --headers-dir "$build/headers" --drop-private-types --exported-interfaces-only --no-show-locs --no-corpus-path \
    --no-comp-dir-path --no-elf-needed --no-parameter-names \
    --type-id-style hash --out-file "$dump" "$library"
  functions=$(grep -c '<elf-symbol ' "$dump")
  [ "$functions" -gt 60 ] || { echo "the dump of lib$room has only $functions functions"; exit 1; }
  if [ -n "$is_renewed" ]; then
    cp "$dump" "$here/abi/lib$room.abi"
    echo "tests/install/abi/lib$room.abi: $functions functions"
  elif ! abidiff --no-show-locs "$here/abi/lib$room.abi" "$dump"; then
    faults=$((faults + 1))
  fi
done
[ "$faults" -eq 0 ] || {
  echo "The binary interface is another one. If that is intended: tests/install/test_abi.sh --renew; if what existed"
  echo "changed its meaning or layout, raise FRONTIER_ABI or MLBF_ABI and the version in CMakeLists.txt."
  exit 1
}
