/* crawler/http/name_limit.h: how many host names are resolved at once.
 *
 * libcurl (7.88) starts a thread for each, and getaddrinfo cannot be told to give up: where the DNS does not answer, it
 * goes on after its transfer has timed out, for 10 seconds with one DNS server and 30 with three. Pages can name any
 * number of such hosts. So those that were given up are counted, too, and with too many no other is begun.
 *
 * Their threads are the process's, but for a few; the kernel counts them as links of /proc/self/task. Where there is no
 * /proc there is no limit. For one thread. */
#ifndef STRATA_CRAWLER_NAME_LIMIT_H
#define STRATA_CRAWLER_NAME_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Besides one for each connection in use, and those of fetch_options.readers. With 64 connections, a DNS server that
 * does not answer for 10 seconds and a shorter --timeout, 12 dead names pass a second. */
enum { NAME_LIMIT_GIVEN_UP = 64 };

typedef struct name_limit {
  uint64_t threads; /* of the process, at most */
  uint64_t line_ms; /* when the last of those that were refused was told to come; 0: none was */
} name_limit;

/* A name is to be resolved. false: too many are; ask again in `*wait_ms`, which is longer the more were told so. */
bool name_limit_take(name_limit *l, uint64_t now_ms, uint64_t *wait_ms);

/* There was no memory for its thread, as with `ulimit -v`: a stack takes 8 MB of addresses. true: others run and will
 * give theirs back; ask again in `*wait_ms`. From now on fewer are begun. */
bool name_limit_wait(name_limit *l, uint64_t now_ms, uint64_t *wait_ms);

#endif
