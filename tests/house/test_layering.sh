#!/bin/sh
# tests/layering.sh: this checkout keeps the rules, and a tree that breaks one is noticed, for each rule.
set -eu
script=$(cd "$(dirname "$0")/.." && pwd)/layering.sh
"$script"

planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
faults=0

# Plant one line in one file of a small tree that is otherwise fine: a public and a private header in each room.
plant_tree()
{
  rm -rf "${planted:?}"/*
  for place in mlbf/filter mlbf/file frontier/base frontier/store frontier/core frontier/url \
    datasets/sort datasets/read datasets/papers crawler/base crawler/http crawler/html crawler/loop tests/support \
    tests/contract/frontier; do
    room=${place%%/*}
    sub=${place##*/}
    mkdir -p "$planted/$place"
    printf '#include <stdint.h>\n' >"$planted/$place/${room}_$sub.c"
    : >"$planted/$place/${room}_private_$sub.h"
    : >"$planted/$room/public_$room.h"
    printf 'target_sources(x PUBLIC FILE_SET HEADERS FILES\n  public_%s.h # of all\n)\n' "$room" \
      >"$planted/$room/CMakeLists.txt"
  done
  mv "$planted/frontier/base/frontier_private_base.h" "$planted/frontier/base/machine.h"
}

expect() # RESULT FILE LINE
{
  plant_tree
  mkdir -p "$planted/$(dirname "$2")"
  printf '%s\n' "$3" >>"$planted/$2"
  judge "$1" "$2 with '$3'"
}

judge() # RESULT WHAT
{
  if "$script" "$planted" >"$planted/said"; then result=kept; else result=broken; fi
  [ "$result" = "$1" ] || {
    echo "$2: $result, should be $1"
    cat "$planted/said"
    faults=$((faults + 1))
  }
}

