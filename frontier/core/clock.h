/* The frontier's own time: a part of the handle (part.h). Each public call with a `now_ms` asks once for the own time
 * of it; inside, all times are own times. */
#ifndef STRATA_FRONTIER_CLOCK_H
#define STRATA_FRONTIER_CLOCK_H

#include "frontier/frontier.h"

typedef struct own_clock {
  uint64_t latest_ms;     /* own time */
  uint64_t shift_ms;      /* own time less the caller's `now_ms` */
  int64_t wall_offset_ms; /* wall-clock time less own time */
  bool has_wall;          /* it is known, */
  bool is_wall_told;      /* and not only assumed to be `now_ms` */
} own_clock;

uint64_t clock_now(frontier *f, uint64_t now_ms);           /* and from now on it is no earlier */
uint64_t clock_glance(const frontier *f, uint64_t now_ms);  /* for calls that start nothing: changes nothing */
uint64_t clock_latest(const frontier *f);                   /* what clock_now said last */
uint64_t clock_said(const frontier *f, uint64_t own_ms);    /* the caller's time at this own time */
void clock_assume_wall(frontier *f, uint64_t now_ms);       /* `now_ms` is wall time, unless frontier_clock said else */
bool clock_has_wall(const frontier *f);                     /* the four below can be answered */
bool clock_is_told(const frontier *f);                      /* ... and hold in the next run, too */
uint64_t clock_wall_s(const frontier *f, uint64_t own_ms);  /* seconds since 1970, the next whole one */
uint64_t clock_wall_ms(const frontier *f, uint64_t own_ms); /* milliseconds since 1970 */
uint64_t clock_own_of_ms(const frontier *f, uint64_t wall_ms); /* the other way; 0: before own time began */
uint64_t clock_own_of(const frontier *f, uint64_t wall_s);     /* the other way; 0: before own time began */
uint64_t clock_told_s(const frontier *f);                      /* the wall clock's latest; UINT64_MAX: only assumed */

#endif
