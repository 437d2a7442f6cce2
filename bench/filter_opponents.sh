#!/bin/sh
# Build the opponents of bench_filters from their public source, each an object file: -O3 -march=native, as is.
#   filter_opponents.sh SOURCES OUT [BEFORE]
#     SOURCES: where the checkouts are, or are to be cloned to; OUT: for *.o; BEFORE: a checkout of this project, whose
#     filters are opponents, too, built as users build them
# Then: cmake -DSTRATA_FILTER_OPPONENTS=OUT. What OUT lacks is left out of the tables.
set -eu
[ $# -eq 2 ] || [ $# -eq 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
glue=$(cd "$(dirname "$0")/opponents" && pwd)
tree=$(cd "$glue/../.." && pwd)
mkdir -p "$1" "$2"
sources=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
before=${3:+$(cd "$3" && pwd)}
fast='-O3 -march=native -DNDEBUG -w'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

checkout() # OWNER/NAME TAG
{
  [ -d "$sources/${1#*/}" ] || git -c advice.detachedHead=false clone -q --depth 1 --branch "$2" \
    "https://github.com/$1" "$sources/${1#*/}"
}

# One object file that exports its tables alone: two filters have functions of the same names.
join() # NAME OBJECT...
{
  name=$1
  shift
  ld -r -o "$out/$name.o" "$@"
  objcopy --wildcard --keep-global-symbol="filter_$name*" "$out/$name.o"
  echo "$out/$name.o"
}

cd "$work"
checkout facebook/rocksdb v11.8.1
from=$sources/rocksdb
# shellcheck disable=SC2086 # several flags
g++ -std=c++20 $fast -DROCKSDB_PLATFORM_POSIX -DROCKSDB_LIB_IO_POSIX -DOS_LINUX -I"$from" -I"$from/include" \
  -I"$tree" -c "$glue/rocksdb.cpp" "$from/util/hash.cc" "$from/util/xxhash.cc"
join rocksdb rocksdb.o hash.o xxhash.o

checkout jbapple/libfilter master
from=$sources/libfilter/c
# shellcheck disable=SC2086
gcc -std=gnu11 $fast -I"$from/include" -I"$from/include/filter" -I"$tree" -c "$glue/split_block.c" "$from/lib/block.c" \
  "$from/lib/util.c" "$from/lib/memory.c"
join split_block split_block.o block.o util.o memory.o

checkout RedisBloom/RedisBloom v8.8.0
from=$sources/RedisBloom/deps
# shellcheck disable=SC2086
gcc -std=gnu11 $fast -I"$from/bloom" -I"$from/murmur2" -I"$tree" -c "$glue/redisbloom.c" "$from/bloom/bloom.c" \
  "$from/murmur2/MurmurHash2.c"
join redisbloom redisbloom.o bloom.o MurmurHash2.o

checkout jvirkki/libbloom v1.6
from=$sources/libbloom
# shellcheck disable=SC2086
gcc -std=gnu11 $fast -DBLOOM_VERSION=1.6 -I"$from" -I"$from/murmur2" -I"$tree" -c "$glue/libbloom.c" "$from/bloom.c" \
  "$from/murmur2/MurmurHash2.c"
join libbloom libbloom.o bloom.o MurmurHash2.o

[ -n "$before" ] || exit 0
cmake -S "$before" -B before -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build before --target mlbf >/dev/null
gcc -std=gnu17 -O3 -DNDEBUG -include "$tree/bench/filter_opponent.h" -I"$before" -idirafter "$tree" \
  -c "$glue/before.c" -o glue.o
join before glue.o --whole-archive before/mlbf/libmlbf.a
