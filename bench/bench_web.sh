#!/bin/sh
# The score card: crawlers on the same web in a box (tests/contract/web/), each held against what is known of that web.
#   bench_web.sh [--csv FILE] STRATA WEB_SERVER WEB_JUDGE      all rows: 16 minutes at most, as TIME below says
#   bench_web.sh --smoke STRATA WEB_SERVER WEB_JUDGE           seconds: is a plain web of 20 hosts crawled faultlessly?
# What a run reached after LIMIT seconds is its figure. Set in the environment, with what they are by default:
#   WEBS="http-1000-0 https-1000-200 https-1000-200-wild https-100000-200"   SCHEME-HOSTS-MILLISECONDS of latency; wild:
#        with errors, redirects, duplicates, traps, hosts that rest, robots.txt that forbid, certificates that lie
#   MANNERS="fast polite"        no delay; a second between requests to a host, or what comes nearest (below)
#   ONLY="strata strata-nostore wget2 scrapy httrack"      for some of them
#   KILL="strata"  who is killed (-9) halfway and started again; scrapy and httrack can be, too
#   LIMIT=20  CONNECTIONS=256  PAGES=10 (of a host)  SEED=1  MORE= (further words for the web: "zipf,bytes=20000")
# TIME: nobody takes longer than LIMIT, or twice that if killed: webs * manners * (crawlers + killed) * LIMIT.
# Columns: how it ended; seconds; requests; pages fetched of those wanted, and that share; what was fetched again;
# requests to a host within its delay (0.9 s, or Crawl-delay); requests that robots.txt forbids, or before it was read;
# pages a second; the crawler's CPU, and all bytes on the loopback (TCP, TLS and DNS, too), for each page; peak memory;
# after a kill: pages lost, if both ended by themselves, and fetched again; never: it cannot go on.
#
# All happens in a network namespace: every name of the web leads to it by its own DNS server, on the usual ports, and
# the system's list of certificates has one more. Everyone obeys robots.txt, gives up after 30 s, tries three times.
# Crawlers are as their experts would have them: Scrapy as its page on broad crawls says, HTTrack without its limits.
# What "polite" is: strata and Scrapy wait a second between two requests to a host. wget2 --wait=1 lets each of its
# threads wait. HTTrack has its default limits: 8 connections, 25 kB/s. HTTrack has 16 connections when fast: with more
# it is slower, from 0.6 ms of CPU a page with 8 to 3.9 with 256, and over 200 ms of latency no faster.
# Pages that only a sitemap names are wanted of all, though Scrapy's generic spider and HTTrack do not read sitemaps.
# Killed and started again: strata by the same command; Scrapy, too, with a JOBDIR; HTTrack with its cache, and then
# --continue.
set -eu
if [ "${IN_NAMESPACE:-}" != yes ]; then
  case ${1:---help} in
    --help | -h) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
  esac
  for tool in unshare ip mount /usr/bin/time; do
    command -v "$tool" >/dev/null || { echo "skipped: bench_web.sh needs $tool, which is not installed" >&2; exit 77; }
  done
  for how in -rmn -mn; do # as anybody; or as root where only root may
    if unshare $how ip link set lo up 2>/dev/null; then IN_NAMESPACE=yes exec unshare $how "$0" "$@"; fi
  done
  echo "skipped: no network namespaces here" >&2
  exit 77
fi
csv=
is_smoke=
while [ $# -gt 3 ]; do
  case $1 in
    --csv) csv=$(realpath "$2"); shift 2 ;;
    --smoke) is_smoke=yes; shift ;;
    *) echo "bench_web.sh: what is $1? See --help" >&2; exit 2 ;;
  esac
