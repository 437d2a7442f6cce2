/* tests/support/share.h: of many calls that a test lets fail one after the other, those whose turn it is. A loop over
 * call numbers begins at share_first(k) and goes on by share_step(k): each k-th call, and others for another commit, so
 * that k commits have had them all. The night has every call. check.sh sets what says so. */
#ifndef STRATA_TESTS_SHARE_H
#define STRATA_TESTS_SHARE_H

#include <stdlib.h>

static inline unsigned share_step(unsigned k)
{
  const char *night = getenv("STRATA_NIGHT");
  return night && *night ? 1 : k;
}

static inline unsigned share_first(unsigned k)
{
  const char *commit = getenv("STRATA_COMMIT");
  return 1 + (unsigned)((commit ? strtoul(commit, NULL, 10) : 0) % share_step(k));
}

#endif
