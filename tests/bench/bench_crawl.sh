#!/bin/sh
# strata crawl beside other crawlers and the floor under them all, on small pages from nginx on loopback.
#   bench_crawl.sh STRATA FETCH_LIST [ROUNDS [PAGES [TREE]]]
#   First each crawler runs once while nginx keeps a log: which pages did it miss, which did it fetch again? Then they
#   run in turn without a log: medians of wall and CPU seconds, peak memory, ratios to a bare libcurl fetcher that is
#   given the list. Who takes longer than SLOW seconds (default 20) is timed by its first run alone; who is not done
#   after LIMIT (default 180) is stopped, and said to be.
#   TREE: serve this directory, start at its index.html, instead of PAGES generated ones (default 20000); what strata
#   fetched is then taken for what there is. strata-kept is a crawl into a directory with --no-similar, strata-alike one
#   without. Needs nginx and GNU time; wget2, wget, httrack and scrapy are measured if
#   they are there. CONNECTIONS=N (default 16); ONLY='floor strata ...' for some of them.
set -eu
strata=$(realpath "$1")
fetch_list=$(realpath "$2")
rounds=${3:-5}
pages=${4:-20000}
tree=${5:+$(realpath "$5")}
connections=${CONNECTIONS:-16}
limit=${LIMIT:-180}
slow=${SLOW:-20}
export LC_ALL=C
work=$(mktemp -d)
server=
stop()
{
  [ -z "$server" ] || kill "$server"
  rm -rf "$work"
}
trap stop EXIT
for tool in nginx /usr/bin/time; do
  command -v "$tool" >/dev/null || { echo "bench_crawl.sh: there is no $tool here; please install it" >&2; exit 1; }
done

# Page i links to the ten pages 10 i + 1 ... 10 i + 10, and to ten others anywhere; 1.5 kB of text.
make_pages()
{
  mkdir -p "$work/root/p"
  awk -v n="$pages" -v root="$work/root/p" 'BEGIN {
    srand(1)
    for (k = 0; k < 20; k++) text = text "The quick brown fox jumps over the lazy dog, again and again, until evening. "
    for (i = 0; i < n; i++) {
      page = "<!doctype html><html><head><title>Page " i "</title></head><body><h1>Page " i "</h1>\n"
      for (k = 1; k <= 10 && 10 * i + k < n; k++) page = page "<p><a href=\"/p/" 10 * i + k ".html\">a child</a>\n"
      for (k = 0; k < 10; k++) page = page "<li><a href=\"" int(rand() * n) ".html\">another</a>\n"
      file = root "/" i ".html"
      print page "<p>" text "</body></html>" >file
      close(file)
    }
  }' </dev/null
}

# ROOT without a log at $quiet_port, with one at $port.
serve()
{
  quiet_port=$((20000 + $$ % 20000))
  port=$((quiet_port + 1))
  : >"$work/access.log"
  cat >"$work/nginx.conf" <<EOF
daemon off; worker_processes 2; worker_rlimit_nofile 20000; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 4096; multi_accept on; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  log_format bench '\$request_method \$status \$uri';
  types { text/html html; text/css css; image/png png; } default_type application/octet-stream;
  client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work;
  uwsgi_temp_path $work; scgi_temp_path $work;
  server { listen 127.0.0.1:$quiet_port backlog=4096; root $1; }
  server { listen 127.0.0.1:$port backlog=4096; root $1; access_log $work/access.log bench; }
}
EOF
  chmod 755 "$work"
  nginx -e "$work/error.log" -c "$work/nginx.conf" -g 'user root;' &
  server=$!
  sleep 1
  kill -0 "$server" || { cat "$work/error.log" >&2; exit 1; }
}

# Where the crawl starts, and a list of all there is, as paths.
if [ -n "$tree" ]; then
  serve "$tree"
  start=/
  "$strata" crawl --dir "$work/first" --delay 0 --per-host "$connections" --allow-private \
    "http://127.0.0.1:$quiet_port/" 2>"$work/said.first"
  "$strata" export --state "done" "$work/first" | sed 's|^[a-z]*://[^/]*||' >"$work/paths"
else
  make_pages
  serve "$work/root"
  start=/p/0.html
  awk -v n="$pages" 'BEGIN { for (i = 0; i < n; i++) print "/p/" i ".html" }' </dev/null >"$work/paths"
fi
count=$(wc -l <"$work/paths")
mkdir "$work/out"
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

# FILE COMMAND...: seconds, CPU seconds of both kinds, kilobytes and exit code, as a line of FILE
measure()
{
  file=$1
  shift
  (cd "$work/out" && /usr/bin/time -o "$work/took" -f '%e %U %S %M %x' timeout -k 5 "$limit" "$@" \
    >"$work/said" 2>&1 </dev/null) || true
  tail -n 1 "$work/took" >>"$file"
  rm -rf "$work/out"
  mkdir "$work/out"
}

