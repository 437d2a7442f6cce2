/* The filter's life on disk: checkpoints and replay.
 *
 * Two files, seen.0 and seen.1, are written in turn; the progress record says which is valid and how many keys of
 * the hash log it holds. So a crash while one is written leaves the other. Opening loads the valid one and replays the
 * part of the log written after it; without a valid file it rebuilds the filter from the log alone.
 *
 * A file is written a piece with each commit, while keys are added:
 *
 *     log     ....|........ keys come ........|....
 *                 ^ begun                     ^ in place
 *
 * The file is said to hold the log up to `begun`. Of keys that came meanwhile it has some bits, or all; opening replays
 * all of them.
 *
 * Always: the file that the progress record names is not written. The other one is written as seen.N.tmp, synced, and
 * then renamed; `slot` and `keys` change when it is in place, and go to disk with the next commit. A file is never said
 * to hold more keys than the log has.
 *
 * Called under the handle's mutex: by maintain.c in steps, by close and erase.c at once; seen_load by all that open a
 * directory to ask its filter.
 *
 * After a crash: until that commit the old file is valid, and more of the log is replayed. A seen.N.tmp that is left is
 * written over by the next checkpoint of its slot. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  CHECKPOINT_KEYS = FRONTIER_LIMIT(1 << 20, 300), /* replaying so many keys of the log at open takes some 0.2 s */
};

static void filter_path(const frontier *f, unsigned slot, char path[4096])
{
  snprintf(path, 4096, "%s/seen.%u", f->directory, slot);
}

static mlbf_options filter_options(const frontier *f, uint64_t keys, char profile[URL_PROFILE_NAME_SIZE])
{
  url_profile_name(f->options.profile, profile);
  return (mlbf_options){.kind = f->options.filter,
                        .keys = keys,
                        .rate = f->options.rate,
                        .secret = f->options.secret,
                        .signals = f->options.filter == MLBF_KIND_MLBF,
                        .profile = profile};
}

/* A filter for `keys` keys that holds the whole log. */
static frontier_status rebuild(frontier *f, uint64_t keys, mlbf_filter **out)
{
  char profile[URL_PROFILE_NAME_SIZE];
  mlbf_options options = filter_options(f, keys, profile);
  mlbf_filter *filter;
  mlbf_status made = mlbf_create(&options, &filter);
  if (made != MLBF_OK)
    return frontier_fail(f, made == MLBF_NO_MEMORY ? FRONTIER_NO_MEMORY : FRONTIER_BAD_ARGUMENT,
                         "a filter for %llu URLs at rate %g: %s", (unsigned long long)keys, f->options.rate,
                         mlbf_status_text(made));
  frontier_status status = hash_log_replay(f, filter, 0);
  if (status != FRONTIER_OK)
    mlbf_free(filter);
  else
    *out = filter;
  return status;
}

static bool filter_fits(const frontier *f, const mlbf_filter *filter)
{
  mlbf_stats stats;
  mlbf_stats_read(filter, &stats);
  return stats.kind == f->options.filter && stats.promised_rate == f->options.rate;
}

/* Keys from one checkpoint to the next. A share of all: each writes the whole filter, 5 bytes a key, and so the crawl
 * writes 320 bytes a key for them at most, while open replays a 42nd of the log at most: an interval, and the half of
 * one in which the next file is written. */
static uint64_t interval(const frontier *f)
{
  uint64_t share = hash_log_keys(&f->log) / 64;
  return share > CHECKPOINT_KEYS ? share : CHECKPOINT_KEYS;
}

/* As large as the log wants it, and with room. */
static frontier_status make_from_log(frontier *f, mlbf_filter **out)
{
  uint64_t logged = hash_log_keys(&f->log), keys = logged + logged / 2;
  uint64_t expected = resize_room_for(f->options.expected_urls);
  return rebuild(f, keys < expected ? expected : keys, out);
}

static frontier_status load_tombstones(frontier *f)
{
  frontier_status status = f->store ? tombstones_load(&f->tombstones, f->store) : FRONTIER_OK;
  return status == FRONTIER_OK ? status
                               : frontier_fail(f, status, "%s: the table of tombstones keys: %s", f->directory,
                                               status == FRONTIER_NO_MEMORY ? "out of memory" : "damaged");
}

frontier_status seen_load(frontier *f)
{
  mlbf_filter *filter = NULL;
  frontier_status status = load_tombstones(f);
  if (status != FRONTIER_OK)
    return status;
  char path[4096];
  filter_path(f, f->checkpoint.slot, path);
  if (f->checkpoint.keys && own_file_is_plain(path, false) &&
      mlbf_load_with(path, f->options.secret, &filter) == MLBF_OK && filter_fits(f, filter)) {
    status = hash_log_replay(f, filter, f->checkpoint.keys);
  } else { /* none yet, or damaged: the log has it all */
    if (f->checkpoint.keys)
      frontier_log(f, "%s is damaged or missing, and is made anew from the log", path);
    mlbf_free(filter);
    filter = NULL;
    f->checkpoint.keys = 0;
    status = make_from_log(f, &filter);
  }
  if (status != FRONTIER_OK) {
    mlbf_free(filter);
    return status;
  }
  f->seen = seen_adopt(filter);
  if (!f->seen)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the open batch");
  assert(!f->checkpoint.saving); /* it belongs to a filter */
  f->checkpoint.next_at = f->checkpoint.keys + interval(f);
  return resize_at_open(f);
}

