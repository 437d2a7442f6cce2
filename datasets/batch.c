#include "datasets/batch.h"

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
  for (int cut = 0; cut < CUT_COUNT; cut++)
    batch->span_begin[cut][0] = 0;
}

void batch_add(key_batch *to, const char *key, size_t size)
{
  char *copy = to->bytes + to->size;
  memcpy(copy, key, size);
  to->size += size;
  to->hash[to->count] = key_hash_of(copy, size);
  for (int cut = 0; cut < CUT_COUNT; cut++) {
    uint32_t *begin = &to->span_begin[cut][to->count];
    begin[1] = begin[0] + (uint32_t)cut_key((key_cut)cut, copy, size, to->spans[cut] + begin[0]);
  }
  to->count++;
}
