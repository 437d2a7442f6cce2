#!/bin/sh
# crawl --cluster and strata cluster: what is refused, in one sentence each, and what a crawl of four processes leaves.
#   tests/contract/cluster/test_cluster.sh STRATA SITE_SERVER_DIRECTORY
# 77: no redis-server here.
set -eu
strata=$(realpath "$1") site=$(realpath "$2")
command -v redis-server >/dev/null || { echo "no redis-server"; exit 77; }
work=$(mktemp -d)
redis='' server=''
trap 'kill $redis $server 2>/dev/null || true; rm -rf "$work"' EXIT
unset STRATA_CLUSTER_PASSWORD
. "$(dirname "$0")/../../support/free_ports.sh"
read -r port web none second <<EOF
$(free_ports 4)
EOF
faults=0

fault() # SENTENCE
{
  echo "$*"
  faults=$((faults + 1))
}

# expect CODE PATTERN WORD...: the exit code, and one line on stderr that matches.
expect()
{
  wanted=$1 pattern=$2
  shift 2
  code=0
  "$@" >"$work/out" 2>"$work/said" || code=$?
  [ "$code" -eq "$wanted" ] || fault "$*: exit $code in place of $wanted: $(cat "$work/said")"
  [ -z "$pattern" ] || grep -qE "$pattern" "$work/said" || fault "$*: said $(cat "$work/said")"
  [ "$wanted" -eq 0 ] || [ "$(wc -l <"$work/said")" -eq 1 ] || fault "$*: more than a sentence: $(cat "$work/said")"
}

ldd "$strata" | grep -q hiredis && fault "hiredis is not linked statically"

wait_for() # COMMAND: for ten seconds
{
  tries=0
  until eval "$1" || [ "$tries" -gt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
}

start_redis() # OPTION...
{
  redis-server --port "$port" --bind 127.0.0.1 --save "" --dir "$work" "$@" >"$work/redis.log" 2>&1 &
  redis=$!
  tries=0
  until redis-cli -p "$port" ping 2>/dev/null | grep -qE 'PONG|NOAUTH'; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat "$work/redis.log"; exit 1; }
    sleep 0.1
  done
}

stop_redis()
{
  kill "$redis"
  wait "$redis" 2>/dev/null || true
}

python3 -m http.server --bind 127.0.0.1 --directory "$site" "$web" >/dev/null 2>&1 &
server=$!
url=http://127.0.0.1:$web/ cluster=redis://127.0.0.1:$port/test
crawl() # DIR OPTION...
{
  directory=$1
  shift
  "$strata" crawl --cluster "$cluster" --partitions 4 --own 0-3 --allow-private --delay 0 --dir "$work/$directory" "$@"
}

cd "$work"
expect 1 'redis-server --save' "$strata" crawl --cluster "redis://127.0.0.1:$none/x" --dir "$work/n" "$url"
expect 2 'password' "$strata" crawl --cluster redis://me:secret@127.0.0.1/x --dir "$work/n" "$url"
expect 2 'redis://HOST:PORT/NAME' "$strata" crawl --cluster http://127.0.0.1/x --dir "$work/n" "$url"
expect 2 'no-store' "$strata" crawl --cluster "$cluster" --no-store "$url"
expect 2 'cluster' "$strata" crawl --own 3 "$url"
expect 2 'strata snapshot' "$strata" crawl --snapshot-to "$work/copies" "$url"
expect 2 'snapshot-to DIR' "$strata" crawl --cluster "$cluster" --snapshot-every 1h "$url"
expect 2 'not a duration' "$strata" crawl --cluster "$cluster" --snapshot-to "$work/copies" --snapshot-every soon "$url"
expect 2 'needs --own' "$strata" crawl --cluster "$cluster" --begin-lost "$url"
expect 2 'stat, stop' "$strata" cluster frobnicate "$cluster"

start_redis
expect 1 'no crawl of that name' "$strata" cluster stat "$cluster"
expect 2 'numbers from 0 to 3' "$strata" crawl --cluster "$cluster-n" --partitions 4 --own 4 --scope any \
  --dir "$work/n" "$url"
