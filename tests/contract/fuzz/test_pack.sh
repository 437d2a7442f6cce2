#!/bin/sh
# What pack.py writes, corpus_replay.c reads: bytes of all kinds, and each input of each corpus, come back the same.
# A corpus with a line that cannot be read is refused.
# usage: test_pack.sh REPLAY    REPLAY: of any target
set -eu
replay=$1
fuzz=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

mkdir made read
: >made/empty
printf '= \\{3}x\n ends in a space \n\n \\\t\r\n no LF ' >made/signs
printf '%0300d' 0 >made/run
awk 'BEGIN { for (i = 0; i < 256; i++) for (n = 0; n < i % 9; n++) printf "\\%03o", i }' >octal
# shellcheck disable=SC2059 # the format is the bytes
printf "$(cat octal)" >made/bytes
"$fuzz/pack.py" made/* >made.txt
"$replay" made.txt read >/dev/null
diff -r made read
if LC_ALL=C grep -n '[^ -~]\|^.\{121\}\| $' made.txt; then
  exit 1
fi

for corpus in "$fuzz"/corpus/*.txt; do
  mkdir inputs
  "$replay" "$corpus" inputs | sed '$d' >names
  (cd inputs && xargs "$fuzz/pack.py" <../names) | cmp - "$corpus"
  rm -r inputs
done

for line in ' \q' ' \x1' ' \{3}' ' \' 'x'; do
  printf '= input\n%s\n' "$line" >bad.txt
  ! "$replay" bad.txt >/dev/null 2>&1 || { echo "a line \"$line\" is read"; exit 1; }
done
