/* See contents.h. */
#include "crawler/contents.h"

#include "crawler/crawl_dir.h"
#include "crawler/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS_MOST = 4,   /* looked into for one page: half a millisecond, also on a site whose pages are all alike */
  MATCHES = 2,     /* one may be the page itself, fetched before */
};

struct contents {
  mlbf_corpus *corpus;
  mlbf_corpus_match matches[MATCHES];
  size_t match_count;
  contents_near near;
  char failure[MLBF_CORPUS_MESSAGE_SIZE];
};

contents *contents_open(const char *directory)
{
  char path[CRAWL_PATH_SIZE], message[MLBF_CORPUS_MESSAGE_SIZE];
  contents *c = calloc(1, sizeof *c);
  if (!c) {
    say_error("crawl", "out of memory");
    return NULL;
  }
  crawl_dir_file(directory, "contents", path);
  mlbf_status status = mlbf_corpus_open(path, false, &c->corpus, message);
  if (status == MLBF_OK)
    return c;
  say_error("crawl", "%s; remove %s to begin with the pages to come, or go on without --similar", message, path);
  free(c);
  return NULL;
}

static void drop_matches(contents *c)
{
  mlbf_corpus_matches_free(c->matches, c->match_count);
  c->match_count = 0;
}

void contents_close(contents *c)
{
  if (!c)
    return;
  drop_matches(c);
  mlbf_corpus_close(c->corpus);
  free(c);
}

static const contents_near *find_near(contents *c, const char *page, const mlbf_shingles *shingles)
{
  const mlbf_corpus_question question = {.least = CONTENTS_NEAR, .mutual = true, .rows_most = ROWS_MOST};
  size_t count = MATCHES;
  if (mlbf_corpus_query(c->corpus, shingles, &question, c->matches, &count) != MLBF_OK) {
    snprintf(c->failure, sizeof c->failure, "%s", mlbf_corpus_message(c->corpus));
    return NULL;
  }
  c->match_count = count;
  for (size_t i = 0; i < count; i++) {
    const mlbf_corpus_match *match = &c->matches[i];
    if (strcmp(match->name, page) == 0)
      continue;
    c->near = (contents_near){match->name, match->share < match->back_share ? match->share : match->back_share};
    return &c->near;
  }
  return NULL;
}

const contents_near *contents_add(contents *c, const char *page, const mlbf_shingles *shingles)
{
  if (*c->failure || shingles->count == 0)
    return NULL;
  drop_matches(c);
  const contents_near *near = find_near(c, page, shingles);
  if (!*c->failure && mlbf_corpus_add(c->corpus, (mlbf_span){page, strlen(page)}, shingles) != MLBF_OK)
    snprintf(c->failure, sizeof c->failure, "%s", mlbf_corpus_message(c->corpus));
  return near;
}

const char *contents_failure(const contents *c)
{
  return c->failure;
}
