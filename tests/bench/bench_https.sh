#!/bin/sh
# A crawl of many hosts as users run it: https, the certificates of the system, default options. On the same two cores
# nginx serves every host. The opponent is wget2 that saves nothing.
#   tests/bench/bench_https.sh STRATA [ROUNDS [HOSTS [PAGES]]]     e.g. build/release/crawler/strata 5 1000 10
# HOSTS hosts of PAGES pages of 2 kB each; the first links to ten others of its host and to two more hosts.
# It needs nginx (with HTTP/2), openssl and unshare, and wget2 for its rows. All happens in namespaces of its own: names
# lead to 127.1.0.0/16 by a hosts file, nginx has ports 80 and 443, and the system's list of certificates gets one more,
# of a CA made for the run. ONLY="https wget2-https" runs those rows alone, OPTIONS="--per-host 16" goes to every crawl
# by strata: with 1 host of 10000 pages that is a crawl of one large site. FETCH_LIST=build/.../bench_fetch_list adds
# the floor: bare libcurl, which is given all URLs and does nothing with the pages.
set -eu
if [ "${IN_NAMESPACE:-}" != yes ]; then
  [ $# -ge 1 ] || { sed -n '2,10s/^# //p' "$0" >&2; exit 2; }
  for tool in nginx openssl unshare ip /usr/bin/time; do
    command -v "$tool" >/dev/null || { echo "bench_https.sh: there is no $tool here; please install it" >&2; exit 1; }
  done
  IN_NAMESPACE=yes exec unshare -rmn "$0" "$@"
fi
strata=$(realpath "$1")
fetch_list=$(realpath "${FETCH_LIST:-/dev/null}")
rounds=${2:-5} hosts=${3:-1000} pages=${4:-10}
domain=github.io # a public suffix: each host is a domain of its own, and one certificate is good for all
limit=600
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -Hn)"

# No two pages say the same.
make_pages()
{
  awk -v hosts="$hosts" -v pages="$pages" -v root="$work/root" -v domain="$domain" 'BEGIN {
    srand(1)
    for (k = 0; k < 2000; k++) {
      word = ""
      for (i = int(rand() * 8) + 2; i > 0; i--) word = word sprintf("%c", 97 + int(rand() * 26))
      words[k] = word
    }
    for (h = 0; h < hosts; h++) {
      system("mkdir -p " root "/h" h)
      for (i = 0; i < pages; i++) {
        text = ""
        for (k = 0; k < 220; k++) text = text words[int(rand() * 2000)] " "
        page = "<!doctype html><html><head><title>Page " i " of " h "</title></head><body><h1>Page " i "</h1>\n"
        for (k = 1; k <= 10 && 10 * i + k < pages; k++) page = page "<p><a href=\"/" 10 * i + k ".html\">a child</a>\n"
        for (k = 1; k <= 2 && i == 0 && 2 * h + k < hosts; k++)
          page = page "<p><a href=\"//h" 2 * h + k "." domain "/\">a host</a>\n"
        file = root "/h" h "/" i ".html"
        print page "<p>" text "</body></html>" >file
        close(file)
      }
    }
  }' </dev/null
}

# All URLs in the order a crawl may meet them: a page of each host, and round again.
make_lists()
{
  for scheme in http https; do
    awk -v hosts="$hosts" -v pages="$pages" -v scheme="$scheme" -v domain="$domain" 'BEGIN {
      for (first = 0; first < hosts; first += 64)
        for (i = 0; i < pages; i++)
          for (h = first; h < first + 64 && h < hosts; h++)
            print scheme "://h" h "." domain "/" (i ? i ".html" : "")
    }' </dev/null >"$work/list.$scheme"
  done
}

# One key for all hosts; the CA stands in the system's list, among all others.
make_certificates()
{
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=CA of a bench" \
    -keyout "$work/ca.key" -out "$work/ca.pem"
  openssl req -newkey rsa:2048 -nodes -subj "/CN=a bench" -keyout "$work/leaf.key" -out "$work/leaf.csr"
  echo "subjectAltName=DNS:*.$domain" >"$work/names"
  openssl x509 -req -in "$work/leaf.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 \
    -extfile "$work/names" -out "$work/leaf.pem"
} 2>"$work/openssl.log"

lead_names_here()
{
  awk -v hosts="$hosts" -v domain="$domain" 'BEGIN {
    print "127.0.0.1 localhost"
    for (h = 0; h < hosts; h++) print "127.1." int(h / 250) "." h % 250 + 1 " h" h "." domain
  }' </dev/null >"$work/hosts"
  mount --bind "$work/hosts" /etc/hosts
  system=/etc/ssl/certs/ca-certificates.crt
  cat "$system" "$work/ca.pem" >"$work/bundle.pem"
  mount --bind "$work/bundle.pem" "$system"
  ip link set lo up
}

