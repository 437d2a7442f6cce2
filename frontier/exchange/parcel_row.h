/* A link in a parcel, with all that goes with it: what travels, and what the outbox keeps. FORMAT.md, "outbox". */
#ifndef STRATA_FRONTIER_PARCEL_ROW_H
#define STRATA_FRONTIER_PARCEL_ROW_H

#include "frontier/text.h"

enum {
  PARCEL_KEY_MAX = URL_LENGTH_MAX, /* bytes of a caller's own key, */
  PARCEL_KEY_PARTS = 255,          /* and segments */
  PARCEL_ROW_MAX = 8 + URL_LENGTH_MAX + 1 + 2 * PARCEL_KEY_PARTS + PARCEL_KEY_MAX + 4 + FRONTIER_PAYLOAD_MAX + 1 +
                   FRONTIER_GROUP_MAX + 12,
};

/* 0: its own key is too long for one. */
size_t parcel_row_size(const frontier_link *link);
void parcel_row_write(const frontier_link *link, uint8_t *at); /* so many bytes */

/* The row at `*at`, which is moved behind it. `text` points into the bytes; its key into `key`, if it has one. false:
 * no row, or no sense. */
bool parcel_row_read(const uint8_t **at, const uint8_t *end, frontier_text *text, mlbf_span key[PARCEL_KEY_PARTS]);

/* A parcel as it is on disk: the number of its rows, and the rows. */
enum { PARCEL_COUNT = 2 }; /* bytes */
bool parcel_is_sound(const uint8_t *body, size_t size);

#endif
