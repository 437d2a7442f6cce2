/* See fingerprint_index.h. */
#include "crawler/loop/fingerprint_index.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS_MOST = 4, /* looked into for one page: half a millisecond, also on a site whose pages are all alike */
  MATCHES = 2,   /* one may be the page itself, fetched before */
};

struct fingerprint_index {
  mlbf_corpus *corpus;
  mlbf_corpus_match matches[MATCHES];
  size_t match_count;
  fingerprint_near near;
};

fingerprint_index *fingerprint_index_open(const char *directory)
{
  char path[CRAWL_PATH_SIZE], message[MLBF_CORPUS_MESSAGE_SIZE];
  fingerprint_index *c = calloc(1, sizeof *c);
  if (!c) {
    say_error("crawl", "out of memory");
    return NULL;
  }
  crawl_dir_file(directory, "contents", path);
  mlbf_status status = mlbf_corpus_open(path, false, &c->corpus, message);
  if (status == MLBF_OK)
    return c;
  say_error("crawl", "%s; remove %s to index only the pages to come, or use --no-similar", message, path);
  free(c);
  return NULL;
}

static void drop_matches(fingerprint_index *c)
{
  mlbf_corpus_matches_free(c->matches, c->match_count);
  c->match_count = 0;
  c->near.url = NULL;
}

void fingerprint_index_close(fingerprint_index *c)
{
  if (!c)
    return;
  drop_matches(c);
  mlbf_corpus_close(c->corpus);
  free(c);
}

static mlbf_status find_near(fingerprint_index *c, const char *page, const mlbf_shingles *shingles)
{
  const mlbf_corpus_question question = {.least = CONTENTS_NEAR, .mutual = true, .rows_most = ROWS_MOST};
  size_t count = MATCHES;
  mlbf_status status = mlbf_corpus_query(c->corpus, shingles, &question, c->matches, &count);
  if (status != MLBF_OK)
    return status;
  assert(count <= MATCHES && !c->near.url);
  c->match_count = count;
  for (size_t i = 0; i < count && !c->near.url; i++) {
    const mlbf_corpus_match *match = &c->matches[i];
    if (strcmp(match->name, page) != 0)
      c->near = (fingerprint_near){match->name, match->share < match->back_share ? match->share : match->back_share};
  }
  return MLBF_OK;
}

mlbf_status fingerprint_index_add(fingerprint_index *c, const char *page, const mlbf_shingles *shingles,
                                  const fingerprint_near **near)
{
  *near = NULL;
  if (shingles->count == 0)
    return MLBF_OK;
  drop_matches(c);
  mlbf_status status = find_near(c, page, shingles);
  if (status == MLBF_OK)
    status = mlbf_corpus_add(c->corpus, (mlbf_span){page, strlen(page)}, shingles);
  if (status == MLBF_OK && c->near.url)
    *near = &c->near;
  return status;
}

mlbf_status fingerprint_index_flush(fingerprint_index *c)
{
  return mlbf_corpus_flush(c->corpus);
}

const char *fingerprint_index_message(const fingerprint_index *c)
{
  return mlbf_corpus_message(c->corpus);
}

static bool go_on(void *context, mlbf_span name, const uint64_t *shingles, size_t count)
{
  (void)context, (void)name, (void)shingles, (void)count;
  return true;
}

bool fingerprint_index_is_sound(const char *directory, char message[MLBF_CORPUS_MESSAGE_SIZE])
{
  char path[CRAWL_PATH_SIZE];
  mlbf_corpus *c = NULL;
  crawl_dir_file(directory, "contents", path);
  mlbf_status status = mlbf_corpus_open(path, true, &c, message);
  if (status == MLBF_IO && errno == ENOENT)
    return true;
  if (status == MLBF_OK && (status = mlbf_corpus_each(c, go_on, NULL)) != MLBF_OK)
    snprintf(message, MLBF_CORPUS_MESSAGE_SIZE, "%s", mlbf_corpus_message(c));
  mlbf_corpus_close(c);
  return status == MLBF_OK;
}
