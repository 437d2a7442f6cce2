/* Written as FORMAT.md has it, through the rooms' own store and keys: an ordinary crawl of 10^8 URLs would take too
 * long. */
#include "bench/frontier_known.h"
#include "bench/frontier_contender.h"

#include "frontier/frontier.h"
#include "frontier/base/record.h"
#include "frontier/seen/seen.h"
#include "frontier/store/store.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1000, COMMIT_CHUNKS = 1000, PROGRESS_SIZE = 104 };

static void make_up(void *context, const mlbf_filter *filter, uint64_t number, key_hashes *hashes)
{
  (void)context;
  (void)filter;
  XXH128_hash_t hash = XXH3_128bits(&number, sizeof number);
  *hashes = (key_hashes){.whole = {hash.low64, hash.high64}};
}

static void demand(bool good, const char *why)
{
  if (!good)
    contender_fail("making the known URLs", why);
}

/* Into the filter, and into the log. */
static void write_chunk(const known_crawl *what, store *s, seen *keys, uint64_t first)
{
  size_t size;
  key_hashes hashes = {0};
  for (uint64_t number = first; number < first + CHUNK; number++) {
    (what->hash ? what->hash : make_up)(what->context, seen_filter(keys), number, &hashes);
    demand(seen_add(keys, &hashes), "no memory");
  }
  const uint8_t *chunk = seen_batch_log(keys, &size);
  store_append(s, STORE_HASHES, first, chunk, size);
  seen_seal(keys);
  seen_settle(keys);
}

static void write_keys(const known_crawl *what, store *s, seen *keys, uint64_t saved, const char *path)
{
  for (uint64_t first = 0; first <= what->urls; first += CHUNK) {
    if (first == saved)
      demand(mlbf_save(seen_filter(keys), path) == MLBF_OK, "saving the filter");
    if (first == what->urls)
      break;
    if (first % (CHUNK * COMMIT_CHUNKS) == 0)
      demand(store_begin(s) == FRONTIER_OK, store_message(s));
    write_chunk(what, s, keys, first);
    if ((first + CHUNK) % (CHUNK * COMMIT_CHUNKS) == 0 || first + CHUNK == what->urls)
      demand(store_commit(s) == FRONTIER_OK, store_message(s));
  }
}

static void write_progress(store *s, uint64_t urls, uint64_t saved)
{
  uint8_t body[PROGRESS_SIZE] = {0};
  put_le(body + 0, urls + 1, 8); /* next sequence */
  put_le(body + 8, urls, 8);     /* keys in the log */
  put_le(body + 16, saved, 8);   /* of them in file 0 */
  put_le(body + 32, urls, 8);    /* done */
  put_le(body + 64, urls, 8);    /* called new */
  demand(store_begin(s) == FRONTIER_OK, store_message(s));
  store_put_meta(s, "progress", body, sizeof body);
  demand(store_commit(s) == FRONTIER_OK, store_message(s));
}

/* An empty frontier, closed again, has the identity and the tables. */
static void make_empty(const char *directory, const frontier_options *options)
{
  frontier *f;
  char message[FRONTIER_MESSAGE_SIZE];
  demand(frontier_open(directory, options, &f, message) == FRONTIER_OK, message);
  demand(frontier_close(f) == FRONTIER_OK, "closing");
}

frontier_options frontier_known_options(const known_crawl *what)
{
  return (frontier_options){.filter = what->filter,
                            .expected_urls = what->urls + what->urls / 4, /* as it is on average between two sizes */
                            .rate = what->rate,
                            .per_host = 1,
                            .exact = what->exact,
                            .secret = test_secret(0)};
}

void frontier_known_make(const char *directory, const known_crawl *what)
{
  store *s;
  seen *keys;
  mlbf_filter *filter;
  char path[4096], message[FRONTIER_MESSAGE_SIZE];
  frontier_options options = frontier_known_options(what);
  mlbf_options filter_options = {.size = sizeof(mlbf_options),
                                 .kind = what->filter,
                                 .keys = options.expected_urls,
                                 .rate = seen_main_rate(what->rate),
                                 .secret = test_secret(0),
                                 .signals = what->filter == MLBF_KIND_MLBF,
                                 .profile = "strict"};
  uint64_t saved = what->is_saved ? what->urls : (what->urls - what->urls / 16) / CHUNK * CHUNK;
  demand(what->urls % CHUNK == 0, "their number is a multiple of 1000");
  make_empty(directory, &options);
  demand(mlbf_create(&filter_options, &filter) == MLBF_OK, "no memory for the filter");
  keys = seen_adopt(filter);
  demand(keys != NULL, "no memory for the keys");
  demand(store_open(directory, false, NULL, 0, &s, message) == FRONTIER_OK, message);
  snprintf(path, sizeof path, "%s/seen.0", directory);
  write_keys(what, s, keys, saved, path);
  write_progress(s, what->urls, saved);
  store_close(s);
  seen_free(keys);
}

void frontier_known_complete(const char *directory, const known_crawl *what, void (*look)(void *), void *context)
{
  enum { STEP_MS = 20 };
  frontier *f;
  bool is_more = true;
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_options options = frontier_known_options(what);
  demand(frontier_open(directory, &options, &f, message) == FRONTIER_OK, message);
  for (int idle = 0; idle < 2; idle = is_more ? 0 : idle + 1) { /* files are named by a commit, and others go then */
    demand(frontier_maintain(f, STEP_MS, &is_more) == FRONTIER_OK, frontier_message(f));
    if (look)
      look(context);
    if (!is_more)
      demand(frontier_sync(f) == FRONTIER_OK, frontier_message(f));
  }
  demand(frontier_close(f) == FRONTIER_OK, "closing");
}
