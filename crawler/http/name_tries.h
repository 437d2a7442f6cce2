/* crawler/http/name_tries.h: no DNS server is asked for longer than a fetch may take.
 *
 * A thread that resolves a name outlives its fetch (name_limit.h). By default the C library asks each DNS server for 5
 * seconds, twice: with a --timeout of up to 5 seconds only the first question can be of use, for that long. */
#ifndef STRATA_CRAWLER_NAME_TRIES_H
#define STRATA_CRAWLER_NAME_TRIES_H

/* Changes the environment, so there may be no other thread yet. Where `resolv_conf` or RES_OPTIONS say how long and how
 * often, that holds. */
void name_tries_limit(const char *resolv_conf, long timeout_ms);

#endif
