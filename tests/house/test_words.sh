#!/bin/sh
# The field's words lead to the files: each word below stands in the name, or in the first three lines, of the file that
# does it. A word that does not is noticed.
set -eu

# FILE without its .c or .h, and the word
words='
near_duplicates     near-duplicate
checkpoint          checkpoint
seeds               seed URL
harvest             outlink
schedule            politeness
per_address         politeness
per_address         per-address limit
traps               trap
trap_detector       trap
revisit             revisit
revisit             conditional request
tombstones          tombstone
fingerprint_index   fingerprint index
robots_cache        robots.txt cache
ssrf_guard          SSRF
fd_limit            descriptor limit
schedule            workbench
queue               workbench
workbench           virtualizer
refs                sequence number
journal             journal
salvage             salvage
recrawl             recrawl
leases              lease
snapshot            snapshot
'

# Words alone, in small letters: "near_duplicates.h" and "near-duplicate pages" both have "near duplicate".
plain()
{
  tr '\n_/*-' '     ' | tr '[:upper:]' '[:lower:]' | tr -s ' '
}

missing() # TREE, and on standard input the list
{
  while read -r stem word; do
    [ -n "$stem" ] || continue
    found=no
    for file in $(cd "$1" && find mlbf frontier datasets crawler -name "$stem.[ch]"); do
      text=" $({ basename "$file"; sed 3q "$1/$file"; } | plain)"
      case $text in
        *[!a-z]"$(printf %s "$word" | plain)"*) found=yes ;;
      esac
    done
    [ $found = yes ] || echo "$stem.[ch]: \"$word\" is neither in its name nor in its first three lines"
  done
}

root=$(dirname "$0")/../..
said=$(echo "$words" | missing "$root")
[ -z "$said" ] || { echo "$said"; exit 1; }

planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
mkdir "$planted/mlbf" "$planted/frontier" "$planted/datasets" "$planted/crawler"
printf '/* The per-address\n * limit, and\n * one seed URL. */\n/* outlink */\n' >"$planted/crawler/a_lease.h"
judge() # RESULT LINE-OF-THE-LIST
{
  if [ -z "$(echo "$2" | missing "$planted")" ]; then result=kept; else result=broken; fi
  [ "$result" = "$1" ] || { echo "'$2' is $result"; exit 1; }
}
judge kept 'a_lease per-address limit'
judge kept 'a_lease seed URL'
judge kept 'a_lease lease'
judge broken 'a_lease outlink'
judge broken 'a_lease ease'
judge broken 'a_lease SSRF'
judge broken 'b_lease lease'
