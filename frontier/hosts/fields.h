/* Fields: optional data of a URL, in a row of (tag, size, bytes). In a queue or history record they precede the URL, in
 * an entry in memory they follow it. FORMAT.md, "fields". */
#ifndef STRATA_FRONTIER_FIELDS_H
#define STRATA_FRONTIER_FIELDS_H

#include "mlbf/filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum field_tag {
  FIELD_KEY = 1,        /* hash of the caller's own key, 16 bytes */
  FIELD_PAYLOAD = 2,    /* the caller's bytes */
  FIELD_PRIORITY = 3,   /* 4 bytes: not 0 */
  FIELD_NOT_BEFORE = 4, /* 8 bytes: milliseconds since 1970, not 0 */
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

/* When its turn is among the URLs of its host, by FIELD_PRIORITY and FIELD_NOT_BEFORE. All zero: it has neither. */
typedef struct url_order {
  int32_t priority;
  uint64_t not_before_ms;
} url_order;
url_order field_order(field all);
static inline bool is_ordered(url_order order)
{
  return order.priority || order.not_before_ms;
}

/* All fields that a URL can have, in one piece: `own` and `payload` of size 0 are left out, and zeros of `order`. */
size_t fields_size(field own, field payload, url_order order);
void fields_write(uint8_t *at, field own, field payload, url_order order); /* fields_size bytes */

/* Are these whole fields, of tags and sizes we know? */
bool fields_are_whole(const uint8_t *fields, size_t size);

#endif
