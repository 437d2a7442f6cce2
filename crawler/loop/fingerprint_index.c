/* See fingerprint_index.h. */
#include "crawler/loop/fingerprint_index.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fingerprint_index {
  mlbf_corpus *corpus;
  char *url; /* of what the last page is near; ours */
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
  if (status == MLBF_OK && (status = mlbf_corpus_near_open(c->corpus)) != MLBF_OK)
    snprintf(message, sizeof message, "%s", mlbf_corpus_message(c->corpus));
  if (status == MLBF_OK)
    return c;
  mlbf_corpus_close(c->corpus);
  say_error("crawl", "%s; remove %s to index only the pages to come, or use --no-similar", message, path);
  free(c);
  return NULL;
}

static void drop_near(fingerprint_index *c)
{
  free(c->url);
  c->url = NULL;
}

void fingerprint_index_close(fingerprint_index *c)
{
  if (!c)
    return;
  drop_near(c);
  mlbf_corpus_close(c->corpus);
  free(c);
}

mlbf_status fingerprint_index_add(fingerprint_index *c, const char *page, const mlbf_shingles *shingles,
                                  const fingerprint_near **near)
{
  *near = NULL;
  if (shingles->count == 0)
    return MLBF_OK;
  drop_near(c);
  mlbf_status status = mlbf_corpus_add(c->corpus, (mlbf_span){page, strlen(page)}, shingles, &c->url, &c->near.share);
  c->near.url = c->url;
  if (c->url)
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
