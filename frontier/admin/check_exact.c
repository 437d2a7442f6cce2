/* The table of exact keys holds those of the hash log, each once: a URL whose key is missing would be accepted again;
 * one whose key is there but not in the log never (except a key without a host, which no look-up finds). A forgotten
 * key may be missing, as it is erased here first (erase.h). hash_set.h cannot hold the hash of all zeros, so that is
 * not checked; it comes once in 2^128. */
#include "frontier/admin/check.h"

#include "frontier/base/record.h"

#include <inttypes.h>

typedef struct exact_walk {
  check *c;
  hash_set in_table, of_nobody, in_log; /* of_nobody: in the table without a host only */
  uint64_t missing;                     /* of the log's keys, from the table */
} exact_walk;

static bool put(exact_walk *w, hash_set *set, mlbf_hash128 hash)
{
  if (hash_set_put(set, hash))
    return true;
  check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more key");
  return false;
}

static void note_exact(void *context, const store_exact_key *key)
{
  exact_walk *w = context;
  mlbf_hash128 hash = exact_whole(key);
  if (exact_is_of_nobody(key)) {
    if (!hash_set_has(&w->in_table, hash))
      put(w, &w->of_nobody, hash);
    return;
  }
  hash_set_remove(&w->of_nobody, hash); /* found again since the repair that did not know its host */
  if (hash_set_has(&w->in_table, hash))
    check_say(w->c, IN_DATA, "table exact: one key is there for two hosts");
  put(w, &w->in_table, hash);
}

static bool compare_key(void *context, mlbf_hash128 hash)
{
  exact_walk *w = context;
  bool is_there = hash_set_has(&w->in_table, hash) || hash_set_has(&w->of_nobody, hash);
  w->missing += !is_there && !hash_set_has(&w->in_log, hash) && !tombstones_has(&w->c->tombstones, hash);
  return put(w, &w->in_log, hash);
}

static bool compare_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  exact_walk *w = context;
  (void)key;
  seen_each_key(body, size, compare_key, w);
  return w->c->status == FRONTIER_OK;
}

static uint64_t beyond_log(const exact_walk *w)
{
  uint64_t count = 0;
  mlbf_hash128 hash;
  for (size_t at = 0; at < w->in_table.size; at++)
    count += hash_set_at(&w->in_table, at, &hash) && !hash_set_has(&w->in_log, hash);
  return count;
}

/* Without an identity it is unknown whether the table must exist; its records are read all the same, as its pages have
 * an owner. */
void check_exact(check *c)
{
  exact_walk w = {.c = c};
  mdb_records_each_exact(c->p, note_exact, &w);
  if (c->f->options.exact && c->status == FRONTIER_OK) {
    mdb_records_each(c->p, "hashes", compare_chunk, &w);
    uint64_t beyond = beyond_log(&w);
    if (w.missing)
      check_say(c, IN_DATA, "table exact: it lacks %" PRIu64 " of the keys in the hash log", w.missing);
    if (beyond && c->status == FRONTIER_OK)
      check_say(c, IN_DATA, "table exact: it has %" PRIu64 " keys that are not in the hash log", beyond);
  }
  hash_set_free(&w.in_table);
  hash_set_free(&w.of_nobody);
  hash_set_free(&w.in_log);
}
