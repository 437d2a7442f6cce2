#!/bin/sh
# What it costs to keep who links where: CPU time of a crawl with --audit by that of one without, in turns, on a site
# where there is nothing to check (no assets, no other hosts), so that both ask for the same; and bytes an edge. Then
# the join: 100,000 broken links, its time and its memory.
#   bench_audit.sh BUILD [PAGES [LINKS [ROUNDS]]]      defaults: 2000 pages, 50 links a page, 7 rounds; needs GNU time
set -eu
[ $# -ge 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) pages=${2:-2000} links=${3:-50} rounds=${4:-7}
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || :; rm -rf "$work"' EXIT
# shellcheck source=bench/crawl_lib.sh
. "$here/crawl_lib.sh"

# spent FILE COMMAND...: its CPU seconds, as a line of FILE; it runs in $work/out, which is empty before.
spent()
{
  file=$1
  shift
  rm -rf "$work/out"
  mkdir "$work/out"
  (cd "$work/out" && env time -o "$work/time" -f '%U %S' "$@")
  awk '{ print $1 + $2 }' "$work/time" >>"$file"
}

# serve ROOT: prints the start URL.
serve()
{
  [ -z "$server" ] || kill "$server"
  : >"$work/port"
  "$build/tests/site/site_server" --root "$1" >"$work/port" &
  server=$!
  until grep -q . "$work/port"; do sleep 0.1; done
}

strata="$build/crawler/strata"
make_pages "$work/site" 1 "$pages" 300 "$links" none
serve "$work/site/h0"
url=$(grep -o 'http://[^ ]*' "$work/port" | head -n 1)
flags="--dir d --delay 0 --allow-private --quiet --filter mlbf"
round=0
while [ "$round" -lt "$rounds" ]; do
  # shellcheck disable=SC2086 # words of a command
  for kind in plain audit again; do
    extra=
    [ "$kind" != audit ] || extra=--audit
    spent "$work/$kind.timed" "$strata" crawl $flags $extra "$url"
    [ "$kind" != audit ] || mv "$work/out/d" "$work/audited.$round"
  done
  round=$((round + 1))
done
plain=$(median "$work/plain.timed" 1) again=$(median "$work/again.timed" 1) audit=$(median "$work/audit.timed" 1)
edges=$(stat -c %s "$work/audited.0/edges")
counted=$("$strata" report "$work/audited.0" --out - |
  grep -o '<b>[^<]*</b><span>links<' | sed 's/&#8239;//g; s/[^0-9]//g')
awk -v a="$plain" -v b="$audit" -v c="$again" -v e="$edges" -v n="$counted" 'BEGIN {
  printf "CPU: %.2f s without, %.2f s with, %.2f s without again: %+.1f %% (noise %+.1f %%)\n", a, b, c,
    100 * (2 * b / (a + c) - 1), 100 * (c / a - 1)
  printf "%d edges, %.2f bytes an edge\n", n, e / n }'

mkdir "$work/broken"
awk -v root="$work/broken" 'BEGIN {
  for (i = 0; i < 1000; i++) {
    file = root "/" (i ? i : "index") ".html"
    for (k = 1; k <= 10 && 10 * i + k < 1000; k++) printf "<a href=\"/%d.html\">on</a>\n", 10 * i + k >file
    for (k = 0; k < 100; k++) printf "<a href=\"/gone-%d\">gone</a>\n", (i * 7 + k) % 1000 >file
    close(file)
  }
}'
serve "$work/broken"
url=$(grep -o 'http://[^ ]*' "$work/port" | head -n 1)
rm -rf "$work/out"; mkdir "$work/out"
# shellcheck disable=SC2086
(cd "$work/out" && "$strata" crawl $flags --audit "$url") || [ $? -eq 4 ]
env time -o "$work/time" -f '%e s, %M kB at most' "$strata" export "$work/out/d" --broken >"$work/rows" || [ $? -eq 4 ]
printf 'export --broken: %d rows in ' "$(($(wc -l <"$work/rows") - 1))"
tail -n 1 "$work/time"
