#!/bin/sh
# Two partitions fetch each page once, and a second run fetches nothing.
#   test_two_partitions.sh PROGRAM
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" "$work/crawl" | sort >"$work/fetched" # to its end: both have closed it
i=1
while [ "$i" -le 12 ]; do
  echo "http://host$((i % 4)).example/$i"
  i=$((i + 1))
done | sort >"$work/pages"
diff "$work/pages" "$work/fetched"
[ -f "$work/crawl-0/data.mdb" ] && [ -f "$work/crawl-1/data.mdb" ]
[ -z "$("$program" "$work/crawl" | cat)" ] || { echo 'a second run fetched something again'; exit 1; }
