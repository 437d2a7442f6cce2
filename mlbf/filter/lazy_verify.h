/* mlbf/filter/lazy_verify.h: blocks of a mapped filter, each checked when it is first touched. Internal to mlbf/.
 *
 * A filter of 1 GiB opens in under a millisecond since nothing of its body is read then. Its arrays ask the guard
 * before they read or write a word; the guard hashes that word's block once and compares. When one block is wrong
 * the whole filter is: from then on it answers MLBF_UNKNOWN. */
#ifndef STRATA_MLBF_LAZY_VERIFY_H
#define STRATA_MLBF_LAZY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

/* A body is hashed in blocks of 1 MiB; the last may be shorter. */
enum { MLBF_BLOCK_BYTES = 1 << 20 };
uint64_t mlbf_block_count(uint64_t body_bytes);
uint64_t mlbf_block_checksum(const void *body, uint64_t body_bytes, uint64_t block);

typedef struct mlbf_guard mlbf_guard;

/* Takes over `table`, the checksums of `body`, which it does not own. NULL: out of memory. */
mlbf_guard *mlbf_guard_create(const void *body, uint64_t body_bytes, uint64_t *table);
void mlbf_guard_free(mlbf_guard *guard); /* NULL is fine */

/* False: the block of `word` is damaged. Readers may call it at once from many threads. */
bool mlbf_guard_touch(mlbf_guard *guard, const uint64_t *word);

bool mlbf_guard_check_all(mlbf_guard *guard);
bool mlbf_guard_is_damaged(const mlbf_guard *guard);

#endif
