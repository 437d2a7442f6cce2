/* tests/contract/fuzz/input_file.h: what a fuzzer made, as a file for a loader that wants one. */
#ifndef STRATA_TESTS_FUZZ_FILE_H
#define STRATA_TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* `repair` puts checksums right first, so that what they guard is reached. */
static inline void fuzz_write_file(const char *path, const uint8_t *data, size_t size,
                                   void (*repair)(uint8_t *file, size_t size))
{
  uint8_t *file = malloc(size + 1);
  FILE *out = fopen(path, "wb");
  if (!file || !out)
    abort();
  memcpy(file, data, size);
  repair(file, size);
  fwrite(file, 1, size, out);
  fclose(out);
  free(file);
}

static inline void fuzz_put(uint8_t *at, uint64_t number)
{
  memcpy(at, &number, sizeof number);
}

/* Of one of mlbf's files: its length, the checksums of its blocks, and the header's own, whatever body there is. */
static inline void fuzz_repair_blocks(uint8_t *file, size_t size)
{
  enum { HEADER = 4096, BLOCK = 1 << 20 };
  if (size < HEADER + 16)
    return;
  uint64_t rest = size - HEADER, blocks = (rest + BLOCK + 7) / (BLOCK + 8), body = rest - 8 * blocks, told, told_blocks;
  memcpy(&told, file + 32, 8);
  memcpy(&told_blocks, file + 40, 8);
  if (told < body && told_blocks == (told + BLOCK - 1) / BLOCK) { /* another file behind it */
    body = told;
    blocks = told_blocks;
  }
  uint8_t *checksums = file + HEADER + body;
  for (uint64_t i = 0; i < blocks; i++) {
    uint64_t left = body - i * BLOCK;
    fuzz_put(checksums + 8 * i, XXH3_64bits(file + HEADER + i * BLOCK, left < BLOCK ? left : BLOCK));
  }
  fuzz_put(file + 32, body);
  fuzz_put(file + 40, blocks);
  fuzz_put(file + 48, XXH3_64bits(checksums, 8 * blocks));
  fuzz_put(file + HEADER - 8, XXH3_64bits(file, HEADER - 8));
}

#endif
