/* A binary heap. */
#include "tests/contract/web/serve_timers.h"

#include <stdlib.h>

void timers_free(timers *t)
{
  free(t->heap);
  *t = (timers){0};
}

static void swap(timer *a, timer *b)
{
  timer kept = *a;
  *a = *b;
  *b = kept;
}

void timers_add(timers *t, timer new)
{
  if (t->count == t->room) {
    t->room = t->room ? 2 * t->room : 256;
    t->heap = realloc(t->heap, t->room * sizeof *t->heap);
    if (!t->heap)
      abort();
  }
  size_t at = t->count++;
  t->heap[at] = new;
  for (; at && t->heap[at].when_ms < t->heap[(at - 1) / 2].when_ms; at = (at - 1) / 2)
    swap(&t->heap[at], &t->heap[(at - 1) / 2]);
}

static void sink(timers *t, size_t at)
{
  for (size_t child; (child = 2 * at + 1) < t->count; at = child) {
    if (child + 1 < t->count && t->heap[child + 1].when_ms < t->heap[child].when_ms)
      child++;
    if (t->heap[at].when_ms <= t->heap[child].when_ms)
      return;
    swap(&t->heap[at], &t->heap[child]);
  }
}

bool timers_take(timers *t, uint64_t now_ms, timer *due)
{
  if (!t->count || t->heap[0].when_ms > now_ms)
    return false;
  *due = t->heap[0];
  t->heap[0] = t->heap[--t->count];
  sink(t, 0);
  return true;
}

int timers_wait_ms(const timers *t, uint64_t now_ms)
{
  enum { LONGEST_MS = 60000 };
  if (!t->count)
    return -1;
  uint64_t when_ms = t->heap[0].when_ms;
  return when_ms <= now_ms ? 0 : when_ms - now_ms > LONGEST_MS ? LONGEST_MS : (int)(when_ms - now_ms);
}