crawl one "$url" >"$work/out" 2>"$work/said" || fault "a crawl of four processes: exit $?: $(cat "$work/said")"
pages=$(cat "$work"/one/p-*/pages.jsonl | grep -c '"status":200')
[ "$pages" -eq 4 ] || fault "$pages pages in place of 4: $(cat "$work/said")"
expect 0 '' "$strata" cluster stat "$cluster"
grep -q 'no snapshot exists: if a directory is lost for good' "$work/out" || fault "stat does not say what may be lost"
expect 0 '' "$strata" cluster stat "$cluster" --json
[ "$(wc -l <"$work/out")" -eq 4 ] || fault "stat --json: $(cat "$work/out")"
expect 2 '^strata crawl: --filter: the crawl was begun with mlbf, and this is bloom' crawl one --filter bloom "$url"
expect 2 '^strata crawl: --partitions: the crawl was begun with 4, and this is 8' \
  "$strata" crawl --cluster "$cluster" --partitions 8 --dir "$work/two" --allow-private "$url"
expect 2 '^strata crawl: start URLs: the crawl was begun with 1 URLs .*or another NAME$' crawl one "${url}other"
expect 1 'another directory has that partition' "$strata" crawl --cluster "$cluster" --partitions 4 --own 1 \
  --allow-private --delay 0 --dir "$work/two" "$url"
expect 0 'begins a new life' "$strata" cluster adopt "$work/one/p-002"
expect 1 '' "$strata" cluster adopt "$work/out"
crawl one "$url" >"$work/out" 2>"$work/said" || fault "the same command again: exit $?: $(cat "$work/said")"
[ "$(cat "$work"/one/p-*/pages.jsonl | grep -c '"status":200')" -eq 4 ] || fault "a page was fetched twice"

cluster=redis://127.0.0.1:$port/dead
expect 1 '^strata crawl: no start URL gave a page' crawl dead --quiet --tries 1 "http://127.0.0.1:$none/"

