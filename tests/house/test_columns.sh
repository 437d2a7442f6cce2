#!/bin/sh
# No line of a source file is wider than 120 columns, so that two files stand side by side on a screen; a planted
# one is noticed. Columns are characters, not bytes: what is counted is all but the continuation bytes of UTF-8.
set -eu

long_lines() # TREE
{
  (
    cd "$1"
    find mlbf frontier datasets crawler tests bench cmake ./*.sh ./CMakeLists.txt -type f \
      \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' -o \
      -name CMakeLists.txt \) -exec env LC_ALL=C awk '
        { line = $0; gsub(/[\200-\277]/, "") }
        length > 120 { printf "%s:%d: %d columns: %s\n", FILENAME, FNR, length, line }
      ' {} +
  )
}

said=$(long_lines "$(dirname "$0")/../..")
[ -z "$said" ] || { echo "$said"; exit 1; }

planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
mkdir "$planted/mlbf" "$planted/frontier" "$planted/datasets" "$planted/crawler" "$planted/tests" "$planted/bench" \
  "$planted/cmake"
: >"$planted/check.sh"
: >"$planted/CMakeLists.txt"
printf '%0120d\n' 0 >"$planted/mlbf/fits.c"
printf '%0120d\n' 0 | sed 's/0/é/g' >"$planted/tests/fits.h"
[ -z "$(long_lines "$planted")" ]
for file in mlbf/wide.c datasets/wide.h crawler/wide.cc tests/deep/wide.cpp cmake/wide.awk cmake/wide.cmake wide.sh \
  tests/CMakeLists.txt; do
  mkdir -p "$(dirname "$planted/$file")"
  printf '\n%0121d\n' 0 >"$planted/$file"
  case $(long_lines "$planted") in
    *"$file:2: 121 columns: 0"*) rm "$planted/$file" ;;
    *) echo "a line of 121 columns in $file passes"; exit 1 ;;
  esac
done
