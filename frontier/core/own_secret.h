/* The secret of a handle: given by the caller, of its directory, or drawn; and a hasher that is keyed with it. A part
 * of the handle (part.h). */
#ifndef STRATA_FRONTIER_OWN_SECRET_H
#define STRATA_FRONTIER_OWN_SECRET_H

#include "frontier/frontier.h"
#include "mlbf/secret.h"

typedef struct own_secret {
  uint8_t bytes[MLBF_SECRET_BYTES];
  bool is_given; /* by the caller: a directory must have the same */
  mlbf_hasher *hasher;
} own_secret;

bool secret_begin(frontier *f); /* of its options, or drawn; false: no memory, or no random bytes */

/* What the directory says, before anything was hashed. MISMATCH: the caller gave another. */
frontier_status secret_take(frontier *f, const uint8_t bytes[MLBF_SECRET_BYTES]);

const mlbf_hasher *secret_hasher(const frontier *f);

/* Of the same secret? */
bool secret_is(const frontier *f, const uint8_t bytes[MLBF_SECRET_BYTES]);

#endif
