#!/bin/sh
# What a kill costs at full speed: how many pages are fetched again, and is any lost, or twice in pages.jsonl?
#   bench/bench_kill.sh BUILD [KILLS]        e.g. build/release 10, the default
# PAGES=60000 generated pages of 2 kB, from nginx on loopback, 16 connections, no delay. For each way a crawl is killed
# KILLS times, 20 to 420 ms after its start, and then runs to its end. "again" is of one kill: pages that nginx's log
# has before it and once more after it. With TMPDIR=/dev/shm a sync takes no time, and the cap itself is seen.
# ONLY="default warc exact bloom one-thread one-core" for some of the ways.
set -eu
[ $# -ge 1 ] || { sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
# shellcheck source=bench/crawl_lib.sh
. "$here/crawl_lib.sh"
# shellcheck source=tests/support/nginx.sh
. "$here/../tests/support/nginx.sh"
build=$(realpath "$1")
strata=$(realpath "${STRATA:-$build/crawler/strata}")
kills=${2:-10} pages=${PAGES:-60000}
work=$(mktemp -d)
server=
trap 'nginx_stop; rm -rf "$work"' EXIT
trap 'exit 3' INT TERM
need nginx taskset "$strata"
port=$((20000 + $$ % 20000))
make_pages "$work" 1 "$pages" 220 10 ""
nginx_start <<EOF
  server { listen 127.0.0.1:$port backlog=4096; root $work/h0; access_log $work/log requests; }
EOF

crawl() # WAY
{
  options='' first=''
  case $1 in
    default) ;;
    warc) options=--warc ;;
    exact | bloom) options="--filter $1" ;;
    one-thread) options="--readers 0" ;;
    one-core) first="taskset -c $(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" ;;
    *) echo "bench_kill.sh: no way $1" >&2; exit 2 ;;
  esac
  # shellcheck disable=SC2086 # several words
  exec $first "$strata" crawl --quiet --dir "$work/crawl" --delay 0 --per-host 16 --allow-private $options \
    "http://127.0.0.1:$port/"
}

random() # BELOW
{
  awk -v below="$1" -v seed="$(od -An -N4 -tu4 /dev/urandom)" 'BEGIN { srand(seed); print int(rand() * below) }'
}

# A line "kill" in the log between two runs.
for way in ${ONLY:-default warc exact bloom one-thread one-core}; do
  rm -rf "$work/crawl"
  : >"$work/log"
  struck=0
  while [ "$struck" -lt "$kills" ]; do
    crawl "$way" >"$work/said" 2>&1 &
    crawler=$!
    sleep "$(random 400 | awk '{ print 0.02 + $1 / 1000 }')"
    kill -9 "$crawler" 2>/dev/null || { echo "$way: it ended before it was killed: more PAGES, please" >&2; exit 1; }
    wait "$crawler" 2>/dev/null || true
    sleep 0.2 # nginx may still be at it
    echo kill >>"$work/log"
    struck=$((struck + 1))
  done
  code=0
  (crawl "$way") >"$work/said" 2>&1 || code=$?
  [ "$code" = 0 ] || { echo "$way: the last run ended with $code: $(tail -n 3 "$work/said")" >&2; exit 1; }
  grep -o '"url":"[^"]*"' "$work/crawl/pages.jsonl" | sort | uniq -c |
    awk -v way="$way" -v pages="$pages" -v log_file="$work/log" '
      { reported++; twice += $1 > 1 }
      END {
        while ((getline line <log_file) > 0) {
          if (line == "kill") { kills++; continue }
          split(line, field, "\t")
          if (field[1] != 200) continue
          path = field[4]
          if (path in last && last[path] < kills) { again[kills]++; all++ }
          last[path] = kills + 0
        }
        for (k = 1; k <= kills; k++) most = again[k] > most ? again[k] : most
        printf "%-11s %3d kills   again a kill: %5.1f, at most %3d   lost %d   twice in pages.jsonl %d\n",
               way, kills, all / kills, most, pages - reported, twice
      }'
done
