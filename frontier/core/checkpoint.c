/* The main filter's life on disk.
 *
 * Two files, seen.0 and seen.1, are written in turn (renewal.c); the progress record says which is valid and how many
 * keys of the hash log it holds. So a crash while one is written leaves the other. Opening maps the valid one, and puts
 * the part of the log behind it into a young filter in memory; a file that is missing or does not fit is made again
 * from the log.
 *
 *     open    header and table of checksums, checked | body, mapped | log behind it, replayed: 50 ns a key
 *     then    1 MiB of the body is checked with each call (maintain.c), all of it before it is copied (mlbf/rebuild.h)
 *
 * A file of 4 MiB or less is checked at open. In a larger one a damaged block can call a key new that is not, until it
 * is found; then the file is made again, from the log.
 *
 * Always: the file that the progress record names is not written. The other one is written as seen.N.tmp, synced, and
 * then renamed; `slot` and `keys` change when it is in place, and go to disk with the next commit. A file is never said
 * to hold more keys than the log has; it may hold more keys of the log than it is said to. It is never changed in place
 * or cut, which would end those that map it.
 *
 * Called under the handle's mutex: by all that open a directory to ask its filters.
 *
 * After a crash: until that commit the old file is valid, and more of the log is replayed. */
#include "frontier/core/state.h"

#include "frontier/base/own_file.h"
#include "mlbf/plan.h"

#include <assert.h>
#include <stdio.h>

enum { CHECKED_AT_OPEN = 4 << 20, LARGE_KEYS = 1 << 21, TAIL_LEAST = FRONTIER_LIMIT(1 << 19, 300) };

void checkpoint_path(const frontier *f, unsigned slot, char path[4096])
{
  snprintf(path, 4096, "%s/seen.%u", f->directory, slot);
}

mlbf_options checkpoint_filter_options(const frontier *f, uint64_t keys, char profile[URL_PROFILE_NAME_SIZE])
{
  url_profile_name(f->options.profile, profile);
  return (mlbf_options){.size = sizeof(mlbf_options),
                        .kind = f->options.filter,
                        .keys = keys,
                        .rate = seen_main_rate(f->options.rate),
                        .secret = f->options.secret,
                        .signals = f->options.filter == MLBF_KIND_MLBF,
                        .profile = profile};
}

frontier_status checkpoint_filter_create(frontier *f, const mlbf_options *options, mlbf_filter **filter)
{
  char reason[MLBF_REASON_SIZE];
  mlbf_plan plan;
  if (mlbf_plan_make(options, &plan, reason) != MLBF_OK)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "no filter can be made: %s", reason);
  mlbf_status made = mlbf_create(options, filter);
  return made == MLBF_OK ? FRONTIER_OK
                         : frontier_fail(f, made == MLBF_NO_MEMORY ? FRONTIER_NO_MEMORY : FRONTIER_BAD_ARGUMENT,
                                         "a filter for %llu URLs at rate %g: %s", (unsigned long long)options->keys,
                                         options->rate, mlbf_status_text(made));
}

static bool filter_fits(const frontier *f, const mlbf_filter *filter)
{
  mlbf_promise made_for = mlbf_promise_of(filter);
  return made_for.kind == f->options.filter && made_for.rate == seen_main_rate(f->options.rate);
}

mlbf_filter *checkpoint_map(const frontier *f, unsigned slot)
{
  mlbf_filter *filter = NULL;
  char path[4096];
  checkpoint_path(f, slot, path);
  if (!own_file_is_plain(path, false) || mlbf_map(path, f->options.secret, &filter) != MLBF_OK)
    return NULL;
  bool is_small = mlbf_promise_of(filter).bits / 8 <= CHECKED_AT_OPEN;
  if (filter_fits(f, filter) && (!is_small || mlbf_verify(filter, UINT64_MAX, NULL) == MLBF_OK))
    return filter;
  mlbf_free(filter);
  return NULL;
}

