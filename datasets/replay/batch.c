/* See batch.h. Always: the spans of all keys lie end to end, and so do their bytes; a key has 1 to MLBF_LAYERS_MAX
 * spans, which together are its bytes, for either cut. */
#include "datasets/replay/batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_BEGIN = 2 }; /* behind "//" */

size_t cut_key(key_cut how, const char *key, size_t size, mlbf_span segments[MLBF_LAYERS_MAX])
{
  char delimiter = '/';
  size_t count = 0, begin = 0;
  for (size_t i = HOST_BEGIN; i < size && count < MLBF_LAYERS_MAX - 1; i++) {
    bool is_query = key[i] == '?' && delimiter == '/' && how == CUT_LAYERS;
    if (key[i] == delimiter || is_query) {
      segments[count++] = (mlbf_span){key + begin, i - begin};
      begin = i;
    }
    if (is_query)
      delimiter = '&';
  }
  segments[count++] = (mlbf_span){key + begin, size - begin};
  return count;
}

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

void batch_add(key_batch *batch, const char *key, size_t size)
{
  assert(!batch_is_full(batch) && size <= KEY_SIZE_MAX && batch->size <= batch->count * KEY_SIZE_MAX);
  char *copy = batch->bytes + batch->size;
  memcpy(copy, key, size);
  batch->size += size;
  batch->hash[batch->count] = key_hash_of(copy, size);
  for (int cut = 0; cut < CUT_COUNT; cut++) {
    mlbf_span *spans = batch->spans[cut] + batch->span_count[cut];
    size_t count = cut_key((key_cut)cut, copy, size, spans);
    batch->keys[cut][batch->count] = (mlbf_key){spans, count};
    assert(count && count <= MLBF_LAYERS_MAX);
    batch->span_count[cut] += count;
  }
  batch->count++;
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