serve()
{
  cat >"$work/nginx.conf" <<CONF
daemon off; worker_processes 2; worker_rlimit_nofile 20000; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 8192; multi_accept on; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  log_format bench '\$connection \$server_protocol \$status \$ssl_session_reused \$host\$uri';
  types { text/html html; } default_type text/html;
  client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work;
  uwsgi_temp_path $work; scgi_temp_path $work;
  ssl_certificate $work/leaf.pem; ssl_certificate_key $work/leaf.key;
  ssl_session_cache shared:bench:50m;
  map \$host \$own { ~^(?<n>h[0-9]+)\. \$n; }
  server {
    listen 0.0.0.0:80 backlog=4096; listen 0.0.0.0:443 ssl http2 backlog=4096; root $work/root/\$own;
    access_log $work/access.log bench buffer=64k flush=1s;
    location = /robots.txt { return 404; }
    location = / { rewrite ^ /0.html break; }
  }
}
CONF
  chmod 755 "$work"
  nginx -e "$work/error.log" -c "$work/nginx.conf" -g 'user root;' &
  server=$!
  sleep 1
  kill -0 "$server" || { cat "$work/error.log" >&2; exit 1; }
}

# NAME COMMAND...: seconds, CPU seconds of both kinds, kilobytes, exit code; then pages, connections, resumed ones
measure()
{
  name=$1
  shift
  mkdir "$work/out"
  : >"$work/access.log"
  (cd "$work/out" && /usr/bin/time -o "$work/took" -f '%e %U %S %M %x' timeout -k 5 "$limit" "$@" \
    >"$work/said.$name" 2>&1 </dev/null) || true
  sleep 1.2 # the log is written once a second
  awk '$3 == 200 { pages++ }
       !($1 in met) { met[$1]; n++; if ($4 == "r") resumed++ }
       END { print pages + 0, n + 0, resumed + 0 }' "$work/access.log" >"$work/counted"
  echo "$(tail -n 1 "$work/took") $(cat "$work/counted")" >>"$work/$name.timed"
  rm -rf "$work/out"
}

strata_crawl() # NAME OPTION...
{
  name=$1
  shift
  # shellcheck disable=SC2086 # one word an option
  measure "$name" "$strata" crawl --scope any --allow-private --max-seconds "$limit" ${OPTIONS:-} "$@"
}

wget2_crawl() # NAME URL
{
  measure "$1" wget2 -q -r -l 0 -H -D "$domain" --max-threads=16 -O /dev/null "$2"
}

run() # NAME
{
  first=h0.$domain/
  case $1 in
    http) strata_crawl "$1" --delay 0 "http://$first" ;;
    https) strata_crawl "$1" --delay 0 "https://$first" ;;
    https-nostore) strata_crawl "$1" --no-store --delay 0 "https://$first" ;;
    https-reconnect) strata_crawl "$1" --delay 0 --keep-alive 0 "https://$first" ;;
    https-http2) strata_crawl "$1" --delay 0 --per-host 2 "https://$first" ;;
    https-polite) strata_crawl "$1" "https://$first" ;;
    floor-http) measure "$1" "$fetch_list" "$work/list.http" 64 1600 ;;
    floor-https) measure "$1" "$fetch_list" "$work/list.https" 64 1600 ;;
    wget2-http) wget2_crawl "$1" "http://$first" ;;
    wget2-https) wget2_crawl "$1" "https://$first" ;;
    *) echo "bench_https.sh: no row $1" >&2; exit 2 ;;
  esac
}

median() # FILE FIELDS
{
  awk -v fields="$2" '{ n = split(fields, f, ","); s = 0; for (i = 1; i <= n; i++) s += $f[i]; print s }' "$1" |
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

make_pages
make_lists
make_certificates
lead_names_here
serve
names=
all='http https https-nostore https-http2 https-reconnect https-polite wget2-http wget2-https floor-http floor-https'
for name in ${ONLY:-$all}; do
  case $name in
    wget2-*) command -v wget2 >/dev/null || { echo "$name: skipped, there is no wget2"; continue; } ;;
    floor-*) [ -x "$fetch_list" ] || { echo "$name: skipped, FETCH_LIST names no program"; continue; } ;;
  esac
  names="$names $name"
done
echo "$hosts hosts of $pages pages, $(grep -c BEGIN "$work/bundle.pem") CAs, $rounds rounds;" \
  "$(uptime | sed 's/.*load/load/')"
round=0
while [ "$round" -lt "$rounds" ]; do
  for name in $names; do
    run "$name"
  done
  round=$((round + 1))
done
format='%-16s %8s %8s %10s %9s %8s %12s %8s\n'
# shellcheck disable=SC2059
printf "$format" crawler seconds pages pages/s cpu-ms/p peak-MB connections resumed
for name in $names; do
  f=$work/$name.timed
  echo "$name $(median "$f" 1) $(median "$f" 2,3) $(median "$f" 4) $(median "$f" 6) $(median "$f" 7) $(median "$f" 8)" |
    awk '{ p = $5 ? $5 : 1; printf "%-16s %8.2f %8d %10.0f %9.3f %8.1f %12d %8d\n", $1, $2, $5, $5 / $2, $3 * 1000 / p,
           $4 / 1024, $6, $7 }'
  [ "$(median "$f" 6)" -ge $((hosts * pages)) ] || tail -n 3 "$work/said.$name" | sed 's/^/    /'
done
echo "after: $(uptime | sed 's/.*load/load/')"
