/* See merge_counts.h.
 *
 *     the secret of the new crawl     cell by cell (inlinks_merge)
 *     another secret                  URL by URL: of each that the crawl keeps, the count there is added here. Counts
 *                                     of links that it did not keep are lost */
#include "crawler/commands/merge_counts.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "frontier/base/own_file.h"
#include "frontier/inlinks.h"
#include "mlbf/key_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECTED = 1000000 }; /* as strata crawl expects without --expect */

typedef struct adding {
  const char *output;
  uint8_t secret[MLBF_SECRET_BYTES]; /* of the new crawl */
  inlinks *sum;                      /* NULL: none had any so far */
} adding;

/* Nothing is said of a crawl without counts. */
static bool has_failed(const char *directory, mlbf_status status)
{
  if (status != MLBF_OK && !(status == MLBF_IO && errno == ENOENT))
    say_error("merge", "%s: its in-link counts are left out: %s", directory,
              status == MLBF_IO         ? own_file_words(errno)
              : status == MLBF_MISMATCH ? "the crawls began with another --expect, or version of strata"
                                        : mlbf_status_text(status));
  return status != MLBF_OK;
}

/* Those of the same secret. */
static void add_cells(adding *to, const char *directory, inlinks *one)
{
  if (!to->sum) {
    to->sum = one;
    return;
  }
  has_failed(directory, inlinks_merge(to->sum, one));
  inlinks_close(one);
}

/* ---- URL by URL ----------------------------------------------------------------------------------------- */

typedef struct url_walk {
  inlinks *to;
  const inlinks *from;
  mlbf_key_set *met; /* a URL that was queued twice counts once */
  url_profile profile;
  mlbf_status status;
  url u;
} url_walk;

static bool add_url(void *context, const frontier_record *record)
{
  url_walk *w = context;
  bool was_met;
  if (url_parse(record->url, record->url_size, w->profile, &w->u) != URL_OK)
    return true;
  mlbf_span key = {w->u.key, w->u.key_size};
  w->status = mlbf_key_set_insert(w->met, mlbf_key_set_hash(w->met, key), &was_met);
  if (w->status == MLBF_OK && !was_met)
    w->status = inlinks_add(w->to, &w->u, inlinks_count(w->from, &w->u));
  return w->status == MLBF_OK;
}

static mlbf_status add_urls(const adding *to, frontier *f, const inlinks *from)
{
  frontier_stats stats;
  url_walk *w = calloc(1, sizeof *w);
  mlbf_status status = w ? mlbf_key_set_create(to->secret, 0, NULL, &w->met) : MLBF_NO_MEMORY;
  if (status == MLBF_OK) {
    w->to = to->sum;
    w->from = from;
    bool is_read = frontier_stats_read(f, &stats) == FRONTIER_OK;
    w->profile = stats.profile;
    is_read = is_read && frontier_each(f, add_url, w) == FRONTIER_OK;
    status = is_read ? w->status : MLBF_DAMAGED;
    mlbf_key_set_free(w->met);
  }
  free(w);
  return status;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static void add_counts_of(adding *to, const char *directory, bool of_same_secret)
{
  char path[CRAWL_PATH_SIZE];
  uint8_t secret[MLBF_SECRET_BYTES];
  inlinks *one = NULL;
  frontier *f = crawl_dir_open("merge", directory);
  if (!f)
    return;
  frontier_secret(f, secret);
  crawl_dir_file(directory, "inlinks", path);
  bool is_same = memcmp(secret, to->secret, sizeof secret) == 0;
  if (is_same == of_same_secret && !has_failed(directory, inlinks_open_existing_with(path, secret, &one))) {
    if (is_same)
      add_cells(to, directory, one);
    else if (to->sum || !has_failed(to->output, inlinks_open_with(NULL, EXPECTED, to->secret, &to->sum)))
      has_failed(directory, add_urls(to, f, one));
    if (!is_same)
      inlinks_close(one);
  }
  frontier_close(f);
}

void merge_counts(const char *output, char **directories, size_t count)
{
  char path[CRAWL_PATH_SIZE];
  adding to = {.output = output};
  frontier *f = crawl_dir_open("merge", output);
  if (!f)
    return;
  frontier_secret(f, to.secret);
  frontier_close(f);
  for (size_t i = 0; i < count; i++)
    add_counts_of(&to, directories[i], true);
  for (size_t i = 0; i < count; i++)
    add_counts_of(&to, directories[i], false);
  crawl_dir_file(output, "inlinks", path);
  if (to.sum)
    has_failed(output, inlinks_save_as(to.sum, path));
  inlinks_close(to.sum);
}