static frontier_status load_tombstones(frontier *f)
{
  frontier_status status = f->store ? tombstones_load(&f->tombstones, f->store) : FRONTIER_OK;
  return status == FRONTIER_OK ? status
                               : frontier_fail(f, status, "%s: the table of forgotten keys: %s", f->directory,
                                               status == FRONTIER_NO_MEMORY ? "out of memory" : "damaged");
}

static void say_missing(frontier *f)
{
  char path[4096];
  checkpoint_path(f, f->checkpoint.slot, path);
  frontier_log(f, "%s is damaged or missing, and is made anew from the log", path);
  f->checkpoint.keys = 0;
}

frontier_status seen_load(frontier *f)
{
  frontier_status status = load_tombstones(f);
  if (status != FRONTIER_OK)
    return status;
  mlbf_filter *main = f->checkpoint.keys ? checkpoint_map(f, f->checkpoint.slot) : NULL;
  if (f->checkpoint.keys && !main)
    say_missing(f);
  bool is_writer = f->store && !f->options.read_only;
  bool is_long = is_writer && !main && hash_log_keys(&f->log) > TAIL_LEAST; /* for memory: it becomes a file */
  status = renewal_make_young(f, f->checkpoint.keys, is_long);
  if (status != FRONTIER_OK) {
    mlbf_free(main);
    return status;
  }
  seen_renew(f->seen, main, f->checkpoint.keys);
  if (is_writer && main)
    renewal_doubt(f);
  return is_long && !renewal_make(f, true) ? renewal_make_young(f, 0, false) : FRONTIER_OK;
}

/* As large as the log wants it. */
static frontier_status make_whole(frontier *f, mlbf_filter **out)
{
  char profile[URL_PROFILE_NAME_SIZE];
  mlbf_options options = checkpoint_filter_options(f, renewal_main_room(f, hash_log_keys(&f->log)), profile);
  return checkpoint_filter_create(f, &options, out);
}

frontier_status seen_load_whole(frontier *f)
{
  mlbf_filter *whole = NULL;
  char path[4096];
  uint64_t from = f->checkpoint.keys, reached;
  frontier_status status = load_tombstones(f);
  if (status != FRONTIER_OK)
    return status;
  checkpoint_path(f, f->checkpoint.slot, path);
  bool is_loaded = from && own_file_is_plain(path, false) && mlbf_load(path, f->options.secret, &whole) == MLBF_OK;
  if (!is_loaded || !filter_fits(f, whole)) {
    mlbf_free(whole);
    whole = NULL;
    from = 0;
    status = make_whole(f, &whole);
  }
  if (status == FRONTIER_OK)
    status = hash_log_read(f, &(seen_sink){.filter = whole, .except = &f->tombstones}, from, UINT64_MAX, &reached);
  if (status != FRONTIER_OK) {
    mlbf_free(whole);
    return status;
  }
  f->seen = seen_adopt(whole);
  return f->seen ? FRONTIER_OK : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the open batch");
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

/* To write the file of 10^8 keys takes seconds, to replay a 16th of them 0.2 s: so only if deaths or short runs kept a
 * file of many keys from being made in steps. */
bool checkpoint_is_worthwhile(const frontier *f)
{
  assert(f->checkpoint.keys <= hash_log_keys(&f->log));
  uint64_t behind = hash_log_keys(&f->log) - f->checkpoint.keys;
  uint64_t share = hash_log_keys(&f->log) > LARGE_KEYS ? 8 : 64;
  return behind && behind >= hash_log_keys(&f->log) / share;
}

void checkpoint_lose(frontier *f)
{
  f->checkpoint.keys = 0;
}

static void check(const frontier *f)
{
  assert(f->checkpoint.keys <= hash_log_keys(&f->log) && f->checkpoint.slot <= 1);
  (void)f;
}

const part checkpoint_part = {.check = check};
