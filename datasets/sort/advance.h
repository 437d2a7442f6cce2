/* datasets/sort/advance.h: how far a long step is, for the one who waits. */
#ifndef STRATA_DATASETS_ADVANCE_H
#define STRATA_DATASETS_ADVANCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct advance {
  void (*told)(void *context, uint64_t done, uint64_t whole); /* often, in units of its own */
  void *context;
} advance;

enum { ADVANCE_EACH = 1 << 14 }; /* records between two calls */

/* `to` may be NULL. */
static inline void advance_tell(const advance *callback, uint64_t done, uint64_t whole)
{
  if (callback != NULL && done % ADVANCE_EACH == 0)
    callback->told(callback->context, done, whole);
}

#endif
