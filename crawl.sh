#!/bin/sh
# Crawl a site from a bare Debian: install what is missing, build the release, crawl.
# Run again, it goes straight to the crawl.
set -eu
me=crawl.sh
root=$(cd "$(dirname "$0")" && pwd -P)

usage()
{
  cat <<END
Usage: ./crawl.sh URL [option of strata crawl]...
       ./crawl.sh --dir DIR            continue the crawl in DIR

Installs what is missing (by apt, with sudo unless root), builds build/release/crawler/strata,
and crawls URL into ./strata-HOST. Example: ./crawl.sh https://example.org/ --max-pages 100
END
}

case ${1-} in
  '') usage >&2; exit 2 ;;
  -h | --help) usage; exit 0 ;;
esac

. "$root/cmake/debian.sh"
install_missing "$BUILD_NEEDS"
build release strata
# What the summary says to run to go on.
case $0 in
  */*) export STRATA_SCRIPT="$0" ;;
  *) export STRATA_SCRIPT="./$0" ;;
esac
exec "$root/build/release/crawler/strata" crawl "$@"
