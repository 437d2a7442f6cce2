#!/bin/sh
# A crawl of many hosts as users run it: https, the certificates of the system, default options. On the same two cores
# nginx serves every host. The opponent is wget2 that saves nothing.
#   bench/bench_https.sh BUILD [ROUNDS [HOSTS [PAGES]]]     e.g. build/release 5 1000 10
# BUILD is a build directory with -DSTRATA_TESTS=ON -DSTRATA_BENCH=ON; STRATA=PROGRAM measures another build's program.
# HOSTS hosts of PAGES pages of 2 kB each; the first links to ten others of its host and to two more hosts.
# It needs nginx (with HTTP/2), openssl and unshare, and wget2 for its rows. All happens in namespaces of its own: names
# lead to 127.1.0.0/16 by a hosts file, nginx has ports 80 and 443, and the system's list of certificates gets one more,
# of a CA made for the run. ONLY="https wget2-https" runs those rows alone, OPTIONS="--per-host 16" goes to every crawl
# by strata: with 1 host of 10000 pages that is a crawl of one large site. The floor is bare libcurl, which is given all
# URLs and does nothing with the pages. wget2 has THREADS=16. Strata has its default of 64 connections, one a host, and
# no delay, but for https-polite, which is all default. What the columns are: crawl_lib.sh. FIGURES=FILE gets them too.
set -eu
if [ "${IN_NAMESPACE:-}" != yes ]; then
  [ $# -ge 1 ] || { sed -n '2,/^set /s/^# //p' "$0" >&2; exit 2; }
  IN_NAMESPACE=yes exec unshare -rmn "$0" "$@"
fi
here=$(dirname "$(realpath "$0")")
# shellcheck source=bench/crawl_lib.sh
. "$here/crawl_lib.sh"
# shellcheck source=tests/support/nginx.sh
. "$here/../tests/support/nginx.sh"
build=$(realpath "$1")
strata=$(realpath "${STRATA:-$build/crawler/strata}")
fetch_list=$build/bench/bench_fetch_list
need nginx openssl ip "$strata" "$fetch_list" "$build/bench/bench_run"
rounds=${2:-5} hosts=${3:-1000} pages=${4:-10}
domain=github.io # a public suffix: each host is a domain of its own, and one certificate is good for all
limit=600
work=$(mktemp -d)
server=
trap 'nginx_stop; rm -rf "$work"' EXIT
trap 'exit 3' INT TERM
# shellcheck disable=SC3045 # dash has it
ulimit -n "$(ulimit -Hn)"

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
  : >"$work/access.log"
  nginx_start <<CONF
  ssl_certificate $work/leaf.pem; ssl_certificate_key $work/leaf.key;
  ssl_session_cache shared:bench:50m;
  log_format bench '\$connection \$status \$ssl_session_reused';
  map \$host \$own { ~^(?<n>h[0-9]+)\. \$n; }
  server {
    listen 0.0.0.0:80 backlog=4096; listen 0.0.0.0:443 ssl http2 backlog=4096; root $work/root/\$own;
    access_log $work/access.log bench buffer=64k flush=1s;
  }
CONF
}

# NAME COMMAND...: a round, and in NAME.counted its pages, connections and resumed ones
one_round()
{
  name=$1
  shift
  : >"$work/access.log"
  measure "$work/$name.timed" "$@"
  cp "$work/said" "$work/said.$name"
  sleep 1.2 # the log is written once a second
  awk '$2 == 200 { pages++ }
       !($1 in met) { met[$1]; n++; if ($3 == "r") resumed++ }
       END { print pages + 0, n + 0, resumed + 0 }' "$work/access.log" >>"$work/$name.counted"
}

strata_crawl() # NAME OPTION...
{
  name=$1
  shift
  # shellcheck disable=SC2086 # one word an option
  one_round "$name" "$strata" crawl --scope any --allow-private --max-seconds "$limit" ${OPTIONS:-} "$@"
}

wget2_crawl() # NAME URL
{
  one_round "$1" wget2 -q -r -l 0 -H -D "$domain" --max-threads="${THREADS:-16}" --no-ocsp --no-hsts -O /dev/null "$2"
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
    floor-http) one_round "$1" "$fetch_list" "$work/list.http" 64 1600 ;;
    floor-https) one_round "$1" "$fetch_list" "$work/list.https" 64 1600 ;;
    wget2-http) wget2_crawl "$1" "http://$first" ;;
    wget2-https) wget2_crawl "$1" "https://$first" ;;
    *) echo "bench_https.sh: no row $1" >&2; exit 2 ;;
  esac
}

make_pages "$work/root" "$hosts" "$pages" 220 0 "$domain"
make_lists
make_certificates
lead_names_here
serve
names=
all='http https https-nostore https-http2 https-reconnect https-polite wget2-http wget2-https floor-http floor-https'
for name in ${ONLY:-$all}; do
  case $name in
    wget2-*) command -v wget2 >/dev/null || { echo "$name: skipped, there is no wget2"; continue; } ;;
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
# shellcheck disable=SC2086 # one word a name
print_rows $((hosts * pages)) wget2-https floor-https $names
[ -z "${FIGURES:-}" ] || cp "$work/rows" "$FIGURES"
for name in $names; do
  f=$work/$name.counted
  echo "$name: $(median "$f" 1) pages, $(median "$f" 2) connections, $(median "$f" 3) of them resumed"
  [ "$(median "$f" 1)" -ge $((hosts * pages)) ] || tail -n 3 "$work/said.$name" | sed 's/^/    /'
done
echo "after: $(uptime | sed 's/.*load/load/')"
