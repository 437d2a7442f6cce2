/* See protocol.h. Always: queries depend on list, options and protocol only, so that a second source asks the same
 * ones (replay.c relies on it), and a source ends, however few draws give a query. Called by replay.c and by
 * benches. */
#include "datasets/replay/protocol.h"
#include "datasets/sort/rng.h"
#include "datasets/replay/repeats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Draws that yield no query (a URL without a path cannot be permuted) are repeated. The protocol ends if fewer than
 * one draw in 200 is usable, or at once after MISSES_MAX unusable draws in a row. */
enum { DRAWS_PER_QUERY = 200, MISSES_MAX = 100000 };

/* A query under construction. */
typedef struct text {
  size_t size;
  char bytes[KEY_SIZE_MAX];
} text;

/* An inserted key and where it is cut. */
typedef struct pieces {
  const char *key;
  size_t size, count;
  mlbf_span segments[MLBF_LAYERS_MAX];
} pieces;

struct query_source {
  query_options options;
  uint64_t rng;
  uint64_t position; /* queries asked; of paper and fresh: list entries passed */
  uint64_t draws_left;
  unsigned misses;                                    /* draws in a row that yielded none */
  repeats *repeats;                                   /* of `repeated` only */
  bool (*compose)(query_source *source, text *query); /* false: this draw yields none */
  text query;
};

static bool append(text *query, const void *bytes, size_t size)
{
  if (size > sizeof query->bytes - query->size)
    return false;
  memcpy(query->bytes + query->size, bytes, size);
  query->size += size;
  return true;
}

static bool append_segments(text *query, const pieces *parts, size_t begin, size_t end)
{
  const char *first = parts->segments[begin].bytes;
  const char *last = (const char *)parts->segments[end - 1].bytes + parts->segments[end - 1].size;
  return append(query, first, (size_t)(last - first));
}

static void cut_rank(const query_source *source, uint64_t rank, pieces *found)
{
  found->key = urllist_key(source->options.list, rank, &found->size);
  found->count = cut_key(CUT_PAPER, found->key, found->size, found->segments);
}

static void draw(query_source *source, pieces *found)
{
  cut_rank(source, rng_below(&source->rng, source->options.inserted), found);
}

/* "here: the row number, ten digits, appended without a separator" */
static bool compose_paper(query_source *source, text *query)
{
  char id[24];
  size_t size;
  bool is_first;
  const char *key = urllist_row(source->options.list, source->position, &size, &is_first);
  int digits = snprintf(id, sizeof id, "%010llu", (unsigned long long)source->position);
  return append(query, key, size) && append(query, id, (size_t)digits);
}

static bool compose_fresh(query_source *source, text *query)
{
  size_t size;
  const char *key = urllist_key(source->options.list, source->options.inserted + source->position, &size);
  return append(query, key, size);
}

/* The cut is before layer L, whose pieces are not known by themselves. */
static bool compose_recombined(query_source *source, text *query)
{
  pieces head, tail;
  draw(source, &head);
  draw(source, &tail);
  size_t limit = head.count < tail.count ? head.count : tail.count;
  if (limit > source->options.layers)
    limit = source->options.layers;
  if (limit < 2)
    return false;
  size_t cut = 1 + rng_below(&source->rng, limit - 1);
  return append_segments(query, &head, 0, cut) && append_segments(query, &tail, cut, tail.count);
}

/* Fisher and Yates, over the segments after the host. A query string is left out: the segments after it would
 * become part of it. */
static bool compose_permuted(query_source *source, text *query)
{
  pieces parts;
  draw(source, &parts);
  if (parts.count < 3 || memchr(parts.key, '?', parts.size) != NULL)
    return false;
  for (size_t i = parts.count - 1; i > 1; i--) {
    size_t j = 1 + rng_below(&source->rng, i);
    mlbf_span swap = parts.segments[i];
    parts.segments[i] = parts.segments[j];
    parts.segments[j] = swap;
  }
  for (size_t i = 0; i < parts.count; i++)
    if (!append(query, parts.segments[i].bytes, parts.segments[i].size))
      return false;
  return memcmp(query->bytes, parts.key, parts.size) != 0;
}

