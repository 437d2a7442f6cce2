/* The next main filter, while adds go on.
 *
 *     log    |============ main, a file ============|=== frozen ===|== young ==|
 *                                                   ^ checkpoint   ^ to        ^ keys of the log
 *            |=== the next main file, in steps ====================|
 *
 * When the young filter has a 16th of all keys, or 524,288, it is frozen, and a new one takes the keys that come. The
 * next main file is made from the one in use and the keys of the frozen one, read from the log; or, if there are more
 * keys than that file is made for, larger and from all keys. When it is in place it is mapped, and the frozen filter
 * goes. So a key costs 16 times 4.4 to 6.2 bytes written, whatever n is, and memory is the two small filters, an eighth
 * of a file while it is made, and the main file, mapped.
 *
 * The file is made window by window, the log read once for each (mlbf/rebuild.h). Steps are due in proportion: it
 * is ready when half of the young filter's keys have come. A small crawl never has a main file before it is closed.
 *
 * Always: every committed key is in main, frozen or young. The young one holds the log from `young_from` on, the frozen
 * one what is between; `to` is where a chunk begins. A larger main file is made from the log alone, never from the old
 * one, which may know a segment wrongly. Main, frozen and young hold no more than they are made for, so their rates sum
 * up to the promise (seen.h); only if a file cannot be written does the young one grow beyond its 16th, from the log.
 *
 * What a step touches: `renewal.making` with its file and the mapped main filter, which it reads; and, when keys are
 * wanted, the table `hashes` and the tombstones, which need the handle's mutex. To begin and to end one, too.
 *
 * Called under the handle's mutex: by maintain.c in steps, by close and erase.c at once.
 *
 * After a crash: a seen.N.tmp, which the next one of its slot writes over; or a whole file that `progress` does not
 * name yet. Either way the one that it names is as it was, and the young filter is made from the log behind it. */
#include "frontier/core/state.h"

#include "mlbf/plan.h"

#include <assert.h>

/* The young filter: at most 2.7 MB until there are 8 million keys. With a floor of 65,536 keys a crawl of 10^6 would
 * write 30 bytes a key more; with 2^20, its growth from the log takes longest, 15 ms. It begins with room for
 * YOUNG_FIRST, 170 kB: most crawls are small, and the first use of a page of memory takes 0.2 to 15 us, for a manual's
 * keys as long as all else that is done with them. */
enum { YOUNG_KEYS = FRONTIER_LIMIT(1 << 19, 300), YOUNG_SHARE = 16, YOUNG_GROWTH = 4 };
enum { YOUNG_FIRST = FRONTIER_LIMIT(1 << 15, 100) };

/* A step: 1 MiB or 65,536 keys, some 1 ms each. */
enum { STEP_BYTES = 1 << 20, STEP_KEYS = FRONTIER_LIMIT(1 << 16, 8) };

enum { WINDOWS = 8, WINDOW_LEAST = 4 << 20 };

