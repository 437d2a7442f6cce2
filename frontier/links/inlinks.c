/* Why a filter that is full stays right when later ones take the new URLs: a URL is added to the first filter that
 * knows it. A filter that is no longer the last only gets URLs whose cells are all above 0, so none of its cells
 * that are 0 changes: a URL unknown to it stays unknown, and all of its links are counted in one place. After a merge
 * they may be in two, so counts are added up.
 *
 * A table before the filters has the last link targets, each with its number of pages not yet counted:
 *
 *     link --> [ hash | page | pending ] --when another URL takes its place, or at a save--> filter + pending
 *
 * Most links lead to URLs that every page of a site links to, and these stay in the table, so only other links reach a
 * filter. The table also knows whether this page was counted already, and it joins additions, which the counting method
 * H1 (mlbf/count.h) counts most exactly when they come together. */
#include "frontier/inlinks.h"

#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/count.h"
#include "mlbf/secret.h"

/* The table of links is half a megabyte. A first filter of FIRST_MOST is 400 kB, which is written at the end of each
 * crawl; one for a million would take 3 MB, and a small crawl longer than its pages. The next has room for the million,
 * so that larger crawls ask two filters and not four. */
enum { FIRST_MOST = 1 << 17, SECOND_MOST = 1 << 20, FILTERS_MAX = 32, PATH_SIZE = 4096, RECENT_LINKS = 1 << 14 };

/* Of the first filter, 6.2 cells a URL; each later one has half the share of the one before, so that all together are
 * wrong about a tenth of URLs. */
static const double wrong_share = 0.05;

/* Of the last URL whose hash leads here. */
typedef struct recent_link {
  uint64_t low, high;
  uint64_t page;    /* the last that linked to it; 0: the slot was never used */
  uint32_t pending; /* pages that no filter has */
} recent_link;

struct inlinks {
  char path[PATH_SIZE];              /* "": none */
  uint8_t secret[MLBF_SECRET_BYTES]; /* of all filters, */
  mlbf_hasher *hasher;               /* and of the hashes that are counted there; NULL: there is no filter yet */
  uint32_t filter_count;
  mlbf_count *filters[FILTERS_MAX];
  bool is_changed;
  uint64_t until_look; /* notes until the last filter's fill is looked at */
  uint64_t page;       /* from 1 */
  recent_link *recent; /* RECENT_LINKS */
};

static void assert_inlinks(const inlinks *in)
{
  assert(in->filter_count >= 1 && in->filter_count <= FILTERS_MAX && in->filters[in->filter_count - 1]);
  assert(in->page >= 1 && in->recent && in->hasher);
  (void)in;
}

/* ---- files ----------------------------------------------------------------------------------------------- */

enum { NAME_SIZE = PATH_SIZE + 32 };

/* "PATH.3", and "PATH.3.next" while others are still to be written. */
static void file_names(const inlinks *in, uint32_t index, char name[NAME_SIZE], char next[NAME_SIZE])
{
  snprintf(name, NAME_SIZE, "%s.%u", in->path, (unsigned)index);
  snprintf(next, NAME_SIZE, "%s.%u.next", in->path, (unsigned)index);
}

/* Filters are opened by name; so they are looked at first (own_file.h). */
static mlbf_status load_filter(const char *name, const uint8_t *secret, mlbf_count **filter)
{
  return own_file_is_plain(name, false) ? mlbf_count_load(name, secret, filter) : MLBF_IO;
}

/* The options of the filters that this file makes. */
static mlbf_count_options options_of(uint32_t index, uint64_t urls)
{
  mlbf_count_options options = mlbf_count_options_default();
  options.keys = urls;
  options.rate = ldexp(wrong_share, -(int)index);
  return options;
}

/* The first filter says which secret all have: its file has it if it was drawn, so the others need not. */
static mlbf_status took_first(inlinks *in)
{
  if (in->hasher)
    return MLBF_OK;
  mlbf_count_secret(in->filters[0], in->secret);
  in->hasher = mlbf_hasher_create(in->secret);
  return in->hasher ? MLBF_OK : MLBF_NO_MEMORY;
}

