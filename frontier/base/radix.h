/* Numbers in order of their upper bits; those that are equal there stay in their order. */
#ifndef STRATA_FRONTIER_RADIX_H
#define STRATA_FRONTIER_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By the bits from `low_bit` on. false: no memory, and nothing has changed. */
bool radix_sort(uint64_t *numbers, size_t count, unsigned low_bit);

#endif