static bool compose_repeated(query_source *source, text *query)
{
  size_t size;
  pieces page;
  draw(source, &page);
  const char *twice = repeats_draw(source->repeats, &source->rng, &size);
  if (twice == NULL || page.count != REPEATS_BEFORE || page.segments[1].size == 1 ||
      memchr(page.key, '?', page.size) != NULL)
    return false;
  return append(query, page.key, page.size) && append(query, twice, size) && append(query, twice, size);
}

static bool compose_prefix(query_source *source, text *query)
{
  pieces parts;
  draw(source, &parts);
  if (parts.count < 3)
    return false;
  return append_segments(query, &parts, 0, 2 + rng_below(&source->rng, parts.count - 2));
}

static bool compose_newhost(query_source *source, text *query)
{
  char host[48];
  pieces parts;
  draw(source, &parts);
  int size = snprintf(host, sizeof host, "//not-in-the-list-%llu.example", (unsigned long long)source->position);
  return parts.count >= 2 && append(query, host, (size_t)size) && append_segments(query, &parts, 1, parts.count);
}

static const struct {
  const char *name, *text;
  bool (*compose)(query_source *source, text *query);
} protocols[PROTOCOL_COUNT] = {
  {"paper", "every URL of the list with its row number appended", compose_paper},
  {"fresh", "URLs of the list that were not inserted", compose_fresh},
  {"recombined", "the beginning of one inserted URL and the rest of another: all segments are known",
   compose_recombined},
  {"permuted", "an inserted URL with the segments of its path in another order", compose_permuted},
  {"repeated", "an inserted URL host/page with /x/x appended, x known at both depths", compose_repeated},
  {"prefix", "an inserted URL cut short at a slash", compose_prefix},
  {"newhost", "a host that is not in the list with the path of an inserted URL", compose_newhost},
  {"stream", "the rows of the list in order, each tested and inserted in one step", NULL},
};

const char *protocol_name(protocol which)
{
  return protocols[which].name;
}

const char *protocol_text(protocol which)
{
  return protocols[which].text;
}

bool protocol_from_name(const char *name, protocol *which)
{
  for (int i = 0; i < PROTOCOL_COUNT; i++)
    if (strcmp(protocols[i].name, name) == 0) {
      *which = (protocol)i;
      return true;
    }
  return false;
}

static uint64_t count_queries(protocol which, const query_options *options)
{
  uint64_t fresh = urllist_distinct(options->list) - options->inserted;
  if (which == PROTOCOL_PAPER)
    return urllist_rows(options->list);
  return which == PROTOCOL_FRESH && fresh < options->limit ? fresh : options->limit;
}

query_source *query_open(protocol which, const query_options *options)
{
  query_source *source = calloc(1, sizeof *source);
  if (source == NULL)
    return NULL;
  source->options = *options;
  source->options.limit = count_queries(which, options);
  source->rng = rng_mix(options->seed ^ rng_mix(options->inserted * PROTOCOL_COUNT + which));
  source->compose = protocols[which].compose;
  source->draws_left = source->options.limit * DRAWS_PER_QUERY;
  if (which != PROTOCOL_REPEATED)
    return source;
  source->repeats = repeats_find(options->list, options->inserted, options->directory, options->seed);
  if (source->repeats != NULL)
    return source;
  query_close(source);
  return NULL;
}

void query_close(query_source *source)
{
  if (source == NULL)
    return;
  repeats_free(source->repeats);
  free(source);
}

bool query_next(query_source *source, key_batch *batch)
{
  batch_clear(batch);
  while (!batch_is_full(batch) && source->position < source->options.limit && source->draws_left > 0 &&
         source->misses < MISSES_MAX) {
    source->draws_left--;
    source->misses++;
    source->query.size = 0;
    if (!source->compose(source, &source->query))
      continue;
    source->misses = 0;
    batch_add(batch, source->query.bytes, source->query.size);
    source->position++;
  }
  return batch->count > 0;
}
