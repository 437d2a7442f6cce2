/* crawler/cluster/carrier.h: parcels and acknowledgments between a frontier and Redis.
 *
 * Each partition p has a stream, NAME:in:p. Others append to it; its owner reads it in order, remembers in memory how
 * far, and trims it once what he read is committed. Nothing is lost with the stream: who wrote a parcel holds it, and
 * writes it again after half a minute without an acknowledgment, or at once after a loss of connection. */
#ifndef STRATA_CRAWLER_CARRIER_H
#define STRATA_CRAWLER_CARRIER_H

#include "crawler/cluster/broker.h"
#include "frontier/exchange.h"

typedef struct carrier carrier;

/* Borrows both. NULL: out of memory, or `f` has no partitions. */
carrier *carrier_create(frontier *f, broker *b);
void carrier_free(carrier *c);

/* Sends what is to be sent, takes what came. Never waits. Not FRONTIER_OK: the frontier failed; what was to be taken
 * then is taken again in a later turn. */
frontier_status carrier_turn(carrier *c, const frontier_inbox_rules *rules, uint64_t now_ms);

/* That `other` has this life, or had; heard in another way than by a message, which may be lost. */
void carrier_learn(carrier *c, uint32_t other, uint64_t incarnation);

/* What was taken in this run and was no message of this crawl; the last one's fault. */
uint64_t carrier_refused(const carrier *c, const char **why);
/* The longest time that a partition has left all parcels sent to it unacknowledged; 0: none waits for one. */
uint64_t carrier_oldest(const carrier *c, uint64_t now_ms);
/* Another process has, or had, a later copy of this directory: it must not go on. */
bool carrier_is_mismatched(const carrier *c);

#endif
