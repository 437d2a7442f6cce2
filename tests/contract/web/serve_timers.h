/* tests/contract/web/serve_timers.h: what has to happen later, the earliest first. A binary heap. */
#ifndef STRATA_TESTS_WEB_SERVE_TIMERS_H
#define STRATA_TESTS_WEB_SERVE_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct timer {
  uint64_t when_ms;
  uint64_t serial; /* of the connection: one that is gone has none any more */
  int fd;
  int32_t stream; /* of HTTP/2; else 0 */
} timer;

/* All zeros is empty. */
typedef struct timers {
  timer *heap;
  size_t count, room;
} timers;

void timers_free(timers *t);
void timers_add(timers *t, timer new);
bool timers_take(timers *t, uint64_t now_ms, timer *due); /* the earliest that is due; false: none is */
int timers_wait_ms(const timers *t, uint64_t now_ms);     /* until the earliest; -1: there is none */

#endif
