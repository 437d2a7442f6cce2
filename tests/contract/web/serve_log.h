/* tests/contract/web/serve_log.h: a line for each request, written and read back.
 *
 *     123 \t http \t www.site12.test \t /d1/12.html \t 200 \t 2041 \t whole
 *
 * Milliseconds of the server's clock at which the request was read; the status, 0 where none was sent; bytes of the
 * body; and how it ended: whole, reset, cut, never, refused, nameless,
 * distrusted (an answer was sent to a client that did trust). */
#ifndef STRATA_TESTS_WEB_SERVE_LOG_H
#define STRATA_TESTS_WEB_SERVE_LOG_H

#include "tests/contract/web/web.h"

#include <stdio.h>

typedef struct serve_log {
  int fd; /* -1: nothing is kept */
  text lines;
  uint64_t written_ms;
} serve_log;

/* A new file, or one made empty; NULL: none. False: errno says why. */
bool serve_log_open(serve_log *log, const char *path);
void serve_log_close(serve_log *log);
void serve_log_add(serve_log *log, const web_request *request, const web_reply *reply);
void serve_log_flush(serve_log *log, uint64_t now_ms, bool at_once); /* at least once a second */

typedef struct serve_log_line {
  uint64_t ms;
  bool is_https;
  char *host, *target; /* in the line given */
  int status;
  uint64_t bytes;
  web_ending ending;
} serve_log_line;

/* Takes a line apart in place; false: it is no such line. */
bool serve_log_read(char *line, serve_log_line *read);

#endif
