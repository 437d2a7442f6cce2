#include "datasets/replay/batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

key_batch *batch_create(void)
{
  key_batch *made = malloc(sizeof *made);
  if (made != NULL)
    batch_clear(made);
  return made;
}

void batch_clear(key_batch *batch)
{
  batch->count = 0;
  batch->size = 0;
  memset(batch->span_count, 0, sizeof batch->span_count);
}

void batch_add(key_batch *to, const char *key, size_t size)
{
  assert(!batch_is_full(to) && size <= KEY_SIZE_MAX && to->size <= to->count * KEY_SIZE_MAX);
  char *copy = to->bytes + to->size;
  memcpy(copy, key, size);
  to->size += size;
  to->hash[to->count] = key_hash_of(copy, size);
  for (int cut = 0; cut < CUT_COUNT; cut++) {
    mlbf_span *spans = to->spans[cut] + to->span_count[cut];
    size_t count = cut_key((key_cut)cut, copy, size, spans);
    to->keys[cut][to->count] = (mlbf_key){spans, count};
    assert(count && count <= MLBF_LAYERS_MAX);
    to->span_count[cut] += count;
  }
  to->count++;
}

const char *batch_key(const key_batch *batch, size_t index, size_t *size)
{
  assert(index < batch->count);
  const mlbf_key *key = &batch->keys[CUT_PAPER][index];
  const char *begin = key->segments[0].bytes;
  const mlbf_span *last = &key->segments[key->count - 1];
  *size = (size_t)((const char *)last->bytes + last->size - begin);
  return begin;
}
