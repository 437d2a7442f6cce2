/* See redirect_loops.h. A table with one place for each hash: a later redirect takes the place of an earlier one. */
#include "crawler/loop/redirect_loops.h"

#include <stdlib.h>

enum { PLACES = 1 << 13, HOPS_MAX = 20 };

typedef struct redirect {
  uint64_t from, to; /* 0: free */
} redirect;

struct redirect_loops {
  redirect places[PLACES];
};

redirect_loops *redirect_loops_create(void)
{
  return calloc(1, sizeof(redirect_loops));
}

void redirect_loops_free(redirect_loops *r)
{
  free(r);
}

bool redirect_loops_note(redirect_loops *r, uint64_t from, uint64_t to)
{
  r->places[from % PLACES] = (redirect){from, to};
  for (unsigned i = 0; i < HOPS_MAX && to != from; i++) {
    const redirect *next = &r->places[to % PLACES];
    if (next->from != to)
      return false;
    to = next->to;
  }
  return to == from;
}
