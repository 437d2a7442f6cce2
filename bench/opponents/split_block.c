/* The split block filter of Impala and Parquet, 8 words of 32 bits, from libfilter, by its author; hash: XXH3_64. */
#include "bench/filter_opponent.h"

#include <filter/block.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct split_block {
  libfilter_block blocks;
  bool tells;
} split_block;

static void *make(uint64_t keys, double rate, bool tells, uint64_t *bits)
{
  split_block *made = opponent_need(malloc(sizeof *made));
  uint64_t bytes = libfilter_block_bytes_needed((double)keys, rate);
  *made = (split_block){.blocks = {.num_buckets_ = bytes / 32}, .tells = tells};
  made->blocks.block_.block = opponent_table(bytes);
  *bits = 8 * bytes;
  return made;
}

static size_t prepare(const split_block *of, const opponent_text *texts, size_t left, uint64_t *hashes)
{
  size_t count = left < OPPONENT_BATCH ? left : OPPONENT_BATCH;
  for (size_t i = 0; i < count; i++) {
    hashes[i] = XXH3_64bits(texts[i].bytes, texts[i].size);
    __builtin_prefetch(of->blocks.block_.block + 8 * libfilter_block_index(hashes[i], of->blocks.num_buckets_), 1);
  }
  return count;
}

static uint64_t add(void *to, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  split_block *of = to;
  uint64_t hashes[OPPONENT_BATCH], seen = 0;
  for (size_t begin = 0; begin < count; begin += OPPONENT_BATCH) {
    size_t size = prepare(of, texts + begin, count - begin, hashes);
    for (size_t i = 0; i < size; i++) {
      seen += of->tells && libfilter_block_find_hash(hashes[i], &of->blocks);
      libfilter_block_add_hash(hashes[i], &of->blocks);
    }
  }
  return seen;
}

static uint64_t ask(const void *whom, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  const split_block *of = whom;
  uint64_t hashes[OPPONENT_BATCH], seen = 0;
  for (size_t begin = 0; begin < count; begin += OPPONENT_BATCH) {
    size_t size = prepare(of, texts + begin, count - begin, hashes);
    for (size_t i = 0; i < size; i++)
      seen += libfilter_block_find_hash(hashes[i], &of->blocks);
  }
  return seen;
}

static void drop(void *whom)
{
  free(((split_block *)whom)->blocks.block_.block);
  free(whom);
}

const filter_opponent filter_split_block = {make, add, ask, drop};
