/* See report_pairs.h. */
#include "crawler/report/report_pairs.h"

#include <stdlib.h>
#include <string.h>

static void drop(report_pair *pair)
{
  free(pair->one);
  free(pair->other);
}

bool report_pairs_add(report_pairs *p, const char *one, const char *other, double share)
{
  size_t at = p->count;
  p->all++;
  if (at == REPORT_PAIRS && share <= p->best[at - 1].share)
    return true;
  report_pair pair = {strdup(one), strdup(other), share};
  if (!pair.one || !pair.other) {
    drop(&pair);
    return false;
  }
  if (at == REPORT_PAIRS)
    drop(&p->best[--at]);
  else
    p->count++;
  for (; at > 0 && p->best[at - 1].share < share; at--)
    p->best[at] = p->best[at - 1];
  p->best[at] = pair;
  return true;
}

void report_pairs_free(report_pairs *p)
{
  for (size_t i = 0; i < p->count; i++)
    drop(&p->best[i]);
  p->count = 0;
}
