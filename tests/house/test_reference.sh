#!/bin/sh
# Every public function and type has a reference page of its own, with its words from the header, its result and its
# library; what pages refer to is there; and the pages are sound mdoc.
#   test_reference.sh MAN3-DIRECTORY HEADER...
set -eu
pages=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
faults=0
count=0
names=$("$here/../../cmake/public_names.sh" "$@")
for name in $names; do
  count=$((count + 1))
  page=$pages/$name.3
  if ! grep -q "^\\.Nm $name\$" "$page" 2>/dev/null; then
    echo "$name has no page"
    faults=$((faults + 1))
    continue
  fi
  # its declaration, and a description of at least some words
  if ! sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$page" | grep -q "$name("; then
    echo "$page does not declare it"
    faults=$((faults + 1))
  fi
  if [ "$(sed -n '/^\.Sh DESC/,/^\.Sh RET/p' "$page" | wc -w)" -lt 8 ]; then
    echo "$page says nothing"
    faults=$((faults + 1))
  fi
  if [ "$(sed -n '/^\.Sh RETURN VALUES/,/^\.Sh SEE/p' "$page" | wc -w)" -lt 5 ]; then
    echo "$page does not say what it returns"
    faults=$((faults + 1))
  fi
  if ! grep -qE '^\.Ql pkg-config --cflags --libs strata-(mlbf|frontier)$' "$page"; then
    echo "$page does not say how to link it"
    faults=$((faults + 1))
  fi
done
# "typedef struct NAME", "typedef TYPE NAME(" and "typedef TYPE NAME;"
types=$(cat "$@" | sed -nE 's/^typedef (struct|enum) ([a-z0-9_]+).*/\2/p; t
  s/^typedef [a-z0-9_ ]+ \**([a-z0-9_]+)[(;].*/\1/p' | sort -u)
for name in $types; do
  grep -q "^typedef.*[ *]$name[ ;(]" "$pages/$name.3" || { echo "$name has no page"; faults=$((faults + 1)); }
done
[ "$(echo "$types" | wc -l)" -gt 50 ] || { echo "only $(echo "$types" | wc -l) types were found"; exit 1; }
[ "$count" -gt 50 ] || { echo "only $count public functions were found"; exit 1; }
for page in "$pages"/*.3; do
  name=$(basename "$page" .3)
  case $name in
  strata-*) ;;
  *)
    printf '%s\n' "$names" "$types" | grep -qx "$name" ||
      { echo "$name is no public name"; faults=$((faults + 1)); } ;;
  esac
done
for name in $(sed -n 's/^\.Xr \([^ ]*\) 3.*/\1/p' "$pages"/*.3 | sort -u); do
  [ -e "$pages/$name.3" ] || { echo "some page refers to $name, which has none"; faults=$((faults + 1)); }
done
mandoc -T lint -W warning "$pages"/*.3 || faults=$((faults + 1))
[ "$faults" -eq 0 ] && echo "$count functions, each with its page"
