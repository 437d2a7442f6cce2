/* tests/site/requests.h: what the server saw, read back from its log. */
#ifndef STRATA_TESTS_SITE_REQUESTS_H
#define STRATA_TESTS_SITE_REQUESTS_H

#include "tests/site/grown_text.h"

typedef struct request_line {
  int status; /* 0: the client went away before the answer */
  const char *host, *method, *target, *agent;
} request_line;

typedef struct request_log {
  request_line *lines;
  size_t count;
  text file; /* what the lines point into */
} request_log;

request_log requests_read(const char *log_path);
void requests_free(request_log *r);

/* Was this line left by trial_mark(name)? With NULL, by any. */
bool request_is_mark(const request_line *line, const char *name);

#endif
