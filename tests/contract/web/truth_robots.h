/* tests/contract/web/truth_robots.h: robots.txt as RFC 9309 has it, read naively: the rules for "*", the longest match
 * wins. */
#ifndef STRATA_TESTS_WEB_READER_ROBOTS_H
#define STRATA_TESTS_WEB_READER_ROBOTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct reader_rule {
  bool allows;
  char *pattern;
} reader_rule;

typedef struct reader_robots {
  bool is_dead;  /* no answer */
  bool bars_all; /* a failure of the server */
  reader_rule *rules;
  size_t count;
  char sitemap[256]; /* "": none */
} reader_robots;

/* `status` 0: there was no answer. */
void reader_robots_read(reader_robots *robots, int status, const char *body);
bool reader_robots_allow(const reader_robots *robots, const char *target);
void reader_robots_free(reader_robots *robots);

#endif