done
[ $# = 3 ] || { echo "bench_web.sh: it takes STRATA, WEB_SERVER and WEB_JUDGE; see --help" >&2; exit 2; }
strata=$(realpath "$1")
web_server=$(realpath "$2")
web_judge=$(realpath "$3")
if [ -n "$is_smoke" ]; then
  WEBS="http-20-0 https-20-20" MANNERS=fast ONLY="strata strata-nostore" KILL=strata LIMIT=10 PAGES=10
fi
webs=${WEBS:-http-1000-0 https-1000-200 https-1000-200-wild https-100000-200}
manners=${MANNERS:-fast polite}
killed=${KILL-strata}
limit=${LIMIT:-20}
connections=${CONNECTIONS:-256}
pages=${PAGES:-10}
{ [ "$limit" -ge 2 ] && [ "$limit" -le 600 ]; } || { echo "bench_web.sh: LIMIT is 2 to 600 seconds" >&2; exit 2; }

export LC_ALL=C
work=$(mktemp -d)
export HOME="$work/home"
mkdir "$work/home"
server=
server_stop()
{
  [ -z "$server" ] || { kill "$server"; wait "$server" || true; }
  server=
}
trap 'server_stop; rm -rf "$work"' EXIT
trap 'exit 3' INT TERM
# shellcheck disable=SC3045 # dash has it
ulimit -n "$(ulimit -Hn)"

ip link set lo up
bundle=/etc/ssl/certs/ca-certificates.crt
cp "$bundle" "$work/system.pem"
cp "$bundle" "$work/bundle.pem"
echo 'nameserver 127.0.0.1' >"$work/resolv.conf"
mount --bind "$work/bundle.pem" "$bundle"
mount --bind "$work/resolv.conf" "$(realpath /etc/resolv.conf)"

# Breadth first; a queue on disk only when there is a JOBDIR.
cat >"$work/spider.py" <<'SPIDER'
import scrapy
class Spider(scrapy.Spider):
    name = "bench"
    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
    def parse(self, response):
        if hasattr(response, "css"):
            yield from response.follow_all(css="a::attr(href)", callback=self.parse)
SPIDER

now_ms()
{
  date +%s%3N
}

# $line names the web, $start is its first URL; the log of requests is new.
server_start()
{
  : >"$work/serving"
  "$web_server" --web "$line" --address 0.0.0.0 --http 80 --https 443 --dns 53 --ca "$work/ca.pem" \
    --log "$work/log" >"$work/serving" &
  server=$!
  began_ms=$(now_ms)
  while ! grep -q start= "$work/serving"; do
    kill -0 "$server" 2>/dev/null || { echo "bench_web.sh: the server of $line ended" >&2; exit 1; }
    sleep 0.05
  done
  start=$(sed -n 's/.*start=//p' "$work/serving")
  cat "$work/system.pem" "$work/ca.pem" >"$work/bundle.pem"
}

# SECONDS COMMAND...: in $work/took seconds, CPU seconds of both kinds, kilobytes, exit code; in $work/pid its number.
# timeout(1) would not do: who does not heed its SIGTERM is killed with it, and what he used is not known.
measure()
{
  left=$(($1 * 5))
  shift
  rm -f "$work/pid"
  # shellcheck disable=SC2016 # expanded by the inner shell
  (cd "$work/out" && exec /usr/bin/time -o "$work/took" -f '%e %U %S %M %x' \
    sh -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$@" >"$work/said" 2>&1 </dev/null) &
  timed=$!
  while [ ! -s "$work/pid" ]; do sleep 0.01; done
  pid=$(cat "$work/pid")
  while [ "$left" -gt -25 ] && kill -0 "$pid" 2>/dev/null; do
    [ "$left" != 0 ] || kill "$pid" || true
    left=$((left - 1))
    sleep 0.2
  done
  kill -9 "$pid" 2>/dev/null || true
  wait "$timed" || true
  awk '/terminated by signal/ { signal = $NF } END { if (signal) $5 = 128 + signal; print }' "$work/took" \
    >"$work/took.read"
  mv "$work/took.read" "$work/took"
}

# NAME SECONDS [first|again, of one that will be, or was, killed]: as $manner says, from $start, into $work/out
crawl()
{
  name=$1 seconds=$2 resumable=${3:-}
  set --
  case $name in
    strata*)
      [ "$manner" = polite ] || set -- --delay 0
      if [ "$name" = strata ]; then set -- "$@" --dir "$work/out/crawl"; else set -- "$@" --no-store; fi
      seconds_more=$((seconds + 10)) # it ends by itself, and commits first
      measure "$seconds_more" "$strata" crawl --scope any --allow-private --connections "$connections" --quiet \
        --max-seconds "$seconds" "$@" "$start" ;;
    wget2)
      [ "$manner" = polite ] && set -- --wait=1
      measure "$seconds" wget2 -q -r -l 0 -H -O /dev/null --robots=on --max-threads="$connections" --timeout=30 \
        --tries=3 --no-ocsp --no-hsts "$@" "$start" ;;
    scrapy)
      if [ "$manner" = polite ]; then
        set -- -s DOWNLOAD_DELAY=1 -s RANDOMIZE_DOWNLOAD_DELAY=False -s CONCURRENT_REQUESTS_PER_DOMAIN=1
      fi
      [ -z "$resumable" ] || set -- "$@" -s "JOBDIR=$work/out/job"
      measure "$seconds" scrapy runspider "$work/spider.py" -a "start=$start" -s ROBOTSTXT_OBEY=True \
        -s "CONCURRENT_REQUESTS=$connections" -s REACTOR_THREADPOOL_MAXSIZE=20 -s AUTOTHROTTLE_ENABLED=False \
        -s SCHEDULER_PRIORITY_QUEUE=scrapy.pqueues.DownloaderAwarePriorityQueue -s COOKIES_ENABLED=False \
        -s SCHEDULER_MEMORY_QUEUE=scrapy.squeues.FifoMemoryQueue -s DOWNLOAD_TIMEOUT=30 -s DNS_TIMEOUT=30 \
        -s SCHEDULER_DISK_QUEUE=scrapy.squeues.PickleFifoDiskQueue -s DNSCACHE_SIZE=1000000 "$@" -L ERROR ;;
    httrack)
      [ "$manner" = polite ] || set -- -c16 -%c0 -A0 --disable-security-limits
      if [ -n "$resumable" ]; then set -- "$@" -p3 -C1; else set -- "$@" -p0 -C0; fi
      [ "$resumable" != again ] || set -- "$@" --continue # without a cache it fetches nothing
      measure "$seconds" httrack "$start" '+*' -e -s2 -O "$work/out/mirror" -q -I0 -T30 -R2 '-#L100000000' "$@" ;;
    *) echo "bench_web.sh: no crawler $name" >&2; exit 2 ;;
  esac
}

