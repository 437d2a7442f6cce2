/* See sorter.h. Always: at most `room` records are held; a run on disk is sorted; after sorter_finish nothing is
 * added. After a crash: runs are files without names (spool.h). Called by list.c, and by replay.c and its
 * statistics. */
#include "datasets/sort/sorter.h"
#include "datasets/sort/spool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is left of a sorted run. */
typedef struct run {
  const char *at, *end;
} run;

struct sorter {
  sorter_compare compare;
  size_t record_size, room; /* records that fit in memory */
  size_t held;              /* records in memory */
  char *memory;
  spool *disk; /* full runs of `room` records each */
  uint64_t count;
  const char *directory;
  run *heap; /* after finish: runs that are not empty, the one with the least record first */
  size_t runs;
  bool has_given; /* heap[0].at is the record given last */
};

static void assert_sorter(const sorter *s)
{
  assert(s->record_size > 0 && s->room >= 1 && s->held <= s->room && s->held <= s->count);
  assert(s->disk || s->held == s->count || s->heap); /* what is not in memory is on disk */
  (void)s;
}

sorter *sorter_create(const char *directory, size_t record_size, sorter_compare compare, size_t memory_bytes)
{
  sorter *made = calloc(1, sizeof *made);
  if (made == NULL)
    return NULL;
  made->compare = compare;
  made->record_size = record_size;
  made->room = memory_bytes / record_size > 0 ? memory_bytes / record_size : 1;
  made->directory = directory;
  made->memory = malloc(made->room * record_size);
  if (made->memory != NULL)
    return made;
  free(made);
  errno = ENOMEM;
  return NULL;
}

void sorter_free(sorter *old)
{
  if (old == NULL)
    return;
  spool_free(old->disk);
  free(old->memory);
  free(old->heap);
  free(old);
}

static bool write_run(sorter *s)
{
  qsort(s->memory, s->held, s->record_size, s->compare);
  if (s->disk == NULL && (s->disk = spool_create(s->directory)) == NULL)
    return false;
  size_t held = s->held;
  s->held = 0;
  return spool_write(s->disk, s->memory, held * s->record_size);
}

bool sorter_add(sorter *s, const void *record)
{
  assert_sorter(s);
  assert(!s->heap); /* not finished yet */
  if (s->held == s->room && !write_run(s))
    return false;
  memcpy(s->memory + s->held++ * s->record_size, record, s->record_size);
  s->count++;
  return true;
}

uint64_t sorter_count(const sorter *s)
{
  return s->count;
}

static void sink(sorter *s, size_t hole)
{
  run *heap = s->heap;
  assert(hole < s->runs || s->runs == 0);
  for (;;) {
    size_t least = hole;
    for (size_t child = 2 * hole + 1; child <= 2 * hole + 2 && child < s->runs; child++)
      if (s->compare(heap[child].at, heap[least].at) < 0)
        least = child;
    if (least == hole)
      return;
    run swap = heap[hole];
    heap[hole] = heap[least];
    heap[least] = swap;
    hole = least;
  }
}

bool sorter_finish(sorter *filled)
{
  assert_sorter(filled);
  assert(!filled->heap);
  qsort(filled->memory, filled->held, filled->record_size, filled->compare);
  if (filled->disk != NULL && !spool_finish(filled->disk))
    return false;
  size_t run_size = filled->room * filled->record_size;
  size_t on_disk = filled->disk == NULL ? 0 : spool_size(filled->disk) / run_size;
  assert(on_disk * filled->room + filled->held == filled->count); /* a run on disk is a full one */
  filled->heap = malloc((on_disk + 1) * sizeof *filled->heap);
  if (filled->heap == NULL)
    return false;
  for (size_t i = 0; i < on_disk; i++) {
    const char *begin = (const char *)spool_bytes(filled->disk) + i * run_size;
    filled->heap[filled->runs++] = (run){begin, begin + run_size};
  }
  if (filled->held > 0)
    filled->heap[filled->runs++] = (run){filled->memory, filled->memory + filled->held * filled->record_size};
  for (size_t hole = filled->runs / 2; hole-- > 0;)
    sink(filled, hole);
  return true;
}

/* Advances past the record given last only now, so that the caller could read it in place. */
const void *sorter_next(sorter *sorted)
{
  assert(sorted->heap && (!sorted->has_given || sorted->runs));
  if (sorted->has_given) {
    assert((size_t)(sorted->heap[0].end - sorted->heap[0].at) >= sorted->record_size);
    sorted->heap[0].at += sorted->record_size;
    if (sorted->heap[0].at == sorted->heap[0].end)
      sorted->heap[0] = sorted->heap[--sorted->runs];
    sink(sorted, 0);
  }
  sorted->has_given = sorted->runs > 0;
  return sorted->has_given ? sorted->heap[0].at : NULL;
}
