/* tests/site/raw.h: a server whose answers are whatever a test writes to the socket, right or wrong. */
#ifndef STRATA_TESTS_SITE_RAW_H
#define STRATA_TESTS_SITE_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Called in a process of its own for each connection, with the target of its first request. The connection is closed
 * when it returns. */
typedef void raw_answer(int fd, const char *target);

/* Of that request, in that process: the rest of its head, behind the target. */
const char *raw_head(void);
bool raw_is_head(void); /* its method is HEAD: no body is wanted */

/* Starts serving on 127.0.0.1; `*port` gets the port. The server dies with the caller, or by process_kill(). */
pid_t raw_start(raw_answer *answer, unsigned *port);
pid_t raw_start_at(raw_answer *answer, const char *address, unsigned *port); /* "0.0.0.0": on all of IPv4's */

/* In an answer: does the request have this header line, as in "If-None-Match: \"1\""? */
bool raw_request_has(const char *line);

/* All of `bytes`, or as much as the other side takes; ends the process once it takes no more. */
void raw_send(int fd, const void *bytes, size_t size);
void raw_send_string(int fd, const char *string);

#endif
