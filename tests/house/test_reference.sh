#!/bin/sh
# Every public function has a reference page of its own, with its words from the header, and the pages are sound mdoc.
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
  if [ "$(sed -n '/^\.Sh DESC/,/^\.Sh SEE/p' "$page" | wc -w)" -lt 8 ]; then
    echo "$page says nothing"
    faults=$((faults + 1))
  fi
done
[ "$count" -gt 50 ] || { echo "only $count public functions were found"; exit 1; }
for page in "$pages"/*.3; do
  name=$(basename "$page" .3)
  case $name in
  strata-*) ;;
  *) echo "$names" | grep -qx "$name" || { echo "$name is no public function"; faults=$((faults + 1)); } ;;
  esac
done
mandoc -T lint -W warning "$pages"/*.3 || faults=$((faults + 1))
[ "$faults" -eq 0 ] && echo "$count functions, each with its page"
