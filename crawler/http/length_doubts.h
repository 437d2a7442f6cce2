/* URLs whose last answer had a Content-Length that libcurl does not take: the next one is read without looking at it.
 * Used where there is a delay between the two requests, so that the second is another one. Few wait at once. */
#ifndef STRATA_CRAWLER_LENGTH_DOUBTS_H
#define STRATA_CRAWLER_LENGTH_DOUBTS_H

#include <stdbool.h>

enum { LENGTH_DOUBTS_MAX = 64 };

typedef struct length_doubts {
  char *urls[LENGTH_DOUBTS_MAX]; /* NULL: free */
} length_doubts;                 /* all zero: empty */

bool length_doubts_add(length_doubts *d, const char *url);  /* false: there are too many, or memory is short */
bool length_doubts_take(length_doubts *d, const char *url); /* Was it there? Then it is no more. */
void length_doubts_clear(length_doubts *d);

#endif