/* `secret`: of the first one, which draws one if it is NULL. */
static mlbf_status create_filter(inlinks *in, const uint8_t *secret, mlbf_count_options options)
{
  options.secret = in->filter_count ? in->secret : secret;
  mlbf_status status = in->filter_count < FILTERS_MAX ? MLBF_OK : MLBF_BAD_ARGUMENT;
  if (status == MLBF_OK)
    status = mlbf_count_create(&options, &in->filters[in->filter_count]);
  in->filter_count += status == MLBF_OK;
  return status == MLBF_OK ? took_first(in) : status;
}

/* A note adds one URL at most, so it is not half full before so many. */
static mlbf_status add_filter(inlinks *in, const uint8_t *secret, uint64_t urls)
{
  mlbf_status status = create_filter(in, secret, options_of(in->filter_count, urls));
  if (status == MLBF_OK)
    in->until_look = urls / 2;
  return status;
}

/* All there are: after the first, one that is missing ends them. */
static mlbf_status load_filters(inlinks *in, const uint8_t *secret)
{
  char name[NAME_SIZE], next[NAME_SIZE];
  mlbf_status status = MLBF_OK;
  while (status == MLBF_OK && in->filter_count < FILTERS_MAX) {
    mlbf_count_stats stats;
    file_names(in, in->filter_count, name, next);
    status = load_filter(name, in->filter_count ? in->secret : secret, &in->filters[in->filter_count]);
    if (status != MLBF_OK)
      break;
    mlbf_count_stats_read(in->filters[in->filter_count++], &stats);
    status = stats.minimal && stats.limit == MLBF_COUNT_LIMIT_MOST ? took_first(in) : MLBF_MISMATCH;
  }
  return status == MLBF_IO && errno == ENOENT && in->filter_count > 0 ? MLBF_OK : status;
}

