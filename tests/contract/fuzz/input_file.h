/* tests/contract/fuzz/input_file.h: what a fuzzer made, as a file for a loader that wants one. */
#ifndef STRATA_TESTS_FUZZ_FILE_H
#define STRATA_TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#endif