# HTTrack needs -A0 and -%c0, no limits: with large ones instead it fetches a page or two a second.
run() # NAME PORT FILE
{
  url=http://127.0.0.1:$2$start
  case $1 in
    floor)
      sed "s|^|http://127.0.0.1:$2|" "$work/paths" >"$work/list"
      measure "$3" "$fetch_list" "$work/list" "$connections" ;;
    strata) measure "$3" "$strata" crawl --no-store --delay 0 --per-host "$connections" --allow-private "$url" ;;
    strata-kept) measure "$3" "$strata" crawl --dir "$work/out/kept" --no-similar --delay 0 --per-host "$connections" \
      --allow-private "$url" ;;
    strata-alike) measure "$3" "$strata" crawl --dir "$work/out/alike" --delay 0 --per-host "$connections" \
      --allow-private "$url" ;;
    wget2) measure "$3" wget2 -q -r -l 0 --max-threads="$connections" -O /dev/null "$url" ;;
    wget) measure "$3" wget -q -r -l inf -nd --delete-after -P "$work/out/wget" "$url" ;;
    httrack) measure "$3" httrack "$url" -O "$work/out/httrack" -q -p0 -I0 -C0 -s0 "-c$connections" -%c0 -A0 \
      --disable-security-limits ;;
    scrapy) measure "$3" scrapy runspider "$work/spider.py" -a "start=$url" -s "CONCURRENT_REQUESTS=$connections" \
      -s "CONCURRENT_REQUESTS_PER_DOMAIN=$connections" -L ERROR ;;
  esac
}

# Of the log since the last time: pages missed, and answers with a page that was fetched before.
judge() # NAME
{
  awk 'FNR == NR { wanted[$0]; next }
       $1 == "GET" && $2 == 200 && $3 in wanted { if ($3 in got) twice++; else { got[$3]; pages++ } }
       END { for (path in wanted) all++; print all - pages, twice + 0, pages + 0 }' "$work/paths" "$work/access.log" \
    >"$work/$1.judged"
  : >"$work/access.log"
}

names=
for name in ${ONLY:-floor strata strata-kept strata-alike wget2 wget httrack scrapy}; do
  case $name in
    floor | strata*) names="$names $name" ;;
    *)
      if command -v "$name" >/dev/null 2>&1; then names="$names $name"; else
        echo "$name: skipped, it is not installed"
      fi ;;
  esac
done
echo "$count pages, $connections connections, $rounds rounds; $(uptime | sed 's/.*load/load/')"

field() # FILE N: of its first line
{
  awk -v n="$2" 'NR == 1 { print $n }' "$1"
}

fast=
for name in $names; do
  run "$name" "$port" "$work/$name.first"
  judge "$name"
  if [ "$(field "$work/$name.first" 5)" = 124 ]; then
    echo "$name: did not finish in $limit s; it had fetched $(field "$work/$name.judged" 3) of $count pages"
  elif [ "$(field "$work/$name.judged" 3)" = 0 ]; then
    echo "$name: fetched nothing: $(tail -n 1 "$work/said")"
  elif awk -v s="$slow" '{ exit !($1 > s) }' "$work/$name.first"; then
    cp "$work/$name.first" "$work/$name.timed"
  else
    fast="$fast $name"
  fi
done
round=0
while [ "$round" -lt "$rounds" ]; do
  for name in $fast; do
    run "$name" "$quiet_port" "$work/$name.timed"
  done
  round=$((round + 1))
done

median() # NAME FIELDS...: the median of their sum
{
  awk -v fields="$2" '{ n = split(fields, f, ","); s = 0; for (i = 1; i <= n; i++) s += $f[i]; print s }' \
    "$work/$1.timed" | sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'
}

floor_seconds=0
floor_cpu=0
if [ -s "$work/floor.timed" ]; then
  floor_seconds=$(median floor 1)
  floor_cpu=$(median floor 2,3)
fi
format='%-12s %9s %9s %11s %8s %12s %10s %7s %7s\n'
# shellcheck disable=SC2059
printf "$format" crawler seconds pages/s cpu-s/1000 peak-MB speed/floor cpu/floor missed twice
for name in $names; do
  [ -s "$work/$name.timed" ] || continue
  echo "$name $(median "$name" 1) $(median "$name" 2,3) $(median "$name" 4) $(cat "$work/$name.judged")" |
    awk -v n="$count" -v wall="$floor_seconds" -v cpu="$floor_cpu" '{
      printf "%-12s %9.2f %9.0f %11.3f %8.1f %12.2f %10.2f %7d %7d\n", $1, $2, n / $2, $3 * 1000 / n, $4 / 1024,
             wall / $2, cpu ? $3 / cpu : 0, $5, $6 }'
done
echo "after: $(uptime | sed 's/.*load/load/')"