# The hosts that start URLs redirect to are in the scope, wherever their partitions are.
python3 -c "
import http.server
class Sent(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(301)
        self.send_header('Location', 'http://127.0.0.1:$web' + self.path)
        self.end_headers()
http.server.HTTPServer(('127.0.0.9', $web), Sent).serve_forever()" >/dev/null 2>&1 &
sender=$!
tries=0
until python3 -c "import socket; socket.create_connection(('127.0.0.9', $web))" 2>/dev/null || [ "$tries" -gt 50 ]; do
  tries=$((tries + 1))
  sleep 0.2
done
cluster=redis://127.0.0.1:$port/led
crawl led --scope host "http://127.0.0.9:$web/" >"$work/out" 2>"$work/said" || fault "a start URL that redirects: $?"
pages=$(cat "$work"/led/p-*/pages.jsonl | grep -c '"status":200' || true)
[ "$pages" -eq 4 ] || fault "where a start URL redirects to, $pages pages in place of 4: $(cat "$work/said")"
kill "$sender"

# A copy of a directory that is crawled: one process has the partition. Under a later life it is the copy that goes on.
cluster=redis://127.0.0.1:$port/double
"$strata" crawl --cluster "$cluster" --partitions 1 --own 0 --allow-private --delay 2 --dir "$work/double" "$url" \
  >/dev/null 2>"$work/older" &
older=$!
tries=0
until [ -s "$work/double/p-000/pages.jsonl" ] || [ "$tries" -gt 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
"$strata" snapshot "$work/double/p-000" "$work/taken" 2>/dev/null
mkdir "$work/again"
cp -r "$work/taken" "$work/again/p-000"
again() # OPTION...
{
  "$strata" crawl --cluster "$cluster" --partitions 1 --own 0 --allow-private --delay 2 --quiet --dir "$work/again" \
    "$url"
}
expect 1 'partition 0 is crawled by another process' again
rm -r "$work/again/p-000"
cp -r "$work/taken" "$work/again/p-000"
expect 0 'begins a new life' "$strata" cluster adopt "$work/again/p-000"
again >"$work/out" 2>"$work/said" || fault "a copy that was adopted: $(cat "$work/said")"
wait "$older" && fault "the older life went on to the end"
grep -q 'a later life of it is crawled elsewhere; it is now .*superseded-1$' "$work/older" ||
  fault "$(cat "$work/older")"
[ -e "$work/double/p-000.superseded-1/pages.jsonl" ] || fault "the older life was not set aside"

# A new life that was told of by a message which is lost: the crawl is over all the same.
cluster=redis://127.0.0.1:$port/lives
one_of_two() # PARTITION
{
  "$strata" crawl --cluster "$cluster" --partitions 2 --own "$1" --allow-private --delay 0 --quiet \
    --dir "$work/lives" "$url"
}
one_of_two 0-1 >"$work/out" 2>&1 || fault "two partitions: $(cat "$work/out")"
expect 0 'begins a new life' "$strata" cluster adopt "$work/lives/p-001"
redis-cli -p "$port" del lives:in:0 >/dev/null
one_of_two 1 >"$work/out.1" 2>&1 &
first=$!
tries=0
until redis-cli -p "$port" exists lives:in:0 | grep -q 1 || [ "$tries" -gt 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
redis-cli -p "$port" flushall >/dev/null
one_of_two 0 >"$work/out.2" 2>&1 &
second=$!
(sleep 60 && kill "$first" "$second") 2>/dev/null &
killer=$!
wait "$first" && wait "$second" || fault "a new life was not heard of: $(cat "$work/out.1" "$work/out.2")"
kill "$killer" 2>/dev/null || true

# Copies elsewhere, and a command for each; then a directory is lost, and restored.
cluster=redis://127.0.0.1:$port/copied
copies=$work/elsewhere
copied() # OPTION...
{
  crawl copied --delay 1 --snapshot-to "$copies" --snapshot-every 1s "$@" "$url"
}
four_pages() # WHAT
{
  [ "$(cat "$work"/copied/p-*/pages.jsonl | grep -c '"status":200')" -eq 4 ] || fault "$1: not 4 pages"
}
expect 2 'another disk' copied --snapshot-to "$work/copied"
copied --snapshot-with 'test -e "$STRATA_SNAPSHOT/frontier/data.mdb" && echo "$STRATA_SNAPSHOT" >>sent' \
  >"$work/out" 2>"$work/said" || fault "--snapshot-to: exit $?: $(cat "$work/said")"
expect 0 '' "$strata" cluster stat "$cluster"
! grep -q 'no snapshot exists' "$work/out" || fault "stat knows of no snapshot: $(cat "$work/out")"
[ "$(grep -c ' ms\| s$' "$work/out")" -ge 4 ] || fault "stat shows no age of snapshots: $(cat "$work/out")"
for p in 0 1 2 3; do
  [ "$(find "$copies" -maxdepth 1 -name "p-00$p-life-1-*" | wc -l)" -eq 1 ] || fault "copies of $p: $(ls "$copies")"
  grep -q "/elsewhere/p-00$p-life-1-" "$work/sent" || fault "the command was not run for $p"
  [ ! -e "$copies/p-00$p-"*/last-copy ] || fault "a copy says where the copy before it is"
done
for again in 1 2 3; do # the crawl is over, so each run makes one copy, several in a second
  copied >"$work/out" 2>"$work/said" || fault "run $again of a finished crawl: exit $?: $(cat "$work/said")"
  ! grep 'snapshot-to' "$work/said" || fault "run $again says what looks like loss"
done
for p in 0 1 2 3; do
  [ "$(find "$copies" -maxdepth 1 -name "p-00$p-life-1-*" | wc -l)" -eq 1 ] || fault "later ones: $(ls "$copies")"
done
expect 1 'copies of another crawl' "$strata" crawl --cluster "$cluster-x" --partitions 4 --own 0-3 --allow-private \
  --snapshot-to "$copies" --dir "$work/two" "$url"
full=$(grep -l '"status":200' "$work"/copied/p-*/pages.jsonl | head -n 1)
lost=$(dirname "$full")
number=$(basename "$lost" | sed 's/^p-0*\([0-9]\)/\1/')
rm -r "$lost"
expect 1 'begin-lost' copied --own "$number"
cp -r "$copies/$(basename "$lost")-life-1-"* "$lost"
expect 0 'begins a new life' "$strata" cluster adopt "$lost"
copied >"$work/out" 2>"$work/said" || fault "after adopt: exit $?: $(cat "$work/said")"
four_pages "a restored directory"
rm -r "$lost"
copied --begin-lost >"$work/out" 2>"$work/said" || fault "--begin-lost: exit $?: $(cat "$work/said")"
four_pages "a partition begun anew"

# A copy that the command did not take does not count: what others sent is kept.
cluster=redis://127.0.0.1:$port/unsent
crawl unsent --snapshot-to "$work/unsent-copies" --snapshot-every 1s --snapshot-with 'exit 3' --delay 1 "$url" \
  >"$work/out" 2>"$work/said" || fault "--snapshot-with: exit $?: $(cat "$work/said")"
[ "$(find "$work/unsent-copies" -name 'p-*-life-*' | wc -l)" -eq 0 ] || fault "copies that do not count pile up"
grep -q -- '--snapshot-with exit 3: it failed' "$work/said" || fault "a command that fails: $(cat "$work/said")"
[ ! -e "$work/unsent/p-000/last-copy" ] || fault "a copy counts though the command failed"
expect 0 '' "$strata" cluster stat "$cluster"
grep -q 'no snapshot exists' "$work/out" || fault "stat takes a copy that does not count: $(cat "$work/out")"
cluster=redis://127.0.0.1:$port/test

# Redis was emptied: the directory knows the definition.
redis-cli -p "$port" flushall >/dev/null
expect 2 'begun with mlbf' crawl one --filter bloom "$url"
stop_redis

# --max-pages is never exceeded, and a crawl that waits for nothing else ends.
start_redis
cluster=redis://127.0.0.1:$port/few
crawl few --max-pages 2 "$url" >"$work/out" 2>"$work/said" || fault "--max-pages: exit $?: $(cat "$work/said")"
pages=$(cat "$work"/few/p-*/pages.jsonl | grep -c '"status":200' || true) # the host's partition may have none
[ "$pages" -le 2 ] || fault "--max-pages 2 gave $pages pages"
stop_redis

# Stopped by a command, from anywhere; the same command goes on. On a terminal there is one panel for all workers.
start_redis
cluster=redis://127.0.0.1:$port/stopped
cat >"$work/on_terminal.py" <<'EOF'
import os, pty, sys
def copy(fd):
    return os.read(fd, 4096)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], copy)))