static mlbf_status make(const char *path, inlinks **out)
{
  inlinks *in = calloc(1, sizeof *in);
  if (!in)
    return MLBF_NO_MEMORY;
  in->recent = calloc(RECENT_LINKS, sizeof *in->recent);
  in->page = 1;
  if (!in->recent || snprintf(in->path, PATH_SIZE, "%s", path ? path : "") >= PATH_SIZE) {
    mlbf_status status = in->recent ? MLBF_BAD_ARGUMENT : MLBF_NO_MEMORY;
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

mlbf_status inlinks_open_existing_with(const char *path, const uint8_t *secret, inlinks **out)
{
  inlinks *in;
  mlbf_status status = make(path, &in);
  return status == MLBF_OK ? finish(load_filters(in, secret), in, out) : status;
}

mlbf_status inlinks_open_existing(const char *path, inlinks **out)
{
  return inlinks_open_existing_with(path, NULL, out);
}

mlbf_status inlinks_open_with(const char *path, uint64_t expected_urls, const uint8_t *secret, inlinks **out)
{
  inlinks *in;
  mlbf_status status = make(path, &in);
  if (status != MLBF_OK)
    return status;
  errno = ENOENT;
  status = path ? load_filters(in, secret) : MLBF_IO;
  if (status == MLBF_IO && errno == ENOENT)
    status = add_filter(in, secret, expected_urls < FIRST_MOST ? expected_urls : FIRST_MOST);
  return finish(status, in, out);
}

mlbf_status inlinks_open(const char *path, uint64_t expected_urls, inlinks **out)
{
  return inlinks_open_with(path, expected_urls, NULL, out);
}

void inlinks_close(inlinks *in)
{
  if (!in)
    return;
  for (uint32_t i = 0; i < in->filter_count; i++)
    mlbf_count_free(in->filters[i]);
  mlbf_hasher_free(in->hasher);
  free(in->recent);
  free(in);
}

/* ---- counting -------------------------------------------------------------------------------------------- */

/* The first that knows the URL, else the last. */
static mlbf_count *filter_for(const inlinks *in, mlbf_span key)
{
  for (uint32_t i = 0; i + 1 < in->filter_count; i++)
    if (mlbf_count_get(in->filters[i], key) > 0)
      return in->filters[i];
  return in->filters[in->filter_count - 1];
}

/* A larger filter for what comes, once the last one has its load. */
static mlbf_status resize_if_due(inlinks *in)
{
  mlbf_count_stats stats;
  if (in->until_look-- > 0)
    return MLBF_OK;
  mlbf_count_stats_read(in->filters[in->filter_count - 1], &stats);
  in->until_look = stats.keys / 16;
  if (stats.estimated_keys < (double)stats.keys)
    return MLBF_OK;
  return add_filter(in, NULL, stats.keys == FIRST_MOST ? SECOND_MOST : 2 * stats.keys);
}

/* What is pending in this slot into a filter. */
static mlbf_status settle(inlinks *in, recent_link *link)
{
  uint32_t now;
  if (link->pending == 0)
    return MLBF_OK;
  mlbf_span key = {link, 2 * sizeof(uint64_t)};
  mlbf_status status = mlbf_count_add(filter_for(in, key), key, link->pending, &now);
  if (status != MLBF_OK)
    return status;
  link->pending = 0;
  in->is_changed = true;
  return resize_if_due(in);
}

static mlbf_status settle_all(inlinks *in)
{
  mlbf_status status = MLBF_OK;
  for (size_t i = 0; status == MLBF_OK && i < RECENT_LINKS; i++)
    status = settle(in, &in->recent[i]);
  return status;
}

static mlbf_hash128 hash_of(const inlinks *in, const url *u)
{
  return mlbf_hasher_hash(in->hasher, 0, (mlbf_span){u->key, u->key_size});
}

static recent_link *slot_of(const inlinks *in, mlbf_hash128 hash)
{
  return &in->recent[hash.high % RECENT_LINKS];
}

static bool is_of(const recent_link *link, mlbf_hash128 hash)
{
  return link->page > 0 && link->low == hash.low && link->high == hash.high;
}

void inlinks_begin_page(inlinks *in)
{
  in->page++;
}

mlbf_status inlinks_note(inlinks *in, const url *u)
{
  mlbf_hash128 hash = hash_of(in, u);
  recent_link *link = slot_of(in, hash);
  assert_inlinks(in);
  assert(link->page <= in->page && (link->page || !link->pending));
  if (is_of(link, hash)) {
    link->pending += link->page != in->page;
    link->page = in->page;
    return MLBF_OK;
  }
  mlbf_status status = settle(in, link);
  if (status == MLBF_OK)
    *link = (recent_link){hash.low, hash.high, in->page, 1};
  return status;
}

mlbf_status inlinks_add(inlinks *in, const url *u, uint32_t pages)
{
  mlbf_hash128 hash = hash_of(in, u);
  assert_inlinks(in);
  return settle(in, &(recent_link){hash.low, hash.high, in->page, pages});
}

uint32_t inlinks_count(const inlinks *in, const url *u)
{
  mlbf_hash128 hash = hash_of(in, u);
  const recent_link *link = slot_of(in, hash);
  uint64_t halves[2] = {hash.low, hash.high}, sum = is_of(link, hash) ? link->pending : 0;
  for (uint32_t i = 0; i < in->filter_count; i++)
    sum += mlbf_count_get(in->filters[i], (mlbf_span){halves, sizeof halves});
  return (uint32_t)(sum < MLBF_COUNT_LIMIT_MOST ? sum : MLBF_COUNT_LIMIT_MOST);
}

static void sync_directory_of(const char *path)
{
  char copy[PATH_SIZE];
  memcpy(copy, path, strlen(path) + 1);
  int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd); /* some file systems have nothing to sync here, and say so */
    close(fd);
  }
}

/* All are written before one takes its place: a full disk leaves the old ones. */
static mlbf_status replace_files(const inlinks *in)
{
  char name[NAME_SIZE], next[NAME_SIZE];
  mlbf_status status = MLBF_OK;
  uint32_t written = 0;
  for (; status == MLBF_OK && written < in->filter_count; written++) {
    file_names(in, written, name, next);
    status = own_file_is_plain(name, true) ? mlbf_count_save(in->filters[written], next) : MLBF_IO;
  }
  int why = errno;
  for (uint32_t i = 0; i < written; i++) {
    file_names(in, i, name, next);
    if (status == MLBF_OK && rename(next, name) != 0) {
      status = MLBF_IO;
      why = errno;
    }
    if (status != MLBF_OK)
      unlink(next);
  }
  sync_directory_of(in->path);
  errno = why;
  return status;
}

