/* Named counters: few, read and raised often, committed with the batch as text ("name value\n" each). */
#ifndef STRATA_FRONTIER_COUNTERS_H
#define STRATA_FRONTIER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_MAX = 64, COUNTER_NAME_SIZE = 48, COUNTERS_TEXT_MAX = COUNTERS_MAX * (COUNTER_NAME_SIZE + 24) };

typedef struct counters {
  struct {
    char name[COUNTER_NAME_SIZE];
    uint64_t value;
  } each[COUNTERS_MAX];
  size_t count;
} counters;

bool counters_add(counters *c, const char *name, uint64_t add); /* false: name too long or empty, or table full */
uint64_t counters_get(const counters *c, const char *name);     /* 0 if never raised */

size_t counters_write(const counters *c, char text[COUNTERS_TEXT_MAX]);
bool counters_read(counters *c, const char *text, size_t size);

#endif
