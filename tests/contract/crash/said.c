/* See said.h. */
#include "tests/contract/crash/said.h"

#include "mlbf/corpus.h"
#include "tests/site/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static mlbf_corpus *open_corpus(const trial *t)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE], *path = trial_path(t, "crawl/contents");
  mlbf_corpus *c = NULL;
  if (mlbf_corpus_open(path, true, &c, message) != MLBF_OK)
    fail_msg("%s", message);
  free(path);
  return c;
}

/* An HTML page that was done; all that the generated site makes say something. */
static bool is_page(const json_t *line)
{
  const char *type = json_string_value(json_object_get(line, "type"));
  return json_integer_value(json_object_get(line, "status")) == 200 && type && strncmp(type, "text/html", 9) == 0 &&
         json_integer_value(json_object_get(line, "body_bytes")) > 0;
}

unsigned said_missing(const trial *t, unsigned *pages)
{
  unsigned missing = 0;
  mlbf_corpus *c = open_corpus(t);
  page_log log = pages_read(t->pages);
  *pages = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    mlbf_shingles found = {0};
    if (!is_page(json_array_get(log.list, i)))
      continue;
    const char *name = pages_url(&log, i);
    assert_int_equal(mlbf_corpus_find(c, (mlbf_span){name, strlen(name)}, &found), MLBF_OK);
    missing += found.count == 0;
    ++*pages;
    mlbf_shingles_free(&found);
  }
  pages_free(&log);
  mlbf_corpus_close(c);
  return missing;
}