loopback_bytes()
{
  awk '$1 == "lo:" { print $2 }' /proc/net/dev
}

# The log in $1, up to the millisecond $2, as "coverage:1 wanted:10 ..."
judge()
{
  delay_s=0
  [ "$manner" = fast ] || delay_s=0.9 # a tenth for what busy cores and a clock of its own do to a second
  awk -F '\t' -v end="$2" '$1 <= end' "$1" | "$web_judge" --web "$line" --delay "$delay_s" >"$work/judged"
}

field() # NAME: of what was judged last
{
  sed "s/.*[{,]\"$1\":\([^,}]*\).*/\1/" "$work/judged"
}

how_it_ended() # reads "seconds user system kilobytes code"
{
  awk -v limit="$limit" '{ end = $1 >= limit ? "limit" : $5 ? "exit " $5 : "done" } END { print end }' \
    "$work/took"
}

# Killed after $2 seconds, and started again; in $lost and $refetched what came of it.
kill_and_resume() # NAME SECONDS PAGES, of an undisturbed run
{
  mkdir "$work/out"
  server_start
  crawl "$1" "$limit" first &
  sleep "$2"
  kill -9 "$(cat "$work/pid" 2>/dev/null)" 2>/dev/null || true
  wait $!
  sleep 2.2 # the log is written once a second
  head -c "$(wc -c <"$work/log")" "$work/log" >"$work/first.log"
  crawl "$1" "$limit" again
  end=$(how_it_ended)
  server_stop
  judge "$work/log" inf
  reached=$(field fetched) twice=$(field again)
  judge "$work/first.log" inf
  twice=$((twice - $(field again)))
  tail -n "+$(($(wc -l <"$work/first.log") + 1))" "$work/log" >"$work/second.log"
  judge "$work/second.log" inf
  refetched=$((twice - $(field again)))
  lost=-
  [ "$end" = limit ] || [ "$3" = - ] || lost=$(($3 - reached))
  rm -rf "$work/out"
}

header="web,manners,crawler,end,seconds,wanted,fetched,coverage,again,too_soon,barred,before_robots,pages_s,cpu_ms_page"
header="$header,bytes_page,peak_mb,kill_lost,kill_again,requests"
[ -z "$csv" ] || echo "$header" >"$csv"
echo "$header" >"$work/card"

