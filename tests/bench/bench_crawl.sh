#!/bin/sh
# strata crawl beside other crawlers and the floor under them all, on small pages from nginx on loopback: in turn, medians
# of wall and CPU seconds and peak memory, and ratios to a bare libcurl fetcher that is given the list.
#   bench_crawl.sh STRATA FETCH_LIST [ROUNDS [PAGES [TREE]]]
#   TREE: serve this directory, start at its index.html, instead of PAGES generated ones (default 20000); the floor then
#   fetches the list of what strata fetched. Needs nginx and GNU time; wget2, wget, httrack and scrapy are measured if
#   they are there. CONNECTIONS=N (default 16).
set -eu
strata=$1
fetch_list=$2
rounds=${3:-5}
pages=${4:-20000}
tree=${5:-}
connections=${CONNECTIONS:-16}
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

serve() # ROOT
{
  port=$((20000 + $$ % 20000))
  cat >"$work/nginx.conf" <<END
daemon off; worker_processes 2; worker_rlimit_nofile 20000; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 4096; multi_accept on; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  types { text/html html; text/css css; image/png png; } default_type application/octet-stream;
  client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
  server { listen 127.0.0.1:$port backlog=4096; listen [::1]:$port backlog=4096; root $1; }
}
END
  chmod 755 "$work"
  nginx -e "$work/error.log" -c "$work/nginx.conf" -g 'user root;' &
  server=$!
  sleep 1
  kill -0 "$server" || { cat "$work/error.log" >&2; exit 1; }
}

measure() # NAME COMMAND...
{
  name=$1
  shift
  (cd "$work/out" && /usr/bin/time -a -o "$work/$name" -f '%e %U %S %M' "$@" >"$work/said.$name" 2>&1) || true
  rm -rf "$work/out"
  mkdir "$work/out"
}

median() # NAME FIELDS...: the median of their sum
{
  awk -v fields="$2" 'NF >= 4 { n = split(fields, f, ","); s = 0; for (i = 1; i <= n; i++) s += $f[i]; print s }' "$work/$1" |
    sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'
}

mkdir "$work/out"
if [ -n "$tree" ]; then
  serve "$tree"
  start="http://localhost:$port/"
else
  make_pages
  serve "$work/root"
  start="http://localhost:$port/p/0.html"
fi
"$strata" crawl --dir "$work/first" --delay 0 --per-host "$connections" --allow-private "$start" 2>"$work/said.first"
"$strata" export --state done "$work/first" >"$work/list"
count=$(wc -l <"$work/list")
echo "$count pages, $connections connections, $rounds rounds"

is_there() # COMMAND
{
  command -v "$1" >/dev/null 2>&1 || { echo "$1: skipped, it is not installed"; return 1; }
}
names='floor strata strata-kept'
for tool in wget2 wget httrack scrapy; do
  if is_there "$tool"; then names="$names $tool"; fi
done

run() # NAME
{
  case $1 in
    floor) measure floor "$fetch_list" "$work/list" "$connections" ;;
    strata) measure strata "$strata" crawl --no-store --delay 0 --per-host "$connections" --allow-private "$start" ;;
    strata-kept) measure strata-kept "$strata" crawl --dir "$work/out/kept" --delay 0 --per-host "$connections" \
      --allow-private "$start" ;;
    wget2) measure wget2 wget2 -q -r -l 0 --max-threads="$connections" -O /dev/null "$start" ;;
    wget) measure wget wget -q -r -l inf -nd --delete-after -P "$work/out/wget" "$start" ;;
    httrack) measure httrack httrack "$start" -O "$work/out/httrack" -q -p1 "-c$connections" -%c1000 -A1000000000 --disable-security-limits ;;
    scrapy) measure scrapy scrapy runspider "$work/spider.py" -a "start=$start" -s "CONCURRENT_REQUESTS=$connections" \
      -s "CONCURRENT_REQUESTS_PER_DOMAIN=$connections" -L ERROR ;;
  esac
}
cat >"$work/spider.py" <<'END'
import scrapy
class Spider(scrapy.Spider):
    name = "bench"
    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
    def parse(self, response):
        if hasattr(response, "css"):
            yield from response.follow_all(css="a::attr(href)", callback=self.parse)
END
round=0
while [ "$round" -lt "$rounds" ]; do
  for name in $names; do
    run "$name"
  done
  round=$((round + 1))
done

printf '%-12s %9s %10s %12s %8s %10s %10s\n' crawler seconds pages/s cpu-s/1000 peak-MB speed/floor cpu/floor
for name in $names; do
  printf '%s %s %s %s %s %s\n' "$name" "$(median "$name" 1)" "$(median "$name" 2,3)" "$(median "$name" 4)" \
    "$(median floor 1)" "$(median floor 2,3)" |
    awk -v n="$count" '{ printf "%-12s %9.2f %10.0f %12.3f %8.1f %10.2f %10.2f\n", $1, $2, n / $2, $3 * 1000 / n, $4 / 1024,
                         $5 / $2, $3 / $6 }'
done
