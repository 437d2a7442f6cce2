/* mlbf/similar/digest_sha1.h: SHA-1 of many 64-byte messages at once. Internal to mlbf/.
 *
 * A digest hashes a feature of 64 bytes for every 60 bytes of input or so, each by itself. Several at once in vector
 * lanes take a fifth of the time; SHA instructions are not used. */
#ifndef STRATA_MLBF_DIGEST_SHA1_H
#define STRATA_MLBF_DIGEST_SHA1_H

#include "mlbf/hash/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_SHA1_MANY = 16, DIGEST_SHA1_WORDS = 5 };

typedef uint32_t digest_sha1[DIGEST_SHA1_WORDS]; /* as numbers: the first byte of the hash is the top of word 0 */

/* hashes[i] = SHA-1 of the 64 bytes at messages[i], for all DIGEST_SHA1_MANY. */
typedef struct digest_sha1_path {
  mlbf_cpu_path cpu;
  void (*hash)(const uint8_t *const messages[DIGEST_SHA1_MANY], digest_sha1 hashes[DIGEST_SHA1_MANY]);
} digest_sha1_path;

extern const digest_sha1_path *const digest_sha1_paths[]; /* the best first; the last works everywhere; then NULL */
const digest_sha1_path *digest_sha1_path_best(void);      /* reads STRATA_CPU: before there are threads */

extern const digest_sha1_path digest_sha1_avx2, digest_sha1_avx512;

#endif
