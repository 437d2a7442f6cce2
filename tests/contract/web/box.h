/* tests/contract/web/box.h: one web, the server that serves it, a crawl through it, and what became of that.
 *
 *     box_open -> box_strata, as often as you like -> box_score -> box_close */
#ifndef STRATA_TESTS_WEB_BOX_H
#define STRATA_TESTS_WEB_BOX_H

#include "tests/support/scratch.h"
#include "tests/site/process.h"
#include "tests/contract/web/score.h"

typedef struct box {
  web *w;
  const char *line;
  pid_t server;
  char home[SCRATCH_PATH], log[SCRATCH_PATH], authority[SCRATCH_PATH];
  char proxy[64];       /* "http://127.0.0.1:PORT" */
  int http, https, dns; /* ports */
  text start;           /* URL of host 0 */
} box;

box *box_open(const char *line);
void box_close(box *b);

/* `strata crawl` through the server as proxy, over all hosts, and these words (NULL-terminated). Its exit code. */
int box_strata(box *b, const char *const words[]);

/* Ends the server and holds its log against the truth. */
score box_score(box *b, const web_rules *rules, uint64_t delay_ms);

#endif
