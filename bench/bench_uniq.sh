#!/bin/sh
# strata uniq beside sort -u and awk '!s[$0]++', in turn, on one list: medians of wall seconds and peak memory, and
# ratios. Then its result at fp 1e-9, and that of --filter exact, against an exact one, by sorting the keys: how many,
# and for --filter exact which.
#   bench_uniq.sh STRATA LIST [ROUNDS]        (needs GNU time: apt-get install time)
set -eu
strata=$1
list=$2
rounds=${3:-3}
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() # NAME COMMAND...
{
  name=$1
  shift
  /usr/bin/time -a -o "$work/$name" -f '%e %M' "$@" >"$work/out.$name" 2>/dev/null
}

median() # NAME FIELD
{
  cut -d' ' -f"$2" "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

round=0
while [ "$round" -lt "$rounds" ]; do
  measure uniq "$strata" uniq "$list"
  measure exact "$strata" uniq --filter exact "$list"
  measure sort sort -u "$list"
  measure awk awk '!s[$0]++' "$list"
  round=$((round + 1))
done

printf '%-12s %10s %12s %8s %8s %10s\n' command seconds peak-MB time/ours mem/ours lines
for name in uniq exact sort awk; do
  printf '%s %s %s %s %s\n' "$name" "$(median $name 1)" "$(median $name 2)" "$(median uniq 1)" "$(median uniq 2)" |
    awk -v lines="$(wc -l <"$work/out.$name")" \
      '{ printf "%-12s %10.2f %12.1f %8.2fx %8.2fx %10d\n", $1, $2, $3 / 1024, $2 / $4, $3 / $5, lines }'
done

"$strata" url "$list" | grep -v '^!' | sort -u >"$work/keys"
"$strata" url "$work/out.exact" | sort >"$work/exact-keys"
echo "distinct keys: $(wc -l <"$work/keys")," \
  "strata uniq --fp 1e-9 $("$strata" uniq --fp 1e-9 "$list" 2>/dev/null | wc -l)," \
  "--filter exact $(wc -l <"$work/exact-keys")"
cmp "$work/keys" "$work/exact-keys" && echo "strata uniq --filter exact: each key once, and no other"
