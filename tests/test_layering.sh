#!/bin/sh
# tests/layering.sh: this checkout keeps the rules, and a tree that breaks one is noticed, for each rule.
set -eu
script=$(cd "$(dirname "$0")" && pwd)/layering.sh
"$script"

planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
faults=0

# Plant one line in one file of a small tree that is otherwise fine.
expect() # RESULT FILE LINE
{
  rm -rf "${planted:?}"/*
  for room in mlbf frontier datasets crawler tests; do
    mkdir "$planted/$room"
    printf '#include <stdint.h>\n#include "%s/public.h"\n' "$room" >"$planted/$room/file.c"
    : >"$planted/$room/public.h"
    : >"$planted/$room/private.h"
    : >"$planted/$room/machine.h"
    printf 'target_sources(%s PUBLIC FILE_SET HEADERS FILES public.h)\n' "$room" >"$planted/$room/CMakeLists.txt"
  done
  printf '%s\n' "$3" >>"$planted/$2"
  if "$script" "$planted" >"$planted/said"; then result=kept; else result=broken; fi
  [ "$result" = "$1" ] || {
    echo "$2 with '$3': $result, should be $1"
    cat "$planted/said"
    faults=$((faults + 1))
  }
}

expect kept mlbf/file.c ''
expect kept mlbf/file.c '#include "mlbf/private.h"'
expect kept mlbf/file.c '#include <xxhash.h>'
expect kept frontier/file.c '#include "mlbf/public.h"'
expect kept frontier/file.c '#include <lmdb.h>'
expect kept crawler/file.c '#include "datasets/private.h"'
expect kept crawler/file.c '  #  include <curl/curl.h>'
expect kept tests/file.c '#include "frontier/private.h"'
expect kept tests/file.c '#include <cmocka.h>'
expect kept crawler/file.c '#include "frontier/machine.h"'
expect kept frontier/machine.c 'clock_gettime(CLOCK_MONOTONIC, &now);'
expect kept crawler/file.c 'uint64_t now_ms = frontier_clock(f), then = c->time(1);'
expect kept datasets/file.c 'clock_gettime(CLOCK_MONOTONIC, &now);'
expect broken mlbf/file.c '#include "frontier/public.h"'
expect broken mlbf/public.h '#include "frontier/public.h"'
expect broken frontier/file.c '#include "datasets/public.h"'
expect broken datasets/file.c '#include "crawler/public.h"'
expect broken crawler/file.c '#include "tests/public.h"'
expect broken crawler/file.c '#include "mlbf/private.h"'
expect broken mlbf/file.c '#include "public.h"'
expect broken mlbf/file.c '#include "../mlbf/public.h"'
expect broken mlbf/file.c '#include "mlbf/../frontier/public.h"'
expect broken mlbf/file.c '#include "mlbf/nowhere.h"'
expect broken mlbf/file.c '#include MACRO'
expect broken mlbf/file.c '#include <lmdb.h>'
expect broken mlbf/file.c '  #  include <sys/socket.h>'
expect broken frontier/file.c '#include <curl/curl.h>'
expect broken frontier/file.c '#include <netdb.h>'
expect broken datasets/file.c '#include <lmdb.h>'
expect broken crawler/file.c '#include <lmdb.h>'
expect broken crawler/file.c '#include <unheard/of.h>'
expect broken crawler/file.c 'time_t now = time(NULL);'
expect broken crawler/public.h '  return !nanosleep(&moment, NULL);'
expect broken crawler/machine.c 'getrandom(&seed, sizeof seed, 0);'
expect broken frontier/file.c '  clock_gettime(CLOCK_MONOTONIC, &now);'
expect broken datasets/file.c '#include "frontier/machine.h"'

rm -rf "${planted:?}"/*
mkdir "$planted/mlbf" "$planted/frontier" "$planted/datasets" "$planted/crawler" "$planted/tests"
if "$script" "$planted" >/dev/null; then
  echo "an empty tree passed"
  faults=$((faults + 1))
fi
[ "$faults" -eq 0 ]
