#!/bin/sh
# Every public function of the frontier on a handle takes the handle's mutex first, but for those named in lock.h, and
# those that the header defines: x calls x_sized.
#   test_locked.sh FRONTIER-DIRECTORY HEADER...
set -eu
room=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name( in a header, of functions whose first argument is a handle
cat "$@" | tr '\n' ' ' | grep -oE 'frontier_[a-z_]+\((const )?frontier \*[a-z]+' | sed 's/(.*//' | sort -u |
  grep -vxE 'frontier_(close|message|add_texts|add_texts_sized)' >"$work/named"
sed -n 's/_sized$//p' "$work/named" | sort | comm -23 "$work/named" - >"$work/public"
awk '
  FNR == 1 { name = "" }
  /^[a-z].*[ *]frontier_[a-z_]+\(/ && !/^static/ {
    match($0, /frontier_[a-z_]+\(/)
    name = substr($0, RSTART, RLENGTH - 1)
  }
  /^\{/ { opened = FNR }
  name != "" && opened == FNR - 1 && /^  LOCKED\(f\);$/ { print name }
  /^}/ { name = "" }
' "$room"/*/*.c | sort -u >"$work/holding"
[ -s "$work/public" ]
comm -23 "$work/public" "$work/holding" >"$work/lacking"
if [ -s "$work/lacking" ]; then
  echo "these do not begin with LOCKED(f):"
  cat "$work/lacking"
  exit 1
fi
echo "$(wc -l <"$work/public") functions hold the handle"
