#!/bin/sh
# tests/house/handle_fields.awk: no file of frontier/ knows much of the handle, and a file that does is noticed.
set -eu
house=$(cd "$(dirname "$0")" && pwd)
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT

fields() # ROOM
{
  state=$(find "$1" -name state.h)
  # shellcheck disable=SC2046 # no file of ours has a blank in its name
  awk -f "$house/handle_fields.awk" "$state" $(find "$1" -name '*.[ch]' | sort)
}

fields "$house/../../frontier"

# Plant some lines at the end of one file of a copy.
expect() # RESULT FILE LINE...
{
  wanted=$1
  rm -rf "$planted/frontier"
  cp -R "$house/../../frontier" "$planted"
  file=$(find "$planted/frontier" -name "$2")
  shift 2
  printf '%s\n' "$@" >>"$file"
  if fields "$planted/frontier" >"$planted/said"; then result=kept; else result=broken; fi
  [ "$result" = "$wanted" ] || { echo "$file with '$*': $result, should be $wanted"; cat "$planted/said"; exit 1; }
}

ten='f->mutex; f->options; f->directory; f->message; f->store; f->hosts; f->pool; f->seen; f->late; f->tombstones;'
expect kept arena.c "void x(frontier *f) { $ten }"
expect broken arena.c "void x(frontier *f) { $ten f->previous; }"
expect broken arena.c "void x(salvage *s) { $ten s->f->previous; }"
expect kept arena.c "void x(frontier *f) { $ten /* f->previous; */ }"
expect kept arena.c 'void x(frontier *f) { batch_touch(&f->batch); }'
expect broken arena.c 'void x(frontier *f) { f->batch.is_dirty = true; }'
expect broken arena.c 'void x(salvage *s) { s->f->counts.queued++; }'
expect broken arena.c 'void x(frontier *f) { journal_close(f->journal); }'
expect kept journal_record.c 'void x(frontier *f) { journal_close(f->journal); }'
expect kept open_batch.c 'void x(frontier *f) { f->batch.is_dirty = true; }'
expect broken arena.c 'void x(frontier *f)' '{' '  url_counts *c = &f->counts;' '  c->done++;' '}'
expect kept arena.c 'void x(frontier *f)' '{' '  const url_counts *c = &f->counts;' '  counts_queued(c);' '}'
expect broken arena.h '#include "frontier/core/state.h"'
expect kept arena.c '#include "frontier/core/state.h"'
