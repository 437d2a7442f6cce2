/* Fields: optional data of a URL, in a row of (tag, size, bytes). In a queue or history record they precede the URL, in
 * an entry in memory they follow it. FORMAT.md, "fields". */
#ifndef STRATA_FRONTIER_FIELDS_H
#define STRATA_FRONTIER_FIELDS_H

#include "mlbf/filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum field_tag {
  FIELD_KEY = 1,     /* hash of the caller's own key, 16 bytes */
  FIELD_PAYLOAD = 2, /* the caller's bytes */
  /* Read, and not written yet, so that directories of today stay readable once they are: */
  FIELD_PRIORITY = 3,   /* 4 bytes */
  FIELD_NOT_BEFORE = 4, /* 8 bytes */
} field_tag;

enum { FIELD_HEAD = 5 };

typedef struct field {
  const uint8_t *bytes; /* NULL: no such field */
  size_t size;
} field;

/* One more field at `at`, which has room for FIELD_HEAD + size bytes; returns where the next one goes. */
uint8_t *field_put(uint8_t *at, field_tag tag, const void *bytes, size_t size);

field field_find(const uint8_t *fields, size_t size, field_tag tag);

/* What FIELD_KEY holds. false: there is none. */
bool field_hash(field key, mlbf_hash128 *hash);

/* Are these whole fields, of tags and sizes we know? */
bool fields_are_whole(const uint8_t *fields, size_t size);

#endif
