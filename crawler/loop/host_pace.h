/* crawler/loop/host_pace.h: requests beside the frontier's turns.
 *
 * The frontier gives each host its turns, at least a delay apart. A robots.txt may redirect to any host, which must be
 * asked then although no URL of it was leased. Such a request waits until the host's delay is over and fewer than
 * `per_host` requests to it are under way, and the next turn of the host waits for it in return. Pages and such
 * requests take turns: a host gets every second one at least for its own pages, and none of the others is passed over
 * for ever.
 *
 * Fixed memory, of hosts asked a moment ago. Hosts that find no place for themselves share one, and wait longer. */
#ifndef STRATA_CRAWLER_HOST_PACE_H
#define STRATA_CRAWLER_HOST_PACE_H

#include "mlbf/secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct host_pace host_pace;
typedef uint16_t pace_place; /* of a host, for as long as a request to it is under way */

/* NULL: out of memory. */
host_pace *host_pace_create(unsigned per_host, uint64_t delay_ms, const uint8_t secret[MLBF_SECRET_BYTES]);
void host_pace_free(host_pace *p); /* NULL is fine */

/* A request in a turn of the host (host[:port]) begins. */
pace_place host_pace_begin(host_pace *p, const char *host, size_t size, uint64_t now_ms);

/* Its robots.txt asks for this delay, which counts from its last request. */
void host_pace_delay(host_pace *p, const char *host, size_t size, uint64_t now_ms, uint64_t delay_ms);

/* One beside its turns: true if it begins. false: ask again in `*wait_ms`, which is longer the more were told so. */
bool host_pace_begin_beside(host_pace *p, const char *host, size_t size, uint64_t now_ms, pace_place *place,
                            uint64_t *wait_ms);

/* The request has ended. `was_beside`: it began by host_pace_begin_beside. */
void host_pace_end(host_pace *p, pace_place place, bool was_beside);

/* The host wants no request for so long. */
void host_pace_rest(host_pace *p, const char *host, size_t size, uint64_t now_ms, uint64_t rest_ms);

/* How long no request may go to the host, of either kind. */
uint64_t host_pace_left_ms(const host_pace *p, const char *host, size_t size, uint64_t now_ms);

/* How long a turn of the host has to wait for requests beside it; 0: not at all. `delay_ms`: what robots.txt asks for,
 * if that is known by now. */
uint64_t host_pace_wait_ms(const host_pace *p, const char *host, size_t size, uint64_t now_ms, uint64_t delay_ms);

#endif
