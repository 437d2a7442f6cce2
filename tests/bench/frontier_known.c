/* Written as FORMAT.md has it, through the room's own store: an ordinary crawl of 10^8 URLs would take too long. The
 * filter file lacks the last 16th of the log, as after a crash just before the next one is begun. */
#include "tests/bench/frontier_known.h"
#include "tests/bench/frontier_contender.h"

#include "frontier/frontier.h"
#include "frontier/base/record.h"
#include "frontier/seen/seen.h"
#include "frontier/store/store.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1000, KEY_SIZE = 17, COMMIT_CHUNKS = 1000, PROGRESS_SIZE = 104 };

static mlbf_hash128 nth_hash(uint64_t n)
{
  XXH128_hash_t hash = XXH3_128bits(&n, sizeof n);
  return (mlbf_hash128){hash.low64, hash.high64};
}

/* Keys first..first + CHUNK - 1 into a chunk of the log and into the filter. */
static void fill_chunk(mlbf_filter *filter, uint64_t first, uint8_t chunk[CHUNK * KEY_SIZE])
{
  mlbf_hash128 wholes[CHUNK];
  bool was_new[CHUNK];
  for (size_t i = 0; i < CHUNK; i++) {
    wholes[i] = nth_hash(first + i);
    put_le(chunk + i * KEY_SIZE, wholes[i].low, 8);
    put_le(chunk + i * KEY_SIZE + 8, wholes[i].high, 8);
    chunk[i * KEY_SIZE + 16] = 0;
  }
  mlbf_insert_wholes(filter, wholes, CHUNK, was_new);
}

static void demand(bool good, const char *why)
{
  if (!good)
    contender_fail("making the known URLs", why);
}

static void write_log(store *s, mlbf_filter *filter, uint64_t urls, uint64_t saved, const char *path)
{
  static uint8_t chunk[CHUNK * KEY_SIZE];
  for (uint64_t first = 0; first < urls; first += CHUNK) {
    if (first == saved)
      demand(mlbf_save(filter, path) == MLBF_OK, "saving the filter");
    if (first % (CHUNK * COMMIT_CHUNKS) == 0)
      demand(store_begin(s) == FRONTIER_OK, store_message(s));
    fill_chunk(filter, first, chunk);
    store_append(s, STORE_HASHES, first, chunk, sizeof chunk);
    if ((first + CHUNK) % (CHUNK * COMMIT_CHUNKS) == 0 || first + CHUNK >= urls)
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

void frontier_known_make(const char *directory, uint64_t urls)
{
  store *s;
  mlbf_filter *filter;
  char path[4096], message[FRONTIER_MESSAGE_SIZE];
  urls = (urls + CHUNK - 1) / CHUNK * CHUNK;
  uint64_t saved = (urls - urls / 16) / CHUNK * CHUNK;
  uint64_t design = urls + urls / 4; /* as it is on average between two sizes */
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = design, .rate = 1e-6, .per_host = 1, .secret = test_secret(0)};
  mlbf_options filter_options = {.kind = MLBF_KIND_MLBF,
                                 .keys = design,
                                 .rate = seen_main_rate(1e-6),
                                 .secret = test_secret(0),
                                 .signals = true,
                                 .profile = "strict"};
  make_empty(directory, &options);
  demand(mlbf_create(&filter_options, &filter) == MLBF_OK, "no memory for the filter");
  demand(store_open(directory, false, NULL, 0, &s, message) == FRONTIER_OK, message);
  snprintf(path, sizeof path, "%s/seen.0", directory);
  write_log(s, filter, urls, saved, path);
  write_progress(s, urls, saved);
  store_close(s);
  mlbf_free(filter);
}
