#!/bin/sh
# All installed headers in one program of each language that a caller may have, by gcc and by clang, without a warning.
#   test_languages.sh ROOT HEADER...       headers as they are included: mlbf/filter.h
set -eu
root=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#include "%s"\n' "$@" >"$work/all.c"
cat >>"$work/all.c" <<'END'
int main(void)
{
  mlbf_options filter = MLBF_OPTIONS_DEFAULT;
  mlbf_window_options window = MLBF_WINDOW_OPTIONS_DEFAULT;
  mlbf_count_options count = MLBF_COUNT_OPTIONS_DEFAULT;
  mlbf_digest_options digest = MLBF_DIGEST_OPTIONS_DEFAULT;
  filter = mlbf_options_default();
  if (filter.size == 0 || window.size == 0 || count.size == 0 || digest.size == 0)
    return 1;
  return mlbf_abi() - MLBF_ABI + frontier_abi() - FRONTIER_ABI;
}
END
cp "$work/all.c" "$work/all.cc"
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion -Werror'
faults=0
compile() # COMPILER STANDARD FILE [OPTION]...
{
  compiler=$1 standard=$2 file=$3
  shift 3
  # shellcheck disable=SC2086 # one word an option
  "$compiler" "-std=$standard" $warnings "$@" -fsyntax-only -I"$root" "$work/$file" && return
  echo "$compiler -std=$standard does not take them"
  faults=$((faults + 1))
}
for standard in c99 c11 c17 c2x; do
  compile gcc $standard all.c -Wstrict-prototypes
  compile clang $standard all.c -Wstrict-prototypes
done
for standard in c++11 c++17 c++20; do
  compile g++ $standard all.cc -Wold-style-cast
  compile clang++ $standard all.cc -Wold-style-cast
done
[ "$faults" -eq 0 ] && echo "$# headers in 7 languages"
