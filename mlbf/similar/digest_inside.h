/* mlbf/similar/digest_inside.h: the struct of a digest. Internal to mlbf/. */
#ifndef STRATA_MLBF_DIGEST_INSIDE_H
#define STRATA_MLBF_DIGEST_INSIDE_H

#include "mlbf/digest.h"

enum {
  DIGEST_BITS = 8 * MLBF_DIGEST_FILTER_BYTES,
  DIGEST_HASHES = 5,
  DIGEST_STREAM_FEATURES = 160, /* of a filter that is full */
  DIGEST_BLOCK_FEATURES = 192,
};

struct mlbf_digest {
  bool is_blocks;
  uint64_t input_size;
  size_t filters;
  uint16_t *features; /* of each filter */
  uint8_t *bits;      /* MLBF_DIGEST_FILTER_BYTES of each filter */
  char *name;
};

/* An empty digest with room for so many filters. NULL: no memory. */
mlbf_digest *digest_make(bool is_blocks, uint64_t input_size, size_t filters);

/* The built-in table. */
const mlbf_digest_ranks *digest_ranks_default(void);

#endif
