#!/bin/sh
# How fast is a crawl? Beside wget2, which keeps nothing, and the floor: bare libcurl, which is given the list of URLs.
#   bench/bench_crawl.sh BUILD MANUALS [ROUNDS]        e.g. build/release /var/tmp/manuals 7, the default
#   BUILD     a release build with -DSTRATA_TESTS=ON -DSTRATA_BENCH=ON; STRATA=PROGRAM measures another one's program
#   MANUALS   where Debian's packages are unpacked (tests/site/manuals.sh); apt downloads what is not there yet
# Sites, http from nginx on loopback, one host:
#   small   PAGES=10000 generated pages of 2 kB, 20 links each, no two the same
#   manual  postgresql-doc-15
#   large   racket-doc, 1,800 pages of 70 kB; if it cannot be had, as many generated ones
# and of the score card's 1,000 hosts, 10 pages each, https:
#   https   bench_https.sh: from nginx, no latency
#   score   bench_web.sh: from web_server, 200 ms of latency, 256 connections; its CPU time is not known
#   million not by default: 10^6 pages of 1,000 hosts from web_server; look at the peak memory
# SITES="small manual large https score" for some of them. Rows: default, no-store, warc and no-similar are strata into
# a directory, with no delay and CONNECTIONS=16 to the host; ONLY="floor no-store default warc wget2" for some, wget,
# httrack and scrapy for more. WGET2="--max-threads=4" adds options to wget2, which has as many threads as connections.
# BEFORE=PROGRAM: has a change cost time? Its row is "before", beside "default" alone; the ratios of their CPU time are
# taken pair by pair. Who was second in one round is first in the next.
# Before the rounds each crawler runs once with a log: missed, and fetched twice, by an independent link graph. Then
# they run in turn without a log; medians. Who takes over SLOW=20 seconds is timed by its first run alone; who is not
# done after LIMIT=180 is killed. What the columns are: crawl_lib.sh. zlib is bench_deflate.c on the records of warc.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
# shellcheck source=bench/crawl_lib.sh
. "$here/crawl_lib.sh"
# shellcheck source=tests/support/nginx.sh
. "$here/../tests/support/nginx.sh"
# shellcheck source=tests/site/manuals.sh
. "$here/../tests/site/manuals.sh"
build=$(realpath "$1")
strata=$(realpath "${STRATA:-$build/crawler/strata}")
mkdir -p "$2"
manuals=$(realpath "$2")
before=${BEFORE:+$(realpath "$BEFORE")}
rounds=${3:-7} connections=${CONNECTIONS:-16} limit=${LIMIT:-180}
export LC_ALL=C
work=$(mktemp -d)
server=
trap 'nginx_stop; rm -rf "$work"' EXIT
trap 'exit 3' INT TERM
need nginx "$strata" "$build/bench/bench_run" "$build/bench/bench_fetch_list" \
  "$build/bench/bench_deflate" "$build/tests/site/log_judge"
quiet_port=$((20000 + $$ % 20000))
port=$((quiet_port + 1))
cat >"$work/spider.py" <<'EOF'
import scrapy
class Spider(scrapy.Spider):
    name = "bench"
    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
    def parse(self, response):
        if hasattr(response, "css"):
            yield from response.follow_all(css="a::attr(href)", callback=self.parse)
EOF

strata_crawl() # FILE OPTION...
{
  file=$1
  shift
  measure "$file" "$strata" crawl --quiet --delay 0 --per-host "$connections" --allow-private "$@"
}

# HTTrack needs -A0 and -%c0, no limits: with large ones instead it fetches a page or two a second.
run() # NAME PORT FILE
{
  url=http://127.0.0.1:$2/
  case $1 in
    floor)
      sed "s|^|http://127.0.0.1:$2|" "$work/paths" >"$work/list"
      measure "$3" "$build/bench/bench_fetch_list" "$work/list" "$connections" ;;
    no-store) strata_crawl "$3" --no-store "$url" ;;
    before) (strata=$before && strata_crawl "$3" --dir "$work/out/crawl" "$url") ;;
    default) strata_crawl "$3" --dir "$work/out/crawl" "$url" ;;
    no-similar) strata_crawl "$3" --dir "$work/out/crawl" --no-similar "$url" ;;
    warc) strata_crawl "$3" --dir "$work/out/crawl" --warc "$url" ;;
    wget2) # shellcheck disable=SC2086 # several options
      measure "$3" wget2 -q -r -l 0 --max-threads="$connections" ${WGET2:-} -O /dev/null "$url" ;;
    wget) measure "$3" wget -q -r -l inf -nd --delete-after -P "$work/out/wget" "$url" ;;
    httrack) measure "$3" httrack "$url" -O "$work/out/httrack" -q -p0 -I0 -C0 -s0 "-c$connections" -%c0 -A0 \
      --disable-security-limits ;;
    scrapy) measure "$3" scrapy runspider "$work/spider.py" -a "start=$url" -s "CONCURRENT_REQUESTS=$connections" \
      -s "CONCURRENT_REQUESTS_PER_DOMAIN=$connections" -L ERROR ;;
    *) echo "bench_crawl.sh: no row $1" >&2; exit 2 ;;
  esac
}

zlib() # the records of the first run of warc, compressed once more: a line of zlib.timed
{
  find "$work/warc" -name '*.warc.gz' -exec "$build/bench/bench_deflate" {} + |
    awk '{ print $1, $1, 0, 0, 0, $4 }' >>"$work/zlib.timed"
}