frontier_status seen_make_anew(frontier *f)
{
  mlbf_filter *filter = NULL;
  frontier_status status = make_from_log(f, &filter);
  if (status != FRONTIER_OK)
    return status;
  checkpoint_abandon(f);
  resize_abandon(f);
  assert(seen_batch_keys(f->seen) == 0);
  seen_replace(f->seen, filter);
  return FRONTIER_OK;
}

void checkpoint_go_on(checkpoint *c, const progress *p)
{
  c->keys = p->checkpoint_keys;
  c->slot = p->checkpoint_slot;
}

void checkpoint_say(const checkpoint *c, progress *p)
{
  p->checkpoint_keys = c->keys;
  p->checkpoint_slot = c->slot;
}

/* ---- checkpoints -------------------------------------------------------------------------------------- */

void checkpoint_abandon(frontier *f)
{
  mlbf_save_end(f->checkpoint.saving);
  f->checkpoint.saving = NULL;
}

static bool say_failed(frontier *f, mlbf_status why)
{
  char path[4096];
  filter_path(f, 1 - f->checkpoint.slot, path);
  frontier_log(f, "%s: %s; the next opening takes longer", path, mlbf_status_text(why));
  return false;
}

static bool begin(frontier *f)
{
  char path[4096];
  filter_path(f, 1 - f->checkpoint.slot, path);
  assert(f->store && !f->checkpoint.saving); /* two would write one file */
  f->checkpoint.saving_keys = hash_log_keys(&f->log);
  mlbf_status begun = mlbf_save_begin(seen_filter(f->seen), path, &f->checkpoint.saving);
  return begun == MLBF_OK || say_failed(f, begun);
}

static bool step(frontier *f, uint64_t bytes)
{
  bool is_done;
  mlbf_status saved = mlbf_save_step(f->checkpoint.saving, bytes, &is_done);
  if (saved != MLBF_OK)
    return say_failed(f, saved);
  if (!is_done)
    return true;
  assert(f->checkpoint.keys <= f->checkpoint.saving_keys && f->checkpoint.saving_keys <= hash_log_keys(&f->log));
  checkpoint_abandon(f); /* there is nothing left to abandon */
  f->checkpoint.slot = 1 - f->checkpoint.slot;
  f->checkpoint.keys = f->checkpoint.saving_keys;
  f->checkpoint.next_at = f->checkpoint.saving_keys + interval(f);
  batch_touch(&f->batch);
  return true;
}

bool checkpoint_is_due(const frontier *f)
{
  return f->store && !f->options.read_only && (f->checkpoint.saving || hash_log_keys(&f->log) >= f->checkpoint.next_at);
}

/* The filter of 10^8 keys takes a second to write, a hundredth of them half of one to replay. */
bool checkpoint_is_worthwhile(const frontier *f)
{
  assert(f->checkpoint.keys <= hash_log_keys(&f->log));
  uint64_t behind = hash_log_keys(&f->log) - f->checkpoint.keys;
  return behind && (behind >= hash_log_keys(&f->log) / 64 || checkpoint_is_due(f));
}

/* So large a piece that a file is written in half the keys between two of them. */
uint64_t checkpoint_share(const frontier *f, uint64_t new_keys)
{
  uint64_t size = f->checkpoint.saving ? mlbf_save_size(f->checkpoint.saving) : 0;
  return (uint64_t)((double)size * 2 * (double)new_keys / (double)interval(f));
}

void checkpoint_step(frontier *f, uint64_t bytes)
{
  if ((f->checkpoint.saving || begin(f)) && step(f, bytes))
    return;
  checkpoint_abandon(f);
  f->checkpoint.next_at = hash_log_keys(&f->log) + interval(f) / 16;
}

bool checkpoint_save(frontier *f)
{
  checkpoint_abandon(f);
  bool is_saved = begin(f) && step(f, UINT64_MAX);
  checkpoint_abandon(f);
  return is_saved;
}

void checkpoint_hasten(frontier *f)
{
  f->checkpoint.next_at = hash_log_keys(&f->log);
}

void checkpoint_lose(frontier *f)
{
  f->checkpoint.keys = 0;
}

static void check(const frontier *f)
{
  const checkpoint *c = &f->checkpoint;
  assert(c->keys <= hash_log_keys(&f->log) && c->slot <= 1);
  assert(!c->saving || (f->store && c->saving_keys <= hash_log_keys(&f->log)));
  (void)c;
}

const part checkpoint_part = {.check = check, .close = checkpoint_abandon};
