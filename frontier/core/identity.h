/* What never changes in a directory: with which options, secret and kind of keys it was made, and which one it is. A
 * part of the handle (part.h); its bytes are in FORMAT.md. */
#ifndef STRATA_FRONTIER_IDENTITY_H
#define STRATA_FRONTIER_IDENTITY_H

#include "frontier/store/store.h"
#include "mlbf/secret.h"

enum {
  DIRECTORY_ID_BYTES = 16,
  IDENTITY_SECRET = 40,
  IDENTITY_ID = IDENTITY_SECRET + MLBF_SECRET_BYTES,
  IDENTITY_SHARE = IDENTITY_ID + DIRECTORY_ID_BYTES,
  IDENTITY_SCHEME = IDENTITY_SHARE + 20,
  IDENTITY_HEAD = IDENTITY_SCHEME + FRONTIER_KEY_SCHEME_MAX + 1,
  IDENTITY_MAX = IDENTITY_HEAD + FRONTIER_ROUTE_KEY_BYTES + URL_PROFILE_NAME_SIZE,
};

/* What the options do not say. */
_Static_assert((int)IDENTITY_ID == (int)STORE_ID_AT, "the store reads it there");

typedef struct identity {
  uint8_t directory_id[DIRECTORY_ID_BYTES]; /* drawn: a copy has the same */
  uint32_t partitions, partition, flags;
  uint64_t incarnation; /* at first */
  uint8_t route_key[FRONTIER_ROUTE_KEY_BYTES];
  char key_scheme[FRONTIER_KEY_SCHEME_MAX + 1]; /* a copy of the option, which points here */
} identity;

bool identity_begin(frontier *f); /* of its options; false: no random bytes */

size_t identity_write(const frontier_options *options, const identity *more, uint8_t body[IDENTITY_MAX]); /* its size */
/* What the directory was made with wins, or must agree. */
frontier_status identity_read(frontier *f, const uint8_t *body, size_t size);

/* For a directory made of others: the options' kind of keys, and an id of its own. false: no random bytes. */
bool identity_make(const frontier_options *options, identity *more);

bool key_scheme_is_valid(const char *text); /* NULL is; else printing characters, and not too many */

#endif