EOF
TERM=xterm python3 "$work/on_terminal.py" "$strata" crawl --cluster "$cluster" --partitions 4 --own 0-3 \
  --allow-private --delay 2 --dir "$work/stopped" "$url" >"$work/shown" 2>&1 </dev/null &
crawler=$!
wait_for 'grep -q "\"status\":200" "$work"/stopped/p-*/pages.jsonl 2>/dev/null &&
  grep -q "4 of 4 partitions" "$work/shown"'
expect 0 'the same commands go on' "$strata" cluster stop "$cluster"
code=0
wait "$crawler" || code=$?
[ "$code" -eq 3 ] || fault "stopped: exit $code in place of 3: $(cat "$work/shown")"
[ "$(grep -c '"status":200' "$work"/stopped/p-*/pages.jsonl | awk -F: '{ n += $2 } END { print n }')" -lt 4 ] ||
  fault "it was not stopped"
crawl stopped --delay 2 "$url" >"$work/out" 2>"$work/said" || fault "after a stop: exit $?: $(cat "$work/said")"
[ "$(cat "$work"/stopped/p-*/pages.jsonl | grep -c '"status":200')" -eq 4 ] || fault "after a stop: not 4 pages"
stop_redis

# Several servers: the master is the one that says so, wherever it stands in the list.
start_redis
master=$redis
redis-server --port "$second" --bind 127.0.0.1 --save "" --dir "$work" --replicaof 127.0.0.1 "$port" >/dev/null 2>&1 &
replica=$!
tries=0
until redis-cli -p "$second" info replication 2>/dev/null | grep -q link_status:up || [ "$tries" -gt 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
cluster=redis://127.0.0.1:$second,127.0.0.1:$none,127.0.0.1:$port/several
crawl several "$url" >"$work/out" 2>"$work/said" || fault "several servers: exit $?: $(cat "$work/said")"
cluster=redis://127.0.0.1:$second/several
expect 1 'it is a replica, and no master' "$strata" cluster stat "$cluster"
cluster=redis+sentinel://127.0.0.1:$none/nobody/several
expect 1 'by the sentinel at 127.0.0.1:[0-9]*: Connection refused$' "$strata" cluster stat "$cluster"
kill "$replica"
wait "$replica" 2>/dev/null || true
redis=$master
stop_redis

start_redis --requirepass right
cluster=redis://127.0.0.1:$port/closed
expect 1 'STRATA_CLUSTER_PASSWORD' "$strata" cluster stat "$cluster"
STRATA_CLUSTER_PASSWORD=wrong expect 1 'STRATA_CLUSTER_PASSWORD' "$strata" cluster stat "$cluster"
echo right >"$work/password"
expect 1 'no crawl of that name' "$strata" cluster stat "$cluster" --cluster-password-file "$work/password"
stop_redis

start_redis --cluster-enabled yes
expect 1 'Redis Cluster' "$strata" cluster stat "$cluster"
expect 1 'Redis Cluster' crawl moved "$url"

[ "$faults" -eq 0 ]
