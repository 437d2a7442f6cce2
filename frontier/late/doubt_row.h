/* A doubt on disk: a row of table `unconfirmed`. FORMAT.md, "unconfirmed". */
#ifndef STRATA_FRONTIER_DOUBT_ROW_H
#define STRATA_FRONTIER_DOUBT_ROW_H

#include "frontier/base/key_hashes.h"
#include "frontier/frontier.h"

typedef enum doubt_purpose { DOUBT_TO_QUEUE, DOUBT_TO_NOTE } doubt_purpose;

typedef struct doubt_row {
  key_hashes hashes; /* `whole` always; depth and layers only if `has_own_key`, for no text gives them again */
  bool has_own_key;
  bool was_known_before; /* to the crawl of options.previous_path: asked while the link is at hand */
  doubt_purpose purpose;
  frontier_origin origin;
  const char *url; /* the fetch URL, 1 to URL_LENGTH_MAX bytes; not NUL-terminated when read */
  size_t url_size;
  const void *payload; /* NULL if the size is 0 */
  size_t payload_size; /* at most FRONTIER_PAYLOAD_MAX */
  bool is_opaque;      /* `url` need not be one; it has its own key and a group */
  const char *group;   /* NULL if the size is 0 */
  size_t group_size;   /* at most FRONTIER_GROUP_MAX */
  int32_t priority;
  uint64_t not_before_ms;
} doubt_row;

size_t doubt_row_size(const doubt_row *row);
void doubt_row_write(const doubt_row *row, uint8_t *at); /* doubt_row_size bytes */

/* Points into the bytes. false: they are no row. */
bool doubt_row_read(doubt_row *row, const uint8_t *bytes, size_t size);
/* Its key alone. */
bool doubt_row_key(mlbf_hash128 *key, const uint8_t *bytes, size_t size);

#endif
