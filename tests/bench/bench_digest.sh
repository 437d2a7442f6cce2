#!/bin/sh
# strata digest beside sha1sum and ssdeep, in turn, on each file: medians of CPU seconds, MB/s, and ratios.
#   bench_digest.sh STRATA FILE...         (needs GNU time and ssdeep: apt-get install time ssdeep)
# SDHASH=COMMAND in the environment names another maker of digests, which is given the file's name.
set -eu
strata=$1
shift
rounds=${ROUNDS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
opponents='sha1sum'
if command -v ssdeep >/dev/null; then opponents="$opponents ssdeep"; else echo 'ssdeep is skipped: it is not installed'; fi

measure() # NAME COMMAND...
{
  name=$1
  shift
  /usr/bin/time -a -o "$work/$name" -f '%U %S' "$@" >/dev/null 2>&1
}

median() # NAME
{
  awk '{ print $1 + $2 }' "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for file; do
  rm -f "$work"/*
  round=0
  while [ "$round" -lt "$rounds" ]; do
    measure strata "$strata" digest "$file"
    measure strata-dd "$strata" digest --dd "$file"
    for opponent in $opponents; do measure "$opponent" "$opponent" "$file"; done
    # shellcheck disable=SC2086
    [ -z "${SDHASH:-}" ] || measure sdhash $SDHASH "$file"
    round=$((round + 1))
  done
  size=$(wc -c <"$file")
  echo "$file: $size bytes"
  for name in strata strata-dd $opponents ${SDHASH:+sdhash}; do
    echo "$name $(median "$name") $(median strata) $size" |
      awk '{ printf "  %-10s %8.1f MB/s of CPU %8.2fx the time of strata digest\n", $1, $4 / $2 / 1e6, $2 / $3 }'
  done
done
