/* mlbf/filter/lazy_verify.h: blocks of a mapped filter, each checked when it is first used. Internal to mlbf/.
 *
 * A filter of 1 GiB opens in under a millisecond since its body is not read then; a window or a counter calls the guard before
 * they read or write a word; the guard checks that word's block once, by its checksum. After one damaged block every
 * answer of the filter is MLBF_UNKNOWN. */
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

/* A block by its bytes of this moment, whether it was checked before or not. */
bool mlbf_guard_is_sound(const mlbf_guard *guard, uint64_t block);
bool mlbf_guard_is_damaged(const mlbf_guard *guard);

#endif
