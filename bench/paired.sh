#!/bin/sh
# Has a change cost time? One command of two builds, in turns: old, new, old again, so that the noise shows too.
#   paired.sh OLD NEW ROUNDS COMMAND [ARGUMENT]...
#   OLD, NEW: build directories; COMMAND: a path below them. Needs GNU time.
#
#   bench/paired.sh ../before/build/release build/release 9 bench/bench_frontier --urls 1e6 --only strata
set -eu
[ $# -ge 4 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$1 new=$2 rounds=$3 command=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() # FILE BUILD: a line of wall and CPU seconds
{
  file=$1
  build=$2
  shift 2
  env time -o "$work/time" -f '%e %U %S' "$build/$command" "$@" >"$work/out" 2>&1 ||
    { echo "$build/$command failed:"; cat "$work/out"; exit 1; }
  awk '{ print $1, $2 + $3 }' "$work/time" >>"$work/$file"
}

round=0
while [ "$round" -lt "$rounds" ]; do
  run old "$old" "$@"
  run new "$new" "$@"
  run again "$old" "$@"
  round=$((round + 1))
done

median() # FILE COLUMN
{
  awk -v column="$2" '{ print $column }' "$work/$1" | sort -n |
    awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}

echo "medians of $rounds        old       new  old again   new/old  old/old"
for column in 1 2; do
  [ $column = 1 ] && what='wall seconds' || what='CPU seconds '
  echo "$what $(median old $column) $(median new $column) $(median again $column)" |
    awk '{ printf "%s %s  %10.3f%10.3f%11.3f%10.3f%9.3f\n", $1, $2, $3, $4, $5, 2 * $4 / ($3 + $5), $5 / $3 }'
done
