/* History records: how a URL ended. FORMAT.md, table "history". */
#ifndef STRATA_FRONTIER_HISTORY_H
#define STRATA_FRONTIER_HISTORY_H

#include "frontier/entry.h"

typedef struct ended_url {
  frontier_state state;
  frontier_class class; /* TRAP, or NORMAL for any other */
  uint16_t code;
  frontier_origin origin;
  field url, key;   /* key: the hash of the caller's own, if there was one */
} ended_url;

enum {
  HISTORY_HEAD = 16,
  HISTORY_SIZE_MAX = HISTORY_HEAD + 4 + FIELD_HEAD + sizeof(mlbf_hash128) + URL_LENGTH_MAX,
};

/* The body of the record; its size. */
size_t history_write(const entry *e, frontier_state state, uint16_t code, uint8_t body[HISTORY_SIZE_MAX]);

/* The part host[:port] of a fetch URL. */
void history_host(const char *fetch, size_t size, uint32_t *begin, uint32_t *end);

/* The URL as it stood in the queue, but for its payload; its host is the caller's to set. NULL: no memory. */
entry *history_entry(uint64_t sequence, const ended_url *ended);

/* Points into `body`. false: damaged. */
bool history_read(const uint8_t *body, size_t size, ended_url *out);

#endif
