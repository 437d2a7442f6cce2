#!/bin/sh
# The libcurl example against the test server: every page it can reach, once; and a second run fetches nothing.
#   test_curl_crawler.sh PROGRAM SITE_SERVER
set -eu
program=$1
server=$2
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$work"' EXIT

mkdir -p "$work/site/news"
echo '<a href="b.html">b</a> <a href="/news/1.html#top">1</a> <a href="./b.html">b again</a>' >"$work/site/index.html"
echo '<a href="news/../index.html">home</a> <a href="gone.html">gone</a> <a href="mailto:x">mail</a>' \
  >"$work/site/b.html"
echo '<a href="2.html">2</a> <a href="http://127.0.0.2/elsewhere">elsewhere</a>' >"$work/site/news/1.html"
echo '<a href="1.html">1</a> <a href="/b.html?q=1">b with a query</a>' >"$work/site/news/2.html"

mkfifo "$work/said"
"$server" --root "$work/site" >"$work/said" &
pid=$!
read -r start <"$work/said"

"$program" "$work/crawl" "${start}index.html" >"$work/all"
sed "s|$start|/|" "$work/all" | sort >"$work/fetched"
cat >"$work/wanted" <<END
200 /b.html
200 /b.html?q=1
200 /index.html
200 /news/1.html
200 /news/2.html
404 /gone.html
END
diff "$work/wanted" "$work/fetched"
[ -z "$("$program" "$work/crawl" "${start}index.html")" ] || { echo "a second run fetched something again"; exit 1; }
