/* Why a filter that is full stays right when later ones take the new URLs: a URL is added to the first filter that
 * knows it. A filter that is no longer the last only gets URLs all of whose cells are above 0, and so no cell of it
 * leaves 0 any more: a URL unknown to it stays unknown, and all of its links are counted in one place. After a merge
 * they may be in two, so counts are added up. */
#include "frontier/inlinks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "mlbf/count.h"
#include "mlbf/recent.h"

enum { FIRST_MOST = 1 << 20, FILTERS_MAX = 32, PATH_SIZE = 4096, RECENT_LINKS = 1 << 14 };

/* Of the first filter, 6.2 cells a URL; each later one has half the share of the one before, so that all together are
 * wrong about a tenth of URLs. */
static const double wrong_share = 0.05;

struct inlinks {
  char path[PATH_SIZE]; /* "": none */
  uint32_t filter_count;
  mlbf_count *filters[FILTERS_MAX];
  bool is_changed;
  uint64_t until_look; /* notes until the last filter's fill is looked at */
  mlbf_recent *links;  /* of this page, and of those before, told apart by the page's number */
  uint64_t page;
};

/* ---- files ----------------------------------------------------------------------------------------------- */

static bool file_name(const inlinks *in, uint32_t index, char name[PATH_SIZE + 16])
{
  return snprintf(name, PATH_SIZE + 16, "%s.%u", in->path, (unsigned)index) < PATH_SIZE + 16;
}

/* What this file makes, whoever wrote the one at hand. */
static mlbf_count_options options_of(uint32_t index, uint64_t urls)
{
  return (mlbf_count_options){ .keys = urls, .rate = ldexp(wrong_share, -(int)index), .minimal = true };
}

static mlbf_status add_filter(inlinks *in, uint64_t urls)
{
  mlbf_count_options options = options_of(in->filter_count, urls);
  mlbf_status status = in->filter_count < FILTERS_MAX ? MLBF_OK : MLBF_BAD_ARGUMENT;
  if (status == MLBF_OK)
    status = mlbf_count_create(&options, &in->filters[in->filter_count]);
  in->filter_count += status == MLBF_OK;
  return status;
}

/* All there are: after the first, one that is missing ends them. */
static mlbf_status load_filters(inlinks *in)
{
  char name[PATH_SIZE + 16];
  mlbf_status status = MLBF_OK;
  while (status == MLBF_OK && in->filter_count < FILTERS_MAX && file_name(in, in->filter_count, name)) {
    mlbf_count_stats stats;
    status = mlbf_count_load(name, &in->filters[in->filter_count]);
    if (status != MLBF_OK)
      break;
    mlbf_count_stats_read(in->filters[in->filter_count++], &stats);
    if (!stats.minimal || stats.limit != MLBF_COUNT_LIMIT_MOST)
      status = MLBF_MISMATCH;
  }
  return status == MLBF_IO && errno == ENOENT && in->filter_count > 0 ? MLBF_OK : status;
}

static mlbf_status make(const char *path, inlinks **out)
{
  inlinks *in = calloc(1, sizeof *in);
  if (!in)
    return MLBF_NO_MEMORY;
  in->links = mlbf_recent_create(RECENT_LINKS);
  if (!in->links || snprintf(in->path, PATH_SIZE, "%s", path ? path : "") >= PATH_SIZE) {
    mlbf_status status = in->links ? MLBF_BAD_ARGUMENT : MLBF_NO_MEMORY;
    inlinks_close(in);
    return status;
  }
  *out = in;
  return MLBF_OK;
}

static mlbf_status finish(mlbf_status status, inlinks *in, inlinks **out)
{
  int why = errno;
  if (status == MLBF_OK)
    *out = in;
  else
    inlinks_close(in);
  errno = why;
  return status;
}

mlbf_status inlinks_open_existing(const char *path, inlinks **out)
{
  inlinks *in;
  mlbf_status status = make(path, &in);
  return status == MLBF_OK ? finish(load_filters(in), in, out) : status;
}

