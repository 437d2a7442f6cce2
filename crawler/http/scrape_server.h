/* A server of one text, for programs of this machine that ask now and then: HTTP on 127.0.0.1, without a thread.
 *
 * It does what can be done at once, whenever its owner gives it a turn, and never waits. Whoever connects is taken for
 * hostile: a head of 4 KiB, eight connections, five seconds for each; one more ends the oldest. */
#ifndef STRATA_CRAWLER_SCRAPE_SERVER_H
#define STRATA_CRAWLER_SCRAPE_SERVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct scrape_server scrape_server;

/* Listens; port 0: on any that is free. NULL: errno says why not. */
scrape_server *scrape_server_open(uint16_t port);
void scrape_server_close(scrape_server *s); /* NULL is fine */

uint16_t scrape_server_port(const scrape_server *s);

/* The body of an answer, to be freed; NULL: out of memory. */
typedef char *scrape_text(void *context, size_t *size);

/* Accepts, reads and answers as far as nothing has to be waited for: GET and HEAD of `path`. */
void scrape_server_turn(scrape_server *s, const char *path, scrape_text *make, void *context);

#endif