/* Up to here a main file has room for all URLs that are expected; beyond, it grows with the keys there are. */
enum { MAIN_KEYS = 1 << 21 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* A ninth more than is expected. */
static uint64_t expected_room(const frontier *f)
{
  uint64_t expected = f->options.expected_urls;
  return expected < UINT64_MAX / 2 ? expected + expected / 9 + 1 : expected;
}

static uint64_t young_keys(const frontier *f)
{
  assert(f->renewal.young_from <= hash_log_keys(&f->log));
  return hash_log_keys(&f->log) - f->renewal.young_from;
}

static bool has_files(const frontier *f)
{
  return f->store && !f->options.read_only;
}

double renewal_rate(const frontier *f)
{
  return seen_rate(f->seen, young_keys(f));
}

/* ---- the young filter ------------------------------------------------------------------------------------ */

/* With so many keys it is frozen. Without files it has them all. */
static uint64_t share_of(const frontier *f)
{
  return f->store ? larger(YOUNG_KEYS, hash_log_keys(&f->log) / YOUNG_SHARE) : UINT64_MAX;
}

/* What it is made for, with so many keys to come. In a directory it begins small, and grows from the log. */
static uint64_t room_for(const frontier *f, uint64_t keys, uint64_t share)
{
  uint64_t first = larger(expected_room(f), hash_log_keys(&f->log)), room = smaller(first, share);
  if (f->store)
    room = smaller(room, YOUNG_FIRST);
  return keys <= room ? room : keys + keys / 4 + 1;
}

static frontier_status create_young(frontier *f, uint64_t room, mlbf_filter **young)
{
  char profile[URL_PROFILE_NAME_SIZE];
  mlbf_options options = checkpoint_filter_options(f, room, profile);
  options.rate = f->store ? seen_young_rate(f->options.rate) : f->options.rate; /* then it is alone */
  return checkpoint_filter_create(f, &options, young);
}

/* One of that room, with the keys of the log from `from` on; instead of the one there is. */
static frontier_status replace_young(frontier *f, uint64_t room, uint64_t from, bool is_empty)
{
  mlbf_filter *young;
  uint64_t reached;
  frontier_status status = create_young(f, room, &young);
  if (status != FRONTIER_OK)
    return status;
  if (!is_empty)
    status = hash_log_read(f, &(seen_sink){.filter = young, .except = &f->tombstones}, from, UINT64_MAX, &reached);
  if (status != FRONTIER_OK) {
    mlbf_free(young);
    return status;
  }
  if (f->seen)
    seen_replace(f->seen, young);
  else if (!(f->seen = seen_adopt(young)))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the open batch");
  f->renewal.young_from = from;
  f->renewal.young_room = room;
  return FRONTIER_OK;
}

frontier_status renewal_make_young(frontier *f, uint64_t from, bool is_empty)
{
  f->renewal.young_full = share_of(f);
  return replace_young(f, room_for(f, is_empty ? 0 : hash_log_keys(&f->log) - from, f->renewal.young_full), from,
                       is_empty);
}

static void say_larger(const frontier *f)
{
  frontier_log(f, "the filter is nearly full at %llu URLs: a larger one is being filled",
               (unsigned long long)hash_log_keys(&f->log));
}

/* Beyond its first room: a small one fourfold, up to its share. */
static frontier_status grow_young(frontier *f, uint64_t keys)
{
  uint64_t share = f->renewal.young_full,
           room = keys < YOUNG_KEYS / YOUNG_GROWTH ? keys * YOUNG_GROWTH : keys + keys * 2 / 5;
  if (keys <= share)
    room = smaller(room, share);
  if (f->renewal.young_room >= smaller(expected_room(f), share))
    say_larger(f);
  return replace_young(f, room, f->renewal.young_from, false);
}

/* ---- the next main file ---------------------------------------------------------------------------------- */

static void fail_renewal(frontier *f, const char *why)
{
  char path[4096];
  checkpoint_path(f, 1 - f->checkpoint.slot, path);
  frontier_log(f, "%s: %s; the next opening takes longer", path, why);
  renewal_abandon(f);
  f->renewal.retry_at = hash_log_keys(&f->log) + f->renewal.young_full / 16;
}

/* A crawl of few keys has one only from its end on, for which a file of megabytes would take longer than the crawl. */
uint64_t renewal_main_room(const frontier *f, uint64_t keys)
{
  uint64_t more = keys + keys * 2 / 5 + 1, expected = keys < YOUNG_KEYS / 2 ? more : expected_room(f);
  return keys < expected ? smaller(expected, larger(more, MAIN_KEYS)) : more;
}

static uint64_t pieces(uint64_t size, uint64_t piece)
{
  return size / piece + (size % piece != 0);
}

/* With the keys before `to`. */
static bool begin(frontier *f, bool from_log, uint64_t to)
{
  renewal *r = &f->renewal;
  mlbf_filter *old = from_log || r->is_suspect ? NULL : seen_main(f->seen);
  uint64_t keys = old ? mlbf_promise_of(old).keys : 0;
  char profile[URL_PROFILE_NAME_SIZE], path[4096];
  if (to > keys)
    old = NULL;
  mlbf_options options = checkpoint_filter_options(f, old ? keys : renewal_main_room(f, to), profile);
  char reason[MLBF_REASON_SIZE];
  mlbf_plan plan;
  if (mlbf_plan_make(&options, &plan, reason) != MLBF_OK) {
    fail_renewal(f, reason);
    return false;
  }
  checkpoint_path(f, 1 - f->checkpoint.slot, path);
  mlbf_status status = mlbf_rebuild_begin(old, &options, larger(plan.bits / 8 / WINDOWS, WINDOW_LEAST), path,
                                          &r->making);
  if (status != MLBF_OK) {
    fail_renewal(f, mlbf_status_text(status));
    return false;
  }
  if (!old && seen_main(f->seen))
    say_larger(f);
  r->from = old ? f->checkpoint.keys : 0;
  r->to = to;
  r->wants_keys = false;
  r->steps = 0;
  r->steps_in_all = pieces(mlbf_rebuild_bytes(r->making), STEP_BYTES) + 1 +
                    mlbf_rebuild_windows(r->making) * (pieces(to - r->from, STEP_KEYS) + 1);
  return true;
}

/* The young filter is frozen, unless one is still: then that one's keys go first. */
static frontier_status begin_in_steps(frontier *f, uint64_t coming)
{
  uint64_t to = seen_has_frozen(f->seen) ? f->renewal.young_from : hash_log_keys(&f->log);
  mlbf_filter *young = NULL;
  uint64_t share = share_of(f), room = larger(share, coming);
  frontier_status status = seen_has_frozen(f->seen) ? FRONTIER_OK : create_young(f, room, &young);
  if (status != FRONTIER_OK || !begin(f, false, to)) {
    mlbf_free(young);
    return status;
  }
  if (young) {
    seen_freeze(f->seen, young);
    f->renewal.young_from = to;
    f->renewal.young_room = room;
    f->renewal.young_full = share;
  }
  return FRONTIER_OK;
}

/* The file is in place: it is the main one. */
static bool finish(frontier *f)
{
  renewal *r = &f->renewal;
  mlbf_filter *main = checkpoint_map(f, 1 - f->checkpoint.slot);
  if (!main) {
    fail_renewal(f, "it cannot be mapped");
    return false;
  }
  assert(f->checkpoint.keys <= r->to && r->to <= hash_log_keys(&f->log));
  mlbf_rebuild_end(r->making); /* which reads the old main one */
  r->making = NULL;
  seen_renew(f->seen, main, r->to);
  f->checkpoint.slot = 1 - f->checkpoint.slot;
  f->checkpoint.keys = r->to;
  r->is_unverified = r->is_suspect = false;
  batch_touch(&f->batch);
  return true;
}

static frontier_status give_keys(frontier *f)
{
  renewal *r = &f->renewal;
  seen_sink sink = {.rebuild = r->making, .except = &f->tombstones};
  frontier_status status = hash_log_read(f, &sink, r->at, smaller(r->to, r->at + STEP_KEYS), &r->at);
  r->wants_keys = r->at < r->to;
  if (status == FRONTIER_OK && !r->wants_keys)
    mlbf_rebuild_keys_end(r->making);
  return status;
}

static void note_damage(frontier *f)
{
  char path[4096];
  checkpoint_path(f, f->checkpoint.slot, path);
  frontier_log(f, "%s is damaged, and is made anew from the log", path);
  f->renewal.is_suspect = true;
  f->renewal.is_unverified = false;
}

void renewal_step(frontier *f)
{
  renewal *r = &f->renewal;
  mlbf_rebuild_need need = MLBF_REBUILD_STEP;
  assert(r->making);
  r->steps++;
  if (r->wants_keys) {
    if (give_keys(f) != FRONTIER_OK)
      fail_renewal(f, f->message);
    return;
  }
  mlbf_status status = mlbf_rebuild_step(r->making, STEP_BYTES, &need);
  if (status == MLBF_DAMAGED) {
    note_damage(f);
    renewal_abandon(f);
  } else if (status != MLBF_OK) {
    fail_renewal(f, mlbf_status_text(status));
  } else if (need == MLBF_REBUILD_DONE) {
    finish(f);
  } else if (need == MLBF_REBUILD_KEYS) {
    r->wants_keys = true;
    r->at = r->from;
  }
}

void renewal_abandon(frontier *f)
{
  mlbf_rebuild_end(f->renewal.making);
  f->renewal.making = NULL;
}

static bool make_main(frontier *f, bool from_log)
{
  assert(has_files(f) && seen_batch_keys(f->seen) == 0);
  uint64_t all = hash_log_keys(&f->log);
  unsigned slot = f->checkpoint.slot;
  bool was_suspect;
  do { /* once more if the one in use turns out to be damaged */
    was_suspect = f->renewal.is_suspect;
    renewal_abandon(f);
    if (!begin(f, from_log, all))
      return false;
    while (f->renewal.making)
      renewal_step(f);
  } while (f->renewal.is_suspect && !was_suspect);
  return f->checkpoint.slot != slot;
}

bool renewal_make(frontier *f, bool from_log)
{
  bool is_made = make_main(f, from_log);
  if (is_made)
    renewal_make_young(f, hash_log_keys(&f->log),
                       true); /* or the old one stays, with keys that the main one has, too */
  return is_made;
}

bool renewal_make_last(frontier *f)
{
  return make_main(f, false);
}

/* ---- when ------------------------------------------------------------------------------------------------- */

bool renewal_can_step(const frontier *f)
{
  return f->renewal.making;
}

bool renewal_is_due(const frontier *f)
{
  const renewal *r = &f->renewal;
  return r->making && (double)r->steps * (double)r->young_full < 2.0 * (double)r->steps_in_all * (double)young_keys(f);
}

static bool may_begin(const frontier *f)
{
  return has_files(f) && !f->renewal.making && hash_log_keys(&f->log) >= f->renewal.retry_at;
}

frontier_status renewal_make_room(frontier *f, uint64_t keys)
{
  const renewal *r = &f->renewal;
  frontier_status status = FRONTIER_OK;
  bool is_full = young_keys(f) + keys > r->young_full;
  while (is_full && r->making)
    renewal_step(f);
  if ((is_full || r->is_suspect) && may_begin(f))
    status = begin_in_steps(f, keys);
  uint64_t all = young_keys(f) + keys;
  return status == FRONTIER_OK && all > r->young_room ? grow_young(f, all) : status;
}

bool renewal_is_unverified(const frontier *f)
{
  return f->renewal.is_unverified;
}

void renewal_doubt(frontier *f)
{
  f->renewal.is_unverified = true;
}

void renewal_verify(frontier *f)
{
  bool is_done = false;
  if (mlbf_verify(seen_main(f->seen), STEP_BYTES, &is_done) != MLBF_OK)
    note_damage(f);
  else
    f->renewal.is_unverified = !is_done;
}

static void check(const frontier *f)
{
  const renewal *r = &f->renewal;
  assert(r->young_from <= hash_log_keys(&f->log));
  assert(!r->making || (has_files(f) && r->from <= r->to && r->to <= hash_log_keys(&f->log)));
  assert(!f->seen || seen_has_frozen(f->seen) || r->young_from <= f->checkpoint.keys || !f->checkpoint.keys);
  (void)r;
}

const part renewal_part = {.check = check, .close = renewal_abandon};