mlbf_status inlinks_open(const char *path, uint64_t expected_urls, inlinks **out)
{
  inlinks *in;
  mlbf_status status = make(path, &in);
  if (status != MLBF_OK)
    return status;
  errno = ENOENT;
  status = path ? load_filters(in) : MLBF_IO;
  if (status == MLBF_IO && errno == ENOENT)
    status = add_filter(in, expected_urls < FIRST_MOST ? expected_urls : FIRST_MOST);
  return finish(status, in, out);
}

mlbf_status inlinks_save(inlinks *in)
{
  char name[PATH_SIZE + 16];
  mlbf_status status = MLBF_OK;
  for (uint32_t i = 0; status == MLBF_OK && *in->path && in->is_changed && i < in->filter_count; i++)
    status = file_name(in, i, name) ? mlbf_count_save(in->filters[i], name) : MLBF_BAD_ARGUMENT;
  in->is_changed = in->is_changed && status != MLBF_OK;
  return status;
}

void inlinks_close(inlinks *in)
{
  if (!in)
    return;
  for (uint32_t i = 0; i < in->filter_count; i++)
    mlbf_count_free(in->filters[i]);
  mlbf_recent_free(in->links);
  free(in);
}

/* ---- counting -------------------------------------------------------------------------------------------- */

static mlbf_span key_of(const url *u)
{
  return (mlbf_span){ u->key, u->key_size };
}

/* The first that knows the URL, else the last. */
static mlbf_count *filter_for(const inlinks *in, mlbf_span key)
{
  uint32_t times;
  for (uint32_t i = 0; i + 1 < in->filter_count; i++)
    if (mlbf_count_get(in->filters[i], key, &times) == MLBF_OK && times > 0)
      return in->filters[i];
  return in->filters[in->filter_count - 1];
}

/* A larger filter for what comes, once the last one has its load. */
static mlbf_status grow_if_due(inlinks *in)
{
  mlbf_count_stats stats;
  if (in->until_look-- > 0)
    return MLBF_OK;
  mlbf_count_stats_read(in->filters[in->filter_count - 1], &stats);
  in->until_look = stats.keys / 16;
  return stats.estimated_keys < (double)stats.keys ? MLBF_OK : add_filter(in, 2 * stats.keys);
}

void inlinks_begin_page(inlinks *in)
{
  in->page++;
}

mlbf_status inlinks_note(inlinks *in, const url *u)
{
  uint32_t now;
  XXH128_hash_t hash = XXH3_128bits(u->key, u->key_size);
  if (mlbf_recent_note(in->links, (mlbf_hash128){ hash.low64 + in->page, hash.high64 }))
    return MLBF_OK;
  mlbf_span key = key_of(u);
  mlbf_status status = mlbf_count_add(filter_for(in, key), key, 1, &now);
  in->is_changed |= status == MLBF_OK;
  return status == MLBF_OK ? grow_if_due(in) : status;
}

uint32_t inlinks_count(const inlinks *in, const url *u)
{
  uint32_t sum = 0, times = 0;
  for (uint32_t i = 0; i < in->filter_count; i++)
    sum += mlbf_count_get(in->filters[i], key_of(u), &times) == MLBF_OK ? times : 0;
  return sum < MLBF_COUNT_LIMIT_MOST ? sum : MLBF_COUNT_LIMIT_MOST;
}

/* ---- merging --------------------------------------------------------------------------------------------- */

/* As many filters as `from` has, of its sizes. */
static mlbf_status grow_like(inlinks *into, const inlinks *from)
{
  mlbf_count_stats ours, theirs;
  mlbf_count_stats_read(into->filters[0], &ours);
  mlbf_count_stats_read(from->filters[0], &theirs);
  mlbf_status status = ours.cells == theirs.cells ? MLBF_OK : MLBF_MISMATCH;
  while (status == MLBF_OK && into->filter_count < from->filter_count) {
    mlbf_count_stats_read(from->filters[into->filter_count], &theirs);
    status = add_filter(into, theirs.keys);
  }
  return status;
}

mlbf_status inlinks_merge(inlinks *into, const inlinks *from)
{
  mlbf_status status = grow_like(into, from);
  for (uint32_t i = 0; status == MLBF_OK && i < from->filter_count; i++) {
    status = mlbf_count_merge(into->filters[i], from->filters[i]);
    into->is_changed |= status == MLBF_OK;
  }
  return status;
}
