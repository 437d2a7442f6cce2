/* crawler/cluster/ending_waves.h: is the whole crawl over? The waves of frontier/exchange.h, carried by Redis.
 *
 *     NAME:wave     the wave that was drawn last
 *     NAME:replies  a field a partition
 *     NAME:over     the lives for which the crawl was found to be over
 *     NAME:done     a field for each partition that knows it */
#ifndef STRATA_CRAWLER_ENDING_WAVES_H
#define STRATA_CRAWLER_ENDING_WAVES_H

#include "crawler/cluster/broker.h"
#include "crawler/cluster/carrier.h"
#include "frontier/exchange.h"

typedef struct ending_waves ending_waves;

/* Borrows all; NULL: out of memory. */
ending_waves *ending_waves_create(frontier *f, broker *b, carrier *c);
void ending_waves_free(ending_waves *w);

/* `is_done`: this partition fetches nothing more, though URLs wait in it, for it is at a cap. */
void ending_waves_turn(ending_waves *w, bool is_done, uint64_t now_ms);

/* All partitions are idle, and all know it, or half a minute has passed since. */
bool ending_waves_is_over(const ending_waves *w);

#endif
