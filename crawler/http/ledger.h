/* What a server may send in one transfer. What exceeds a limit ends the transfer (FETCH_LIMIT), and pages.jsonl names
 * the limit; crawler/loop/PAGES.md lists them for users.
 *
 * Without it libcurl (7.88) keeps trailers in memory without end, and a body that decodes to nothing, or is framed by
 * endless chunk extensions, goes on until --timeout. */
#ifndef STRATA_CRAWLER_LEDGER_H
#define STRATA_CRAWLER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LEDGER_FIELDS = 1000, /* lines of all heads of a transfer: the final one, interim ones, a proxy's */
  LEDGER_HEAD_BYTES = 256 << 10,
  LEDGER_LINE_BYTES = 64 << 10,
  LEDGER_INTERIM = 20, /* responses with status 1xx */
  LEDGER_COOKIES = 200,
  LEDGER_TRAILERS = 100,
  LEDGER_TRAILER_BYTES = 16 << 10,
  LEDGER_BODY_TIMES = 8,      /* bytes on the wire for each one that a body may have decoded, ... */
  LEDGER_WIRE_MORE = 1 << 20, /* ... and more than that */
};

/* The names of limits, as in pages.jsonl. */
extern const char ledger_long_line[], ledger_head_bytes[], ledger_trailers[], ledger_wire_bytes[], ledger_tls_records[],
  ledger_codings[];

typedef struct ledger {
  const char *exceeded; /* the name of the limit that was; NULL: none */
  uint32_t fields, head_bytes, interim, cookies, trailers, trailer_bytes;
} ledger; /* all zero: nothing came yet */

/* A status line, header field, trailer or empty line, with its end; `is_trailer`: behind the final response's head.
 * false: a limit is exceeded, and l->exceeded names it. */
bool ledger_add_line(ledger *l, const char *line, size_t size, bool is_trailer);

/* What may come over the wire for a body that may have `body_max` decoded; so much its codings may make on the way. */
uint64_t ledger_wire_max(uint64_t body_max);

/* So many bytes came over the wire for it. false: as above. */
bool ledger_see_wire(ledger *l, uint64_t bytes, uint64_t body_max);

#endif
