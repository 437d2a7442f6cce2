#!/bin/sh
# strata digest beside sha1sum and ssdeep, in turn, on each file: medians of rounds, MB/s and ratios.
#   bench_digest.sh STRATA FILE...         (needs GNU time and ssdeep: apt-get install time ssdeep)
# --dd runs with one thread and with two: what that gains the clock shows, on a machine with nothing else to do.
# SDHASH=COMMAND in the environment names another maker of digests, which is given the file's name.
set -eu
strata=$1
shift
rounds=${ROUNDS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
opponents='sha1sum'
if command -v ssdeep >/dev/null; then
  opponents="$opponents ssdeep"
else
  echo 'ssdeep is skipped: it is not installed'
fi

measure() # NAME COMMAND...
{
  name=$1
  shift
  /usr/bin/time -a -o "$work/$name" -f '%U %S %e' "$@" >/dev/null 2>&1
}

median() # NAME cpu|wall
{
  awk -v what="$2" '{ print what == "cpu" ? $1 + $2 : $3 }' "$work/$1" | sort -n |
    awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for file; do
  rm -f "$work"/*
  round=0
  while [ "$round" -lt "$rounds" ]; do
    measure strata "$strata" digest "$file"
    measure strata-dd "$strata" digest --dd "$file"
    measure strata-dd-2 "$strata" digest --dd --threads 2 "$file"
    for opponent in $opponents; do measure "$opponent" "$opponent" "$file"; done
    # shellcheck disable=SC2086
    [ -z "${SDHASH:-}" ] || measure sdhash $SDHASH "$file"
    round=$((round + 1))
  done
  size=$(wc -c <"$file")
  echo "$file: $size bytes"
  for name in strata strata-dd strata-dd-2 $opponents ${SDHASH:+sdhash}; do
    echo "$name $(median "$name" cpu) $(median strata cpu) $(median "$name" wall) $size" |
      awk '{ printf "  %-12s %8.1f MB/s of CPU %8.1f by the clock", $1, $5 / $2 / 1e6, $5 / $4 / 1e6
             printf " %8.2fx the CPU of strata digest\n", $2 / $3 }'
  done
done
