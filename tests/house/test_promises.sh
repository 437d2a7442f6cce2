#!/bin/sh
# Each line of PROMISES.md has a promise, a contract test and its case: a case that ctest lists as TEST.CASE, or a
# function of a case file in contract/program/answers/; "-" where a test has no cases. A test of inside/ proves nothing
# to users, and goes with the code. A line that is not so is noticed.
#   test_promises.sh BUILD PROMISES.md
set -eu
build=$1
promises=$2
least=80 # promises: a table that cannot be read has none
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# KIND, TEST.CASE
ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: /contract\t/p' | grep -v '^contract.answers_' >"$work/names"
cat "$build"/tests/inside_*.cases.cmake | sed -n 's/^add_test(\([^ ]*\) .*/inside\t\1/p' >>"$work/names"
for file in "$(dirname "$0")"/../contract/program/answers/*.py; do
  kind=${file##*/}
  sed -n "s/^def \([a-z][a-z0-9_]*\)(site):.*/contract\tanswers_${kind%.py}.\1/p" "$file"
done >>"$work/names"

faults() # PROMISES.md
{
  awk -v least="$least" '
    function fault(what) { print "line " FNR ": " what; }
    FILENAME == ARGV[1] { split($0, field, "\t"); kind[field[2]] = field[1]; next }
    !/^\|/ || /^\| promise \|/ || /^\|---/ { next }
    {
      count = split($0, field, / *\| */)
      promise = field[2]
      name = field[4] == "-" ? field[3] : field[3] "." field[4]
      promises++
      if (count != 5 || field[5] != "") fault("not a promise, a test and a case between bars: " $0)
      else if (promise == "") fault("there is no promise")
      else if (promise in before) fault("the promise of line " before[promise])
      else if (!(name in kind)) fault("there is no \"" name "\"")
      else if (kind[name] == "inside") fault("\"" name "\" is a test of inside/")
      before[promise] = FNR
    }
    END { if (promises < least) print "there are only " promises + 0 " promises" }
  ' "$work/names" "$1"
}

said=$(faults "$promises")
[ -z "$said" ] || { echo "$said"; exit 1; }

planted() # WHAT IS SAID, LINE
{
  { cat "$promises"; printf '%s\n' "$2"; } >"$work/planted"
  case $(faults "$work/planted") in
    "line "*": $1"*) ;;
    *) echo "this line should be noticed, for \"$1\": $2"; exit 1 ;;
  esac
}
planted 'there is no promise' '| | crash_kill | killed_near_the_end |'
planted 'there is no "no_such_test.killed_near_the_end"' '| new | no_such_test | killed_near_the_end |'
planted 'there is no "crash_kill.no_such_case"' '| new | crash_kill | no_such_case |'
planted 'there is no "crash_stop.killed_near_the_end"' '| new | crash_stop | killed_near_the_end |'
planted 'there is no "crash_kill.kill_and_continue"' '| new | crash_kill | kill_and_continue |' # no case
planted 'there is no "crash_kill"' '| new | crash_kill | - |'
planted 'there is no "answers_redirects"' '| new | answers_redirects | - |'
planted 'there is no "columns.long_lines"' '| new | columns | long_lines |'
planted '"seen.rates_add_up_to_the_promise" is a test of inside/' '| new | seen | rates_add_up_to_the_promise |'
planted 'not a promise, a test and a case' '| new | crash_kill |'
planted 'not a promise, a test and a case' '| new | or not | crash_kill | killed_near_the_end |'
planted 'the promise of line' '| new | columns | - |
| new | manual | - |'
: >"$work/planted"
[ "$(faults "$work/planted")" = "there are only 0 promises" ] || { echo "an empty table passes"; exit 1; }
