/* The exact set: 128-bit hashes in a table of open addresses, at most three quarters full. The reference for what
 * certainty costs: 171 bits a key and more, where a filter has 10 to 30. Always: a slot is free, so a search ends. */
#include "datasets/replay/contender.h"

#include <stdlib.h>

typedef struct exact_set {
  uint64_t slots;
  key_hash table[]; /* all zeros: free. One key in 2^128 has that hash. */
} exact_set;

/* Where `hash` is, or the free slot it would take. */
static key_hash *find(exact_set *set, key_hash hash)
{
  uint64_t at = hash.high % set->slots;
  while ((set->table[at].high | set->table[at].low) != 0 && key_hash_compare(&set->table[at], &hash) != 0)
    at = at + 1 == set->slots ? 0 : at + 1;
  return &set->table[at];
}

/* Anew, though the batch has it: hashing is timed. */
static key_hash hash_key(const key_batch *batch, size_t index)
{
  size_t size;
  const char *key = batch_key(batch, index, &size);
  return key_hash_of(key, size);
}

static void exact_insert(void *state, const key_batch *batch, bool *was_seen)
{
  for (size_t i = 0; i < batch->count; i++) {
    key_hash hash = hash_key(batch, i);
    key_hash *slot = find(state, hash);
    was_seen[i] = key_hash_compare(slot, &hash) == 0;
    *slot = hash;
  }
}

static void exact_test(void *state, const key_batch *batch, bool *is_seen)
{
  for (size_t i = 0; i < batch->count; i++) {
    key_hash hash = hash_key(batch, i);
    is_seen[i] = key_hash_compare(find(state, hash), &hash) == 0;
  }
}

static uint64_t slots_for(uint64_t keys)
{
  return keys / 3 * 4 + 8;
}

uint64_t contender_exact_bits(uint64_t keys)
{
  return slots_for(keys) * sizeof(key_hash) * 8;
}

bool contender_make_exact(uint64_t keys, contender *made, const char **reason)
{
  uint64_t slots = slots_for(keys);
  exact_set *set = slots < SIZE_MAX / sizeof(key_hash) ? calloc(1, sizeof *set + slots * sizeof(key_hash)) : NULL;
  if (set == NULL) {
    *reason = "not enough memory for an exact set";
    return false;
  }
  set->slots = slots;
  *made = (contender){
    .state = set,
    .insert = exact_insert,
    .test = exact_test,
    .free = free,
    .bits = contender_exact_bits(keys),
  };
  return true;
}