mlbf_status inlinks_save(inlinks *in)
{
  assert_inlinks(in);
  mlbf_status status = settle_all(in);
  if (status == MLBF_OK && *in->path && in->is_changed)
    status = replace_files(in);
  in->is_changed = in->is_changed && status != MLBF_OK;
  return status;
}

mlbf_status inlinks_save_as(inlinks *in, const char *path)
{
  if (strlen(path) >= PATH_SIZE)
    return MLBF_BAD_ARGUMENT;
  memcpy(in->path, path, strlen(path) + 1);
  in->is_changed = true;
  return inlinks_save(in);
}

/* ---- merging --------------------------------------------------------------------------------------------- */

/* A filter of the same kind and size, for the same keys? The secret is compared once. */
static bool fit(const mlbf_count *a, const mlbf_count *b)
{
  mlbf_count_stats x, y;
  mlbf_count_stats_read(a, &x);
  mlbf_count_stats_read(b, &y);
  return x.cells == y.cells && x.hashes == y.hashes && x.base_bits == y.base_bits &&
         strcmp(x.profile, y.profile) == 0; /* H1 and the limit are as of load_filters */
}

/* Those that both have. */
static mlbf_status check_fit(const inlinks *a, const inlinks *b)
{
  if (memcmp(a->secret, b->secret, sizeof a->secret) != 0)
    return MLBF_SECRET;
  bool is_fit = true;
  for (uint32_t i = 0; i < a->filter_count && i < b->filter_count; i++)
    is_fit = is_fit && fit(a->filters[i], b->filters[i]);
  return is_fit ? MLBF_OK : MLBF_MISMATCH;
}

/* An empty filter after those of `in`, made as `like`. */
static mlbf_status add_like(inlinks *in, const mlbf_count *like)
{
  mlbf_count_stats s;
  mlbf_count_stats_read(like, &s);
  return create_filter(in, NULL,
                       (mlbf_count_options){.size = sizeof(mlbf_count_options),
                                            .keys = s.keys,
                                            .cells = s.cells,
                                            .hashes = s.hashes,
                                            .base_bits = s.base_bits,
                                            .limit = s.limit,
                                            .minimal = s.minimal,
                                            .profile = s.profile});
}

mlbf_status inlinks_merge(inlinks *into, inlinks *from)
{
  mlbf_status status = settle_all(from);
  if (status == MLBF_OK)
    status = check_fit(into, from);
  while (status == MLBF_OK && into->filter_count < from->filter_count)
    status = add_like(into, from->filters[into->filter_count]);
  for (uint32_t i = 0; status == MLBF_OK && i < from->filter_count; i++) {
    status = mlbf_count_merge(into->filters[i], from->filters[i]);
    into->is_changed |= status == MLBF_OK;
  }
  return status;
}

/* Filters that `earlier` does not have yet are all new: merged into an empty one they are a copy. */
static mlbf_status subtract(const inlinks *later, const inlinks *earlier, inlinks *delta)
{
  mlbf_status status = check_fit(later, earlier);
  if (status == MLBF_OK && later->filter_count < earlier->filter_count)
    status = MLBF_MISMATCH;
  for (uint32_t i = 0; status == MLBF_OK && i < later->filter_count; i++)
    if (i < earlier->filter_count) {
      status = mlbf_count_difference(later->filters[i], earlier->filters[i], &delta->filters[i]);
      delta->filter_count += status == MLBF_OK;
      status = status == MLBF_OK ? took_first(delta) : status;
    } else if ((status = add_like(delta, later->filters[i])) == MLBF_OK) {
      status = mlbf_count_merge(delta->filters[i], later->filters[i]);
    }
  return status;
}

mlbf_status inlinks_difference(inlinks *later, inlinks *earlier, inlinks **delta)
{
  inlinks *made;
  mlbf_status status = settle_all(later);
  if (status == MLBF_OK)
    status = settle_all(earlier);
  if (status == MLBF_OK)
    status = make(NULL, &made);
  return status == MLBF_OK ? finish(subtract(later, earlier, made), made, delta) : status;
}
