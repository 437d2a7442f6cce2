/* mlbf/file/block_header.h: the first 4096 bytes of a file of blocks (FORMAT.md). Internal to mlbf/file/. */
#ifndef STRATA_MLBF_BLOCK_HEADER_H
#define STRATA_MLBF_BLOCK_HEADER_H

#include "mlbf/file/block_file.h"

/* Byte for byte. */
typedef struct block_header {
  char magic[8];
  uint32_t version, endian_mark, kind, profile_size;
  uint64_t seed, body_bytes, block_count, checksum_of_checksums;
  uint64_t numbers[MLBF_NUMBERS];
  char profile[MLBF_PROFILE_SIZE];
  mlbf_key_fields key;
  char zeros[MLBF_HEADER_BYTES - 56 - 8 * MLBF_NUMBERS - MLBF_PROFILE_SIZE - sizeof(mlbf_key_fields) - 8];
  uint64_t checksum;
} block_header;

_Static_assert(sizeof(block_header) == MLBF_HEADER_BYTES, "the header has no padding");

/* Of this file, with a body of so many bytes whose blocks have these checksums. */
void block_header_fill(const mlbf_block_file *file, uint64_t body_bytes, const uint64_t *checksums,
                       block_header *header);

/* MLBF_OK, MLBF_NOT_A_FILTER, MLBF_VERSION or MLBF_DAMAGED; of another kind: MLBF_MISMATCH, or MLBF_NOT_A_FILTER for
 * who wants a filter. `bytes_left`: what can come behind the header. */
mlbf_status block_header_check(const block_header *header, mlbf_structure kind, uint64_t bytes_left);

#endif
