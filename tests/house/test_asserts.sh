#!/bin/sh
# What users run has no assert in it; what is tested has. A file of each room is compiled by the release preset, with
# warnings as errors: what only asserts use must not be left over there.
#   test_asserts.sh BUILD
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects='mlbf/CMakeFiles/mlbf.dir/set/key_set.c.o frontier/CMakeFiles/frontier.dir/hosts/schedule.c.o
  datasets/CMakeFiles/datasets.dir/sort/sorter.c.o crawler/CMakeFiles/crawler.dir/http/channel.c.o'

has_asserts() # OBJECT
{
  nm "$1" | grep -q ' U __assert_fail$'
}

# Every preset that builds tests or fuzzers asks for asserts, or inherits them from one that does.
if grep -E '"STRATA_(TESTS|FUZZ)"' "$source/CMakePresets.json" | grep -v '"STRATA_ASSERTS": "ON"'; then
  echo "these presets build tests without asserts"
  exit 1
fi

cmake -S "$source" --preset release -B "$work" -G Ninja -DSTRATA_WERROR=ON >"$work/log"
# shellcheck disable=SC2086 # one word an object
ninja -C "$work" $objects >>"$work/log" || { cat "$work/log"; exit 1; }
for object in $objects; do
  has_asserts "$build/$object" || { echo "$object of this build has no assert"; exit 1; }
  ! has_asserts "$work/$object" || { echo "$object of a release has asserts"; exit 1; }
done
echo "$(echo $objects | wc -w) files: asserts here, none in a release"