expect kept mlbf/filter/mlbf_filter.c ''
expect kept mlbf/filter/mlbf_filter.c '#include "mlbf/filter/mlbf_private_filter.h"'
expect kept mlbf/filter/mlbf_filter.c '#include "mlbf/file/mlbf_private_file.h"'
expect kept mlbf/filter/mlbf_filter.c '#include "mlbf/public_mlbf.h"'
expect kept mlbf/file/mlbf_file.c '#include <xxhash.h>'
expect kept frontier/core/frontier_core.c '#include "mlbf/public_mlbf.h"'
expect kept frontier/store/frontier_store.c '#include <lmdb.h>'
expect kept crawler/loop/crawler_loop.c '#include "crawler/http/crawler_private_http.h"'
expect kept crawler/http/crawler_http.c '  #  include <curl/curl.h>'
expect kept tests/support/tests_support.c '#include "frontier/core/frontier_private_core.h"'
expect kept tests/support/tests_support.c '#include <cmocka.h>'
expect kept tests/contract/frontier/tests_frontier.c '#include "frontier/public_frontier.h"'
expect broken tests/contract/frontier/tests_frontier.c '#include "frontier/core/frontier_private_core.h"'
expect kept crawler/loop/crawler_loop.c '#include "frontier/base/machine.h"'
expect kept frontier/base/machine.c 'clock_gettime(CLOCK_MONOTONIC, &now);'
expect kept crawler/loop/crawler_loop.c 'uint64_t now_ms = frontier_clock(f), then = c->time(1);'
expect kept datasets/sort/datasets_sort.c 'clock_gettime(CLOCK_MONOTONIC, &now);'
# 1: how an include is spelled
expect broken mlbf/file/mlbf_file.c '#include "public_mlbf.h"'
expect broken mlbf/file/mlbf_file.c '#include "../mlbf/public_mlbf.h"'
expect broken mlbf/file/mlbf_file.c '#include "mlbf/../mlbf/public_mlbf.h"'
expect broken mlbf/file/mlbf_file.c '#include "mlbf/nowhere.h"'
expect broken mlbf/file/mlbf_file.c '#include MACRO'
# 2: up, or sideways, within a room
expect broken mlbf/file/mlbf_file.c '#include "mlbf/filter/mlbf_private_filter.h"'
expect broken frontier/store/frontier_store.c '#include "frontier/core/frontier_private_core.h"'
expect broken crawler/http/crawler_http.c '#include "crawler/html/crawler_private_html.h"'
# 3: up between rooms, and private headers
expect broken mlbf/file/mlbf_file.c '#include "frontier/public_frontier.h"'
expect broken mlbf/public_mlbf.h '#include "frontier/public_frontier.h"'
expect broken frontier/core/frontier_core.c '#include "datasets/public_datasets.h"'
expect broken datasets/sort/datasets_sort.c '#include "crawler/public_crawler.h"'
expect broken crawler/base/crawler_base.c '#include "tests/public_tests.h"'
expect broken crawler/loop/crawler_loop.c '#include "mlbf/filter/mlbf_private_filter.h"'
expect broken datasets/sort/datasets_sort.c '#include "frontier/base/machine.h"'
expect broken datasets/papers/datasets_papers.c '#include "mlbf/filter/mlbf_private_filter.h"'
# 4: libraries
expect broken mlbf/file/mlbf_file.c '#include <lmdb.h>'
expect broken mlbf/file/mlbf_file.c '  #  include <sys/socket.h>'
expect broken frontier/core/frontier_core.c '#include <lmdb.h>'
expect broken frontier/url/frontier_url.c '#include <lmdb.h>'
expect broken frontier/store/frontier_store.c '#include <curl/curl.h>'
expect broken frontier/core/frontier_core.c '#include <netdb.h>'
expect broken datasets/sort/datasets_sort.c '#include <lmdb.h>'
expect broken crawler/loop/crawler_loop.c '#include <curl/curl.h>'
expect broken crawler/http/crawler_http.c '#include <iconv.h>'
expect broken crawler/http/crawler_http.c '#include <openssl/evp.h>'
expect broken crawler/loop/crawler_loop.c '#include <unheard/of.h>'
# 5: the machine
expect broken crawler/loop/crawler_loop.c 'time_t now = time(NULL);'
expect broken crawler/public_crawler.h '  return !nanosleep(&moment, NULL);'
expect broken crawler/base/machine.c 'getrandom(&seed, sizeof seed, 0);'
expect broken frontier/core/frontier_core.c '  clock_gettime(CLOCK_MONOTONIC, &now);'
# 6, 7: what lies where
expect broken mlbf/stray.c '#include <stdint.h>'
expect broken mlbf/stray.h ''
expect broken crawler/NOTES.md 'words'
expect broken tests/support/mlbf_filter.c '#include <stdint.h>'
expect broken mlbf/new/mlbf_new.c '#include <stdint.h>'

# A circle: rules that allow one, and includes that close it.
plant_tree
printf '#include "mlbf/file/mlbf_private_file.h"\n' >>"$planted/mlbf/filter/mlbf_filter.c"
printf '#include "mlbf/filter/mlbf_private_filter.h"\n' >>"$planted/mlbf/file/mlbf_file.c"
cp "$script" "$planted/lax.sh"
sed -i 's/^mlbf\/file  */&mlbf\/filter | /' "$planted/lax.sh"
if "$planted/lax.sh" "$planted" >"$planted/said" || ! grep -q 'circle' "$planted/said"; then
  echo 'a circle passed:'
  cat "$planted/said"
  faults=$((faults + 1))
fi

rm -rf "${planted:?}"/*
mkdir "$planted/mlbf" "$planted/frontier" "$planted/datasets" "$planted/crawler" "$planted/tests"
if "$script" "$planted" >/dev/null; then
  echo "an empty tree passed"
  faults=$((faults + 1))
fi
[ "$faults" -eq 0 ]