first_run() # NAME: with a log, to see whether it is complete; sets $fast
{
  : >"$work/log"
  run "$1" "$port" "$work/$1.first"
  [ "$1" != warc ] || mv "$work/out/crawl" "$work/warc"
  "$build/tests/site/log_judge" --name "$1" --tree "$root" --log "$work/log" >>"$work/judged" 2>/dev/null || true
  read -r seconds _ _ code _ <"$work/$1.first"
  if [ "$code" = 124 ] || [ "$code" = 127 ]; then
    echo "$1: exit code $code: $(tail -n 1 "$work/said")"
  elif [ "${seconds%.*}" -ge "${SLOW:-20}" ]; then
    cp "$work/$1.first" "$work/$1.timed"
  else
    fast="$fast $1"
  fi
}

root_of() # SITE: sets $root; fails if there is no such site
{
  package=
  case $1 in
    small) make_pages "$work/small" 1 "${PAGES:-10000}" 220 10 "" ;;
    manual) package=postgresql-doc-15; unpack_manual "$manuals" "$package" || return 1 ;;
    large)
      package=racket-doc
      unpack_manual "$manuals" "$package" ||
        { package=; echo "large: generated pages"; make_pages "$work/large" 1 1800 10000 50 ""; } ;;
    *) echo "bench_crawl.sh: no site $1" >&2; exit 2 ;;
  esac
  root=$work/$1/h0
  [ -z "$package" ] || root=$manuals/$package.tree/$(manual_root "$package")
}

pairs() # the ratios of CPU time, default's and before's
{
  paste -d ' ' "$work/default.timed" "$work/before.timed" | awk '{ printf "%.4f\n", $2 / $7 }' | sort -n | awk '
    { v[NR] = $1 }
    END { printf "CPU a page, default/before: %.3f; %d pairs from %.3f to %.3f, the middle half from %.3f to %.3f\n",
            v[int((NR + 1) / 2)], NR, v[1], v[NR], v[int((NR + 3) / 4)], v[int((3 * NR + 1) / 4)] }'
}

one_host() # SITE
{
  site=$1
  echo
  root_of "$site" || return 0
  nginx_start <<EOF
  server { listen 127.0.0.1:$quiet_port backlog=4096; root $root; }
  server { listen 127.0.0.1:$port backlog=4096; root $root; access_log $work/log requests; }
EOF
  rm -rf "$work"/*.timed "$work"/*.first "$work/judged" "$work/warc"
  "$build/tests/site/log_judge" --tree "$root" --list >"$work/paths"
  count=$(wc -l <"$work/paths")
  echo "$site: $count pages, $connections connections, $rounds rounds; $(uptime | sed 's/.*load/load/')"
  fast=
  names=${ONLY:-floor no-store default warc wget2}
  [ -z "$before" ] || names='before default'
  for name in $names; do
    first_run "$name"
  done
  round=0
  while [ "$round" -lt "$rounds" ]; do
    for name in $fast; do
      run "$name" "$quiet_port" "$work/$name.timed"
    done
    [ -z "$before" ] || fast=$(echo "$fast" | awk '{ print $2, $1 }')
    [ ! -d "$work/warc" ] || zlib
    round=$((round + 1))
  done
  nginx_stop
  # shellcheck disable=SC2086 # one word a name
  print_rows "$count" wget2 floor $names zlib
  cp "$work/rows" "$work/$site.rows"
  [ -z "$before" ] || pairs
  awk '{ printf "%s: %d missed, %d twice of %d\n", $1, $4, $6, $2 }' "$work/judged"
  rm -rf "${work:?}/$site"
}

web() # SITE WEB CRAWLERS PAGES LIMIT: rounds of bench_web.sh; speed, CPU and memory become rows
{
  rm -f "$work"/*.timed
  round=0
  while [ "$round" -lt "$rounds" ]; do
    WEBS=$2 ONLY=$3 PAGES=$4 LIMIT=$5 MANNERS=fast KILL='' "$here/bench_web.sh" --csv "$work/csv" "$strata" \
      "$build/tests/contract/web/web_server" "$build/tests/contract/web/web_judge" >"$work/said" ||
      { cat "$work/said"; return 0; }
    awk -F , -v work="$work" 'NR > 1 { print $13, $14, $16, $7, $6 >>(work "/" $3 ".timed") }' "$work/csv"
    round=$((round + 1))
  done
  echo
  echo "$1: $2, $rounds rounds; medians"
  for name in $3; do
    f=$work/$name.timed
    echo "$name $(median "$f" 1) $(median "$f" 2) 0 $(median "$f" 3) $(median "$f" 4) $(median "$f" 5)"
  done >"$work/$1.rows"
  awk '{ printf "%-16s %8.0f pages/s %8.3f CPU ms/p %7.1f peak MB, %d of %d pages\n", $1, $2, $3, $5, $6, $7 }' \
    "$work/$1.rows"
}

sites=${SITES:-small manual large https score}
for site in $sites; do
  case $site in
    https)
      echo
      ONLY="https https-nostore wget2-https floor-https" FIGURES=$work/https.rows STRATA=$strata \
        "$here/bench_https.sh" "$build" "$rounds" 1000 10 ;;
    score) web score https-1000-200 "strata wget2" 10 60 ;;
    million) web million http-1000-0 strata 1000 600 ;;
    *) one_host "$site" ;;
  esac
done
[ -z "$before" ] || exit 0
echo
printf '%-40s' "ratios"
# shellcheck disable=SC2086 # one word a site
printf ' %8s' $sites
echo
goal "pages/s, into a directory, of wget2's" default wget2 2
goal "CPU a page, into a directory, of wget2's" default wget2 3
goal "pages/s, --no-store, of the floor's" no-store floor 2
goal "CPU, --warc, of default + zlib's" warc "default zlib" 3
goal "CPU, --warc, of default's" warc default 3
echo "after: $(uptime | sed 's/.*load/load/')"