row() # WEB NAME
{
  mkdir "$work/out"
  server_start
  from=$(($(now_ms) - began_ms))
  bytes=$(loopback_bytes)
  crawl "$2" "$limit"
  bytes=$(($(loopback_bytes) - bytes))
  server_stop
  rm -rf "$work/out"
  judge "$work/log" $((from + 1000 * limit))
  end=$(how_it_ended)
  cp "$work/judged" "$work/judged.whole"
  cp "$work/took" "$work/took.whole"
  lost="cannot resume" refetched="cannot resume"
  case " $killed " in
    *" $2 "*)
      whole=-
      [ "$end" = limit ] || whole=$(field fetched)
      kill_and_resume "$2" "$(awk '{ print $1 / 2 }' "$work/took.whole")" "$whole" ;;
    *) case $2 in strata | scrapy | httrack) lost=- refetched=- ;; esac ;;
  esac
  cp "$work/judged.whole" "$work/judged"
  awk -v FS=' ' -v OFS=, -v web="$1" -v manner="$manner" -v name="$2" -v end="$end" -v bytes="$bytes" \
    -v wanted="$(field wanted)" -v fetched="$(field fetched)" -v coverage="$(field coverage)" \
    -v limit="$limit" -v again="$(field again)" -v requests="$(field requests)" \
    -v soon="$(field too_soon)" -v barred="$(field barred)" -v before="$(field before_robots)" -v lost="$lost" \
    -v refetched="$refetched" '{
      n = fetched ? fetched : 1
      print web, manner, name, end, sprintf("%.1f", $1), wanted, fetched, sprintf("%.4f", coverage), again, soon,
            barred, before, sprintf("%.0f", fetched / ($1 < limit ? $1 : limit)),
            sprintf("%.3f", 1000 * ($2 + $3) / n), int(bytes / n),
            sprintf("%.1f", $4 / 1024), lost, refetched, requests }' "$work/took.whole" >"$work/row"
  cat "$work/row" >>"$work/card"
  [ -z "$csv" ] || cat "$work/row" >>"$csv"
  print_row <"$work/row"
  [ "$(field fetched)" -gt 0 ] || tail -n 3 "$work/said" | sed 's/^/    /'
}

print_row()
{
  awk -F , '{ if ($17 ~ /cannot/) $17 = $18 = "never"
              printf "%-14s %-6s %7s %8s %8s %8s %7s %6s %7s %6s %6s %7s %7s %6s %6s %5s %5s\n", $3, $4, $5, $19, $6,
                     $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18 }'
}

line_of() # WEB, as in WEBS
{
  echo "$1" | awk -F - -v pages="$pages" -v seed="${SEED:-1}" -v more="${MORE:+,$MORE}" '
    ($1 == "http" || $1 == "https") && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ && (NF == 3 || NF == 4 && $4 == "wild") {
      printf "seed=%s,hosts=%s,pages=%s,latency=%s%s,https=%d%s\n", seed, $2, pages, $3, NF == 4 ? ",wild" : "",
             $1 == "https", more
    }'
}

names=
for name in ${ONLY:-strata strata-nostore wget2 scrapy httrack}; do
  case $name in
    strata*) names="$names $name" ;;
    *)
      if command -v "$name" >/dev/null 2>&1; then names="$names $name"; else
        echo "$name: skipped, it is not installed"
      fi ;;
  esac
done
echo "$limit s, $connections connections, seed ${SEED:-1}; $(uptime | sed 's/.*load/load/')"
for web in $webs; do
  line=$(line_of "$web")
  [ -n "$line" ] || { echo "bench_web.sh: no web $web; webs are as https-1000-200 or http-1000-0-wild" >&2; exit 2; }
  for manner in $manners; do
    echo
    echo "$web, $manner: $line"
    titles=crawler,end,seconds,wanted,fetched,share,again,tooSoon,barred,before,pages/s,cpu-ms,bytes,peakMB,lost,twice
    echo ",,$titles,requests" | print_row
    for name in $names; do
      row "$web" "$name"
    done
  done
done
echo
echo "after: $(uptime | sed 's/.*load/load/')"
[ -n "$is_smoke" ] || exit 0

# Nothing missed, nothing twice, no rule broken, nothing lost.
awk -F , 'NR > 1 { rows++
          good += $4 == "done" && $8 == 1 && $9 + $10 + $11 + $12 == 0 && ($17 == 0 || $3 != "strata") }
          END { exit rows != 4 || good != rows }' "$work/card" || { echo "bench_web.sh: not faultless" >&2; exit 1; }
