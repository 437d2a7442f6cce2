/* History records: how a URL ended. FORMAT.md, table "ended". */
#ifndef STRATA_FRONTIER_HISTORY_H
#define STRATA_FRONTIER_HISTORY_H

#include "frontier/hosts/entry.h"

typedef struct ended_url {
  frontier_state state;
  frontier_class class; /* TRAP, or NORMAL for any other */
  uint16_t code;
  frontier_origin origin;
  field url, key; /* key: the hash of the caller's own, if there was one */
} ended_url;

enum { HISTORY_HEAD = 16 };

/* The body of the record of an entry that ended, history_size(e) bytes. */
size_t history_size(const entry *e);
void history_write(const entry *e, uint8_t *body);

/* The part host[:port] of a fetch URL. */
void history_host(const char *fetch, size_t size, uint32_t *begin, uint32_t *end);

/* The URL as it stood in the queue, without its payload; its host is the caller's to set. NULL: no memory. */
entry *history_entry(uint64_t sequence, const ended_url *ended);

/* Points into `body`. false: damaged. */
bool history_read(const uint8_t *body, size_t size, ended_url *out);

#endif
