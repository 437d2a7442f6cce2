#!/bin/sh
# The manual and `strata CMD --help` name the same options, for every command, and the manual is sound mdoc.
#   test_manual.sh STRATA MANUAL
set -eu
strata=$1
manual=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0

# The options a --help explains: those that start a line, up to the first wide gap. --help itself needs no explaining.
help_options()
{
  sed -n 's/^  *\(--[a-z].*\)/\1/p' | sed 's/   *.*//' | grep -oE -e '--[a-z][a-z-]*' | grep -vx -e --help | sort -u
}

# `.It Fl -name` in the section `.Ss strata CMD` up to the next section.
manual_options() # COMMAND
{
  awk -v command="$1" '
    /^\.S[sh] / { inside = $1 == ".Ss" && $3 == command }
    inside && /^\.It Fl / { print "-" $3 }
  ' "$manual" | sort -u
}

commands=$(sed -n 's/^\.Ss strata \([a-z-]*\).*/\1/p' "$manual")
for command in $commands; do
  "$strata" "$command" --help --all >"$work/help" || { echo "strata $command --help failed"; faults=$((faults + 1)); }
  help_options <"$work/help" >"$work/said" || :
  manual_options "$command" >"$work/written"
  if ! cmp -s "$work/said" "$work/written"; then
    echo "strata $command: < only in --help, > only in the manual"
    diff "$work/said" "$work/written" || :
    faults=$((faults + 1))
  fi
done

# The commands, too, are the same: each in the manual is in the program's own list, and the other way round.
"$strata" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | sort >"$work/said"
printf '%s\n' "$commands" | sort >"$work/written"
if ! cmp -s "$work/said" "$work/written"; then
  echo "commands: < only in strata help, > only in the manual"
  diff "$work/said" "$work/written" || :
  faults=$((faults + 1))
fi

# Nothing is left of what stood for the lists and the macros in the source of the manual.
if grep -n -e '^@' -e '[{}]' "$manual"; then faults=$((faults + 1)); fi

mandoc -T lint -W warning "$manual" || faults=$((faults + 1))
[ "$faults" -eq 0 ]
