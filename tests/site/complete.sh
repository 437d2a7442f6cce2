#!/bin/sh
# Is a crawl complete? By hand, in some minutes: three generated sites and four manuals of Debian, each held against
# what is known of it without a crawler: the sites by their seed (site.h), the manuals by a link graph (reachable.h).
#   tests/site/complete.sh BUILD MANUALS [OPTION OF strata crawl]...     e.g. build/check /var/tmp/manuals --warc
#   BUILD     a build directory with tests (-DSTRATA_TESTS=ON); STRATA=PROGRAM crawls with another build's program
#   MANUALS   where the packages are unpacked; apt downloads what is not there yet
#   SITES="7 8 9" are the seeds, ENTRIES=20000 is the size of a generated site. CONNECTIONS=16
# site_server serves the generated sites, which have redirects, errors, look-alikes and a robots.txt of their own; nginx
# serves the manuals, each with a robots.txt that forbids some of its pages. Into a directory, with default options but
# for no delay. What is counted is in the servers' logs: targets that were missed, requested without a link to them
# (extra), again, or against robots.txt. Exit code 1: one of these is not 0.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/site/manuals.sh
. "$here/manuals.sh"
# shellcheck source=tests/support/nginx.sh
. "$here/../support/nginx.sh"
# shellcheck source=/dev/null
. "$here/../support/free_ports.sh"
build=$(realpath "$1")
strata=$(realpath "${STRATA:-$build/crawler/strata}")
mkdir -p "$2"
manuals=$(realpath "$2")
shift 2
connections=${CONNECTIONS:-16} entries=${ENTRIES:-20000}
work=$(mktemp -d)
server=
bad=0
trap 'nginx_stop; rm -rf "$work"' EXIT
trap 'exit 3' INT TERM
need nginx "$strata" "$build/tests/site/site_server" "$build/tests/site/log_judge"

crawl_and_judge() # NAME URL JUDGE_OPTIONS [CRAWL_OPTION]...: what the log has of it becomes a row
{
  name=$1 url=$2 how=$3
  shift 3
  if ! "$strata" crawl --quiet --dir "$work/crawl" --delay 0 --per-host "$connections" --allow-private "$@" "$url" \
    2>"$work/said"; then
    cat "$work/said" >&2
    bad=1
  fi
  nginx_stop
  # shellcheck disable=SC2086 # several options
  "$build/tests/site/log_judge" --name "$name" --log "$work/log" $how || bad=1
  rm -rf "$work/crawl"
  : >"$work/log"
}

generated() # SEED [CRAWL_OPTION]...
{
  seed=$1
  shift
  : >"$work/serving"
  "$build/tests/site/site_server" --site "$seed" --entries "$entries" --port "$port" --log "$work/log" \
    >"$work/serving" &
  server=$!
  while [ ! -s "$work/serving" ]; do
    kill -0 "$server" || exit 1
    sleep 0.1
  done
  crawl_and_judge "generated-$seed" "$(cat "$work/serving")" "--site $seed --entries $entries --port $port" "$@"
}

manual() # PACKAGE FORBIDDEN [CRAWL_OPTION]...
{
  unpack_manual "$manuals" "$1" || { bad=1; return; }
  package=$1 forbidden=$2
  shift 2
  root=$manuals/$package.tree/$(manual_root "$package")
  nginx_start <<EOF
  server {
    listen 127.0.0.1:$port backlog=4096; root $root; access_log $work/log requests;
    location = /robots.txt { return 200 "User-agent: *\nDisallow: $forbidden\n"; }
  }
EOF
  crawl_and_judge "$package" "http://127.0.0.1:$port/" "--tree $root --disallow $forbidden" "$@"
}

port=$(free_ports 1)
: >"$work/log"
printf '%-18s %7s %8s %7s %6s %6s %9s %6s\n' site wanted requests missed extra twice forbidden robots
for seed in ${SITES:-7 8 9}; do
  generated "$seed" "$@"
done
manual postgresql-doc-15 /ecpg "$@"
manual cmake-doc /prop_gbl/ "$@"
manual python3.11-doc /whatsnew/ "$@"
manual libboost1.74-doc /date_time/ "$@"
exit "$bad"
