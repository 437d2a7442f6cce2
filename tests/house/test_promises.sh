#!/bin/sh
# Each line of PROMISES.md has a promise, a test that ctest runs, and a case that a source file of that test's program
# lists, or that is a function of its case file in program/answers/; "-" where a test has no cases. A line that does
# not is noticed.
#   test_promises.sh BUILD PROMISES.md
set -eu
build=$1
promises=$2
least=80 # promises: a table that cannot be read has none
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# TEST, PROGRAM
find "$build" -name CTestTestfile.cmake -exec sed -n \
  's|^add_test([=[]*\([^] ]*\)[]=]* "\([^"]*/\)*\([^"]*\)".*|\1\t\3|p' {} + >"$work/tests"
# PROGRAM, SOURCE
awk -F'"' '
  $2 == "command" && match($0, /CMakeFiles\/[^\/ ]*\.dir\//) { program = substr($0, RSTART + 11, RLENGTH - 16) }
  $2 == "file" { print program "\t" $4 }
' "$build/compile_commands.json" >"$work/sources"
# TEST, CASE: what stands in brackets in a list of cases, whichever macro has it there
awk -F'\t' '
  function cases(test, path,    line, inside, count) {
    while ((getline line <path) > 0) {
      inside = inside || index(line, "struct CMUnitTest")
      sub(/\/[\/*].*/, "", line)
      for (; inside && match(line, /[A-Za-z_]\([A-Za-z_0-9]+/); line = substr(line, RSTART + RLENGTH)) {
        print test "\t" substr(line, RSTART + 2, RLENGTH - 2)
        count++
      }
      inside = inside && !index(line, "};")
    }
    close(path)
    return count
  }
  FILENAME == ARGV[1] { program[$1] = $2; next }
  { sources[$1] = sources[$1] "\t" $2 }
  END {
    for (test in program) {
      count = split(sources[program[test]], paths, "\t")
      listed = 0
      for (i = 2; i <= count; i++) listed += cases(test, paths[i])
      if (!listed) print test "\t-"
    }
  }
' "$work/tests" "$work/sources" | grep -v '^answers_' >"$work/cases"
for file in "$(dirname "$0")"/../program/answers/*.py; do
  kind=${file##*/}
  sed -n "s/^def \([a-z][a-z0-9_]*\)(site):.*/answers_${kind%.py}\t\1/p" "$file"
done >>"$work/cases"

faults() # PROMISES.md
{
  awk -v least="$least" '
    function fault(what) { print "line " FNR ": " what; }
    FILENAME == ARGV[1] { split($0, field, "\t"); is_test[field[1]] = is_case[$0] = 1; next }
    !/^\|/ || /^\| promise \|/ || /^\|---/ { next }
    {
      count = split($0, field, / *\| */)
      promise = field[2]; test = field[3]; name = field[4]
      promises++
      if (count != 5 || field[5] != "") fault("not a promise, a test and a case between bars: " $0)
      else if (promise == "") fault("there is no promise")
      else if (promise in before) fault("the promise of line " before[promise])
      else if (!(test in is_test)) fault("there is no test \"" test "\"")
      else if (!((test "\t" name) in is_case)) fault("test \"" test "\" has no case \"" name "\"")
      before[promise] = FNR
    }
    END { if (promises < least) print "there are only " promises + 0 " promises" }
  ' "$work/cases" "$1"
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
planted 'there is no test "no_such_test"' '| new | no_such_test | killed_near_the_end |'
planted 'test "crash_kill" has no case "no_such_case"' '| new | crash_kill | no_such_case |'
planted 'test "crash_stop" has no case "killed_near_the_end"' '| new | crash_stop | killed_near_the_end |'
planted 'test "crash_kill" has no case "kill_and_continue"' '| new | crash_kill | kill_and_continue |' # no case
planted 'test "crash_kill" has no case "-"' '| new | crash_kill | - |'
planted 'test "answers_redirects" has no case "-"' '| new | answers_redirects | - |'
planted 'test "columns" has no case "long_lines"' '| new | columns | long_lines |'
planted 'not a promise, a test and a case' '| new | crash_kill |'
planted 'not a promise, a test and a case' '| new | or not | crash_kill | killed_near_the_end |'
planted 'the promise of line' '| new | columns | - |
| new | manual | - |'
: >"$work/planted"
[ "$(faults "$work/planted")" = "there are only 0 promises" ] || { echo "an empty table passes"; exit 1; }
