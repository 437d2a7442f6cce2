#!/bin/sh
# Install into a fresh prefix, move it, and build a stranger's C and C++ programs against it, by find_package
# and by pkg-config; run them. Moved, because what a package manager installs was never where it was built.
#   test_install.sh BUILD
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log"
prefix=$work/moved
mv "$work/first" "$prefix"
if grep -rlI -e "$work/first" -e "$build" "$prefix"; then
  echo "these files name the place they were built in or first installed to"
  exit 1
fi

# A library shows its public functions and nothing else: a stranger may have a store_open of their own.
names=$here/../../cmake/public_names.sh
has_shared=$(sed -n 's/^BUILD_SHARED_LIBS:[A-Z]*=//p' "$build/CMakeCache.txt")
for room in mlbf frontier; do
  "$names" "$prefix/include/strata/$room"/*.h >"$work/public"
  for library in "lib$room.a" ${has_shared:+"lib$room.so"}; do
    at=$(find "$prefix" -name "$library")
    [ -e "$at" ] || { echo "$library was not installed"; exit 1; }
    case $library in
    *.a) nm -g --defined-only "$at" ;;
    *) # each of the version that its soname says
      version=$(echo "$room" | tr a-z A-Z)_$(objdump -p "$at" | sed -n 's/.*SONAME.*\.so\.//p')
      nm -D --defined-only "$at" | sed "s/@@$version\$//; t; s/\$/@another/" ;;
    esac | awk 'NF == 3 && $2 != "A" { print $3 }' | sort -u >"$work/shown"
    [ "$(wc -l <"$work/shown")" -gt 20 ] || { echo "$library shows only $(wc -l <"$work/shown") functions"; exit 1; }
    comm -13 "$work/public" "$work/shown" >"$work/leaked"
    [ ! -s "$work/leaked" ] || { echo "$library shows what is in no header:"; cat "$work/leaked"; exit 1; }
  done
done

# A header cites nothing that is not installed.
for room in mlbf frontier; do
  for header in "$prefix/include/strata/$room"/*.h; do
    for cited in $(grep -oE '[a-zA-Z_]+(/[a-zA-Z_]+)*\.(h|c|cc|md|sh|awk)\b' "$header" | sort -u); do
      for at in include/strata include/strata/$room share/doc/strata/$room; do
        [ ! -e "$prefix/$at/$cited" ] || continue 2
      done
      case $cited in stdbool.h | stddef.h | stdint.h) continue ;; esac
      echo "$header cites $cited, which is not installed"
      exit 1
    done
  done
done

# No library is left out when the program is hardened.
case $(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt") in
Debug) ;;
*) find "$prefix" -path '*/bin/strata' -o -type f -name 'lib*.a' -o -type f -name 'lib*.so.*' |
  xargs "$here/../house/test_hardened.sh" ;;
esac

run() # PROGRAM
{
  "$1" || { echo "$1 failed"; exit 1; }
}

# Where the libraries are shared, a stranger has none of the packages that they stand on.
[ -z "$has_shared" ] || export PKG_CONFIG_LIBDIR=/var/empty
echo "by find_package:"
cmake -G Ninja -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >>"$work/log"
cmake --build "$work/cmake" >>"$work/log" || { cat "$work/log"; exit 1; }
run "$work/cmake/stranger_mlbf"
run "$work/cmake/stranger_frontier"

echo "by pkg-config:"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name strata-mlbf.pc)")
export PKG_CONFIG_PATH
# A shared library that was put where nobody looks needs a path; a static one does not mind it.
rpath=-Wl,-rpath,$(pkg-config --variable=libdir strata-mlbf)
# shellcheck disable=SC2046 # one word a flag
cc "$here/stranger_mlbf.c" -o "$work/stranger_mlbf" $(pkg-config --cflags --libs strata-mlbf) "$rpath"
# shellcheck disable=SC2046
c++ "$here/stranger_frontier.cc" -o "$work/stranger_frontier" $(pkg-config --cflags --libs strata-frontier) "$rpath"
run "$work/stranger_mlbf"
run "$work/stranger_frontier"
# shellcheck disable=SC2046
cc "$prefix/share/doc/strata/frontier/two_partitions.c" -o "$work/two_partitions" \
  $(pkg-config --cflags --libs strata-frontier) "$rpath"
"$here/../examples/test_two_partitions.sh" "$work/two_partitions"

echo "by pkg-config --static:" # libfrontier with shared ones: Debian has no static libunistring nor liburiparser
static="-Wl,-Bstatic -lfrontier -lmlbf -Wl,-Bdynamic"
# shellcheck disable=SC2046
cc -static "$here/stranger_mlbf.c" -o "$work/static_mlbf" $(pkg-config --static --cflags --libs strata-mlbf)
# shellcheck disable=SC2046
c++ "$here/stranger_frontier.cc" -o "$work/static_frontier" $(pkg-config --cflags strata-frontier) \
  $(pkg-config --static --libs strata-frontier | sed "s/-lfrontier/$static/")
for program in static_mlbf static_frontier; do
  ! readelf -d "$work/$program" | grep -q 'NEEDED.*lib\(mlbf\|frontier\)' || { echo "$program is not static"; exit 1; }
  run "$work/$program"
done

echo "with a plugin:"
# shellcheck disable=SC2046
cc -shared -fPIC "$here/stranger_plugin.c" -o "$work/plugin.so" $(pkg-config --cflags strata-frontier)
# shellcheck disable=SC2046
cc -rdynamic "$here/stranger_host.c" -o "$work/stranger_host" $(pkg-config --cflags --libs strata-frontier) "$rpath" \
  -ldl
"$work/stranger_host" "$work/plugin.so" || { echo "the plugin was bound to names of the library"; exit 1; }

if [ -e "$build/crawler/strata" ]; then
  echo "the program and its manual:"
  run_version=$("$prefix/bin/strata" --version) || { echo "the installed strata does not start"; exit 1; }
  echo "$run_version"
fi
[ -s "$prefix/share/man/man1/strata.1" ]
[ -s "$prefix/share/man/man3/frontier_add_batch.3" ]
[ -s "$prefix/share/man/man3/mlbf_insert.3" ]
for file in bash-completion/completions/strata zsh/site-functions/_strata fish/vendor_completions.d/strata.fish; do
  [ -s "$prefix/share/$file" ]
done

# All of it goes again, and what others put there stays.
mkdir -p "$work/second/share/man"
cmake --install "$build" --prefix "$work/second" >"$work/log"
mkdir -p "$work/second/include/strata/other"
touch "$work/second/bin/other" "$work/second/include/strata/other/other.h"
cmake --build "$build" --target uninstall >"$work/log" || { cat "$work/log"; exit 1; }
left=$(cd "$work/second" && find . | sort | tr '\n' ' ')
wanted='. ./bin ./bin/other ./include ./include/strata ./include/strata/other ./include/strata/other/other.h ./share'
wanted="$wanted ./share/man "
[ "$left" = "$wanted" ] || { echo "left after uninstall: $left"; exit 1; }
