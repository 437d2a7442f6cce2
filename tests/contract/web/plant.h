/* Bugs planted on purpose, to see that the swarm finds them: they lie between crawl and frontier (witness_wrap.c), not
 * in the program. */
#ifndef STRATA_TESTS_WEB_PLANT_H
#define STRATA_TESTS_WEB_PLANT_H

#include <stdbool.h>

typedef enum plant {
  PLANT_NONE,
  PLANT_LOST_LINK,      /* a few new URLs are called seen */
  PLANT_PAGE_TWICE,     /* a few URLs that were seen are queued once more */
  PLANT_HOST_TOO_EARLY, /* the frontier is told, now and then, that it is later than it is */
  PLANT_HOST_STARVES,   /* what a few hosts give is put back unasked */
  PLANT_END_TOO_SOON,   /* "finished", now and then, while nothing is in flight */
  PLANT_LOST_COMMIT,    /* a page is said to be done once in a while, and the frontier does not hear of it */
  PLANTS
} plant;

extern plant planted;

extern const char *const plant_names[PLANTS]; /* "none", "lost-link", ... */

#endif
