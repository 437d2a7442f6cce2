/* mlbf/file/header.h: the first 4096 bytes of a filter file (FORMAT.md). Internal to mlbf/.
 *
 * A header is not trusted: an attacker's may have a correct checksum, so each field must be one that
 * mlbf_plan_make could have made, and all must agree. */
#ifndef STRATA_MLBF_HEADER_H
#define STRATA_MLBF_HEADER_H

#include "mlbf/filter/inside.h"

enum { MLBF_HEADER_BYTES = 4096, MLBF_HEADER_ARRAYS = 17 };

typedef struct mlbf_header_array {
  uint32_t layout, hashes;
  uint64_t bits, offset, reserved;
} mlbf_header_array;

/* Byte for byte. */
typedef struct mlbf_header {
  char magic[8];
  uint32_t version, endian_mark, kind, array_count;
  uint64_t seed, design_keys;
  double rate;
  uint64_t keys, body_bytes, block_count, table_checksum;
  uint32_t flags, profile_size;
  uint64_t deep_set;
  mlbf_header_array arrays[MLBF_HEADER_ARRAYS]; /* beyond the plan's: zeros */
  uint64_t layer_found[MLBF_LAYERS_MAX];
  char profile[MLBF_PROFILE_SIZE];
  uint32_t slice, slice_count;
  mlbf_key_fields key;
  char zeros[MLBF_HEADER_BYTES - 1032 - sizeof(mlbf_key_fields) - 8];
  uint64_t checksum;
} mlbf_header;

_Static_assert(sizeof(mlbf_header) == MLBF_HEADER_BYTES, "the header has no padding");

/* Bytes of header, body and table together. */
uint64_t mlbf_image_bytes(const mlbf_header *header);

/* Slice `slice` of `slice_count`; a filter alone is slice 0 of 1. */
void mlbf_header_fill(const mlbf_filter *filter, const uint64_t *table, uint32_t slice, uint32_t slice_count,
                      mlbf_header *header);

/* MLBF_OK, and then `*plan` is what the header says; MLBF_NOT_A_FILTER, MLBF_VERSION or MLBF_DAMAGED. The body may
 * reach no further than `bytes_left`, counted from the header's beginning. */
mlbf_status mlbf_header_check(const mlbf_header *header, uint64_t bytes_left, mlbf_plan *plan);

/* Counts and the like from a checked header, into a filter made of its plan. */
void mlbf_header_restore(const mlbf_header *header, mlbf_filter *filter);

#endif
