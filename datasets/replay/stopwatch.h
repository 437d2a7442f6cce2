/* datasets/replay/stopwatch.h: many short timings and their median, which one interruption does not move. */
#ifndef STRATA_DATASETS_STOPWATCH_H
#define STRATA_DATASETS_STOPWATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stopwatch { /* zero bytes: one without timings */
  double *ns;
  size_t count, room;
} stopwatch;

uint64_t stopwatch_now_ns(void);
bool stopwatch_add(stopwatch *watch, double ns); /* false: errno says why */
double stopwatch_median(stopwatch *watch);       /* 0 if there are none; sorts the timings */
void stopwatch_clear(stopwatch *watch);
void stopwatch_free(stopwatch *watch);

#endif
