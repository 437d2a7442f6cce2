/* The hash log, the filter it makes, and the two filter files. */
#include "frontier/admin/check.h"

#include "frontier/base/own_file.h"
#include "mlbf/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const double RATE_MAX = 1e-6;

bool check_is_known(const seen *s, const url *u, const mlbf_hash128 *own_key)
{
  key_hashes hashes;
  if (own_key)
    return seen_has_whole(s, *own_key);
  seen_hash(seen_filter(s), u, &hashes);
  return seen_has_all(s, &hashes);
}

static mlbf_hash128 key_of(const check *c, const mlbf_hash128 *own_key)
{
  key_hashes hashes;
  if (own_key)
    return *own_key;
  seen_hash(seen_filter(c->from_log), c->u, &hashes);
  return hashes.whole;
}

bool check_is_forgotten(const check *c, const mlbf_hash128 *own_key)
{
  return !tombstones_is_empty(&c->tombstones) && (own_key || c->from_log) &&
         tombstones_has(&c->tombstones, key_of(c, own_key));
}

bool check_is_erased(const check *c, const mlbf_hash128 *own_key)
{
  return c->from_log && seen_has_whole(c->from_log, seen_tombstone(key_of(c, own_key)));
}

typedef struct log_walk {
  check *c;
  mlbf_filter *log, *file; /* NULL: there is none */
  uint64_t keys;           /* so far */
  bool is_torn;            /* a piece is missing, and was said to be */
  bool ends_at_checkpoint;
} log_walk;

static bool read_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  log_walk *w = context;
  uint64_t keys;
  if (key != w->keys) {
    check_say(w->c, IN_DATA, "hash log: keys %" PRIu64 " to %" PRIu64 " are missing", w->keys, key);
    w->is_torn = true;
  }
  w->ends_at_checkpoint |= key == w->c->stood.checkpoint_keys;
  if (!seen_count_keys(body, size, &keys)) {
    check_say(w->c, IN_DATA, "hash log: the piece of key %" PRIu64 " cannot be read", key);
    w->is_torn = true;
    return true;
  }
  if (w->log)
    seen_replay(&(seen_sink){.filter = w->log}, body, size);
  if (w->file && key >= w->c->stood.checkpoint_keys)
    seen_replay(&(seen_sink){.filter = w->file}, body, size);
  w->keys = key + keys;
  w->c->found->log_keys += keys;
  return true;
}

/* With a better rate than a filter that stands in front of runs: it says what is missing in the log. */
static mlbf_filter *make_filter(check *c)
{
  char profile[URL_PROFILE_NAME_SIZE];
  const frontier_options *o = &c->f->options;
  url_profile_name(o->profile, profile);
  uint64_t keys = c->stood.log_keys > o->expected_urls ? c->stood.log_keys : o->expected_urls;
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = o->filter,
                          .keys = keys,
                          .rate = o->rate < RATE_MAX ? o->rate : RATE_MAX,
                          .secret = o->secret,
                          .signals = o->filter == MLBF_KIND_MLBF,
                          .profile = profile};
  char reason[MLBF_REASON_SIZE] = "";
  mlbf_filter *filter = NULL;
  mlbf_plan plan;
  mlbf_status made = mlbf_plan_make(&options, &plan, reason);
  if (made == MLBF_OK)
    made = mlbf_create(&options, &filter);
  if (made == MLBF_NO_MEMORY)
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for a filter made from the hash log");
  else if (made != MLBF_OK)
    check_say(c, IN_DATA, "data.mdb: no filter can be made: %s", *reason ? reason : mlbf_status_text(made));
  return filter;
}

/* A filter file need not be there, since the log makes another; if it is, all of it is sound. */
static mlbf_filter *load_file(check *c, unsigned slot)
{
  char path[4096];
  mlbf_filter *filter = NULL;
  snprintf(path, sizeof path, "%s/seen.%u", c->f->directory, slot);
  if (!own_file_is_plain(path, false)) {
    check_say(c, IN_FILTER, "seen.%u: %s", slot, own_file_words(errno));
    return NULL;
  }
  mlbf_status status = mlbf_load(path, c->f->options.secret, &filter);
  bool is_valid = c->has_progress && c->stood.checkpoint_keys && c->stood.checkpoint_slot == slot;
  if (status == MLBF_IO && errno == ENOENT)
    return NULL;
  if (status != MLBF_OK) {
    check_say(c, IN_FILTER, "seen.%u: %s", slot, mlbf_status_text(status));
    return NULL;
  }
  mlbf_promise made_for = mlbf_promise_of(filter);
  bool fits = made_for.kind == c->f->options.filter && made_for.rate == seen_main_rate(c->f->options.rate);
  if (fits && is_valid)
    return filter;
  if (!fits)
    check_say(c, IN_FILTER, "seen.%u: it is of another kind or rate than the crawl", slot);
  mlbf_free(filter);
  return NULL;
}

static seen *adopt(check *c, mlbf_filter *filter)
{
  seen *s = filter ? seen_adopt(filter) : NULL;
  if (filter && !s)
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory");
  return s;
}

static void check_log_end(check *c, const log_walk *w)
{
  if (!c->has_progress)
    return;
  if (w->keys != c->stood.log_keys && !w->is_torn)
    check_say(c, IN_DATA, "hash log: it has %" PRIu64 " keys, not the %" PRIu64 " that were committed", w->keys,
              c->stood.log_keys);
  if (!w->ends_at_checkpoint && !w->is_torn && c->stood.checkpoint_keys && c->stood.checkpoint_keys != w->keys)
    check_say(c, IN_DATA, "hash log: the filter file ends inside a piece of it, at key %" PRIu64,
              c->stood.checkpoint_keys);
}

void check_log(check *c)
{
  log_walk w = {.c = c, .log = make_filter(c)};
  for (unsigned slot = 0; slot < 2 && c->status == FRONTIER_OK; slot++) {
    mlbf_filter *filter = load_file(c, slot);
    if (filter)
      w.file = filter;
  }
  mdb_records_each(c->p, "hashes", read_chunk, &w);
  check_log_end(c, &w);
  c->from_log = adopt(c, w.log);
  c->from_file = adopt(c, w.file);
}
