#!/bin/sh
# skipped.awk: what check.sh says of skipped cases, for logs as ctest writes them.
set -eu
skipped=$(dirname "$0")/../skipped.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

log() # TEST VERDICT [LINE OF OUTPUT]...
{
  test=$1 verdict=$2
  shift 2
  printf '%s\n' "1/9 Testing: $test" "1/9 Test: $test" "Command: \"/skipped: /test_$test\"" 'Output:' "$@" \
    '<end of output>' "Test $verdict." "\"$test\" end time: Nov 22 16:44 UTC" >>"$work/log"
}

expect() # CODE SAID: of all that was logged since the last one
{
  code=0
  said=$(awk -f "$skipped" "$work/log") || code=$?
  [ "$code: $said" = "$1: $2" ] || { printf 'expected %s: %s\nhad %s: %s\n' "$1" "$2" "$code" "$said"; exit 1; }
  : >"$work/log"
}

log url Passed '[ RUN      ] skipped_for_a_reason' '[       OK ] skipped_for_a_reason' 'line: skipped, not here'
expect 0 '0 cases skipped'

log store Passed 'skipped: too small' '[  SKIPPED ] grows' '[  SKIPPED ] 1 test(s), listed below:' '[  SKIPPED ] grows'
expect 0 '1 case skipped:
    1 too small'

log url Passed 'skipped: no /src/strata/../shared/data/urls' '[  SKIPPED ] 1 test(s), listed below:'
log robots Failed 'skipped: no ../shared/data/robots.txt' 'skipped: too small' 'skipped: no ../shared/data/x' \
  '[  SKIPPED ] 3 test(s), listed below:'
log real_tree Skipped 'skipped: no package'
expect 0 '5 cases skipped:
    3 for want of ../shared/data
    1 too small
    1 no package'

log url Passed 'skipped: too small' '[  SKIPPED ] 1 test(s), listed below:'
log store Passed 'skipped: too small' '[  SKIPPED ] 3 test(s), listed below:'
expect 1 '4 cases skipped:
    2 too small
    2 in store without a reason: it must print a line "skipped: REASON"'

log real_tree Skipped 'no package'
expect 1 '1 case skipped:
    1 in real_tree without a reason: it must print a line "skipped: REASON"'
