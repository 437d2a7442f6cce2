/* One URL between acceptance and its end, in memory. */
#ifndef STRATA_FRONTIER_ENTRY_H
#define STRATA_FRONTIER_ENTRY_H

#include "frontier/hosts/entry_pool.h"
#include "frontier/hosts/fields.h"
#include "frontier/host.h"

typedef struct host host;
typedef struct visit_note visit_note;

typedef struct entry {
  struct entry *next; /* in its host's line, which is a ring */
  host *host;
  uint64_t sequence; /* the lease id */
  frontier_origin origin;
  frontier_verdict verdict; /* that let it in */
  frontier_class class;     /* of the queue it is in */
  entry_pool *pool;         /* it is of; NULL: of none */
  visit_note *note;         /* what is said of its fetch, until it is committed: revisit_info.h. NULL: nothing */
  bool is_again;            /* its newest row is in table `again`, */
  bool is_fresh;            /* since this commit only */
  bool is_opaque;           /* `url` is a target that need not be a URL */
  uint8_t gap;              /* bytes between the URL's NUL and its fields, so that the payload is aligned */
  uint32_t host_begin, host_end;
  uint32_t url_size;
  uint32_t fields_size; /* fields.h */
  char url[];           /* NUL-terminated; then the gap and the fields */
} entry;

enum { PAYLOAD_ALIGNMENT = 16 };

/* In a pool (NULL: in none), with a copy of these fields. NULL: no memory. */
entry *entry_create(entry_pool *pool, uint64_t sequence, const char *fetch, uint32_t url_size, uint32_t host_begin,
                    uint32_t host_end, frontier_origin origin, field fields);
void entry_free(entry *e);          /* and its note; NULL is fine */
field entry_fields(const entry *e); /* all of them */
field entry_field(const entry *e, field_tag tag);

enum { FIELDS_SIZE_MAX = 4 * FIELD_HEAD + sizeof(mlbf_hash128) + 4 + 8 + FRONTIER_PAYLOAD_MAX };

#endif
